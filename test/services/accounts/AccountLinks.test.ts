/** Links in mails, against a model: whatever is done with them in whatever order, each works once, for a while, and alone. */
import { assert, describe, layer } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { AccountLinks } from "../../../src/services/accounts/AccountLinks.ts"
import type { Purpose } from "../../../src/services/accounts/AccountLinks.ts"
import * as Secrets from "../../../src/services/Secrets.ts"
import * as Access from "../../support/Access.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const minute = 60_000
const lifetimes = { sign_up: 24 * 60 * minute, email: 24 * 60 * minute, reset: 30 * minute }
const purposes = ["sign_up", "email", "reset"] as const

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
/** Of two people each, and of every purpose. */
const Which = { purpose: Schema.Literals(purposes), person: between(0, 1) }

const Step = Schema.Union([
  Schema.TaggedStruct("make", Which),
  Schema.TaggedStruct("make", Which),
  // Links are counted back from the newest; the last number stands for one that never was.
  Schema.TaggedStruct("look", { link: between(0, 5) }),
  Schema.TaggedStruct("use", { link: between(0, 5) }),
  Schema.TaggedStruct("use", { link: between(0, 2) }),
  Schema.TaggedStruct("renew", { link: between(0, 5) }),
  Schema.TaggedStruct("misuse", { link: between(0, 2), as: Schema.Literals(purposes) }),
  Schema.TaggedStruct("wait", {
    millis: Schema.Literals([1, 29 * minute, 30 * minute - 1, 30 * minute, 23 * 60 * minute, 24 * 60 * minute])
  })
])
const Steps = Schema.Array(Step).check(Schema.isMinLength(10), Schema.isMaxLength(40))

interface Made {
  secret: Redacted.Redacted
  readonly purpose: Purpose
  readonly person: number
  readonly until: number
  isOver: boolean
}

const Services = Layer.merge(Access.layerUnhashed, Layer.provide(AccountLinks.layer, NodeCrypto.layer)).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

let people = 0

