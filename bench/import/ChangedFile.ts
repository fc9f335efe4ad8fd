/** Records of stores that are there, as a delivery brings them in which something of each product and ad has changed. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as fs from "node:fs/promises"

const storesAtOnce = 1_000

/** Of one store in `share`. Gives the number of records. */
export const write = Effect.fnUntraced(function* (
  file: string,
  share: number
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const stores = (yield* sql<{ id: number }>`SELECT id FROM shop WHERE id % ${share} = 0 ORDER BY id`).map(
    ({ id }) => id
  )
  yield* Effect.promise(() => fs.rm(file, { force: true }))
  let records = 0
  const append = (rows: ReadonlyArray<{ readonly line: string }>) => {
    records += rows.length
    return Effect.promise(() => fs.appendFile(file, rows.map(({ line }) => `${line}\n`).join("")))
  }
  const parts = Array.from({ length: Math.ceil(stores.length / storesAtOnce) }, (_, part) =>
    stores.slice(part * storesAtOnce, (part + 1) * storesAtOnce)
  )
  for (const part of parts) {
    yield* append(
      yield* sql<{ line: string }>`
      SELECT json_build_object('type', 'product', 'shop', s.domain, 'key', p.key, 'title', p.title, 'url', p.url,
        'image_url', p.image_url, 'price', p.price + 1,
        'created_at', to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))::text AS line
      FROM product p JOIN shop s ON s.id = p.shop_id WHERE p.shop_id = ANY(${part}::int[])`
    )
  }
  for (const part of parts) {
    yield* append(
      yield* sql<{ line: string }>`
      SELECT json_build_object('type', 'ad', 'key', a.key, 'shop', s.domain, 'ad_archive_id', a.ad_archive_id,
        'page_name', a.page_name, 'status', CASE WHEN a.is_active THEN 'active' ELSE 'inactive' END,
        'media_type', a.media_type, 'headline', concat(a.headline, ' again'), 'ad_text', a.ad_text, 'cta', a.cta,
        'landing_url', a.landing_url, 'image_url', a.image_url, 'ad_library_url', a.ad_library_url,
        'started_on', a.started_on, 'last_seen_on', a.last_seen_on, 'is_partnership', a.is_partnership)::text AS line
      FROM ad a JOIN shop s ON s.id = a.shop_id WHERE a.shop_id = ANY(${part}::int[])`
    )
  }
  return records
})
