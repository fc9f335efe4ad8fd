/** Ads by their keys: what an answer tells of an ad and its store. */
import type { SqlClient } from "effect/sql"
import type { FoundAd } from "../../domain/catalog/AdItem.ts"
import { ctas } from "../../domain/catalog/Enumerations.ts"
import type { MediaType } from "../../domain/catalog/Enumerations.ts"
import type { SegmentList } from "./index/Segment.ts"
import { figuresOf } from "./ShopFigures.ts"

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
  /** `null` where the store is not known, and so are its columns. */
  readonly shop_id: number | null
  readonly name: string
  readonly domain: string
  readonly country: string
}

export const read = (sql: SqlClient.SqlClient) => (ids: ReadonlyArray<number>) =>
  sql<AdRow>`
    SELECT greatest(a.version, s.version) AS version, a.id, a.ad_archive_id, a.page_name, a.is_active, a.media_type,
      a.headline, a.ad_text, a.cta, a.landing_url, a.image_url, a.ad_library_url, a.started_on::text,
      a.last_seen_on::text, a.is_partnership, a.shop_id, s.name, s.domain, s.country
    FROM ad a LEFT JOIN shop s ON s.id = a.shop_id
    WHERE a.id = ANY(${ids}::int[])`

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
    // A label that is not one of the filter's is none.
    cta: ctas.find((cta) => cta === row.cta) ?? null,
    landingUrl: row.landing_url,
    imageUrl: row.image_url,
    adLibraryUrl: row.ad_library_url,
    startedOn: row.started_on,
    lastSeenOn: row.last_seen_on,
    isPartnership: row.is_partnership,
    shop:
      row.shop_id === null
        ? null
        : {
            id: row.shop_id,
            name: row.name,
            domain: row.domain,
            country: row.country,
            active_ads: figuresOf(list, row.shop_id).active_ads
          }
  })
