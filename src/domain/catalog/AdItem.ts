/** An ad as `search_ads` returns it (S9 to S16). */
import { Schema } from "effect"
import { daysBetween } from "../Days.ts"
import { adStatuses, ctas, mediaTypes } from "./Enumerations.ts"
import type { AdStatus, Cta, MediaType } from "./Enumerations.ts"
import { cut } from "./ThirdPartyText.ts"

export const AdItem = Schema.Struct({
  id: Schema.Int,
  ad_archive_id: Schema.NullOr(Schema.String).annotate({ description: "Id in the ad platform's public ad library." }),
  page_name: Schema.String.annotate({ description: "Social page running the ad (third-party content)." }),
  status: Schema.Literals(adStatuses),
  media_type: Schema.Literals(mediaTypes),
  headline: Schema.NullOr(Schema.String).annotate({ description: "Up to 200 characters (third-party content)." }),
  ad_text: Schema.NullOr(Schema.String).annotate({ description: "Up to 500 characters (third-party content)." }),
  cta: Schema.NullOr(Schema.Literals(ctas)),
  landing_url: Schema.NullOr(Schema.String),
  image_url: Schema.NullOr(Schema.String).annotate({ description: "Image, or thumbnail of a video." }),
  ad_library_url: Schema.NullOr(Schema.String),
  started_at: Schema.String.annotate({ description: "YYYY-MM-DD." }),
  last_seen_at: Schema.String.annotate({ description: "YYYY-MM-DD." }),
  active_days: Schema.Int.annotate({
    description: "Days from started_at to today while running, to last_seen_at once stopped."
  }),
  is_partnership: Schema.Boolean,
  shop: Schema.NullOr(
    Schema.Struct({
      id: Schema.Int,
      name: Schema.String,
      domain: Schema.String,
      country: Schema.String,
      active_ads: Schema.Int
    })
  ),
  dashboard_url: Schema.NullOr(Schema.String)
})
export type AdItem = typeof AdItem.Type

/** An ad as the index and the database return it, before truncation of texts. Dates are `YYYY-MM-DD`. */
export interface FoundAd {
  readonly id: number
  readonly adArchiveId: string | null
  readonly pageName: string
  readonly status: AdStatus
  readonly mediaType: MediaType
  readonly headline: string | null
  readonly adText: string | null
  readonly cta: Cta | null
  readonly landingUrl: string | null
  readonly imageUrl: string | null
  readonly adLibraryUrl: string | null
  readonly startedOn: string
  readonly lastSeenOn: string
  readonly isPartnership: boolean
  readonly shop: AdItem["shop"]
}

/** `today` is the UTC date, `YYYY-MM-DD`; `dashboardUrl` is that of a store; `imageUrl` is where a picture is served. */
export const present = (
  ad: FoundAd,
  context: {
    readonly today: string
    readonly dashboardUrl: (shopId: number) => string
    readonly imageUrl: (address: string) => string
  }
): AdItem => ({
  id: ad.id,
  ad_archive_id: ad.adArchiveId,
  page_name: ad.pageName,
  status: ad.status,
  media_type: ad.mediaType,
  headline: ad.headline === null ? null : cut(ad.headline, 200),
  ad_text: ad.adText === null ? null : cut(ad.adText, 500),
  cta: ad.cta,
  landing_url: ad.landingUrl,
  image_url: ad.imageUrl === null ? null : context.imageUrl(ad.imageUrl),
  ad_library_url: ad.adLibraryUrl,
  started_at: ad.startedOn,
  last_seen_at: ad.lastSeenOn,
  active_days: daysBetween(ad.startedOn, ad.status === "active" ? context.today : ad.lastSeenOn),
  is_partnership: ad.isPartnership,
  shop: ad.shop,
  dashboard_url: ad.shop === null ? null : context.dashboardUrl(ad.shop.id)
})
