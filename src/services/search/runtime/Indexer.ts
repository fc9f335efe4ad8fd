/**
 * Keeps the index up to date with the database: starts from a snapshot or builds the index, follows the versions of the
 * catalog, merges, and writes snapshots. Every list that it emits is complete and of one version.
 *
 * Interruption is safe at any point: before an emit, only the append-only list of spellings has changed.
 */
import { Cause, Duration, Effect, Exit, Fiber, Option, Queue, Schedule, Semaphore } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql"
import { replaceStores } from "../index/StoreColumns.ts"
import { Spellings } from "../index/IndexedRecords.ts"
import type { IndexedStore } from "../index/IndexedRecords.ts"
import { rowOf } from "../index/Segment.ts"
import type { SegmentList, SegmentView } from "../index/Segment.ts"
import { buildSegments, needMemory, NotEnoughMemory } from "./BuildSegments.ts"
import { CatalogReader } from "./CatalogReader.ts"
import type { Head } from "./CatalogReader.ts"
import type { IndexState, Published } from "./IndexState.ts"
import { namesOf, publish } from "./IndexState.ts"
import { applyMerge, chooseMerge, markDead, settled } from "./MergePolicy.ts"
import type { MergeTask } from "./MergePolicy.ts"
import { Snapshots } from "./Snapshots.ts"

/** Progress of the indexer in rows: stores, products and ads. */
export interface Progress {
  readonly phase: "connecting" | "building" | "catching_up"
  readonly done: number
  readonly total: number
}

export type IndexEvent =
  | { readonly _tag: "Progress"; readonly progress: Progress }
  | { readonly _tag: "Published"; readonly published: Published }
  /** The index belonged to another database. A new one is being built. */
  | { readonly _tag: "Dropped" }
  /** The result of a check: the newest version in the database, and the age of the first unpublished one. */
  | { readonly _tag: "Checked"; readonly version: number; readonly lagSeconds: number }
  /** The index cannot be built at the moment. */
  | { readonly _tag: "Failed"; readonly message: string }

export type IndexerError = SqlError.SqlError | NotEnoughMemory

export interface IndexerOptions {
  readonly emit: (event: IndexEvent) => Effect.Effect<void>
  readonly merge: (list: SegmentList) => Effect.Effect<SegmentView>
  /** As `merge`, for larger inputs: on another thread, while this one follows the database. */
  readonly mergeLarge: (list: SegmentList) => Effect.Effect<SegmentView>
  readonly largeMergeRows: number
  /** Bytes that may be used. */
  readonly availableMemory: () => number
  /** Signals that the catalog may have changed. It is also polled every second. */
  readonly listen: Effect.Effect<Queue.Dequeue<unknown, SqlError.SqlError>, SqlError.SqlError, Scope.Scope>
}

export interface Indexer {
  /** Brings the index up to the database's version, and runs due merges that are small. */
  readonly refresh: Effect.Effect<void, IndexerError>
  /** Runs {@link Indexer.refresh} whenever there are changes, forever. Failures are logged and retried. */
  readonly run: Effect.Effect<never>
  readonly state: Effect.Effect<IndexState | undefined>
  /** Writes a snapshot if the last one is out of date. */
  readonly save: Effect.Effect<void>
}

const pollInterval = Duration.seconds(1)
/** `min`: whichever is sooner. */
const reconnect = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])
/** Lack of memory rarely ends without a change of the machine. */
const memoryRetry = Duration.seconds(30)

/** Stores whose figures are replaced at once; each time, the columns of their segments are copied. */
const figuresAtOnce = 20_000

interface RunningMerge {
  readonly task: MergeTask
  readonly fiber: Fiber.Fiber<SegmentList>
  /** Records of the stores whose figures have changed since the merge began. */
  readonly figures: Map<number, IndexedStore>
}

