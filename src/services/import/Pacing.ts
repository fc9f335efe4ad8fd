/**
 * Leaves room for calls while an import runs (D108). As long as servers answer calls, it pauses after each batch, for a share of the
 * time that the batch took: so it takes less than 1.5 times as long, and no longer while nobody calls.
 *
 * Servers are other processes, often on other machines. Each writes its calls to the activity log every second and counts these
 * batches in `activity_writer` (D53): a sum that has changed since the last look says that calls were answered. No clocks are
 * compared, and a server that has died counts no more.
 */
import { Context, Effect, Schema } from "effect"
import type { Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { rowOf } from "../database/Rows.ts"

/** Of the time that a batch took. The searches themselves take some of the half that is allowed. */
export const pauseShare = 0.35

/** If it looked as often as servers write, or more often, calls would seem to have stopped in between. */
export const lookEvery = "2 seconds"

export interface Pacing {
  /** Notes whether calls were answered since it looked last. While it cannot, there are no pauses. */
  readonly look: Effect.Effect<void>
  /** Pauses after work that took so many milliseconds. */
  readonly pauseAfter: (millis: number) => Effect.Effect<void>
}

const decodeBatches = rowOf(Schema.Struct({ batches: Schema.String }))

export const make = (sql: SqlClient.SqlClient): Pacing => {
  let before: string | undefined
  let areCalls = false
  const note = (now: string | undefined) =>
    Effect.sync(() => {
      areCalls = before !== undefined && now !== undefined && now !== before
      before = now
    })
  return {
    look: decodeBatches(sql`SELECT coalesce(sum(batch), 0)::text AS batches FROM activity_writer`).pipe(
      Effect.flatMap(({ batches }) => note(batches)),
      Effect.catchCause((cause) =>
        Effect.andThen(note(undefined), Effect.logDebug("The import does not know whether calls are answered", cause))
      )
    ),
    pauseAfter: (millis) => Effect.suspend(() => (areCalls ? Effect.sleep(pauseShare * millis) : Effect.void))
  }
}

export const none: Pacing = { look: Effect.void, pauseAfter: () => Effect.void }

/** How an import begins to look for calls, until its scope ends. On connections of its own, not within the import's transaction. */
export const Pacer = Context.Reference<(sql: SqlClient.SqlClient) => Effect.Effect<Pacing, never, Scope.Scope>>(
  "discovery/import/Pacer",
  {
    defaultValue: () => (sql) =>
      Effect.gen(function* () {
        const pacing = make(sql)
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(pacing.look, Effect.sleep(lookEvery))))
        return pacing
      })
  }
)
