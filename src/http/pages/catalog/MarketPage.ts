/** `/dashboard/market`: the results of `compare_markets` as bars (D66). Each group links to its stores and their ads. */
import { Effect, Layer, Result, Schema } from "effect"
import { argumentDecoder } from "../../../domain/ArgumentDecoder.ts"
import * as Market from "../../../domain/search/MarketQuery.ts"
import type { MarketGroup } from "../../../domain/search/MarketQuery.ts"
import * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import { MarketSearch } from "../../../services/search/MarketSearch.ts"
import * as Names from "../../../services/search/Names.ts"
import * as Queries from "../../../services/search/Queries.ts"
import { CatalogSearch } from "../../../services/search/CatalogSearch.ts"
import * as SearchWarnings from "../../../services/tools/SearchWarnings.ts"
import { inTime } from "../../../services/tools/ToolDefinition.ts"
import * as VocabularyCheck from "../../../services/tools/VocabularyCheck.ts"
import { labelOf } from "./FilterField.ts"
import * as FilterPage from "./FilterPage.ts"
import * as MarketLinks from "./MarketLinks.ts"
import { currency, growth, known } from "./StoreFigures.ts"
import { warningLines, worded } from "./WarningTexts.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { tableOf } from "../shared/Table.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"

/** Words are left out: they search names of stores, and the ads of a group are searched by other words. */
const { query: _, query_any: _phrases, ...fields } = Market.MarketQuery.fields
const PageQuery = Schema.Struct(fields)
type PageQuery = typeof PageQuery.Type

const defaults = { group_by: "niche", ...Market.defaults } as const
const address = SearchAddress.make(PageQuery, defaults)
const decode = argumentDecoder(PageQuery)

/** The value of a group in the visitor's language; `undefined` for names that third parties gave. */
const translated = (groupBy: Market.GroupBy, value: string, locale: Locale): string | undefined => {
  switch (groupBy) {
    case "country":
      return locale.countryName(value)
    case "currency":
      return currency(value, locale)
    case "language":
      return labelOf(locale, "languages", value)
    default:
      return undefined
  }
}

const bar = (value: number, most: number): Html => {
  const percent = most > 0 ? (Math.max(0, value) / most) * 100 : 0
  return html`<svg aria-hidden="true"><rect width="${Number(percent.toFixed(2))}%" height="100%" /></svg>`
}

const groupTable = (
  { groups, query }: { readonly groups: ReadonlyArray<MarketGroup>; readonly query: PageQuery },
  names: Names.Names,
  locale: Locale
): Html => {
  const { text } = locale
  const order = query.sort_by ?? Market.defaults.sort_by
  const most = Math.max(0, ...groups.map((group) => group[order] ?? 0))
  const { forms, rows } = MarketLinks.of(
    query,
    groups,
    names,
    locale,
    (value) => translated(query.group_by, value, locale) ?? value
  )
  const { compact } = locale
  const amountOf = ({ currency: code, median, stores }: MarketGroup["revenue"][number]) =>
    text("market.of", { amount: locale.wholeMoney(median, code), count: stores })
  const items = groups.map((group, place) => ({ ...group, links: rows[place] }))
  type Row = (typeof items)[number]
  const labelOf = ({ value }: Row) =>
    value === null
      ? text("market.without", { by: query.group_by })
      : (translated(query.group_by, value, locale) ?? thirdPartyText(value))
  return html`${forms}${tableOf<Row>({
    label: text("market.heading"),
    kind: "market",
    items,
    attributes: ({ value }) => html`data-group="${value ?? ""}"`,
    columns: [
      [
        text(`market.groupings.${query.group_by}`),
        (row) => html`${labelOf(row)}${bar(row[order] ?? 0, most)}`,
        "group"
      ],
      [
        text("filter.sorts.stores"),
        ({ links, share_pct }) => html`${links?.stores} <span class="aside">${locale.percent(share_pct)}</span>`,
        "sum"
      ],
      [text("filter.sorts.active_ads"), ({ links }) => links?.ads ?? "", "sum"],
      [text("filter.sorts.visits"), ({ visits }) => compact(visits), "sum"],
      [text("filter.sorts.median_visits"), ({ median_visits }) => known(median_visits, compact, locale), "sum"],
      [
        text("filter.sorts.median_growth"),
        ({ median_growth }) => known(median_growth, (percent) => growth(percent, locale), locale),
        "sum"
      ],
      [text("market.medianRevenue"), ({ revenue: [revenue = null] }) => known(revenue, amountOf, locale), "sum"],
      [text("filter.sorts.products"), ({ products }) => compact(products), "sum"]
    ]
  })}`
}

const overview = (
  query: PageQuery,
  { groups, results, total, warnings = [] }: Market.MarketOverview,
  names: Names.Names,
  locale: Locale
): Html => {
  const { text } = locale
  const lines = warningLines(warnings)
  const named = results.filter(({ value }) => value !== null)
  if (total.stores === 0) {
    return html`${lines}
      <div class="empty"><p role="status">${text("market.none")}</p></div>`
  }
  return html`<p class="total" role="status">${text("market.matching", { count: total.stores })}</p>
    <p class="aside">${named.length < groups && text("market.shown", { shown: named.length, count: groups })}</p>
    ${lines} ${results.length > 0 && groupTable({ groups: results, query }, names, locale)}`
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const market = yield* MarketSearch
    const index = yield* CatalogSearch
    const check = yield* VocabularyCheck.make()
    const warningsOf = yield* SearchWarnings.make(Market.withoutEffect)

    const answered = Effect.fnUntraced(function* (query: PageQuery) {
      const { findings, overview } = yield* market.of(query)
      return { ...overview, ...(yield* warningsOf(query, findings)) }
    })

    yield* FilterPage.add({
      subject: "market",
      path: sections.market,
      address,
      defaults,
      images: false,
      heading: ({ text }) => text("market.heading"),
      filter: Queries.storeFilter,
      read: (raw) => {
        const { args, result } = decode(raw)
        const decoded = Result.mapBoth(result, {
          onSuccess: (query) => ({ args: query }),
          onFailure: (issues) => ({ issues })
        })
        // Unlike for a tool, a look-up of names that fails is an error even if other issues are known.
        const own = Result.isFailure(result) ? result.failure : []
        return {
          decoded,
          checked: Effect.map(check(args), ({ issues }) =>
            issues.length === 0 ? decoded : Result.fail({ issues: [...own, ...issues] })
          )
        }
      },
      results: ({ args: query }, { locale }) =>
        Effect.zipWith(worded(locale, inTime(answered(query))), index.current, (found, published) =>
          overview(query, found, Names.of(published), locale)
        ),
      listsWhenTooLong: true
    })
  })
)
