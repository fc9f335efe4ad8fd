/**
 * The search index as a service: the published list, searches in it, and its lag.
 *
 * Indexer and searches run on worker threads or on this thread, with the same interface.
 *
 * Read next: Indexer, which follows the versions of the catalog; CatalogReader, which reads what changed; SearchThreads, which
 * runs searches; Snapshot, the file that spares a start the build. Lists of one process never go back in time; two processes
 * may differ by as much as one of them lags.
 */
import { Clock, Context, Deferred, Duration, Effect, Layer, Option } from "effect"
import type { Cause, Scope } from "effect"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import * as Metrics from "../../metrics/Metrics.ts"
import type { SearchFailure } from "../../limits/SearchPermits.ts"
import type { Query } from "../../../domain/search/CatalogQuery.ts"
import type { Published } from "./IndexState.ts"
import type { IndexEvent } from "./Indexer.ts"
import type { Answers, Asked, Job } from "./SearchThread.ts"
import type { Searcher } from "./Searcher.ts"
import { CatalogSearch } from "../CatalogSearch.ts"
import type { Progress } from "../CatalogSearch.ts"
import { findStore } from "../index/Segment.ts"
import type { SegmentList } from "../index/Segment.ts"
import type { StoreValues } from "../../../domain/search/CatalogAnswer.ts"
import * as ToolErrorMessages from "../../../domain/ToolErrorMessages.ts"

export type Emit = (event: IndexEvent) => Effect.Effect<void>

/** Maximum wait for a version that the database already has. */
const versionLimit = Duration.seconds(1)

/** The index in the memory of this process, which answers as {@link CatalogSearch}. */
export class CatalogIndex extends Context.Service<
  CatalogIndex,
  {
    /** The published list. Fails with the time to wait if there is none. */
    readonly current: Effect.Effect<Published, ServiceUnavailable>
    /** Emits the events that lead to the present state, and each later one, in their order and until the scope ends. */
    follow(emit: Emit): Effect.Effect<void, never, Scope.Scope>
  }
>()("discovery/search/CatalogIndex") {
  /** Searches with `searcher`. `follow` runs an indexer for the length of its scope and emits its events. */
  static readonly layerOf = <E, R, E2, R2>(
    searcher: Effect.Effect<Searcher, E, R>,
    follow: (emit: Emit) => Effect.Effect<void, E2, R2>
  ): Layer.Layer<CatalogIndex | CatalogSearch, E | E2, Exclude<R | R2, Scope.Scope>> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const own = makeService(yield* searcher)
        yield* follow(own.handle)
        return Context.make(CatalogIndex, own.index).pipe(Context.add(CatalogSearch, own.search))
      })
    )
}

interface Waiter {
  readonly version: number
  readonly done: Deferred.Deferred<void>
}

interface IndexService {
  readonly handle: (event: IndexEvent) => Effect.Effect<void>
  readonly index: CatalogIndex["Service"]
  readonly search: CatalogSearch["Service"]
}

/** A follower that fails is not to stop the index. */
const logFollower = (cause: Cause.Cause<never>) => Effect.logError("An event of the index was not passed on", cause)

/** Of stores that the list has. Ids of pseudo-stores are below 0. */
const figuresOf = (list: SegmentList, storeIds: ReadonlyArray<number>): ReadonlyMap<number, StoreValues> => {
  const figures = new Map<number, StoreValues>()
  for (const id of storeIds) {
    const store = id > 0 && !figures.has(id) ? findStore(list, id) : undefined
    if (store === undefined) continue
    const { columns } = store.view
    figures.set(id, (figure) => columns.figures[figure][store.row] ?? Number.NaN)
  }
  return figures
}

