/**
 * The boards of an account, and what is kept on them (D117). Boards and items of other accounts are as if they were not there. The
 * records of the items are read by services/search/BoardReader.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { KeptKind, maxBoards, maxKeptItems } from "../../domain/catalog/Board.ts"
import type { ItemRef } from "../../domain/catalog/Board.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { countOf, firstOf, hasRow, rowsOf } from "../database/Rows.ts"

export const Board = Schema.Struct({ id: Schema.Int, name: Schema.String, items: Schema.Int })
export type Board = typeof Board.Type

export const KeptItem = Schema.Struct({
  id: Schema.Int,
  boardId: Schema.Int,
  kind: KeptKind,
  itemId: Schema.Int,
  note: Schema.String
})
export type KeptItem = typeof KeptItem.Type

/** A board of the account, and the keys of those items that were asked for and are on it. */
export const Holding = Schema.Struct({ id: Schema.Int, name: Schema.String, kept: Schema.Array(Schema.String) })
export type Holding = typeof Holding.Type

/** It does not exist, or belongs to another account. */
export class BoardNotFound extends Schema.TaggedError<BoardNotFound>()("BoardNotFound", {}) {}

/** It is on no board of the account. */
export class KeptItemNotFound extends Schema.TaggedError<KeptItemNotFound>()("KeptItemNotFound", {}) {}

/** The account has the maximum number of boards. */
export class TooManyBoards extends Schema.TaggedError<TooManyBoards>()("TooManyBoards", {}) {}

/** The board has the maximum number of items. */
export class BoardFull extends Schema.TaggedError<BoardFull>()("BoardFull", { boardId: Schema.Int }) {}

/** The catalog has no such item. */
export class UnknownItem extends Schema.TaggedError<UnknownItem>()("UnknownItem", {}) {}

/** A board that is there, or the name of a new one. */
export type Place = { readonly boardId: number } | { readonly newName: string }

const tables: Readonly<Record<KeptKind, string>> = { ad: "ad", product: "product", store: "shop" }

const decodeBoards = rowsOf(Board)
const decodeBoard = firstOf(Board)
const decodeItem = firstOf(KeptItem)
const decodeHoldings = rowsOf(Holding)
const decodeId = firstOf(Schema.Struct({ id: Schema.Int }))
const decodeBoardId = firstOf(Schema.Struct({ boardId: Schema.Int }))

export class Boards extends Context.Service<
  Boards,
  {
    /** Returns its id. At most 50 for each account. */
    create(accountId: AccountId, name: string): Effect.Effect<number, TooManyBoards | ServiceUnavailable>
    /** Last used first, with the number of their items. */
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<Board>, ServiceUnavailable>
    get(accountId: AccountId, id: number): Effect.Effect<Board, BoardNotFound | ServiceUnavailable>
    rename(accountId: AccountId, id: number, name: string): Effect.Effect<void, BoardNotFound | ServiceUnavailable>
    /** With all that is kept on it. */
    remove(accountId: AccountId, id: number): Effect.Effect<void, BoardNotFound | ServiceUnavailable>
    /** Returns the id of the board. An item that is on it stays as it is. At most 500 for each board. */
    keep(
      accountId: AccountId,
      item: ItemRef,
      place: Place
    ): Effect.Effect<number, BoardNotFound | BoardFull | TooManyBoards | UnknownItem | ServiceUnavailable>
    item(accountId: AccountId, id: number): Effect.Effect<KeptItem, KeptItemNotFound | ServiceUnavailable>
    /** Returns the id of the board. `note` is empty for none. */
    annotate(
      accountId: AccountId,
      id: number,
      note: string
    ): Effect.Effect<number, KeptItemNotFound | ServiceUnavailable>
    /** Returns the id of the board. */
    drop(accountId: AccountId, id: number): Effect.Effect<number, KeptItemNotFound | ServiceUnavailable>
    /** Removes the items of a board that are no longer in the catalog. */
    dropGone(accountId: AccountId, boardId: number): Effect.Effect<void, BoardNotFound | ServiceUnavailable>
    /** All boards, last used first, with those of the items that are on them. */
    holding(
      accountId: AccountId,
      items: ReadonlyArray<ItemRef>
    ): Effect.Effect<ReadonlyArray<Holding>, ServiceUnavailable>
  }
