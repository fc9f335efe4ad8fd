/**
 * How many registrations that nobody ever let in are kept, whoever made them: strangers can register for nothing, and must
 * not fill the disk with it (oauth.md 45, 46).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import { rowOf } from "../access/Rows.ts"

export const maxUnused = 20_000
/** However many there are: the person who adds the app is still about to sign in and decide. */
export const untouchedMillis = 3_600_000
/** More than one for each that comes: servers that counted at the same moment go over the limit, and come back so. */
const deletedAtOnce = 10
const retryAfterSeconds = 600

const decodeCount = rowOf(Schema.Struct({ count: Schema.Int }))

/** Makes room for one more: the oldest go. Fails when all of them are too young for that. `now` in milliseconds since 1970. */
export const makeRoom = Effect.fn("UnusedClients.makeRoom")(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const { count } = yield* decodeCount(
    yield* sql`
      SELECT count(*)::integer AS count
      FROM (SELECT FROM oauth_client WHERE granted_at IS NULL LIMIT ${maxUnused}) unused`
  )
  if (count < maxUnused) return
  // One that is being let in just now is locked, and stays.
  const deleted = yield* sql`
    WITH oldest AS (
      SELECT id FROM oauth_client WHERE granted_at IS NULL AND created_at <= ${new Date(now - untouchedMillis)}
      ORDER BY created_at LIMIT ${deletedAtOnce} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM oauth_client c USING oldest WHERE c.id = oldest.id RETURNING c.id`
  if (deleted.length === 0) {
    return yield* new TooManyRequests({
      message: "Too many apps have registered in a short time. Try again later.",
      retryAfterSeconds
    })
  }
})
