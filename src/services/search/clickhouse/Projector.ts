/**
 * Keeps ClickHouse up to date with the database, one server at a time: takes the lock, undoes what was begun and not published, then
 * follows the versions of the catalog, and sweeps. After a failure it gives the lock back and begins again, so that an end at any
 * moment and a failure are one case.
 */
import { Cause, Clock, Duration, Effect, Option, Queue, Ref, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Metrics from "../../metrics/Metrics.ts"
import { CatalogReader } from "../runtime/CatalogReader.ts"
import { ClickHouse, Int64 } from "./ClickHouse.ts"
import type { ClickHouseError } from "./ClickHouseErrors.ts"
import * as EngineState from "./EngineState.ts"
import type { EngineState as State } from "./EngineState.ts"
import { createState, kinds, stateTable } from "./EngineTables.ts"
import type { Cluster } from "./EngineTables.ts"
import * as EngineWrites from "./EngineWrites.ts"
import type { Engine, WriteError } from "./EngineWrites.ts"
import * as Projection from "./Projection.ts"
import * as ProjectorLock from "./ProjectorLock.ts"
import * as Sweeper from "./Sweeper.ts"

export interface ProjectorOptions {
  /** The cluster that has the tables; without it one node. */
  readonly cluster?: string
  readonly limits?: Partial<EngineWrites.Limits>
  /** How long a version can be searched after the next one is published. */
  readonly keep?: Duration.Duration
  /** Signals that the catalog may have changed. It is also polled every second. */
  readonly listen: Effect.Effect<Queue.Dequeue<unknown, SqlError.SqlError>, SqlError.SqlError, Scope.Scope>
}

export interface Projector {
  /** Brings ClickHouse to the database's version. None if another server projects. */
  readonly refresh: Effect.Effect<Option.Option<State>, WriteError>
  /** Builds all tables again from the records, beside those that are searched until then. A server that projects gives way. */
  readonly rebuild: Effect.Effect<State, WriteError>
  /** Deletes what no query can need. Returns whether this server was the one to do it. */
  readonly sweep: Effect.Effect<boolean, WriteError>
  /** Does both whenever they are due, forever. Failures are logged and retried. */
  readonly run: Effect.Effect<never>
}

const pollInterval = Duration.seconds(1)
const standbyInterval = Duration.seconds(5)
const sweepMillis = 60_000
const maxPauseMillis = 30_000
const settlePause = Duration.millis(100)
const defaultKeep = Duration.minutes(10)
/** `min`: whichever is sooner. */
const reconnect = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

const Running = Schema.Struct({ running: Int64 })

/**
 * Waits for statements that a projector has left behind: its end does not end them, and they would write after what undoes them. Each
 * has a limit of time.
 */
const settle = (client: ClickHouse["Service"], cluster: Cluster): Effect.Effect<void, ClickHouseError> => {
  const processes = cluster === undefined ? "system.processes" : `clusterAllReplicas(\`${cluster}\`, system.processes)`
  const ofTables = `'\\\\b(${kinds.join("|")})_[0-9]+(_local)?\\\\b|\\\\b${stateTable}\\\\b'`
  const sql =
    `SELECT count() AS running FROM ${processes} WHERE query_kind IN ('Insert', 'Alter', 'Delete') ` +
    `AND current_database = currentDatabase() AND match(query, ${ofTables})`
  return client.query({ name: "settle", sql }, Running).pipe(
    Effect.flatMap(([row]) =>
      row?.running === 0
        ? Effect.void
        : Effect.delay(
            Effect.suspend(() => settle(client, cluster)),
            settlePause
          )
    )
  )
}

export const make = Effect.fnUntraced(function* (
  options: ProjectorOptions
): Effect.fn.Return<Projector, never, CatalogReader | ClickHouse | SqlClient.SqlClient | Scope.Scope> {
  const { cluster, keep = defaultKeep } = options
  const reader = yield* CatalogReader
  const client = yield* ClickHouse
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  const limits = { ...EngineWrites.defaultLimits, ...options.limits }
  const wake = yield* Queue.sliding<void>(1)
  /** Failures since the last success. */
  const failures = yield* Ref.make(0)

  const rebuild = Effect.fnUntraced(function* (engine: Engine, before: State | undefined, why: string) {
    yield* Effect.logInfo(`The tables of the catalog in ClickHouse are built: ${why}`)
    return yield* Projection.rebuild(engine, reader, before)
  })

  /** Runs the effect under the lock, with the state that is published, once nothing else is in the tables. */
  const leading = <A>(
    lead: (engine: Engine, state: State | undefined) => Effect.Effect<A, WriteError>
  ): Effect.Effect<Option.Option<A>, WriteError> =>
    Effect.scoped(
      Effect.gen(function* (): Effect.fn.Return<Option.Option<A>, WriteError, Scope.Scope> {
        const lock = yield* ProjectorLock.take(sql)
        if (Option.isNone(lock)) return Option.none()
        const engine: Engine = { client, cluster, limits, holdsLock: lock.value }
        yield* EngineWrites.command(engine, "create", createState(cluster))
        yield* settle(client, cluster)
        const state = yield* EngineState.read(client, cluster)
        if (state === undefined) return Option.some(yield* lead(engine, state))
        yield* Projection.undo(engine, state)
        const isCurrent = yield* EngineState.isCurrent(engine, state.generation)
        const whole = isCurrent ? state : yield* rebuild(engine, state, "another version of the server made them")
        return Option.some(yield* lead(engine, whole))
      })
    )

  const tellLag = Effect.fnUntraced(function* (version: number) {
    const head = yield* reader.head(version)
    yield* Metrics.projectorLagVersions.set({}, Math.max(0, head.version - version))
    yield* Metrics.projectorLagSeconds.set({}, head.lagSeconds)
  })

  /** Brings ClickHouse to the newest version. */
  const project = Effect.fn("Projector.project")(function* (
    engine: Engine,
    before: State | undefined
  ): Effect.fn.Return<State, WriteError> {
    if (before !== undefined) yield* tellLag(before.version)
    const updated = before === undefined ? Option.none() : yield* Projection.update(engine, reader, before)
    const state = Option.isSome(updated)
      ? updated.value
      : yield* rebuild(engine, before, before === undefined ? "there are none" : "they are of another history")
    if (state === before) return state
    yield* Metrics.projectorPublished.set({}, (yield* Clock.currentTimeMillis) / 1_000)
    yield* tellLag(state.version)
    return state
  })

  const succeeded = Effect.gen(function* () {
    if ((yield* Ref.getAndSet(failures, 0)) > 0) yield* Effect.logInfo("ClickHouse follows the catalog again")
  })

  const sweep = (engine: Engine, state: State): Effect.Effect<void, WriteError> =>
    Effect.flatMap(ProjectorLock.hasReaders(sql), (hasReaders) =>
      hasReaders ? Effect.void : Sweeper.sweep(engine, state, keep)
    )

  /** Follows the database until something fails, or somebody else wants to. */
  const follow = (engine: Engine, first: State | undefined): Effect.Effect<void, WriteError> =>
    Effect.gen(function* (): Effect.fn.Return<void, WriteError> {
      let state = first
      let sweptAt = Number.NEGATIVE_INFINITY
      for (;;) {
        yield* engine.holdsLock
        state = yield* project(engine, state)
        const now = yield* Clock.currentTimeMillis
        if (now - sweptAt >= sweepMillis) {
          yield* sweep(engine, state)
          sweptAt = now
        }
        yield* succeeded
        if (yield* ProjectorLock.isWanted(sql)) return
        yield* Effect.timeoutOption(Queue.take(wake), pollInterval)
      }
    })

  const failed = Effect.fnUntraced(function* (cause: Cause.Cause<WriteError>) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
    const before = yield* Ref.getAndUpdate(failures, (count) => count + 1)
    if (before === 0) yield* Effect.logWarning("ClickHouse does not follow the catalog", cause)
    return Duration.millis(Math.min(maxPauseMillis, 1_000 * 2 ** before))
  })

  /** This server does not know how far the one is that projects. */
  const standBy = Effect.all([Metrics.projectorLagVersions.set({}, 0), Metrics.projectorLagSeconds.set({}, 0)]).pipe(
    Effect.as(standbyInterval)
  )

  const listening = Effect.scoped(
    Effect.flatMap(options.listen, (notices) =>
      Effect.forever(Effect.andThen(Queue.take(notices), Queue.offer(wake, undefined)))
    )
  ).pipe(Effect.retry(reconnect))

  return {
    refresh: leading(project),
    rebuild: Effect.scoped(
      Effect.gen(function* (): Effect.fn.Return<State, WriteError, Scope.Scope> {
        yield* ProjectorLock.want(sql)
        for (;;) {
          const built = yield* leading((engine, state) => rebuild(engine, state, "as asked"))
          if (Option.isSome(built)) return built.value
          yield* Effect.sleep(settlePause)
        }
      })
    ),
    sweep: Effect.map(
      leading((engine, state) => (state === undefined ? Effect.void : sweep(engine, state))),
      Option.isSome
    ),
    run: Effect.andThen(
      Effect.forkIn(listening, scope),
      leading(follow).pipe(
        Effect.andThen(standBy),
        Effect.catchCause(failed),
        Effect.flatMap(Effect.sleep),
        Effect.forever
      )
    )
  }
})
