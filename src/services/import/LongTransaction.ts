/** Transactions whose statements take as long as an import needs, and find rows by indexes. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

const inTransaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  settings: Readonly<Record<string, string>>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> => {
  const set = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`)
  return sql.withTransaction(Effect.andThen(sql`SELECT ${sql.csv(set)}`, effect))
}

/** The pool's limit for a statement is for those of requests. */
const timeLimit = { statement_timeout: "30min" }

/**
 * Runs the effect in a transaction whose statements read tables as a whole, by whatever plan is best for that. What they have found is
 * not given up because a transaction of an import takes some seconds.
 */
export const wholeTables = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  inTransaction(sql, { ...timeLimit, lock_timeout: "1min" }, effect)

/**
 * Runs the effect in a transaction. A statement of an import may write every record of a large store, or a row for each of many stores.
 *
 * Rows are found by an index where there is one, whatever the planner's statistics say: they lag behind a table that grows, and
 * after a first load that was rolled back they say that it is empty. A plan for few rows reads all of them for each record. So
 * statements look each record up in a lateral subquery, which OFFSET 0 keeps separate, and write the rows that it found by ctid:
 * in a join by key, the planner could still read the table first.
 */
export const longTransaction = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  inTransaction(sql, { ...timeLimit, enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" }, effect)
