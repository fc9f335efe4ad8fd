/** The expected answers of `compare_markets` (D66) and `compare_ads` (D100), by a scan of all records. Shares no code with the index. */
import { ctas } from "../../src/domain/catalog/Enumerations.ts"
import type { AdComparison, AdGroupQuery } from "../../src/domain/search/AdGroupQuery.ts"
import type { MarketGroup, MarketOverview, MarketQuery } from "../../src/domain/search/MarketQuery.ts"
import type { Ad, NaiveCatalog } from "./NaiveCatalog.ts"
import { searchAds, searchShops, shown } from "./NaiveSearch.ts"
import type { Store } from "./NaiveSearch.ts"

const median = (values: ReadonlyArray<number>): number | null => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const [upper, lower] = [sorted[half], sorted[half - 1]]
  if (upper === undefined) return null
  return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2
}

const known = (stores: ReadonlyArray<Store>, figure: (store: Store) => number | null): ReadonlyArray<number> =>
  stores.map(figure).filter((value) => value !== null)

const sum = (values: ReadonlyArray<number>): number => values.reduce((all, value) => all + value, 0)

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

const byCurrency = (stores: ReadonlyArray<Store>, figure: (store: Store) => number | null): MarketGroup["revenue"] =>
  Array.from(
    Map.groupBy(
      stores.filter((store) => figure(store) !== null && store.currency !== null),
      (store) => store.currency
    ),
    ([currency, all]) => ({
      currency: currency ?? "",
      stores: all.length,
      median: shown(median(known(all, figure))) ?? 0
    })
  )
    .sort((a, b) => b.stores - a.stores || compareText(a.currency, b.currency))
    .slice(0, 5)

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Number(((part / whole) * 100).toFixed(2)))

/** `matches` are the stores of `share_of`. */
const sums = (stores: ReadonlyArray<Store>, matches: ReadonlySet<number> | undefined) => {
  const matching = stores.filter(({ id }) => matches?.has(id)).length
  return {
    ...sumsOf(stores),
    ...(matches === undefined ? {} : { matching, matching_pct: percent(matching, stores.length) })
  }
}

const sumsOf = (stores: ReadonlyArray<Store>) => ({
  stores: stores.length,
  active_ads: sum(stores.map((store) => store.activeAds)),
  products: sum(known(stores, (store) => store.catalogSize)),
  visits: sum(known(stores, (store) => store.visits))
})

const figures = (
  stores: ReadonlyArray<Store>,
  { prices }: Pick<MarketQuery, "prices">,
  matches: ReadonlySet<number> | undefined
) => ({
  ...sums(stores, matches),
  median_visits: median(known(stores, (store) => store.visits)),
  median_growth: median(known(stores, (store) => store.growth)),
  revenue: byCurrency(stores, (store) => store.monthly_revenue),
  ...(prices === true ? { avg_price: byCurrency(stores, (store) => store.averagePrice) } : {})
})

/** Of spellings that differ only in case, the one that most stores have, of equal ones the first. */
const spelling = (all: ReadonlyArray<string>): ((name: string) => string) => {
  const chosen = new Map(
    Array.from(
      Map.groupBy(all, (name) => name.toLowerCase()),
      ([folded, same]) => {
        const count = (name: string) => same.filter((other) => other === name).length
        return [folded, same.toSorted((a, b) => count(b) - count(a) || compareText(a, b))[0] ?? folded]
      }
    )
  )
  return (name) => chosen.get(name.toLowerCase()) ?? name
}

/** The niche's path from its root. */
const path = (niches: NaiveCatalog["niches"], id: number | null): ReadonlyArray<string> => {
  const niche = niches.find((each) => each.id === id)
  return niche === undefined ? [] : [...path(niches, niche.parent_id), niche.name]
}

