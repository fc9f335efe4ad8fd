/**
 * Keeps the index up to date with the database: starts from a snapshot or builds the index, follows the versions of the
 * catalog, merges, and writes snapshots. Every list that it emits is complete and of one version.
 *
 * Interruption is safe at any point: before an emit, only the append-only list of spellings has changed.
 */
import { Cause, Clock, Duration, Effect, Exit, Fiber, Option, Queue, Ref, Schedule, Semaphore } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql"
import { Spellings } from "../index/IndexedRecords.ts"
import type { IndexedStore } from "../index/IndexedRecords.ts"
import type { SegmentList, SegmentView } from "../index/Segment.ts"
import type { Progress } from "../CatalogSearch.ts"
import * as BuildIndex from "./BuildIndex.ts"
import type { LiveIndex } from "./BuildIndex.ts"
import { NotEnoughMemory } from "./BuildSegments.ts"
import { CatalogReader } from "./CatalogReader.ts"
import type { IndexState, Published } from "./IndexState.ts"
import { publish } from "./IndexState.ts"
import { applyMerge, chooseMerge, defaultLimits, isSnapshotDue } from "./MergePolicy.ts"
import type { MergeLimits, MergeTask } from "./MergePolicy.ts"
import { Snapshots } from "./Snapshots.ts"

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
  readonly limits?: MergeLimits
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
/**
 * The merge of a base keeps a processor busy for about as long as an import takes. It begins when the catalog has not changed for this
 * time, so that imports and searches do not wait for it, or when twice the share of the base that is due has changed.
 */
const calmMillis = 5_000
/** Lack of memory rarely ends without a change of the machine. */
const memoryRetry = Duration.seconds(30)

interface RunningMerge {
  readonly task: MergeTask
  readonly fiber: Fiber.Fiber<SegmentList>
  /** Records of the stores whose figures have changed since the merge began. */
  readonly figures: Map<number, IndexedStore>
}

/** What the indexer holds between two refreshes. */
interface Held {
  /** The index that was published last; none before the first one, and of another history of the database. */
  readonly live: LiveIndex | undefined
  /** The large merge of its segments. */
  readonly merge: RunningMerge | undefined
  /** What is in the newest snapshot. */
  readonly saved: IndexState | undefined
  /** Rows of bases that have changed since. */
  readonly unsaved: number
  /** When the last change of the catalog was applied; `undefined` once it was calm and what is due was looked for. */
  readonly changedAtMillis: number | undefined
  /** Whether the last refresh has failed. */
  readonly isFailing: boolean
}

