/** Writes snapshots into a folder until it is killed, and prints a line for each complete one. */
import { Effect } from "effect"
import { Spellings } from "../../src/services/search/index/IndexedRecords.ts"
import { namesOf } from "../../src/services/search/runtime/IndexState.ts"
import { Snapshots } from "../../src/services/search/runtime/Snapshots.ts"
import { generate } from "../oracle/NaiveCatalog.ts"
import { segmentOf } from "../oracle/segments.ts"

const spellings = new Spellings()
const list = [segmentOf(generate(1, 100), spellings)]

const program = Effect.gen(function* () {
  const snapshots = yield* Snapshots
  for (let version = 1; ; version++) {
    const identity = { catalogId: "5e3f", version, token: "token" }
    yield* snapshots.save({ identity, niches: [], spellings: namesOf(spellings), bases: 1, list })
    process.stdout.write(`${version}\n`)
  }
})

await Effect.runPromise(Effect.provide(program, Snapshots.layer(process.argv[2] ?? "")))
