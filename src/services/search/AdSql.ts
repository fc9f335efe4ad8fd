/** SQL that reads ads by id, with the fields of an answer. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import { ctas, mediaTypes } from "../../domain/catalog/Enumerations.ts"
import { rowsOf } from "../database/Rows.ts"
import type { SegmentList } from "./index/Segment.ts"
import { figuresOf } from "./ShopFigures.ts"

const Text = Schema.NullOr(Schema.String)
const AdRow = Schema.Struct({
  version: Schema.Int,
  id: Schema.Int,
  ad_archive_id: Text,
  page_name: Schema.String,
  is_active: Schema.Boolean,
  media_type: Schema.Literals(mediaTypes),
  headline: Text,
  ad_text: Text,
  cta: Text,
  landing_url: Text,
  image_url: Text,
  ad_library_url: Text,
  started_on: Schema.String,
  last_seen_on: Schema.String,
  is_partnership: Schema.Boolean,
  /** These four are `null` together if the store is unknown. */
  shop_id: Schema.NullOr(Schema.Int),
  name: Text,
  domain: Text,
  country: Text
})
type AdRow = typeof AdRow.Type
const decodeAds = rowsOf(AdRow)

export const read = (sql: SqlClient.SqlClient) => (ids: ReadonlyArray<number>) =>
  sql`
      SELECT greatest(a.version, s.version) AS version, a.id, a.ad_archive_id, a.page_name, a.is_active, a.media_type,
        a.headline, a.ad_text, a.cta, a.landing_url, a.image_url, a.ad_library_url, a.started_on::text,
        a.last_seen_on::text, a.is_partnership, a.shop_id, s.name, s.domain, s.country
      FROM ad a LEFT JOIN shop s ON s.id = a.shop_id
      WHERE a.id = ANY(${ids}::int[])`.pipe(decodeAds)

export const toFound =
  (list: SegmentList) =>
  (row: AdRow): FoundAd => ({
    id: row.id,
    adArchiveId: row.ad_archive_id,
    pageName: row.page_name,
    status: row.is_active ? "active" : "inactive",
    mediaType: row.media_type,
    headline: row.headline,
    adText: row.ad_text,
    // A label that is not in the vocabulary becomes `null`.
    cta: ctas.find((cta) => cta === row.cta) ?? null,
    landingUrl: row.landing_url,
    imageUrl: row.image_url,
    adLibraryUrl: row.ad_library_url,
    startedOn: row.started_on,
    lastSeenOn: row.last_seen_on,
    isPartnership: row.is_partnership,
    shop: shopOf(list, row)
  })

const shopOf = (list: SegmentList, { country, domain, name, shop_id: id }: AdRow): FoundAd["shop"] =>
  id === null || name === null || domain === null || country === null
    ? null
    : { id, name, domain, country, active_ads: figuresOf(list, id).active_ads }
