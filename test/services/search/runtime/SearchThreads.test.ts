import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Worker } from "node:worker_threads"
import { AccountId } from "../../../../src/domain/access/Account.ts"
import { CurrentAccount } from "../../../../src/services/limits/CurrentAccount.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { livePlaces } from "../../../../src/services/search/index/Segment.ts"
import { namesOf, publish } from "../../../../src/services/search/runtime/IndexState.ts"
import type { Published } from "../../../../src/services/search/runtime/IndexState.ts"
import * as SearchThreads from "../../../../src/services/search/runtime/SearchThreads.ts"
import type { JobResult, Searcher } from "../../../../src/services/search/runtime/Searcher.ts"
import type { SearchFailure } from "../../../../src/services/limits/SearchPermits.ts"
import type { Job, Kind } from "../../../../src/services/search/runtime/SearchThread.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import { segmentOf } from "../../../oracle/segments.ts"

const job = (...words: ReadonlyArray<string>): Job<"search"> => ({
  kind: "search",
  query: {
    subject: "stores",
    stores: [],
    words: words.map((word) => [word]),
    order: { _tag: "ByStore", figures: ["revenue"], isDescending: true },
    offset: 0,
    limit: 25
  }
})

const catalog = generate(1, 7)
const spellings = new Spellings()
const half = Math.max(...catalog.shops.map(({ id }) => id)) / 2
const views = [(id: number) => id <= half, (id: number) => id > half].map((isWanted) =>
  segmentOf(catalog, spellings, isWanted)
)
/** The second version has all stores, and shares what the first one has. */
const [published = assert.fail(), later = assert.fail()] = [1, 2].map((segments) =>
  publish(
    {
      identity: { catalogId: "a", version: segments, token: "b" },
      niches: [],
      spellings: namesOf(spellings),
      bases: segments,
      list: views.slice(0, segments)
    },
    spellings
  )
)
const storesOf = ({ list }: Published) => livePlaces(list).filter(({ id }) => id > 0).length

interface Pool {
  readonly searcher: Searcher
  readonly search: (...words: ReadonlyArray<string>) => ReturnType<Searcher["run"]>
  readonly started: () => number
  /** Waits for threads to have begun so many searches; they run in real time. */
  readonly begun: (searches: number) => Effect.Effect<void>
}

interface Options extends SearchThreads.SearchThreadsOptions {
  /** Number of threads that freeze before they are up, the first ones. */
  readonly frozen?: number
}

/** Threads whose searches do as their words say, see StubbornThread.ts. */
const withThreads = <A, E>(options: Options, use: (pool: Pool) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(Scope.make(), (scope) => Scope.provide(pool(options, use), scope), end)

/** A stuck thread is ended five seconds after it was asked to end. */
const end = Effect.fnUntraced(function* (scope: Scope.Closeable, exit: Exit.Exit<unknown, unknown>) {
  const closing = yield* Effect.forkChild(Scope.close(scope, exit), { startImmediately: true })
  yield* TestClock.adjust("6 seconds")
  yield* Fiber.await(closing)
})

const pool = <A, E>(options: Options, use: (pool: Pool) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const counts = new Int32Array(new SharedArrayBuffer(16))
    counts[3] = options.frozen ?? 0
    const spawn = () =>
      new Worker(new URL("../../../support/StubbornThread.ts", import.meta.url), { workerData: counts, execArgv: [] })
    const searcher = yield* SearchThreads.onThreads(options).pipe(Effect.provide(NodeWorker.layer(spawn)))
    yield* searcher.show(published)
    const begun = (searches: number) =>
      Effect.gen(function* () {
        while (Atomics.load(counts, 1) < searches) yield* realTurn
      })
    return yield* use({
      searcher,
      search: (...words) => searcher.run(job(...words)),
      started: () => Atomics.load(counts, 0),
      begun
    })
  })

/** Lets what is not on the test's clock go on. */
const realTurn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/**
 * Until a fiber is done: pauses before a thread is spawned again are on the test's clock, the spawning itself is not and
 * takes longer on a busy machine than limits of searches are to be reached in.
 */
