/** SQL that reads products by id, with the fields that all tools return. */
import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { facts } from "../../domain/catalog/ProductItem.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import { rowsOf } from "../database/Rows.ts"
import { shown } from "./ShopFigures.ts"
import type { FiguresOf } from "./ShopFigures.ts"
import * as ShopSql from "./ShopSql.ts"

export const ProductRow = Schema.Struct({
  version: Schema.Int,
  ...facts,
  created_at: Schema.NullOr(Schema.Date),
  shop_id: Schema.Int,
  name: Schema.String,
  domain: Schema.String,
  country: Schema.String,
  is_tracked: Schema.Boolean
})
type ProductRow = typeof ProductRow.Type
const decodeProducts = rowsOf(Schema.Struct({ request: Schema.Int, ...ProductRow.fields }))

/** The columns of {@link ProductRow}, from the product `p` and its store `s`. */
export const columns = (sql: SqlClient.SqlClient, account: Statement.Fragment): Statement.Fragment => sql`
  greatest(p.version, s.version) AS version, p.id, p.title, p.url, p.image_url, p.price, s.currency, p.created_at,
  s.id AS shop_id, s.name, s.domain, s.country, ${ShopSql.isOfKind(sql, account, "tracked")} AS is_tracked`

/** For `SearchRunner.reader`. */
export const read = (sql: SqlClient.SqlClient) => (wanted: Statement.Fragment) =>
  sql`
      SELECT w.request, ${columns(sql, sql`w.account_id`)}
      FROM ${wanted} JOIN product p ON p.id = w.id JOIN shop s ON s.id = p.shop_id`.pipe(decodeProducts)

export const toProduct = ({ created_at, currency, id, image_url, price, title, url }: ProductRow) => ({
  id,
  title,
  url,
  image_url,
  price,
  currency,
  created_at: created_at?.toISOString() ?? null
})

export const toShop = ({ country, domain, name, shop_id: id }: ProductRow) => ({ id, name, domain, country })

const figures = shown([
  "estimated_monthly_revenue",
  "estimated_monthly_orders",
  "monthly_visits",
  "traffic_growth_pct",
  "active_ads"
])

export const toFound =
  (figuresOf: FiguresOf) =>
  (row: ProductRow): FoundProduct => ({
    ...toProduct(row),
    shop: { ...toShop(row), ...figures(figuresOf(row.shop_id)), is_tracked: row.is_tracked }
  })
