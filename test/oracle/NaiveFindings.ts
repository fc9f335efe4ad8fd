/** What a search finds out besides its results, by a scan of all records. Shares no code with the index. */
import type { AdQuery } from "../../src/domain/search/AdQuery.ts"
import type { ProductQuery } from "../../src/domain/search/ProductQuery.ts"
import type { ShopQuery } from "../../src/domain/search/ShopQuery.ts"
import type { CurrencyCount } from "../../src/domain/search/Warnings.ts"
import type { NaiveCatalog } from "./NaiveCatalog.ts"
import { searchAds, searchProducts, searchShops, storesOf } from "./NaiveSearch.ts"

/** D42: matching ads without a store. */
export const storeless = (catalog: NaiveCatalog, query: AdQuery): number =>
  searchAds(catalog, { ...query, sort_by: "newest" }).items.filter((ad) => ad.shop_id === null).length

/** D93: ids that were asked for, without a store. */
export const unknownIds = (
  { shops }: NaiveCatalog,
  { shop_ids = [] }: { readonly shop_ids?: ReadonlyArray<number> }
): ReadonlyArray<number> => [...new Set(shop_ids)].filter((id) => shops.every((shop) => shop.id !== id))

export type Asked =
  | { readonly of: "ads"; readonly query: AdQuery }
  | { readonly of: "products"; readonly query: ProductQuery }
  | { readonly of: "stores"; readonly query: ShopQuery }

type Bounds = { readonly min?: number; readonly max?: number }

interface Money {
  readonly monthly_revenue?: Bounds
  readonly avg_price?: Bounds
  readonly price?: Bounds
  readonly sort_by?: string
}

const withoutMoney = <Query extends Money>(query: Query): Omit<Query, "monthly_revenue" | "avg_price" | "price"> => {
  const { avg_price: _average, monthly_revenue: _revenue, price: _price, ...others } = query
  return others
}

const storesThatMatch = (catalog: NaiveCatalog, asked: Asked): ReadonlySet<number | null> => {
  switch (asked.of) {
    case "ads": {
      const { items } = searchAds(catalog, { ...withoutMoney(asked.query), sort_by: "newest" })
      return new Set(items.map((ad) => ad.shop_id))
    }
    case "products":
      return new Set(searchProducts(catalog, withoutMoney(asked.query)).items.map((product) => product.shop_id))
    case "stores":
      return new Set(searchShops(catalog, withoutMoney(asked.query)).items.map((store) => store.id))
  }
}

const isAsked = (bounds: Bounds | undefined): boolean => bounds?.min !== undefined || bounds?.max !== undefined

/** D90: stores by currency, by the code, of those whose money the search compares. */
export const currencies = (catalog: NaiveCatalog, asked: Asked): ReadonlyArray<CurrencyCount> => {
  const query: Money = asked.query
  const byPrice = isAsked(query.price) || query.sort_by === "price"
  const byRevenue = isAsked(query.monthly_revenue) || query.sort_by === "revenue"
  const byAverage = isAsked(query.avg_price)
  if ((!byPrice && !byRevenue && !byAverage) || new Set(asked.query.currencies).size === 1) return []
  const stores = storesOf(catalog)
  const compared = Array.from(storesThatMatch(catalog, asked)).flatMap((id) => {
    const store = id === null ? undefined : stores.get(id)
    if (store === undefined) return []
    const isKnown =
      byPrice || (byRevenue && store.monthly_revenue !== null) || (byAverage && store.averagePrice !== null)
    return isKnown ? [store] : []
  })
  return Array.from(
    Map.groupBy(compared, (store) => store.currency),
    ([currency, all]) => ({ currency, stores: all.length })
  ).toSorted((one, other) => ((one.currency ?? "") < (other.currency ?? "") ? -1 : 1))
}
