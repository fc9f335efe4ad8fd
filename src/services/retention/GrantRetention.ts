/**
 * Deletes expired tokens, codes and grants, old ended grants, registrations that were never approved or are unused for
 * long, and keys without tokens (R46). It runs in the background in bounded batches, on any number of servers at once.
 * Only the size of the tables depends on it: expired rows are refused by their time.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import { dayMillis } from "../../domain/Days.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import { deleteUnlocked, idsOf, inBatches } from "../database/Rows.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import * as GrantRows from "../oauth/GrantRows.ts"

const sweepEvery = "10 minutes"
const batch = 1_000
/** Of each kind, in one sweep. */
const maxBatches = 20

/** More than clocks differ. Also, a used code is recognized as used for a day. */
const graceMillis = dayMillis
/** Long, because apps keep sending an id that they were issued once and do not register again (R46). */
export const unusedClientMillis = 90 * dayMillis
/** To explain ledger entries of the last year. An app whose last connection ended before counts as never approved. */
export const rememberedMillis = 400 * dayMillis

/** The deleted rows of each kind, without those that cascade from a grant. */
interface Swept {
  readonly tokens: number
  readonly codes: number
  readonly grants: number
  /** Ended grants that were kept for the ledger. */
  readonly remembered: number
  readonly clients: number
  readonly keys: number
}

const nothing: Swept = { tokens: 0, codes: 0, grants: 0, remembered: 0, clients: 0, keys: 0 }

const repeat = inBatches(batch, maxBatches)

const remove = Effect.fnUntraced(function* (table: string, key: string, which: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return yield* repeat(deleteUnlocked(sql, table, key)(sql`${which} LIMIT ${batch}`))
})

const endGrants = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const over = new Date(now - graceMillis)
  const ids = yield* sql`
    SELECT id FROM oauth_grant WHERE usable_until <= ${over} ORDER BY usable_until LIMIT ${batch}`.pipe(idsOf)
  if (ids.length === 0) return 0
  // Checked again: a server whose clock is behind may have refreshed the grant meanwhile.
  return yield* GrantRows.end(
    sql`g.id = ANY(${ids}::integer[]) AND g.usable_until <= ${over}`,
    "expired",
    new Date(now)
  )
})

const sweepUntil = Effect.fnUntraced(function* (
  now: number
): Effect.fn.Return<Swept, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
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
    // By the age of its successor: some server may use this key for a while after the successor was created.
    sql`(SELECT n.created_at FROM server_key n WHERE n.id > server_key.id ORDER BY n.id LIMIT 1) <= ${over}
      AND NOT EXISTS (SELECT FROM oauth_refresh_token r WHERE r.key_id = server_key.id)`
  )
  return { tokens: access + refresh, codes, grants, remembered, clients: unused + left, keys }
})

/** {@link nothing} while the clocks disagree (DatabaseClock). */
export const sweep = DatabaseClock.deleting(sweepUntil, nothing).pipe(Effect.withSpan("GrantRetention.sweep"))

export const layer = Layer.effectDiscard(
  sweep.pipe(BackgroundJob.repeat(sweepEvery, "Expired connections could not be deleted"))
)
