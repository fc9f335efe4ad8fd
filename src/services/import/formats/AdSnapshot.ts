/**
 * What an ad of the Meta Ad Library shows, from its snapshot. Its texts may be templates, with the texts in its cards, and its
 * address may lead through the platform.
 */
import { ctas, mediaTypes } from "../../../domain/catalog/Enumerations.ts"
import type { Cta, MediaType } from "../../../domain/catalog/Enumerations.ts"
import { fromHtml } from "../../../domain/catalog/PlainText.ts"
import { address, firstText, foreign, list, text, Unread } from "./Foreign.ts"
import type { Foreign } from "./Foreign.ts"

/** The labels of the filter `ctas` by type of the Ad Library. Other types have no such label. */
const ctaOfType: Readonly<Record<string, Cta>> = {
  ...Object.fromEntries(ctas.map((cta) => [cta.toUpperCase().replaceAll(" ", "_"), cta])),
  BUY: "Buy Now",
  START_ORDER: "Order Now",
  GET_OFFER_VIEW: "Get Offer",
  CALL: "Call Now",
  CALL_ME: "Call Now",
  GET_A_QUOTE: "Get Quote",
  CONTACT: "Contact Us",
  GET_IN_TOUCH: "Contact Us",
  BOOK_TRAVEL: "Book Now",
  MOBILE_DOWNLOAD: "Download",
  WATCH_VIDEO: "Watch More",
  SWIPE_UP_PRODUCT: "View product",
  FIND_OUT_MORE: "Learn More",
  SEE_MORE: "Learn More",
  BROWSE_SHOP: "Shop Now",
  SEE_SHOP: "Shop Now"
}

/** Either field may have a type or a label, in any case, with blanks or underscores. */
export const ctaOf = (snapshot: Foreign): Cta | null => {
  const found = firstText(snapshot["cta_type"], snapshot["cta_text"])
  return found === null ? null : (ctaOfType[found.toUpperCase().replaceAll(/[\s_-]+/gu, "_")] ?? null)
}

/** `MULTI_VIDEOS` is a video, and `MULTI_IMAGES` an image. `Unread` is a format of another kind. */
export const mediaTypeOf = (snapshot: Foreign): MediaType | Unread | null => {
  const format = text(snapshot["display_format"])?.toLowerCase()
  if (format === undefined) return null
  return (
    mediaTypes.find((type) => type === format) ??
    (["video", "image"] as const).find((type) => format.includes(type)) ??
    new Unread("is no known format")
  )
}

export const shownMedia = (snapshot: Foreign, cards: ReadonlyArray<Foreign>): MediaType =>
  list(snapshot["videos"]).length > 0 ? "video" : cards.length > 1 ? "carousel" : "image"

/** `body` is text, `{text}`, or `{markup: {__html}}`. */
export const bodyOf = (body: unknown): string | null => {
  const parts = foreign(body)
  const html = text(foreign(parts["markup"])["__html"])
  return firstText(body, parts["text"]) ?? (html === null ? null : text(fromHtml(html)))
}

/** Whether the text is a template that the platform fills in for each viewer. */
export const isTemplate = (found: string | null): boolean => {
  const start = found?.indexOf("{{") ?? -1
  return start !== -1 && found?.includes("}}", start + 2) === true
}

/** Replaces a template by the text of the first card, or by `null` if that is a template as well. */
export const resolved = (own: string | null, ofCard: string | null): string | null => {
  if (!isTemplate(own)) return own
  return isTemplate(ofCard) ? null : ofCard
}

/** Hosts of the platform that redirect to the address in the parameter `u`. */
const redirectors = new Set(["l.facebook.com", "lm.facebook.com", "l.instagram.com"])
export const unwrapped = (found: string | null): string | null => {
  const url = found === null ? null : URL.parse(found)
  if (url === null || !redirectors.has(url.hostname)) return found
  return url.searchParams.get("u") ?? found
}

export const imageOf = (snapshot: Foreign, cards: ReadonlyArray<Foreign>): string | null => {
  const images = list(snapshot["images"]).map(foreign)
  const videos = list(snapshot["videos"]).map(foreign)
  const candidates = [...images, ...videos, ...cards].flatMap((one) => [
    address(one["original_image_url"]),
    address(one["resized_image_url"]),
    address(one["video_preview_image_url"])
  ])
  return candidates.find((found) => found !== null) ?? null
}
