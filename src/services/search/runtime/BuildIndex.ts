/**
 * Makes the index of the newest version of the catalog: from all records, or from the index of an older version and what has
 * changed since.
 */
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import { Spellings } from "../index/IndexedRecords.ts"
import type { IndexedStore } from "../index/IndexedRecords.ts"
import type { SegmentView } from "../index/Segment.ts"
import { replaceStores } from "../index/StoreColumns.ts"
import { buildSegments, needMemory } from "./BuildSegments.ts"
import type { NotEnoughMemory } from "./BuildSegments.ts"
import type { CatalogReader, Head } from "./CatalogReader.ts"
import type { IndexState } from "./IndexState.ts"
import { namesOf } from "./IndexState.ts"
import { markDead, settled, withFigures } from "./MergePolicy.ts"

/** An index that later versions can be made from. */
export interface LiveIndex {
  readonly state: IndexState
  /** Has at least the names of the state. Later versions only add to it. */
  readonly spellings: Spellings
}

/** For `withFigures` of its segments. */
export const replaceIn =
  ({ spellings }: Pick<LiveIndex, "spellings">) =>
  (view: SegmentView, records: ReadonlyMap<number, IndexedStore>) =>
    replaceStores(view, records, spellings)

/** Tells how many rows are done. */
type Report = (done: number, total: number) => Effect.Effect<void>

/** Stores whose figures are replaced at once; each time, the columns of their segments are copied. */
const figuresAtOnce = 20_000

const identityOf = ({ catalogId, token, version }: Head) => ({ catalogId, token, version })

export const build = Effect.fnUntraced(function* (
  reader: CatalogReader["Service"],
  availableMemory: () => number,
  report: Report
): Effect.fn.Return<LiveIndex, SqlError.SqlError | NotEnoughMemory> {
  return yield* reader.use((view, head) =>
    Effect.gen(function* () {
      const sizes = yield* view.sizes
      yield* needMemory(sizes, availableMemory())
      const total = sizes.stores + sizes.products + sizes.ads
      let done = 0
      yield* report(done, total)
      const spellings = new Spellings()
      const list = yield* buildSegments(view, "all", spellings, {
        stores: sizes.stores,
        onRows: (rows) => {
          done += rows
          return report(done, total)
        }
      })
      const niches = yield* view.niches
      const names = namesOf(spellings)
      return { spellings, state: { identity: identityOf(head), niches, spellings: names, bases: list.length, list } }
    })
  )
})

/**
 * None if the database does not have the index's version any more. `onFigures` gets the records of which only the figures have
 * changed.
 */
export const update = Effect.fnUntraced(function* (
  reader: CatalogReader["Service"],
  { spellings, state: from }: LiveIndex,
  report: Report,
  onFigures: (records: ReadonlyMap<number, IndexedStore>) => void
): Effect.fn.Return<Option.Option<LiveIndex>, SqlError.SqlError> {
  return yield* reader.use((view, head) =>
    Effect.gen(function* () {
      if (!(yield* reader.has(from.identity))) return Option.none()
      // The same object, so that no new snapshot is written.
      if (head.version === from.identity.version) return Option.some({ spellings, state: from })
      const changes = yield* view.changesSince(from.identity.version)
      const total = changes.items.length + changes.figures.length
      const reportMany = (done: number) => (total > figuresAtOnce ? report(done, total) : Effect.void)
      yield* reportMany(0)
      const deltas = yield* buildSegments(view, changes.items, spellings)
      let older = from.list.map((each) => markDead(each, changes.items))
      for (let at = 0; at < changes.figures.length; at += figuresAtOnce) {
        yield* reportMany(changes.items.length + at)
        const ids = changes.figures.slice(at, at + figuresAtOnce)
        const records = new Map((yield* view.storeRecords(ids)).map((record) => [record.id, record]))
        const gone = ids.filter((id) => !records.has(id))
        older = older.map((each) => withFigures(markDead(each, gone), records, replaceIn({ spellings })))
        onFigures(records)
      }
      const niches = head.nichesVersion > from.identity.version ? yield* view.niches : from.niches
      const next = { ...from, identity: identityOf(head), niches, spellings: namesOf(spellings) }
      const state = settled(next, older.slice(0, from.bases), [...older.slice(from.bases), ...deltas])
      return Option.some({ spellings, state })
    })
  )
})
