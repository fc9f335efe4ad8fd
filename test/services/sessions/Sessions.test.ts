import { assert, describe, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Exit, Fiber, Layer, Option, Redacted } from "effect"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { Sessions } from "../../../src/services/sessions/Sessions.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const hour = 3_600_000
const passwordHash = "$argon2id$none"

const Services = Layer.merge(Access.layerUnhashed, Sessions.layer).pipe(
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

let owners = 0

layer(Services, { excludeTestServices: true })("Sessions", (it) => {
  const owner = Effect.gen(function* () {
    const clock = yield* SetClock
    yield* clock.set(start)
    const accounts = yield* Accounts
    const email = `owner${++owners}@discovery.test`
    const password = Redacted.make("nine green whales")
    const { id } = yield* accounts.create({ email, plan: "growth", status: "active", password })
    const sessions = yield* Sessions
    const begin = (instead?: Redacted.Redacted) => sessions.start({ accountId: id, passwordHash }, instead)
    const isAlive = (secret: Redacted.Redacted) => Effect.map(sessions.current(secret), Option.isSome)
    return { accounts, begin, clock, email, id, isAlive, sessions }
  })

  describe("a session", () => {
    it.effect("R40 has 256 random bits, is returned once, and stored as a hash", () =>
      Effect.gen(function* () {
        const { begin, email, id, sessions } = yield* owner
        const { secret, session } = yield* begin()
        const text = Redacted.value(secret)
        assert.match(text, /^[A-Za-z0-9_-]{43}$/)
        assert.deepInclude(session, { accountId: id, email, plan: "growth", status: "active" })
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<Record<string, unknown>>`SELECT * FROM session WHERE id = ${session.id}`
        assert.deepStrictEqual(row?.["hash"], new Uint8Array(createHash("sha256").update(text).digest()))
        assert.notInclude(JSON.stringify(row), text.slice(0, 16))
        assert.deepStrictEqual(yield* sessions.current(secret), Option.some(session))
      })
    )

    it.effect("is not found for any other content of the cookie", () =>
      Effect.gen(function* () {
        const { begin, isAlive } = yield* owner
        const { secret } = yield* begin()
        const text = Redacted.value(secret)
        for (const value of [
          "",
          "x",
          text.slice(1),
          `${text}A`,
          text.toLowerCase(),
          "\u0000".repeat(43),
          "é".repeat(50_000)
        ]) {
          assert.isFalse(yield* isAlive(Redacted.make(value)))
        }
      })
    )

    it.effect("shows the account as it is now", () =>
      Effect.gen(function* () {
        const { accounts, begin, email, sessions } = yield* owner
        const { secret } = yield* begin()
        yield* accounts.setPlan(email, "pro")
        yield* accounts.setStatus(email, "unpaid")
        const session = Option.getOrThrow(yield* sessions.current(secret))
        assert.deepInclude(session, { plan: "pro", status: "unpaid" })
      })
    )

    it.effect("has the current role: a revoked role is gone at the next read", () =>
      Effect.gen(function* () {
        const { accounts, begin, email, sessions } = yield* owner
        const { secret, session } = yield* begin()
        const role = Effect.map(sessions.current(secret), (found) => Option.getOrThrow(found).role)
        assert.strictEqual(session.role, "customer")
        yield* accounts.setRole(email, "operator")
        assert.strictEqual(yield* role, "operator")
        yield* accounts.setRole(email, "customer")
        assert.strictEqual(yield* role, "customer")
      })
    )

    it.effect("keeps what its browser was called when it started", () =>
      Effect.gen(function* () {
        const { begin, id, sessions } = yield* owner
        const { session: unknown } = yield* begin()
        assert.deepStrictEqual(unknown.device, { browser: null, system: null })
        const device = { browser: "Firefox", system: "Linux" }
        const { secret } = yield* sessions.start({ accountId: id, passwordHash, device })
        assert.deepStrictEqual(Option.getOrThrow(yield* sessions.current(secret)).device, device)
        assert.deepStrictEqual(
          (yield* sessions.list(id)).map((each) => each.device),
          [device, unknown.device]
        )
      })
    )

    it.effect("D9 ends after 12 hours without use", () =>
      Effect.gen(function* () {
        const { begin, clock, isAlive } = yield* owner
        const { secret } = yield* begin()
        yield* clock.advance(12 * hour - 1)
        assert.isTrue(yield* isAlive(secret))
        yield* clock.advance(12 * hour - 1)
        assert.isTrue(yield* isAlive(secret))
        yield* clock.advance(12 * hour)
        assert.isFalse(yield* isAlive(secret))
      })
    )

    it.effect("ends after 30 days however much it is used", () =>
      Effect.gen(function* () {
        const { begin, clock, isAlive } = yield* owner
        const { secret } = yield* begin()
        for (let hours = 10; hours < 30 * 24; hours += 10) {
          yield* clock.advance(10 * hour)
          assert.isTrue(yield* isAlive(secret), `${hours}`)
        }
        yield* clock.advance(10 * hour)
        assert.isFalse(yield* isAlive(secret))
      })
    )

    it.effect("writes its use once a minute at most, and never backwards", () =>
      Effect.gen(function* () {
        const { begin, clock, id, sessions } = yield* owner
        const { secret } = yield* begin()
        const lastUse = Effect.map(sessions.list(id), ([session]) => session && DateTime.formatIso(session.lastUsedAt))
        yield* clock.advance(59_999)
        yield* sessions.current(secret)
        assert.strictEqual(yield* lastUse, "2026-03-10T12:00:00.000Z")
        yield* clock.advance(1)
        yield* sessions.current(secret)
        assert.strictEqual(yield* lastUse, "2026-03-10T12:01:00.000Z")
        yield* clock.set(start)
        yield* sessions.current(secret)
        assert.strictEqual(yield* lastUse, "2026-03-10T12:01:00.000Z")
      })
    )
  })

  describe("signing in", () => {
    it.effect("R29 ends the previous session of the browser, of any account", () =>
      Effect.gen(function* () {
        const one = yield* owner
        const other = yield* owner
        const before = yield* one.begin()
        const after = yield* other.begin(before.secret)
        assert.notStrictEqual(Redacted.value(after.secret), Redacted.value(before.secret))
        assert.isFalse(yield* one.isAlive(before.secret))
        assert.isTrue(yield* other.isAlive(after.secret))
      })
    )

    it.effect("with a password that was changed meanwhile gives no session", () =>
      Effect.gen(function* () {
        const { id, sessions } = yield* owner
        const error = yield* Effect.flip(sessions.start({ accountId: id, passwordHash: "$argon2id$older" }))
        assert.strictEqual(error._tag, "PasswordOutdated")
        assert.deepStrictEqual(yield* sessions.list(id), [])
      })
    )

    it.effect("while the password is being changed waits, and then gives none", () =>
      Effect.gen(function* () {
        const { begin, id, sessions } = yield* owner
        const { release, waiting } = yield* Access.holdPassword(id, "$argon2id$newer")
        const starting = yield* Effect.forkChild(Effect.flip(begin()))
        yield* waiting(1)
        yield* release
        assert.strictEqual((yield* Fiber.join(starting))._tag, "PasswordOutdated")
        assert.deepStrictEqual(yield* sessions.list(id), [])
      })
    )

    it.effect("keeps 50 sessions at most, also on several servers at once, and ends those unused for longest", () =>
      Effect.gen(function* () {
        const { begin, clock, id, isAlive, sessions } = yield* owner
        const oldest = yield* begin()
        yield* clock.advance(1)
        const { connection } = yield* TestDatabase
        const replica = yield* Layer.build(
          Layer.fresh(Sessions.layer).pipe(
            Layer.provide([Layer.fresh(Database.layer({ source: connection, maxConnections: 5 })), NodeCrypto.layer])
          )
        )
        const servers = [sessions, Context.get(replica, Sessions)]
        const exits = yield* Effect.forEach(
          Array.from({ length: 30 }).flatMap(() => servers),
          (server) => Effect.exit(server.start({ accountId: id, passwordHash })),
          { concurrency: "unbounded" }
        )
        assert.isTrue(exits.every(Exit.isSuccess))
        assert.lengthOf(yield* sessions.list(id), 50)
        assert.isFalse(yield* isAlive(oldest.secret))
      })
    )

    it.effect("forgets the account's sessions that are over", () =>
      Effect.gen(function* () {
        const { begin, clock, id } = yield* owner
        yield* begin()
        yield* clock.advance(13 * hour)
        yield* begin()
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`SELECT FROM session WHERE account_id = ${id}`, 1)
      })
    )
  })

  describe("ending", () => {
    it.effect("takes one of the account's own, at once, and is no error twice", () =>
      Effect.gen(function* () {
        const one = yield* owner
        const other = yield* owner
        const [first, second] = [yield* one.begin(), yield* one.begin()]
        yield* one.sessions.end(other.id, first.session.id)
        assert.isTrue(yield* one.isAlive(first.secret))
        yield* one.sessions.end(one.id, first.session.id)
        yield* one.sessions.end(one.id, first.session.id)
        assert.isFalse(yield* one.isAlive(first.secret))
        assert.isTrue(yield* one.isAlive(second.secret))
      })
    )

    it.effect("takes all others of the account, and no one else's", () =>
      Effect.gen(function* () {
        const one = yield* owner
        const other = yield* owner
        const [kept, first, second] = [yield* one.begin(), yield* one.begin(), yield* one.begin()]
        const foreign = yield* other.begin()
        assert.strictEqual(yield* one.sessions.endOthers(one.id, kept.session.id), 2)
        const alive = yield* Effect.forEach([kept, first, second, foreign], ({ secret }) => one.isAlive(secret))
        assert.deepStrictEqual(alive, [true, false, false, true])
      })
    )

    it.effect("comes with the operator's new password", () =>
      Effect.gen(function* () {
        const { accounts, begin, email, isAlive } = yield* owner
        const { secret } = yield* begin()
        yield* accounts.resetPassword(email, Redacted.make("seven blue otters"))
        assert.isFalse(yield* isAlive(secret))
      })
    )
  })
})
