/** Recorded statements, sent again by the driver on one connection: what the search costs without our path around it. */
import { Effect } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import type { Sent } from "./Recorder.ts"

/** Milliseconds; statements are planned each time, as our own are. */
export const time = (
  connection: SqlConnection.Connection,
  statements: ReadonlyArray<Sent>
): Effect.Effect<number, SqlError.SqlError> =>
  Effect.suspend(() => {
    const start = performance.now()
    return Effect.as(
      Effect.forEach(statements, ({ parameters, sql }) => connection.executeUnprepared(sql, parameters, undefined), {
        discard: true
      }),
      () => performance.now() - start
    )
  }).pipe(Effect.map((elapsed) => elapsed()))
