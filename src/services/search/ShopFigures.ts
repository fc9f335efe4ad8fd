/**
 * Figures of stores in answers, read from the searched list, so that they agree with the order of the results. Those that are
 * computed have two decimals.
 */
import { Record } from "effect"
import { twoDecimals } from "../../domain/catalog/TwoDecimals.ts"
import { findStore } from "./index/Segment.ts"
import type { Figure, SegmentList } from "./index/Segment.ts"

/** The columns of the figures, in the order of the answer. */
const columns = {
  estimated_monthly_revenue: "revenue",
  estimated_monthly_orders: "orders",
  monthly_visits: "visits",
  traffic_growth_pct: "growth",
  active_ads: "active_ads",
  products_count: "products_count",
  avg_price: "avg_price",
  trustpilot_rating: "rating",
  trustpilot_reviews: "reviews"
} as const satisfies Readonly<Record<string, Figure>>

const computed: ReadonlySet<Figure> = new Set<Figure>(["growth", "avg_price"])

/** Ids of pseudo-stores are below 0. */
export const isIndexed = (list: SegmentList, storeId: number): boolean =>
  storeId > 0 && findStore(list, storeId) !== undefined

/** Unknown figures are `null`, and those of a store that is not in the list. */
export const figuresOf = (list: SegmentList, storeId: number) => {
  const store = findStore(list, storeId)
  const figures = Record.map(columns, (figure) => {
    const value = store?.view.columns.figures[figure][store.row] ?? Number.NaN
    if (Number.isNaN(value)) return null
    return computed.has(figure) ? twoDecimals(value) : value
  })
  return { ...figures, active_ads: figures.active_ads ?? 0 }
}
