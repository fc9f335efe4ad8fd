/**
 * The edge at which failures of the database become answers: never a wrong credential, a bad argument or a defect.
 *
 * Services write their statements against `SqlClient` and close each public method with one of these. The pool has no
 * limit on the wait for a connection, so every one has a deadline: when it is reached the effect is interrupted, and with
 * it the query at the server. (A server that has stopped answering altogether adds the five seconds for which the driver
 * waits for the query to be canceled.)
 */
import { Clock, Duration, Effect, Schedule } from "effect"
import { SqlError, Statement } from "effect/sql"
import type { SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** The reasons that trying again cannot fix. */
const isPermanent = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "SqlSyntaxError" ||
  error.reason._tag === "AuthorizationError" ||
  error.reason._tag === "AuthenticationError" ||
  error.reason._tag === "ConstraintError"

const unavailable = (cause?: unknown) => ToolErrorMessages.unavailable("database", cause)

const asServiceUnavailable = <E>(error: E | SqlError.SqlError) =>
  // A generic error type cannot be narrowed by exclusion; what is no SqlError is the rest of it.
  SqlError.isSqlError(error) ? unavailable(error) : (error as Exclude<E, SqlError.SqlError>)

/**
 * Bounds an effect that queries the database and turns its SQL failures into `ServiceUnavailable`.
 *
 * With `retries`, only for what may be sent twice: sends it again, 50 ms later and then after twice as long each time,
 * within the deadline; a restart of the database takes about a second. `late` says what it means that the deadline was
 * reached, if it can mean something else.
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
      Effect.retry({
        times: options.retries,
        schedule: Schedule.exponential("50 millis"),
        while: (error) => SqlError.isSqlError(error) && !isPermanent(error)
      }),
      Effect.mapError(asServiceUnavailable),
      Effect.timeoutOrElse({
        duration: options.deadline,
        orElse: (): Effect.Effect<never, ServiceUnavailable | E2> => options.late ?? Effect.fail(unavailable())
      })
    )

/** For what reads only. */
export const availableToRead = available({ retries: 2, deadline: "7 seconds" })

/** For what must not be sent twice. */
export const availableOnce = available({ retries: 0, deadline: "10 seconds" })

export interface QueryLimits {
  /** The longest that the server lets one statement run. */
  readonly statement: Duration.Input
  /** For all statements and the waits between them: longer than one statement. */
  readonly deadline: Duration.Input
}

const defaultLimits: QueryLimits = { statement: "5 seconds", deadline: "7 seconds" }

/**
 * For what can be too much for the database to find: as {@link availableOnce}, but what the server stops for its length is
 * a `SearchTimeout`, with a hint how to narrow it.
 *
 * So is what reaches the deadline while a statement is under way that the server may still let run: those before it have
 * used up the time. A statement begun longer ago has not got its connection, or its server answers no more.
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
      Effect.catchIf(isStatementTimeout, () => tooSlow),
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
