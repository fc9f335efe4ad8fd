/**
 * The lock by which one server at a time writes to ClickHouse. It belongs to a connection to PostgreSQL: without that connection, another
 * server may have it.
 */
import { Effect, Option } from "effect"
import type { Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { hasRow } from "../../database/Rows.ts"
import { LockLost } from "./EngineWrites.ts"

/** No others of the database's keys (Importer). */
const lockId = 7_236_204
const readersId = 7_236_205
const wantedId = 7_236_206

/** Who has a lock. */
const locks = `
  SELECT FROM pg_locks
  WHERE locktype = 'advisory' AND classid = 0 AND objid = $1::integer::oid AND objsubid = 1
    AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** For those who read one version for long: until the end of the transaction, nothing is swept. */
export const keepVersions = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`SELECT pg_advisory_xact_lock_shared(${readersId}::bigint)`)

/** Whether anybody does. Whoever begins later begins with the newest version, which is not swept. */
export const hasReaders = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError.SqlError> =>
  hasRow(sql.unsafe(locks, [readersId]))

/** Until the scope ends, whoever has the lock gives it back as soon as its version is written. */
export const want = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<void, SqlError.SqlError, Scope.Scope> {
  const connection = yield* sql.reserve
  yield* Effect.acquireRelease(connection.executeValues("SELECT pg_advisory_lock_shared($1)", [wantedId]), () =>
    Effect.ignore(connection.executeValues("SELECT pg_advisory_unlock_shared($1)", [wantedId]))
  )
})

export const isWanted = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError.SqlError> =>
  hasRow(sql.unsafe(locks, [wantedId]))

/** Returns what fails once the lock is lost; none if another server has it. */
export const take = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<Option.Option<Effect.Effect<void, LockLost | SqlError.SqlError>>, SqlError.SqlError, Scope.Scope> {
  const connection = yield* sql.reserve
  const isTaken = yield* Effect.acquireRelease(
    Effect.map(connection.executeValues("SELECT pg_try_advisory_lock($1)", [lockId]), ([row]) => row?.[0] === true),
    // A lost connection has released the lock already.
    (isTaken) =>
      isTaken ? Effect.ignore(connection.executeValues("SELECT pg_advisory_unlock($1)", [lockId])) : Effect.void
  )
  if (!isTaken) return Option.none()
  const held = connection.executeValues(`${locks} AND pid = pg_backend_pid()`, [lockId])
  return Option.some(
    Effect.flatMap(held, (rows) =>
      rows.length > 0
        ? Effect.void
        : Effect.fail(new LockLost({ message: "The connection with the lock of the projector is lost" }))
    )
  )
})
