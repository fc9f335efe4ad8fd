/**
 * Which database answers a search: the streaming replica as long as it is fit, otherwise the primary.
 *
 * The replica is looked at five times a second. As soon as it is found unfit, searches under way on it are left behind and
 * started over on the primary; so are those that fail on it. They only read, so twice is as good as once.
 */
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Metric, Option, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { RateLimited, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Database from "./Database.ts"
import * as ReplicaProbe from "./ReplicaProbe.ts"
import type { Unfit } from "./ReplicaProbe.ts"

/** Why a search was answered by the primary although there is a replica. */
export type FallbackReason = Unfit | "conflict" | "refused" | "failed"

export const metrics = {
  up: Metric.gauge("discovery_replica_up", { description: "1 while searches go to the replica, else 0" }),
  lag: Metric.gauge("discovery_replica_lag_seconds", {
    description: "How old the replica's data may be, at most; while it is catching up, at least"
  }),
  searches: (database: "primary" | "replica") => Metric.withAttributes(searches, { database }),
  fallbacks: (reason: FallbackReason) => Metric.withAttributes(fallbacks, { reason })
}

const searches = Metric.counter("discovery_searches", {
  description: "Searches answered, by the database that answered",
  incremental: true
})

const fallbacks = Metric.counter("discovery_replica_fallbacks", {
  description: "Searches that the primary answered although there is a replica, by reason",
  incremental: true
})

type Standing =
  | { readonly _tag: "Fit"; readonly over: Deferred.Deferred<Unfit> }
  | { readonly _tag: "Unfit"; readonly reason: Unfit }

export interface ReadReplicaOptions {
  /** `DATABASE_READ_URL`. */
  readonly source: Database.DatabaseOptions["source"]
  readonly maxLagSeconds: number
}

type Final = RateLimited | SearchTimeout | ServiceUnavailable

/** Without a cause, a service is unavailable because no connection came free in time. */
const isFinal = <F>(error: F): error is Extract<F, Final> =>
  error instanceof RateLimited ||
  error instanceof SearchTimeout ||
  (error instanceof ServiceUnavailable && error.cause === undefined)

const pauseBetweenLooks = "200 millis"
/** So many good looks on end before it is used (again): about a second. */
const looksToBeFit = 5

export class ReadReplica extends Context.Service<
  ReadReplica,
  {
    /**
     * Answers from the replica if it is fit. What then does not succeed there is started over on the primary, refusals
     * included: a name that was not found may have come to the primary since. {@link Final} failures are not: they say
     * that the replica has too much to do, and the primary is not made to bear its load.
     */
    first<A, E, F>(
      onReplica: Effect.Effect<A, F>,
      onPrimary: Effect.Effect<A, E>
    ): Effect.Effect<A, E | Extract<F, Final>>
    /** None while the replica is used. */
    readonly unfit: Effect.Effect<Option.Option<Unfit>>
  }
>()("discovery/database/ReadReplica") {
  static readonly layer = (
    options: ReadReplicaOptions
  ): Layer.Layer<ReadReplica, SqlError.SqlError, SqlClient.SqlClient> =>
    Layer.effect(
      ReadReplica,
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const primary = yield* SqlClient.SqlClient
        // Its own connection: the looks must not wait for searches.
        const pool = yield* Layer.build(Layer.fresh(Database.layer({ source: options.source, maxConnections: 1 })))
        const look = ReplicaProbe.make({
          scope,
          primary,
          replica: Context.get(pool, SqlClient.SqlClient),
          maxLagMillis: options.maxLagSeconds * 1_000
        })

        let standing: Standing = { _tag: "Unfit", reason: "starting" }
        let goodLooks = 0
        let isTold = false
        let isFailureTold = false

        const declareFit = Effect.gen(function* () {
          standing = { _tag: "Fit", over: yield* Deferred.make<Unfit>() }
          isTold = false
          isFailureTold = false
          yield* Metric.update(metrics.up, 1)
          yield* Effect.logInfo("Searches go to the replica")
        })

        /** Told once, not when the reason changes; at a start not before it is known to be more than that. */
        const declareUnfit = Effect.fnUntraced(function* (reason: Unfit, cause?: unknown) {
          const before = standing
          const isNews = before._tag === "Fit" || (!isTold && reason !== "catching_up")
          isTold ||= isNews
          goodLooks = 0
          standing = { _tag: "Unfit", reason }
          if (before._tag === "Fit") yield* Deferred.succeed(before.over, reason)
          yield* Metric.update(metrics.up, 0)
          if (!isNews) return
          const because = cause === undefined ? [] : [Cause.fail(cause)]
          yield* Effect.annotateLogs(
            Effect.logWarning(`Searches go to the primary: the replica ${ReplicaProbe.unfitness[reason]}`, ...because),
            { reason }
          )
        })

        const watch = Effect.gen(function* () {
          const { lag, unfit } = yield* look
          yield* Metric.update(metrics.lag, lag.millis / 1_000)
          if (Option.isSome(unfit)) {
            const { cause, reason } = unfit.value
            return yield* declareUnfit(reason, cause)
          }
          goodLooks += 1
          if (standing._tag === "Unfit" && goodLooks >= looksToBeFit) yield* declareFit
        })
        yield* Effect.forkIn(Effect.repeat(watch, Schedule.spaced(pauseBetweenLooks)), scope)

        const answered = <A, E>(effect: Effect.Effect<A, E>, database: "primary" | "replica"): Effect.Effect<A, E> =>
          Effect.tap(effect, () => Metric.update(metrics.searches(database), 1))

        const fallBack = <A, E>(reason: FallbackReason, onPrimary: Effect.Effect<A, E>): Effect.Effect<A, E> =>
          Effect.andThen(Metric.update(metrics.fallbacks(reason), 1), answered(onPrimary, "primary"))

        const tell = Effect.fnUntraced(function* (reason: FallbackReason, cause: Cause.Cause<unknown>) {
          if (reason === "unreachable") yield* declareUnfit(reason, causeOf(Cause.squash(cause)))
          if (reason !== "failed" || isFailureTold) return
          isFailureTold = true
          yield* Effect.logWarning(
            "A search failed on the replica and goes to the primary; others like it are not told",
            cause
          )
        })

        const afterFailure = <A, E, F>(
          cause: Cause.Cause<F>,
          onPrimary: Effect.Effect<A, E>
        ): Effect.Effect<A, E | Extract<F, Final>> => {
          // This process is ending.
          if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
          const error = Option.getOrUndefined(Cause.findErrorOption(cause))
          if (error !== undefined && isFinal(error)) return Effect.fail(error)
          const reason = reasonOf(cause)
          return Effect.andThen(tell(reason, cause), fallBack(reason, onPrimary))
        }

        const first = <A, E, F>(
          onReplica: Effect.Effect<A, F>,
          onPrimary: Effect.Effect<A, E>
        ): Effect.Effect<A, E | Extract<F, Final>> =>
          Effect.suspend(() => {
            if (standing._tag === "Unfit") return fallBack(standing.reason, onPrimary)
            const { over } = standing
            // Of this service, not of the caller: one that hangs is told to stop, but not waited for.
            return Effect.acquireUseRelease(
              Effect.forkIn(onReplica, scope, { startImmediately: true }),
              (fiber) => Effect.raceFirst(Fiber.await(fiber), Deferred.await(over)),
              (fiber) => Effect.sync(() => fiber.interruptUnsafe())
            ).pipe(
              Effect.flatMap((outcome): Effect.Effect<A, E | Extract<F, Final>> => {
                if (typeof outcome === "string") return fallBack(outcome, onPrimary)
                if (Exit.isSuccess(outcome)) return answered(Effect.succeed(outcome.value), "replica")
                return afterFailure(outcome.cause, onPrimary)
              })
            )
          })

        return ReadReplica.of({
          first,
          unfit: Effect.sync(() => (standing._tag === "Fit" ? Option.none() : Option.some(standing.reason)))
        })
      })
    )
}

const causeOf = (error: unknown): unknown => (error instanceof ServiceUnavailable ? error.cause : error)

/** SQLSTATE of servers that start or stop, and of connections that they end. */
const isEnding = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && String(cause.code).startsWith("57P")

/** What a failure of one search says of the replica. A rollback on a connection that is gone is a defect. */
const reasonOf = (cause: Cause.Cause<unknown>): FallbackReason => {
  const typed = Option.getOrUndefined(Cause.findErrorOption(cause))
  const error = causeOf(typed ?? Cause.squash(cause))
  if (!SqlError.isSqlError(error)) {
    return typed === undefined || typed instanceof ServiceUnavailable ? "failed" : "refused"
  }
  if (isEnding(error.reason.cause)) return "unreachable"
  if (ReplicaProbe.isConflict(error)) return "conflict"
  switch (error.reason._tag) {
    case "ConnectionError":
      return "unreachable"
    case "SqlSyntaxError":
      return "schema_behind"
    default:
      return "failed"
  }
}
