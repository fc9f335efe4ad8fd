/** What a store has brought out last: its newest products and the ads that it runs, for its page. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import * as AdKey from "./AdKey.ts"
import * as AdSql from "./AdSql.ts"
import * as ProductSql from "./ProductSql.ts"
import { SearchPermits } from "./SearchPermits.ts"
import type { SearchFailure } from "./SearchPermits.ts"

/** Of each kind: four rows of cards on a wide window, and a page that is read to its end. */
export const shownItems = 12

export interface NewestItems {
  /** Newest first, of equal ones the higher id; those whose day is not known come last. */
  readonly products: ReadonlyArray<FoundProduct>
  /** Running ones only, the one that started last first, of equal ones the higher id. */
  readonly ads: ReadonlyArray<FoundAd>
}

/**
 * No index has one store's products by their day, and none is needed: that of the store has the day in it, so 50,000
 * products are read and sorted in 10 ms without a look at the table. OFFSET 0 keeps PostgreSQL from walking all products by
 * day instead until twelve are the store's, which are millions when its newest are old.
 */
const newestProducts = (sql: SqlClient.SqlClient, shopId: number): Statement.Fragment => sql`
  SELECT i.id FROM (
    SELECT p.id, p.created FROM product_search p WHERE p.shop_id = ${shopId}::int OFFSET 0
  ) i ORDER BY i.created DESC, i.id DESC LIMIT ${shownItems}::int`

/**
 * `pick` has running ads first, and the newest of them first: the walk ends after the last one that is shown. Store 0 is
 * none, but has the ads without one.
 */
const newestAds = (sql: SqlClient.SqlClient, shopId: number): Statement.Fragment => sql`
  SELECT i.id FROM ad_search i
  WHERE i.shop_id = ${shopId}::int AND i.shop_id > 0 AND i.pick >= ${sql.literal(AdKey.sqlLowestRunningPick)}
  ORDER BY i.pick DESC LIMIT ${shownItems}::int`

export class ShopItems extends Context.Service<
  ShopItems,
  {
    /** At most {@link shownItems} of each; none of a store that does not exist. `accountId` decides `is_tracked` only. */
    newest(shopId: number, accountId: AccountId): Effect.Effect<NewestItems, SearchFailure>
  }
>()("discovery/search/ShopItems") {
  static readonly layer: Layer.Layer<ShopItems, never, SqlClient.SqlClient> = Layer.effect(
    ShopItems,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const permits = yield* SearchPermits

      const newest = Effect.fn("ShopItems.newest")(
        function* (shopId: number, accountId: AccountId) {
          const products = yield* ProductSql.hydrate(sql, accountId)(newestProducts(sql, shopId))
          const ads = yield* AdSql.hydrate(sql)(newestAds(sql, shopId))
          return { products: products.map(ProductSql.toFound), ads: ads.map(AdSql.toFound) }
        },
        (effect) => permits.query(effect)
      )

      return ShopItems.of({ newest })
    })
  ).pipe(Layer.provide(SearchPermits.layer))
}
