/**
 * Answers of one state of the catalogue. An attempt resolves names by a snapshot and tells whether its statements saw the
 * same version; when they did not, an import was committed in between and it starts over; a catalogue that never rests is
 * read in one REPEATABLE READ transaction.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Catalogue, Snapshot } from "./Catalogue.ts"

/** More would only wait for a catalogue that changes faster than it is searched. */
const optimisticAttempts = 2

/** `attempt` gives none when another version was seen on the way. */
export const ofOneVersion = Effect.fnUntraced(function* <A, E>(
  sql: SqlClient.SqlClient,
  catalogue: Catalogue["Service"],
  attempt: (snapshot: Snapshot) => Effect.Effect<Option.Option<A>, E | SqlError.SqlError>
): Effect.fn.Return<A, E | SqlError.SqlError> {
  let snapshot = yield* catalogue.known
  for (let tries = 0; tries < optimisticAttempts; tries++) {
    const found = yield* attempt(snapshot)
    if (Option.isSome(found)) return found.value
    snapshot = yield* catalogue.latest
  }
  return yield* sql.withTransaction(Effect.flatMap(catalogue.latest, attempt)).pipe(
    Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
    Effect.flatMap(
      Option.match({
        // One transaction of this level sees one version; a defect if it ever did not.
        onNone: () => Effect.die(new Error("a transaction saw two versions of the catalogue")),
        onSome: Effect.succeed
      })
    )
  )
})
