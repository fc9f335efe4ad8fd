/** What is known of a store, figure by figure. */
import type { ShopFacts, ShopRecordItem } from "../../../domain/catalog/ShopItem.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { languageName } from "../shared/LanguageNames.ts"
import type { Locale } from "../shared/Locale.ts"
import type { StorePageText } from "./StorePageText.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"

/** What tells an increase from a decrease at first sight. */
export const growth = (value: number, locale: Locale): string => `${value > 0 ? "+" : ""}${locale.percent(value)}`

/** `write` for a figure that is known. */
export const known = <A>(value: A | null, write: (value: A) => string | Html, unknown: string): Html =>
  value === null ? html`<span class="unknown">${unknown}</span>` : html`${write(value)}`

export const currency = (code: string, locale: Locale): string => `${locale.currencyName(code)} (${code})`

export const figures = (shop: ShopRecordItem, locale: Locale, text: StorePageText): Html => {
  const number = (value: number | null) => known(value, locale.number, text.unknown)
  const rows: ReadonlyArray<readonly [name: string, value: Html]> = [
    [
      text.revenue,
      known(shop.estimated_monthly_revenue, (value) => locale.wholeMoney(value, shop.currency), text.unknown)
    ],
    [text.orders, number(shop.estimated_monthly_orders)],
    [text.visits, number(shop.monthly_visits)],
    [text.growth, known(shop.traffic_growth_pct, (value) => growth(value, locale), text.unknown)],
    [text.activeAds, number(shop.active_ads)],
    [text.products, number(shop.products_count)],
    [text.averagePrice, known(shop.avg_price, (value) => locale.money(value, shop.currency), text.unknown)],
    [text.rating, known(shop.trustpilot_rating, (value) => text.ratingOf(locale.number(value)), text.unknown)],
    [text.reviews, number(shop.trustpilot_reviews)],
    [
      text.created,
      known(shop.created_on, (day) => html`<time datetime="${day}">${locale.date(day)}</time>`, text.unknown)
    ],
    [text.country, html`${locale.countryName(shop.country)}`],
    [text.currency, known(shop.currency, (code) => currency(code, locale), text.unknown)],
    [
      text.languages,
      known(
        listed(shop.languages),
        (languages) => locale.list(languages.map((language) => languageName(locale, language))),
        text.unknown
      )
    ],
    [text.theme, known(shop.theme, thirdPartyText, text.unknown)]
  ]
  return html`<dl class="figures store">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`
    )}
  </dl>`
}

/** Whether a store has none of them is not known either. */
const listed = (items: ShopFacts["languages"]): ShopFacts["languages"] | null => (items.length === 0 ? null : items)
