/**
 * The expected answers of `search_ads`, `search_products` and `search_shops`, by a scan of all records. Shares no code
 * with the index.
 */
import { recorded } from "../../src/domain/catalog/Figures.ts"
import type { NumberFigure } from "../../src/domain/catalog/Figures.ts"
import type { AdQuery } from "../../src/domain/search/AdQuery.ts"
import type { ProductQuery } from "../../src/domain/search/ProductQuery.ts"
import type { ShopFilter, ShopQuery } from "../../src/domain/search/ShopQuery.ts"
import type { Ad, Mover, NaiveCatalog, Product, Shop } from "./NaiveCatalog.ts"
import { today, typed } from "./NaiveCatalog.ts"
import { matcher } from "./NaiveText.ts"

/** All matching items in order; `total` differs from their number in grouped mode. */
export interface Answer<Item> {
  readonly items: ReadonlyArray<Item>
  readonly total: number
}

/** A store with the figures of its filters and orders (S22, S23, S26). */
export interface Store extends Shop {
  readonly visits: number | null
  readonly growth: number | null
  readonly activeAds: number
  readonly catalogSize: number | null
  readonly averagePrice: number | null
  readonly mover: Mover | undefined
}

/** The value of a figure. One that a record states is its field. */
export const valueOf = (store: Store, figure: NumberFigure): number | null => {
  const computed: Partial<Record<NumberFigure, number | null>> = {
    visits: store.visits,
    growth: store.growth,
    active_ads: store.activeAds,
    products_count: store.catalogSize,
    avg_price: store.averagePrice
  }
  const field = recorded.find((each) => each.figure === figure)?.field
  return computed[figure] ?? (field === undefined || figure in computed ? null : store[field])
}

type Range = { readonly min?: number; readonly max?: number } | undefined
type DateRange = { readonly from?: string; readonly to?: string } | undefined
type Compare<A> = (a: A, b: A) => number

const isAsked = (range: object | undefined): boolean => range !== undefined && Object.keys(range).length > 0

/** S61, D41. */
const isWithin = (value: number | null, range: Range): boolean => {
  if (range === undefined || !isAsked(range)) return true
  if (value === null) return false
  if (range.min !== undefined && value < range.min) return false
  return range.max === undefined || value <= range.max
}

/** D91: a figure that is computed, as answers have it. */
export const shown = (figure: number | null): number | null => (figure === null ? null : Number(figure.toFixed(2)))

/** D91: a bound with two decimals is compared with the figure as it is shown, any other with the figure as it is. */
const isShownWithin = (value: number | null, range: Range): boolean => {
  const against = (bound: number) => (value === null || shown(bound) !== bound ? value : shown(value))
  return (
    isWithin(
      range?.min === undefined ? value : against(range.min),
      range?.min === undefined ? {} : { min: range.min }
    ) &&
    isWithin(range?.max === undefined ? value : against(range.max), range?.max === undefined ? {} : { max: range.max })
  )
}

/** S62, D41. */
const isBetween = (date: string | null, range: DateRange): boolean => {
  if (range === undefined || !isAsked(range)) return true
  if (date === null) return false
  if (range.from !== undefined && date < range.from) return false
  return range.to === undefined || date <= range.to
}

const sharesOne = (wanted: ReadonlyArray<string> | undefined, values: ReadonlyArray<string>): boolean =>
  wanted === undefined ||
  wanted.length === 0 ||
  wanted.some((one) => values.some((value) => value.toLowerCase() === one.toLowerCase()))

/** S27, D35. */
const growthOf = (visits: ReadonlyArray<number>): number | null => {
  if (visits.length < 2) return null
  let sum = 0
  let before = visits[0] ?? 0
  for (const now of visits.slice(1)) {
    if (before > 0) sum += ((now - before) / before) * 100
    before = now
  }
  return sum
}

const known = new WeakMap<NaiveCatalog, ReadonlyMap<number, Store>>()

/** Of a catalog, which does not change, they are found once. */
export const storesOf = (catalog: NaiveCatalog): ReadonlyMap<number, Store> => {
  const found = known.get(catalog) ?? findStores(catalog)
  known.set(catalog, found)
  return found
}

const findStores = (catalog: NaiveCatalog): ReadonlyMap<number, Store> => {
  const stores = new Map<number, Store>()
  for (const shop of catalog.shops) {
    const months = catalog.traffic
      .filter((month) => month.shop_id === shop.id)
      .sort((a, b) => (a.month < b.month ? -1 : 1))
      .map((month) => month.visits)
    const prices = catalog.products
      .filter((product) => product.shop_id === shop.id)
      .map((product) => product.price)
      .sort((a, b) => a - b)
    let sum = 0
    for (const price of prices) sum += price
    stores.set(shop.id, {
      ...shop,
      visits: months.at(-1) ?? null,
      growth: growthOf(months),
      activeAds: catalog.ads.filter((ad) => ad.shop_id === shop.id && ad.is_active).length,
      catalogSize: shop.products_count ?? (prices.length > 0 ? prices.length : null),
      averagePrice: prices.length === 0 ? null : sum / prices.length,
      mover: catalog.movers.find((mover) => mover.shop_id === shop.id)
    })
  }
  return stores
}

