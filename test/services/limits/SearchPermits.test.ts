/** How the searches of several accounts share the database. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { CurrentAccount } from "../../../src/services/limits/CurrentAccount.ts"
import { PoolSize } from "../../../src/services/database/Database.ts"
import { SearchPermits } from "../../../src/services/limits/SearchPermits.ts"

/** Of twelve connections four are not for searches: eight permits, four of them for one account. */
const permits = 8
const share = 4
const maxWaiting = 50
const services = SearchPermits.layer.pipe(Layer.provide(Layer.succeed(PoolSize, 12)))

const [ada, bob, eve] = [1, 2, 3].map((id) => AccountId.make(id)) as [AccountId, AccountId, AccountId]

/** Searches that are at the database until they are told to end. */
const makeSearches = Effect.gen(function* () {
  const searchPermits = yield* SearchPermits
  const running: Array<{ readonly account: AccountId | undefined; readonly end: Effect.Effect<unknown> }> = []
  const remove = (one: (typeof running)[number]) => Effect.sync(() => void running.splice(running.indexOf(one), 1))
  const one = (account: AccountId | undefined) =>
    Effect.gen(function* () {
      const end = yield* Latch.make(false)
      const here = { account, end: end.open }
      running.push(here)
      yield* Effect.ensuring(end.await, remove(here))
    }).pipe((search) => searchPermits.query(search), Effect.provideService(CurrentAccount, account))
  return {
    /** The accounts of those at the database. */
    running: () => running.map(({ account }) => account),
    of: (account: AccountId | undefined) => running.filter((each) => each.account === account).length,
    start: (account: AccountId | undefined, count = 1) =>
      Effect.forEach(Array.from({ length: count }), () => Effect.forkChild(one(account), { startImmediately: true })),
    /** Lets the oldest of these end. */
    end: (account: AccountId | undefined) =>
      Effect.andThen(running.find((each) => each.account === account)?.end ?? Effect.void, settle),
    endAll: Effect.gen(function* () {
      while (running.length > 0) {
        yield* running[0]?.end ?? Effect.void
        yield* settle
      }
    })
  }
})

/** Until every fiber that can go on has done so. */
const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

layer(services)("SearchPermits", (it) => {
  it.effect("a flood of one account has its share at the database, and keeps no other waiting", () =>
    Effect.gen(function* () {
      const searches = yield* makeSearches
      yield* searches.start(ada, share + maxWaiting)
      assert.strictEqual(searches.of(ada), share)
      yield* searches.start(bob, 2)
      assert.strictEqual(searches.of(bob), 2)
      yield* searches.endAll
    })
  )

  it.effect("when floods have taken all, the next place goes to who has waited outside of them", () =>
    Effect.gen(function* () {
      const searches = yield* makeSearches
      yield* searches.start(ada, 40)
      yield* searches.start(bob, 40)
      assert.strictEqual(searches.running().length, permits)
      yield* searches.start(eve)
      assert.strictEqual(searches.of(eve), 0)
      yield* searches.end(bob)
      assert.strictEqual(searches.of(eve), 1)
      yield* searches.endAll
    })
  )

  it.effect("searches without an account have no share, but wait like others", () =>
    Effect.gen(function* () {
      const searches = yield* makeSearches
      yield* searches.start(undefined, 20)
      assert.strictEqual(searches.of(undefined), permits)
      yield* searches.endAll
    })
  )

  it.effect("a search beyond an account's waiting ones fails immediately, and none is dropped silently", () =>
    Effect.gen(function* () {
      const searches = yield* makeSearches
      const fibers = yield* searches.start(ada, share + maxWaiting)
      const [refused] = yield* searches.start(ada)
      assert.isDefined(refused)
      const error = yield* Effect.flip(Fiber.join(refused))
      assert.deepInclude(error, { _tag: "RateLimited", retryAfterSeconds: 1 })
      yield* searches.endAll
      yield* Fiber.joinAll(fibers)
      // All of it is over: the account starts again.
      yield* searches.start(ada)
      assert.strictEqual(searches.of(ada), 1)
      yield* searches.endAll
    })
  )

  it.effect(
    "a search that waits too long is rate_limited behind its own account, service_unavailable behind others",
    () =>
      Effect.gen(function* () {
        const searches = yield* makeSearches
        yield* searches.start(ada, share)
        const [behindItsOwn] = yield* searches.start(ada)
        yield* searches.start(bob, share)
        const [behindOthers] = yield* searches.start(eve)
        assert.isDefined(behindItsOwn)
        assert.isDefined(behindOthers)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Effect.flip(Fiber.join(behindItsOwn)))._tag, "RateLimited")
        assert.strictEqual((yield* Effect.flip(Fiber.join(behindOthers)))._tag, "ServiceUnavailable")
        yield* searches.endAll
      })
  )

  const Step = Schema.Struct({
    account: Schema.Literals([1, 2, 3]),
    what: Schema.Literals(["start", "start", "end", "leave"]),
    which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
  })

  it.effect.prop(
    "whoever comes, ends and leaves in whatever order: no more than all, no more than a share, and no place is lost",
    [Schema.Array(Step).check(Schema.isMaxLength(60))],
    ([steps]) =>
      Effect.gen(function* () {
        const searches = yield* makeSearches
        const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
        for (const { account, what, which } of steps) {
          const id = AccountId.make(account)
          if (what === "start") fibers.push(...(yield* searches.start(id)))
          if (what === "end") yield* searches.end(id)
          const leaver = fibers[which]
          if (what === "leave" && leaver !== undefined) yield* Fiber.interrupt(leaver)
          yield* settle
          assert.isAtMost(searches.running().length, permits)
          for (const each of [ada, bob, eve]) assert.isAtMost(searches.of(each), share)
        }
        yield* Fiber.interruptAll(fibers)
        yield* settle
        yield* searches.start(ada, share)
        yield* searches.start(bob, share)
        assert.strictEqual(searches.running().length, permits)
        yield* searches.endAll
      }),
    { arbitrary: { runs: 100 } }
  )
})
