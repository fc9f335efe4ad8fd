/**
 * `npm run bench:divided -- FILE.index`: long searches of a large catalog, of which a server has written the snapshot, by one search thread
 * and divided over two (D57). All in one run, in turns; prints a table.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { Console, Effect, Schema } from "effect"
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import { Spellings } from "../src/services/search/index/IndexedRecords.ts"
import type { Query } from "../src/domain/search/CatalogQuery.ts"
import { divided } from "../src/services/search/runtime/DividedSearch.ts"
import { publish } from "../src/services/search/runtime/IndexState.ts"
import type { Published } from "../src/services/search/runtime/IndexState.ts"
import type { Searcher } from "../src/services/search/runtime/Searcher.ts"
import * as SearchThreads from "../src/services/search/runtime/SearchThreads.ts"
import { openSnapshot } from "../src/services/search/runtime/Snapshot.ts"
import { median } from "./support/Median.ts"

const rounds = 60

const figures = { stores: [], words: [], offset: 0, limit: 25 } as const
const revenue = { _tag: "Between", column: "revenue", range: { min: 10_000, max: 1e9 } } as const
const ads = { _tag: "Between", column: "active_ads", range: { min: 2, max: 500 } } as const

const queries: Readonly<Record<string, Query>> = {
  "stores, two filters": {
    ...figures,
    subject: "stores",
    stores: [revenue, ads],
    order: { _tag: "ByStore", figures: ["revenue"], isDescending: true }
  },
  "products, two filters of stores, by score": {
    ...figures,
    subject: "products",
    stores: [revenue, ads],
    order: { _tag: "ByItem", column: "score", isDescending: true }
  },
  "products by price range": {
    ...figures,
    subject: "products",
    item: { _tag: "Product", price: { min: 20, max: 22 } },
    order: { _tag: "ByItem", column: "price", isDescending: false }
  },
  "ads, one for each store, a filter of stores": {
    ...figures,
    subject: "ads",
    stores: [ads],
    order: { _tag: "Grouped" }
  }
}

class NoFile extends Schema.TaggedError<NoFile>()("NoFile", {}) {}

const searchThread = NodeWorker.layer(
  () => new Worker(new URL("../src/cli/threads/RunSearchThread.ts", import.meta.url))
)

const threadsOf = (published: Published, threads: number) =>
  Effect.gen(function* () {
    const searcher = divided(yield* SearchThreads.onThreads({ threads }).pipe(Effect.provide(searchThread)))
    yield* searcher.show(published)
    return searcher
  })

const timed = (searcher: Searcher, query: Query) =>
  Effect.gen(function* () {
    const [began, cpu] = [performance.now(), process.cpuUsage()]
    yield* searcher.run({ kind: "search", query })
    const { system, user } = process.cpuUsage(cpu)
    return { millis: performance.now() - began, cpuMillis: (system + user) / 1_000 }
  })

const program = Effect.gen(function* () {
  const file = process.argv[2]
  if (file === undefined) return yield* new NoFile()
  const { read } = yield* openSnapshot(file)
  const state = yield* read
  const published = publish(state, new Spellings(state.spellings))
  const [one, two] = [yield* threadsOf(published, 1), yield* threadsOf(published, 2)]
  yield* Console.log(`${state.list.length} segments; ${rounds} rounds; load ${os.loadavg()[0]?.toFixed(1)}`)
  for (const [name, query] of Object.entries(queries)) {
    // The first search of a list makes what later ones have, and the loops of each thread are compiled after some searches.
    for (let warmUp = 0; warmUp < 30; warmUp++) {
      for (const searcher of [one, two]) yield* timed(searcher, query)
    }
    const ratios: Array<number> = []
    const cpu: Array<number> = []
    const alone: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      const before = yield* timed(one, query)
      const after = yield* timed(two, query)
      ratios.push(before.millis / after.millis)
      cpu.push(after.cpuMillis / before.cpuMillis)
      alone.push(before.millis)
    }
    yield* Console.log(
      `${name}: ${median(alone).toFixed(1)} ms by one thread; two ${median(ratios).toFixed(2)}x as fast ` +
        `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), CPU ${median(cpu).toFixed(2)}x`
    )
  }
  return undefined
}).pipe(Effect.scoped)

NodeRuntime.runMain(program)
