/** SQL that reads ads by id, with the fields of an answer. */
import { Schema, Struct } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { AdItem } from "../../domain/catalog/AdItem.ts"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import { ctas } from "../../domain/catalog/Enumerations.ts"
import type { Mover } from "../../domain/catalog/Movers.ts"
import { rowsOf } from "../database/Rows.ts"
import { changeIn, shown } from "./ShopFigures.ts"
import type { FiguresOf } from "./ShopFigures.ts"

const Text = Schema.NullOr(Schema.String)
const AdRow = Schema.Struct({
  request: Schema.Int,
  version: Schema.Int,
  ...Struct.omit(AdItem.fields, ["active_days", "shop", "dashboard_url"]),
  cta: Text,
  /** These four are `null` together if the store is unknown. */
  shop_id: Schema.NullOr(Schema.Int),
  name: Text,
  domain: Text,
  country: Text
})
type AdRow = typeof AdRow.Type
const decodeAds = rowsOf(AdRow)

/** For `SearchRunner.reader`. */
export const read = (sql: SqlClient.SqlClient) => (wanted: Statement.Fragment) =>
  sql`
      SELECT w.request, greatest(a.version, s.version) AS version, a.id, a.ad_archive_id, a.page_name,
        CASE WHEN a.is_active THEN 'active' ELSE 'inactive' END AS status, a.media_type, a.headline, a.ad_text, a.cta,
        a.landing_url, a.image_url, a.ad_library_url, a.started_on::text AS started_at,
        a.last_seen_on::text AS last_seen_at, a.is_partnership, a.shop_id, s.name, s.domain, s.country
      FROM ${wanted} JOIN ad a ON a.id = w.id LEFT JOIN shop s ON s.id = a.shop_id`.pipe(decodeAds)

const activeAds = shown(["active_ads"])

export const toFound =
  (figuresOf: FiguresOf, mover?: Mover) =>
  (row: AdRow): FoundAd => ({
    id: row.id,
    ad_archive_id: row.ad_archive_id,
    page_name: row.page_name,
    status: row.status,
    media_type: row.media_type,
    headline: row.headline,
    ad_text: row.ad_text,
    // A label that is not in the vocabulary becomes `null`.
    cta: ctas.find((cta) => cta === row.cta) ?? null,
    landing_url: row.landing_url,
    image_url: row.image_url,
    ad_library_url: row.ad_library_url,
    started_at: row.started_at,
    last_seen_at: row.last_seen_at,
    is_partnership: row.is_partnership,
    shop: shopOf(figuresOf, row, mover)
  })

const shopOf = (
  figuresOf: FiguresOf,
  { country, domain, name, shop_id: id }: AdRow,
  mover: Mover | undefined
): FoundAd["shop"] => {
  if (id === null || name === null || domain === null || country === null) return null
  const valueOf = figuresOf(id)
  return { id, name, domain, country, ...activeAds(valueOf), ...changeIn(valueOf, mover) }
}
