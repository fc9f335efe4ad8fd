/** Which searches several threads share, and that nobody can tell from the answer (D57). SearchOracle shows it for queries at random. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import type { Query } from "../../../../src/domain/search/CatalogQuery.ts"
import { search } from "../../../../src/services/search/index/Search.ts"
import { divided } from "../../../../src/services/search/runtime/DividedSearch.ts"
import { namesOf, publish } from "../../../../src/services/search/runtime/IndexState.ts"
import type { Published } from "../../../../src/services/search/runtime/IndexState.ts"
import type { JobResult } from "../../../../src/services/search/runtime/Searcher.ts"
import { runJob } from "../../../../src/services/search/runtime/SearchThread.ts"
import type { Answers, Job, Kind } from "../../../../src/services/search/runtime/SearchThread.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import { segmentOf } from "../../../oracle/segments.ts"

const neverCanceled = { check: () => {} }
const spellings = new Spellings()
const catalog = generate(1, 40)
const middle = Math.max(...catalog.shops.map(({ id }) => id)) / 2
const views = [(id: number) => id <= middle, (id: number) => id > middle].map((isWanted) =>
  segmentOf(catalog, spellings, isWanted)
)

/** The segments so many times: each adds to the expected cost. */
const published = (version: number, times: number): Published =>
  publish(
    {
      identity: { catalogId: "a", version, token: "b" },
      niches: [],
      spellings: namesOf(spellings),
      bases: 2 * times,
      list: Array.from({ length: times }, () => views).flat()
    },
    spellings
  )
const [small, large, other] = [published(1, 1), published(2, 400), published(3, 400)]

const byRevenue = { _tag: "ByStore", figures: ["revenue"], isDescending: true } as const
const stores: Query = { subject: "stores", stores: [], words: [], order: byRevenue, offset: 25, limit: 25 }
const products: Query = {
  ...stores,
  subject: "products",
  order: { _tag: "ByItem", column: "score", isDescending: true }
}

/** Threads that search at once, of which so many are idle; `lists` are those of the runs, in their order. */
const threadsOf = (idle: number, ...lists: ReadonlyArray<Published>) => {
  const kinds: Array<Kind> = []
  const searcher = divided({
    isAnswering: Effect.succeed(true),
    idle: () => idle,
    show: () => Effect.void,
    run: <K extends Kind>(job: Job<K>) =>
      Effect.sync((): JobResult<K> => {
        const list = lists[Math.min(kinds.length, lists.length - 1)] ?? assert.fail()
        kinds.push(job.kind)
        const outcome = runJob(list, job, neverCanceled)
        if (outcome._tag !== "Done") return assert.fail(outcome._tag)
        return { answer: outcome.answer as Answers[K], published: list }
      })
  })
  const run = (query: Query) =>
    Effect.gen(function* () {
      yield* searcher.show(lists[0])
      const result = yield* searcher.run({ kind: "search", query })
      return { ...result, kinds }
    })
  return run
}

describe("D57 a search of a large catalog", () => {
  it.effect.each([
    ["stores", stores],
    ["products", products]
  ] as const)("is divided over idle threads, with the same answer: %s", ([, query]) =>
    Effect.gen(function* () {
      const { answer, kinds } = yield* threadsOf(3, large)(query)
      assert.deepStrictEqual(kinds, ["part", "part", "part"])
      assert.deepStrictEqual(answer, search(large.list, query, neverCanceled))
      assert.lengthOf(answer.page, query.limit)
    })
  )

  it.effect.each([
    ["no two threads are idle", 1, large, stores],
    ["it is short", 3, small, stores],
    ["its items have no rank of their own", 3, large, { ...products, order: byRevenue }]
  ] as const)("is searched by one thread if %s", ([, idle, list, query]) =>
    Effect.gen(function* () {
      const { answer, kinds } = yield* threadsOf(idle, list)(query)
      assert.deepStrictEqual(kinds, ["search"])
      assert.deepStrictEqual(answer, search(list.list, query, neverCanceled))
    })
  )

  it.effect("is repeated whole if its parts were of two versions", () =>
    Effect.gen(function* () {
      const { kinds, published: of } = yield* threadsOf(2, large, other)(stores)
      assert.deepStrictEqual(kinds, ["part", "part", "search"])
      assert.strictEqual(of.version, other.version)
    })
  )
})
