/** Page plans as queries that give the ids of the page's items, in order. The order's rules are {@link Order}'s. */
import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import * as Page from "../../domain/search/Page.ts"
import * as FilterSql from "./FilterSql.ts"
import * as GatherSql from "./GatherSql.ts"
import * as OrderSql from "./OrderSql.ts"
import type { AtOncePlan, PagePlan } from "./Plan.ts"
import * as StoresSql from "./StoresSql.ts"
import type { SearchRequest } from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

export const page = (sql: Sql, request: SearchRequest, plan: PagePlan): Fragment => {
  switch (plan._tag) {
    case "GatherItems":
      return GatherSql.page(sql, request, plan)
    case "GatherStores":
      return GatherSql.page(sql, request, plan)
    case "WalkItems":
      return walkItems(sql, request, plan.order, itsStore(sql, request))
    case "ProbeItems":
      return walkItems(sql, request, plan.order, { join: sql``, conditions: amongStores(sql, request) })
    case "WalkStores":
      return StoresSql.walk(sql, request)
    case "SortStores":
      return StoresSql.sort(sql, request)
  }
}

/** The page with `total` and `stores`. */
export const pageAndCount = (sql: Sql, request: SearchRequest, plan: AtOncePlan) =>
  plan._tag === "SortStores" ? StoresSql.pageAndCount(sql, request) : GatherSql.pageAndCount(sql, request, plan)

const table = (sql: Sql, request: SearchRequest) => sql(request.items._tag === "Ads" ? "ad_search" : "product_search")

const limits = (sql: Sql, { window }: SearchRequest): Fragment =>
  sql`LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int`

/** All that comes up to the end of the page. */
const needed = ({ window }: SearchRequest): number => Page.offset(window) + window.perPage

const itemConditions = (sql: Sql, request: SearchRequest, access: FilterSql.WordAccess): ReadonlyArray<Fragment> => [
  ...FilterSql.items(sql, request.items),
  ...FilterSql.words(sql, request.words, access)
]

/** How a walk tells whether the store of an item matches. */
interface StoreTest {
  readonly join: Fragment
  readonly conditions: ReadonlyArray<Fragment>
}

/** OFFSET 0 keeps the store's test behind the walk, instead of a join that would have to be sorted. */
const itsStore = (sql: Sql, request: SearchRequest): StoreTest => {
  const store = FilterSql.store(sql, request.store)
  if (store.length === 0) return { join: sql``, conditions: [] }
  return {
    join: sql`CROSS JOIN LATERAL (SELECT FROM shop_search s WHERE s.id = i.shop_id AND ${sql.and(store)} OFFSET 0) s`,
    conditions: []
  }
}

/** IS TRUE keeps PostgreSQL from joining the stores: they are looked up in a hash table. */
const amongStores = (sql: Sql, request: SearchRequest): ReadonlyArray<Fragment> => {
  const store = FilterSql.store(sql, request.store)
  return store.length === 0
    ? []
    : [sql`(i.shop_id IN (SELECT s.id FROM shop_search s WHERE ${sql.and(store)})) IS TRUE`]
}

const walkItems = (sql: Sql, request: SearchRequest, order: OrderSql.ItemOrder, store: StoreTest): Fragment => {
  const walk = (part: ReadonlyArray<Fragment>, keys: Fragment, limits: Fragment): Fragment => sql`
    SELECT i.id, i.${sql(order.column)} FROM ${table(sql, request)} i ${store.join}
    WHERE ${sql.and([...part, ...store.conditions, ...itemConditions(sql, request, "scan")])} ORDER BY ${keys} ${limits}`
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
