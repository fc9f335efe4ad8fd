/** Where the servers of a database are reached, for links that the command line prints: its environment may be another than theirs. */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { firstOf } from "./Rows.ts"

const decodeAddress = firstOf(Schema.Struct({ base_url: Schema.String }))

/** Notes the public origin of a server that listens now. */
export const note = (baseUrl: string): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO server_address (base_url) VALUES (${baseUrl})
      ON CONFLICT (is_only) DO UPDATE SET base_url = excluded.base_url WHERE server_address.base_url <> excluded.base_url`
  ).pipe(Effect.asVoid)

/** The public origin of the server that was started last; none if there was none. */
export const last: Effect.Effect<Option.Option<string>, SqlError.SqlError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => decodeAddress(sql`SELECT base_url FROM server_address`)
).pipe(Effect.map((row) => Option.fromUndefinedOr(row?.base_url)))