export const make = Effect.fnUntraced(function* (
  options: IndexerOptions
): Effect.fn.Return<Indexer, never, CatalogReader | Snapshots | Scope.Scope> {
  const reader = yield* CatalogReader
  const snapshots = yield* Snapshots
  const scope = yield* Effect.scope
  const turn = yield* Semaphore.make(1)
  const savingTurn = yield* Semaphore.make(1)
  const wake = yield* Queue.sliding<void>(1)

  let state: IndexState | undefined
  let spellings = new Spellings()
  let running: RunningMerge | undefined
  /** The list in the newest snapshot. */
  let saved: IndexState | undefined

  const show = (next: IndexState) =>
    Effect.suspend(() => {
      state = next
      return options.emit({ _tag: "Published", published: publish(next, spellings) })
    })

  const progress = (phase: Progress["phase"], done: number, total: number) =>
    options.emit({ _tag: "Progress", progress: { phase, done, total } })

  const identityOf = ({ catalogId, token, version }: Head) => ({ catalogId, token, version })

  const rebuild = Effect.gen(function* () {
    const built = yield* reader.use((view, head) =>
      Effect.gen(function* () {
        const sizes = yield* view.sizes
        yield* needMemory(sizes, options.availableMemory())
        const total = sizes.stores + sizes.products + sizes.ads
        let done = 0
        yield* progress("building", done, total)
        spellings = new Spellings()
        const list = yield* buildSegments(view, "all", spellings, (rows) => {
          done += rows
          return progress("building", done, total)
        })
        return {
          identity: identityOf(head),
          niches: yield* view.niches,
          spellings: namesOf(spellings),
          bases: list.length,
          list
        }
      })
    )
    yield* show(built)
    yield* Effect.forkIn(save, scope)
  }).pipe(Effect.withSpan("Indexer.build"))

  const start = Effect.gen(function* (): Effect.fn.Return<void, IndexerError> {
    yield* progress("connecting", 0, 0)
    const { catalogId } = yield* reader.head(0)
    const snapshot = yield* snapshots.newest(catalogId, (identity) => reader.has(identity))
    if (Option.isNone(snapshot)) return yield* rebuild
    spellings = new Spellings(snapshot.value.spellings)
    saved = snapshot.value
    // Not published before it has caught up: after a day of downtime it would return yesterday's figures.
    yield* Effect.catchDefect(catchUp(snapshot.value), (defect) =>
      Effect.gen(function* () {
        yield* Effect.logWarning("The snapshot of the search index cannot be used, and the index is rebuilt", defect)
        state = undefined
        saved = undefined
        yield* rebuild
      })
    )
  })

  /** None if the database does not have that version any more. */
  const changed = Effect.fnUntraced(function* (
    from: IndexState
  ): Effect.fn.Return<Option.Option<IndexState>, SqlError.SqlError> {
    return yield* reader.use((view, head) =>
      Effect.gen(function* () {
        if (!(yield* reader.has(from.identity))) return Option.none()
        // The same object, so that no new snapshot is written.
        if (head.version === from.identity.version) return Option.some(from)
        const changes = yield* view.changesSince(from.identity.version)
        const total = changes.items.length + changes.figures.length
        const report = (done: number) => (total > figuresAtOnce ? progress("catching_up", done, total) : Effect.void)
        yield* report(0)
        const deltas = yield* buildSegments(view, changes.items, spellings)
        let older = from.list.map((each) => markDead(each, changes.items))
        for (let at = 0; at < changes.figures.length; at += figuresAtOnce) {
          yield* report(changes.items.length + at)
          const ids = changes.figures.slice(at, at + figuresAtOnce)
          const records = new Map((yield* view.storeRecords(ids)).map((record) => [record.id, record]))
          const gone = ids.filter((id) => !records.has(id))
          older = older.map((each) => withFigures(markDead(each, gone), records))
          for (const [id, record] of records) running?.figures.set(id, record)
        }
        const niches = head.nichesVersion > from.identity.version ? yield* view.niches : from.niches
        const next = { ...from, identity: identityOf(head), niches, spellings: namesOf(spellings) }
        return Option.some(settled(next, older.slice(0, from.bases), [...older.slice(from.bases), ...deltas]))
      })
    )
  })

  const catchUp = Effect.fnUntraced(function* (from: IndexState) {
    const next = yield* changed(from)
    if (Option.isSome(next)) return yield* show(next.value)
    yield* drop
    yield* rebuild
  })

  const withFigures = (view: SegmentView, records: ReadonlyMap<number, IndexedStore>): SegmentView => {
    const rows = new Map<number, IndexedStore>()
    for (const [id, record] of records) {
      const row = rowOf(view.segment.storeIds, id)
      if (row !== undefined && view.live[row] === 1) rows.set(row, record)
    }
    return rows.size === 0 ? view : { ...view, columns: replaceStores(view, rows, spellings) }
  }

  const drop = Effect.gen(function* () {
    yield* Effect.logWarning("The search index belongs to another history of the database and is rebuilt")
    const merge = running
    running = undefined
    state = undefined
    yield* options.emit({ _tag: "Dropped" })
    if (merge !== undefined) yield* Fiber.interrupt(merge.fiber)
  })

  const refreshInTurn = Effect.gen(function* () {
    if (state === undefined) {
      yield* start
    } else if (yield* reader.has(state.identity)) {
      const head = yield* reader.head(state.identity.version)
      yield* options.emit({ _tag: "Checked", version: head.version, lagSeconds: head.lagSeconds })
      if (head.version === state.identity.version) return
      yield* catchUp(state)
    } else {
      yield* drop
      yield* start
    }
    const current = yield* reader.head(state?.identity.version ?? 0)
    yield* options.emit({ _tag: "Checked", version: current.version, lagSeconds: current.lagSeconds })
    yield* mergeIfDue
  })

  const conclude = Effect.fnUntraced(function* (
    task: MergeTask,
    merged: SegmentList,
    figures: RunningMerge["figures"]
  ): Effect.fn.Return<void> {
    if (state === undefined) return
    yield* show(applyMerge(state, task, merged, figures, (view, records) => replaceStores(view, records, spellings)))
    if (task.isOfBase) yield* Effect.forkIn(save, scope)
  })

  /** One at a time. A large merge runs in another fiber, and is applied between two refreshes. */
  const mergeIfDue: Effect.Effect<void> = Effect.gen(function* (): Effect.fn.Return<void> {
    while (running === undefined) {
      const task = state === undefined ? undefined : chooseMerge(state)
      if (task === undefined) return
      if (task.rows <= options.largeMergeRows) {
        yield* conclude(task, yield* Effect.forEach(task.groups, options.merge), new Map())
        continue
      }
      const figures = new Map<number, IndexedStore>()
      const fiber = yield* Effect.forkIn(Effect.forEach(task.groups, options.mergeLarge), scope)
      const merge = { task, fiber, figures }
      running = merge
      const finish = Effect.gen(function* () {
        const exit = yield* Fiber.await(fiber)
        yield* turn.withPermit(
          Effect.gen(function* () {
            // The index was dropped meanwhile.
            if (running !== merge) return
            running = undefined
            if (Exit.isSuccess(exit)) {
              yield* conclude(task, exit.value, figures)
              yield* mergeIfDue
            } else yield* Effect.logWarning("Segments of the search index could not be merged", exit.cause)
          })
        )
      })
      yield* Effect.forkIn(finish, scope)
    }
  })

  const save: Effect.Effect<void> = savingTurn.withPermit(
    Effect.suspend(() => {
      const current = state
      if (current === undefined || current === saved) return Effect.void
      return snapshots.save(current).pipe(
        Effect.andThen(Effect.sync(() => (saved = current))),
        Effect.catchTag("SnapshotFailed", ({ cause, message }) =>
          Effect.logWarning(`The search index is not saved: ${message}`, Cause.fail(cause))
        )
      )
    })
  )

  const refresh = turn.withPermit(Effect.suspend(() => refreshInTurn))

  const listening = Effect.scoped(
    Effect.flatMap(options.listen, (notices) =>
      Effect.forever(Effect.andThen(Queue.take(notices), Queue.offer(wake, undefined)))
    )
  ).pipe(Effect.retry(reconnect))

  const run = Effect.gen(function* () {
    yield* Effect.forkIn(listening, scope)
    let isWarned = false
    while (true) {
      const exit = yield* Effect.exit(refresh)
      const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
      if (Exit.isFailure(exit)) {
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        if (!isWarned) yield* Effect.logWarning("The search index cannot follow the database", exit.cause)
        if (error instanceof NotEnoughMemory) yield* options.emit({ _tag: "Failed", message: error.message })
      }
      isWarned = Exit.isFailure(exit)
      const pause = error instanceof NotEnoughMemory ? memoryRetry : pollInterval
      yield* Effect.timeoutOrElse(Queue.take(wake), { duration: pause, orElse: () => Effect.void })
    }
  })

  return { refresh, run, state: Effect.sync(() => state), save }
})