/** D120: unless the query says so, over 30 days. */
const changeOf =
  (sort: "ads" | "visits" | "price", { change_over: span = "30d" }: Pick<AdQuery, "change_over">) =>
  ({ mover }: Store): number | null =>
    mover?.[`${sort}_change_${span}`] ?? null

/** What the item of a store has more in an order by a change. */
export const changeShown = (query: AdQuery | ShopQuery, store: Store): { readonly change?: number | null } => {
  switch (query.sort_by) {
    case "ads_change":
      return { change: changeOf("ads", query)(store) }
    case "visits_change":
      return { change: changeOf("visits", query)(store) }
    case "price_change":
      return { change: changeOf("price", query)(store) }
    default:
      return {}
  }
}

/** S49, D37: a niche and all its ancestors. Digits are an id, because no niche has them as its name (D25). */
const nicheNames = (catalog: NaiveCatalog, id: number | null): ReadonlyArray<string | number> => {
  const niche = catalog.niches.find((each) => each.id === id)
  return niche === undefined
    ? []
    : [niche.id, String(niche.id), niche.name.toLowerCase(), ...nicheNames(catalog, niche.parent_id)]
}

type StoreQuery = AdQuery | ProductQuery | ShopQuery

const asksStore = (query: StoreQuery): boolean =>
  Object.entries(query).some(
    ([name, value]) => Object.hasOwn(storeTests, name) && typeof value === "object" && Object.keys(value).length > 0
  )

type StoreArguments = Omit<ShopFilter, "query" | "query_any">

/**
 * S45, D41: the arguments about the store, and what each asks (S49 to S59, S63 and S69; D36). An argument without a test does not
 * compile.
 */
const storeTests: Readonly<
  Record<keyof StoreArguments, (query: StoreArguments, store: Store, catalog: NaiveCatalog) => boolean>
> = {
  shop_ids: ({ shop_ids: ids }, store) => ids === undefined || ids.length === 0 || ids.includes(store.id),
  niches: ({ niches: wanted }, store, catalog) => {
    if (wanted === undefined || wanted.length === 0) return true
    const niches = nicheNames(catalog, store.niche_id)
    return wanted.some((niche) => niches.includes(typeof niche === "string" ? niche.toLowerCase() : niche))
  },
  countries: (query, store) => sharesOne(query.countries, [store.country]),
  currencies: (query, store) => sharesOne(query.currencies, store.currency === null ? [] : [store.currency]),
  languages: (query, store) => sharesOne(query.languages, store.languages),
  domains: (query, store) => sharesOne(query.domains, [store.domain_extension, typed(store.domain_extension)]),
  pixels: (query, store) => sharesOne(query.pixels, store.pixels),
  themes: (query, store) => sharesOne(query.themes, store.theme === null ? [] : [store.theme]),
  apps: (query, store) => sharesOne(query.apps, store.apps),
  social_networks: (query, store) => sharesOne(query.social_networks, store.social_networks),
  monthly_revenue: (query, store) => isWithin(store.monthly_revenue, query.monthly_revenue),
  monthly_visits: (query, store) => isWithin(store.visits, query.monthly_visits),
  traffic_growth_pct: (query, store) => isShownWithin(store.growth, query.traffic_growth_pct),
  active_ads: (query, store) => isWithin(store.activeAds, query.active_ads),
  products_count: (query, store) => isWithin(store.catalogSize, query.products_count),
  monthly_orders: (query, store) => isWithin(store.monthly_orders, query.monthly_orders),
  shop_created_between: (query, store) => isBetween(store.created_on, query.shop_created_between),
  avg_price: (query, store) => isShownWithin(store.averagePrice, query.avg_price),
  trustpilot_rating: (query, store) => isWithin(store.trustpilot_rating, query.trustpilot_rating),
  trustpilot_reviews: (query, store) => isWithin(store.trustpilot_reviews, query.trustpilot_reviews)
}

const storeMatches = (catalog: NaiveCatalog, store: Store, query: StoreQuery): boolean =>
  Object.values(storeTests).every((passes) => passes(query, store, catalog))

const ascending: Compare<number> = (a, b) => a - b