const respawning = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("1 millis")
      yield* Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 10)))
    }
  })

/** Real turns until a fiber is done, as its threads answer in real time. */
const settled = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) yield* realTurn
    return yield* Fiber.await(fiber)
  })

const outcome = <A, E extends { readonly _tag: string }>(exit: Exit.Exit<A, E>) =>
  Exit.match(exit, {
    onSuccess: () => "found",
    onFailure: (cause) =>
      cause.reasons.map((reason) => (reason._tag === "Fail" ? reason.error._tag : reason._tag)).join()
  })

const totalOf = Effect.fnUntraced(function* (fiber: Fiber.Fiber<JobResult<Kind>, SearchFailure>) {
  const { answer } = yield* yield* settled(fiber)
  return "total" in answer ? answer.total : 0
})

const accounts = ["flood", "one", "two", "three", "other"]
const account = (name: string) => Schema.decodeSync(AccountId)(accounts.indexOf(name) + 1)

describe("search threads", () => {
  it.effect("a search that takes five seconds is stopped, and its thread is free again", () =>
    withThreads({ threads: 1 }, ({ begun, search }) =>
      Effect.gen(function* () {
        const slow = yield* Effect.forkChild(search("forever"), { startImmediately: true })
        yield* begun(1)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(outcome(yield* settled(slow)), "SearchTimeout")
        const next = yield* Effect.forkChild(search("soap"), { startImmediately: true })
        assert.strictEqual(outcome(yield* settled(next)), "found")
      })
    )
  )

  it.effect("a search whose caller has left is stopped", () =>
    withThreads({ threads: 1 }, ({ begun, search }) =>
      Effect.gen(function* () {
        const slow = yield* Effect.forkChild(search("forever"), { startImmediately: true })
        yield* begun(1)
        yield* Fiber.interrupt(slow)
        const next = yield* Effect.forkChild(search("soap"), { startImmediately: true })
        assert.strictEqual(outcome(yield* settled(next)), "found")
      })
    )
  )

  const forked = (search: Pool["search"], words: string) => Effect.forkChild(search(words), { startImmediately: true })

  it.effect.each(["freeze", "spin"])(
    "a thread that does not answer to a cancellation is replaced, and its successor has the list: %s",
    (words) =>
      withThreads({ threads: 1 }, ({ begun, search, searcher, started }) =>
        Effect.gen(function* () {
          const stuck = yield* forked(search, words)
          yield* begun(1)
          yield* TestClock.adjust("5 seconds")
          assert.isTrue(yield* searcher.isAnswering)
          yield* TestClock.adjust("1 second")
          assert.isFalse(yield* searcher.isAnswering)
          const next = yield* forked(search, "soap")
          yield* TestClock.adjust("2249 millis")
          assert.isUndefined(stuck.pollUnsafe())
          yield* searcher.show(later)
          yield* TestClock.adjust("1 millis")
          assert.strictEqual(outcome(yield* settled(stuck)), "ServiceUnavailable")
          assert.strictEqual(yield* totalOf(next), storesOf(later))
          assert.strictEqual(started(), 2)
          assert.isTrue(yield* searcher.isAnswering)
        })
      )
  )

  it.effect("a thread that is stuck is replaced as well if the caller of its search has left", () =>
    withThreads({ threads: 1 }, ({ begun, search }) =>
      Effect.gen(function* () {
        const stuck = yield* forked(search, "freeze")
        yield* begun(1)
        yield* Fiber.interrupt(stuck)
        yield* TestClock.adjust("3250 millis")
        assert.strictEqual(outcome(yield* settled(yield* forked(search, "soap"))), "found")
      })
    )
  )

  it.effect("an idle thread that is stuck is found by asking it, and replaced", () =>
    withThreads({ threads: 1 }, ({ search, searcher, started }) =>
      Effect.gen(function* () {
        assert.strictEqual(outcome(yield* settled(yield* forked(search, "freeze after"))), "found")
        yield* TestClock.adjust("6 seconds")
        assert.isFalse(yield* searcher.isAnswering)
        yield* TestClock.adjust("2250 millis")
        assert.strictEqual(outcome(yield* settled(yield* forked(search, "soap"))), "found")
        assert.strictEqual(started(), 2)
      })
    )
  )

  it.effect("a thread that does not start is replaced", () =>
    withThreads({ threads: 1, frozen: 1 }, ({ search, searcher, started }) =>
      Effect.gen(function* () {
        while (started() < 1) yield* realTurn
        assert.isFalse(yield* searcher.isAnswering)
        yield* TestClock.adjust("30249 millis")
        const found = yield* forked(search, "soap")
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(outcome(yield* settled(found)), "found")
        assert.isTrue(yield* searcher.isAnswering)
        assert.strictEqual(started(), 2)
      })
    )
  )

  it.effect("D57 a search that waits for a thread that is stuck while idle is run by its successor", () =>
    withThreads({ threads: 1 }, ({ search, started }) =>
      Effect.gen(function* () {
        assert.strictEqual(outcome(yield* settled(yield* forked(search, "freeze after"))), "found")
        yield* TestClock.adjust("5 seconds")
        const waiting = yield* forked(search, "soap")
        yield* TestClock.adjust("3250 millis")
        assert.strictEqual(outcome(yield* settled(waiting)), "found")
        assert.strictEqual(started(), 2)
      })
    )
  )

  it.effect("a search that is canceled while its thread is asked whether it is there leaves no thread stuck", () =>
    withThreads({ threads: 1 }, ({ begun, search }) =>
      Effect.gen(function* () {
        assert.strictEqual(outcome(yield* settled(yield* forked(search, "soap"))), "found")
        yield* TestClock.adjust("5 seconds")
        // Sent before the thread's answer to the question is handled.
        const stuck = yield* forked(search, "freeze")
        yield* Fiber.interrupt(stuck)
        yield* begun(2)
        yield* realTurn
        yield* TestClock.adjust("3250 millis")
        assert.strictEqual(outcome(yield* settled(yield* forked(search, "soap"))), "found")
      })
    )
  )

  it.effect("an idle thread that answers stays", () =>
    withThreads({ threads: 1 }, ({ search, searcher, started }) =>
      Effect.gen(function* () {
        assert.strictEqual(outcome(yield* settled(yield* forked(search, "soap"))), "found")
        for (let round = 0; round < 5; round++) {
          yield* TestClock.adjust("5 seconds")
          // Its answer comes in real time, before that to a search.
          assert.strictEqual(outcome(yield* settled(yield* forked(search, "soap"))), "found")
          assert.isTrue(yield* searcher.isAnswering)
        }
        assert.strictEqual(started(), 1)
      })
    )
  )

  it.effect("waiting for a thread that is stuck is no fault of other searches", () =>
    withThreads({ threads: 1 }, ({ begun, search }) =>
      Effect.gen(function* () {
        const stuck = yield* forked(search, "freeze")
        yield* begun(1)
        yield* TestClock.adjust("500 millis")
        const waiting = yield* Effect.forkChild(Effect.flip(search("soap")), { startImmediately: true })
        yield* TestClock.adjust("5 seconds")
        const { message } = yield* Fiber.join(waiting)
        assert.include(message, "The search could not be finished.")
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual(outcome(yield* settled(stuck)), "ServiceUnavailable")
      })
    )
  )

  it.effect("a thread that dies is replaced, and its search is run once more", () =>
    withThreads({ threads: 1 }, ({ search, started }) =>
      Effect.gen(function* () {
        const once = yield* Effect.forkChild(search("crash once"), { startImmediately: true })
        yield* respawning(once)
        assert.strictEqual(outcome(yield* settled(once)), "found")
        assert.strictEqual(started(), 2)
      })
    )
  )

  it.effect("a thread that replaces a dead one has the list, and the lists that follow", () =>
    withThreads({ threads: 1 }, ({ search, searcher, started }) =>
      Effect.gen(function* () {
        const before = yield* Effect.forkChild(search("soap"), { startImmediately: true })
        assert.strictEqual(yield* totalOf(before), storesOf(published))
        const once = yield* Effect.forkChild(search("crash once"), { startImmediately: true })
        yield* respawning(once)
        assert.strictEqual(yield* totalOf(once), storesOf(published))
        assert.strictEqual(started(), 2)
        yield* searcher.show(later)
        const after = yield* Effect.forkChild(search("soap"), { startImmediately: true })
        assert.strictEqual(yield* totalOf(after), storesOf(later))
        assert.strictEqual(started(), 2)
        assert.isAbove(storesOf(later), storesOf(published))
      })
    )
  )

  it.effect("a search that kills threads fails after the second; others are unharmed", () =>
    withThreads({ threads: 1 }, ({ begun, search }) =>
      Effect.gen(function* () {
        const deadly = yield* Effect.forkChild(search("crash"), { startImmediately: true })
        yield* begun(1)
        const other = yield* Effect.forkChild(search("soap"), { startImmediately: true })
        yield* respawning(other)
        assert.strictEqual(outcome(yield* settled(deadly)), "ServiceUnavailable")
        assert.strictEqual(outcome(yield* settled(other)), "found")
      })
    )
  )

  it.effect("an account has half of the places, others find theirs, and the rest is refused at once", () =>
    withThreads({ threads: 1, places: 4 }, ({ begun, search }) =>
      Effect.gen(function* () {
        const as = (name: string, ...words: ReadonlyArray<string>) =>
          Effect.forkChild(Effect.provideService(search(...words), CurrentAccount, account(name)), {
            startImmediately: true
          })
        const running = yield* as("flood", "forever")
        yield* begun(1)
        const waiting = [yield* as("flood", "a"), yield* as("flood", "b")]
        assert.strictEqual(outcome(yield* settled(yield* as("flood", "c"))), "RateLimited")
        const others = [yield* as("one", "a"), yield* as("two", "a")]
        assert.strictEqual(outcome(yield* settled(yield* as("three", "a"))), "ServiceUnavailable")
        yield* Fiber.interrupt(running)
        for (const fiber of [...waiting, ...others]) assert.strictEqual(outcome(yield* settled(fiber)), "found")
      })
    )
  )

  it.effect.each([
    { running: ["flood"], fault: "RateLimited", whose: "its own, which fills all threads" },
    { running: ["flood", "one"], fault: "ServiceUnavailable", whose: "of all, as others have a thread too" }
  ])("D57 waiting five seconds ends, and the fault is $whose", ({ fault, running }) =>
    withThreads({ threads: running.length }, ({ begun, search }) =>
      Effect.gen(function* () {
        const as = (name: string, ...words: ReadonlyArray<string>) =>
          Effect.forkChild(Effect.provideService(search(...words), CurrentAccount, account(name)), {
            startImmediately: true
          })
        const first = yield* Effect.forEach(running, (name) => as(name, "forever"))
        yield* begun(running.length)
        // A second later, so that no thread becomes free at the moment when the others have waited long enough.
        yield* TestClock.adjust("1 second")
        const next = yield* Effect.forEach(running, (name) => as(name, "forever"))
        const own = yield* as("flood", "a")
        const other = yield* as("other", "a")
        yield* TestClock.adjust("4 seconds")
        for (const fiber of first) assert.strictEqual(outcome(yield* settled(fiber)), "SearchTimeout")
        yield* begun(2 * running.length)
        yield* TestClock.adjust("999 millis")
        for (const fiber of [...next, own, other]) assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        yield* realTurn
        const refused = [own, other].map((fiber) => outcome(fiber.pollUnsafe() ?? assert.fail("it still waits")))
        assert.deepStrictEqual(refused, [fault, "ServiceUnavailable"])
        yield* Effect.forEach(next, Fiber.interrupt)
      })
    )
  )

  it.effect("without an index nothing is searched", () =>
    withThreads({ threads: 1 }, ({ search, searcher }) =>
      Effect.gen(function* () {
        yield* searcher.show(undefined)
        const fiber = yield* Effect.forkChild(search("soap"), { startImmediately: true })
        assert.strictEqual(outcome(yield* settled(fiber)), "ServiceUnavailable")
      })
    )
  )
})
