/** Page plans as queries that give the ids of the page's items, in order. The order's rules are {@link Order}'s. */
import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import * as Page from "../../domain/search/Page.ts"
import * as AdKey from "./AdKey.ts"
import * as FilterSql from "./FilterSql.ts"
import type { PagePlan } from "./Plan.ts"
import type { SearchRequest } from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment
type ItemOrder = Extract<PagePlan, { readonly _tag: "WalkItems" }>["order"]
type StoreOrder = Extract<PagePlan, { readonly _tag: "WalkStores" }>["order"]

/** Of the items of one store. */
const withinStore = (sql: Sql, request: SearchRequest): Fragment =>
  request.items._tag === "Ads" ? sql`i.pick DESC` : sql`i.score DESC, i.id`

const figure = (order: StoreOrder): string => (order._tag === "Grouped" ? "n_active" : order.figure)

/** Of the stores; sentinels of unknown figures are below all others. `i` stands for items that carry their store's figure. */
const ofStores = (sql: Sql, order: StoreOrder, alias: "s" | "i"): Fragment => {
  const column = sql`${sql(alias)}.${sql(figure(order))}`
  const id = alias === "s" ? sql`s.id` : sql`i.shop_id`
  if (order._tag === "Grouped" || order.direction === "desc") return sql`${column} DESC, ${id}`
  return figure(order) === "growth"
    ? sql`${column} = '-infinity', ${column}, ${id}`
    : sql`${column} < 0, ${column}, ${id}`
}

/** Ends with the id: in the direction of the order, but for the score against it. */
const ofItems = (sql: Sql, order: ItemOrder): Fragment => {
  const column = sql(order.column)
  if (order.column === "score") return order.direction === "desc" ? sql`i.score DESC, i.id` : sql`i.score, i.id DESC`
  if (order.direction === "desc") return sql`i.${column} DESC, i.id DESC`
  return order.column === "created" ? sql`i.created = '-infinity', i.created, i.id` : sql`i.${column}, i.id`
}

