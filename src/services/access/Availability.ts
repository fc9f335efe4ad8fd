/** The edge of the access services: a database that fails is `ServiceUnavailable`, never a wrong credential or a bad argument. */
import { Effect, Schedule } from "effect"
import type { Duration } from "effect"
import { SqlError } from "effect/sql"
import { ServiceUnavailable } from "../../domain/ToolError.ts"

/** The reasons that trying again cannot mend. */
const isPermanent = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "SqlSyntaxError" ||
  error.reason._tag === "AuthorizationError" ||
  error.reason._tag === "AuthenticationError" ||
  error.reason._tag === "ConstraintError"

export const unavailable = (cause?: unknown): ServiceUnavailable =>
  new ServiceUnavailable({
    message: "The service cannot reach its database right now. Nothing was charged; try again in a moment.",
    retryAfterSeconds: 1,
    ...(cause === undefined ? {} : { cause })
  })

const asServiceUnavailable = <E>(error: E | SqlError.SqlError) =>
  // A generic error type cannot be narrowed by exclusion; what is no SqlError is the rest of it.
  SqlError.isSqlError(error) ? unavailable(error) : (error as Exclude<E, SqlError.SqlError>)

/**
 * Bounds an effect that queries the database and turns its SQL failures into `ServiceUnavailable`.
 *
 * With `retries`, only for what may be sent twice: sends it again, 50 ms later and then after twice as long each time,
 * within the deadline; a restart of the database takes about a second.
 */
export const available =
  (options: { readonly retries: number; readonly deadline: Duration.Input }) =>
  <A, E, R>(
    effect: Effect.Effect<A, E | SqlError.SqlError, R>
  ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | ServiceUnavailable, R> =>
    effect.pipe(
      Effect.retry({
        times: options.retries,
        schedule: Schedule.exponential("50 millis"),
        while: (error) => SqlError.isSqlError(error) && !isPermanent(error)
      }),
      Effect.mapError(asServiceUnavailable),
      Effect.timeoutOrElse({ duration: options.deadline, orElse: () => Effect.fail(unavailable()) })
    )

/** For what reads only. */
export const availableToRead = available({ retries: 2, deadline: "7 seconds" })

/** For what must not be sent twice. */
export const availableOnce = available({ retries: 0, deadline: "10 seconds" })
