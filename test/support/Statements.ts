/** The SQL statements of an effect, in order. */
import { Effect } from "effect"
import { Statement } from "effect/sql"

export const recorded = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly answer: A; readonly statements: ReadonlyArray<string> }, E, R> =>
  Effect.suspend(() => {
    const statements: Array<string> = []
    return effect.pipe(
      Effect.provideService(Statement.CurrentTransformer, (statement) =>
        Effect.sync(() => {
          statements.push(statement.compile()[0])
          return statement
        })
      ),
      Effect.map((answer) => ({ answer, statements }))
    )
  })
