/** What a store had on earlier days, as a chart for each figure that has changed (D112). */
import { names, pointsOf } from "../../../domain/catalog/Series.ts"
import type { Name, Point } from "../../../domain/catalog/Series.ts"
import { maxChanges } from "../../../services/changes/History.ts"
import type { StoreHistory } from "../../../services/changes/History.ts"
import * as Chart from "../shared/Chart.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

/** Half a year of weeks. */
const maxPoints = 26

export const titleOf = (name: Name, { text }: Locale): string => {
  switch (name) {
    case "estimated_monthly_revenue":
      return text("store.figure.revenue")
    case "median_price":
      return text("store.medianPrice")
    case "active_ads":
    case "products_count":
      return text(`store.figure.${name}`)
  }
}

export const writer = (name: Name, currency: string | null, locale: Locale): ((value: number) => string) => {
  switch (name) {
    case "estimated_monthly_revenue":
      return (value) => locale.wholeMoney(value, currency)
    case "median_price":
      return (value) => locale.money(value, currency)
    case "active_ads":
    case "products_count":
      return locale.number
  }
}

const chart = (name: Name, points: ReadonlyArray<Point>, currency: string | null, locale: Locale): Html => {
  const title = titleOf(name, locale)
  const write = writer(name, currency, locale)
  const [first] = points
  if (first !== undefined && points.length === 1) {
    const value = first.value === null ? locale.text("chart.unknown") : write(first.value)
    return html`<div class="unchanged">
      <h3>${title}</h3>
      <p>${locale.text("store.historyUnchanged", { day: locale.date(first.on), value })}</p>
    </div>`
  }
  return Chart.columns({
    id: `history-${name}`,
    title,
    over: locale.text("store.day"),
    unit: title,
    columns: points.map(({ on, value }) => ({ label: locale.date(on), short: locale.date(on), value })),
    write,
    locale
  })
}

export const history = ({ isCut, known }: StoreHistory, currency: string | null, locale: Locale): Html => {
  const points = pointsOf(known, maxPoints)
  return html`<section class="panel" id="history">
    <h2>${locale.text("store.history")}</h2>
    <div class="history">
      ${names.flatMap((name) => (points[name].length === 0 ? [] : [chart(name, points[name], currency, locale)]))}
    </div>
    <p class="aside">${locale.text("store.historyAbout")}</p>
    ${isCut && html`<p class="aside">${locale.text("store.historyCut", { most: maxChanges })}</p>`}
  </section>`
}
