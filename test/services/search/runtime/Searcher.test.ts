/** Where a search runs: on the caller's thread if it is short, and with the searcher of threads otherwise (D57). */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../../../src/domain/access/Account.ts"
import { CurrentAccount } from "../../../../src/services/limits/CurrentAccount.ts"
import type { Query } from "../../../../src/domain/search/CatalogQuery.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import * as Cost from "../../../../src/services/search/index/Cost.ts"
import { namesOf, publish } from "../../../../src/services/search/runtime/IndexState.ts"
import type { Published } from "../../../../src/services/search/runtime/IndexState.ts"
import * as Searcher from "../../../../src/services/search/runtime/Searcher.ts"
import type { Asked, Job } from "../../../../src/services/search/runtime/SearchThread.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import { segmentOf } from "../../../oracle/segments.ts"

const filter = { subject: "stores", stores: [], words: [] } as const
const ads = { ...filter, subject: "ads" } as const
const query: Query = {
  ...filter,
  order: { _tag: "ByStore", figures: ["revenue"], isDescending: true },
  offset: 0,
  limit: 25
}

const spellings = new Spellings()
const view = segmentOf(generate(1, 7), spellings, () => true)

/** So many segments of the same stores: each adds to the expected cost. */
const published = (version: number, segments: number): Published =>
  publish(
    {
      identity: { catalogId: "a", version, token: "b" },
      niches: [],
      spellings: namesOf(spellings),
      bases: segments,
      list: Array.from({ length: segments }, () => view)
    },
    spellings
  )
const small = published(1, 1)
const large = published(2, 120)

const jobs: ReadonlyArray<Job<Asked>> = [
  { kind: "search", query },
  { kind: "search", query: { ...query, subject: "products", words: [["a"]] } },
  { kind: "search", query: { ...query, subject: "ads", phrases: [[["a"]], [["b"]]] } },
  { kind: "facets", query: filter },
  { kind: "overview", query: { ...filter, grouping: { _tag: "App" }, hasPrices: false, order: "stores", limit: 20 } },
  { kind: "adGroups", query: { ...ads, grouping: { _tag: "Flag", flag: "status" } } }
]

interface Threads {
  readonly searcher: Searcher.Searcher
  readonly starts: () => number
  readonly shown: ReadonlyArray<Published | undefined>
  readonly ran: ReadonlyArray<Job<Asked>>
  readonly answers: (isAnswering: boolean) => void
  /** What the searcher of threads had of the search that started it. */
  readonly inherited: () => AccountId | undefined
}

/** The searcher under test; the one of threads notes what it is asked, and answers on this thread. */
const withThreads: Effect.Effect<Threads> = Effect.gen(function* () {
  let starts = 0
  let isAnswering = false
  let inherited: AccountId | undefined
  const shown: Array<Published | undefined> = []
  const ran: Array<Job<Asked>> = []
  const threads = Effect.gen(function* () {
    starts++
    inherited = yield* CurrentAccount
    yield* Effect.yieldNow
    const own = yield* Searcher.onThisThread
    return {
      isAnswering: Effect.sync(() => isAnswering),
      show: (list: Published | undefined) =>
        Effect.andThen(
          Effect.sync(() => shown.push(list)),
          own.show(list)
        ),
      run: <K extends Asked>(job: Job<K>) => Effect.suspend(() => (ran.push(job), own.run(job)))
    }
  })
  return {
    searcher: yield* Searcher.shortOnThisThread(threads),
    starts: () => starts,
    shown,
    ran,
    answers: (is) => void (isAnswering = is),
    inherited: () => inherited
  }
})

describe("D57 short searches", () => {
  it.effect("run on the caller's thread, and start no other", () =>
    Effect.gen(function* () {
      const { ran, searcher, starts } = yield* withThreads
      yield* searcher.show(small)
      const alone = yield* Searcher.onThisThread
      yield* alone.show(small)
      for (const job of jobs) assert.deepStrictEqual(yield* searcher.run(job), yield* alone.run(job))
      assert.isTrue(yield* searcher.isAnswering)
      assert.deepStrictEqual([starts(), ran], [0, []])
    })
  )

  it.effect("without a list, fail as unavailable and start no other thread", () =>
    Effect.gen(function* () {
      const { searcher, starts } = yield* withThreads
      const error = yield* Effect.flip(searcher.run(jobs[0] ?? assert.fail()))
      assert.deepStrictEqual([error._tag, starts()], ["ServiceUnavailable", 0])
    })
  )
})

