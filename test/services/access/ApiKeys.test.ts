import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { Accounts } from "../../../src/services/access/Accounts.ts"
import { ApiKeys } from "../../../src/services/access/ApiKeys.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

const Services = Access.layerUnhashed.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

let owners = 0

layer(Services, { excludeTestServices: true })("ApiKeys", (it) => {
  /** An account without keys. */
  const owner = Effect.gen(function* () {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const accounts = yield* Accounts
    const email = `owner${++owners}@discovery.test`
    const { id } = yield* accounts.create({
      email,
      plan: "growth",
      status: "active",
      password: Redacted.make("nine green whales")
    })
    return { id, email, accounts, keys: yield* ApiKeys }
  })

  describe("a key", () => {
    it.effect("is told once and kept as a hash with its last four characters", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const { key, secret } = yield* keys.create(id, "  nightly job  ")
        const text = Redacted.value(secret)
        assert.match(text, /^dsk_[0-9A-Za-z]{43}$/)
        assert.strictEqual(key.name, "nightly job")
        assert.strictEqual(key.lastFour, text.slice(-4))
        assert.strictEqual(DateTime.formatIso(key.createdAt), "2026-03-10T12:00:00.000Z")
        assert.isNull(key.lastUsedAt)
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<Record<string, unknown>>`SELECT * FROM api_key WHERE id = ${key.id}`
        assert.deepStrictEqual(row?.["hash"], new Uint8Array(createHash("sha256").update(text).digest()))
        assert.notInclude(JSON.stringify(row), text.slice(4, 20))
        assert.deepStrictEqual(yield* keys.list(id), [key])
      })
    )

    it.effect("has a name of 1 to 60 characters without control characters", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        for (const name of ["", "   ", "x".repeat(61), "a\nb", "a\u0000b", "\ud800", "\u007f"]) {
          assert.strictEqual((yield* Effect.flip(keys.create(id, name)))._tag, "InvalidKeyName", JSON.stringify(name))
        }
        for (const name of ["x", "é".repeat(60), "🦊".repeat(60)]) {
          assert.strictEqual((yield* keys.create(id, name)).key.name, name)
        }
      })
    )

    it.effect("needs an active Growth or Pro subscription, and is kept without one", () =>
      Effect.gen(function* () {
        const { accounts, email, id, keys } = yield* owner
        yield* keys.create(id, "before")
        yield* accounts.setStatus(email, "paused")
        const error = yield* Effect.flip(keys.create(id, "paused"))
        assert.deepInclude(error, { _tag: "PlanUpgradeRequired", upgradeUrl: "https://discovery.test/billing" })
        yield* accounts.setStatus(email, "active")
        yield* accounts.setPlan(email, "starter")
        assert.strictEqual((yield* Effect.flip(keys.create(id, "starter")))._tag, "PlanUpgradeRequired")
        assert.strictEqual((yield* keys.list(id)).length, 1)
      })
    )
  })

  describe("revoking", () => {
    it.effect("takes a key off the list, once, and only the account's own", () =>
      Effect.gen(function* () {
        const one = yield* owner
        const other = yield* owner
        const { key } = yield* one.keys.create(one.id, "mine")
        assert.strictEqual((yield* Effect.flip(one.keys.revoke(other.id, key.id)))._tag, "KeyNotFound")
        yield* one.keys.revoke(one.id, key.id)
        assert.deepStrictEqual(yield* one.keys.list(one.id), [])
        assert.strictEqual((yield* Effect.flip(one.keys.revoke(one.id, key.id)))._tag, "KeyNotFound")
      })
    )
  })

  describe("the limits", () => {
    it.effect("of 10 active keys hold when several servers make keys at once", () =>
      Effect.gen(function* () {
        const { id } = yield* owner
        const { connection } = yield* TestDatabase
        const replicas = yield* Effect.forEach([1, 2], () =>
          Effect.gen(function* () {
            const context = yield* Layer.buildWithScope(
              Layer.fresh(
                Access.layerUnhashed.pipe(Layer.provide(Database.layer({ source: connection, maxConnections: 5 })))
              ),
              yield* Scope.Scope
            )
            return yield* ApiKeys.pipe(Effect.provide(context))
          })
        )
        const exits = yield* Effect.forEach(
          times(14).flatMap(() => replicas),
          (keys) => Effect.exit(keys.create(id, "at once")),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(exits.filter(Exit.isSuccess).length, 10)
        const keys = yield* ApiKeys
        assert.strictEqual((yield* keys.list(id)).length, 10)
        const error = yield* Effect.flip(keys.create(id, "eleventh"))
        assert.deepInclude(error, {
          _tag: "TooManyKeys",
          message: "The account has 10 active keys, the most it may have. Revoke one of them first."
        })
      })
    )

    it.effect("of 20 new keys an hour count revoked ones too, and tell when to try again", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const clock = yield* SetClock
        const makeAndRevoke = Effect.flatMap(keys.create(id, "short-lived"), ({ key }) => keys.revoke(id, key.id))
        yield* makeAndRevoke
        yield* clock.advance(60_000)
        yield* Effect.forEach(times(19), () => makeAndRevoke)
        const error = yield* Effect.flip(keys.create(id, "too soon"))
        assert.deepInclude(error, {
          _tag: "TooManyKeys",
          message: "The account has made 20 keys within an hour, the most it may. Try again in 59 minutes.",
          retryAfterSeconds: 3540
        })
        yield* clock.advance(3_540_000 - 1)
        assert.strictEqual((yield* Effect.flip(keys.create(id, "still too soon")))._tag, "TooManyKeys")
        yield* clock.advance(1)
        yield* keys.create(id, "an hour after the first")
        assert.strictEqual((yield* Effect.flip(keys.create(id, "but not two")))._tag, "TooManyKeys")
      })
    )
  })
})
