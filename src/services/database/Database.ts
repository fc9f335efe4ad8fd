/** The pool of connections to PostgreSQL, and the limits that each of them works under. */
import { PgClient } from "@effect/sql-pg"
import type { Redacted } from "effect"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
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

/** Which database the pool is of, for who opens connections to it on another thread. */
export class DatabaseSource extends Context.Service<DatabaseSource, DatabaseOptions["source"]>()(
  "discovery/database/DatabaseSource"
) {}

const defaultStatementTimeoutMillis = 5_000

/** The pool's {@link DatabaseOptions.statementTimeoutMillis}, for who bounds what takes several statements. */
export const StatementTimeoutMillis = Context.Reference<number>("discovery/database/StatementTimeoutMillis", {
  defaultValue: () => defaultStatementTimeoutMillis
})

/** Rows are locked by single statements only, so a longer wait means that something is stuck. */
const lockTimeoutMillis = 3_000
/** A transaction whose client has stopped talking gives its locks back. */
const idleInTransactionTimeoutMillis = 10_000
const connectTimeoutMillis = 5_000
/** Statements are parameterized and few in shape, but filters combine to more shapes than the driver's 100. A bound, not a measured optimum. */
const preparedStatements = 400

/**
 * A pool; connections are opened when first needed, so a database that is down is an error of the first query.
 *
 * `multiplex` stays off: with it, interrupting an Effect does not cancel its query at the server.
 */
export const layer = (
  options: DatabaseOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | DatabaseSource, SqlError.SqlError> =>
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
      // Statements read a few rows by key: compiling them, or sharing one among workers, costs more than it saves.
      jit: "off",
      max_parallel_workers_per_gather: "0",
      work_mem: "64MB",
      // The default of 4 is made for spinning disks.
      random_page_cost: "2",
      // Dates and times are compared and printed in UTC, whatever the server's own zone.
      timezone: "UTC"
    }
  }).pipe(
    Layer.merge(Layer.succeed(DatabaseSource, options.source)),
    Layer.merge(Layer.succeed(PoolSize, options.maxConnections ?? defaultMaxConnections)),
    Layer.merge(Layer.succeed(StatementTimeoutMillis, options.statementTimeoutMillis ?? defaultStatementTimeoutMillis))
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
