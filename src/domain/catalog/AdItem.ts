/** An ad as `search_ads` returns it (S9 to S16, S34). */
import { Schema } from "effect"
import { daysBetween } from "../Days.ts"
import { adStatuses, ctas, mediaTypes } from "./Enumerations.ts"
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
      active_ads: Schema.Int,
      /** Only in an order by a change (D120). */
      change: Schema.optionalKey(Schema.NullOr(Schema.Finite))
    })
  ),
  dashboard_url: Schema.NullOr(Schema.String)
})
export type AdItem = typeof AdItem.Type

/** An ad as the index and the database return it, before truncation of texts. */
export type FoundAd = Omit<AdItem, "active_days" | "dashboard_url">

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
  ad_archive_id: ad.ad_archive_id,
  page_name: ad.page_name,
  status: ad.status,
  media_type: ad.media_type,
  headline: ad.headline === null ? null : cut(ad.headline, 200),
  ad_text: ad.ad_text === null ? null : cut(ad.ad_text, 500),
  cta: ad.cta,
  landing_url: ad.landing_url,
  image_url: ad.image_url === null ? null : context.imageUrl(ad.image_url),
  ad_library_url: ad.ad_library_url,
  started_at: ad.started_at,
  last_seen_at: ad.last_seen_at,
  active_days: daysBetween(ad.started_at, ad.status === "active" ? context.today : ad.last_seen_at),
  is_partnership: ad.is_partnership,
  shop: ad.shop,
  dashboard_url: ad.shop === null ? null : context.dashboardUrl(ad.shop.id)
})
