/** Page plans as queries that give the ids of the page's items, in order. The order's rules are {@link Order}'s. */
import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import * as Page from "../../domain/search/Page.ts"
import * as FilterSql from "./FilterSql.ts"
import * as GatherSql from "./GatherSql.ts"
import * as OrderSql from "./OrderSql.ts"
import type { PagePlan } from "./Plan.ts"
import type { SearchRequest } from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

export const page = (sql: Sql, request: SearchRequest, plan: PagePlan): Fragment => {
  switch (plan._tag) {
    case "GatherItems":
      return GatherSql.page(sql, request, plan.access)
    case "WalkItems":
      return walkItems(sql, request, plan.order)
    case "WalkStores":
      return byStores(sql, request, plan.order, sql`shop_search s`)
    case "SortStores":
      return byStores(sql, request, plan.order, matchingStores(sql, request))
    case "RankStores":
      return rankStores(sql, request)
  }
}

const table = (sql: Sql, request: SearchRequest) => sql(request.items._tag === "Ads" ? "ad_search" : "product_search")

const limits = (sql: Sql, { window }: SearchRequest): Fragment =>
  sql`LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int`

/** All that comes up to the end of the page. */
const needed = ({ window }: SearchRequest): number => Page.offset(window) + window.perPage

const itemConditions = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): ReadonlyArray<Fragment> => [
  ...FilterSql.items(sql, request.items),
  ...FilterSql.words(sql, request.words, access)
]

/** OFFSET 0 keeps the store's test behind the walk, instead of a join that would have to be sorted. */
const walkItems = (sql: Sql, request: SearchRequest, order: OrderSql.ItemOrder): Fragment => {
  const store = FilterSql.store(sql, request.store)
  const test =
    store.length === 0
      ? sql``
      : sql`CROSS JOIN LATERAL (SELECT FROM shop_search s WHERE s.id = i.shop_id AND ${sql.and(store)} OFFSET 0) s`
  const walk = (part: ReadonlyArray<Fragment>, keys: Fragment, limits: Fragment): Fragment => sql`
    SELECT i.id, i.${sql(order.column)} FROM ${table(sql, request)} i ${test}
    WHERE ${sql.and([...part, ...itemConditions(sql, request, "scan")])} ORDER BY ${keys} ${limits}`
  if (order.column !== "created" || order.direction === "desc") {
    return sql`SELECT i.id FROM (${walk([], OrderSql.ofItems(sql, order), limits(sql, request))}) i`
  }
  // The sentinel of an unknown date begins the index, but ends the order: two walks, the first usually enough.
  const each = (part: Fragment) => walk([part], sql`i.created, i.id`, sql`LIMIT ${needed(request)}::int`)
  return sql`
    SELECT i.id FROM (
      (${each(sql`i.created > '-infinity'`)}) UNION ALL (${each(sql`i.created = '-infinity'`)})
    ) i ORDER BY ${OrderSql.ofItems(sql, order)} ${limits(sql, request)}`
}

/** OFFSET 0 keeps PostgreSQL from walking all stores in order because of the LIMIT that follows. */
const matchingStores = (sql: Sql, request: SearchRequest): Fragment =>
  sql`(SELECT * FROM shop_search s WHERE ${sql.and(FilterSql.store(sql, request.store))} OFFSET 0) s`

/** Only stores with matching items are taken, and no more than there are items to show. */
const byStores = (sql: Sql, request: SearchRequest, order: OrderSql.StoreOrder, stores: Fragment): Fragment => {
  const isGrouped = order._tag === "Grouped"
  const { matching, rollup } = FilterSql.counter(sql, request)
  const rollups =
    rollup === undefined
      ? sql``
      : sql`JOIN (SELECT id, ${sql(rollup.column)} AS keys FROM ${sql(rollup.table)}) r ON r.id = s.id`
  const conditions = [
    ...FilterSql.store(sql, request.store),
    ...(isGrouped ? [sql`s.id > 0`] : []),
    sql`${matching} > 0`
  ]
  return sql`
    SELECT i.id FROM (
      SELECT s.id, s.${sql(OrderSql.figure(order))} FROM ${stores} ${rollups} WHERE ${sql.and(conditions)}
      ORDER BY ${OrderSql.ofStores(sql, order, "s")} LIMIT ${needed(request)}::int
    ) s CROSS JOIN LATERAL (
      SELECT ${request.items._tag === "Ads" ? sql`i.id, i.pick` : sql`i.id, i.score`} FROM ${table(sql, request)} i
      WHERE ${sql.and([sql`i.shop_id = s.id`, ...FilterSql.items(sql, request.items)])}
      ORDER BY ${OrderSql.withinStore(sql, request)} LIMIT ${isGrouped ? 1 : needed(request)}::int
    ) i
    ORDER BY ${OrderSql.ofStores(sql, order, "s")}, ${OrderSql.withinStore(sql, request)} ${limits(sql, request)}`
}

/** WITH TIES: of stores whose best products are equally good, any may have the one with the lowest id. */
const rankStores = (sql: Sql, request: SearchRequest): Fragment => sql`
  SELECT i.id FROM (
    SELECT s.id FROM ${matchingStores(sql, request)} JOIN shop_products r ON r.id = s.id
    ORDER BY r.best_score DESC FETCH FIRST (${needed(request)}::int) ROWS WITH TIES
  ) s CROSS JOIN LATERAL (
    SELECT i.id, i.score FROM product_search i
    WHERE i.shop_id = s.id ORDER BY i.score DESC, i.id LIMIT ${needed(request)}::int
  ) i
  ORDER BY i.score DESC, i.id ${limits(sql, request)}`
