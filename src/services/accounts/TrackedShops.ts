/**
 * The stores that an account tracks, and its own stores (D12). They decide `is_tracked` and the access to
 * `get_product`.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import * as StoreDomain from "../../domain/catalog/StoreDomain.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { countOf, firstOf, rowsOf } from "../database/Rows.ts"

/** Tracked and own stores together. */
export const maxTrackedShops = 1_000

export const TrackingKind = Schema.Literals(["tracked", "own"])
export type TrackingKind = typeof TrackingKind.Type

export const TrackedShop = Schema.Struct({ shopId: Schema.Int, domain: Schema.String, kind: TrackingKind })
export type TrackedShop = typeof TrackedShop.Type

/** The catalog has no store with this domain or id. */
export class UnknownStore extends Schema.TaggedError<UnknownStore>()("UnknownStore", { message: Schema.String }) {}

/** The account has the highest number of tracked and own stores. */
export class TooManyTrackedShops extends Schema.TaggedError<TooManyTrackedShops>()("TooManyTrackedShops", {
  message: Schema.String
}) {}

/** The store is neither tracked by the account nor its own. */
export class TrackedShopNotFound extends Schema.TaggedError<TrackedShopNotFound>()("TrackedShopNotFound", {
  message: Schema.String
}) {}

const decodeShop = firstOf(Schema.Struct({ id: Schema.Int, domain: Schema.String }))
const decodeStanding = firstOf(Schema.Struct({ kind: Schema.NullOr(TrackingKind) }))
const decodeTracked = rowsOf(TrackedShop)

export class TrackedShops extends Context.Service<
  TrackedShops,
  {
    /** By domain, in any spelling. A store that the account has already gets the `kind`. At most 1,000 for each account. */
    add(
      accountId: AccountId,
      domain: string,
      kind: TrackingKind
    ): Effect.Effect<TrackedShop, UnknownStore | TooManyTrackedShops | ServiceUnavailable>
    /** Whether tracked or own. */
    remove(accountId: AccountId, domain: string): Effect.Effect<void, TrackedShopNotFound | ServiceUnavailable>
    /** By id. An own store stays an own store. */
    track(
      accountId: AccountId,
      shopId: number
    ): Effect.Effect<TrackingKind, UnknownStore | TooManyTrackedShops | ServiceUnavailable>
    /** By id. Returns `own` for an own store, which stays one. */
    untrack(accountId: AccountId, shopId: number): Effect.Effect<"own" | undefined, UnknownStore | ServiceUnavailable>
    /** Sorted by domain, at most 1,000. */
    list(accountId: AccountId): Effect.Effect<ReadonlyArray<TrackedShop>, ServiceUnavailable>
  }
>()("discovery/accounts/TrackedShops") {
  static readonly layer = Layer.effect(
    TrackedShops,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Called after a lock of the account's row, so that one transaction at a time counts its stores. */
      const ensureRoom = Effect.fnUntraced(function* (accountId: AccountId, shopId: number) {
        const count = yield* sql`
            SELECT count(*)::int AS count FROM tracked_shop WHERE account_id = ${accountId} AND shop_id <> ${shopId}`.pipe(
          countOf
        )
        if (count >= maxTrackedShops) return yield* tooMany()
      })

      const add = Effect.fn("TrackedShops.add")(
        function* (accountId: AccountId, address: string, kind: TrackingKind) {
          const domain = StoreDomain.normalize(address)
          yield* sql`SELECT FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
          const shop = yield* decodeShop(sql`SELECT id, domain FROM shop WHERE domain = ${domain}`)
          if (shop === undefined) {
            return yield* new UnknownStore({ message: `The catalog has no store with the domain ${domain}.` })
          }
          yield* ensureRoom(accountId, shop.id)
          yield* sql`
          INSERT INTO tracked_shop (account_id, shop_id, kind) VALUES (${accountId}, ${shop.id}, ${kind})
          ON CONFLICT (account_id, shop_id) DO UPDATE SET kind = excluded.kind`
          return { shopId: shop.id, domain: shop.domain, kind }
        },
        sql.withTransaction,
        availableOnce
      )

      const kindOf = Effect.fnUntraced(function* (accountId: AccountId, shopId: number) {
        const shop = yield* sql`
            SELECT t.kind FROM shop s LEFT JOIN tracked_shop t ON t.shop_id = s.id AND t.account_id = ${accountId}
            WHERE s.id = ${shopId}`.pipe(decodeStanding)
        return shop === undefined
          ? yield* new UnknownStore({ message: `The catalog has no store ${shopId}.` })
          : shop.kind
      })

      const track = Effect.fn("TrackedShops.track")(
        function* (accountId: AccountId, shopId: number) {
          yield* sql`SELECT FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
          const kind = yield* kindOf(accountId, shopId)
          if (kind !== null) return kind
          yield* ensureRoom(accountId, shopId)
          yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) VALUES (${accountId}, ${shopId}, 'tracked')`
          return "tracked"
        },
        sql.withTransaction,
        availableOnce
      )

      const untrack = Effect.fn("TrackedShops.untrack")(
        function* (accountId: AccountId, shopId: number) {
          yield* sql`
            DELETE FROM tracked_shop WHERE account_id = ${accountId} AND shop_id = ${shopId} AND kind = 'tracked'`
          return (yield* kindOf(accountId, shopId)) === "own" ? "own" : undefined
        },
        sql.withTransaction,
        availableOnce
      )

      const remove = Effect.fn("TrackedShops.remove")(function* (accountId: AccountId, domain: string) {
        const removed = yield* sql`
          DELETE FROM tracked_shop t USING shop s
          WHERE t.account_id = ${accountId} AND s.id = t.shop_id AND s.domain = ${StoreDomain.normalize(domain)}
          RETURNING t.shop_id`.pipe(availableOnce)
        if (removed.length === 0) {
          return yield* new TrackedShopNotFound({
            message: `The account neither tracks nor owns ${domain}. List its stores to see their domains.`
          })
        }
      })

      const list = Effect.fn("TrackedShops.list")(function* (accountId: AccountId) {
        return yield* sql`
          SELECT s.id AS "shopId", s.domain, t.kind FROM tracked_shop t JOIN shop s ON s.id = t.shop_id
          WHERE t.account_id = ${accountId} ORDER BY s.domain COLLATE "C"`.pipe(decodeTracked, availableToRead)
      })

      return TrackedShops.of({ add, remove, track, untrack, list })
    })
  )
}

const tooMany = () =>
  new TooManyTrackedShops({
    message: `The account has ${maxTrackedShops} tracked and own stores, which is the maximum. Remove one of them first.`
  })
