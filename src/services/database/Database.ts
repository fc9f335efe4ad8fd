/**
 * The pool of connections to PostgreSQL, and the edge at which its failures become answers.
 *
 * Services write their statements against `SqlClient` and close each public method with {@link query}.
 */
import { PgClient } from "@effect/sql-pg"
import type { Duration, Redacted } from "effect"
import { Context, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import type { EmbeddedConnection } from "./EmbeddedPostgres.ts"

export interface DatabaseOptions {
  /** `DATABASE_URL`, or the server that this process runs itself. */
  readonly source: Redacted.Redacted | EmbeddedConnection
  readonly maxConnections?: number
  /** The longest that one statement may run at the server. */
  readonly statementTimeoutMillis?: number
}

const defaultMaxConnections = 20

/** How many connections the pool has, for who shares them out. */
export const PoolSize = Context.Reference<number>("discovery/database/PoolSize", {
  defaultValue: () => defaultMaxConnections
})

const defaultStatementTimeoutMillis = 5_000
/** Rows are locked by single statements only, so a longer wait means that something is stuck. */
const lockTimeoutMillis = 3_000
/** A transaction whose client has stopped talking gives its locks back. */
const idleInTransactionTimeoutMillis = 10_000
const connectTimeoutMillis = 5_000
/** Statements are parameterised and few in shape, but filters combine to more shapes than the driver's 100. A bound, not a measured optimum. */
const preparedStatements = 400

/** The statement's own five seconds, and two to wait for a connection. */
const queryDeadline: Duration.Input = "7 seconds"

/**
 * A pool; connections are opened when first needed, so a database that is down is an error of the first query.
 *
 * `multiplex` stays off: with it, interrupting an Effect does not cancel its query at the server.
 */
export const layer = (
  options: DatabaseOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layer({
    ...("host" in options.source ? options.source : { url: options.source }),
    applicationName: "discovery",
    maxConnections: options.maxConnections ?? defaultMaxConnections,
    connectTimeout: connectTimeoutMillis,
    keepAlive: "30 seconds",
    preparedStatementCacheSize: preparedStatements,
    multiplex: false,
    startupParameters: {
      statement_timeout: String(options.statementTimeoutMillis ?? defaultStatementTimeoutMillis),
      lock_timeout: String(lockTimeoutMillis),
      idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMillis),
      // What the search's plans count on: their measured costs were taken with these.
      jit: "off",
      work_mem: "64MB",
      random_page_cost: "1.1",
      // Dates and times are compared and printed in UTC, whatever the server's own zone.
      timezone: "UTC"
    }
  }).pipe(Layer.merge(Layer.succeed(PoolSize, options.maxConnections ?? defaultMaxConnections)))

const busy = (cause?: unknown): ServiceUnavailable =>
  new ServiceUnavailable({
    message: "The data is not reachable right now. Nothing was charged; try again in a moment.",
    retryAfterSeconds: 1,
    ...(cause === undefined ? {} : { cause })
  })

const tooSlow = (): SearchTimeout =>
  new SearchTimeout({
    message: "The search took too long and was stopped. Nothing was charged.",
    hint: "Narrow the search: add a filter, use a rarer word, or ask for an earlier page."
  })

/** What a failure of the database means to the caller. */
export const fromSqlError = (error: SqlError.SqlError): SearchTimeout | ServiceUnavailable =>
  error.reason._tag === "StatementTimeoutError" ? tooSlow() : busy(error)

/**
 * Bounds an effect that queries the database, and turns its SQL failures into the two errors that a caller may see.
 *
 * The pool has no limit on the wait for a connection, so the whole has one: when it is reached, the effect is
 * interrupted, and with it the query at the server. (A server that has stopped answering altogether adds the five
 * seconds for which the driver waits for the query to be cancelled.)
 */
export const query = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>,
  deadline: Duration.Input = queryDeadline
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | SearchTimeout | ServiceUnavailable, R> =>
  effect.pipe(
    Effect.mapError((error) =>
      // A generic error type cannot be narrowed by exclusion; what is no SqlError is the rest of it.
      SqlError.isSqlError(error) ? fromSqlError(error) : (error as Exclude<E, SqlError.SqlError>)
    ),
    Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.fail(busy()) })
  )

/**
 * For the rest of a transaction that moves much data: a migration, an import, an index that is built. The pool's own
 * limits are made for searches.
 */
export const longLimits: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SET LOCAL statement_timeout = '1h'`
  yield* sql`SET LOCAL lock_timeout = '10min'`
  yield* sql`SET LOCAL idle_in_transaction_session_timeout = '10min'`
})
