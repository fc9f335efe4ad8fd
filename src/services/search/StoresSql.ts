/** Pages that stores lead to: their rows tell how many of their items match, so items of no others are looked at. */
import type { SqlClient, Statement } from "effect/sql"
import * as Page from "../../domain/search/Page.ts"
import * as CounterSql from "./CounterSql.ts"
import * as FilterSql from "./FilterSql.ts"
import type { GatheredRow } from "./GatherSql.ts"
import * as OrderSql from "./OrderSql.ts"
import type { SearchRequest } from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** All that comes up to the end of the page. */
const needed = ({ window }: SearchRequest): number => Page.offset(window) + window.perPage

const limits = (sql: Sql, { window }: SearchRequest): Fragment =>
  sql`LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int`

/** The column that stores are ordered by, if it is one of `shop_search`. */
const figure = ({ order }: SearchRequest): string | undefined =>
  order._tag === "ByItem" ? undefined : OrderSql.figure(order)

/** PostgreSQL may walk an index of the order until enough stores match. */
export const walk = (sql: Sql, request: SearchRequest): Fragment => {
  const { matching, rollup } = CounterSql.counter(sql, request)
  const column = figure(request)
  const rollups =
    rollup === undefined
      ? sql``
      : sql`JOIN (SELECT id, ${sql(rollup.column)} AS keys FROM ${sql(rollup.table)}) r ON r.id = s.id`
  return ofFirst(
    sql,
    request,
    sql`
      SELECT s.id${column === undefined ? sql`` : sql`, s.${sql(column)}`} FROM shop_search s ${rollups}
      WHERE ${sql.and([...FilterSql.store(sql, request.store), sql`${matching} > 0`])}`
  )
}

/** All stores that match, with how many of their items do. OFFSET 0 keeps PostgreSQL from walking because of a LIMIT. */
const matching = (sql: Sql, request: SearchRequest): Fragment =>
  sql`
    SELECT s.* FROM (SELECT * FROM (${CounterSql.countedStores(sql, request, figure(request))}) s OFFSET 0) s
    WHERE s.matching > 0`

/** All stores that match, and then the first of them. */
export const sort = (sql: Sql, request: SearchRequest): Fragment => ofFirst(sql, request, matching(sql, request))

/** {@link sort} with `total` and `stores`, in one pass over all stores. */
export const pageAndCount = (sql: Sql, request: SearchRequest) => sql<GatheredRow>`
  WITH counted AS MATERIALIZED (${CounterSql.countedStores(sql, request, figure(request))})
  SELECT (SELECT version FROM catalogue) AS version, t.total, t.stores,
    ARRAY(${ofFirst(sql, request, sql`SELECT * FROM counted s WHERE s.matching > 0`)}) AS ids
  FROM (
    SELECT coalesce(sum(s.matching), 0)::int AS total, (count(*) FILTER (WHERE s.matching > 0 AND s.id > 0))::int AS stores
    FROM counted s
  ) t`

/** The items of as many stores as there are items to show. */
const ofFirst = (sql: Sql, request: SearchRequest, stores: Fragment): Fragment => {
  const { order } = request
  if (order._tag === "ByItem") return ofBest(sql, request, sql`(${stores}) s JOIN shop_products r ON r.id = s.id`)
  const isGrouped = order._tag === "Grouped"
  const isAds = request.items._tag === "Ads"
  return sql`
    SELECT i.id FROM (
      SELECT s.* FROM (${stores}) s ${isGrouped ? sql`WHERE s.id > 0` : sql``}
      ORDER BY ${OrderSql.ofStores(sql, order)} LIMIT ${needed(request)}::int
    ) s CROSS JOIN LATERAL (
      SELECT ${isAds ? sql`i.id, i.pick` : sql`i.id, i.score`} FROM ${sql(isAds ? "ad_search" : "product_search")} i
      WHERE ${sql.and([sql`i.shop_id = s.id`, ...FilterSql.items(sql, request.items)])}
      ORDER BY ${OrderSql.withinStore(sql, request)} LIMIT ${isGrouped ? 1 : needed(request)}::int
    ) i
    ORDER BY ${OrderSql.ofStores(sql, order)}, ${OrderSql.withinStore(sql, request)} ${limits(sql, request)}`
}

/** WITH TIES: of stores whose best products are equally good, any may have the one with the lowest id. */
const ofBest = (sql: Sql, request: SearchRequest, rollups: Fragment): Fragment => sql`
  SELECT i.id FROM (
    SELECT r.id FROM ${rollups} ORDER BY r.best_score DESC FETCH FIRST (${needed(request)}::int) ROWS WITH TIES
  ) s CROSS JOIN LATERAL (
    SELECT i.id, i.score FROM product_search i
    WHERE i.shop_id = s.id ORDER BY i.score DESC, i.id LIMIT ${needed(request)}::int
  ) i
  ORDER BY i.score DESC, i.id ${limits(sql, request)}`