describe("D57 long searches", () => {
  it.effect("run with the other searcher, which is started once and has the newest list", () =>
    Effect.gen(function* () {
      const { ran, searcher, shown, starts } = yield* withThreads
      yield* searcher.show(small)
      yield* searcher.show(large)
      const results = yield* Effect.forEach(jobs, (job) => searcher.run(job), { concurrency: "unbounded" })
      assert.isTrue(results.every((result) => result.published === large))
      assert.deepStrictEqual([starts(), shown, ran.length], [1, [large], jobs.length])
      yield* searcher.show(small)
      assert.deepStrictEqual(shown, [large, small])
    })
  )

  it.effect(
    "leave the server ready while their threads start, for 30 seconds at most, and not once they are silent",
    () =>
      Effect.gen(function* () {
        const { answers, searcher } = yield* withThreads
        yield* searcher.show(large)
        yield* searcher.run({ kind: "search", query })
        yield* TestClock.adjust("29 seconds")
        assert.isTrue(yield* searcher.isAnswering)
        yield* TestClock.adjust("1 second")
        assert.isFalse(yield* searcher.isAnswering)
        answers(true)
        assert.isTrue(yield* searcher.isAnswering)
        answers(false)
        assert.isFalse(yield* searcher.isAnswering)
      })
  )

  it.effect("start threads that know nothing of the search that started them", () =>
    Effect.gen(function* () {
      const { inherited, searcher, starts } = yield* withThreads
      yield* searcher.show(large)
      yield* Effect.provideService(searcher.run({ kind: "search", query }), CurrentAccount, AccountId.make(7))
      assert.deepStrictEqual([starts(), inherited()], [1, undefined])
    })
  )

  it.effect("that were expected to be short are repeated there", () =>
    Effect.gen(function* () {
      const { ran, searcher } = yield* withThreads
      yield* searcher.show(small)
      const clock = yield* Clock.Clock
      let nanos = 0n
      // Each reading is ten milliseconds after the last one.
      const slow: Clock.Clock = {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
        currentTimeMillis: clock.currentTimeMillis,
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => (nanos += 10_000_000n),
        monotonicTimeNanos: Effect.sync(() => nanos),
        sleep: (duration) => clock.sleep(duration)
      }
      const job: Job<"search"> = { kind: "search", query }
      const result = yield* Effect.provideService(searcher.run(job), Clock.Clock, slow)
      assert.deepStrictEqual(ran, [job])
      assert.strictEqual(result.published, small)
    })
  )
})

describe("the expected cost", () => {
  const costs = ({ list }: Published) => [
    Cost.ofSearch(list, query),
    Cost.ofFacets(list, filter),
    Cost.ofOverview(list, filter),
    Cost.ofAdGroups(list, ads)
  ]

  it("grows with the catalog", () => {
    const [one, many] = [costs(small), costs(large)]
    for (const [at, cost] of one.entries()) {
      assert.isAbove(cost, 0)
      assert.isAbove(many[at] ?? assert.fail(), cost)
    }
  })

  it("of a rare word is the same however many documents there are", () => {
    const rare = (subject: Query["subject"]) =>
      Cost.ofSearch(small.list, { ...query, subject, words: [["no such word"]] })
    assert.strictEqual(rare("products"), rare("stores"))
  })

  it("is lower for a rare word than for a common one, and for a store by its id than for all", () => {
    const words = (...spelling: ReadonlyArray<string>) =>
      Cost.ofSearch(small.list, { ...query, subject: "products", words: [spelling] })
    assert.isBelow(words("no such word"), words("a", "b", "c", "d", "e", "s", "t"))
    const stores = (conditions: Query["stores"]) => Cost.ofSearch(small.list, { ...query, stores: conditions })
    const all = { min: 0, max: Infinity }
    assert.isBelow(
      stores([
        { _tag: "AnyId", ids: [1] },
        { _tag: "Between", column: "revenue", range: all }
      ]),
      stores([
        { _tag: "Between", column: "revenue", range: all },
        { _tag: "AnyId", ids: [1] }
      ])
    )
  })
})