/** Unknown is last in both directions (D39). */
const byFigure =
  <A>(figure: (item: A) => number | null, direction: "asc" | "desc"): Compare<A> =>
  (first, second) => {
    const a = figure(first)
    const b = figure(second)
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return direction === "asc" ? ascending(a, b) : ascending(b, a)
  }

const inTurn =
  <A>(...compares: ReadonlyArray<Compare<A>>): Compare<A> =>
  (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b)
      if (order !== 0) return order
    }
    return 0
  }

/** S78, D38. In millionths; a creation date in the future counts as that of the first import. */
const score = (product: Product, store: Store): number => {
  const day = (time: string) => Date.parse(time) / 86_400_000
  const created =
    product.created_at === null ? day("2015-01-01") : Math.min(day(product.created_at), day(product.first_seen))
  const growth = store.growth ?? 0
  const ofStore =
    Math.log10(1 + (store.visits ?? 0)) +
    0.5 * Math.sign(growth) * Math.log10(1 + Math.abs(growth) / 10) +
    Math.log10(1 + store.activeAds)
  const recency = (0.5 * (Math.max(created, day("2015-01-01")) - day("2020-01-01"))) / 365.25
  return Math.round(ofStore * 1_000_000) + Math.round(recency * 1_000_000)
}

/** S46, S47 and D101: every word of the query, and every word of one of the phrases. */
const wordTest = ({ query, query_any: phrases = [] }: Pick<AdQuery, "query" | "query_any">) => {
  const testOf = (words: string) => {
    const test = matcher(words)
    if (test === undefined) throw new Error("a query that asks for nothing")
    return test
  }
  const whole = query === undefined ? [] : [testOf(query)]
  const alternatives = phrases.map(testOf)
  return (texts: ReadonlyArray<string | null>): boolean =>
    whole.every((test) => test(texts)) && (phrases.length === 0 || alternatives.some((test) => test(texts)))
}

/** D103: the date in UTC. */
const dateOf = (time: string | null): string | null =>
  time === null ? null : new Date(time).toISOString().slice(0, 10)

/** S47 words, S76 price, S77 and S79 orders. */
export const searchProducts = (catalog: NaiveCatalog, query: ProductQuery): Answer<Product> => {
  const stores = storesOf(catalog)
  const store = (product: Product): Store => {
    const found = stores.get(product.shop_id)
    if (found === undefined) throw new Error("a product without a store")
    return found
  }
  const hasWords = wordTest(query)
  const items = catalog.products.filter((product) => {
    const { domain, name } = store(product)
    return (
      isWithin(product.price, query.price) &&
      isBetween(dateOf(product.created_at), query.product_created_between) &&
      storeMatches(catalog, store(product), query) &&
      hasWords([product.title, name, domain])
    )
  })
  const direction = query.sort_order ?? "desc"
  const other = direction === "desc" ? "asc" : "desc"
  const id = (product: Product) => product.id
  const relevance = (product: Product) => score(product, store(product))
  const byStore = (figure: (store: Store) => number | null): Compare<Product> =>
    inTurn(
      byFigure((product: Product) => figure(store(product)), direction),
      byFigure((product: Product) => product.shop_id, "asc"),
      byFigure(relevance, "desc"),
      byFigure(id, "asc")
    )
  const orders: Record<NonNullable<ProductQuery["sort_by"]>, Compare<Product>> = {
    recommended: inTurn(byFigure(relevance, direction), byFigure(id, other)),
    price: inTurn(
      byFigure((product: Product) => product.price, direction),
      byFigure(id, direction)
    ),
    newest: inTurn(
      byFigure((product: Product) => (product.created_at === null ? null : Date.parse(product.created_at)), direction),
      byFigure(id, direction)
    ),
    revenue: byStore((each) => each.monthly_revenue),
    orders: byStore((each) => each.monthly_orders),
    traffic: byStore((each) => each.visits),
    traffic_growth: byStore((each) => each.growth),
    active_ads: byStore((each) => each.activeAds)
  }
  return { items: items.sort(orders[query.sort_by ?? "recommended"]), total: items.length }
}

const dayNumber = (date: string) => Date.parse(date) / 86_400_000

/** The ad of a store (S72, D119): active first, of these the one that started first, of the others the newest; highest id. */
const longest: Compare<Ad> = inTurn(
  byFigure((ad: Ad) => Number(ad.is_active), "desc"),
  byFigure((ad: Ad) => dayNumber(ad.started_on) * (ad.is_active ? -1 : 1), "desc"),
  byFigure((ad: Ad) => ad.id, "desc")
)

/** The ads of a store: active first, newest, highest id. */
const pick: Compare<Ad> = inTurn(
  byFigure((ad: Ad) => Number(ad.is_active), "desc"),
  byFigure((ad: Ad) => dayNumber(ad.started_on), "desc"),
  byFigure((ad: Ad) => ad.id, "desc")
)

