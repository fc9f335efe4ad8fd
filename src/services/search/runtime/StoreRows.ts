/** How stores without their items come from the database. */
import { Schema } from "effect"
import { rowsOf } from "../../database/Rows.ts"

/** The fields of StoreRecord (index/Records.ts). */
const StoreRecordRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  domain: Schema.String,
  extension: Schema.String,
  country: Schema.String,
  currency: Schema.NullOr(Schema.String),
  nicheId: Schema.NullOr(Schema.Int),
  languages: Schema.Array(Schema.String),
  pixels: Schema.Array(Schema.String),
  socialNetworks: Schema.Array(Schema.String),
  apps: Schema.Array(Schema.String),
  theme: Schema.NullOr(Schema.String),
  createdDay: Schema.NullOr(Schema.Int),
  monthlyRevenue: Schema.NullOr(Schema.Finite),
  monthlyOrders: Schema.NullOr(Schema.Int),
  productsCount: Schema.NullOr(Schema.Int),
  trustpilotRating: Schema.NullOr(Schema.Finite),
  trustpilotReviews: Schema.NullOr(Schema.Int),
  visits: Schema.Array(Schema.Int)
})

/** With the number of its items. */
const StoreRow = Schema.Struct({ ...StoreRecordRow.fields, items: Schema.Int })
export type StoreRow = typeof StoreRow.Type

export const columns = `
  s.id, s.name, s.domain, s.domain_extension AS extension, s.country, s.currency, s.niche_id AS "nicheId",
  s.languages, s.pixels, s.social_networks AS "socialNetworks", s.apps, s.theme,
  s.created_on - date '1970-01-01' AS "createdDay", s.monthly_revenue AS "monthlyRevenue",
  s.monthly_orders AS "monthlyOrders", s.products_count AS "productsCount",
  s.trustpilot_rating AS "trustpilotRating", s.trustpilot_reviews AS "trustpilotReviews",
  ARRAY(SELECT t.visits FROM traffic_month t WHERE t.shop_id = s.id ORDER BY t.month) AS visits`

export const itemCounts = `
  (SELECT count(*) FROM product p WHERE p.shop_id = s.id)::int
    + (SELECT count(*) FROM ad a WHERE a.shop_id = s.id)::int AS items`

/** Of `columns`. */
export const decodeRecords = rowsOf(StoreRecordRow)
/** Of `columns` and `itemCounts`. */
export const decodeStores = rowsOf(StoreRow)
