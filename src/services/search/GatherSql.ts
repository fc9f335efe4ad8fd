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
import type { PagePlan } from "./Plan.ts"
import type { SearchRequest } from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

export interface GatheredRow extends CountRow {
  /** Of the page, in order. */
  readonly ids: ReadonlyArray<number>
}

/** Plans that look all matches up. */
export type GatherPlan = Extract<PagePlan, { readonly _tag: "GatherItems" | "GatherStores" }>

/** The page alone. */
export const page = (sql: Sql, request: SearchRequest, plan: GatherPlan): Fragment => {
  const { ids, matching } = gather(sql, request, plan)
  return sql`WITH ${matching} ${ids}`
}

/** The page with `total` and `stores`, at the price of either. */
export const pageAndCount = (sql: Sql, request: SearchRequest, plan: GatherPlan) => {
  const { ids, matching, stores, total } = gather(sql, request, plan)
  return sql<GatheredRow>`
    WITH ${matching}
    SELECT (SELECT version FROM catalogue) AS version, ${total} AS total, ${stores} AS stores, ARRAY(${ids}) AS ids`
}

interface Gathered {
  /** Tables for WITH. MATERIALIZED keeps PostgreSQL from looking matches up for each use, or walking because of LIMIT. */
  readonly matching: Fragment
  readonly total: Fragment
  readonly stores: Fragment
  readonly ids: Fragment
}

const gather = (sql: Sql, request: SearchRequest, plan: GatherPlan): Gathered => {
  if (plan._tag === "GatherStores") return byCountedStore(sql, request, plan.order, plan.access)
  switch (request.order._tag) {
    case "Grouped":
      return byBestOfStore(sql, request, request.order, plan.access)
    case "ByStore":
      return byStore(sql, request, request.order, plan.access)
    case "ByItem":
      return byItem(sql, request, request.order, plan.access)
  }
}

const limits = (sql: Sql, { window }: SearchRequest): Fragment =>
  sql`LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int`

/** All that comes up to the end of the page. */
const needed = ({ window }: SearchRequest): number => Page.offset(window) + window.perPage

const byItem = (
  sql: Sql,
  request: SearchRequest,
  order: OrderSql.ItemOrder,
  access: FilterSql.WordAccess
): Gathered => {
  const items = matchingItems(sql, request, access)
  return {
    matching: sql`matching AS MATERIALIZED (${items})`,
    total: sql`(SELECT count(*)::int FROM matching)`,
    stores: sql`0`,
    ids: sql`SELECT i.id FROM matching i ORDER BY ${OrderSql.ofItems(sql, order)} ${limits(sql, request)}`
  }
}

/** `total` and `stores` of `groups`: one row a store, with the number `n` of its items. */
const known = (sql: Sql) => ({
  total: sql`(SELECT coalesce(sum(s.n), 0)::int FROM groups s)`,
  stores: sql`(SELECT count(*)::int FROM groups s WHERE s.id > 0)`
})

type OrderOf<Tag> = Extract<OrderSql.StoreOrder, { readonly _tag: Tag }>

/** Of each store the item that stands first. */
const byBestOfStore = (
  sql: Sql,
  request: SearchRequest,
  order: OrderOf<"Grouped">,
  access: FilterSql.WordAccess
): Gathered => ({
  ...known(sql),
  matching: sql`
    groups AS MATERIALIZED (
      SELECT s.id, i.n, i.pick, s.${sql(OrderSql.figure(order))}
      FROM (
        SELECT i.shop_id, max(i.pick) AS pick, count(*) AS n
        FROM (${matchingItems(sql, request, access)}) i GROUP BY i.shop_id
      ) i JOIN shop_search s ON s.id = i.shop_id
    )`,
  ids: sql`
    SELECT ${sql.literal(AdKey.sqlIdOfPick("s.pick"))} AS id FROM groups s
    WHERE s.id > 0 ORDER BY ${OrderSql.ofStores(sql, order)} ${limits(sql, request)}`
})

