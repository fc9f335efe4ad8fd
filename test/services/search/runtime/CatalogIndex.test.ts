/** What the index says of itself: how long to wait for a version, and for an index that is not ready (D56). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option, Scope } from "effect"
import type { Duration, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { CatalogIndex } from "../../../../src/services/search/runtime/CatalogIndex.ts"
import type { IndexEvent } from "../../../../src/services/search/runtime/Indexer.ts"
import { CatalogSearch } from "../../../../src/services/search/CatalogSearch.ts"
import type { Progress } from "../../../../src/services/search/CatalogSearch.ts"
import { namesOf, publish } from "../../../../src/services/search/runtime/IndexState.ts"
import { onThisThread } from "../../../../src/services/search/runtime/Searcher.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"

type Emit = (event: IndexEvent) => Effect.Effect<void>

/** What searches it, and what follows it. */
type Index = CatalogSearch["Service"] & Pick<CatalogIndex["Service"], "follow">

/** An index whose indexer tells what the test tells. */
const withIndex = <A, E>(use: (index: Index, emit: Emit) => Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    let emit: Emit = () => Effect.die("the indexer has not begun")
    const layer = CatalogIndex.layerOf(onThisThread, (given) => Effect.sync(() => void (emit = given)))
    return Effect.gen(function* () {
      const index = yield* CatalogIndex
      const search = yield* CatalogSearch
      return yield* use({ ...search, follow: (emit) => index.follow(emit) }, emit)
    }).pipe(Effect.provide(layer), Effect.scoped)
  })

const published = (version: number): IndexEvent => {
  const spellings = new Spellings()
  const identity = { catalogId: "a", version, token: "b" }
  const state = { identity, niches: [], spellings: namesOf(spellings), bases: 0, list: [] }
  return { _tag: "Published", published: publish(state, spellings) }
}

const progress = (phase: Progress["phase"], done: number, total: number): IndexEvent => ({
  _tag: "Progress",
  progress: { phase, done, total }
})

describe("waiting for a version", () => {
  const begin = (index: Index, version: number) =>
    Effect.forkScoped(index.awaitVersion(version), { startImmediately: true })
  const isOver = (fiber: Fiber.Fiber<void>) => fiber.pollUnsafe() !== undefined

  it.effect("ends after a second at most", () =>
    withIndex((index, emit) =>
      Effect.gen(function* () {
        yield* emit(published(1))
        const waiting = yield* begin(index, 2)
        yield* TestClock.adjust("999 millis")
        assert.isFalse(isOver(waiting))
        yield* TestClock.adjust("1 millis")
        assert.isTrue(isOver(waiting))
      })
    )
  )

  it.effect("ends when that version or a later one is there", () =>
    withIndex((index, emit) =>
      Effect.gen(function* () {
        const waiting = [yield* begin(index, 2), yield* begin(index, 3), yield* begin(index, 5)]
        yield* emit(published(1))
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(waiting.map(isOver), [false, false, false])
        yield* emit(published(4))
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(waiting.map(isOver), [true, true, false])
        assert.isTrue(isOver(yield* begin(index, 4)))
      })
    )
  )
})

describe("D107 an index that follows another", () => {
  const events: ReadonlyArray<IndexEvent> = [
    progress("building", 1, 10),
    { _tag: "Failed", message: "too little memory" },
    progress("building", 2, 10),
    published(3),
    { _tag: "Checked", version: 5, lagSeconds: 2 },
    { _tag: "Failed", message: "too little memory" },
    published(5),
    { _tag: "Dropped" },
    progress("building", 3, 10),
    published(6)
  ]

  it.effect("says the same after each event, whenever it has begun, and nothing more when its scope has ended", () =>
    Effect.forEach(events.keys(), (joined) =>
      withIndex((index, emit) =>
        withIndex((other, emitToOther) =>
          Effect.gen(function* () {
            const scope = yield* Scope.make()
            for (const [at, event] of events.entries()) {
              if (at === joined) yield* Scope.provide(index.follow(emitToOther), scope)
              yield* emit(event)
              if (at >= joined) assert.deepStrictEqual(yield* other.status, yield* index.status, `${joined}, ${at}`)
            }
            yield* Scope.close(scope, Exit.void)
            yield* emit(published(9))
            assert.deepStrictEqual((yield* other.status).version, Option.some(6))
          })
        )
      )
    )
  )

  it.effect("one that fails stops neither the index nor others", () =>
    withIndex((index, emit) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        yield* index.follow((event) => (event._tag === "Published" ? Effect.die("gone") : Effect.void))
        yield* index.follow((event) => Effect.sync(() => void seen.push(event._tag)))
        yield* emit(published(2))
        assert.deepStrictEqual(seen, ["Progress", "Published"])
        assert.deepStrictEqual((yield* index.status).version, Option.some(2))
      })
    )
  )
})

describe("D56 an index that is not ready", () => {
  const building = "The search index is being built"
  const loading = "The search index is being loaded"
  const missing = "There is no search index right now"

  it.effect.each<{
    readonly what: string
    readonly told: ReadonlyArray<IndexEvent | Duration.Input>
    readonly says: string
    readonly seconds: number
  }>([
    { what: "before anything is known", told: [], says: `${loading}.`, seconds: 5 },
    { what: "at the beginning", told: [progress("building", 0, 80)], says: `${building} (0 %).`, seconds: 5 },
    {
      what: "from the speed so far",
      told: [progress("building", 0, 80), "10 seconds", progress("building", 20, 80)],
      says: `${building} (25 %).`,
      seconds: 30
    },
    {
      what: "from the speed so far, of the last part",
      told: [progress("building", 0, 80), "10 seconds", progress("building", 60, 80)],
      says: `${building} (75 %).`,
      seconds: 4
    },
    {
      what: "from the speed of this phase alone",
      told: [
        progress("building", 1, 2),
        "1 hour",
        progress("catching_up", 0, 8),
        "2 seconds",
        progress("catching_up", 4, 8)
      ],
      says: `${loading} (50 %).`,
      seconds: 2
    },
    {
      what: "two minutes at most",
      told: [progress("building", 0, 1_000), "10 seconds", progress("building", 1, 1_000)],
      says: `${building} (0 %).`,
      seconds: 120
    },
    {
      what: "a second at least",
      told: [progress("building", 0, 80), "10 seconds", progress("building", 80, 80)],
      says: `${building} (100 %).`,
      seconds: 1
    },
    {
      what: "without memory for it",
      told: [progress("building", 0, 80), { _tag: "Failed", message: "no memory" }],
      says: `${missing}.`,
      seconds: 5
    },
    {
      what: "that was dropped",
      told: [published(7), { _tag: "Dropped" }, progress("building", 0, 80)],
      says: `${building} (0 %).`,
      seconds: 5
    }
  ])("says how long to wait: $what", ({ says, seconds, told }) =>
    withIndex((index, emit) =>
      Effect.gen(function* () {
        for (const each of told) {
          yield* typeof each === "object" && "_tag" in each ? emit(each) : TestClock.adjust(each)
        }
        const error = yield* Effect.flip(index.current)
        assert.include(error.message, says)
        assert.strictEqual(error.retryAfterSeconds, seconds)
        const filter = { subject: "stores", stores: [], words: [] } as const
        const order = { _tag: "Grouped" } as const
        assert.deepStrictEqual(yield* Effect.flip(index.search({ ...filter, order, offset: 0, limit: 1 })), error)
        assert.deepStrictEqual(yield* Effect.flip(index.facets(filter)), error)
        assert.isFalse((yield* index.status).isReady)
      })
    )
  )
})
