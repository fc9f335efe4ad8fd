/** One product with all that is on record of it, for those who track its store or own it: `get_product`. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { ProductDetails } from "../../domain/catalog/ProductDetails.ts"
import type { ProductOnRecord } from "../../domain/catalog/ProductRecordItem.ts"
import { NotFound, ShopNotTracked } from "../../domain/ToolError.ts"
import { dashboardUrl } from "../tools/DashboardUrl.ts"
import * as ShopSql from "./ShopSql.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"

interface ProductRow {
  readonly id: number
  readonly title: string
  readonly url: string | null
  readonly image_url: string | null
  readonly price: number
  readonly currency: string | null
  readonly created_at: Date | null
  readonly details: unknown
  readonly shop_id: number
  readonly name: string
  readonly domain: string
  readonly country: string
  readonly is_tracked: boolean
  readonly is_own: boolean
}

const read = (sql: SqlClient.SqlClient, productId: number, accountId: AccountId) =>
  sql<ProductRow>`
  SELECT p.id, p.title, p.url, p.image_url, p.price, s.currency, p.created_at, p.details, s.id AS shop_id, s.name,
    s.domain, s.country, ${ShopSql.isOfKind(sql, accountId, "tracked")} AS is_tracked,
    ${ShopSql.isOfKind(sql, accountId, "own")} AS is_own
  FROM product p JOIN shop s ON s.id = p.shop_id
  WHERE p.id = ${productId}::int`

const decodeDetails = Schema.decodeUnknownEffect(Schema.NullOr(ProductDetails))

export class ProductReader extends Context.Service<
  ProductReader,
  {
    get(
      productId: number,
      accountId: AccountId
    ): Effect.Effect<ProductOnRecord, NotFound | ShopNotTracked | SearchFailure>
  }
>()("discovery/search/ProductReader") {
  static readonly layer: Layer.Layer<ProductReader, never, SqlClient.SqlClient | AppConfig> = Layer.effect(
    ProductReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits
      const shopPage = dashboardUrl(yield* AppConfig)

      const get = Effect.fn("ProductReader.get")(
        function* (productId: number, accountId: AccountId) {
          const [row] = yield* read(sql, productId, accountId)
          if (row === undefined) {
            return yield* new NotFound({
              message: `There is no product ${productId}.`,
              hint: "Take the id of a product from search_products."
            })
          }
          if (!row.is_tracked && !row.is_own) {
            return yield* new ShopNotTracked({
              message: `Details of product ${productId} are for tracked stores and own brand stores only; its store, ${row.shop_id}, is neither.`,
              hint: `Track the store at ${shopPage(row.shop_id)}, then call again.`
            })
          }
          // The import wrote them in this form: others are a defect.
          const details = yield* Effect.orDie(decodeDetails(row.details))
          return {
            id: row.id,
            title: row.title,
            url: row.url,
            imageUrl: row.image_url,
            price: row.price,
            currency: row.currency,
            createdAt: row.created_at === null ? null : row.created_at.toISOString(),
            details,
            shop: {
              id: row.shop_id,
              name: row.name,
              domain: row.domain,
              country: row.country,
              is_tracked: row.is_tracked,
              is_own: row.is_own
            }
          }
        },
        (effect) => permits.query(effect)
      )

      return ProductReader.of({ get })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
