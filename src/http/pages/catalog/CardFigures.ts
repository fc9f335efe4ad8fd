/** The figures of a card in short form. Unknown figures are shown as such. */
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { growth } from "./StoreFigures.ts"

export interface CardFigure {
  readonly name: string
  readonly value: string | Html | null
}

export const cardFigures = (figures: ReadonlyArray<CardFigure>, { text }: Locale): Html =>
  html`<dl class="facts">
    ${figures.map(({ name, value }) => fact(name, value ?? html`<span class="unknown">${text("store.unknown")}</span>`))}
  </dl>`

/** The figures of the store that sells a product. */
export const storeFigures = (
  shop: {
    readonly estimated_monthly_revenue: number | null
    readonly monthly_visits: number | null
    readonly traffic_growth_pct: number | null
    readonly active_ads: number
  },
  currency: string | null,
  locale: Locale
): ReadonlyArray<CardFigure> => {
  const { text } = locale
  const { estimated_monthly_revenue: revenue, monthly_visits: visits, traffic_growth_pct: change } = shop
  return [
    { name: text("store.revenue"), value: revenue === null ? null : locale.compactMoney(revenue, currency) },
    { name: text("store.visits"), value: visits === null ? null : locale.compact(visits) },
    { name: text("stores.growth"), value: change === null ? null : signed(change, locale) },
    { name: text("store.activeAds"), value: locale.number(shop.active_ads) }
  ]
}

/** The sign shows the direction as well as the color does. */
const signed = (value: number, locale: Locale): Html =>
  html`<span class="${value > 0 ? "up" : value < 0 ? "down" : ""}">${growth(value, locale)}</span>`
