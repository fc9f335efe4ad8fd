/** Products as statements: what an answer tells of a product and its store, whichever the tool. */
import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
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
