/** The overviews behind `compare_markets` (D66) and `compare_ads` (D100). */
import { Context, DateTime, Effect, Layer } from "effect"
import { adStatuses, ctas, languages, mediaTypes, pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import { twoDecimals } from "../../domain/catalog/TwoDecimals.ts"
import * as Market from "../../domain/search/MarketQuery.ts"
import type { AdComparison, AdGroupQuery, AdGrouping } from "../../domain/search/AdGroupQuery.ts"
import type { GroupBy, MarketQuery, MarketSort } from "../../domain/search/MarketQuery.ts"
import * as Narrowing from "../../domain/search/Narrowing.ts"
import type { Findings } from "../../domain/search/Warnings.ts"
import type { InvalidArguments } from "../../domain/ToolError.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import type { AdGroups, GroupFigures, GroupSums, Niche, Overview, Catalog } from "../../domain/search/CatalogAnswer.ts"
import type {
  AdGroupKind,
  AdGroupsQuery,
  Code,
  GroupOrder,
  Grouping,
  Mask,
  OverviewQuery
} from "../../domain/search/CatalogQuery.ts"
import { lettersOf } from "../../domain/search/CatalogQuery.ts"
import * as InVersion from "./InVersion.ts"
import * as Names from "./Names.ts"
import type { NameCodes } from "./Queries.ts"
import * as Queries from "./Queries.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import { currenciesOf, unknownOf } from "./SearchRunner.ts"

export interface FoundMarket {
  readonly overview: Market.MarketOverview
  readonly findings: Findings
}

export interface FoundAdGroups {
  readonly comparison: AdComparison
  readonly findings: Findings
}

export class MarketSearch extends Context.Service<
  MarketSearch,
  {
    /** Without warnings, which follow from the findings. */
    of(query: MarketQuery): Effect.Effect<FoundMarket, InvalidArguments | SearchFailure>
    ofAds(query: AdGroupQuery): Effect.Effect<FoundAdGroups, InvalidArguments | SearchFailure>
  }
>()("discovery/search/MarketSearch") {
  static readonly layer = Layer.effect(
    MarketSearch,
    Effect.map(CatalogSearch, (index) =>
      MarketSearch.of({
        of: Effect.fn("MarketSearch.of")(function* (query: MarketQuery) {
          const { answer, catalog, unknown } = yield* InVersion.answer(index.current, {
            names: query,
            query: (names, { niches }) => toQuery(query, names, niches),
            ask: (asked) => index.overview(asked, () => Narrowing.hint(query))
          })
          const ofShare = query.share_of === undefined ? [] : Names.unmatched(query.share_of, Names.of(catalog))
          return {
            overview: toAnswer(query, answer, catalog),
            findings: {
              unknown: unknownOf([...unknown, ...ofShare], answer),
              storeless: 0,
              currencies: currenciesOf(answer)
            }
          }
        }),
        ofAds: Effect.fn("MarketSearch.ofAds")(function* (query: AdGroupQuery) {
          const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
          const { answer, catalog, unknown } = yield* InVersion.answer(index.current, {
            names: query,
            query: (names, { niches }) => toAdQuery(query, names, niches, today),
            ask: (asked) => index.adGroups(asked, () => Narrowing.hint(query))
          })
          return {
            comparison: toAdAnswer(query, answer, catalog),
            // Ads without a store are counted.
            findings: { unknown: unknownOf(unknown, answer), storeless: 0, currencies: currenciesOf(answer) }
          }
        })
      })
    )
  )
}

/** By version of the niches and level. */
const ancestorsOf = new WeakMap<ReadonlyArray<Niche>, Map<number, Uint32Array>>()

/** For each niche id its ancestor at the level, or the niche itself; 0 if there is none. Level 1 has niches without a parent. */
const ancestorsAt = (niches: ReadonlyArray<Niche>, level: number): Uint32Array =>
  ancestorsOf
    .getOrInsertComputed(niches, () => new Map())
    .getOrInsertComputed(level, () => findAncestors(niches, level))

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

type Known = Pick<Catalog, "niches" | "vocabulary">

interface Kind {
  readonly grouping: (query: MarketQuery, known: Pick<Known, "niches">) => Grouping
  /** The value of a group, as filters accept it. */
  readonly valuesOf: (known: Known) => (group: number) => string
}

const named = (entries: ReadonlyArray<{ readonly id: number; readonly name: string }>) => {
  const names = new Map(entries.map(({ id, name }) => [id, name]))
  return (group: number) => names.get(group) ?? ""
}

const byCode = (column: Code, valuesOf: Kind["valuesOf"]): Kind => ({
  grouping: () => ({ _tag: "Code", column }),
  valuesOf
})

const byMask = (column: Mask, values: ReadonlyArray<string>): Kind => ({
  grouping: () => ({ _tag: "Mask", column }),
  valuesOf: () => (group) => values[group] ?? ""
})

const kinds: Readonly<Record<GroupBy, Kind>> = {
  niche: {
    grouping: ({ niche_level: level = Market.defaults.niche_level }, { niches }) => ({
      _tag: "Code",
      column: "niche",
      groups: ancestorsAt(niches, level)
    }),
    valuesOf: ({ niches }) => named(niches)
  },
  country: byCode("country", () => (group) => lettersOf(group, 2)),
  currency: byCode("currency", () => (group) => lettersOf(group, 3)),
  theme: byCode("theme", ({ vocabulary }) => named(vocabulary.theme)),
  domain: byCode("extension", ({ vocabulary }) => named(vocabulary.extension)),
  app: { grouping: () => ({ _tag: "App" }), valuesOf: ({ vocabulary }) => named(vocabulary.app) },
  language: byMask("languages", languages),
  pixel: byMask("pixels", pixels),
  social_network: byMask("networks", socialNetworks)
}

const orders: Readonly<Record<MarketSort, GroupOrder>> = {
  stores: "stores",
  active_ads: "active_ads",
  products: "products_count",
  visits: "visits",
  median_visits: { median: "visits" },
  median_growth: { median: "growth" },
  matching_pct: "matching_share"
}

export const toQuery = (query: MarketQuery, names: NameCodes, niches: Catalog["niches"]): OverviewQuery => ({
  ...Queries.storeFilter(query, names),
  subject: "stores",
  ...(query.share_of === undefined ? {} : { shareOf: Queries.storeFilter(query.share_of, names) }),
  hasPrices: query.prices ?? false,
  grouping: kinds[query.group_by].grouping(query, { niches }),
  order: orders[query.sort_by ?? Market.defaults.sort_by],
  limit: query.limit ?? Market.defaults.limit
})

const sumsOf = ({ share_of }: MarketQuery, { matching, stores, sums }: GroupSums) => ({
  stores,
  active_ads: sums.active_ads,
  products: sums.products_count,
  visits: sums.visits,
  ...(share_of === undefined ? {} : { matching, matching_pct: share(matching, stores) })
})

const byCurrency = (medians: GroupFigures["revenue"]): Market.MarketGroup["revenue"] =>
  medians.map(({ currency, median, stores }) => ({
    currency: lettersOf(currency, 3),
    stores,
    median: twoDecimals(median)
  }))

/** Percent. */
const share = (part: number, whole: number): number => (whole === 0 ? 0 : twoDecimals((part / whole) * 100))

const shown = (median: number | null): number | null => (median === null ? null : twoDecimals(median))

/** Groups that are equal in the figures of the order are ordered by name. */
export const toAnswer = (
  query: MarketQuery,
  { count, groups, total, ungrouped }: Overview,
  catalog: Known
): Market.MarketOverview => {
  const valueOf = kinds[query.group_by].valuesOf(catalog)
  const toGroup = (value: string | null, group: GroupFigures): Market.MarketGroup => ({
    value,
    share_pct: share(group.stores, total.stores),
    ...sumsOf(query, group),
    median_visits: shown(group.medians.visits),
    median_growth: shown(group.medians.growth),
    revenue: byCurrency(group.revenue),
    ...(group.prices === undefined ? {} : { avg_price: byCurrency(group.prices) })
  })
  const named = groups.map((group) => ({ ...group, value: valueOf(group.group) }))
  return {
    results: [
      ...named
        .sort((one, other) => one.rank - other.rank || (one.value < other.value ? -1 : 1))
        .slice(0, query.limit ?? Market.defaults.limit)
        .map(({ value, ...group }) => toGroup(value, group)),
      ...(ungrouped === undefined ? [] : [toGroup(null, ungrouped)])
    ],
    total: sumsOf(query, total),
    groups: count
  }
}

interface AdKind {
  readonly grouping: (level: number, niches: Known["niches"]) => AdGroupKind
  readonly valuesOf: Kind["valuesOf"]
}

const byFlag = (flag: "cta" | "media" | "status", values: ReadonlyArray<string>): AdKind => ({
  grouping: () => ({ _tag: "Flag", flag }),
  valuesOf: () => (group) => values[group - 1] ?? ""
})

const adKinds: Readonly<Record<AdGrouping, AdKind>> = {
  cta: byFlag("cta", ctas),
  media_type: byFlag("media", mediaTypes),
  status: byFlag("status", adStatuses),
  country: { grouping: () => ({ _tag: "Code", column: "country" }), valuesOf: kinds.country.valuesOf },
  niche: {
    grouping: (level, niches) => ({ _tag: "Code", column: "niche", groups: ancestorsAt(niches, level) }),
    valuesOf: kinds.niche.valuesOf
  }
}

/** `today` is the UTC date, `YYYY-MM-DD`. */
export const toAdQuery = (
  query: AdGroupQuery,
  names: NameCodes,
  niches: Catalog["niches"],
  today: string
): AdGroupsQuery => ({
  ...Queries.adFilter(query, names, today),
  grouping: adKinds[query.group_by].grouping(query.niche_level ?? Market.defaults.niche_level, niches)
})

/** Most ads first, then most stores; groups that are equal in both are ordered by name. */
export const toAdAnswer = (query: AdGroupQuery, { groups, total }: AdGroups, catalog: Known): AdComparison => {
  const valueOf = adKinds[query.group_by].valuesOf(catalog)
  const rows = groups.map(({ ads, group, stores }) => ({
    value: group === 0 ? null : valueOf(group),
    share_pct: share(ads, total.ads),
    ads,
    stores
  }))
  const named = rows
    .flatMap(({ value, ...row }) => (value === null ? [] : [{ value, ...row }]))
    .sort((one, other) => other.ads - one.ads || other.stores - one.stores || (one.value < other.value ? -1 : 1))
  return {
    results: [...named.slice(0, query.limit ?? Market.defaults.limit), ...rows.filter(({ value }) => value === null)],
    total,
    groups: named.length
  }
}
