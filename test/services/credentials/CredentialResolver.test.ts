import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Credential from "../../../src/domain/access/Credential.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import { CredentialUse } from "../../../src/services/credentials/CredentialUse.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Access from "../../support/Access.ts"
import * as LossyConnection from "../../support/LossyConnection.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const unbounded = { concurrency: "unbounded" } as const

const Services = Access.layerUnhashed.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

layer(Services, { excludeTestServices: true })("CredentialResolver", (it) => {
  const resolve = (secret: Redacted.Redacted) =>
    Effect.flatMap(CredentialResolver, (resolver) => resolver.resolve(secret))
  const fresh = Effect.fnUntraced(function* (options: Parameters<typeof Access.subscriber>[0] = {}) {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    return yield* Access.subscriber(options)
  })
  const lastUse = Effect.fnUntraced(function* (id: number) {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly at: Date | null }>`SELECT last_used_at AS at FROM api_key WHERE id = ${id}`
    return rows[0]?.at?.toISOString()
  })

  describe("a working key", () => {
    it.effect("S7 resolves to the account, plan, status and the balance of the current period", () =>
      Effect.gen(function* () {
        const { caller } = yield* fresh({ plan: "pro", beganOn: "2026-01-31", status: "unpaid" })
        assert.deepStrictEqual(caller, {
          accountId: caller.accountId,
          plan: "pro",
          status: "unpaid",
          credential: { kind: "api_key", id: caller.credential.id },
          credits: { allowance: 100, used: 0, periodStart: "2026-02-28", periodEnd: "2026-03-31" }
        })
      })
    )

    it.effect("is resolved correctly among many at once", () =>
      Effect.gen(function* () {
        const all = yield* Effect.forEach([1, 2, 3, 4, 5], () => fresh())
        const callers = yield* Effect.forEach([...all, ...all], ({ secret }) => resolve(secret), unbounded)
        assert.deepStrictEqual(
          callers.map(({ accountId }) => accountId),
          [...all, ...all].map(({ caller }) => caller.accountId)
        )
      })
    )

    it.effect("of an account that never had a subscription has no credits", () =>
      Effect.gen(function* () {
        const { caller, email, secret } = yield* fresh()
        const sql = yield* SqlClient.SqlClient
        const starter = yield* Effect.flatMap(Accounts, (accounts) =>
          accounts.create({
            email: `starter-of-${email}`,
            plan: "starter",
            status: "active",
            password: Redacted.make("nine green whales")
          })
        )
        yield* sql`UPDATE api_key SET account_id = ${starter.id} WHERE id = ${caller.credential.id}`
        assert.deepStrictEqual((yield* resolve(secret)).credits, {
          allowance: 0,
          used: 0,
          periodStart: "2026-03-10",
          periodEnd: "2026-04-10"
        })
      })
    )
  })

  describe("a new month", () => {
    it.effect("is opened with its grant, once, however many servers and calls come first", () =>
      Effect.gen(function* () {
        const { caller, email, secret } = yield* fresh({ beganOn: "2026-01-31" })
        yield* Effect.flatMap(Accounts, (accounts) => accounts.setPlan(email, "pro"))
        yield* Effect.flatMap(SetClock, (clock) => clock.set("2026-03-31T00:00:00Z"))
        const { connection } = yield* TestDatabase
        const resolvers = yield* Effect.forEach([1, 2, 3, 4], () =>
          Effect.gen(function* () {
            const context = yield* Layer.buildWithScope(
              Layer.fresh(
                Access.layerUnhashed.pipe(Layer.provide(Database.layer({ source: connection, maxConnections: 3 })))
              ),
              yield* Scope.Scope
            )
            return yield* CredentialResolver.pipe(Effect.provide(context))
          })
        )
        const callers = yield* Effect.forEach(
          [...resolvers, ...resolvers, ...resolvers],
          (resolver) => resolver.resolve(secret),
          unbounded
        )
        for (const { credits } of callers) {
          assert.deepStrictEqual(credits, {
            allowance: 100,
            used: 0,
            periodStart: "2026-03-31",
            periodEnd: "2026-04-30"
          })
        }
        const { balance, entries } = yield* Access.books(caller.accountId)
        assert.deepStrictEqual(balance, { allowance: 100, used: 0 })
        assert.deepStrictEqual(
          entries.map(({ amount, kind }) => ({ amount, kind })),
          [{ kind: "grant", amount: 100 }]
        )
      })
    )
  })

  describe("a new month that opens while the plan is being changed", () => {
    it.effect("has the allowance of the new plan", () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* fresh({ beganOn: "2026-01-31" })
        yield* Effect.flatMap(SetClock, (clock) => clock.set("2026-04-01T00:00:00Z"))
        const change = yield* Access.holdPlan(caller.accountId, "pro")
        const resolved = yield* Access.afterWaiting(change, resolve(secret))
        assert.strictEqual(resolved.credits.allowance, 100)
      })
    )
  })

  describe("a credential is rejected", () => {
    const rejected = Effect.fnUntraced(function* (secret: string) {
      const error = yield* Effect.flip(resolve(Redacted.make(secret)))
      assert.strictEqual(error._tag, "CredentialRejected", secret.slice(0, 60))
    })

    it.effect("D2 when it is unknown, malformed, mistyped, of another kind, or anything else", () =>
      Effect.gen(function* () {
        const { secret } = yield* fresh()
        const good = Redacted.value(secret)
        const unknown = "dsk_0000000000000000000000000000000000000"
        const wrong = [
          `${unknown}000000`,
          good.slice(0, -1),
          `${good}0`,
          `${good} `,
          good.replace("dsk_", "dat_"),
          good.replace("dsk_", "DSK_"),
          "",
          "\u0000",
          "' OR 1=1 --",
          "🔑".repeat(100_000)
        ]
        yield* Effect.forEach(wrong, rejected, { discard: true })
      })
    )

    it.effect("with a checksum that is right but never issued", () =>
      Effect.gen(function* () {
        yield* rejected(Credential.make("api_key", new Uint8Array(48).fill(3)))
        yield* rejected(Credential.make("access_token", new Uint8Array(48).fill(3)))
      })
    )

    it.effect("S35 from the moment that it is revoked", () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* fresh()
        yield* resolve(secret)
        yield* Effect.flatMap(ApiKeys, (keys) => keys.revoke(caller.accountId, caller.credential.id))
        yield* rejected(Redacted.value(secret))
      })
    )
  })

  describe("concurrent calls", () => {
    it.effect("are resolved by one statement", () =>
      Effect.gen(function* () {
        const all = yield* Effect.forEach([1, 2, 3], () => fresh())
        const relay = yield* LossyConnection.make((yield* TestDatabase).connection)
        const answered = yield* Effect.gen(function* () {
          yield* Effect.forEach(all, ({ secret }) => resolve(secret))
          const before = yield* relay.messages
          yield* Effect.forEach([...all, ...all, ...all], ({ secret }) => resolve(secret), unbounded)
          return (yield* relay.messages) - before
        }).pipe(
          Effect.provide(
            Layer.fresh(
              Access.layerUnhashed.pipe(Layer.provide(Database.layer({ source: relay.connection, maxConnections: 1 })))
            )
          )
        )
        assert.strictEqual(answered, 1)
      })
    )
  })

  describe("a database that cannot be reached", () => {
    it.effect("is service_unavailable, never a rejected credential", () =>
      Effect.gen(function* () {
        const { secret } = yield* fresh()
        const relay = yield* LossyConnection.make((yield* TestDatabase).connection)
        yield* Effect.gen(function* () {
          yield* resolve(secret)
          yield* relay.lose(1_000)
          assert.strictEqual((yield* Effect.flip(resolve(secret)))._tag, "ServiceUnavailable")
          yield* relay.lose(0)
          yield* resolve(secret)
          yield* relay.lose(1)
          yield* resolve(secret)
        }).pipe(
          Effect.provide(
            Layer.fresh(
              Access.layerUnhashed.pipe(Layer.provide(Database.layer({ source: relay.connection, maxConnections: 3 })))
            )
          )
        )
      })
    )
  })

  describe("the last use", () => {
    it.effect("is written in the background, and at most once a minute", () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* fresh()
        const clock = yield* SetClock
        const use = yield* CredentialUse
        const id = caller.credential.id
        yield* use.write
        assert.strictEqual(yield* lastUse(id), "2026-03-10T12:00:00.000Z")
        yield* clock.advance(59_999)
        yield* resolve(secret)
        yield* use.write
        assert.strictEqual(yield* lastUse(id), "2026-03-10T12:00:00.000Z")
        yield* clock.advance(1)
        yield* resolve(secret)
        assert.strictEqual(yield* lastUse(id), "2026-03-10T12:00:00.000Z")
        yield* use.write
        assert.strictEqual(yield* lastUse(id), "2026-03-10T12:01:00.000Z")
      })
    )

    it.effect("is not written by a server while another one writes it, and delays no other", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* fresh(), yield* fresh()]
        const use = yield* CredentialUse
        yield* resolve(one.secret)
        yield* resolve(other.secret)
        const { id } = one.caller.credential
        const held = yield* Access.hold((elsewhere) => elsewhere`SELECT FROM api_key WHERE id = ${id} FOR UPDATE`)
        yield* Access.withoutWaiting(held, use.write)
        assert.isNotNull(yield* lastUse(other.caller.credential.id))
      })
    )

    it.effect("is written when the server stops", () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* fresh()
        const { connection } = yield* TestDatabase
        yield* Effect.flatMap(SetClock, (clock) => clock.advance(3_600_000))
        yield* Effect.provide(
          resolve(secret),
          Layer.fresh(
            Access.layerUnhashed.pipe(Layer.provide(Database.layer({ source: connection, maxConnections: 2 })))
          )
        )
        assert.strictEqual(yield* lastUse(caller.credential.id), "2026-03-10T13:00:00.000Z")
      })
    )
  })
})