/** The number of items of each store in `items`, with the figure that stores are ordered by. */
const groupsOf = (sql: Sql, order: OrderOf<"ByStore">, items: Fragment): Fragment => sql`
  groups AS MATERIALIZED (
    SELECT s.id, i.n, s.${sql(OrderSql.figure(order))}
    FROM (SELECT i.shop_id, count(*) AS n FROM ${items} i GROUP BY i.shop_id) i JOIN shop_search s ON s.id = i.shop_id
  )`

/** Stores are ordered first, and their items then: there are many more items. */
const byStore = (
  sql: Sql,
  request: SearchRequest,
  order: OrderOf<"ByStore">,
  access: FilterSql.WordAccess
): Gathered => ({
  ...known(sql),
  matching: sql`
    matching AS MATERIALIZED (${matchingItems(sql, request, access)}),
    ${groupsOf(sql, order, sql`matching`)}`,
  ids: sql`
    SELECT i.id FROM (SELECT * FROM groups s ORDER BY ${OrderSql.ofStores(sql, order)} LIMIT ${needed(request)}::int) s
    JOIN matching i ON i.shop_id = s.id
    ORDER BY ${OrderSql.ofStores(sql, order)}, ${OrderSql.withinStore(sql, request)} ${limits(sql, request)}`
})

/** The same without keeping all items, which takes as long as half of finding them: those of the page are found again. */
const byCountedStore = (
  sql: Sql,
  request: SearchRequest,
  order: OrderOf<"ByStore">,
  access: FilterSql.WordAccess
): Gathered => {
  const keys = OrderSql.ofStores(sql, order)
  return {
    ...known(sql),
    matching: groupsOf(sql, order, sql`(${matchingItems(sql, request, access)})`),
    ids: sql`
      SELECT i.id FROM (
        SELECT s.*, sum(s.n) OVER (ORDER BY ${keys} ROWS UNBOUNDED PRECEDING) - s.n AS before
        FROM (SELECT * FROM groups s ORDER BY ${keys} LIMIT ${needed(request)}::int) s
      ) s CROSS JOIN LATERAL (
        SELECT ${columns(sql, request)} FROM ${table(sql, request)} i
        WHERE ${sql.and([sql`i.shop_id = s.id`, ...itemConditions(sql, request, "scan")])}
        ORDER BY ${OrderSql.withinStore(sql, request)} LIMIT ${needed(request)}::int
      ) i
      WHERE s.before < ${needed(request)}::int
      ORDER BY ${keys}, ${OrderSql.withinStore(sql, request)} ${limits(sql, request)}`
  }
}

const table = (sql: Sql, { items }: SearchRequest) => sql(items._tag === "Ads" ? "ad_search" : "product_search")

/** All but the document. */
const columns = (sql: Sql, { items }: SearchRequest): Fragment =>
  items._tag === "Ads" ? sql`i.id, i.shop_id, i.pick, i.started` : sql`i.id, i.shop_id, i.score, i.price, i.created`

const itemConditions = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): ReadonlyArray<Fragment> => [
  ...FilterSql.items(sql, request.items),
  ...FilterSql.words(sql, request.words, access)
]

/** With the token index its hits come first, and stores are looked up for them; otherwise stores come first. */
const matchingItems = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): Fragment => {
  const conditions = itemConditions(sql, request, access)
  const stores = sql.and(FilterSql.store(sql, request.store))
  const items = (more: ReadonlyArray<Fragment>) =>
    sql`SELECT ${columns(sql, request)} FROM ${table(sql, request)} i WHERE ${sql.and([...more, ...conditions])}`
  if (request.store.length === 0) return items([])
  const isOfStore = sql`i.shop_id = s.id`
  // Without words PostgreSQL knows what is best. With them, OFFSET 0 keeps it from turning the two round.
  if (request.words.length === 0) {
    return sql`SELECT i.* FROM shop_search s CROSS JOIN LATERAL (${items([isOfStore])}) i WHERE ${stores}`
  }
  return access !== "scan"
    ? sql`SELECT i.* FROM (${items([])} OFFSET 0) i JOIN shop_search s ON ${isOfStore} WHERE ${stores}`
    : sql`
        SELECT i.* FROM (SELECT s.id FROM shop_search s WHERE ${stores} OFFSET 0) s
        CROSS JOIN LATERAL (${items([isOfStore])} OFFSET 0) i`
}
