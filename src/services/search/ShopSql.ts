/** Stores as statements: the columns of an answer's store, and the search for them. */
import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { ShopFacts } from "../../domain/catalog/ShopItem.ts"
import * as Page from "../../domain/search/Page.ts"
import * as FilterSql from "./FilterSql.ts"
import * as ShopRequest from "./ShopRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** How the caller stands to the store `s`. */
export const isOfKind = (sql: Sql, accountId: AccountId, kind: "tracked" | "own"): Fragment => sql`EXISTS (
  SELECT FROM tracked_shop k WHERE k.account_id = ${accountId}::int AND k.shop_id = s.id AND k.kind = ${kind}
)`

/** The fields of {@link ShopFacts} of the record `s` and its derived row `x`. */
export const facts = (sql: Sql, accountId: AccountId): Fragment => sql`
  s.id, s.name, s.domain, s.country, s.currency,
  (SELECT json_build_object('id', n.id, 'name', n.name) FROM niche n WHERE n.id = s.niche_id) AS niche,
  s.languages, s.monthly_revenue AS estimated_monthly_revenue, s.monthly_orders AS estimated_monthly_orders,
  nullif(x.visits, -1) AS monthly_visits, nullif(x.growth, '-infinity') AS traffic_growth_pct, x.n_active AS active_ads,
  nullif(x.products_count, -1) AS products_count, nullif(x.avg_price, -1) AS avg_price, s.trustpilot_rating,
  s.trustpilot_reviews, s.created_on::text AS created_on, ${isOfKind(sql, accountId, "tracked")} AS is_tracked`

export interface FoundRow {
  readonly version: number
  readonly total: number
  /** `null` when the page is empty. */
  readonly shops: ReadonlyArray<ShopFacts> | null
}

const unknown = (sql: Sql, column: ShopRequest.SortColumn): Fragment =>
  column === "growth" || column === "created" ? sql`s.${sql(column)} = '-infinity'` : sql`s.${sql(column)} < 0`

const ordering = (sql: Sql, { columns, direction }: ShopRequest.Order): Fragment =>
  sql.csv([
    ...columns.flatMap((column) =>
      direction === "desc" ? [sql`s.${sql(column)} DESC`] : [unknown(sql, column), sql`s.${sql(column)}`]
    ),
    sql`s.id`
  ])

/** What decides how the statement is written, never what it answers. */
export interface ShopPlan {
  readonly access: FilterSql.WordAccess
  readonly page: "walk" | "pass"
}

/**
 * Total and page in one statement, so of one state. Without any filter the catalogue knows the total and an index has the
 * order; with one, stores are counted and then walked in order, or a single pass gives both. Only what is not known yet is
 * counted. MATERIALIZED keeps LIMIT from turning the pass into a walk.
 */
export const search = (
  sql: Sql,
  request: ShopRequest.ShopRequest,
  accountId: AccountId,
  plan: ShopPlan,
  knownTotal?: number
) => {
  const { order, store, window, words } = request
  const keys = sql.csv(order.columns.map((column) => sql`s.${sql(column)}`))
  const isWhole = ShopRequest.asksNothing(request)
  const isPass = !isWhole && plan.page === "pass"
  const stores = sql`
    shop_search s
    WHERE ${sql.and([sql`s.id > 0`, ...FilterSql.store(sql, store), ...FilterSql.words(sql, words, plan.access, "s")])}`
  const matching = isPass ? sql`matching s` : stores
  const counted = isWhole ? sql`c.n_shops` : sql`(SELECT count(*)::int FROM ${matching})`
  const total = knownTotal === undefined ? counted : sql`${knownTotal}::int`
  const pass = sql`matching AS MATERIALIZED (SELECT s.id, ${keys} FROM ${stores}),`
  return sql<FoundRow>`
    WITH ${isPass ? pass : sql``}
    page AS MATERIALIZED (
      SELECT p.id, row_number() OVER () AS position FROM (
        SELECT s.id FROM ${matching} ORDER BY ${ordering(sql, order)}
        LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int
      ) p
    )
    SELECT c.version, ${total} AS total, (
      SELECT json_agg(to_json(f) ORDER BY page.position) FROM page CROSS JOIN LATERAL (
        SELECT ${facts(sql, accountId)} FROM shop s JOIN shop_search x ON x.id = s.id WHERE s.id = page.id
      ) f
    ) AS shops
    FROM catalogue c`
}
