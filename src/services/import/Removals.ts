/** Records that leave the catalog. All of it is a part of a transaction between `begin` and `commit` of CatalogVersion. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { sqlPseudoStoreOf } from "../../domain/catalog/StorelessAds.ts"
import type { Touched } from "./CatalogVersion.ts"

type Ids = ReadonlyArray<number>
type Removal = Effect.fn.Return<Touched, SqlError.SqlError>

interface Removed {
  readonly shop_id: number
}

const itemsOf = (rows: ReadonlyArray<Removed>): Touched => ({
  items: rows.map(({ shop_id }) => shop_id),
  figures: [],
  niches: false
})

/** Stores, with all that belongs to them. */
export const removeShops = Effect.fn("Removals.removeShops")(function* (sql: SqlClient.SqlClient, ids: Ids): Removal {
  return itemsOf(yield* sql<Removed>`DELETE FROM shop WHERE id = ANY(${ids}::int[]) RETURNING id AS shop_id`)
})

export const removeProducts = Effect.fn("Removals.removeProducts")(function* (
  sql: SqlClient.SqlClient,
  ids: Ids
): Removal {
  return itemsOf(yield* sql<Removed>`DELETE FROM product WHERE id = ANY(${ids}::int[]) RETURNING shop_id`)
})

export const removeAds = Effect.fn("Removals.removeAds")(function* (sql: SqlClient.SqlClient, ids: Ids): Removal {
  return itemsOf(
    yield* sql<Removed>`
      DELETE FROM ad WHERE id = ANY(${ids}::int[])
      RETURNING coalesce(shop_id, ${sql.literal(sqlPseudoStoreOf("id"))}) AS shop_id`
  )
})
