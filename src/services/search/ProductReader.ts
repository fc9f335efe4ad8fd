/** Reads the complete record of one product for `get_product`, for accounts that track or own its store. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { ProductDetails } from "../../domain/catalog/ProductDetails.ts"
import type { ProductOnRecord } from "../../domain/catalog/ProductRecordItem.ts"
import type { NotFound, ShopNotTracked } from "../../domain/ToolError.ts"
import { rowsOf } from "../database/Rows.ts"
import { dashboardUrl } from "../../domain/catalog/DashboardUrl.ts"
import * as ProductSql from "./ProductSql.ts"
import * as ShopSql from "./ShopSql.ts"
import { SearchPermits } from "../limits/SearchPermits.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** The import has validated the details, so rows that do not decode are a defect. */
const decodeRows = rowsOf(
  Schema.Struct({ ...ProductSql.ProductRow.fields, details: Schema.NullOr(ProductDetails), is_own: Schema.Boolean })
)

const read = (sql: SqlClient.SqlClient, productId: number, account: Statement.Fragment) =>
  sql`
      SELECT ${ProductSql.columns(sql, account)}, p.details, ${ShopSql.isOfKind(sql, account, "own")} AS is_own
      FROM product p JOIN shop s ON s.id = p.shop_id
      WHERE p.id = ${productId}::int`.pipe(decodeRows)

export class ProductReader extends Context.Service<
  ProductReader,
  {
    get(
      productId: number,
      accountId: AccountId
    ): Effect.Effect<ProductOnRecord, NotFound | ShopNotTracked | SearchFailure>
  }
>()("discovery/search/ProductReader") {
  static readonly layer = Layer.effect(
    ProductReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits
      const shopPage = dashboardUrl(yield* AppConfig)

      const get = Effect.fn("ProductReader.get")(
        function* (productId: number, accountId: AccountId) {
          const [row] = yield* read(sql, productId, sql`${accountId}::int`)
          if (row === undefined) {
            return yield* ToolErrorMessages.noProduct(productId)
          }
          if (!row.is_tracked && !row.is_own) {
            return yield* ToolErrorMessages.storeNotTracked(productId, row.shop_id, shopPage(row.shop_id))
          }
          return {
            ...ProductSql.toProduct(row),
            details: row.details,
            shop: { ...ProductSql.toShop(row), is_tracked: row.is_tracked, is_own: row.is_own }
          }
        },
        (effect) => permits.query(effect)
      )

      return ProductReader.of({ get })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
