/**
 * Searches for items that ask of stores alone, over what is kept beside each store: how many items it has, and the best of them.
 * The stores are found first; then only the items of those that the page needs are read.
 */
import type { Query } from "../../../src/domain/search/CatalogQuery.ts"
import * as DuckDbSql from "./DuckDbSql.ts"
import * as PeerQuery from "./PeerQuery.ts"

export const isAnswerable = ({ subject, words, ...query }: Query): boolean =>
  subject !== "stores" && words.length === 0 && DuckDbSql.itemConditions(query.item).length === 0

/** Columns of `store`. */
const columns = {
  products: { count: "n_products", best: "best_score" },
  ads: { count: "n_ads", best: "best_standing" }
} as const

const columnsOf = ({ subject }: Query) => columns[subject === "ads" ? "ads" : "products"]

const stores = (query: Query): string => {
  const conditions = [...query.stores.flatMap(DuckDbSql.storeCondition), `${columnsOf(query).count} > 0`]
  return `FROM store WHERE ${conditions.join(" AND ")}`
}

export const count = (query: Query): string => {
  const counted = PeerQuery.isGrouped(query) ? "(count(*) FILTER (shop_id > 0))::INTEGER" : "0"
  return `SELECT coalesce(sum(${columnsOf(query).count}), 0)::INTEGER AS total, ${counted} AS stores ${stores(query)}`
}

/** A store that the page may need: how many items it has, or the score of its best. */
export interface Candidate {
  readonly shop_id: number
  readonly value: number
}

interface Plan {
  /** Gives candidates in order, or without `pageOf` the ids of the page. */
  readonly statement: string
  readonly pageOf?: (candidates: ReadonlyArray<Candidate>) => string
}

const itemsOf = (query: Query, ids: ReadonlyArray<number>, more: string, offset: number): string =>
  `SELECT id FROM ${query.subject === "ads" ? "ad" : "product"} WHERE shop_id IN (${ids.join(", ")}) ${more}
   ORDER BY ${DuckDbSql.ordering(query)} LIMIT ${query.limit} OFFSET ${offset}`

/** Undefined where the order is of something that is not kept beside the store. */
export const plan = (query: Query): Plan | undefined => {
  const { limit, offset, order } = query
  const { best, count } = columnsOf(query)
  switch (order._tag) {
    case "Grouped":
      return {
        statement: `SELECT (${best} & 2147483647)::INTEGER AS id ${stores(query)} AND shop_id > 0
          ORDER BY active_ads DESC, shop_id LIMIT ${limit} OFFSET ${offset}`
      }
    case "ByStore": {
      const figures = DuckDbSql.storeOrdering(order)
      return {
        statement: `SELECT shop_id, ${count} AS value ${stores(query)}
          ORDER BY ${[...figures, "shop_id"].join(", ")} LIMIT ${offset + limit}`,
        // The page's own stores, and how many items lie before the first of them.
        pageOf: (candidates) => {
          const ids: Array<number> = []
          let before = 0
          let reached = 0
          for (const { shop_id, value } of candidates) {
            if (reached >= offset + limit) break
            reached += value
            if (reached <= offset) before = reached
            else ids.push(shop_id)
          }
          return itemsOf(query, ids, "", offset - before)
        }
      }
    }
    case "ByItem":
      if (order.column !== "score" || !order.isDescending) return undefined
      return {
        // No item of the page has a lower score than the best one of the last of so many stores.
        statement: `SELECT shop_id, ${best} AS value ${stores(query)}
          QUALIFY rank() OVER (ORDER BY ${best} DESC) <= ${offset + limit} ORDER BY ${best} DESC`,
        pageOf: (candidates) =>
          itemsOf(
            query,
            candidates.map(({ shop_id }) => shop_id),
            candidates.length < offset + limit ? "" : `AND score >= ${candidates.at(-1)?.value ?? 0}`,
            offset
          )
      }
  }
}
