/** Statements on a connection to DuckDB, which know nothing of Effect: interruption has to reach them. */
import type { DuckDBConnection } from "@duckdb/node-api"
import { Effect, Schedule } from "effect"
import { PeerError } from "../Peer.ts"

/** Rows as objects; interrupting it interrupts the statement, and returns when that has ended. */
export const run = (
  connection: DuckDBConnection,
  statement: string
): Effect.Effect<ReadonlyArray<Record<string, unknown>>, PeerError> =>
  Effect.callback((resume) => {
    const running = connection.runAndReadAll(statement)
    running.then(
      (reader) => resume(Effect.succeed(reader.getRowObjectsJS())),
      (cause: unknown) => resume(Effect.fail(new PeerError({ message: "DuckDB refused a statement.", cause })))
    )
    const settled = Effect.promise(() =>
      running.then(
        () => undefined,
        () => undefined
      )
    )
    // Again and again: a statement that is still being planned does not hear it.
    const interrupt = Effect.repeat(
      Effect.sync(() => connection.interrupt()),
      Schedule.spaced("20 millis")
    )
    return Effect.asVoid(Effect.raceFirst(settled, interrupt))
  })
