/**
 * The pool of connections to PostgreSQL, with the limits of each connection.
 *
 * This folder guarantees that every statement has a timeout, that a method of a service has a deadline and fails as
 * `ServiceUnavailable` (Availability), that rows are decoded (Rows), and that what is deleted by its age is deleted by the
 * database's clock (DatabaseClock). It knows no table but that of migrations.
 *
 * Read next: Availability, Rows and BatchedRequests, which all services use; Migrations and EmbeddedPostgres, which run at a start.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { EmbeddedConnection } from "./EmbeddedPostgres.ts"

export interface DatabaseOptions {
  /** `DATABASE_URL`, or the embedded server. */
  readonly source: Redacted.Redacted | EmbeddedConnection
  readonly maxConnections?: number
  readonly statementTimeoutMillis?: number
  readonly lockTimeoutMillis?: number
}

const defaultMaxConnections = 20

/** The number of connections in the pool, for bulkheads. */
export const PoolSize = Context.Reference<number>("discovery/database/PoolSize", {
  defaultValue: () => defaultMaxConnections
})

/** The database of the pool, for connections from other threads. */
export class DatabaseSource extends Context.Service<DatabaseSource, DatabaseOptions["source"]>()(
  "discovery/database/DatabaseSource"
) {}

/** A source in the form in which it is passed to another thread. */
export const SourceOfThread = Schema.Union([
  Schema.Struct({ url: Schema.String }),
  Schema.Struct({ host: Schema.String, username: Schema.String, database: Schema.String })
])

export const forThread = (source: DatabaseOptions["source"]): typeof SourceOfThread.Type =>
  "host" in source ? { ...source } : { url: Redacted.value(source) }

export const fromThread = (source: typeof SourceOfThread.Type): DatabaseOptions["source"] =>
  "url" in source ? Redacted.make(source.url) : source

const defaultStatementTimeoutMillis = 5_000

/** The pool's {@link DatabaseOptions.statementTimeoutMillis}, for limits on several statements. */
export const StatementTimeoutMillis = Context.Reference<number>("discovery/database/StatementTimeoutMillis", {
  defaultValue: () => defaultStatementTimeoutMillis
})

/** Rows are locked by single statements only, so a longer wait means that something is stuck. */
const defaultLockTimeoutMillis = 3_000
/** Releases the locks of a client that no longer answers. */
const idleInTransactionTimeoutMillis = 10_000
const connectTimeoutMillis = 5_000
/** Filters combine to more statements than the driver's default of 100. A limit, not a measured optimum. */
const preparedStatements = 400

/**
 * Connections are opened when first needed: if the database is down, the first query fails.
 *
 * `multiplex` stays off: with it, interrupting an Effect does not cancel its query at the server.
 */
export const layer = ({
  lockTimeoutMillis = defaultLockTimeoutMillis,
  maxConnections = defaultMaxConnections,
  source,
  statementTimeoutMillis = defaultStatementTimeoutMillis
}: DatabaseOptions): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | DatabaseSource, SqlError.SqlError> =>
  PgClient.layer({
    ...("host" in source ? source : { url: source }),
    applicationName: "discovery",
    maxConnections,
    connectTimeout: connectTimeoutMillis,
    keepAlive: "30 seconds",
    preparedStatementCacheSize: preparedStatements,
    multiplex: false,
    startupParameters: {
      statement_timeout: String(statementTimeoutMillis),
      lock_timeout: String(lockTimeoutMillis),
      idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMillis),
      // Statements read a few rows by key, for which JIT and parallel workers cost more than they save.
      jit: "off",
      max_parallel_workers_per_gather: "0",
      work_mem: "64MB",
      // The default of 4 is made for spinning disks.
      random_page_cost: "2",
      timezone: "UTC"
    }
  }).pipe(
    Layer.merge(Layer.succeed(DatabaseSource, source)),
    Layer.merge(Layer.succeed(PoolSize, maxConnections)),
    Layer.merge(Layer.succeed(StatementTimeoutMillis, statementTimeoutMillis))
  )

/**
 * For the rest of a transaction with much data, such as a migration or the building of an index. The pool's limits are for
 * short statements.
 */
export const longLimits: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SET LOCAL statement_timeout = '1h'`
  yield* sql`SET LOCAL lock_timeout = '10min'`
  yield* sql`SET LOCAL idle_in_transaction_session_timeout = '10min'`
})
