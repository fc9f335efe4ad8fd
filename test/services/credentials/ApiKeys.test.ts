import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { keyEnds } from "../../../src/domain/access/KeyEnd.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
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
    it.effect("S99, D3 is returned once and stored as a hash with its last four characters", () =>
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

    it.effect("S97 has a name of 1 to 60 characters, none of which controls, hides or reorders text", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        for (const name of [
          "",
          "   ",
          "x".repeat(61),
          "a\nb",
          "a\u0000b",
          "\ud800",
          "\u007f",
          "a\u202eb",
          "a\u2066b",
          "a\u200bb",
          "\u00ad"
        ]) {
          assert.strictEqual((yield* Effect.flip(keys.create(id, name)))._tag, "InvalidKeyName", JSON.stringify(name))
        }
        for (const name of ["x", "é".repeat(60), "🦊".repeat(60), "👩‍🔬 ❤️", "لیلا‌ها"]) {
          assert.strictEqual((yield* keys.create(id, name)).key.name, name)
        }
      })
    )

    it.effect("S96 needs an active Growth or Pro subscription, and is kept without one", () =>
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

  const works = (secret: Redacted.Redacted) =>
    Effect.flatMap(CredentialResolver, (resolver) => Effect.isSuccess(resolver.resolve(secret)))

  describe("replacing", () => {
    it.effect.each([
      { ends: "in_1_hour", millis: 3_600_000 },
      { ends: "in_24_hours", millis: 86_400_000 }
      // S105, D50
    ] as const)("$ends: both keys work until that very second, and from it on the new one alone", ({ ends, millis }) =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const clock = yield* SetClock
        const old = yield* keys.create(id, "nightly job")
        yield* clock.advance(5_000)
        const { key, replaced, secret } = yield* keys.replace(id, old.key.id, { ends })
        assert.strictEqual(key.name, "nightly job")
        assert.isNull(key.endsAt)
        assert.strictEqual(replaced.id, old.key.id)
        assert.strictEqual(replaced.endsAt.epochMilliseconds, Date.parse(start) + 5_000 + millis)
        assert.deepStrictEqual(yield* keys.list(id), [replaced, key])
        yield* clock.advance(millis - 1)
        assert.deepStrictEqual([yield* works(old.secret), yield* works(secret)], [true, true])
        yield* clock.advance(1)
        assert.deepStrictEqual([yield* works(old.secret), yield* works(secret)], [false, true])
        assert.deepStrictEqual(yield* keys.list(id), [key])
      })
    )

    it.effect("now: the old key ends with the answer, even for a server whose clock is behind", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const clock = yield* SetClock
        const old = yield* keys.create(id, "nightly job")
        const { key, replaced, secret } = yield* keys.replace(id, old.key.id, { ends: "now", name: "  hourly job " })
        assert.strictEqual(key.name, "hourly job")
        assert.strictEqual(replaced.endsAt.epochMilliseconds, Date.parse(start))
        assert.deepStrictEqual(yield* keys.list(id), [key])
        yield* clock.advance(-60_000)
        assert.deepStrictEqual([yield* works(old.secret), yield* works(secret)], [false, true])
      })
    )

    it.effect("is refused for a key that is another account's, revoked, ended or none, and makes nothing", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* owner, yield* owner]
        const clock = yield* SetClock
        const { keys } = one
        const { key: others } = yield* keys.create(other.id, "not mine")
        const { key: revoked } = yield* keys.create(one.id, "revoked")
        yield* keys.revoke(one.id, revoked.id)
        const { key: ended } = yield* keys.create(one.id, "ended")
        const { key: successor } = yield* keys.replace(one.id, ended.id, { ends: "in_1_hour" })
        yield* clock.advance(3_600_000)
        for (const keyId of [others.id, revoked.id, ended.id, 2_147_483_647]) {
          for (const ends of keyEnds) {
            const error = yield* Effect.flip(keys.replace(one.id, keyId, { ends }))
            assert.deepInclude(error, {
              _tag: "KeyNotFound",
              message: `The account has no active key ${keyId}. List its keys to see their numbers.`
            })
          }
          assert.strictEqual((yield* Effect.flip(keys.revoke(one.id, keyId)))._tag, "KeyNotFound")
        }
        assert.deepStrictEqual(yield* keys.list(one.id), [successor])
        assert.deepStrictEqual(yield* keys.list(other.id), [others])
      })
    )

    it.effect("a key that is being replaced can be revoked, and not replaced again", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const clock = yield* SetClock
        const old = yield* keys.create(id, "job")
        yield* keys.replace(id, old.key.id, { ends: "in_1_hour" })
        const before = yield* keys.list(id)
        for (const ends of keyEnds) {
          assert.strictEqual((yield* Effect.flip(keys.replace(id, old.key.id, { ends })))._tag, "KeyReplacedAlready")
        }
        assert.deepStrictEqual(yield* keys.list(id), before)
        assert.isTrue(yield* works(old.secret))
        yield* keys.revoke(id, old.key.id)
        assert.isFalse(yield* works(old.secret))
        assert.lengthOf(yield* keys.list(id), 1)
        yield* clock.advance(-1)
        assert.isFalse(yield* works(old.secret))
      })
    )

    it.effect("needs an active Growth or Pro subscription; refused, it leaves the old key as it was", () =>
      Effect.gen(function* () {
        const { accounts, email, id, keys } = yield* owner
        const old = yield* keys.create(id, "job")
        yield* accounts.setStatus(email, "unpaid")
        for (const ends of keyEnds) {
          assert.strictEqual((yield* Effect.flip(keys.replace(id, old.key.id, { ends })))._tag, "PlanUpgradeRequired")
        }
        assert.strictEqual(
          (yield* Effect.flip(keys.replace(id, old.key.id, { ends: "now", name: "x".repeat(61) })))._tag,
          "InvalidKeyName"
        )
        assert.deepStrictEqual(yield* keys.list(id), [old.key])
        assert.isTrue(yield* works(old.secret))
      })
    )

    it.effect("takes one of the ten while the old key works on, and none when it ends now", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const clock = yield* SetClock
        const made = yield* Effect.forEach(times(9), (index) => keys.create(id, `key ${index}`))
        const first = made[0]?.key.id ?? 0
        yield* keys.replace(id, first, { ends: "in_24_hours" })
        const second = made[1]?.key.id ?? 0
        const error = yield* Effect.flip(keys.replace(id, second, { ends: "in_1_hour" }))
        assert.deepInclude(error, { _tag: "TooManyKeys", limit: "active" })
        assert.strictEqual((yield* keys.list(id)).find((key) => key.id === second)?.endsAt, null)
        yield* keys.replace(id, second, { ends: "now" })
        assert.lengthOf(yield* keys.list(id), 10)
        assert.deepInclude(yield* Effect.flip(keys.create(id, "eleventh")), { _tag: "TooManyKeys", limit: "active" })
        // What ends makes room, without anybody doing anything.
        yield* clock.advance(86_400_000)
        assert.lengthOf(yield* keys.list(id), 9)
        yield* keys.create(id, "tenth")
      })
    )

    it.effect("counts among the 20 new keys an hour, and the old key stays when they are used up", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        let { key } = yield* keys.create(id, "job")
        for (const _ of times(19)) ({ key } = yield* keys.replace(id, key.id, { ends: "now" }))
        const error = yield* Effect.flip(keys.replace(id, key.id, { ends: "now" }))
        assert.deepInclude(error, { _tag: "TooManyKeys", limit: "an_hour", retryAfterSeconds: 3600 })
        assert.deepStrictEqual(yield* keys.list(id), [key])
      })
    )
  })

  describe("an attempt", () => {
    it.effect("creates one key for repeated and concurrent forms, and repeats answer with its name", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const attempt = yield* keys.newAttempt
        const exits = yield* Effect.forEach(times(5), () => Effect.exit(keys.create(id, "once", attempt)), {
          concurrency: "unbounded"
        })
        assert.lengthOf(exits.filter(Exit.isSuccess), 1)
        const error = yield* Effect.flip(keys.create(id, "another name", attempt))
        assert.deepInclude(error, { _tag: "KeyMadeAlready", name: "once" })
        const [key] = yield* keys.list(id)
        yield* keys.revoke(id, key?.id ?? 0)
        // Not even when it is gone, or the limits or the plan would refuse a new one.
        assert.strictEqual((yield* Effect.flip(keys.create(id, "once", attempt)))._tag, "KeyMadeAlready")
        yield* keys.create(id, "a new form", yield* keys.newAttempt)
      })
    )

    it.effect("of a replacement ends one key and makes one", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const old = yield* keys.create(id, "job")
        const attempt = yield* keys.newAttempt
        const replace = keys.replace(id, old.key.id, { ends: "now", attempt })
        const { key } = yield* replace
        assert.deepInclude(yield* Effect.flip(replace), { _tag: "KeyMadeAlready", name: "job" })
        assert.deepStrictEqual(yield* keys.list(id), [key])
      })
    )

    it.effect("of one account says nothing to another", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* owner, yield* owner]
        const attempt = yield* one.keys.newAttempt
        yield* one.keys.create(one.id, "mine", attempt)
        yield* other.keys.create(other.id, "theirs", attempt)
      })
    )
  })

  describe("revoking", () => {
    it.effect("S104 takes a key off the list, once, and only the account's own", () =>
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
    const twoServers = Effect.gen(function* () {
      const { connection } = yield* TestDatabase
      return yield* Effect.forEach([1, 2], () =>
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
    })

    it.effect("hold when several servers make and replace keys at once", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const old = yield* Effect.forEach(times(7), (index) => keys.create(id, `old ${index}`))
        const servers = yield* twoServers
        const exits = yield* Effect.forEach(
          old.flatMap(({ key }, index) =>
            servers.map((server, place) =>
              place === index % 2
                ? server.create(id, "at once")
                : server.replace(id, key.id, { ends: keyEnds[index % 3] ?? "now" })
            )
          ),
          Effect.exit,
          { concurrency: "unbounded" }
        )
        const listed = yield* keys.list(id)
        assert.lengthOf(listed, 10)
        assert.isAtMost(exits.filter(Exit.isSuccess).length, 13)
        // Every key that was made is listed, and of the old ones those that were not ended now.
        const ended = old.length + exits.filter(Exit.isSuccess).length - listed.length
        assert.isAtMost(ended, 3)
      })
    )

    it.effect("a key has one successor, however many servers make one at once", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const servers = yield* twoServers
        for (const ends of keyEnds) {
          const { key } = yield* keys.create(id, ends)
          const exits = yield* Effect.forEach(
            [...servers, ...servers],
            (server) => Effect.exit(server.replace(id, key.id, { ends })),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(exits.filter(Exit.isSuccess), 1, ends)
        }
        assert.lengthOf(yield* keys.list(id), 5)
      })
    )

    it.effect("of 20 an hour hold when several servers replace keys at once", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const old = yield* Effect.forEach(times(8), (index) => keys.create(id, `old ${index}`))
        const servers = yield* twoServers
        const rounds = yield* Effect.forEach(
          times(8),
          (index) =>
            Effect.gen(function* () {
              let keyId = old[index]?.key.id ?? 0
              let made = 0
              for (const _ of times(3)) {
                const server = servers[(index + made) % 2] ?? keys
                const result = yield* Effect.exit(server.replace(id, keyId, { ends: "now" }))
                if (!Exit.isSuccess(result)) break
                keyId = result.value.key.id
                made++
              }
              return made
            }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(
          rounds.reduce((sum, made) => sum + made, 0),
          12
        )
        assert.lengthOf(yield* keys.list(id), 8)
      })
    )

    it.effect("a key that is revoked and replaced at once is replaced or not, and never works on", () =>
      Effect.gen(function* () {
        const { id, keys } = yield* owner
        const servers = yield* twoServers
        for (const index of times(6)) {
          const old = yield* keys.create(id, `old ${index}`)
          const [revoked, replaced] = yield* Effect.all(
            [
              Effect.exit((servers[0] ?? keys).revoke(id, old.key.id)),
              Effect.exit((servers[1] ?? keys).replace(id, old.key.id, { ends: "in_24_hours" }))
            ],
            { concurrency: "unbounded" }
          )
          assert.isTrue(Exit.isSuccess(revoked))
          assert.isFalse(yield* works(old.secret))
          assert.lengthOf(yield* keys.list(id), Exit.isSuccess(replaced) ? 1 : 0)
          if (Exit.isSuccess(replaced)) yield* keys.revoke(id, replaced.value.key.id)
        }
      })
    )

    it.effect("S100 of 10 active keys hold when several servers make keys at once", () =>
      Effect.gen(function* () {
        const { id } = yield* owner
        const replicas = yield* twoServers
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
          limit: "active",
          message: "The account has 10 active keys, which is the maximum. Revoke one of them first."
        })
      })
    )

    it.effect("S101 of 20 new keys an hour count revoked ones too, and the error has the time to wait", () =>
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
          limit: "an_hour",
          message: "The account has created 20 keys within an hour, which is the maximum. Try again in 59 minutes.",
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
