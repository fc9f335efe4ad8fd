/**
 * Converts decoded arguments to a query of the index (S73, S79, D29): names become codes, defaults are filled in. Pure.
 */
import { languages, pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import { storeFigures } from "../../domain/catalog/Figures.ts"
import type { Figure, FigureArgument } from "../../domain/catalog/Figures.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import { isMoving, moverOf } from "../../domain/catalog/Movers.ts"
import type { MovingSort, Span } from "../../domain/catalog/Movers.ts"
import { storedBounds } from "../../domain/catalog/TwoDecimals.ts"
import { daysSince1970 } from "../../domain/Days.ts"
import { mode } from "../../domain/search/AdQuery.ts"
import type { AdFilter, AdQuery } from "../../domain/search/AdQuery.ts"
import { defaults, isBound } from "../../domain/search/Arguments.ts"
import type { DateRange, Range, SortOrder } from "../../domain/search/Arguments.ts"
import * as Page from "../../domain/search/Page.ts"
import type { ProductQuery, ProductSort } from "../../domain/search/ProductQuery.ts"
import { wantedWords } from "../../domain/search/WantedWords.ts"
import type { ShopFilter, ShopQuery } from "../../domain/search/ShopQuery.ts"
import * as AdKey from "./index/AdKey.ts"
import type {
  AdCriteria,
  Code,
  DayRange,
  Filter,
  ItemCondition,
  Mask,
  Order,
  Query,
  Range as Bounds,
  SpellingKind,
  StoreCondition
} from "../../domain/search/CatalogQuery.ts"
import { figures } from "../../domain/catalog/Figures.ts"
import { lettersCode } from "../../domain/search/CatalogQuery.ts"

/** Codes of the names of filters, for one version of the catalog. */
export interface NameCodes {
  /** The niche and all niches below it; `undefined` if the name or id is unknown. */
  readonly niche: (reference: string | number) => ReadonlyArray<number> | undefined
  /** The ids of all spellings that are equal except for case; empty if no store has the name. */
  readonly spellings: (kind: SpellingKind, name: string) => ReadonlyArray<number>
}

type StoreArguments = Omit<ShopFilter, "query" | "query_any">

/** The words of a search. */
const wordsIn = ({
  query,
  query_any: phrases = []
}: Pick<ShopFilter, "query" | "query_any">): Pick<Filter, "words" | "phrases"> => ({
  words: wantedWords(query),
  ...(phrases.length === 0 ? {} : { phrases: phrases.map(wantedWords) })
})

/** An empty filter has no condition. A filter with only unknown names matches nothing. */
const anyOf = <A>(
  column: Code,
  values: ReadonlyArray<A> | undefined,
  codes: (value: A) => ReadonlyArray<number>
): ReadonlyArray<StoreCondition> =>
  values === undefined || values.length === 0
    ? []
    : [{ _tag: "AnyOf", column, values: Array.from(new Set(values.flatMap(codes))) }]

const anyBit = <A extends string>(
  column: Mask,
  vocabulary: ReadonlyArray<A>,
  values: ReadonlyArray<A> | undefined
): ReadonlyArray<StoreCondition> =>
  values === undefined || values.length === 0
    ? []
    : [{ _tag: "AnyBit", column, mask: values.reduce((mask, value) => mask | (1 << vocabulary.indexOf(value)), 0) }]

const bounds = ({ max, min }: Range): Bounds => ({
  min: min ?? Number.NEGATIVE_INFINITY,
  max: max ?? Number.POSITIVE_INFINITY
})

const between = (column: Figure, range: Range | undefined): ReadonlyArray<StoreCondition> =>
  isBound(range) ? [{ _tag: "Between", column, range: bounds(range) }] : []

/** Of a figure that answers show with two decimals. */
const betweenShown = (column: Figure, range: Range | undefined): ReadonlyArray<StoreCondition> =>
  between(column, range === undefined ? undefined : storedBounds(range))

const dayRange = ({ from, to }: DateRange): DayRange => ({
  from: daysSince1970(from ?? "0001-01-01"),
  to: daysSince1970(to ?? "9999-12-31")
})

const betweenDays = (column: Figure, range: DateRange | undefined): ReadonlyArray<StoreCondition> =>
  between(column, {
    ...(range?.from === undefined ? {} : { min: daysSince1970(range.from) }),
    ...(range?.to === undefined ? {} : { max: daysSince1970(range.to) })
  })

const anyApp = (
  values: ReadonlyArray<string> | undefined,
  codes: (value: string) => ReadonlyArray<number>
): ReadonlyArray<StoreCondition> =>
  values === undefined || values.length === 0 ? [] : [{ _tag: "AnyApp", values: values.flatMap(codes) }]

const anyId = (ids: ReadonlyArray<number> | undefined): ReadonlyArray<StoreCondition> =>
  ids === undefined || ids.length === 0 ? [] : [{ _tag: "AnyId", ids }]

/** An argument that is no figure compiles only with an entry. */
const listConditions = (args: StoreArguments, names: NameCodes) =>
  ({
    // First, because it leaves the fewest stores.
    shop_ids: anyId(args.shop_ids),
    niches: anyOf("niche", args.niches, (reference) => names.niche(reference) ?? []),
    countries: anyOf("country", args.countries, (code) => [lettersCode(code)]),
    currencies: anyOf("currency", args.currencies, (code) => [lettersCode(code)]),
    languages: anyBit("languages", languages, args.languages),
    domains: anyOf("extension", args.domains, (name) => names.spellings("extension", StoreDomain.normalize(name))),
    pixels: anyBit("pixels", pixels, args.pixels),
    themes: anyOf("theme", args.themes, (name) => names.spellings("theme", name)),
    apps: anyApp(args.apps, (name) => names.spellings("app", name)),
    social_networks: anyBit("networks", socialNetworks, args.social_networks)
  }) satisfies Readonly<Record<Exclude<keyof StoreArguments, FigureArgument>, ReadonlyArray<StoreCondition>>>

const figureCondition = (figure: Figure, args: StoreArguments): ReadonlyArray<StoreCondition> => {
  const declared = storeFigures[figure]
  if (declared.unit === "day") return betweenDays(figure, args[declared.argument])
  return (declared.isRounded ? betweenShown : between)(figure, args[declared.argument])
}

const storeConditions = (args: StoreArguments, names: NameCodes): ReadonlyArray<StoreCondition> => [
  ...Object.values(listConditions(args, names)).flat(),
  ...figures.flatMap((figure) => figureCondition(figure, args))
]

const window = (args: { readonly page?: number; readonly per_page?: number }): Pick<Query, "offset" | "limit"> => {
  const asked = Page.window(args)
  return { offset: Page.offset(asked), limit: asked.perPage }
}

/** The figures that stores, and items by their stores, are ordered by. */
const sortFigures = {
  recommended: ["active_ads", "visits"],
  revenue: ["revenue"],
  orders: ["orders"],
  traffic: ["visits"],
  reach: ["visits"],
  traffic_growth: ["growth"],
  active_ads: ["active_ads"],
  products_count: ["products_count"],
  newest: ["created"]
} as const satisfies Readonly<Record<string, readonly [Figure, Figure?]>>

const byStore = (sort: keyof typeof sortFigures | MovingSort, direction: SortOrder, span?: Span): Order => ({
  _tag: "ByStore",
  figures: isMoving(sort) ? [moverOf(sort, span)] : sortFigures[sort],
  isDescending: direction === "desc"
})

const productColumns = { recommended: "score", price: "price", newest: "created" } as const

const productOrder = (sort: ProductSort, direction: SortOrder): Order =>
  sort === "recommended" || sort === "price" || sort === "newest"
    ? { _tag: "ByItem", column: productColumns[sort], isDescending: direction === "desc" }
    : byStore(sort, direction)

const productCondition = ({
  price,
  product_created_between: created
}: Pick<ProductQuery, "price" | "product_created_between">): Pick<Query, "item"> => {
  const days = created?.from === undefined && created?.to === undefined ? undefined : dayRange(created)
  if (!isBound(price) && days === undefined) return {}
  return {
    item: {
      _tag: "Product",
      ...(isBound(price) ? { price: bounds(price) } : {}),
      ...(days === undefined ? {} : { created: days })
    }
  }
}

export const fromProductQuery = (query: ProductQuery, names: NameCodes): Query => ({
  subject: "products",
  stores: storeConditions(query, names),
  ...productCondition(query),
  ...wordsIn(query),
  order: productOrder(query.sort_by ?? defaults.sort_by, query.sort_order ?? defaults.sort_order),
  ...window(query)
})

const adOrder = (query: AdQuery): Order => {
  if (mode(query) === "grouped_by_shop") return { _tag: "Grouped" }
  const { sort_by: sort, sort_order: direction } = { ...defaults, ...query }
  if (sort === "newest" || sort === "oldest") {
    return { _tag: "ByItem", column: "started", isDescending: sort === "newest" }
  }
  // Of ads without a store, whose order is the default one of ads.
  return byStore(sort, sort === "recommended" ? "desc" : direction, query.change_over)
}

/**
 * `active_days` counts from the start of an ad to today, 0 if it starts later. A bound on it is a bound on the start, so
 * the index needs no daily update.
 */
const adCondition = (query: AdFilter, today: string): ItemCondition | undefined => {
  const { max, min } = query.active_days ?? {}
  const first = [0]
  const last = [AdKey.lastDay]
  if (max !== undefined) first.push(AdKey.dayOf(today) - Math.floor(max))
  if (min !== undefined && min > 0) last.push(AdKey.dayOf(today) - Math.ceil(min))
  if (query.ad_started_between?.from !== undefined) first.push(AdKey.dayOf(query.ad_started_between.from))
  if (query.ad_started_between?.to !== undefined) last.push(AdKey.dayOf(query.ad_started_between.to))
  const criteria: AdCriteria = {
    status: query.status ?? defaults.status,
    runningOnly: isBound(query.active_days),
    mediaTypes: query.media_types ?? [],
    ctas: query.ctas ?? [],
    partnershipOnly: query.partnership_only ?? defaults.partnership_only
  }
  const asksNothing = Object.keys(AdKey.wantedBitmaps(criteria)).length === 0 && first.length === 1 && last.length === 1
  return asksNothing ? undefined : { _tag: "Ad", criteria, firstDay: Math.max(...first), lastDay: Math.min(...last) }
}

/** What matches, of ads. `today` is the UTC date, `YYYY-MM-DD`. */
export const adFilter = (query: AdFilter, names: NameCodes, today: string): Filter & { readonly subject: "ads" } => {
  const item = adCondition(query, today)
  return {
    subject: "ads",
    stores: storeConditions(query, names),
    ...(item === undefined ? {} : { item }),
    ...wordsIn(query),
    ...(query.without_shop === true ? { isStoreless: true } : {})
  }
}

/** `today` is the UTC date, `YYYY-MM-DD`. */
export const fromAdQuery = (query: AdQuery, names: NameCodes, today: string): Query => ({
  ...adFilter(query, names, today),
  order: adOrder(query),
  ...window(query)
})

/** What matches, of stores. */
export const storeFilter = (query: ShopFilter, names: NameCodes): Filter => ({
  subject: "stores",
  stores: storeConditions(query, names),
  ...wordsIn(query)
})

export const fromShopQuery = (query: ShopQuery, names: NameCodes): Query => ({
  ...storeFilter(query, names),
  order: byStore(query.sort_by ?? defaults.sort_by, query.sort_order ?? defaults.sort_order, query.change_over),
  ...window(query)
})
