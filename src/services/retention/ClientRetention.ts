/**
 * A bound on registrations without consent. Anyone can register, but must not fill the disk (R45, R46) or keep others from
 * registering. When there are too many, the network with the most loses its oldest.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"
import { countOf } from "../database/Rows.ts"

export const maxUnused = 20_000
/** Enough that only one registration in a hundred has to rank all of them. */
const deletedAtOnce = 100
/** Servers that count at the same time exceed the limit by a few. This margin lets them get back below it. */
const maxCounted = maxUnused + 1_000

/**
 * Makes room for one registration if there is none. Each registration is ranked by the number of newer ones from its
 * address, and from its IPv6 /48 in proportion to the wider allowance (ClientNetwork). The highest ranks are deleted,
 * among equals the oldest. So no address loses a registration while another has more.
 */
export const makeRoom = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const count = yield* sql`
      SELECT count(*)::integer AS count
      FROM (SELECT FROM oauth_client WHERE granted_at IS NULL LIMIT ${maxCounted}) unused`.pipe(countOf)
  if (count < maxUnused) return
  // Skips registrations that a consent in progress has locked.
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
