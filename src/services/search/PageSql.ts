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
      return GatherSql.page(sql, request, plan.access)
    case "WalkItems":
      return walkItems(sql, request, plan.order)
    case "WalkStores":
      return StoresSql.walk(sql, request)
    case "SortStores":
      return StoresSql.sort(sql, request)
    case "ProbeStores":
      return StoresSql.probe(sql, request)
  }
}

/** The page with `total` and `stores`. */
export const pageAndCount = (sql: Sql, request: SearchRequest, plan: AtOncePlan) =>
  plan._tag === "GatherItems"
    ? GatherSql.pageAndCount(sql, request, plan.access)
    : StoresSql.pageAndCount(sql, request, plan._tag)

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
