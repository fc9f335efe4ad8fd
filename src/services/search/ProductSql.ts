/** Products as statements: what an answer tells of a product and its store, whichever the tool. */
import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import * as ShopSql from "./ShopSql.ts"

export interface ProductRow {
  readonly id: number
  readonly title: string
  readonly url: string | null
  readonly image_url: string | null
  readonly price: number
  readonly currency: string | null
  readonly created_at: Date | null
  readonly shop_id: number
  readonly name: string
  readonly domain: string
  readonly country: string
  readonly is_tracked: boolean
}

/** The columns of {@link ProductRow} of the record `p` and its store `s`. */
export const columns = (sql: SqlClient.SqlClient, accountId: AccountId): Statement.Fragment => sql`
  p.id, p.title, p.url, p.image_url, p.price, s.currency, p.created_at, s.id AS shop_id, s.name, s.domain, s.country,
  ${ShopSql.isOfKind(sql, accountId, "tracked")} AS is_tracked`

export const toProduct = (row: ProductRow) => ({
  id: row.id,
  title: row.title,
  url: row.url,
  imageUrl: row.image_url,
  price: row.price,
  currency: row.currency,
  createdAt: row.created_at === null ? null : row.created_at.toISOString()
})

export const toShop = (row: ProductRow) => ({
  id: row.shop_id,
  name: row.name,
  domain: row.domain,
  country: row.country
})

interface FoundRow extends ProductRow {
  readonly version: number
  readonly monthly_revenue: number | null
  readonly monthly_orders: number | null
  readonly visits: number | null
  readonly growth: number | null
  readonly active_ads: number
}

/** The products of a page, in the order of its ids, as {@link toFound} takes them. */
export const hydrate = (sql: SqlClient.SqlClient, accountId: AccountId) => (ids: Statement.Fragment) =>
  sql<FoundRow>`
  WITH page AS MATERIALIZED (SELECT * FROM unnest(ARRAY(${ids})) WITH ORDINALITY p(id, position))
  SELECT c.version, ${columns(sql, accountId)}, s.monthly_revenue, s.monthly_orders,
    nullif(x.visits, -1) AS visits, nullif(x.growth, '-infinity') AS growth, x.n_active AS active_ads
  FROM page
  CROSS JOIN catalogue c
  JOIN product p ON p.id = page.id
  JOIN shop s ON s.id = p.shop_id
  JOIN shop_search x ON x.id = s.id
  ORDER BY page.position`

export const toFound = (row: FoundRow): FoundProduct => ({
  ...toProduct(row),
  shop: {
    ...toShop(row),
    estimated_monthly_revenue: row.monthly_revenue,
    estimated_monthly_orders: row.monthly_orders,
    monthly_visits: row.visits,
    traffic_growth_pct: row.growth,
    active_ads: row.active_ads,
    is_tracked: row.is_tracked
  }
})
