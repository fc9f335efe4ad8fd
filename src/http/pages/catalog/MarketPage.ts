/** `/dashboard/market`: the results of `compare_markets` as bars (D66). Each group links to its stores and their ads. */
import { Effect, Layer, Option, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { argumentDecoder } from "../../../domain/ArgumentDecoder.ts"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import * as Market from "../../../domain/search/MarketQuery.ts"
import type { MarketGroup } from "../../../domain/search/MarketQuery.ts"
import * as Narrowing from "../../../domain/search/Narrowing.ts"
import { maxAddress } from "../../../domain/search/SavedSearch.ts"
import * as SearchAddress from "../../../domain/search/SearchAddress.ts"
import { FilterCounts } from "../../../services/search/FilterCounts.ts"
import { MarketSearch } from "../../../services/search/MarketSearch.ts"
import * as Names from "../../../services/search/Names.ts"
import * as Queries from "../../../services/search/Queries.ts"
import { CatalogIndex } from "../../../services/search/runtime/CatalogIndex.ts"
import { Vocabulary } from "../../../services/search/Vocabulary.ts"
import * as SearchWarnings from "../../../services/tools/SearchWarnings.ts"
import * as ToolDefinition from "../../../services/tools/ToolDefinition.ts"
import * as VocabularyCheck from "../../../services/tools/VocabularyCheck.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import * as FilterChips from "./FilterChips.ts"
import { labelOf } from "./FilterField.ts"
import { typedOf } from "./FilterForm.ts"
import type { Searched } from "./FilterForm.ts"
import * as MarketLinks from "./MarketLinks.ts"
import { invalid, isSame, none, pageOf, tooLong, tooSlow } from "./SearchPage.ts"
import type { SearchResponse } from "./SearchPage.ts"
import { warningLines, worded } from "./WarningTexts.ts"
import { currency, growth, known } from "./StoreFigures.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, readsAll, seeOther } from "../shared/PageRoutes.ts"
import { pairsOf } from "../../shared/QueryParameters.ts"
import { tableOf } from "../shared/Table.ts"
import { thirdPartyText } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const path = sections.market

/** Words are left out: they search names of stores, and the ads of a group are searched by other words. */
const { query: _, query_any: _phrases, ...fields } = Market.MarketQuery.fields
const PageQuery = Schema.Struct(fields)
type PageQuery = typeof PageQuery.Type

const defaults = { group_by: "niche", ...Market.defaults } as const
const address = SearchAddress.make(PageQuery, defaults)
const decode = argumentDecoder(PageQuery)

const defaultOf = new Map<string, string>(Object.entries(defaults).map(([name, value]) => [name, String(value)]))

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
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const vocabulary = yield* Vocabulary
    const market = yield* MarketSearch
    const filterCounts = yield* FilterCounts
    const index = yield* CatalogIndex
    const { page } = yield* Layout
    const check = VocabularyCheck.make(vocabulary)
    const warningsOf = SearchWarnings.make(vocabulary, Market.withoutEffect)

    const answered = Effect.fnUntraced(function* (query: PageQuery) {
      const { findings, overview } = yield* market.of(query)
      return { ...overview, ...(yield* warningsOf(query, findings)) }
    })

    const show = Effect.fnUntraced(function* (visitor: SignedIn, pairs: SearchAddress.Pairs, length: number) {
      const { locale } = visitor
      const popular = yield* Effect.orElseSucceed(vocabulary.popular, () => none)
      const raw = { group_by: defaults.group_by, ...address.toArguments(pairs) }
      const typed = typedOf(pairs, raw, address)
      const withDefaults = { ...typed, value: (field: string) => typed.value(field) ?? defaultOf.get(field) }

      const form = { subject: "market" as const, path, address, locale, typed: withDefaults, issues: [], popular }
      const answer = (answered: SearchResponse, more: Partial<Searched> = {}) =>
        page(pageOf(visitor, { ...form, ...more }, { ...answered, heading: locale.text("market.heading") }))

      if (length > maxAddress) return answer(tooLong(length, locale))
      const { args, result } = decode(raw)
      const refused = (issues: ReadonlyArray<ArgumentIssue>) => answer(invalid(issues, locale, typed), { issues })
      const { issues: unknown } = yield* check(args)
      if (Result.isFailure(result)) return refused([...result.failure, ...unknown])
      if (unknown.length > 0) return refused(unknown)
      const query = result.success
      const chips = FilterChips.chipBar({ path, address, locale, popular, args: address.canonical(query) })
      return yield* Effect.all(
        [worded(locale, ToolDefinition.inTime(answered(query))), filterCounts.of(query, Queries.storeFilter)],
        {
          concurrency: 2
        }
      ).pipe(
        Effect.flatMap(([found, counts]) =>
          Effect.map(index.current, (published) =>
            answer(
              { body: html`${chips}${overview(query, found, Names.of(published), locale)}` },
              { counts: Option.getOrUndefined(counts) }
            )
          )
        ),
        Effect.catchTags({
          InvalidArguments: ({ issues }) => Effect.succeed(refused(issues)),
          SearchTimeout: () =>
            Effect.succeed(answer({ status: 503, body: html`${chips}${tooSlow(Narrowing.advice(query), locale)}` }))
        })
      )
    })

    const answer = (visitor: SignedIn, { url }: HttpServerRequest.HttpServerRequest) => {
      const pairs = pairsOf(url)
      const { result } = decode({ group_by: defaults.group_by, ...address.toArguments(pairs) })
      if (Result.isSuccess(result)) {
        const canonical = address.canonical(result.success)
        if (url.length <= maxAddress && !isSame(pairs, address.toPairs(canonical))) {
          return Effect.succeed(seeOther(FilterChips.hrefOf({ address, path }, canonical)))
        }
      }
      return access.allow(visitor, "market", show(visitor, pairs, url.length))
    }

    yield* routes.signedInPage(
      path,
      readsAll((visitor, request) => access.ifPlanned(visitor, "market", () => answer(visitor, request)))
    )
  })
)
