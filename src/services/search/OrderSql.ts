/** Orders as keys of ORDER BY: those of {@link Order}, over stores `s` and items `i`. */
import type { SqlClient, Statement } from "effect/sql"
import type { Order, SearchRequest } from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment
export type ItemOrder = Extract<Order, { readonly _tag: "ByItem" }>
export type StoreOrder = Exclude<Order, { readonly _tag: "ByItem" }>

/** Of the items of one store. */
export const withinStore = (sql: Sql, request: SearchRequest): Fragment =>
  request.items._tag === "Ads" ? sql`i.pick DESC` : sql`i.score DESC, i.id`

export const figure = (order: StoreOrder): string => (order._tag === "Grouped" ? "n_active" : order.figure)

/** Of the stores `s`; sentinels of unknown figures are below all others. */
export const ofStores = (sql: Sql, order: StoreOrder): Fragment => {
  const column = sql`s.${sql(figure(order))}`
  if (order._tag === "Grouped" || order.direction === "desc") return sql`${column} DESC, s.id`
  return figure(order) === "growth"
    ? sql`${column} = '-infinity', ${column}, s.id`
    : sql`${column} < 0, ${column}, s.id`
}

/** Ends with the id: in the direction of the order, but for the score against it. */
export const ofItems = (sql: Sql, order: ItemOrder): Fragment => {
  const column = sql(order.column)
  if (order.column === "score") return order.direction === "desc" ? sql`i.score DESC, i.id` : sql`i.score, i.id DESC`
  if (order.direction === "desc") return sql`i.${column} DESC, i.id DESC`
  return order.column === "created" ? sql`i.created = '-infinity', i.created, i.id` : sql`i.${column}, i.id`
}