const valuesOf = (catalog: NaiveCatalog, query: MarketQuery): ((store: Store) => ReadonlyArray<string>) => {
  const one = (value: string | null | undefined) => (value === null || value === undefined ? [] : [value])
  switch (query.group_by) {
    case "niche":
      return (store) => one(path(catalog.niches, store.niche_id)[(query.niche_level ?? 1) - 1])
    case "country":
      return (store) => [store.country]
    case "currency":
      return (store) => one(store.currency)
    case "language":
      return (store) => store.languages
    case "theme": {
      const spelled = spelling(catalog.shops.flatMap(({ theme }) => one(theme)))
      return (store) => one(store.theme).map(spelled)
    }
    case "app": {
      const spelled = spelling(catalog.shops.flatMap(({ apps }) => apps))
      return (store) => Array.from(new Set(store.apps.map(spelled)))
    }
    case "pixel":
      return (store) => store.pixels
    case "social_network":
      return (store) => store.social_networks
    case "domain":
      return (store) => [store.domain_extension]
  }
}

export const marketOverview = (catalog: NaiveCatalog, query: MarketQuery): MarketOverview => {
  const { group_by: _, limit = 20, niche_level: _level, sort_by = "stores", prices: _prices, ...rest } = query
  const { share_of, ...filters } = rest
  const stores = searchShops(catalog, filters).items
  const matches = share_of === undefined ? undefined : new Set(searchShops(catalog, share_of).items.map(({ id }) => id))
  const valuesOfStore = valuesOf(catalog, query)
  const groupOf = (value: string | null, all: ReadonlyArray<Store>) => ({
    value,
    share_pct: percent(all.length, stores.length),
    ...figures(all, query, matches)
  })
  const members = stores.flatMap((store) => valuesOfStore(store).map((value) => ({ value, store })))
  const groups = Array.from(
    Map.groupBy(members, ({ value }) => value),
    ([value, all]) =>
      groupOf(
        value,
        all.map(({ store }) => store)
      )
  ).sort((a, b) => {
    for (const field of [sort_by, "stores", "active_ads", "visits", "products"] as const) {
      // The share before it is rounded to two decimals, as the index orders by it.
      const of = (group: typeof a) => (field === "matching_pct" ? (group.matching ?? 0) / group.stores : group[field])
      const [one, other] = [of(a), of(b)]
      if (one === other) continue
      if (one === null || other === null) return one === null ? 1 : -1
      return other - one
    }
    return compareText(a.value ?? "", b.value ?? "")
  })
  const without = stores.filter((store) => valuesOfStore(store).length === 0)
  return {
    // Ordered by the medians as they are.
    results: [...groups.slice(0, limit), ...(without.length === 0 ? [] : [groupOf(null, without)])].map((group) => ({
      ...group,
      median_visits: shown(group.median_visits),
      median_growth: shown(group.median_growth)
    })),
    total: sums(stores, matches),
    groups: groups.length
  }
}

/** D100, by a scan of all ads. */
export const adComparison = (catalog: NaiveCatalog, query: AdGroupQuery): AdComparison => {
  const { group_by, limit = 20, niche_level: level = 1, ...filters } = query
  const ads = searchAds(catalog, { ...filters, sort_by: "newest" }).items
  const shops = new Map(catalog.shops.map((shop) => [shop.id, shop]))
  const valueOf = (ad: Ad): string | null => {
    const shop = ad.shop_id === null ? undefined : shops.get(ad.shop_id)
    switch (group_by) {
      case "cta":
        return ctas.find((label) => label === ad.cta) ?? null
      case "media_type":
        return ad.media_type
      case "status":
        return ad.is_active ? "active" : "inactive"
      case "country":
        return shop?.country ?? null
      case "niche":
        return path(catalog.niches, shop?.niche_id ?? null)[level - 1] ?? null
    }
  }
  const countsOf = (some: ReadonlyArray<Ad>) => ({
    ads: some.length,
    stores: new Set(some.flatMap(({ shop_id }) => (shop_id === null ? [] : [shop_id]))).size
  })
  const groups = Array.from(Map.groupBy(ads, valueOf), ([value, own]) => ({
    value,
    share_pct: percent(own.length, ads.length),
    ...countsOf(own)
  }))
  const named = groups
    .filter(({ value }) => value !== null)
    .sort((a, b) => b.ads - a.ads || b.stores - a.stores || compareText(a.value ?? "", b.value ?? ""))
  return {
    results: [...named.slice(0, limit), ...groups.filter(({ value }) => value === null)],
    total: countsOf(ads),
    groups: named.length
  }
}
