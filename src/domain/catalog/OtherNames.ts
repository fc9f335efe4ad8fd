/**
 * Values of closed vocabularies by other names that people write for them: in other languages, as codes, as former or short
 * names. Filters take the value itself, and suggest it for such a name. Imports of lists of stores read countries by their names,
 * and languages by their codes.
 */
import { languages as pageLanguages } from "../Messages.ts"
import { languages, mediaTypes, pixels, socialNetworks } from "./Enumerations.ts"
import type { Language } from "./Enumerations.ts"

/** Longer texts are not looked up. In UTF-16 units. */
const maxName = 60

const fold = (name: string): string =>
  name
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}\p{Sc}]/gu, "")
    .toLowerCase()

/** The value with a name, whatever its case, accents, blanks and signs, also in the plural with `s`. */
export type ByName<A extends string = string> = (text: string) => A | undefined

/** The first entry wins: a name over another name of another value. */
export const byName = <A extends string>(entries: Iterable<readonly [name: string, value: A]>): ByName<A> => {
  const values = new Map<string, A>()
  for (const [name, value] of entries) {
    const folded = fold(name)
    if (!values.has(folded)) values.set(folded, value)
  }
  return (text) => {
    if (text.length > maxName) return undefined
    const folded = fold(text)
    return values.get(folded) ?? (folded.endsWith("s") ? values.get(folded.slice(0, -1)) : undefined)
  }
}

