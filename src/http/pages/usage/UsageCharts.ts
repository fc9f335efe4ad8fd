/** Calls and credits of an account by day, beside each other. */
import type { Amount, UsageOfDay } from "../../../services/access/Usage.ts"
import * as Chart from "../shared/Chart.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { texts } from "./UsageText.ts"

const total = (amounts: ReadonlyArray<Amount>, of: keyof Amount): number =>
  amounts.reduce((sum, amount) => sum + amount[of], 0)

export const usageCharts = (days: ReadonlyArray<UsageOfDay>, locale: Locale): Html => {
  const text = texts[locale.language]
  const chart = (of: keyof Amount, title: (total: string) => string) =>
    Chart.columns({
      id: `${of}-by-day`,
      title: title(locale.number(total(days, of))),
      over: text.day,
      unit: text[of],
      columns: days.map((amount) => ({
        label: locale.date(amount.day),
        short: locale.dayAndMonth(amount.day),
        value: amount[of]
      })),
      locale
    })
  return html`<div class="charts">${chart("calls", text.callsByDay)} ${chart("credits", text.creditsByDay)}</div>`
}
