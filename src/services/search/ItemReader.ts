/** Reads one ad or one product by its id, with the figures of its store, for its page. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import type { FoundProduct } from "../../domain/catalog/ProductItem.ts"
import type { SearchFailure } from "../limits/SearchPermits.ts"
import * as AdSql from "./AdSql.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import * as ProductSql from "./ProductSql.ts"
import { SearchRunner } from "./SearchRunner.ts"
import type { Versioned } from "./SearchRunner.ts"
import { figuresIn } from "./ShopFigures.ts"

type Found<A> = Effect.Effect<A | undefined, SearchFailure>

export class ItemReader extends Context.Service<
  ItemReader,
  {
    /** Absent if there is none. */
    ad(adId: number): Found<FoundAd>
    /** `accountId` affects only `shop.is_tracked`. */
    product(productId: number, accountId: AccountId): Found<FoundProduct>
  }
>()("discovery/search/ItemReader") {
  static readonly layer = Layer.effect(
    ItemReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const index = yield* CatalogSearch
      const runner = yield* SearchRunner
      const adsOf = runner.reader(AdSql.read(sql))
      const productsOf = runner.reader(ProductSql.read(sql))

      /** With the figures of the version of the catalog that has the record. */
      const withFigures = Effect.fnUntraced(function* (row: Versioned, storeId: number | null) {
        const { catalog, figures } = yield* index.figures(storeId === null ? [] : [storeId])
        const hasStore = storeId === null || figures.has(storeId)
        return { figuresOf: figuresIn(figures), isCurrent: hasStore && row.version <= catalog.version }
      })

      const ad = Effect.fn("ItemReader.ad")((adId: number) =>
        runner.fresh(
          Effect.gen(function* () {
            const [row] = yield* adsOf([adId])
            if (row === undefined) return { answer: undefined, isCurrent: true }
            const { figuresOf, isCurrent } = yield* withFigures(row, row.shop_id)
            return { answer: AdSql.toFound(figuresOf)(row), isCurrent }
          })
        )
      )

      const product = Effect.fn("ItemReader.product")((productId: number, accountId: AccountId) =>
        runner.fresh(
          Effect.gen(function* () {
            const [row] = yield* productsOf([productId], { accountId })
            if (row === undefined) return { answer: undefined, isCurrent: true }
            const { figuresOf, isCurrent } = yield* withFigures(row, row.shop_id)
            return { answer: ProductSql.toFound(figuresOf)(row), isCurrent }
          })
        )
      )

      return ItemReader.of({ ad, product })
    })
  )
}
