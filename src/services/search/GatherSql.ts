/**
 * All matching items, looked up once, for their number and for a page of them. The order's rules are
 * {@link SearchRequest.Order}'s.
 */
import type { SqlClient, Statement } from "effect/sql"
import * as Page from "../../domain/search/Page.ts"
import * as AdKey from "./AdKey.ts"
import type { CountRow } from "./CountSql.ts"
import * as FilterSql from "./FilterSql.ts"
import * as OrderSql from "./OrderSql.ts"
import type * as SearchRequest from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

export interface GatheredRow extends CountRow {
  /** Of the page, in order. */
  readonly ids: ReadonlyArray<number>
}

/** The page alone. */
export const page = (sql: Sql, request: SearchRequest.SearchRequest, access: FilterSql.WordAccess): Fragment =>
  sql`WITH ${matching(sql, request, access)} ${ordered(sql, request)}`

/** The page with `total` and `stores`, at the price of either. */
export const pageAndCount = (sql: Sql, request: SearchRequest.SearchRequest, access: FilterSql.WordAccess) =>
  sql<GatheredRow>`
    WITH ${matching(sql, request, access)}
    SELECT (SELECT version FROM catalogue) AS version, ${
      request.order._tag === "Grouped"
        ? sql`(SELECT coalesce(sum(i.n), 0)::int FROM matching i) AS total,
            (SELECT count(*)::int FROM matching i WHERE i.shop_id > 0) AS stores`
        : sql`(SELECT count(*)::int FROM matching) AS total, 0 AS stores`
    }, ARRAY(${ordered(sql, request)}) AS ids`

/**
 * MATERIALIZED keeps the planner from taking LIMIT for a reason to walk instead: how dense matches are is known here
 * better. With the token index its hits come first, and stores are looked up for them.
 */
const matching = (sql: Sql, request: SearchRequest.SearchRequest, access: FilterSql.WordAccess): Fragment => {
  const { order } = request
  const stores = FilterSql.store(sql, request.store)
  const conditions = [...FilterSql.items(sql, request.items), ...FilterSql.words(sql, request.words, access)]
  const table = sql(request.items._tag === "Ads" ? "ad_search" : "product_search")
  const isGrouped = order._tag === "Grouped"
  const columns = isGrouped
    ? sql`i.shop_id, max(i.pick) AS pick, count(*) AS n`
    : request.items._tag === "Ads"
      ? sql`i.id, i.shop_id, i.pick, i.started`
      : sql`i.id, i.shop_id, i.score, i.price, i.created`
  const grouping = isGrouped ? sql`GROUP BY i.shop_id` : sql``
  const figures = order._tag === "ByItem" ? sql`` : sql`, s.${sql(OrderSql.figure(order))}`
  const join = stores.length > 0 || order._tag !== "ByItem" ? sql`JOIN shop_search s ON s.id = i.shop_id` : sql``
  if (stores.length === 0 || (access === "index" && request.words.length > 0)) {
    return sql`
      hits AS MATERIALIZED (SELECT ${columns} FROM ${table} i WHERE ${sql.and(conditions)} ${grouping}),
      matching AS MATERIALIZED (SELECT i.*${figures} FROM hits i ${join} WHERE ${sql.and(stores)})`
  }
  // Documents are read of the stores that match, and of no others; without words PostgreSQL knows what is best.
  const fence = request.words.length > 0 ? sql`OFFSET 0` : sql``
  return sql`
    matching AS MATERIALIZED (
      SELECT i.*${figures} FROM (SELECT * FROM shop_search s WHERE ${sql.and(stores)} ${fence}) s
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM ${table} i WHERE ${sql.and([sql`i.shop_id = s.id`, ...conditions])} ${grouping} ${fence}
      ) i
    )`
}

const ordered = (sql: Sql, request: SearchRequest.SearchRequest): Fragment => {
  const { order, window } = request
  const limits = sql`LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int`
  switch (order._tag) {
    case "Grouped":
      return sql`
        SELECT ${sql.literal(AdKey.sqlIdOfPick("i.pick"))} AS id FROM matching i
        WHERE i.shop_id > 0 ORDER BY ${OrderSql.ofStores(sql, order, "i")} ${limits}`
    case "ByItem":
      return sql`SELECT i.id FROM matching i ORDER BY ${OrderSql.ofItems(sql, order)} ${limits}`
    case "ByStore":
      return sql`
        SELECT i.id FROM matching i
        ORDER BY ${OrderSql.ofStores(sql, order, "i")}, ${OrderSql.withinStore(sql, request)} ${limits}`
  }
}
