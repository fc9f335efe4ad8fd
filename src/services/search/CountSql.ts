/** Count plans as statements. Each answers one row: `version`, `total` and `stores`, the stores with a matching item. */
import type { SqlClient } from "effect/sql"
import * as CounterSql from "./CounterSql.ts"
import * as FilterSql from "./FilterSql.ts"
import type { CountPlan } from "./Plan.ts"
import type { SearchRequest } from "./SearchRequest.ts"

export interface CountRow {
  readonly version: number
  readonly total: number
  readonly stores: number
}

export const count = (sql: SqlClient.SqlClient, request: SearchRequest, plan: CountPlan) => {
  const isAds = request.items._tag === "Ads"
  switch (plan._tag) {
    case "Totals":
      return isAds
        ? sql<CountRow>`SELECT version, n_ads AS total, n_advertisers AS stores FROM catalogue`
        : sql<CountRow>`SELECT version, n_products AS total, 0 AS stores FROM catalogue`
    case "AddUpStores":
      return sql<CountRow>`
        SELECT (SELECT version FROM catalogue) AS version, coalesce(sum(s.matching), 0)::int AS total,
          (count(*) FILTER (WHERE s.matching > 0 AND s.id > 0))::int AS stores
        FROM (${CounterSql.countedStores(sql, request)}) s`
    case "CountItems":
      return countItems(sql, request, plan.access)
  }
}

/** With the token index its hits come first, MATERIALIZED: stores are looked up for them, never the other way round. */
const countItems = (sql: SqlClient.SqlClient, request: SearchRequest, access: FilterSql.WordAccess) => {
  const table = sql(request.items._tag === "Ads" ? "ad_search" : "product_search")
  const conditions = [...FilterSql.items(sql, request.items), ...FilterSql.words(sql, request.words, access)]
  const stores = FilterSql.store(sql, request.store)
  const join = stores.length === 0 ? sql`` : sql`JOIN shop_search s ON s.id = i.shop_id`
  const isIndexed = access !== "scan" && request.words.length > 0 && stores.length > 0
  const matching = isIndexed
    ? sql`
        WITH hits AS MATERIALIZED (SELECT i.shop_id FROM ${table} i WHERE ${sql.and(conditions)})
        SELECT i.shop_id FROM hits i ${join} WHERE ${sql.and(stores)}`
    : sql`SELECT i.shop_id FROM ${table} i ${join} WHERE ${sql.and([...stores, ...conditions])}`
  return request.order._tag === "Grouped"
    ? sql<CountRow>`
        SELECT (SELECT version FROM catalogue) AS version, coalesce(sum(g.matching), 0)::int AS total,
          (count(*) FILTER (WHERE g.shop_id > 0))::int AS stores
        FROM (SELECT i.shop_id, count(*) AS matching FROM (${matching}) i GROUP BY i.shop_id) g`
    : sql<CountRow>`
        SELECT (SELECT version FROM catalogue) AS version, count(*)::int AS total, 0 AS stores FROM (${matching}) i`
}
