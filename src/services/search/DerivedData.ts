/** What searches read, kept in step with the records that imports write. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Database from "../database/Database.ts"
import * as Derivation from "./Derivation.ts"
import type { Changes, Progress, Touched } from "./Derivation.ts"
import * as Housekeeping from "./Housekeeping.ts"

export class DerivedData extends Context.Service<
  DerivedData,
  {
    /**
     * First step of the transaction of every batch: imports take turns, so that two of them neither deadlock nor see
     * half of each other.
     */
    readonly lock: Effect.Effect<void, SqlError.SqlError>
    /**
     * Last step of the same transaction, after the records are written: what searches see moves together with the
     * records, or not at all. Unchanged rows are not written, and without a change the catalogue's version stays.
     */
    refresh(touched: Touched): Effect.Effect<Changes, SqlError.SqlError>
    /**
     * Everything, in a transaction of its own (or the caller's): after a first load that wrote records without
     * `refresh`, or after a change of the rules. On an empty catalogue indexes are built last, which is several times
     * faster; otherwise rows are replaced in place, and searches go on meanwhile.
     */
    rebuild(progress?: Progress): Effect.Effect<Changes, SqlError.SqlError>
    /**
     * After an import or a rebuild, outside of any transaction: what `writtenRows` rows leave to be done so that searches
     * are as fast as before. What they find does not depend on it.
     */
    settle(writtenRows: number): Effect.Effect<void>
    /** Derives everything anew, compares and rolls back: `Changes` that are all 0 prove that nothing is out of step. */
    readonly verify: Effect.Effect<Changes, SqlError.SqlError>
  }
>()("discovery/search/DerivedData") {
  static readonly layer: Layer.Layer<DerivedData, never, SqlClient.SqlClient> = Layer.effect(
    DerivedData,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const inTransaction = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        sql.withTransaction(Effect.provideService(effect, SqlClient.SqlClient, sql))
      const lock = Effect.asVoid(sql`SELECT pg_advisory_xact_lock(${lockId})`)

      const rebuild = Effect.fn("DerivedData.rebuild")((progress: Progress = () => Effect.void) =>
        inTransaction(
          Effect.gen(function* () {
            yield* longLimits
            yield* lock
            const changes = yield* Derivation.everything(progress)
            yield* sql`ANALYZE catalogue, spelling, shop_search, shop_products, shop_ads, product_search, ad_search`
            return changes
          })
        )
      )

      const verify = inTransaction(
        Effect.gen(function* () {
          yield* longLimits
          yield* lock
          const changes = yield* Derivation.everything(() => Effect.void)
          return yield* new RolledBack({ changes })
        })
      ).pipe(
        Effect.catchTag("RolledBack", ({ changes }) => Effect.succeed(changes)),
        Effect.withSpan("DerivedData.verify")
      )

      return DerivedData.of({
        lock,
        refresh: Effect.fn("DerivedData.refresh")((touched: Touched) => inTransaction(Derivation.touched(touched))),
        rebuild,
        settle: (writtenRows) => Housekeeping.settle(sql, writtenRows),
        verify
      })
    })
  )
}

/** Any number, as long as it is always the same and no other lock's: Migrations.ts has another. */
const lockId = 7_236_203

const longLimits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Database.longLimits
  yield* sql`SET LOCAL maintenance_work_mem = '256MB'`
})

/** Failing is how a transaction is rolled back. */
class RolledBack extends Schema.TaggedError<RolledBack>()("RolledBack", { changes: Derivation.Changes }) {}
