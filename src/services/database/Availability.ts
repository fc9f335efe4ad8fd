/**
 * Turns failures of the database into answers. Every public method of a service that runs statements ends with one of these
 * functions.
 *
 * The pool does not limit the wait for a connection, so each function has a deadline, at which it interrupts the effect and
 * the query. If the server does not answer at all, the driver waits another five seconds for the cancellation.
 */
import { Cause, Clock, Duration, Effect, Predicate, Schedule, Schema } from "effect"
import { SqlError, Statement } from "effect/sql"
import type { SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"
import * as Metrics from "../metrics/Metrics.ts"

/**
 * A defect: PostgreSQL refuses a value, such as text with U+0000 or a number that is out of range (SQLSTATE class 22). It is a fault of
 * the input, and never an outage. Every boundary refuses such input before; should one miss some, it answers this as a refusal too.
 */
class RefusedValue extends Schema.TaggedError<RefusedValue>()("RefusedValue", { sqlState: Schema.String }) {}

const sqlStateOf = ({ reason: { cause } }: SqlError.SqlError): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : ""

const isAboutValue = (error: SqlError.SqlError): boolean => sqlStateOf(error).startsWith("22")

const isRefused = (error: unknown): error is SqlError.SqlError => SqlError.isSqlError(error) && isAboutValue(error)

/** Whether a cause is a value that PostgreSQL refuses. One line is logged, because a check is missing somewhere. */
export const isRefusedValue = (cause: Cause.Cause<unknown>): Effect.Effect<boolean> => {
  const defects = cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect)
  const refused = defects.find((defect) => defect instanceof RefusedValue)
  if (refused === undefined) return Effect.succeed(false)
  const line = { message: "The database refused a value that no check had found", sql_state: refused.sqlState }
  return Effect.as(Effect.logWarning(line), true)
}

/** Errors that a retry cannot fix. */
const isPermanent = (error: SqlError.SqlError): boolean =>
  isAboutValue(error) ||
  error.reason._tag === "SqlSyntaxError" ||
  error.reason._tag === "AuthorizationError" ||
  error.reason._tag === "AuthenticationError" ||
  error.reason._tag === "ConstraintError"

/**
 * When the connection of a transaction breaks, its rollback fails as well, which Effect reports as a defect. It then reports the
 * error with which the transaction failed, if any, as a defect, too.
 */
const brokenIsFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const defects = cause.reasons.filter(Cause.isDieReason).map(({ defect }) => defect)
    const broken = defects.find(SqlError.isSqlError)
    const isFailure = broken !== undefined && defects.every((defect) => Predicate.hasProperty(defect, "_tag"))
    return isFailure ? Effect.fail(broken) : Effect.failCause(cause)
  })

const unavailable = (cause?: unknown) => ToolErrorMessages.unavailable("database", cause)

const asServiceUnavailable = <E>(error: E | SqlError.SqlError) =>
  // TypeScript cannot narrow a generic type by exclusion: an error that is not a SqlError is an Exclude<E, SqlError>.
  SqlError.isSqlError(error) ? unavailable(error) : (error as Exclude<E, SqlError.SqlError>)

/** Made once, and not for each statement. */
const backoff = Schedule.exponential("50 millis")

/**
 * Gives an effect a deadline and turns its SQL failures into `ServiceUnavailable`.
 *
 * `retries` must be 0 unless the effect may run twice. The first retry comes after 50 ms, each further one after twice the
 * time; a restart of the database takes about a second. `late` replaces the error at the deadline.
 */
export const available =
  <E2 = ServiceUnavailable>(options: {
    readonly retries: number
    readonly deadline: Duration.Input
    readonly late?: Effect.Effect<never, E2>
  }) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | SqlError.SqlError, R>
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | ServiceUnavailable | E2, R> =>
    effect.pipe(
      Metrics.databaseOperations.during({}),
      brokenIsFailure,
      Effect.retry({
        times: options.retries,
        schedule: backoff,
        while: (error) => SqlError.isSqlError(error) && !isPermanent(error)
      }),
      Effect.catchIf(isRefused, (error) => Effect.die(new RefusedValue({ sqlState: sqlStateOf(error) }))),
      Effect.tapError((error) =>
        SqlError.isSqlError(error) ? Metrics.databaseFailures.add({ reason: "unavailable" }) : Effect.void
      ),
      Effect.mapError(asServiceUnavailable),
      Effect.timeoutOrElse({
        duration: options.deadline,
        orElse: () =>
          Effect.flatMap(
            Metrics.databaseFailures.add({ reason: "deadline" }),
            (): Effect.Effect<never, ServiceUnavailable | E2> => options.late ?? Effect.fail(unavailable())
          )
      })
    )

/** For reads. */
export const availableToRead = available({ retries: 2, deadline: "7 seconds" })

/** For effects that must not run twice. */
export const availableOnce = available({ retries: 0, deadline: "10 seconds" })

export interface QueryLimits {
  /** The server's limit for one statement. */
  readonly statement: Duration.Input
  /** For all statements and waits; longer than {@link QueryLimits.statement}. */
  readonly deadline: Duration.Input
}

const defaultLimits: QueryLimits = { statement: "5 seconds", deadline: "7 seconds" }

/**
 * For searches: as {@link availableOnce}, but a statement that exceeds the server's limit is a `SearchTimeout`, with a hint how
 * to narrow the search.
 *
 * The deadline is a `SearchTimeout` too if the current statement began within its limit: then earlier statements took the
 * time. Otherwise it got no connection, or the server does not answer.
 */
export const query = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>,
  { deadline, statement }: QueryLimits = defaultLimits,
  hint: () => string | undefined = () => undefined
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | SearchTimeout | ServiceUnavailable, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const outer = fiber.getRef(Statement.CurrentTransformer)
    const longest = Duration.toNanosUnsafe(statement)
    let began: bigint | undefined
    const tooSlow = Effect.suspend(() => Effect.fail(ToolErrorMessages.tooSlow(hint())))
    return effect.pipe(
      Effect.provideService(Statement.CurrentTransformer, (each, sql, on, span) => {
        began = clock.monotonicTimeNanosUnsafe()
        return outer === undefined ? Effect.succeed(each) : outer(each, sql, on, span)
      }),
      Effect.catchIf(isStatementTimeout, () =>
        Effect.andThen(Metrics.databaseFailures.add({ reason: "statement_timeout" }), tooSlow)
      ),
      available({
        retries: 0,
        deadline,
        late: Effect.suspend((): Effect.Effect<never, SearchTimeout | ServiceUnavailable> =>
          began !== undefined && clock.monotonicTimeNanosUnsafe() - began < longest
            ? tooSlow
            : Effect.fail(unavailable())
        )
      })
    )
  })

const isStatementTimeout = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason._tag === "StatementTimeoutError"
