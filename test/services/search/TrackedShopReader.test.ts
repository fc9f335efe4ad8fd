/** The stores that an account follows, as its page of stores reads them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ShopReader } from "../../../src/services/search/ShopReader.ts"
import { shopsPerPage, TrackedShopReader } from "../../../src/services/search/TrackedShopReader.ts"
import * as Access from "../../support/Access.ts"
import * as Searches from "../../support/Searches.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(Searches.layer, Access.layerUnhashed).pipe(Layer.provideMerge(TestDatabase.layer))

const newAccount = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

const ids = (items: ReadonlyArray<{ readonly id: number }>) => items.map(({ id }) => id)

layer(services, { excludeTestServices: true })("TrackedShopReader", (it) => {
  it.effect("an account follows its own stores first, then those that it tracked last, fifty on a page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reader = yield* TrackedShopReader
      const [account, other] = [yield* newAccount, yield* newAccount]
      const stores: Array<number> = []
      for (let index = 0; index < shopsPerPage + 3; index++) {
        const id = yield* StoreRecords.addStore()
        yield* sql`
          INSERT INTO tracked_shop VALUES
            (${account}, ${id}, ${index === 20 ? "own" : "tracked"}, timestamptz '2026-01-01' + ${index}::int * interval '1 day')`
        stores.unshift(id)
      }
      yield* StoreRecords.derive
      const [own = 0] = stores.splice(stores.length - 21, 1)
      const [first, second, third] = [
        yield* reader.page(account, 1),
        yield* reader.page(account, 2),
        yield* reader.page(account, 3)
      ]
      assert.deepStrictEqual([...ids(first.shops), ...ids(second.shops)], [own, ...stores])
      assert.deepStrictEqual([first.shops.length, second.shops.length], [shopsPerPage, 3])
      assert.deepStrictEqual(third, { shops: [], total: shopsPerPage + 3 })
      const [head, next] = first.shops
      assert.deepInclude(head, { is_own: true, is_tracked: false })
      assert.deepInclude(next, { is_own: false, is_tracked: true })
      // Figures are those of the store's own page.
      const { is_own: _, ...facts } = head ?? assert.fail()
      assert.deepInclude(yield* (yield* ShopReader).get(own, account), facts)
      assert.deepStrictEqual(yield* reader.page(other, 1), { shops: [], total: 0 })
    })
  )
})
