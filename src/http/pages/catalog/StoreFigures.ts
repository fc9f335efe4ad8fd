/** The figures of a store, one by one. */
import { numberFigures, storeFigures } from "../../../domain/catalog/Figures.ts"
import type { Figure, NumberFigure } from "../../../domain/catalog/Figures.ts"
import { changeUnits, movingSorts } from "../../../domain/catalog/Movers.ts"
import type { ShopDetails, ShopFacts, ShopRecordItem } from "../../../domain/catalog/ShopItem.ts"
import type { Column } from "../shared/Chart.ts"
import { explained, fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"

/** Writes a percentage with its sign, so that an increase is easy to see. */
export const growth = (value: number, locale: Locale): string => `${value > 0 ? "+" : ""}${locale.percent(value)}`

/** Uses `write` for a known figure. */
export const known = <A>(value: A | null, write: (value: A) => string | Html, { text }: Locale): Html =>
  value === null ? html`<span class="unknown">${text("store.unknown")}</span>` : html`${write(value)}`

export const currency = (code: string, locale: Locale): string => `${locale.currencyName(code)} (${code})`

const writtenValue = (figure: NumberFigure, value: number, currency: string | null, locale: Locale): string => {
  const { isRounded, unit } = storeFigures[figure]
  switch (unit) {
    case "money":
      return isRounded ? locale.money(value, currency) : locale.wholeMoney(value, currency)
    case "percentage":
      return growth(value, locale)
    case "rating":
      return locale.text("store.ratingOf", { rating: locale.number(value) })
    case "count":
      return locale.number(value)
  }
}

/** A figure of a store. */
export const written = (figure: NumberFigure, shop: ShopFacts, locale: Locale): Html =>
  known(shop[storeFigures[figure].answer], (value) => writtenValue(figure, value, shop.currency, locale), locale)

/** The name of the change that a search is ordered by (D120), and how it is written; `undefined` for another order. */
export const changeIn = (args: Readonly<Record<string, unknown>>, locale: Locale) => {
  const sort = movingSorts.find((each) => each === args["sort_by"])
  if (sort === undefined) return undefined
  const signed = (value: number) => `${value > 0 ? "+" : ""}${locale.number(value)}`
  return {
    name: locale.text(`filter.sorts.${sort}`),
    written: (value: number | null | undefined): Html =>
      known(
        value ?? null,
        (change) => (changeUnits[sort] === "percentage" ? growth(change, locale) : signed(change)),
        locale
      )
  }
}

export const dated = (day: string, locale: Locale): Html => html`<time datetime="${day}">${locale.date(day)}</time>`

interface FigureRow {
  /** Of those whose meaning is explained. */
  readonly figure?: Figure
  readonly name: string
  readonly value: Html
}

/** All figures of a store, the same of each, in the same order. */
export const figureRows = (shop: ShopRecordItem, locale: Locale): ReadonlyArray<FigureRow> => {
  const { text } = locale
  const row = <A>(name: string, value: A | null, write: (value: A) => string | Html): FigureRow => ({
    name,
    value: known(value, write, locale)
  })
  return [
    ...numberFigures.map((figure) => ({
      figure,
      name: text(`store.figure.${figure}`),
      value: written(figure, shop, locale)
    })),
    {
      figure: "created",
      name: text("store.figure.created"),
      value: known(shop.created_on, (day) => dated(day, locale), locale)
    },
    row(text("store.country"), shop.country, locale.countryName),
    row(text("store.currency"), shop.currency, (code) => currency(code, locale)),
    row(text("store.languages"), listed(shop.languages), (languages) =>
      locale.list(languages.map(locale.languageName))
    ),
    row(text("store.theme"), shop.theme, thirdPartyText)
  ]
}

export const figures = (shop: ShopRecordItem, locale: Locale): Html =>
  html`<dl class="figures store">
    ${figureRows(shop, locale).map(({ figure, name, value }) =>
      figure === undefined ? fact(name, value) : explained(figure, name, value, locale.text(`store.meaning.${figure}`))
    )}
  </dl>`

/** An empty list means that the values are unknown. */
const listed = (items: ShopFacts["languages"]): ShopFacts["languages"] | null => (items.length === 0 ? null : items)

/** Ten years; months that are further before the newest one are omitted. */
const maxMonths = 120

const numberOf = (month: string): number => Number(month.slice(0, -3)) * 12 + Number(month.slice(-2)) - 1

const monthOf = (number: number): string =>
  `${String(Math.floor(number / 12)).padStart(4, "0")}-${String((number % 12) + 1).padStart(2, "0")}`

/** The traffic history as the columns of a chart. `traffic` begins with the oldest month; a missing month has no value. */
export const trafficColumns = (traffic: ShopDetails["traffic"], locale: Locale): ReadonlyArray<Column> => {
  const [first] = traffic
  const last = traffic.at(-1)
  if (first === undefined || last === undefined) return []
  const visits = new Map(traffic.map((each) => [each.month, each.visits]))
  const end = numberOf(last.month)
  const start = Math.max(numberOf(first.month), end - maxMonths + 1)
  return Array.from({ length: end - start + 1 }, (_, place) => {
    const month = monthOf(start + place)
    const label = locale.month(month)
    return { label, short: label, value: visits.get(month) ?? null }
  })
}
