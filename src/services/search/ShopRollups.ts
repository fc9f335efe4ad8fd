/**
 * What is known of a store's items as a whole: their prices, the keys of its ads, the score of its best product. With it
 * items are counted, and ranked stores found, without looking at items. Derived from the items' own derived rows.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as AdKey from "./AdKey.ts"
import { countOf, upsert } from "./ShopRows.ts"
import type { Counted } from "./ShopRows.ts"

const upsertProducts = upsert(
  "shop_products",
  ["id", "best_score", "prices"],
  `SELECT i.shop_id AS id, max(i.score) AS best_score, array_agg(i.price ORDER BY i.price) AS prices
   FROM product_search i WHERE i.shop_id = ANY($1::int[]) GROUP BY i.shop_id`
)

const upsertAds = upsert(
  "shop_ads",
  ["id", ...AdKey.columns],
  `SELECT i.shop_id AS id,
     ${AdKey.columns.map((column) => `array_agg(${AdKey.sqlKey(column)} ORDER BY ${AdKey.sqlKey(column)}) AS ${column}`).join(", ")}
   FROM ad_search i WHERE i.shop_id = ANY($1::int[]) GROUP BY i.shop_id`
)

/** Only stores with items have rows. */
const deleteEmpty = (table: string, items: string): string => `
  WITH gone AS (
    DELETE FROM ${table} o
    WHERE o.id = ANY($1::int[]) AND NOT EXISTS (SELECT FROM ${items} i WHERE i.shop_id = o.id)
    RETURNING 1
  )
  SELECT count(*)::int AS count FROM gone`

const statements: ReadonlyArray<string> = [
  upsertProducts,
  upsertAds,
  deleteEmpty("shop_products", "product_search"),
  deleteEmpty("shop_ads", "ad_search")
]

/** Makes them say what the derived rows of the items say; id 0 stands for the ads without a store. How many changed. */
export const derive = Effect.fnUntraced(function* (
  shopIds: ReadonlyArray<number>
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  let changed = 0
  for (const statement of statements) changed += countOf(yield* sql.unsafe<Counted>(statement, [shopIds]))
  return changed
})
