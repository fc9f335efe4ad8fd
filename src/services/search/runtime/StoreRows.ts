/** How stores without their items come from the database. */
import { Schema } from "effect"
import { byField, recorded } from "../../../domain/catalog/Figures.ts"
import { movers } from "../../../domain/catalog/Movers.ts"
import type { Mover } from "../../../domain/catalog/Movers.ts"
import { rowsOf } from "../../database/Rows.ts"
import type { IndexedStore } from "../index/IndexedRecords.ts"

// Every change has a field.
const changes = Object.fromEntries(movers.map((mover) => [mover, Schema.NullOr(Schema.Finite)])) as Readonly<
  Record<Mover, Schema.NullOr<Schema.Finite>>
>

/** A field of StoreRecord that is missing here does not compile. */
const fields = {
  id: Schema.Int,
  name: Schema.String,
  domain: Schema.String,
  extension: Schema.String,
  country: Schema.String,
  currency: Schema.NullOr(Schema.String),
  niche_id: Schema.NullOr(Schema.Int),
  languages: Schema.Array(Schema.String),
  pixels: Schema.Array(Schema.String),
  social_networks: Schema.Array(Schema.String),
  apps: Schema.Array(Schema.String),
  theme: Schema.NullOr(Schema.String),
  created_day: Schema.NullOr(Schema.Int),
  ...byField(() => Schema.NullOr(Schema.Finite)),
  visits: Schema.Array(Schema.Int),
  changes: Schema.NullOr(Schema.Struct(changes))
} satisfies Readonly<Record<keyof IndexedStore, Schema.Top>>

/** With the number of its items. */
const StoreRow = Schema.Struct({ ...fields, items: Schema.Int })
export type StoreRow = typeof StoreRow.Type

export const columns = `
  s.id, s.name, s.domain, s.domain_extension AS extension, s.country, s.currency, s.niche_id, s.languages, s.pixels,
  s.social_networks, s.apps, s.theme, s.created_on - date '1970-01-01' AS created_day,
  ${recorded.map(({ field }) => `s.${field}`).join(", ")},
  ARRAY(SELECT t.visits FROM traffic_month t WHERE t.shop_id = s.id ORDER BY t.month) AS visits,
  (SELECT to_json(m) FROM mover m WHERE m.shop_id = s.id) AS changes`

export const itemCounts = `
  (SELECT count(*) FROM product p WHERE p.shop_id = s.id)::int
    + (SELECT count(*) FROM ad a WHERE a.shop_id = s.id)::int AS items`

/** Of `columns`. */
export const decodeRecords = rowsOf(Schema.Struct(fields))
/** Of `columns` and `itemCounts`. */
export const decodeStores = rowsOf(StoreRow)
