/**
 * The key from which successors of refresh tokens are derived, so that a repeated refresh gets the same answer without
 * stored tokens (R39). The first server that needs it creates it in the database. It can be rotated.
 */
import { Clock, Context, Effect, Layer, Option, Ref, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { firstOf } from "../database/Rows.ts"

/** The output size of HMAC-SHA-512, which provides all entropy of a secret. */
const keyBytes = 64
/** How long a server may use a key after another server rotated it. Tokens from both keys work. */
const reloadAfterMillis = 300_000

export interface Key {
  readonly id: number
  readonly mac: Mac.Key
}

const Row = Schema.Struct({ id: Schema.Int, secret: Schema.Uint8Array })
const decodeRow = firstOf(Row)

export class ServerKey extends Context.Service<
  ServerKey,
  {
    /**
     * The newest key. Do not call it in a transaction: after a rollback, this server would use a key that is not stored.
     */
    readonly current: Effect.Effect<Key, SqlError.SqlError>
    /** An older key. Keys without tokens are deleted. */
    byId(id: number): Effect.Effect<Option.Option<Key>, SqlError.SqlError>
    /** Creates a new key. This server uses it immediately, all others within five minutes. */
    readonly rotate: Effect.Effect<void, SqlError.SqlError>
    /** 64 bytes that only the holder of the key can derive. `purpose` separates the uses of a key. */
    derive(key: Key, purpose: string, text: string): Effect.Effect<Uint8Array>
  }
>()("discovery/oauth/ServerKey") {
  static readonly layer = Layer.effect(
    ServerKey,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mac = yield* Mac.Mac
      const random = yield* SecureRandom.SecureRandom
      const cached = yield* Ref.make<{ readonly key: Key; readonly loadedAt: number } | undefined>(undefined)

      const toKey = ({ id, secret }: typeof Row.Type): Effect.Effect<Key> =>
        // Fails only for an empty secret; the table has none.
        Effect.map(Effect.orDie(Mac.key(Mac.hmacSha512, secret)), (key) => ({ id, mac: key }))

      const newest = Effect.gen(function* () {
        const row = yield* decodeRow(sql`SELECT id, secret FROM server_key ORDER BY id DESC LIMIT 1`)
        return row === undefined ? undefined : yield* toKey(row)
      })

      const insert = Effect.gen(function* () {
        const secret = yield* random.randomBytes(keyBytes)
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql`INSERT INTO server_key (secret, created_at) VALUES (${secret}, ${now})`
      })

      /** The lock lets one server create it. The others then read it. */
      const makeFirst = Effect.gen(function* () {
        yield* sql`LOCK TABLE server_key IN SHARE ROW EXCLUSIVE MODE`
        if ((yield* newest) === undefined) yield* insert
      }).pipe(sql.withTransaction)

      const load = Effect.gen(function* () {
        const existing = yield* newest
        if (existing !== undefined) return existing
        yield* makeFirst
        const created = yield* newest
        return created ?? (yield* Effect.die(new Error("The server key was deleted while it was being created")))
      })

      const current = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const held = yield* Ref.get(cached)
        if (held !== undefined && Math.abs(now - held.loadedAt) < reloadAfterMillis) return held.key
        const key = yield* load
        yield* Ref.set(cached, { key, loadedAt: now })
        return key
      })

      const byId = Effect.fn("ServerKey.byId")(function* (id: number) {
        const held = yield* Ref.get(cached)
        if (held?.key.id === id) return Option.some(held.key)
        const row = yield* decodeRow(sql`SELECT id, secret FROM server_key WHERE id = ${id}`)
        return row === undefined ? Option.none() : Option.some(yield* toKey(row))
      })

      const rotate = Effect.andThen(insert, Ref.set(cached, undefined)).pipe(Effect.withSpan("ServerKey.rotate"))

      const derive = (key: Key, purpose: string, text: string) =>
        // Cannot fail: the key has the right kind and length.
        Effect.orDie(mac.sign(key.mac, new TextEncoder().encode(`${purpose} ${text}`)))

      return ServerKey.of({ current, byId, rotate, derive })
    })
  )
}
