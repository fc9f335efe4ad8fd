/** What a board shows of the catalog: the records that searches show, and what is gone (D117). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ItemRef } from "../../../src/domain/catalog/Board.ts"
import { Boards } from "../../../src/services/accounts/Boards.ts"
import { BoardReader, keptPerPage } from "../../../src/services/search/BoardReader.ts"
import type { BoardItem } from "../../../src/services/search/BoardReader.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../../../src/services/search/Searches.ts"
import * as Access from "../../support/Access.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed, stampEverything } from "../../support/Stamps.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"

const services = Layer.mergeAll(Searches.layer, Access.layerUnhashed, Boards.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

const refOf = ({ itemId: id, kind }: BoardItem): ItemRef => ({ kind, id })

describe.each([21, 22])("of a random catalog, seed %i", (seed) => {
  const catalog = NaiveCatalog.generate(seed, 20)

  layer(services, { excludeTestServices: true })((it) => {
    it.effect(
      "D117 the pages of a board have each kept item once, latest first, with the record that searches show",
      () =>
        Effect.gen(function* () {
          yield* loadCatalog(catalog)
          yield* indexed
          const boards = yield* Boards
          const reader = yield* BoardReader
          const account = yield* newAccount
          const boardId = yield* boards.create(account, "All kinds")
          const kept: Array<ItemRef> = []
          for (let index = 0; index < 12; index++) {
            const [ad, product, shop] = [catalog.ads[index], catalog.products[index * 2], catalog.shops[index]]
            if (ad !== undefined) kept.push({ kind: "ad", id: ad.id })
            if (product !== undefined) kept.push({ kind: "product", id: product.id })
            if (shop !== undefined) kept.push({ kind: "store", id: shop.id })
          }
          for (const item of kept) yield* boards.keep(account, item, { boardId })
          assert.isAbove(kept.length, 2 * keptPerPage)
          const shown: Array<BoardItem> = []
          for (let page = 1; shown.length < kept.length; page++) {
            const { gone, items, total } = yield* reader.page(account, boardId, page)
            assert.deepStrictEqual([gone, total], [0, kept.length])
            assert.isTrue(items.length === keptPerPage || shown.length + items.length === kept.length)
            shown.push(...items)
          }
          assert.deepStrictEqual(shown.map(refOf), kept.toReversed())
          for (const { kind, record } of shown) {
            const shop = kind === "store" ? record : record?.shop
            if (record === undefined) assert.fail("a record is missing")
            if (shop === undefined || shop === null) continue
            const same = { shop_ids: [shop.id], per_page: 25 } as const
            const found: ReadonlyArray<{ readonly id: number }> =
              kind === "ad"
                ? (yield* (yield* AdSearch).search({ ...same, sort_by: "newest" })).ads
                : kind === "product"
                  ? (yield* (yield* ProductSearch).search({ ...same, sort_by: "newest" }, account)).products
                  : (yield* (yield* ShopSearch).search(same, account)).shops
            const equal = found.find(({ id }) => id === record.id)
            if (equal !== undefined) assert.deepStrictEqual(record, equal)
          }
        })
    )
  })
})

layer(services, { excludeTestServices: true })("D117 a board", (it) => {
  it.effect("counts what is no longer in the catalog on all of its pages, and still shows its place and note", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const boards = yield* Boards
      const reader = yield* BoardReader
      const account = yield* newAccount
      const shop = yield* StoreRecords.addStore()
      for (let index = 0; index < keptPerPage + 2; index++) yield* StoreRecords.addProduct(shop)
      yield* StoreRecords.derive
      const products = yield* sql<{ readonly id: number }>`SELECT id FROM product WHERE shop_id = ${shop} ORDER BY id`
      const boardId = yield* boards.create(account, "Board")
      for (const { id } of products) yield* boards.keep(account, { kind: "product", id }, { boardId })
      const [oldest, ...others] = products
      const latest = others.at(-1)
      const [first] = (yield* reader.page(account, boardId, 1)).items
      yield* boards.annotate(account, first?.id ?? 0, "Wait for the sale")
      yield* sql`DELETE FROM product WHERE id IN (${oldest?.id}, ${latest?.id})`
      yield* StoreRecords.derive
      const page = yield* reader.page(account, boardId, 1)
      assert.deepStrictEqual([page.gone, page.total, page.items.length], [2, products.length, keptPerPage])
      assert.deepInclude(page.items[0], { itemId: latest?.id ?? 0, note: "Wait for the sale", record: undefined })
      assert.isTrue(page.items.slice(1).every(({ record }) => record !== undefined))
      yield* boards.dropGone(account, boardId)
      const after = yield* reader.page(account, boardId, 1)
      assert.deepStrictEqual([after.gone, after.total], [0, products.length - 2])
      assert.isEmpty((yield* reader.page(account, boardId, 9)).items)
    })
  )

  it.effect(
    "waits for the index where the catalog has a newer version than it: no record is newer than its figures",
    () =>
      Effect.gen(function* () {
        const boards = yield* Boards
        const reader = yield* BoardReader
        const account = yield* newAccount
        const id = yield* StoreRecords.addStore({ ...StoreRecords.everyColumn, niche_id: null })
        const boardId = yield* boards.create(account, "Board")
        yield* boards.keep(account, { kind: "store", id }, { boardId })
        // The index does not have the store yet, and nothing tells it to look.
        yield* stampEverything
        const { items } = yield* reader.page(account, boardId, 1)
        assert.deepInclude(items[0]?.record, { id, estimated_monthly_revenue: 184_250.4 })
      })
  )

  it.effect("of another account is empty", () =>
    Effect.gen(function* () {
      const boards = yield* Boards
      const reader = yield* BoardReader
      const [owner, other] = [yield* newAccount, yield* newAccount]
      const id = yield* StoreRecords.addStore()
      yield* StoreRecords.derive
      const boardId = yield* boards.create(owner, "Board")
      yield* boards.keep(owner, { kind: "store", id }, { boardId })
      assert.deepStrictEqual(yield* reader.page(other, boardId, 1), { items: [], total: 0, gone: 0 })
    })
  )
})
