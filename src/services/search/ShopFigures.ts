/** Figures of stores in answers, read from the searched list, so that they agree with the order of the results. */
import { findStore } from "./index/Segment.ts"
import type { Figure, SegmentList } from "./index/Segment.ts"

type KnownOrNot = Exclude<Figure, "active_ads" | "created">

/** Unknown figures are `null`. */
export type ShopFigures = Readonly<Record<KnownOrNot, number | null>> & { readonly active_ads: number }

/** For a store that is not in the list. */
const none: ShopFigures = {
  revenue: null,
  orders: null,
  visits: null,
  growth: null,
  active_ads: 0,
  products_count: null,
  avg_price: null,
  rating: null,
  reviews: null
}

/** Ids of pseudo-stores are below 0. */
export const isIndexed = (list: SegmentList, storeId: number): boolean =>
  storeId > 0 && findStore(list, storeId) !== undefined

export const figuresOf = (list: SegmentList, storeId: number): ShopFigures => {
  const store = findStore(list, storeId)
  if (store === undefined) return none
  const { figures } = store.view.columns
  const known = (figure: Figure): number | null => {
    const value = figures[figure][store.row] ?? Number.NaN
    return Number.isNaN(value) ? null : value
  }
  return {
    revenue: known("revenue"),
    orders: known("orders"),
    visits: known("visits"),
    growth: known("growth"),
    active_ads: known("active_ads") ?? 0,
    products_count: known("products_count"),
    avg_price: known("avg_price"),
    rating: known("rating"),
    reviews: known("reviews")
  }
}
