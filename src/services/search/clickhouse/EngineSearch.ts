/**
 * {@link CatalogSearch} by ClickHouse. It follows what is published there, and asks every query of one version. It answers as the index
 * in memory does, or fails: there are no answers of a part.
 */
import { Clock, Context, Duration, Effect, Fiber, Layer, Option, Schedule, Semaphore } from "effect"
import * as ToolErrorMessages from "../../../domain/ToolErrorMessages.ts"
import * as BoundedQueue from "../../limits/BoundedQueue.ts"
import { CurrentAccount } from "../../limits/CurrentAccount.ts"
import type { SearchFailure } from "../../limits/SearchPermits.ts"
import * as Metrics from "../../metrics/Metrics.ts"
import { CatalogSearch } from "../CatalogSearch.ts"
import { Spellings } from "../index/IndexedRecords.ts"
import { CatalogReader } from "../runtime/CatalogReader.ts"
import { ClickHouse } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import { answersOf } from "./EngineAnswers.ts"
import { loadCatalog, loadLimit } from "./EngineCatalog.ts"
import type { EngineCatalog } from "./EngineCatalog.ts"
import * as EngineState from "./EngineState.ts"
import type { Cluster } from "./EngineTables.ts"

/** A search has this time for all of its statements. */
const searchLimit = Duration.seconds(5)
const pollEvery = Duration.seconds(1)
const pollWhileAwaited = Duration.millis(100)
/** Maximum wait for a version. */
const versionLimit = Duration.seconds(1)
/** Without a check for so long, nobody knows whether searches would be answered. */
const silentMillis = 5_000

/** Searches that run at once, of which each has a few connections, and of one account. */
const running = 8
const runningOfAccount = 4
/** Later ones would time out. */
const waiting = 400
const waitingOfAccount = 50

/** Turns for searches, shared out among accounts. */
const makeTurns = () => {
  const all = BoundedQueue.make(running, waiting)
  const turnOf = BoundedQueue.makeShares(runningOfAccount, waitingOfAccount)
  const refuse = (limit: "searches" | "searches_of_account") => Metrics.refused.add({ limit })
  return Effect.gen(function* () {
    const account = yield* CurrentAccount
    if (account !== undefined) {
      yield* Effect.tapError(turnOf(account, ToolErrorMessages.tooManySearches), () => refuse("searches_of_account"))
    }
    yield* Effect.tapError(
      all.turn(() => ToolErrorMessages.unavailable("busy")),
      () => refuse("searches")
    )
  })
}

const failureOf =
  (hint: (() => string | undefined) | undefined) =>
  (error: ClickHouseError): SearchFailure =>
    error._tag === "EngineTimeout"
      ? ToolErrorMessages.tooSlow(hint?.())
      : ToolErrorMessages.unavailable("search_engine", error)

type Answers = ReturnType<typeof answersOf>