export const make = Effect.fnUntraced(function* (
  options: IndexerOptions
): Effect.fn.Return<Indexer, never, CatalogReader | Snapshots | Scope.Scope> {
  const reader = yield* CatalogReader
  const snapshots = yield* Snapshots
  const scope = yield* Effect.scope
  const turn = yield* Semaphore.make(1)
  const savingTurn = yield* Semaphore.make(1)
  const { limits = defaultLimits } = options
  const wake = yield* Queue.sliding<void>(1)
  const held = yield* Ref.make<Held>({
    live: undefined,
    merge: undefined,
    saved: undefined,
    unsaved: 0,
    changedAtMillis: undefined,
    isFailing: false
  })
  const set = (part: Partial<Held>) => Ref.update(held, (before) => ({ ...before, ...part }))

  const show = (live: LiveIndex) =>
    Effect.suspend(() => {
      const published = publish(live.state, live.spellings)
      return Effect.andThen(set({ live }), options.emit({ _tag: "Published", published }))
    })

  const progress = (phase: Progress["phase"]) => (done: number, total: number) =>
    options.emit({ _tag: "Progress", progress: { phase, done, total } })

  const rebuild = Effect.gen(function* () {
    yield* show(yield* BuildIndex.build(reader, options.availableMemory, progress("building")))
    yield* Effect.forkIn(save, scope)
  }).pipe(Effect.withSpan("Indexer.build"))

  const start = Effect.gen(function* (): Effect.fn.Return<void, IndexerError> {
    yield* progress("connecting")(0, 0)
    const { catalogId } = yield* reader.head(0)
    const snapshot = yield* snapshots.newest(catalogId, (identity) => reader.has(identity))
    if (Option.isNone(snapshot)) return yield* rebuild
    const state = snapshot.value
    yield* set({ saved: state })
    // Not published before it has caught up: after a day of downtime it would return yesterday's figures.
    yield* Effect.catchDefect(catchUp({ state, spellings: new Spellings(state.spellings) }), (defect) =>
      Effect.gen(function* () {
        yield* Effect.logWarning("The snapshot of the search index cannot be used, and the index is rebuilt", defect)
        yield* set({ live: undefined, saved: undefined })
        yield* rebuild
      })
    )
  })

  const catchUp = Effect.fnUntraced(function* (from: LiveIndex) {
    const { merge } = yield* Ref.get(held)
    const next = yield* BuildIndex.update(reader, from, progress("catching_up"), (records) => {
      for (const [id, record] of records) merge?.figures.set(id, record)
    })
    if (Option.isSome(next)) {
      yield* show(next.value)
      return yield* set({ changedAtMillis: yield* Clock.currentTimeMillis })
    }
    yield* drop
    yield* rebuild
  })

  const drop = Effect.gen(function* () {
    yield* Effect.logWarning("The search index belongs to another history of the database and is rebuilt")
    const { merge } = yield* Ref.get(held)
    yield* set({ live: undefined, merge: undefined })
    yield* options.emit({ _tag: "Dropped" })
    if (merge !== undefined) yield* Fiber.interrupt(merge.fiber)
  })

  /** Tells how far the published index is behind, and returns the newest version. */
  const check = Effect.gen(function* () {
    const { live } = yield* Ref.get(held)
    const { lagSeconds, version } = yield* reader.head(live?.state.identity.version ?? 0)
    yield* options.emit({ _tag: "Checked", version, lagSeconds })
    return version
  })

  const refreshInTurn = Effect.gen(function* () {
    const { changedAtMillis, live } = yield* Ref.get(held)
    if (live === undefined) {
      yield* start
    } else if (yield* reader.has(live.state.identity)) {
      if ((yield* check) === live.state.identity.version) {
        return changedAtMillis === undefined ? undefined : yield* mergeIfDue
      }
      yield* catchUp(live)
    } else {
      yield* drop
      yield* start
    }
    yield* check
    yield* mergeIfDue
  })

  const conclude = Effect.fnUntraced(function* (
    task: MergeTask,
    merged: SegmentList,
    figures: RunningMerge["figures"]
  ): Effect.fn.Return<void> {
    const { live, unsaved } = yield* Ref.get(held)
    if (live === undefined) return
    yield* show({ ...live, state: applyMerge(live.state, task, merged, figures, BuildIndex.replaceIn(live)) })
    yield* set({ unsaved: unsaved + task.changed })
    yield* Effect.forkIn(saveIfDue, scope)
  })

  /** One at a time. A large merge runs in another fiber, and is applied between two refreshes. */
  const mergeIfDue: Effect.Effect<void> = Effect.gen(function* (): Effect.fn.Return<void> {
    const { changedAtMillis, live, merge } = yield* Ref.get(held)
    if (live === undefined || merge !== undefined) return
    // A clock that was set back ends the wait, too.
    const isCalm =
      changedAtMillis === undefined || Math.abs((yield* Clock.currentTimeMillis) - changedAtMillis) >= calmMillis
    if (isCalm) yield* set({ changedAtMillis: undefined })
    const task = chooseMerge(live.state, isCalm ? limits : { ...limits, dueShare: 2 * limits.dueShare })
    if (task === undefined) return
    if (task.rows > options.largeMergeRows) return yield* beginMerge(task)
    yield* conclude(task, yield* Effect.forEach(task.groups, options.merge), new Map())
    yield* mergeIfDue
  })

  const beginMerge = Effect.fnUntraced(function* (task: MergeTask) {
    const fiber = yield* Effect.forkIn(Effect.forEach(task.groups, options.mergeLarge), scope)
    const merge = { task, fiber, figures: new Map<number, IndexedStore>() }
    yield* set({ merge })
    const finish = Effect.flatMap(Fiber.await(fiber), (exit) => turn.withPermit(endMerge(merge, exit)))
    yield* Effect.forkIn(finish, scope)
  })

  const endMerge = Effect.fnUntraced(function* (merge: RunningMerge, exit: Exit.Exit<SegmentList>) {
    // The index was dropped meanwhile.
    if ((yield* Ref.get(held)).merge !== merge) return
    yield* set({ merge: undefined })
    if (Exit.isFailure(exit)) {
      return yield* Effect.logWarning("Segments of the search index could not be merged", exit.cause)
    }
    yield* conclude(merge.task, exit.value, merge.figures)
    yield* mergeIfDue
  })

  const saveInTurn = Effect.gen(function* () {
    const { live, saved, unsaved } = yield* Ref.get(held)
    if (live === undefined || live.state === saved) return
    yield* snapshots.save(live.state)
    // Others may have changed meanwhile.
    yield* Ref.update(held, (after) => ({ ...after, saved: live.state, unsaved: after.unsaved - unsaved }))
  }).pipe(
    Effect.catchTag("SnapshotFailed", ({ cause, message }) =>
      Effect.logWarning(`The search index is not saved: ${message}`, Cause.fail(cause))
    )
  )

  const save = savingTurn.withPermit(saveInTurn)

  const saveIfDue = savingTurn.withPermit(
    Effect.gen(function* () {
      const { live, unsaved } = yield* Ref.get(held)
      if (live !== undefined && isSnapshotDue(unsaved, live.state, limits)) yield* saveInTurn
    })
  )

  const refresh = turn.withPermit(refreshInTurn)

  const listening = Effect.scoped(
    Effect.flatMap(options.listen, (notices) =>
      Effect.forever(Effect.andThen(Queue.take(notices), Queue.offer(wake, undefined)))
    )
  ).pipe(Effect.retry(reconnect))

  const failed = Effect.fnUntraced(function* (cause: Cause.Cause<IndexerError>) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
    const { isFailing } = yield* Ref.get(held)
    if (!isFailing) yield* Effect.logWarning("The search index cannot follow the database", cause)
    yield* set({ isFailing: true })
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    if (!(error instanceof NotEnoughMemory)) return pollInterval
    yield* options.emit({ _tag: "Failed", message: error.message })
    return memoryRetry
  })

  /** Returns when it is to be done again, if no notice comes before. */
  const follow = refresh.pipe(
    Effect.andThen(set({ isFailing: false })),
    Effect.as(pollInterval),
    Effect.catchCause(failed)
  )

  const run = Effect.gen(function* () {
    yield* Effect.forkIn(listening, scope)
    return yield* follow.pipe(
      Effect.flatMap((pause) => Effect.timeoutOption(Queue.take(wake), pause)),
      Effect.forever
    )
  })

  return { refresh, run, state: Effect.map(Ref.get(held), ({ live }) => live?.state), save }
})
