/**
 * Deletes what can be of no more use: tokens, codes and grants that are over, what is remembered of those that ended long
 * ago, registrations that nobody ever approved or has used for as long, and keys that no token was made with (R46). In the background, a bounded number at a time; any number of servers may do so
 * at once. Nothing depends on it but the size of the tables: what is over is refused by its time.
 */
import { Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import { rowsOf } from "../database/Rows.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import * as GrantRows from "../oauth/GrantRows.ts"

const sweepEvery = "10 minutes"
const batch = 1_000
/** Of each kind in one sweep. */
const maxBatches = 20

const dayMillis = 86_400_000
/** Longer than clocks differ; and a used code is known for a day as one that was used. */
const graceMillis = dayMillis
/** Late, because apps go on sending an id that they were given once, and do not register again (R46). */
export const unusedClientMillis = 90 * dayMillis
/** For who reads the ledger of a year ago. An app whose last connection ended before that is as good as never approved. */
export const rememberedMillis = 400 * dayMillis

export interface Swept {
  readonly tokens: number
  readonly codes: number
  readonly grants: number
  /** What was remembered of grants that had ended. */
  readonly remembered: number
  readonly clients: number
  readonly keys: number
}

const nothing: Swept = { tokens: 0, codes: 0, grants: 0, remembered: 0, clients: 0, keys: 0 }

const decodeIds = rowsOf(Schema.Struct({ id: Schema.Int }))

export class GrantRetention extends Context.Service<
  GrantRetention,
  {
    /** How many rows it deleted, without those that went with their grant: none while the clocks disagree (DatabaseClock). */
    readonly sweep: Effect.Effect<Swept, SqlError.SqlError>
  }
>()("discovery/retention/GrantRetention") {
  static readonly layer = Layer.effect(
    GrantRetention,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Runs a statement that deletes at most a batch until it finds less. */
      const repeat = Effect.fnUntraced(function* (once: Effect.Effect<number, SqlError.SqlError>) {
        let total = 0
        for (let round = 0; round < maxBatches; round++) {
          const deleted = yield* once
          total += deleted
          if (deleted < batch) break
        }
        return total
      })

      /** Rows that another server is deleting or using just now are left to it, or to the next time. */
      const remove = (table: string, key: string, which: Statement.Fragment) =>
        repeat(
          Effect.map(
            sql`
              WITH due AS (
                SELECT ${sql(key)} AS key FROM ${sql(table)} WHERE ${which} LIMIT ${batch} FOR UPDATE SKIP LOCKED
              ), deleted AS (
                DELETE FROM ${sql(table)} t USING due WHERE t.${sql(key)} = due.key RETURNING 1
              )
              SELECT 1 FROM deleted`,
            (rows) => rows.length
          )
        )

      const endGrants = Effect.fnUntraced(
        function* (now: number) {
          const over = new Date(now - graceMillis)
          const rows =
            yield* sql`SELECT id FROM oauth_grant WHERE usable_until <= ${over} ORDER BY usable_until LIMIT ${batch}`
          const ids = (yield* decodeIds(rows)).map(({ id }) => id)
          if (ids.length === 0) return 0
          // A grant that is refreshed in the meantime, by a server whose clock is behind, is not over any more.
          const which = sql`g.id = ANY(${ids}::integer[]) AND g.usable_until <= ${over}`
          return yield* GrantRows.end(which, "expired", new Date(now))
        },
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      const sweepUntil = Effect.fnUntraced(function* (now: number): Effect.fn.Return<Swept, SqlError.SqlError> {
        const over = new Date(now - graceMillis)
        const access = yield* remove("oauth_access_token", "hash", sql`expires_at <= ${over}`)
        const refresh = yield* remove("oauth_refresh_token", "hash", sql`expires_at <= ${over}`)
        const codes = yield* remove("oauth_code", "hash", sql`expires_at <= ${over}`)
        const grants = yield* repeat(endGrants(now))
        const longAgo = new Date(now - rememberedMillis)
        const remembered = yield* remove("oauth_ended_grant", "id", sql`ended_at <= ${longAgo}`)
        const unused = yield* remove(
          "oauth_client",
          "id",
          sql`granted_at IS NULL AND created_at <= ${new Date(now - unusedClientMillis)}`
        )
        const left = yield* remove(
          "oauth_client",
          "id",
          sql`granted_at <= ${longAgo}
            AND NOT EXISTS (SELECT FROM oauth_grant g WHERE g.registered_id = oauth_client.id)
            AND NOT EXISTS (SELECT FROM oauth_ended_grant e WHERE e.client_id = oauth_client.id)`
        )
        const keys = yield* remove(
          "server_key",
          "id",
          // Of its successor's age: until a while after that was made, some server goes on using this one.
          sql`(SELECT n.created_at FROM server_key n WHERE n.id > server_key.id ORDER BY n.id LIMIT 1) <= ${over}
            AND NOT EXISTS (SELECT FROM oauth_refresh_token r WHERE r.key_id = server_key.id)`
        )
        return { tokens: access + refresh, codes, grants, remembered, clients: unused + left, keys }
      })

      const sweep = DatabaseClock.deleting(sweepUntil).pipe(
        Effect.map(Option.getOrElse(() => nothing)),
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.withSpan("GrantRetention.sweep")
      )

      yield* sweep.pipe(
        Effect.catch((error) => Effect.logWarning("Expired connections could not be deleted", error)),
        Effect.schedule(Schedule.jittered(Schedule.spaced(sweepEvery))),
        Effect.forkScoped
      )
      return GrantRetention.of({ sweep })
    })
  )
}
