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
import type { SearchRequest } from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

export interface GatheredRow extends CountRow {
  /** Of the page, in order. */
  readonly ids: ReadonlyArray<number>
}

/** The page alone. */
export const page = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): Fragment => {
  const { ids, matching } = gather(sql, request, access)
  return sql`WITH ${matching} ${ids}`
}

/** The page with `total` and `stores`, at the price of either. */
export const pageAndCount = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess) => {
  const { ids, matching, stores, total } = gather(sql, request, access)
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

const gather = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): Gathered => {
  switch (request.order._tag) {
    case "Grouped":
    case "ByStore":
      return byStore(sql, request, request.order, access)
    case "ByItem":
      return byItem(sql, request, request.order, access)
  }
}

const limits = (sql: Sql, { window }: SearchRequest): Fragment =>
  sql`LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int`

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

/** Stores are ordered first, and their items then: there are many more items. */
const byStore = (
  sql: Sql,
  request: SearchRequest,
  order: OrderSql.StoreOrder,
  access: FilterSql.WordAccess
): Gathered => {
  const figure = sql`s.${sql(OrderSql.figure(order))}`
  const needed = Page.offset(request.window) + request.window.perPage
  const known = {
    total: sql`(SELECT coalesce(sum(s.n), 0)::int FROM groups s)`,
    stores: sql`(SELECT count(*)::int FROM groups s WHERE s.id > 0)`
  }
  const join = sql`i JOIN shop_search s ON s.id = i.shop_id`
  if (order._tag === "Grouped") {
    const items = matchingItems(sql, request, access)
    return {
      ...known,
      matching: sql`
        groups AS MATERIALIZED (
          SELECT s.id, i.n, i.pick, ${figure}
          FROM (SELECT i.shop_id, max(i.pick) AS pick, count(*) AS n FROM (${items}) i GROUP BY i.shop_id) ${join}
        )`,
      ids: sql`
        SELECT ${sql.literal(AdKey.sqlIdOfPick("s.pick"))} AS id FROM groups s
        WHERE s.id > 0 ORDER BY ${OrderSql.ofStores(sql, order)} ${limits(sql, request)}`
    }
  }
  return {
    ...known,
    matching: sql`
      matching AS MATERIALIZED (${matchingItems(sql, request, access)}),
      groups AS MATERIALIZED (
        SELECT s.id, i.n, ${figure} FROM (SELECT i.shop_id, count(*) AS n FROM matching i GROUP BY i.shop_id) ${join}
      )`,
    ids: sql`
      SELECT i.id FROM (SELECT * FROM groups s ORDER BY ${OrderSql.ofStores(sql, order)} LIMIT ${needed}::int) s
      JOIN matching i ON i.shop_id = s.id
      ORDER BY ${OrderSql.ofStores(sql, order)}, ${OrderSql.withinStore(sql, request)} ${limits(sql, request)}`
  }
}

/** With the token index its hits come first, and stores are looked up for them; otherwise stores come first. */
const matchingItems = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): Fragment => {
  const isAds = request.items._tag === "Ads"
  const columns = isAds ? sql`i.id, i.shop_id, i.pick, i.started` : sql`i.id, i.shop_id, i.score, i.price, i.created`
  const conditions = [...FilterSql.items(sql, request.items), ...FilterSql.words(sql, request.words, access)]
  const stores = sql.and(FilterSql.store(sql, request.store))
  const items = (more: ReadonlyArray<Fragment>) =>
    sql`SELECT ${columns} FROM ${sql(isAds ? "ad_search" : "product_search")} i WHERE ${sql.and([...more, ...conditions])}`
  if (request.store.length === 0) return items([])
  const isOfStore = sql`i.shop_id = s.id`
  // Without words PostgreSQL knows what is best. With them, OFFSET 0 keeps it from turning the two round.
  if (request.words.length === 0) {
    return sql`SELECT i.* FROM shop_search s CROSS JOIN LATERAL (${items([isOfStore])}) i WHERE ${stores}`
  }
  return access === "index"
    ? sql`SELECT i.* FROM (${items([])} OFFSET 0) i JOIN shop_search s ON ${isOfStore} WHERE ${stores}`
    : sql`
        SELECT i.* FROM (SELECT s.id FROM shop_search s WHERE ${stores} OFFSET 0) s
        CROSS JOIN LATERAL (${items([isOfStore])} OFFSET 0) i`
}
