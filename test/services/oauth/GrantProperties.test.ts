/** Whatever happens to a connection, in whatever order: an ended one never works, and an app that behaves is never let down. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Result, Schema } from "effect"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import { ConnectedApps } from "../../../src/services/oauth/ConnectedApps.ts"
import * as GrantRetention from "../../../src/services/retention/GrantRetention.ts"
import { Grants } from "../../../src/services/oauth/Grants.ts"
import type { Tokens } from "../../../src/services/oauth/GrantTokens.ts"
import { ServerKey } from "../../../src/services/oauth/ServerKey.ts"
import * as Random from "../../oracle/Random.ts"
import * as Access from "../../support/Access.ts"
import * as OAuth from "../../support/OAuth.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-01-31T00:00:00Z"
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Step = Schema.Union([
  // Tokens are counted back from the newest; the same request is sent so often at once.
  Schema.TaggedStruct("refresh", { token: between(0, 3), times: between(1, 3) }),
  Schema.TaggedStruct("refresh", { token: Schema.Literal(0), times: Schema.Literal(1) }),
  Schema.TaggedStruct("wrong", { token: between(0, 3), how: Schema.Literals(["client", "resource"]) }),
  Schema.TaggedStruct("wait", {
    millis: Schema.Literals([
      1,
      second,
      30 * second,
      minute - 1,
      minute,
      minute + 1,
      10 * minute,
      hour - 1,
      hour,
      29 * day,
      30 * day,
      -second,
      -10 * minute
    ])
  }),
  Schema.TaggedStruct("wait", { millis: Schema.Literals([second, 20 * second, 50 * minute]) }),
  Schema.TaggedStruct("revoke", { token: between(0, 3), by: Schema.Literals(["access", "refresh", "dashboard"]) }),
  Schema.TaggedStruct("replayCode", {}),
  Schema.TaggedStruct("sweep", {}),
  Schema.TaggedStruct("rotateKey", {})
])
const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(30))

interface Issued {
  readonly tokens: Tokens
  readonly accessUntil: number
  readonly refreshUntil: number
  supersededAt: number | undefined
  /** Deleted: it is as if it had never been. */
  swept: boolean
}

/** What a connection must come to: a second, slow one in memory. */
class Model {
  ended = false
  readonly issued: Array<Issued> = []

  give(tokens: Tokens, now: number) {
    this.issued.push({
      tokens,
      accessUntil: now + hour,
      refreshUntil: now + 30 * day,
      supersededAt: undefined,
      swept: false
    })
  }

  at(back: number): { readonly index: number; readonly token: Issued } {
    const index = Math.max(0, this.issued.length - 1 - back)
    const token = this.issued[index]
    if (token === undefined) throw new Error("no token was issued")
    return { index, token }
  }

  /** `next` is a new pair; a number is the place of a pair that was given before. */
  refresh(back: number, now: number): "InvalidGrant" | "next" | number {
    const { index, token } = this.at(back)
    if (this.ended || token.swept) return "InvalidGrant"
    if (token.supersededAt !== undefined) {
      const follower = this.issued[index + 1]
      if (now - token.supersededAt <= minute && follower?.supersededAt === undefined) return index + 1
    }
    if (now >= token.refreshUntil) return "InvalidGrant"
    if (token.supersededAt === undefined) {
      token.supersededAt = now
      return "next"
    }
    this.ended = true
    return "InvalidGrant"
  }

  sweep(now: number) {
    for (const token of this.issued) if (now >= token.refreshUntil + day) token.swept = true
    if (this.at(0).token.swept) this.ended = true
  }

  accessWorks({ accessUntil }: Issued, now: number) {
    return !this.ended && now < accessUntil
  }
}

const textOf = ({ accessToken, refreshToken }: Tokens) =>
  `${Redacted.value(accessToken)} ${Redacted.value(refreshToken)}`

