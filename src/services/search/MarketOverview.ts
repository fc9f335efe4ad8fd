/** The overview behind `market_overview` (D66). */
import { Context, Effect, Layer } from "effect"
import { languages, pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import * as Market from "../../domain/search/MarketOverview.ts"
import type { GroupBy, MarketQuery, MarketSort } from "../../domain/search/MarketOverview.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import type { Grouping } from "./index/Groups.ts"
import type { GroupFigures, GroupSums, GroupOrder, Overview, OverviewQuery } from "./index/Overview.ts"
import { lettersOf } from "./index/Segment.ts"
import * as InVersion from "./InVersion.ts"
import type { NameCodes } from "./Queries.ts"
import * as Queries from "./Queries.ts"
import { CatalogIndex } from "./runtime/CatalogIndex.ts"
import type { Niche, Published } from "./runtime/IndexState.ts"

export class MarketOverview extends Context.Service<
  MarketOverview,
  {
    of(query: MarketQuery): Effect.Effect<Market.MarketOverview, InvalidArguments | SearchFailure>
  }
>()("discovery/search/MarketOverview") {
  static readonly layer = Layer.effect(
    MarketOverview,
    Effect.map(CatalogIndex, (index) =>
      MarketOverview.of({
        of: Effect.fn("MarketOverview.of")(function* (query: MarketQuery) {
          const { overview, published } = yield* InVersion.answer(index.current, {
            names: query,
            query: (names, { niches }) => toQuery(query, names, niches),
            ask: (asked) => index.overview(asked, () => Narrowing.hint(query))
          })
          return toAnswer(query, overview, published)
        })
      })
    )
  )
}

/** By version of the niches and level. */
const ancestorsOf = new WeakMap<ReadonlyArray<Niche>, Map<number, Uint32Array>>()

/** For each niche id its ancestor at the level, or the niche itself; 0 if there is none. Level 1 has niches without a parent. */
const ancestorsAt = (niches: ReadonlyArray<Niche>, level: number): Uint32Array => {
  const known = ancestorsOf.get(niches) ?? new Map<number, Uint32Array>()
  ancestorsOf.set(niches, known)
  const found = known.get(level) ?? findAncestors(niches, level)
  known.set(level, found)
  return found
}

const findAncestors = (niches: ReadonlyArray<Niche>, level: number): Uint32Array => {
  const parents = new Map(niches.map(({ id, parentId }) => [id, parentId]))
  const ancestors = new Uint32Array(niches.reduce((most, { id }) => Math.max(most, id), 0) + 1)
  for (const { id } of niches) {
    const path: Array<number> = []
    // Also ends the traversal if the data has a cycle.
    for (let at: number | null = id; at !== null && !path.includes(at); at = parents.get(at) ?? null) path.push(at)
    ancestors[id] = path.at(-level) ?? 0
  }
  return ancestors
}

const groupingOf = ({ group_by, niche_level }: MarketQuery, niches: Published["niches"]): Grouping => {
  switch (group_by) {
    case "niche": {
      const groups = ancestorsAt(niches, niche_level ?? Market.defaults.niche_level)
      return { _tag: "Code", column: "niche", groups }
    }
    case "country":
    case "currency":
    case "theme":
      return { _tag: "Code", column: group_by }
    case "domain":
      return { _tag: "Code", column: "extension" }
    case "language":
      return { _tag: "Mask", column: "languages" }
    case "pixel":
      return { _tag: "Mask", column: "pixels" }
    case "social_network":
      return { _tag: "Mask", column: "networks" }
    case "app":
      return { _tag: "App" }
  }
}

const orders: Readonly<Record<MarketSort, GroupOrder>> = {
  stores: "stores",
  active_ads: "active_ads",
  products: "products_count",
  visits: "visits",
  median_visits: { median: "visits" },
  median_growth: { median: "growth" }
}

export const toQuery = (query: MarketQuery, names: NameCodes, niches: Published["niches"]): OverviewQuery => ({
  ...Queries.storeFilter(query, names),
  subject: "stores",
  grouping: groupingOf(query, niches),
  order: orders[query.sort_by ?? Market.defaults.sort_by],
  limit: query.limit ?? Market.defaults.limit
})

/** The value of a group, as filters accept it. */
const valuesOf = (
  groupBy: GroupBy,
  { niches, vocabulary }: Pick<Published, "niches" | "vocabulary">
): ((group: number) => string) => {
  const named = (entries: ReadonlyArray<{ readonly id: number; readonly name: string }>) => {
    const names = new Map(entries.map(({ id, name }) => [id, name]))
    return (group: number) => names.get(group) ?? ""
  }
  const listed = (values: ReadonlyArray<string>) => (group: number) => values[group] ?? ""
  switch (groupBy) {
    case "niche":
      return named(niches)
    case "country":
      return (group) => lettersOf(group, 2)
    case "currency":
      return (group) => lettersOf(group, 3)
    case "theme":
      return named(vocabulary.theme)
    case "app":
      return named(vocabulary.app)
    case "domain":
      return named(vocabulary.extension)
    case "language":
      return listed(languages)
    case "pixel":
      return listed(pixels)
    case "social_network":
      return listed(socialNetworks)
  }
}

const sumsOf = ({ stores, sums }: GroupSums) => ({
  stores,
  active_ads: sums.active_ads,
  products: sums.products_count,
  visits: sums.visits
})

const revenues = ({ revenue }: GroupFigures): Market.MarketGroup["revenue"] =>
  revenue.map(({ currency, ...known }) => ({ currency: lettersOf(currency, 3), ...known }))

/** Percent with two decimals. */
const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100)

/** Groups that are equal in the figures of the order are ordered by name. */
export const toAnswer = (
  query: MarketQuery,
  { count, groups, total, ungrouped }: Overview,
  published: Pick<Published, "niches" | "vocabulary">
): Market.MarketOverview => {
  const valueOf = valuesOf(query.group_by, published)
  const named = groups.map((group) => ({ ...group, value: valueOf(group.group) }))
  return {
    results: named
      .sort((one, other) => one.rank - other.rank || (one.value < other.value ? -1 : 1))
      .slice(0, query.limit ?? Market.defaults.limit)
      .map(({ value, ...group }) => ({
        value,
        share_pct: share(group.stores, total.stores),
        ...sumsOf(group),
        median_visits: group.medians.visits,
        median_growth: group.medians.growth,
        revenue: revenues(group)
      })),
    total: sumsOf(total),
    groups: count,
    ungrouped
  }
}