export const page = (sql: Sql, request: SearchRequest, plan: PagePlan): Fragment => {
  switch (plan._tag) {
    case "GatherItems":
      return gatherItems(sql, request, plan.access)
    case "WalkItems":
      return walkItems(sql, request, plan.order)
    case "WalkStores":
      return walkStores(sql, request, plan.order)
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

/**
 * MATERIALIZED keeps the planner from taking LIMIT for a reason to walk instead: how dense matches are is known here
 * better. With the token index its hits come first, and stores are looked up for them.
 */
const gatherItems = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): Fragment => {
  const { order, store } = request
  const isIndexed = access === "index" && request.words.length > 0
  const columns = request.items._tag === "Ads" ? sql`i.id, i.shop_id, i.pick, i.started` : productColumns(sql)
  const conditions = itemConditions(sql, request, access)
  const storeConditions = [...(order._tag === "Grouped" ? [sql`s.id > 0`] : []), ...FilterSql.store(sql, store)]
  const needsStores = storeConditions.length > 0 || order._tag !== "ByItem"
  const join = needsStores ? sql`JOIN shop_search s ON s.id = i.shop_id` : sql``
  const figures = order._tag === "ByItem" ? sql`` : sql`, s.${sql(figure(order))}`
  const matching = isIndexed
    ? sql`
        hits AS MATERIALIZED (SELECT ${columns} FROM ${table(sql, request)} i WHERE ${sql.and(conditions)}),
        matching AS MATERIALIZED (SELECT i.*${figures} FROM hits i ${join} WHERE ${sql.and(storeConditions)})`
    : sql`
        matching AS MATERIALIZED (
          SELECT ${columns}${figures} FROM ${table(sql, request)} i ${join}
          WHERE ${sql.and([...storeConditions, ...conditions])}
        )`
  return sql`WITH ${matching} ${ordered(sql, request)} ${limits(sql, request)}`
}

const productColumns = (sql: Sql): Fragment => sql`i.id, i.shop_id, i.score, i.price, i.created`

const ordered = (sql: Sql, request: SearchRequest): Fragment => {
  const { order } = request
  switch (order._tag) {
    case "Grouped":
      return sql`
        SELECT ${sql.literal(AdKey.sqlIdOfPick("max(i.pick)"))} AS id FROM matching i
        GROUP BY i.shop_id, i.n_active ORDER BY ${ofStores(sql, order, "i")}`
    case "ByItem":
      return sql`SELECT i.id FROM matching i ORDER BY ${ofItems(sql, order)}`
    case "ByStore":
      return sql`SELECT i.id FROM matching i ORDER BY ${ofStores(sql, order, "i")}, ${withinStore(sql, request)}`
  }
}

/** OFFSET 0 keeps the store's test behind the walk, instead of a join that would have to be sorted. */
const walkItems = (sql: Sql, request: SearchRequest, order: ItemOrder): Fragment => {
  const store = FilterSql.store(sql, request.store)
  const test =
    store.length === 0
      ? sql``
      : sql`CROSS JOIN LATERAL (SELECT FROM shop_search s WHERE s.id = i.shop_id AND ${sql.and(store)} OFFSET 0) s`
  const walk = (part: ReadonlyArray<Fragment>, keys: Fragment, limits: Fragment): Fragment => sql`
    SELECT i.id, i.${sql(order.column)} FROM ${table(sql, request)} i ${test}
    WHERE ${sql.and([...part, ...itemConditions(sql, request, "scan")])} ORDER BY ${keys} ${limits}`
  if (order.column !== "created" || order.direction === "desc") {
    return sql`SELECT i.id FROM (${walk([], ofItems(sql, order), limits(sql, request))}) i`
  }
  // The sentinel of an unknown date begins the index, but ends the order: two walks, the first usually enough.
  const each = (part: Fragment) => walk([part], sql`i.created, i.id`, sql`LIMIT ${needed(request)}::int`)
  return sql`
    SELECT i.id FROM (
      (${each(sql`i.created > '-infinity'`)}) UNION ALL (${each(sql`i.created = '-infinity'`)})
    ) i ORDER BY ${ofItems(sql, order)} ${limits(sql, request)}`
}

/**
 * When the store's row tells how many of its items match, only stores with some are taken, and no more than there are
 * items to show.
 */
const walkStores = (sql: Sql, request: SearchRequest, order: StoreOrder): Fragment => {
  const isGrouped = order._tag === "Grouped"
  const isCountable = FilterSql.isCountable(request)
  const { matching, rollup } = isCountable ? FilterSql.counter(sql, request) : { matching: sql``, rollup: undefined }
  const stores = sql`
    SELECT s.id, s.${sql(figure(order))} FROM shop_search s
    ${
      rollup === undefined
        ? sql``
        : sql`JOIN (SELECT id, ${sql(rollup.column)} AS keys FROM ${sql(rollup.table)}) r ON r.id = s.id`
    }
    WHERE ${sql.and([
      ...FilterSql.store(sql, request.store),
      ...(isGrouped ? [sql`s.id > 0`] : []),
      ...(isCountable ? [sql`${matching} > 0`] : [])
    ])}
    ORDER BY ${ofStores(sql, order, "s")} ${isCountable ? sql`LIMIT ${needed(request)}::int` : sql``}`
  const items = sql`
    SELECT ${request.items._tag === "Ads" ? sql`i.id, i.pick` : sql`i.id, i.score`} FROM ${table(sql, request)} i
    WHERE ${sql.and([sql`i.shop_id = s.id`, ...itemConditions(sql, request, "scan")])}
    ORDER BY ${withinStore(sql, request)} LIMIT ${isGrouped ? 1 : needed(request)}::int`
  return sql`
    SELECT i.id FROM (${stores}) s CROSS JOIN LATERAL (${items}) i
    ORDER BY ${ofStores(sql, order, "s")}, ${withinStore(sql, request)} ${limits(sql, request)}`
}

/** WITH TIES: of stores whose best products are equally good, any may have the one with the lowest id. */
const rankStores = (sql: Sql, request: SearchRequest): Fragment => sql`
  SELECT i.id FROM (
    SELECT s.id FROM shop_search s JOIN shop_products r ON r.id = s.id
    WHERE ${sql.and(FilterSql.store(sql, request.store))}
    ORDER BY r.best_score DESC FETCH FIRST (${needed(request)}::int) ROWS WITH TIES
  ) s CROSS JOIN LATERAL (
    SELECT i.id, i.score FROM product_search i
    WHERE i.shop_id = s.id ORDER BY i.score DESC, i.id LIMIT ${needed(request)}::int
  ) i
  ORDER BY i.score DESC, i.id ${limits(sql, request)}`
