/** One look at the primary and at its replica: may the replica answer searches, and how old is its data? */
import { Clock, Duration, Effect, Exit, Fiber, Option } from "effect"
import type { Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { migrations } from "../../../migrations/index.ts"
import * as ReplayLag from "./ReplayLag.ts"

/** Why a replica does not answer searches. */
export const unfitness = {
  starting: "has not been asked yet",
  catching_up: "has not yet shown how far it is behind",
  unreachable: "cannot be reached",
  silent: "does not answer",
  lagging: "is too far behind",
  schema_behind: "does not have this version's tables yet",
  promoted: "is no standby: it takes writes of its own",
  foreign: "is a standby of another server"
} as const

export type Unfit = keyof typeof unfitness

export interface Finding {
  /** None: the replica may answer. */
  readonly unfit: Option.Option<{ readonly reason: Unfit; readonly cause?: SqlError.SqlError }>
  readonly lag: { readonly isKnown: boolean; readonly millis: number }
}

/** Twice this, see {@link patient}. With the pause between two looks it must stay below a second. */
const halfDeadline = Duration.millis(250)

/**
 * In two halves: when this process itself was held up, the first half ends at once, and an answer that came in meanwhile is
 * read before the second one begins.
 */
const patient = Effect.andThen(Effect.sleep(halfDeadline), Effect.sleep(halfDeadline))

type Answer<A> = Exit.Exit<A, SqlError.SqlError> | "silent"

/**
 * A question with a deadline. One that hangs is told to stop and not waited for, as the driver takes seconds to cancel it,
 * and no other is asked until it is over.
 */
const withDeadline = <A>(
  question: Effect.Effect<A, SqlError.SqlError>,
  scope: Scope.Scope
): Effect.Effect<Answer<A>> => {
  let last: Fiber.Fiber<A, SqlError.SqlError> | undefined
  return Effect.suspend(() => {
    if (last !== undefined && last.pollUnsafe() === undefined) return Effect.succeed("silent" as const)
    return Effect.acquireUseRelease(
      Effect.forkIn(question, scope),
      (fiber) => {
        last = fiber
        return Effect.raceFirst(Fiber.await(fiber), Effect.as(patient, "silent" as const))
      },
      (fiber) => Effect.sync(() => fiber.interruptUnsafe())
    )
  })
}

/** Replay needed what a statement still read, and did not wait for it any longer (max_standby_streaming_delay). */
export const isConflict = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "SerializationError" || reason._tag === "DeadlockError"

/** A look is over in a moment, so it seldom meets even one. */
const maxConflicts = 3

interface PrimaryRow {
  readonly written: number
  readonly system: string
}

interface ReplicaRow {
  readonly is_standby: boolean
  readonly replayed: number | null
  readonly system: string
  readonly migration: number | null
}

/** What has been flushed: all that a standby can have been sent. */
const askPrimary = (sql: SqlClient.SqlClient) =>
  sql<PrimaryRow>`
    SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::float8 AS written, system_identifier::text AS system
    FROM pg_control_system()`

const askReplica = (sql: SqlClient.SqlClient) =>
  Effect.retry(
    sql<ReplicaRow>`
    SELECT pg_is_in_recovery() AS is_standby, (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::float8 AS replayed,
      system_identifier::text AS system, (SELECT max(migration_id)::int FROM migration) AS migration
    FROM pg_control_system()`,
    { while: isConflict, times: maxConflicts }
  )

const newestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

const unfit = (reason: Unfit, cause?: SqlError.SqlError): Finding["unfit"] =>
  Option.some({ reason, ...(cause === undefined ? {} : { cause }) })

const failure = (exit: Exit.Failure<unknown, SqlError.SqlError>): Finding["unfit"] => {
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  // The one table that is asked for is missing.
  return error?.reason._tag === "SqlSyntaxError" ? unfit("schema_behind", error) : unfit("unreachable", error)
}

/** A look; takes half a second at most. For one fiber, again and again: lag shows between looks. */
export const make = (options: {
  readonly scope: Scope.Scope
  readonly primary: SqlClient.SqlClient
  readonly replica: SqlClient.SqlClient
  readonly maxLagMillis: number
}): Effect.Effect<Finding> => {
  const lag = ReplayLag.make()
  const primary = withDeadline(askPrimary(options.primary), options.scope)
  const replica = withDeadline(askReplica(options.replica), options.scope)
  let system: string | undefined

  const judge = (answer: Answer<ReadonlyArray<ReplicaRow>>, nowMillis: number): Finding["unfit"] => {
    if (answer === "silent") return unfit("silent")
    if (Exit.isFailure(answer)) return failure(answer)
    const [row] = answer.value
    if (row === undefined || !row.is_standby) return unfit("promoted")
    if (system !== undefined && row.system !== system) return unfit("foreign")
    if (row.replayed !== null) lag.replayed(row.replayed)
    if ((row.migration ?? 0) < newestMigration) return unfit("schema_behind")
    const { isKnown, millis } = lag.behind(nowMillis)
    if (millis > options.maxLagMillis) return unfit("lagging")
    return isKnown ? Option.none() : unfit("catching_up")
  }

  return Effect.gen(function* () {
    const askedAt = yield* Clock.currentTimeMillis
    const [written, answer] = yield* Effect.all([primary, replica], { concurrency: 2 })
    if (written !== "silent" && Exit.isSuccess(written)) {
      const [row] = written.value
      if (row !== undefined) {
        system = row.system
        lag.wrote(row.written, askedAt)
      }
    }
    const now = yield* Clock.currentTimeMillis
    const unfit = judge(answer, now)
    return { unfit, lag: lag.behind(now) }
  })
}