const make = Effect.fnUntraced(function* (cluster: Cluster) {
  const engine = yield* ClickHouse
  const reader = yield* CatalogReader
  const spellings = new Spellings()
  const turn = makeTurns()
  const loading = yield* Semaphore.make(1)
  let published: EngineCatalog | undefined
  let sequence: number | undefined
  let problem: ClickHouseError | undefined
  /** Of the records, at the last look. */
  let head = { version: 0, lagSeconds: 0 }
  let checkedAt = Number.NEGATIVE_INFINITY

  /** One at a time. Whoever waited for another one looks again. */
  const check = Effect.gen(function* () {
    const state = yield* EngineState.read(engine, cluster)
    if (state !== undefined && state.sequence !== sequence) {
      published = yield* Effect.timeoutOption(loadCatalog(engine, state, cluster, spellings), loadLimit).pipe(
        Effect.map(Option.getOrElse(() => published))
      )
      if (published?.version === state.version) sequence = state.sequence
      yield* Metrics.indexVersion.set({}, published?.version ?? 0)
    }
    problem = undefined
    checkedAt = yield* Clock.currentTimeMillis
    yield* Metrics.indexChecked.set({}, checkedAt / 1_000)
    yield* Metrics.indexReady.set({}, published === undefined ? 0 : 1)
  }).pipe(
    Effect.catch((error) => {
      const isNew = problem?._tag !== error._tag
      problem = error
      return isNew ? Effect.logWarning("The search engine does not answer", error) : Effect.void
    }),
    loading.withPermits(1)
  )

  const lagVersions = () => (published === undefined ? 0 : Math.max(0, head.version - published.version))
  const lagSeconds = () => (lagVersions() === 0 ? 0 : head.lagSeconds)

  /** How far what is searched is behind the records. It stays as it was while the database does not answer, which Readiness tells. */
  const measure = Effect.gen(function* () {
    if (published !== undefined) head = yield* reader.head(published.version)
    yield* Metrics.indexLagVersions.set({}, lagVersions())
    yield* Metrics.indexLagSeconds.set({}, lagSeconds())
  }).pipe(Effect.ignore)

  const scope = yield* Effect.scope
  yield* measure.pipe(Effect.repeat(Schedule.spaced(pollEvery)), Effect.forkIn(scope))
  yield* check.pipe(Effect.repeat(Schedule.spaced(pollEvery)), Effect.forkIn(scope))
  /** Goes on when whoever asked for it has left. */
  const look = Effect.flatMap(Effect.forkIn(check, scope), Fiber.join)

  const current = Effect.suspend(() => {
    if (published !== undefined) return Effect.succeed(published)
    return Effect.fail(
      problem === undefined
        ? ToolErrorMessages.indexNotReady("building", undefined, 5)
        : ToolErrorMessages.unavailable("search_engine", problem)
    )
  })

  /** With all of its waiting a search has its time; what it has begun in ClickHouse ends with it. */
  const ask = <A>(run: (answers: Answers) => Effect.Effect<A, ClickHouseError>, hint?: () => string | undefined) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* turn
        const catalog = yield* current
        const answer = yield* Effect.mapError(run(answersOf(engine, catalog.place)), failureOf(hint))
        return { answer, catalog }
      })
    ).pipe(
      Effect.timeoutOrElse({
        duration: searchLimit,
        orElse: () => Effect.fail(ToolErrorMessages.tooSlow(hint?.()))
      })
    )

  const timed = (kind: "search" | "facets" | "overview" | "adGroups" | "storeIds") => {
    return <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.clockWith((clock) => {
        const began = clock.monotonicTimeNanosUnsafe()
        return Effect.onExit(effect, () =>
          Metrics.searchDuration.observe({ kind }, Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
        )
      })
  }

  return CatalogSearch.of({
    current,
    search: Effect.fn("EngineSearch.search")((query, hint) =>
      ask((answers) => answers.search(query), hint).pipe(
        Effect.map(({ answer, catalog }) => ({ ...answer, catalog })),
        timed("search")
      )
    ),
    facets: Effect.fn("EngineSearch.facets")((filter) => timed("facets")(ask((answers) => answers.facets(filter)))),
    overview: Effect.fn("EngineSearch.overview")((query, hint) =>
      timed("overview")(ask((answers) => answers.overview(query), hint))
    ),
    adGroups: Effect.fn("EngineSearch.adGroups")((query, hint) =>
      timed("adGroups")(ask((answers) => answers.adGroups(query), hint))
    ),
    storeIds: Effect.fn("EngineSearch.storeIds")((query, hint) =>
      timed("storeIds")(ask((answers) => answers.storeIds(query), hint))
    ),
    figures: Effect.fn("EngineSearch.figures")((ids) =>
      Effect.map(
        ask((answers) => answers.figures(ids)),
        ({ answer, catalog }) => ({ catalog, figures: answer })
      )
    ),
    awaitVersion: (version) => {
      const isThere = Effect.sync(() => (published?.version ?? -1) >= version)
      return Effect.flatMap(isThere, (there) => (there ? Effect.void : look)).pipe(
        Effect.andThen(isThere),
        Effect.repeat({ until: (there) => there, schedule: Schedule.spaced(pollWhileAwaited) }),
        Effect.timeoutOption(versionLimit),
        Effect.asVoid
      )
    },
    status: Effect.map(Clock.currentTimeMillis, (now) => ({
      isReady: published !== undefined,
      isAnswering: now - checkedAt < silentMillis,
      version: Option.map(Option.fromUndefinedOr(published), ({ version }) => version),
      lagVersions: lagVersions(),
      lagSeconds: lagSeconds(),
      progress: { phase: problem === undefined ? "building" : "connecting", done: 0, total: 0 },
      failure: Option.none()
    }))
  })
})

/** {@link CatalogSearch} on one node, or on a cluster of this name. */
export const layer = (cluster: Cluster): Layer.Layer<CatalogSearch, never, CatalogReader | ClickHouse> =>
  Layer.effectContext(Effect.map(make(cluster), (search) => Context.make(CatalogSearch, search)))