/** The state of the index, from the indexer's events. */
const makeService = (searcher: Searcher): IndexService => {
  let published: Published | undefined
  let progress: Progress = { phase: "connecting", done: 0, total: 0 }
  let began: { readonly phase: Progress["phase"]; readonly atMillis: number } | undefined
  let failure: string | undefined
  let newest = 0
  let lagSeconds = 0
  let waiters: ReadonlyArray<Waiter> = []
  const followers = new Set<Emit>()

  const lagVersions = () => (published === undefined ? 0 : Math.max(0, newest - published.version))

  const updateMetrics = Effect.suspend(() =>
    Effect.all(
      [
        Metrics.indexReady.set({}, published === undefined ? 0 : 1),
        Metrics.indexVersion.set({}, published?.version ?? 0),
        Metrics.indexSegments.set({}, published?.list.length ?? 0),
        Metrics.indexLagVersions.set({}, lagVersions()),
        Metrics.indexLagSeconds.set({}, lagSeconds)
      ],
      { discard: true }
    )
  )

  const handle = Effect.fnUntraced(function* (event: IndexEvent) {
    for (const emit of followers) yield* Effect.catchCause(emit(event), logFollower)
    switch (event._tag) {
      case "Progress":
        if (began?.phase !== event.progress.phase) {
          began = { phase: event.progress.phase, atMillis: yield* Clock.currentTimeMillis }
        }
        progress = event.progress
        return
      case "Published": {
        published = event.published
        failure = undefined
        newest = Math.max(newest, published.version)
        if (newest === published.version) lagSeconds = 0
        yield* Metrics.indexPublished.set({}, (yield* Clock.currentTimeMillis) / 1000)
        yield* searcher.show(published)
        const { version } = published
        const ready = waiters.filter((waiter) => waiter.version <= version)
        waiters = waiters.filter((waiter) => waiter.version > version)
        for (const { done } of ready) yield* Deferred.succeed(done, undefined)
        break
      }
      case "Dropped":
        published = undefined
        newest = 0
        yield* searcher.show(undefined)
        break
      case "Checked":
        newest = event.version
        lagSeconds = event.lagSeconds
        yield* Metrics.indexChecked.set({}, (yield* Clock.currentTimeMillis) / 1000)
        break
      case "Failed":
        failure = event.message
        break
    }
    yield* updateMetrics
  })

  /** Estimated from the speed so far; a guess at the beginning. */
  const secondsLeft = (now: number): number => {
    if (began === undefined || progress.done === 0) return firstGuessSeconds
    const share = progress.done / Math.max(1, progress.total)
    return Math.ceil((((now - began.atMillis) / 1_000) * (1 - share)) / share)
  }

  const notReady = Effect.map(Clock.currentTimeMillis, (now) => {
    const { done, phase, total } = progress
    const state = failure !== undefined ? "missing" : phase === "building" ? "building" : "loading"
    const percent = total === 0 ? undefined : Math.floor((100 * done) / total)
    const retryAfterSeconds = Math.min(longestGuessSeconds, Math.max(1, secondsLeft(now)))
    return ToolErrorMessages.indexNotReady(state, percent, retryAfterSeconds)
  })

  const current = Effect.suspend(() =>
    published === undefined ? Effect.flatMap(notReady, Effect.fail) : Effect.succeed(published)
  )

  const awaitVersion = (version: number) =>
    Effect.suspend(() => {
      if (published !== undefined && published.version >= version) return Effect.void
      const waiter: Waiter = { version, done: Deferred.makeUnsafe() }
      waiters = [...waiters, waiter]
      return Deferred.await(waiter.done).pipe(
        Effect.timeoutOrElse({ duration: versionLimit, orElse: () => Effect.void }),
        Effect.ensuring(Effect.sync(() => void (waiters = waiters.filter((each) => each !== waiter))))
      )
    })

  /** The events that lead to the present state: an index that was published is no failure, and one that failed later is. */
  const present = (): ReadonlyArray<IndexEvent> => [
    { _tag: "Progress", progress },
    ...(published === undefined ? [] : [{ _tag: "Published", published } as const]),
    ...(failure === undefined ? [] : [{ _tag: "Failed", message: failure } as const]),
    ...(newest === 0 ? [] : [{ _tag: "Checked", version: newest, lagSeconds } as const])
  ]

  const follow = Effect.fnUntraced(function* (emit: Emit): Effect.fn.Return<void, never, Scope.Scope> {
    const events = yield* Effect.acquireRelease(
      Effect.sync(() => {
        followers.add(emit)
        return present()
      }),
      () => Effect.sync(() => void followers.delete(emit))
    )
    yield* Effect.forEach(events, emit, { discard: true })
  })

  const ask = Effect.fnUntraced(function* <K extends Asked>(
    job: Job<K>,
    hint?: () => string | undefined
  ): Effect.fn.Return<{ readonly answer: Answers[K]; readonly catalog: Published }, SearchFailure> {
    yield* current
    const clock = yield* Clock.Clock
    const began = clock.monotonicTimeNanosUnsafe()
    const { answer, published } = yield* Effect.onExit(searcher.run(job, hint), () =>
      Metrics.searchDuration.observe({ kind: job.kind }, Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
    )
    return { answer, catalog: published }
  })

  const search = Effect.fn("CatalogIndex.search")(function* (query: Query, hint?: () => string | undefined) {
    const found = yield* ask({ kind: "search", query }, hint)
    const storeIds = found.answer.page.flatMap(({ storeId }) => (storeId === null ? [] : [storeId]))
    return { ...found, figures: figuresOf(found.catalog.list, storeIds) }
  })

  return {
    handle,
    index: { current, follow },
    search: {
      current,
      search,
      facets: Effect.fn("CatalogIndex.facets")((query) => ask({ kind: "facets", query })),
      overview: Effect.fn("CatalogIndex.overview")((query, hint) => ask({ kind: "overview", query }, hint)),
      adGroups: Effect.fn("CatalogIndex.adGroups")((query, hint) => ask({ kind: "adGroups", query }, hint)),
      storeIds: Effect.fn("CatalogIndex.storeIds")((query, hint) => ask({ kind: "storeIds", query }, hint)),
      figures: (storeIds) =>
        Effect.map(current, (catalog) => ({ catalog, figures: figuresOf(catalog.list, storeIds) })),
      awaitVersion,
      status: Effect.map(searcher.isAnswering, (isAnswering) => ({
        isReady: published !== undefined,
        isAnswering,
        version: Option.map(Option.fromUndefinedOr(published), ({ version }) => version),
        lagVersions: lagVersions(),
        lagSeconds,
        progress,
        failure: Option.fromUndefinedOr(failure)
      }))
    }
  }
}

const firstGuessSeconds = 5
const longestGuessSeconds = 120