layer(Services, { excludeTestServices: true })("links in mails", (it) => {
  const person = Effect.gen(function* () {
    const accounts = yield* Accounts
    const email = `owner${++people}@discovery.test`
    const { id } = yield* accounts.create({
      email,
      plan: "starter",
      status: "active",
      password: Redacted.make("nine green whales")
    })
    return { id, email, next: `next${people}@discovery.test`, unknown: `unknown${people}@discovery.test` }
  })

  type Person = Effect.Success<typeof person>

  const make = Effect.fnUntraced(function* (purpose: Purpose, { email, id, next, unknown }: Person) {
    const links = yield* AccountLinks
    const made = yield* links.make(
      purpose === "sign_up"
        ? {
            purpose,
            email: unknown,
            passwordHash: "$argon2id$none",
            browser: Redacted.make("a browser"),
            returnTo: undefined
          }
        : purpose === "reset"
          ? { purpose, email }
          : { purpose, email: next, accountId: id }
    )
    return Option.getOrThrow(made).secret
  })

  it.effect.each(purposes)("of the purpose %s get another secret until they end, and none afterward", (purpose) =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const links = yield* AccountLinks
      yield* clock.set(start)
      const secret = yield* make(purpose, yield* person)
      yield* clock.advance(lifetimes[purpose] - 1)
      const renewed = Option.getOrThrow(yield* links.renew(Secrets.hashOf(secret)))
      assert.isTrue(Option.isNone(yield* links.renew(Secrets.hashOf(secret))))
      yield* clock.advance(1)
      assert.isTrue(Option.isNone(yield* links.renew(Secrets.hashOf(renewed.secret))))
    })
  )

  it.effect.prop(
    "D85 agree with their model after every step",
    [Steps],
    ([steps]) =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const links = yield* AccountLinks
        yield* clock.set(start)
        let now = Date.parse(start)
        const owners = [yield* person, yield* person]
        const made: Array<Made> = []

        const nobodys = Redacted.make("A".repeat(43))
        const works = (link: Made | undefined): link is Made => link !== undefined && !link.isOver && now < link.until

        for (const step of steps) {
          switch (step._tag) {
            case "make": {
              const { person: index, purpose } = step
              const owner = owners[index]
              if (owner === undefined) break
              const secret = yield* make(purpose, owner)
              // A newer one ends the older.
              for (const link of made) if (link.purpose === purpose && link.person === index) link.isOver = true
              made.push({ secret, purpose, person: index, until: now + lifetimes[purpose], isOver: false })
              break
            }
            case "look": {
              const link = made.at(-1 - step.link)
              const seen = yield* Effect.result(links.read(link?.purpose ?? "reset", link?.secret ?? nobodys))
              assert.strictEqual(Result.isSuccess(seen), works(link))
              break
            }
            case "use": {
              const link = made.at(-1 - step.link)
              const used = yield* Effect.result(links.use(link?.purpose ?? "reset", link?.secret ?? nobodys))
              assert.strictEqual(Result.isSuccess(used), works(link))
              if (link !== undefined && works(link)) link.isOver = true
              break
            }
            case "renew": {
              const link = made.at(-1 - step.link)
              const renewed = yield* links.renew(Secrets.hashOf(link?.secret ?? nobodys))
              assert.strictEqual(Option.isSome(renewed), works(link))
              if (link === undefined || Option.isNone(renewed)) break
              // Only the new secret opens it, for as long as before.
              assert.isTrue(Result.isFailure(yield* Effect.result(links.read(link.purpose, link.secret))))
              link.secret = renewed.value.secret
              break
            }
            case "misuse": {
              const link = made.at(-1 - step.link)
              if (link === undefined || link.purpose === step.as) break
              assert.isTrue(Result.isFailure(yield* Effect.result(links.use(step.as, link.secret))))
              break
            }
            case "wait":
              now += step.millis
              yield* clock.advance(step.millis)
          }
        }
        for (const link of made) {
          const seen = yield* Effect.result(links.read(link.purpose, link.secret))
          assert.strictEqual(Result.isSuccess(seen), works(link))
        }
      }),
    { arbitrary: { runs: 60 } }
  )

  describe("D85", () => {
    it.effect("used at once by many, one works for one of them", () =>
      Effect.gen(function* () {
        const links = yield* AccountLinks
        const secret = yield* make("reset", yield* person)
        const results = yield* Effect.all(
          Array.from({ length: 20 }, () => Effect.result(links.use("reset", secret))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(results.filter(Result.isSuccess), 1)
      })
    )

    it.effect("have 256 random bits, of which the database has the SHA-256 alone", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const owner = yield* person
        const secrets = yield* Effect.forEach(Array.from({ length: 50 }), () => make("sign_up", owner))
        const texts = secrets.map(Redacted.value)
        assert.lengthOf(new Set(texts), 50)
        for (const text of texts) assert.match(text, /^[A-Za-z0-9_-]{43}$/u)
        const rows = JSON.stringify(yield* sql`SELECT to_jsonb(l)::text AS row FROM account_link l`)
        const newest = texts.at(-1) ?? ""
        assert.notInclude(rows, newest)
        const [found] = yield* sql`SELECT FROM account_link WHERE hash = sha256(${newest}::bytea)`
        assert.isDefined(found)
      })
    )

    it.effect("that have expired are deleted by later ones", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const sql = yield* SqlClient.SqlClient
        yield* clock.set(start)
        yield* make("sign_up", yield* person)
        yield* clock.advance(lifetimes.sign_up)
        yield* make("reset", yield* person)
        const [old] =
          yield* sql`SELECT FROM account_link WHERE expires_at <= ${new Date(Date.parse(start) + lifetimes.sign_up)}`
        assert.isUndefined(old)
        yield* clock.set(start)
      })
    )

    it.effect("are made for nobody who has no account, and for no address that has one", () =>
      Effect.gen(function* () {
        const links = yield* AccountLinks
        const [one, other] = [yield* person, yield* person]
        const signUp = {
          purpose: "sign_up",
          passwordHash: "$argon2id$none",
          browser: Redacted.make("x"),
          returnTo: undefined
        } as const
        const id: AccountId = one.id
        for (const made of [
          yield* links.make({ purpose: "reset", email: one.unknown }),
          yield* links.make({ ...signUp, email: one.email.toUpperCase() }),
          yield* links.make({ purpose: "email", accountId: id, email: other.email.toUpperCase() })
        ]) {
          assert.isTrue(Option.isNone(made))
        }
        const reset = yield* links.make({ purpose: "reset", email: one.email.toUpperCase() })
        assert.strictEqual(Option.getOrThrow(reset).email, one.email)
      })
    )

    it.effect.each([
      "",
      "x",
      "A".repeat(42),
      "A".repeat(44),
      "\u0000".repeat(43),
      "'; DROP TABLE account; --",
      "ä".repeat(43)
    ])("that are none work nowhere: %j", (text) =>
      Effect.gen(function* () {
        const links = yield* AccountLinks
        for (const purpose of purposes) {
          assert.strictEqual((yield* Effect.flip(links.read(purpose, Redacted.make(text))))._tag, "LinkOver")
        }
      })
    )
  })
})
