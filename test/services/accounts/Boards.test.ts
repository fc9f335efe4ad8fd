/** Boards: their limits, also when many things happen at once, and whose they are (D117). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { maxBoards, maxKeptItems } from "../../../src/domain/catalog/Board.ts"
import { Boards } from "../../../src/services/accounts/Boards.ts"
import * as Access from "../../support/Access.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(Boards.layer, Access.layerUnhashed).pipe(Layer.provideMerge(TestDatabase.layer))

const newAccount = Effect.map(Access.subscriber(), ({ caller }) => caller.accountId)

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "ok" as const, onFailure: ({ _tag }) => _tag })

/** What is on a board, latest first. */
const itemsOf = (board: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{
        readonly id: number
        readonly kind: string
        readonly note: string
      }>`SELECT id, kind, note FROM kept_item WHERE board_id = ${board} ORDER BY id DESC`
  )

/** Ids of this many products of one store. */
const products = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const shop = yield* StoreRecords.addStore()
  const rows = yield* sql<{ readonly id: number }>`
    INSERT INTO product (shop_id, key, title, price)
    SELECT ${shop}::int, 'p' || n, 'A product', 1 FROM generate_series(1, ${count}::int) n RETURNING id`
  return rows.map(({ id }) => id)
})

layer(services, { excludeTestServices: true })("D117 boards", (it) => {
  it.effect("are at most 50 an account, also when they are made at once", () =>
    Effect.gen(function* () {
      const boards = yield* Boards
      const account = yield* newAccount
      const names = Array.from({ length: maxBoards + 5 }, (_, index) => `Board ${index}`)
      const made = yield* Effect.forEach(names, (name) => tagOf(boards.create(account, name)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(made.filter((tag) => tag === "ok").length, maxBoards)
      assert.strictEqual(made.filter((tag) => tag === "TooManyBoards").length, 5)
      assert.strictEqual((yield* boards.list(account)).length, maxBoards)
      // Nor does the first item that is kept make one more.
      const [id = 0] = yield* products(1)
      const kept = yield* tagOf(boards.keep(account, { kind: "product", id }, { newName: "One more" }))
      assert.strictEqual(kept, "TooManyBoards")
      const [last] = yield* boards.list(account)
      yield* boards.remove(account, last?.id ?? 0)
      assert.strictEqual(yield* tagOf(boards.create(account, "Room again")), "ok")
    })
  )

  it.effect("have at most 500 items each, also when they are kept at once, and one that is there stays as it is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const boards = yield* Boards
      const account = yield* newAccount
      const boardId = yield* boards.create(account, "Full")
      const ids = yield* products(maxKeptItems + 3)
      yield* sql`
        INSERT INTO kept_item (board_id, kind, item_id, note, kept_at)
        SELECT ${boardId}::int, 'product', id, 'mine', now() FROM unnest(${ids.slice(5)}::int[]) id`
      const results = yield* Effect.forEach(
        ids.slice(0, 5),
        (id) => tagOf(boards.keep(account, { kind: "product", id }, { boardId })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.toSorted(), ["BoardFull", "BoardFull", "BoardFull", "ok", "ok"])
      const before = yield* itemsOf(boardId)
      assert.strictEqual(before.length, maxKeptItems)
      const there = { kind: "product", id: ids[7] ?? 0 } as const
      assert.strictEqual(yield* boards.keep(account, there, { boardId }), boardId)
      assert.deepStrictEqual(yield* itemsOf(boardId), before)
    })
  )

  it.effect("the board that was used last comes first, and says what is on it", () =>
    Effect.gen(function* () {
      const boards = yield* Boards
      const account = yield* newAccount
      const [one = 0, two = 0] = yield* products(2)
      const first = yield* boards.create(account, "First")
      const second = yield* boards.create(account, "Second")
      yield* boards.keep(account, { kind: "product", id: one }, { boardId: first })
      yield* boards.keep(account, { kind: "product", id: two }, { boardId: second })
      yield* boards.keep(account, { kind: "product", id: one }, { boardId: first })
      assert.deepStrictEqual(yield* boards.list(account), [
        { id: first, name: "First", items: 1 },
        { id: second, name: "Second", items: 1 }
      ])
      // The same id of another kind is another item.
      const asked = [one, two].flatMap((id) => (["product", "store"] as const).map((kind) => ({ kind, id })))
      assert.deepStrictEqual(yield* boards.holding(account, asked), [
        { id: first, name: "First", kept: [`product:${one}`] },
        { id: second, name: "Second", kept: [`product:${two}`] }
      ])
      assert.deepStrictEqual(
        (yield* boards.holding(account, [])).map(({ kept }) => kept),
        [[], []]
      )
    })
  )

  it.effect("what the catalog does not have cannot be kept; what it no longer has stays until it is removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const boards = yield* Boards
      const account = yield* newAccount
      const shop = yield* StoreRecords.addStore()
      yield* StoreRecords.addAd(shop)
      const [ad] = yield* sql<{ readonly id: number }>`SELECT max(id) AS id FROM ad`
      const boardId = yield* boards.create(account, "Board")
      for (const kind of ["ad", "product", "store"] as const) {
        const result = yield* tagOf(boards.keep(account, { kind, id: 2_147_483_647 }, { boardId }))
        assert.strictEqual(result, "UnknownItem")
      }
      yield* boards.keep(account, { kind: "ad", id: ad?.id ?? 0 }, { boardId })
      yield* boards.keep(account, { kind: "store", id: shop }, { boardId })
      yield* sql`DELETE FROM ad WHERE id = ${ad?.id ?? 0}`
      assert.strictEqual((yield* itemsOf(boardId)).length, 2)
      yield* boards.dropGone(account, boardId)
      assert.deepStrictEqual(
        (yield* itemsOf(boardId)).map(({ kind }) => kind),
        ["store"]
      )
    })
  )

  it.effect("and their items belong to one account: for another they are as if they were not there", () =>
    Effect.gen(function* () {
      const boards = yield* Boards
      const [owner, other] = [yield* newAccount, yield* newAccount]
      const [id = 0, more = 0] = yield* products(2)
      const boardId = yield* boards.create(owner, "Mine")
      yield* boards.keep(owner, { kind: "product", id }, { boardId })
      const [item] = yield* itemsOf(boardId)
      const itemId = item?.id ?? 0
      yield* boards.annotate(owner, itemId, "A note")
      const before = yield* itemsOf(boardId)
      const attempts = (account: AccountId, board: number, kept: number) =>
        Effect.all([
          tagOf(boards.get(account, board)),
          tagOf(boards.rename(account, board, "Taken")),
          tagOf(boards.remove(account, board)),
          tagOf(boards.dropGone(account, board)),
          tagOf(boards.keep(account, { kind: "product", id: more }, { boardId: board })),
          tagOf(boards.item(account, kept)),
          tagOf(boards.annotate(account, kept, "Taken")),
          tagOf(boards.drop(account, kept))
        ])
      const nobodys = yield* attempts(other, 2_147_483_647, 2_147_483_647)
      assert.deepStrictEqual(yield* attempts(other, boardId, itemId), nobodys)
      assert.deepStrictEqual(Array.from(new Set(nobodys)).toSorted(), ["BoardNotFound", "KeptItemNotFound"])
      assert.deepStrictEqual(yield* boards.list(other), [])
      assert.deepStrictEqual(yield* boards.list(owner), [{ id: boardId, name: "Mine", items: 1 }])
      assert.deepStrictEqual(yield* itemsOf(boardId), before)
      assert.strictEqual(yield* boards.drop(owner, itemId), boardId)
    })
  )

  it.effect("go with all that is on them", () =>
    Effect.gen(function* () {
      const boards = yield* Boards
      const account = yield* newAccount
      const [id = 0] = yield* products(1)
      const boardId = yield* boards.keep(account, { kind: "product", id }, { newName: "Made by an item" })
      assert.deepStrictEqual(yield* boards.list(account), [{ id: boardId, name: "Made by an item", items: 1 }])
      yield* boards.remove(account, boardId)
      assert.deepStrictEqual(yield* boards.list(account), [])
      assert.deepStrictEqual(yield* itemsOf(boardId), [])
    })
  )
})
