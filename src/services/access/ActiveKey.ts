/** When an API key works: neither revoked, nor past the end that its replacement gave it. One rule for all who ask. */
import type { SqlClient, Statement } from "effect/sql"

/** Of a row of `api_key`; for queries in which no other table has these columns. */
export const isWorking = (sql: SqlClient.SqlClient, now: Date): Statement.Fragment =>
  sql`(revoked_at IS NULL AND (ends_at IS NULL OR ends_at > ${now}))`
