/** The figures of a card in short form. */
import type { ProductItem } from "../../../domain/catalog/ProductItem.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { growth, known } from "./StoreFigures.ts"

export const cardFigures = (facts: ReadonlyArray<Html>): Html => html`<dl class="facts">${facts}</dl>`

/** The figures of a store, such as the one that sells a product. */
export const storeFigures = (
  { currency, shop }: Pick<ProductItem, "currency" | "shop">,
  locale: Locale
): ReadonlyArray<Html> => {
  const { text } = locale
  const money = (value: number) => locale.compactMoney(value, currency)
  return [
    fact(text("store.figure.revenue"), known(shop.estimated_monthly_revenue, money, locale)),
    fact(text("store.figure.visits"), known(shop.monthly_visits, locale.compact, locale)),
    fact(
      text("stores.growth"),
      known(shop.traffic_growth_pct, (value) => signed(value, locale), locale)
    ),
    fact(text("store.figure.active_ads"), locale.number(shop.active_ads))
  ]
}

/** The sign shows the direction as well as the color does. */
const signed = (value: number, locale: Locale): Html =>
  html`<span class="${value > 0 ? "up" : value < 0 ? "down" : ""}">${growth(value, locale)}</span>`
