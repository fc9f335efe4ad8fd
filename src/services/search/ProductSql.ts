/** SQL that reads products by id, with the fields that all tools return. */
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import { rowsOf } from "../database/Rows.ts"
import type { SegmentList } from "./index/Segment.ts"
import { figuresOf } from "./ShopFigures.ts"
import * as ShopSql from "./ShopSql.ts"

const Text = Schema.NullOr(Schema.String)
export const ProductRow = Schema.Struct({
  version: Schema.Int,
  id: Schema.Int,
  title: Schema.String,
  url: Text,
  image_url: Text,
  price: Schema.Finite,
  currency: Text,
  created_at: Schema.NullOr(Schema.Date),
  shop_id: Schema.Int,
  name: Schema.String,
  domain: Schema.String,
  country: Schema.String,
  is_tracked: Schema.Boolean
})
type ProductRow = typeof ProductRow.Type
const decodeProducts = rowsOf(ProductRow)

/** The columns of {@link ProductRow}, from the product `p` and its store `s`. */
export const columns = (sql: SqlClient.SqlClient, accountId: AccountId): Statement.Fragment => sql`
  greatest(p.version, s.version) AS version, p.id, p.title, p.url, p.image_url, p.price, s.currency, p.created_at,
  s.id AS shop_id, s.name, s.domain, s.country, ${ShopSql.isOfKind(sql, accountId, "tracked")} AS is_tracked`

export const read = (sql: SqlClient.SqlClient, accountId: AccountId) => (ids: ReadonlyArray<number>) =>
  sql`
      SELECT ${columns(sql, accountId)} FROM product p JOIN shop s ON s.id = p.shop_id WHERE p.id = ANY(${ids}::int[])`.pipe(
    decodeProducts
  )

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

export const toFound =
  (list: SegmentList) =>
  (row: ProductRow): FoundProduct => {
    const figures = figuresOf(list, row.shop_id)
    return {
      ...toProduct(row),
      shop: {
        ...toShop(row),
        estimated_monthly_revenue: figures.revenue,
        estimated_monthly_orders: figures.orders,
        monthly_visits: figures.visits,
        traffic_growth_pct: figures.growth,
        active_ads: figures.active_ads,
        is_tracked: row.is_tracked
      }
    }
  }
