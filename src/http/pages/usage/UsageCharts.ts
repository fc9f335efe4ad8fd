/** Charts of an account's calls and credits by day, side by side. */
import type { Amount, UsageOfDay } from "../../../services/credits/Usage.ts"
import * as Chart from "../shared/Chart.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

const total = (amounts: ReadonlyArray<Amount>, of: keyof Amount): number =>
  amounts.reduce((sum, amount) => sum + amount[of], 0)

export const usageCharts = (days: ReadonlyArray<UsageOfDay>, locale: Locale): Html => {
  const { text } = locale
  const chart = (of: keyof Amount, title: string) =>
    Chart.columns({
      id: `${of}-by-day`,
      title,
      over: text("usage.day"),
      unit: text(of === "calls" ? "usage.calls" : "usage.credits"),
      columns: days.map((amount) => ({
        label: locale.date(amount.day),
        short: locale.dayAndMonth(amount.day),
        value: amount[of]
      })),
      locale
    })
  return html`<div class="charts">
    ${chart("calls", text("usage.callsByDay", { calls: total(days, "calls") }))}
    ${chart("credits", text("usage.creditsByDay", { credits: total(days, "credits") }))}
  </div>`
}
