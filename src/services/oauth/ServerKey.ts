/**
 * The key that the successor of a refresh token is made with, so that a repeated refresh gets the same answer and no token
 * is kept (R39). Made once, by whichever server first needs it, and kept in the database; it can be rotated.
 */
import { Clock, Context, Effect, Layer, Option, Ref, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { rowsOf } from "../database/Rows.ts"

/** What HMAC-SHA-512 gives; all of a secret's entropy comes from it. */
const keyBytes = 64
/** How long a server may go on using a key after another was made elsewhere: both give tokens that work. */
const reloadAfterMillis = 300_000

export interface Key {
  readonly id: number
  readonly mac: Mac.Key
}

const Row = Schema.Struct({ id: Schema.Int, secret: Schema.Uint8Array })
const decodeRows = rowsOf(Row)

export class ServerKey extends Context.Service<
  ServerKey,
  {
    /** The newest. Not within a transaction: a key that was made in one that is rolled back would be used all the same. */
    readonly current: Effect.Effect<Key, SqlError.SqlError>
    /** One that was the newest once; those that no token was made with are deleted. */
    byId(id: number): Effect.Effect<Option.Option<Key>, SqlError.SqlError>
    /** Makes a new key, which this server uses from now on, and every other one within five minutes. */
    readonly rotate: Effect.Effect<void, SqlError.SqlError>
    /** 64 bytes that nobody can make who does not have the key; `purpose` keeps the uses of a key apart. */
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
        // Only an empty secret is no key; the table has none.
        Effect.map(Effect.orDie(Mac.key(Mac.hmacSha512, secret)), (key) => ({ id, mac: key }))

      const newest = Effect.gen(function* () {
        const [row] = yield* decodeRows(yield* sql`SELECT id, secret FROM server_key ORDER BY id DESC LIMIT 1`)
        return row === undefined ? undefined : yield* toKey(row)
      })

      const insert = Effect.gen(function* () {
        const secret = yield* random.randomBytes(keyBytes)
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql`INSERT INTO server_key (secret, created_at) VALUES (${secret}, ${now})`
      })

      /** The lock lets one server make it; those that waited find it made. */
      const makeFirst = Effect.gen(function* () {
        yield* sql`LOCK TABLE server_key IN SHARE ROW EXCLUSIVE MODE`
        if ((yield* newest) === undefined) yield* insert
      }).pipe(sql.withTransaction)

      const load = Effect.gen(function* () {
        const found = yield* newest
        if (found !== undefined) return found
        yield* makeFirst
        const made = yield* newest
        return made ?? (yield* Effect.die(new Error("The server key was deleted while it was made")))
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
        const [row] = yield* decodeRows(yield* sql`SELECT id, secret FROM server_key WHERE id = ${id}`)
        return row === undefined ? Option.none() : Option.some(yield* toKey(row))
      })

      const rotate = Effect.andThen(insert, Ref.set(cached, undefined)).pipe(Effect.withSpan("ServerKey.rotate"))

      const derive = (key: Key, purpose: string, text: string) =>
        // Our own key is of the right kind and length.
        Effect.orDie(mac.sign(key.mac, new TextEncoder().encode(`${purpose} ${text}`)))

      return ServerKey.of({ current, byId, rotate, derive })
    })
  )
}
