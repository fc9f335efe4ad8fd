/** Mails that visitors ask for: what two servers with pools of their own on one database allow together. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import * as Database from "../../../src/services/database/Database.ts"
import { SignInAttempts } from "../../../src/services/limits/SignInAttempts.ts"
import type { MailRequest } from "../../../src/services/limits/SignInAttempts.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const minute = 60_000
/** In a row: to one address for one purpose, and from one network. */
const toAddress = 4
const fromNetwork = 20

type Attempts = SignInAttempts["Service"]

/** Another server: only the database is the same. */
const server = Effect.gen(function* () {
  const { connection } = yield* TestDatabase
  // A busy machine must not look like a limit.
  const patience = { statementTimeoutMillis: 60_000, lockTimeoutMillis: 60_000 }
  const pool = Database.layer({ source: connection, maxConnections: 4, ...patience })
  const services = yield* Layer.build(Layer.fresh(SignInAttempts.layer.pipe(Layer.provide(Layer.fresh(pool)))))
  return Context.get(services, SignInAttempts)
})

/** Seconds to wait; 0 for a mail that may be sent. */
const waitOf = (attempts: Attempts, request: MailRequest) =>
  attempts.takeMail(request).pipe(
    Effect.as(0),
    Effect.catchTag("TooManyAttempts", ({ retryAfterSeconds }) => Effect.succeed(retryAfterSeconds))
  )

let numbered = 0
const unused = () => ++numbered

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

layer(TestDatabase.layerNoPool.pipe(Layer.provideMerge(SetClock.layer(start))), { excludeTestServices: true })(
  "two servers",
  (it) => {
    const advance = (millis: number) => Effect.flatMap(SetClock, (clock) => clock.advance(millis))
    const twoServers = Effect.all([server, server])

    /** How many of so many requests are allowed that both servers get, half of them each and 16 at once. */
    const allowed = (servers: ReadonlyArray<Attempts>, count: number, requestOf: (n: number) => MailRequest) =>
      Effect.forEach(
        Array.from({ length: count }, (_, n) => n),
        (n) => Effect.flatMap(Effect.fromNullishOr(servers[n % servers.length]), (one) => waitOf(one, requestOf(n))),
        { concurrency: 16 }
      ).pipe(Effect.map((waits) => waits.filter((seconds) => seconds === 0).length))

    it.effect("D86 allow one address as many mails as one server does, from any network", () =>
      Effect.gen(function* () {
        const servers = yield* twoServers
        const mailTo = `one${unused()}@discovery.test`
        const requestOf = (n: number): MailRequest => ({ mailTo, purpose: "reset", address: `198.51.100.${n}` })
        assert.strictEqual(yield* allowed(servers, 40, requestOf), toAddress)
        yield* advance(15 * minute - 1)
        assert.strictEqual(yield* allowed(servers, 10, requestOf), 0)
        yield* advance(1)
        assert.strictEqual(yield* allowed(servers, 10, requestOf), 1)
        // Another purpose has a count of its own.
        assert.strictEqual(yield* allowed(servers, 10, (n) => ({ ...requestOf(n), purpose: "email" })), toAddress)
      })
    )

    it.effect("D86 allow one network as many mails as one server does, to any address", () =>
      Effect.gen(function* () {
        const servers = yield* twoServers
        const network = unused()
        const requestOf = (): MailRequest => ({
          mailTo: `any${unused()}@discovery.test`,
          purpose: "sign_up",
          address: `203.0.113.${network}`
        })
        assert.strictEqual(yield* allowed(servers, 60, requestOf), fromNetwork)
        yield* advance(3 * minute)
        assert.strictEqual(yield* allowed(servers, 20, requestOf), 3)
      })
    )

    const Request = Schema.Struct({
      /** Which server gets it. */
      at: Schema.Literals([0, 1]),
      to: between(0, 1),
      isIpv6: Schema.Boolean,
      purpose: Schema.Literals(["reset", "email"]),
      millis: Schema.Literals([0, 1_000, minute, 7 * minute])
    })

    it.effect.prop(
      "D86 answer each request as one server that gets all of them does, with the same time to wait",
      [Schema.Array(Request).check(Schema.isMinLength(40), Schema.isMaxLength(80))],
      ([requests]) =>
        Effect.gen(function* () {
          const [first, other, alone] = yield* Effect.all([server, server, server])
          const [shared, own] = [unused(), unused()]
          for (const { at, isIpv6, millis, purpose, to } of requests) {
            yield* advance(millis)
            const requestOf = (of: number): MailRequest => ({
              mailTo: `${to}.of${of}@discovery.test`,
              purpose,
              address: isIpv6 ? `2001:db8:${of.toString(16)}:1` : `10.0.0.${of}`
            })
            const wait = yield* waitOf(at === 0 ? first : other, requestOf(shared))
            assert.strictEqual(wait, yield* waitOf(alone, requestOf(own)))
          }
        }),
      { arbitrary: { runs: 15 } }
    )
  }
)