const Services = Layer.mergeAll(Access.layerUnhashed, OAuth.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

layer(Services, { excludeTestServices: true })("a connection", (it) => {
  const account = Effect.gen(function* () {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const { caller } = yield* Access.subscriber()
    return caller.accountId
  })
  const works = (tokens: Tokens) =>
    Effect.flatMap(CredentialResolver, (resolver) => Effect.isSuccess(resolver.resolve(tokens.accessToken)))

  it.effect.prop(
    "R38, R39, R41 agrees with its model after every step, and once ended never works again",
    [Steps],
    ([steps]) =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const grants = yield* Grants
        const apps = yield* ConnectedApps
        const { sweep } = GrantRetention
        const { rotate } = yield* ServerKey
        const owner = yield* account
        const { approval, client, tokens } = yield* OAuth.connected(owner)
        const bystander = yield* OAuth.connected(owner, client)
        const anotherApp = yield* OAuth.registered()
        const resolver = yield* CredentialResolver
        const { id } = (yield* resolver.resolve(tokens.accessToken)).credential
        let now = Date.parse(start)
        const model = new Model()
        model.give(tokens, now)

        for (const step of steps) {
          if (step._tag === "refresh") {
            const { token } = model.at(step.token)
            const expected = model.refresh(step.token, now)
            const results = yield* Effect.forEach(
              Array.from({ length: step.times }),
              () => Effect.result(grants.refresh(OAuth.refreshOf(client, token.tokens.refreshToken))),
              { concurrency: "unbounded" }
            )
            for (const result of results) {
              if (Result.isFailure(result)) {
                assert.strictEqual(result.failure._tag, String(expected))
              } else if (expected === "next") {
                const newest = model.issued.at(-1)
                // The first of them makes the next pair, the others get the same.
                if (newest === token) model.give(result.success, now)
                assert.strictEqual(textOf(result.success), textOf(model.at(0).token.tokens))
              } else {
                assert.isNumber(expected)
                const before = model.issued[Number(expected)]
                assert.strictEqual(textOf(result.success), before === undefined ? "none" : textOf(before.tokens))
              }
            }
          } else if (step._tag === "wrong") {
            const { token } = model.at(step.token)
            const change = {
              client: { clientId: anotherApp.id },
              resource: { resources: ["https://evil.example/mcp"] }
            }[step.how]
            const error = yield* Effect.flip(grants.refresh(OAuth.refreshOf(client, token.tokens.refreshToken, change)))
            const told = { client: "InvalidGrant", resource: "InvalidTarget" }[step.how]
            assert.strictEqual(error._tag, model.ended || token.swept ? "InvalidGrant" : told)
          } else if (step._tag === "wait") {
            now += step.millis
            yield* clock.advance(step.millis)
          } else if (step._tag === "revoke") {
            const { token } = model.at(step.token)
            if (step.by === "dashboard") {
              yield* Effect.result(apps.revoke(owner, id))
            } else {
              const { accessToken, refreshToken } = token.tokens
              yield* grants.revokeToken(client.id, step.by === "access" ? accessToken : refreshToken)
            }
            model.ended = true
          } else if (step._tag === "replayCode") {
            // A used code is known as one for at least a day; then it is unknown, and ends nothing.
            if (now - Date.parse(start) > day) continue
            const error = yield* Effect.flip(grants.exchangeCode(OAuth.exchangeOf(approval)))
            assert.strictEqual(error._tag, "InvalidGrant")
            model.ended = true
          } else if (step._tag === "sweep") {
            yield* sweep
            model.sweep(now)
          } else {
            yield* rotate
          }
          for (const issued of model.issued.slice(-4)) {
            assert.strictEqual(yield* works(issued.tokens), model.accessWorks(issued, now), step._tag)
          }
        }

        // Nothing that happens to one connection touches another of the same app and account.
        if (now < Date.parse(start) + 30 * day) {
          const next = yield* grants.refresh(OAuth.refreshOf(client, bystander.tokens.refreshToken))
          assert.isTrue(yield* works(next))
        }
        if (model.ended) {
          for (const { tokens } of model.issued) {
            assert.isFalse(yield* works(tokens))
            assert.isTrue(yield* Effect.isFailure(grants.refresh(OAuth.refreshOf(client, tokens.refreshToken))))
          }
        }
      }),
    { arbitrary: { runs: 150 } }
  )

  describe("R39 an app that behaves", () => {
    /** Of the clocks of servers, which may be wrong. */
    const maxSkew = 10 * minute
    /** The database's clock decides; it is set right now and then. */
    const maxClockStep = 3 * second
    /** What is left of the minute when that clock is at its worst. */
    const patience = minute - maxClockStep

    /**
     * Several processes share one store of tokens. When the access token is about to end, some of them read the store at
     * the same moment and refresh; requests and answers get lost; who has no answer sends the same again, for as long as
     * a minute after the first try. Two servers answer, of whose clocks none is quite right.
     */
    const live = Effect.fnUntraced(function* (seed: number) {
      const random = Random.make(seed)
      const clock = yield* SetClock
      const grants = yield* Grants
      const live = yield* Clock.Clock
      const owner = yield* account
      const { client, tokens } = yield* OAuth.connected(owner)
      const skews = [random.int(-maxSkew, maxSkew), random.int(-maxSkew, maxSkew)]
      const ask = (token: Redacted.Redacted) => {
        const skew = random.pick(skews)
        return grants.refresh(OAuth.refreshOf(client, token)).pipe(
          Effect.provideService(Clock.Clock, {
            currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe() + skew,
            currentTimeMillis: Effect.map(live.currentTimeMillis, (now) => now + skew),
            currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe() + BigInt(skew) * 1_000_000n,
            currentTimeNanos: Effect.map(live.currentTimeNanos, (now) => now + BigInt(skew) * 1_000_000n),
            monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
            monotonicTimeNanos: live.monotonicTimeNanos,
            sleep: (duration) => live.sleep(duration)
          }),
          Effect.catch((error) => Effect.die(new Error(`seed ${seed}: ${error._tag} ${error.message}`)))
        )
      }

      let store = tokens
      for (let round = 0; round < 12; round++) {
        yield* clock.advance(random.chance(0.15) ? random.int(1, 29) * day : random.int(5 * minute, 70 * minute))
        const held = store.refreshToken
        let left = patience
        let stepsLeft = maxClockStep
        let tries = random.int(1, 6)
        let answered: Tokens | undefined
        while (tries > 0 || answered === undefined) {
          tries--
          const pause = random.int(0, Math.floor(left / 2))
          left -= pause
          const step = random.chance(0.2) ? random.int(-stepsLeft, stepsLeft) : 0
          stepsLeft -= Math.abs(step)
          yield* clock.advance(pause + step)
          const isLast = tries <= 0
          if (!isLast && random.chance(0.2)) continue // the request got lost
          const answers = yield* Effect.forEach(Array.from({ length: random.int(1, 3) }), () => ask(held), {
            concurrency: "unbounded"
          })
          for (const answer of answers) {
            // The answer got lost, though not forever.
            if (!isLast && random.chance(0.5)) continue
            if (answered !== undefined) assert.strictEqual(textOf(answer), textOf(answered), `seed ${seed}`)
            answered = answer
          }
        }
        store = answered
        assert.isTrue(yield* works(store), `seed ${seed}`)
      }
    })

    it.effect(
      "is never sent back to sign in",
      () =>
        Effect.forEach(
          Array.from({ length: 60 }, (_, index) => index + 1),
          live,
          { discard: true }
        ),
      600_000
    )
  })
})