/** S64 to S68; D29. */
const adMatches = (ad: Ad, query: AdQuery): boolean => {
  const daysRun = Math.max(0, dayNumber(today) - dayNumber(ad.started_on))
  return (
    (query.status === undefined || query.status === "all" || (query.status === "active") === ad.is_active) &&
    sharesOne(query.media_types, [ad.media_type]) &&
    sharesOne(query.ctas, ad.cta === null ? [] : [ad.cta]) &&
    (query.partnership_only !== true || ad.is_partnership) &&
    isBetween(ad.started_on, query.ad_started_between) &&
    (!isAsked(query.active_days) || (ad.is_active && isWithin(daysRun, query.active_days)))
  )
}

/** S46 words, S70, S71 and S73 orders. */
export const searchAds = (catalog: NaiveCatalog, query: AdQuery): Answer<Ad> => {
  const stores = storesOf(catalog)
  const store = (ad: Ad): Store | undefined => (ad.shop_id === null ? undefined : stores.get(ad.shop_id))
  const hasWords = wordTest(query)
  const matching = catalog.ads.filter((ad) => {
    const owner = store(ad)
    return (
      adMatches(ad, query) &&
      (query.without_shop !== true || owner === undefined) &&
      (owner === undefined ? !asksStore(query) : storeMatches(catalog, owner, query)) &&
      hasWords([ad.headline, ad.ad_text, ad.page_name, owner?.name ?? null])
    )
  })
  const total = matching.length
  const sort = query.sort_by ?? "recommended"
  if (sort === "recommended" && query.without_shop === true) return { items: matching.sort(pick), total }
  if (sort === "recommended") {
    const best = new Map<number, Ad>()
    for (const ad of matching.sort(longest)) {
      if (ad.shop_id !== null && !best.has(ad.shop_id)) best.set(ad.shop_id, ad)
    }
    const byActiveAds = inTurn(
      byFigure((ad: Ad) => store(ad)?.activeAds ?? null, "desc"),
      byFigure((ad: Ad) => ad.shop_id, "asc")
    )
    return { items: Array.from(best.values()).sort(byActiveAds), total }
  }
  const direction = query.sort_order ?? "desc"
  const byStart = (way: "asc" | "desc") =>
    inTurn(
      byFigure((ad: Ad) => dayNumber(ad.started_on), way),
      byFigure((ad: Ad) => ad.id, way)
    )
  const byStore = (figure: (store: Store) => number | null): Compare<Ad> =>
    inTurn(
      byFigure((ad: Ad) => {
        const owner = store(ad)
        return owner === undefined ? null : figure(owner)
      }, direction),
      byFigure((ad: Ad) => ad.shop_id ?? 0, "asc"),
      pick
    )
  const orders: Record<Exclude<NonNullable<AdQuery["sort_by"]>, "recommended">, Compare<Ad>> = {
    newest: byStart("desc"),
    oldest: byStart("asc"),
    reach: byStore((each) => each.visits),
    traffic: byStore((each) => each.visits),
    revenue: byStore((each) => each.monthly_revenue),
    traffic_growth: byStore((each) => each.growth),
    ads_change: byStore(changeOf("ads", query)),
    visits_change: byStore(changeOf("visits", query)),
    price_change: byStore(changeOf("price", query))
  }
  return { items: matching.sort(orders[sort]), total }
}

/** D44. */
export const searchShops = (catalog: NaiveCatalog, query: ShopQuery): Answer<Store> => {
  const hasWords = wordTest(query)
  const items = Array.from(storesOf(catalog).values()).filter(
    (store) => storeMatches(catalog, store, query) && hasWords([store.name, store.domain])
  )
  const by = (...figures: ReadonlyArray<(store: Store) => number | null>): Compare<Store> =>
    inTurn(
      ...figures.map((figure) => byFigure(figure, query.sort_order ?? "desc")),
      byFigure((store: Store) => store.id, "asc")
    )
  const orders: Record<NonNullable<ShopQuery["sort_by"]>, Compare<Store>> = {
    recommended: by(
      (store) => store.activeAds,
      (store) => store.visits
    ),
    revenue: by((store) => store.monthly_revenue),
    orders: by((store) => store.monthly_orders),
    traffic: by((store) => store.visits),
    traffic_growth: by((store) => store.growth),
    active_ads: by((store) => store.activeAds),
    products_count: by((store) => store.catalogSize),
    newest: by((store) => (store.created_on === null ? null : dayNumber(store.created_on))),
    ads_change: by(changeOf("ads", query)),
    visits_change: by(changeOf("visits", query)),
    price_change: by(changeOf("price", query))
  }
  return { items: items.sort(orders[query.sort_by ?? "recommended"]), total: items.length }
}
