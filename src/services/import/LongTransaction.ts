/** Transactions whose statements take as long as an import needs. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Runs the effect in a transaction. The pool's limit for a statement is for those of requests: a statement of an import may write
 * every record of a large store, or a row for each of many stores.
 */
export const longTransaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  sql.withTransaction(Effect.andThen(sql`SELECT set_config('statement_timeout', '30min', true)`, effect))
