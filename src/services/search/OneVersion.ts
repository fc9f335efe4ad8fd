/**
 * Answers of one state of the catalogue. An attempt resolves names by a snapshot and tells whether its statements saw the
 * same version; when they did not, an import was committed in between and it starts over; a catalogue that never rests is
 * read in one REPEATABLE READ transaction.
 */
import { Effect, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { InvalidArguments } from "../../domain/ToolError.ts"
import type { ArgumentIssue } from "../../domain/ToolError.ts"
import type { Catalogue, Snapshot } from "./Catalogue.ts"
import type { Names } from "./Names.ts"
import * as StorePredicate from "./StorePredicate.ts"

/** More would only wait for a catalogue that changes faster than it is searched. */
const optimisticAttempts = 2

export interface Attempt<Request, A> {
  readonly resolve: (names: Names) => Result.Result<Request, ReadonlyArray<ArgumentIssue>>
  /**
   * None when another version was seen on the way. What is known without looking at the catalogue is right only
   * `ifCurrent`.
   */
  readonly answer: (
    request: Request,
    snapshot: Snapshot,
    ifCurrent: (answer: A) => Effect.Effect<Option.Option<A>, SqlError.SqlError>
  ) => Effect.Effect<Option.Option<A>, SqlError.SqlError>
}

export const ofOneVersion = Effect.fnUntraced(function* <Request, A>(
  sql: SqlClient.SqlClient,
  catalogue: Catalogue["Service"],
  { answer, resolve }: Attempt<Request, A>
): Effect.fn.Return<A, InvalidArguments | SqlError.SqlError> {
  const attempt = Effect.fnUntraced(function* (
    snapshot: Snapshot
  ): Effect.fn.Return<Option.Option<A>, InvalidArguments | SqlError.SqlError> {
    const isCurrent = Effect.map(catalogue.latest, ({ version }) => version === snapshot.version)
    const resolved = resolve(snapshot.names)
    if (Result.isSuccess(resolved)) {
      return yield* answer(resolved.success, snapshot, (known) =>
        Effect.map(isCurrent, (is) => (is ? Option.some(known) : Option.none()))
      )
    }
    // An import may have brought the name since.
    if (!(yield* isCurrent)) return Option.none()
    return yield* InvalidArguments.fromIssues(resolved.failure, StorePredicate.hint(resolved.failure))
  })

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
