/** The newest products and running ads of a store, for its page. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import * as AdSql from "./AdSql.ts"
import * as ProductSql from "./ProductSql.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import { SearchRunner } from "./SearchRunner.ts"
import { figuresIn } from "./ShopFigures.ts"
import * as ShopSql from "./ShopSql.ts"

/** Limit for each kind: four rows of cards on a wide window. */
export const shownItems = 12

export interface NewestItems {
  /** Newest first, then higher id first. Products without a date are last. */
  readonly products: ReadonlyArray<FoundProduct>
  /** Running ads only. Latest start first, then higher id first. */
  readonly ads: ReadonlyArray<FoundAd>
}

const none: NewestItems = { products: [], ads: [] }

export class ShopItems extends Context.Service<
  ShopItems,
  {
    /** At most {@link shownItems} of each; empty for a store that does not exist. `accountId` affects only `is_tracked`. */
    newest(shopId: number, accountId: AccountId): Effect.Effect<NewestItems, SearchFailure>
  }
>()("discovery/search/ShopItems") {
  static readonly layer = Layer.effect(
    ShopItems,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogSearch
      const runner = yield* SearchRunner
      const shopsOf = runner.reader(ShopSql.read(sql))
      const productsOf = runner.reader(ProductSql.read(sql))
      const adsOf = runner.reader(AdSql.read(sql))

      const attempt = Effect.fnUntraced(function* (shopId: number, accountId: AccountId) {
        const { answer: newest, catalog, figures } = yield* index.newest(shopId, shownItems)
        if (!figures.has(shopId)) {
          // A store in the database that searches do not have yet has just been imported.
          const known = yield* shopsOf([shopId], { accountId })
          return { answer: none, isCurrent: known.length === 0 }
        }
        const products = yield* productsOf(newest.products, { accountId })
        const ads = yield* adsOf(newest.ads)
        const figuresOf = figuresIn(figures)
        return {
          answer: { products: products.map(ProductSql.toFound(figuresOf)), ads: ads.map(AdSql.toFound(figuresOf)) },
          isCurrent:
            products.length === newest.products.length &&
            ads.length === newest.ads.length &&
            [...products, ...ads].every((row) => row.version <= catalog.version)
        }
      })

      return ShopItems.of({
        newest: Effect.fn("ShopItems.newest")((shopId, accountId) => runner.fresh(attempt(shopId, accountId)))
      })
    })
  )
}
