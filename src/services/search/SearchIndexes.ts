/** The indexes of the item tables: built after a first load, which is several times faster than keeping them up. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"

type Run<A> = Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>

/**
 * On an empty catalogue drops all but the primary keys and returns the statements that make them again: the migrations
 * stay the only place that says which indexes there are. Otherwise returns none. Nobody searches an empty catalogue, so
 * the lock that this takes until the end of the transaction is in nobody's way.
 */
export const dropIfEmpty: Run<ReadonlyArray<string>> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const used = yield* sql`SELECT 1 FROM product_search UNION ALL SELECT 1 FROM ad_search LIMIT 1`
  if (used.length > 0) return []
  const indexes = yield* sql<{ name: string; definition: string }>`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
    WHERE indrelid IN ('product_search'::regclass, 'ad_search'::regclass) AND NOT indisprimary`
  for (const { name } of indexes) yield* sql.unsafe(`DROP INDEX ${name}`)
  return indexes.map(({ definition }) => definition)
})

export const create = (definitions: ReadonlyArray<string>): Run<void> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const definition of definitions) yield* sql.unsafe(definition)
  })
