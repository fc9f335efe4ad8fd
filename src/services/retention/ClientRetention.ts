/**
 * A bound on registrations without consent. Anyone can register, and must not fill the disk with it (R45, R46) or keep
 * others from registering. Where there are too many, the network that has most loses its oldest.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"
import { rowOf } from "../database/Rows.ts"

export const maxUnused = 20_000
/** So many that all are looked at for one registration in a hundred. */
const deletedAtOnce = 100
/** Servers that counted at the same moment go over the limit by a few, and come back so. */
const maxCounted = maxUnused + 1_000

const decodeCount = rowOf(Schema.Struct({ count: Schema.Int }))

/**
 * Makes room for one more, if there is none. Each registration ranks by how many newer ones its address has made, and by how
 * many its /48 of IPv6 has made for each of the addresses that one counts for (ClientNetwork). The highest ranks go, and among
 * equals the oldest: so an address keeps what it has as long as another has more.
 */
export const makeRoom = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { count } = yield* decodeCount(
    yield* sql`
      SELECT count(*)::integer AS count
      FROM (SELECT FROM oauth_client WHERE granted_at IS NULL LIMIT ${maxCounted}) unused`
  )
  if (count < maxUnused) return
  // One that is being approved just now is locked, and stays.
  yield* sql`
    WITH ranked AS (
      SELECT id, created_at, greatest(
        row_number() OVER (PARTITION BY address_hash ORDER BY created_at DESC),
        CASE WHEN site_hash IS NOT NULL THEN
          ceil(row_number() OVER (PARTITION BY site_hash ORDER BY created_at DESC) / ${ClientNetwork.siteTimes}::numeric)
        END
      ) AS rank
      FROM oauth_client WHERE granted_at IS NULL
    ), excess AS (
      SELECT id FROM oauth_client WHERE granted_at IS NULL AND id IN (
        SELECT id FROM ranked ORDER BY rank DESC, created_at, id LIMIT ${count - maxUnused + deletedAtOnce}
      ) FOR UPDATE SKIP LOCKED
    )
    DELETE FROM oauth_client c USING excess WHERE c.id = excess.id`
}).pipe(Effect.withSpan("ClientRetention.makeRoom"))
