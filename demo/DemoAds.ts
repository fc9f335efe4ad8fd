/** The ads of one store of the demo data. A few have no store. */
import * as DemoPages from "../src/domain/catalog/DemoPages.ts"
import * as DemoPictures from "../src/domain/catalog/PictureNames.ts"
import { ctas, mediaTypes } from "../src/domain/catalog/Enumerations.ts"
import type { Cta, MediaType } from "../src/domain/catalog/Enumerations.ts"
import type { AdRecord } from "../src/domain/catalog/Records.ts"
import { dateOf } from "./Days.ts"
import type { DemoShop } from "./DemoShops.ts"
import * as PictureName from "./pictures/PictureName.ts"
import type { Pictured } from "./pictures/PictureName.ts"
import { Prng } from "./Prng.ts"
import { adText, headline } from "./Texts.ts"

const mediaShares: Record<MediaType, number> = { video: 45, image: 30, carousel: 10, dco: 8, dpa: 7 }

const ctaShares: Record<Cta, number> = {
  "Shop Now": 70,
  "Learn More": 12,
  "Buy Now": 1.5,
  "Order Now": 3,
  "Get Offer": 3,
  "Call Now": 0.3,
  "View product": 1.2,
  "Sign Up": 1.5,
  Download: 0.4,
  "Watch More": 0.6,
  "Contact Us": 0.6,
  "Book Now": 0.7,
  "Get Quote": 0.2,
  Subscribe: 1
}

const media = mediaTypes.map((type) => [type, mediaShares[type]] as const)
const calls: ReadonlyArray<readonly [Cta | null, number]> = [
  [null, 4],
  ...ctas.map((cta) => [cta, ctaShares[cta]] as const)
]

/** An id as long as a real one, with a first digit that real ones do not have. */
export const archiveId = (number: number): string => String(9_000_000_000_000_000 + number * 7_919)

/** The name ends in the key, by which the picture finds the words of the ad's record. */
export const adImage = (pictured: Pictured, headline: string | null, key: string): string =>
  DemoPictures.addressOf("ads", `${PictureName.write(PictureName.lookOf(pictured, headline ?? key))}-${key}`)

export const libraryUrl = (archiveId: string): string => `https://ads.discovery.example/library/?id=${archiveId}`

/** `from`: the number of the first ad. Numbers are unique, and are part of the keys. */
export const demoAds = (
  seed: string,
  shop: DemoShop,
  from: number,
  count: number,
  today: number
): ReadonlyArray<AdRecord> => {
  const prng = new Prng(seed, "ads", shop.index)
  const { domain, name } = shop.record
  const pageName = prng.chance(0.15) && !name.endsWith("Official") ? `${name} Official` : name
  const activeShare = Math.min(0.95, Math.max(0.05, 0.45 + 0.25 * prng.normal()))
  return Array.from({ length: count }, (_, index) => {
    const isLoose = prng.chance(0.02)
    const id = archiveId(from + index)
    const isActive = prng.chance(activeShare)
    const days = Math.min(1_400, Math.floor(prng.logNormal(24, 1.3)))
    const lastSeen = isActive ? today - (prng.chance(0.8) ? 0 : 1) : today - 2 - Math.floor(prng.unit() ** 2 * 500)
    const isNumbered = !prng.chance(0.01)
    const mediaType = prng.weighted(media)
    const title = prng.chance(0.1) ? null : headline(prng, shop.subject)
    return {
      type: "ad",
      key: id,
      shop: isLoose ? null : domain,
      ad_archive_id: isNumbered ? id : null,
      page_name: isLoose ? `${name} Outlet` : pageName,
      status: isActive ? "active" : "inactive",
      media_type: mediaType,
      headline: title,
      ad_text: prng.chance(0.03) ? null : adText(prng, shop.subject),
      cta: prng.weighted(calls),
      landing_url: prng.chance(0.05) ? null : `${DemoPages.addressOf(domain)}/?ad=${index + 1}`,
      image_url: prng.chance(0.03) ? null : adImage(shop.subject, title, id),
      ad_library_url: libraryUrl(id),
      started_on: dateOf(lastSeen - days),
      last_seen_on: dateOf(lastSeen),
      is_partnership: prng.chance(0.06)
    }
  })
}
