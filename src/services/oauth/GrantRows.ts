/**
 * SQL statements of Grants. A decision about a grant locks its row first and reads its codes and tokens later. So of
 * two concurrent requests, on any server, the second sees all changes of the first (READ COMMITTED).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AccountId } from "../../domain/access/Account.ts"
import type * as Grant from "../../domain/oauth/Grant.ts"
import { firstOf, rowsOf } from "../database/Rows.ts"
import * as Metrics from "../metrics/Metrics.ts"

const LockedGrant = Schema.Struct({
  id: Schema.Int,
  accountId: AccountId,
  clientId: Schema.String,
  resource: Schema.String,
  endsAt: Schema.Date
})
export type LockedGrant = typeof LockedGrant.Type

const decodeGrant = firstOf(LockedGrant)
const decodeOwners = rowsOf(Schema.Struct({ accountId: AccountId }))
const decodeCode = firstOf(
  Schema.Struct({
    redirectUri: Schema.String,
    challenge: Schema.String,
    expiresAt: Schema.Date,
    used: Schema.Boolean
  })
)
const decodeRefreshToken = firstOf(
  Schema.Struct({
    expiresAt: Schema.Date,
    supersededAt: Schema.NullOr(Schema.Date),
    successorUsed: Schema.Boolean,
    keyId: Schema.NullOr(Schema.Int)
  })
)

/** Ended grants that are kept for one account: more than years of normal use. */
export const maxRemembered = 2_000

/** Locks the grant whose id `grantId` selects. */
const lock = Effect.fnUntraced(function* (grantId: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT id, account_id AS "accountId", client_id AS "clientId", resource, ends_at AS "endsAt"
    FROM oauth_grant WHERE id = (${grantId}) FOR NO KEY UPDATE`.pipe(decodeGrant)
})

export const lockCode = Effect.fnUntraced(function* (hash: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  const grant = yield* lock(sql`SELECT grant_id FROM oauth_code WHERE hash = ${hash}`)
  const row = yield* sql`
      SELECT redirect_uri AS "redirectUri", challenge, expires_at AS "expiresAt", used_at IS NOT NULL AS used
      FROM oauth_code WHERE hash = ${hash}`.pipe(decodeCode)
  if (grant === undefined || row === undefined) return undefined
  const { clientId, resource } = grant
  const code: Grant.Code = { ...row, clientId, resource, expiresAt: row.expiresAt.getTime() }
  return { grant, code }
})

/** `keyId` is that of the key from which its successor was derived. */
export const lockRefreshToken = Effect.fnUntraced(function* (hash: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  const grant = yield* lock(sql`SELECT grant_id FROM oauth_refresh_token WHERE hash = ${hash}`)
  const row = yield* sql`
      SELECT t.expires_at AS "expiresAt", t.superseded_at AS "supersededAt", t.key_id AS "keyId",
        EXISTS (SELECT FROM oauth_refresh_token s WHERE s.hash = t.successor AND s.superseded_at IS NOT NULL)
          AS "successorUsed"
      FROM oauth_refresh_token t WHERE t.hash = ${hash}`.pipe(decodeRefreshToken)
  if (grant === undefined || row === undefined) return undefined
  const { clientId, resource } = grant
  const token: Grant.RefreshToken = {
    clientId,
    resource,
    expiresAt: row.expiresAt.getTime(),
    grantEndsAt: grant.endsAt.getTime(),
    supersededAt: row.supersededAt?.getTime(),
    successorUsed: row.successorUsed
  }
  return { grant, token, keyId: row.keyId ?? undefined }
})

/** Inserts the hashes of a pair of tokens. The grant is usable until its refresh token expires. */
export const insertTokens = Effect.fnUntraced(function* (
  { accountId, id, resource }: LockedGrant,
  access: { readonly hash: Uint8Array; readonly expiresAt: Date },
  refresh: { readonly hash: Uint8Array; readonly issuedAt: Date; readonly expiresAt: Date }
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO oauth_access_token (hash, grant_id, account_id, resource, expires_at)
    VALUES (${access.hash}, ${id}, ${accountId}, ${resource}, ${access.expiresAt})`
  yield* sql`
    INSERT INTO oauth_refresh_token (hash, grant_id, issued_at, expires_at)
    VALUES (${refresh.hash}, ${id}, ${refresh.issuedAt}, ${refresh.expiresAt})`
  yield* sql`
    UPDATE oauth_grant SET usable_until = ${refresh.expiresAt}, connected_at = coalesce(connected_at, ${refresh.issuedAt})
    WHERE id = ${id}`
})

/**
 * Ends the grants that match `which`, a condition on the table `g`, and deletes their codes and tokens. Grants that were
 * in use are kept in `oauth_ended_grant` to explain old ledger entries, the newest {@link maxRemembered} of each account.
 * Returns the number of ended grants.
 */
export const end = Effect.fnUntraced(function* (which: Statement.Fragment, reason: Grant.EndReason, at: Date) {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* sql`
    WITH ended AS (
      DELETE FROM oauth_grant g WHERE ${which} RETURNING g.*
    ), remembered AS (
      INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, publisher, approved_at, connected_at,
        last_used_at, ended_at, reason)
      SELECT id, account_id, client_id, client_name, publisher, approved_at, connected_at, last_used_at, ${at}, ${reason}
      FROM ended WHERE connected_at IS NOT NULL
    )
    SELECT account_id AS "accountId" FROM ended`.pipe(decodeOwners)
  const accounts = [...new Set(ended.map(({ accountId }) => accountId))]
  if (accounts.length > 0) {
    yield* sql`
      DELETE FROM oauth_ended_grant e USING (
        SELECT o.id FROM unnest(${accounts}::integer[]) a (id) CROSS JOIN LATERAL (
          SELECT id FROM oauth_ended_grant WHERE account_id = a.id
          ORDER BY ended_at DESC, id DESC OFFSET ${maxRemembered}
        ) o
      ) old WHERE e.id = old.id`
  }
  yield* Metrics.connectionsEnded.add({ reason }, ended.length)
  return ended.length
})
