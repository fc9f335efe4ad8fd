/** Ads as statements: what an answer tells of an ad and its store. */
import type { SqlClient, Statement } from "effect/sql"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import { ctas } from "../../domain/catalog/Enumerations.ts"
import type { MediaType } from "../../domain/catalog/Enumerations.ts"

/** The record's CHECK constraints hold what the types say. */
interface AdRow {
  readonly version: number
  readonly id: number
  readonly ad_archive_id: string | null
  readonly page_name: string
  readonly is_active: boolean
  readonly media_type: MediaType
  readonly headline: string | null
  readonly ad_text: string | null
  readonly cta: string | null
  readonly landing_url: string | null
  readonly image_url: string | null
  readonly ad_library_url: string | null
  readonly started_on: string
  readonly last_seen_on: string
  readonly is_partnership: boolean
  readonly shop: {
    readonly id: number
    readonly name: string
    readonly domain: string
    readonly country: string
  } | null
  readonly active_ads: number
}

/** The ads of a page, in the order of its ids, as {@link toFound} takes them. */
export const hydrate = (sql: SqlClient.SqlClient) => (ids: Statement.Fragment) =>
  sql<AdRow>`
  WITH page AS MATERIALIZED (SELECT * FROM unnest(ARRAY(${ids})) WITH ORDINALITY p(id, position))
  SELECT c.version, a.id, a.ad_archive_id, a.page_name, a.is_active, a.media_type, a.headline, a.ad_text, a.cta,
    a.landing_url, a.image_url, a.ad_library_url, a.started_on::text, a.last_seen_on::text, a.is_partnership,
    CASE WHEN s.id IS NOT NULL
      THEN json_build_object('id', s.id, 'name', s.name, 'domain', s.domain, 'country', s.country) END AS shop,
    coalesce(x.n_active, 0) AS active_ads
  FROM page
  CROSS JOIN catalogue c
  JOIN ad a ON a.id = page.id
  LEFT JOIN shop s ON s.id = a.shop_id
  LEFT JOIN shop_search x ON x.id = a.shop_id
  ORDER BY page.position`

export const toFound = (row: AdRow): FoundAd => ({
  id: row.id,
  adArchiveId: row.ad_archive_id,
  pageName: row.page_name,
  status: row.is_active ? "active" : "inactive",
  mediaType: row.media_type,
  headline: row.headline,
  adText: row.ad_text,
  // A label that is not one of the filter's is none.
  cta: ctas.find((cta) => cta === row.cta) ?? null,
  landingUrl: row.landing_url,
  imageUrl: row.image_url,
  adLibraryUrl: row.ad_library_url,
  startedOn: row.started_on,
  lastSeenOn: row.last_seen_on,
  isPartnership: row.is_partnership,
  shop: row.shop === null ? null : { ...row.shop, active_ads: row.active_ads }
})