>()("discovery/accounts/Boards") {
  static readonly layer = Layer.effect(
    Boards,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const boards = sql.literal(
        `b.id, b.name, (SELECT count(*)::int FROM kept_item k WHERE k.board_id = b.id) AS items`
      )

      /** Locks the account's row, so that one transaction at a time counts its boards and their items. */
      const lock = (accountId: AccountId) => sql`SELECT FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`

      /** Called after the lock. */
      const make = Effect.fnUntraced(function* (accountId: AccountId, name: string) {
        const at = new Date(yield* Clock.currentTimeMillis)
        const made = yield* sql`
          INSERT INTO board (account_id, name, used_at)
          SELECT ${accountId}::int, ${name}, ${at}::timestamptz
          WHERE (SELECT count(*) FROM board WHERE account_id = ${accountId}::int) < ${maxBoards}::int
          RETURNING id`.pipe(decodeId)
        return made === undefined ? yield* new TooManyBoards() : made.id
      })

      const create = Effect.fn("Boards.create")(
        function* (accountId: AccountId, name: string) {
          yield* lock(accountId)
          return yield* make(accountId, name)
        },
        sql.withTransaction,
        availableOnce
      )

      const list = Effect.fn("Boards.list")((accountId: AccountId) =>
        sql`SELECT ${boards} FROM board b WHERE b.account_id = ${accountId} ORDER BY b.used_at DESC, b.id DESC`.pipe(
          decodeBoards,
          availableToRead
        )
      )

      const get = Effect.fn("Boards.get")(function* (accountId: AccountId, id: number) {
        const board = yield* sql`SELECT ${boards} FROM board b WHERE b.account_id = ${accountId} AND b.id = ${id}`.pipe(
          decodeBoard,
          availableToRead
        )
        return board ?? (yield* new BoardNotFound())
      })

      const orNoBoard = (isDone: boolean) => (isDone ? Effect.void : Effect.fail(new BoardNotFound()))

      const rename = Effect.fn("Boards.rename")(function* (accountId: AccountId, id: number, name: string) {
        yield* sql`UPDATE board SET name = ${name} WHERE account_id = ${accountId} AND id = ${id} RETURNING id`.pipe(
          hasRow,
          availableOnce,
          Effect.flatMap(orNoBoard)
        )
      })

      const remove = Effect.fn("Boards.remove")(function* (accountId: AccountId, id: number) {
        yield* sql`DELETE FROM board WHERE account_id = ${accountId} AND id = ${id} RETURNING id`.pipe(
          hasRow,
          availableOnce,
          Effect.flatMap(orNoBoard)
        )
      })

      const keep = Effect.fn("Boards.keep")(
        function* (accountId: AccountId, { id, kind }: ItemRef, place: Place) {
          yield* lock(accountId)
          if (!(yield* hasRow(sql`SELECT FROM ${sql(tables[kind])} WHERE id = ${id}`))) return yield* new UnknownItem()
          const boardId = "boardId" in place ? place.boardId : yield* make(accountId, place.newName)
          const at = new Date(yield* Clock.currentTimeMillis)
          yield* sql`UPDATE board SET used_at = ${at} WHERE account_id = ${accountId} AND id = ${boardId} RETURNING id`.pipe(
            hasRow,
            Effect.flatMap(orNoBoard)
          )
          const others = yield* countOf(sql`
            SELECT count(*)::int AS count FROM kept_item
            WHERE board_id = ${boardId} AND (kind, item_id) <> (${kind}, ${id})`)
          if (others >= maxKeptItems) return yield* new BoardFull({ boardId })
          yield* sql`
            INSERT INTO kept_item (board_id, kind, item_id, kept_at) VALUES (${boardId}, ${kind}, ${id}, ${at})
            ON CONFLICT (board_id, kind, item_id) DO NOTHING`
          return boardId
        },
        sql.withTransaction,
        availableOnce
      )

      const item = Effect.fn("Boards.item")(function* (accountId: AccountId, id: number) {
        const found = yield* sql`
          SELECT k.id, k.board_id AS "boardId", k.kind, k.item_id AS "itemId", k.note
          FROM kept_item k JOIN board b ON b.id = k.board_id
          WHERE b.account_id = ${accountId} AND k.id = ${id}`.pipe(decodeItem, availableToRead)
        return found ?? (yield* new KeptItemNotFound())
      })

      const annotate = Effect.fn("Boards.annotate")(function* (accountId: AccountId, id: number, note: string) {
        const changed = yield* sql`
          UPDATE kept_item k SET note = ${note} FROM board b
          WHERE b.id = k.board_id AND b.account_id = ${accountId} AND k.id = ${id}
          RETURNING k.board_id AS "boardId"`.pipe(decodeBoardId, availableOnce)
        return changed === undefined ? yield* new KeptItemNotFound() : changed.boardId
      })

      const drop = Effect.fn("Boards.drop")(function* (accountId: AccountId, id: number) {
        const dropped = yield* sql`
          DELETE FROM kept_item k USING board b
          WHERE b.id = k.board_id AND b.account_id = ${accountId} AND k.id = ${id}
          RETURNING k.board_id AS "boardId"`.pipe(decodeBoardId, availableOnce)
        return dropped === undefined ? yield* new KeptItemNotFound() : dropped.boardId
      })

      const dropGone = Effect.fn("Boards.dropGone")(
        function* (accountId: AccountId, boardId: number) {
          yield* sql`SELECT FROM board WHERE account_id = ${accountId} AND id = ${boardId}`.pipe(
            hasRow,
            Effect.flatMap(orNoBoard)
          )
          for (const kind of KeptKind.literals) {
            yield* sql`
              DELETE FROM kept_item k WHERE k.board_id = ${boardId} AND k.kind = ${kind}
                AND NOT EXISTS (SELECT FROM ${sql(tables[kind])} r WHERE r.id = k.item_id)`
          }
        },
        sql.withTransaction,
        availableOnce
      )

      const holding = Effect.fn("Boards.holding")(function* (accountId: AccountId, items: ReadonlyArray<ItemRef>) {
        const [kinds, ids] = [items.map(({ kind }) => kind), items.map(({ id }) => id)]
        return yield* sql`
          SELECT b.id, b.name, (
            SELECT coalesce(json_agg(k.kind || ':' || k.item_id), '[]')
            FROM unnest(${kinds}::text[], ${ids}::int[]) w (kind, item_id) JOIN kept_item k USING (kind, item_id)
            WHERE k.board_id = b.id
          ) AS kept
          FROM board b WHERE b.account_id = ${accountId} ORDER BY b.used_at DESC, b.id DESC`.pipe(
          decodeHoldings,
          availableToRead
        )
      })

      return Boards.of({ create, list, get, rename, remove, keep, item, annotate, drop, dropGone, holding })
    })
  )
}