/** As `find`, else the only value that words of the text name: `Facebook Pixel`, `Português (Brasil)`. */
const orByWords =
  <A extends string>(find: ByName<A>): ByName<A> =>
  (text) => {
    if (text.length > maxName) return undefined
    const found = new Set((text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((word) => find(word) ?? []))
    return find(text) ?? (found.size === 1 ? found.values().next().value : undefined)
  }

/** Names of codes in the languages of pages. */
export const translated = (type: "currency" | "language" | "region", codes: Iterable<string>) => {
  const all = Array.from(codes)
  return pageLanguages.flatMap((tag) => {
    const names = new Intl.DisplayNames(tag, { type, fallback: "none" })
    return all.flatMap((code) => {
      const name = names.of(code)
      return name === undefined ? [] : [[name, code] as const]
    })
  })
}

/** ISO 639-1. */
export const languageCodes: Readonly<Record<Language, string>> = {
  English: "en",
  French: "fr",
  Spanish: "es",
  German: "de",
  Italian: "it",
  Portuguese: "pt",
  Dutch: "nl",
  Polish: "pl",
  Norwegian: "no",
  Swedish: "sv",
  Danish: "da",
  Finnish: "fi",
  Chinese: "zh",
  Japanese: "ja",
  Korean: "ko",
  Arabic: "ar",
  Russian: "ru",
  Turkish: "tr",
  Hindi: "hi",
  Thai: "th",
  Vietnamese: "vi",
  Indonesian: "id",
  Greek: "el",
  Czech: "cs",
  Hungarian: "hu",
  Romanian: "ro"
}

/** Norwegian has a code for each of its two written forms, too. */
export const languageOfCode: ReadonlyMap<string, Language> = new Map<string, Language>([
  ...languages.map((language) => [languageCodes[language], language] as const),
  ["nb", "Norwegian"],
  ["nn", "Norwegian"]
])

/** A language tag of BCP 47, or a code of ISO 639-2 or 639-3, which have two letters where ISO 639-1 has some. */
const ofTag = (text: string): Language | undefined => {
  try {
    return languageOfCode.get(new Intl.Locale(text.trim().replaceAll("_", "-")).language)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const languageNamed = orByWords(
  byName<Language>([
    ...translated("language", Object.values(languageCodes)).flatMap(([name, code]) => {
      const language = languageOfCode.get(code)
      return language === undefined ? [] : [[name, language] as const]
    }),
    ["Français", "French"],
    ["Español", "Spanish"],
    ["Castellano", "Spanish"],
    ["Castilian", "Spanish"],
    ["Deutsch", "German"],
    ["Italiano", "Italian"],
    ["Português", "Portuguese"],
    ["Nederlands", "Dutch"],
    ["Flemish", "Dutch"],
    ["Vlaams", "Dutch"],
    ["Polski", "Polish"],
    ["Norsk", "Norwegian"],
    ["Bokmål", "Norwegian"],
    ["Nynorsk", "Norwegian"],
    ["Svenska", "Swedish"],
    ["Dansk", "Danish"],
    ["Suomi", "Finnish"],
    ["中文", "Chinese"],
    ["Mandarin", "Chinese"],
    ["Cantonese", "Chinese"],
    ["汉语", "Chinese"],
    ["漢語", "Chinese"],
    ["普通话", "Chinese"],
    ["简体中文", "Chinese"],
    ["繁體中文", "Chinese"],
    ["日本語", "Japanese"],
    ["한국어", "Korean"],
    ["العربية", "Arabic"],
    ["Русский", "Russian"],
    ["Türkçe", "Turkish"],
    ["हिन्दी", "Hindi"],
    ["ไทย", "Thai"],
    ["ภาษาไทย", "Thai"],
    ["Tiếng Việt", "Vietnamese"],
    ["Bahasa Indonesia", "Indonesian"],
    ["Bahasa", "Indonesian"],
    ["Ελληνικά", "Greek"],
    ["Čeština", "Czech"],
    ["Magyar", "Hungarian"],
    ["Română", "Romanian"],
    // Codes of countries, which are often taken for those of their languages, unless they are the code of another one.
    ["cn", "Chinese"],
    ["cz", "Czech"],
    ["dk", "Danish"],
    ["gr", "Greek"],
    ["jp", "Japanese"],
    ["vn", "Vietnamese"]
  ])
)

/** A language by its own name, by its name in a language of the pages, or by its code. */
export const languageOf: ByName<Language> = (text) =>
  text.length > maxName ? undefined : (ofTag(text) ?? languageNamed(text))

const networkNames = [
  ["X", "Twitter"],
  ["Tweets", "Twitter"],
  ["Meta", "Facebook"],
  ["FB", "Facebook"],
  ["IG", "Instagram"],
  ["Insta", "Instagram"],
  ["Snap", "Snapchat"]
] as const

const same = <A extends string>(values: ReadonlyArray<A>) => values.map((value) => [value, value] as const)

export const pixelOf = orByWords(byName([...same(pixels), ...networkNames, ["GA4", "Google"], ["GTM", "Google"]]))

export const socialNetworkOf = orByWords(byName([...same(socialNetworks), ...networkNames, ["YT", "YouTube"]]))

export const mediaTypeOf = orByWords(
  byName([
    ...same(mediaTypes),
    ["photo", "image"],
    ["picture", "image"],
    ["static", "image"],
    ["reel", "video"],
    ["movie", "video"],
    ["slideshow", "carousel"],
    ["dynamic creative", "dco"],
    ["dynamic creative optimization", "dco"],
    ["dynamic product", "dpa"],
    ["dynamic product ad", "dpa"],
    ["catalog", "dpa"]
  ])
)

export const statusOf = byName([
  ["running", "active"],
  ["live", "active"],
  ["stopped", "inactive"],
  ["ended", "inactive"],
  ["paused", "inactive"],
  ["any", "all"],
  ["both", "all"]
])

export const sortOrderOf = byName([
  ["ascending", "asc"],
  ["descending", "desc"]
])

export const spanOf = byName([
  ...["7", "7 days", "week", "1w"].map((name) => [name, "7d"] as const),
  ...["30", "30 days", "month", "1m"].map((name) => [name, "30d"] as const),
  ...["90", "90 days", "quarter", "3m"].map((name) => [name, "90d"] as const)
])

/** The argument that another name means in APIs of other services, where a tool has it. */
export const argumentOf = byName([
  ...["q", "search", "search query", "search term", "keyword", "text", "term"].map((name) => [name, "query"] as const),
  ...["limit", "size", "count", "first", "max results"].map((name) => [name, "per_page"] as const),
  ...["sort", "order", "order by"].map((name) => [name, "sort_by"] as const),
  ...["direction", "sort direction"].map((name) => [name, "sort_order"] as const),
  ...["period", "change days", "time span", "window"].map((name) => [name, "change_over"] as const),
  ...["category", "categories", "industry", "vertical"].map((name) => [name, "niches"] as const),
  ...["region", "location", "market"].map((name) => [name, "countries"] as const),
  ["lang", "languages"],
  ["locale", "languages"],
  ["tld", "domains"],
  ["extension", "domains"],
  ["technology", "apps"],
  ["technologies", "apps"],
  ["social media", "social_networks"],
  ["revenue", "monthly_revenue"],
  ["visits", "monthly_visits"],
  ["traffic", "monthly_visits"],
  ["orders", "monthly_orders"],
  ["growth", "traffic_growth_pct"],
  ["products", "products_count"],
  ["ads", "active_ads"],
  ["price", "avg_price"],
  ["rating", "trustpilot_rating"],
  ["reviews", "trustpilot_reviews"],
  ["created", "shop_created_between"],
  ["started", "ad_started_between"],
  ["call to action", "ctas"]
])
