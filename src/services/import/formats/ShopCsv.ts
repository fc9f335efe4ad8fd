/**
 * Reads lists of stores as CSV by the names of their columns: those of StoreLeads, of Trustpilot, and lists that a person has
 * made with some of them. Other columns are not read, so that mail addresses, telephone numbers and streets are never imported.
 */
import { languages } from "../../../domain/catalog/Enumerations.ts"
import { byField, recorded } from "../../../domain/catalog/Figures.ts"
import { countryCodeOf, countryCodes } from "../../../domain/catalog/Iso.ts"
import { languageOfCode } from "../../../domain/catalog/OtherNames.ts"
import type { Language, Pixel, SocialNetwork } from "../../../domain/catalog/Enumerations.ts"
import { PartialShop, TrafficMonthRecord } from "../../../domain/catalog/Records.ts"
import * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { codeIn } from "../../../domain/Scalars.ts"
import { Result } from "effect"
import { isOther } from "./Currency.ts"
import { amount, day, host, joined, placesOf, text, wholeAmount } from "./Foreign.ts"
import { nothing, refused } from "./Reading.ts"
import type { Table } from "./Reading.ts"
import type { Reading } from "../ImportSource.ts"
import type { StoreOptions } from "./StorefrontShop.ts"

/** The columns that may hold each fact, the best one first. */
export const columns = {
  domain: ["domain", "root domain", "store domain", "website", "websiteurl"],
  name: ["merchant_name", "name", "title", "displayname", "company"],
  country: ["country_code", "country"],
  currency: ["currency"],
  language: ["language_code", "language"],
  categories: ["categories"],
  created: ["created", "created_on"],
  visits: ["estimated_monthly_visits", "monthly_visits"],
  theme: ["theme"],
  apps: ["installed_apps_names", "apps"],
  technologies: ["technologies"],
  status: ["status"],
  ...byField(({ columns }) => columns)
} as const
export type Column = keyof typeof columns

export const networkColumns: ReadonlyArray<readonly [SocialNetwork, string]> = [
  ["Facebook", "facebook_url"],
  ["Instagram", "instagram_url"],
  ["TikTok", "tiktok_url"],
  ["YouTube", "youtube_url"],
  ["Pinterest", "pinterest_url"],
  ["Twitter", "twitter_url"],
  ["Snapchat", "snapchat_url"],
  ["Reddit", "reddit_url"]
]

/**
 * Names of technologies that are pixels of an advertising network: what they contain, and what follows that anywhere. Both in one
 * pattern would take quadratic time.
 */
const pixelNames: ReadonlyArray<readonly [pixel: Pixel, name: RegExp, kind?: RegExp]> = [
  ["TikTok", /\btiktok\b/iu, /\bpixel\b/iu],
  ["TikTok", /\btiktok analytics\b/iu],
  ["Snapchat", /\bsnap(?:chat)?\b/iu, /\bpixel\b/iu],
  ["Facebook", /\b(?:facebook|meta)\b/iu, /\bpixel\b/iu],
  ["Instagram", /\binstagram\b/iu, /\bpixel\b/iu],
  ["Google", /\bgoogle (?:analytics|ads|adwords|tag manager|remarketing|conversion)\b/iu],
  ["Twitter", /\b(?:twitter|x)\b/iu, /\b(?:pixel|ads)\b/iu],
  ["Pinterest", /\bpinterest\b/iu, /\b(?:tag|pixel|ads|conversion)\b/iu],
  ["Reddit", /\breddit\b/iu, /\b(?:pixel|ads|conversion)\b/iu],
  ["TripleWhale", /\btriple ?whale\b/iu],
  ["Applovin", /\b(?:applovin|axon)\b/iu]
]

const pixelsIn = (technologies: ReadonlyArray<string>): ReadonlyArray<Pixel> => {
  const isNamed = (technology: string, name: RegExp, kind?: RegExp): boolean => {
    const found = name.exec(technology)
    return found !== null && kind?.test(technology.slice(found.index + found[0].length)) !== false
  }
  const named = pixelNames.filter(([, name, kind]) => technologies.some((one) => isNamed(one, name, kind)))
  return Array.from(new Set(named.map(([pixel]) => pixel)))
}

/** A language by its name or its ISO 639-1 code, which a region may follow in a column. */
export const languageOf = (code: string): Language | undefined => {
  const [language = ""] = code.toLowerCase().split(/[-_]/u)
  return languageOfCode.get(language) ?? languages.find((name) => name.toLowerCase() === code.toLowerCase())
}

/** The code of a country by its code in either case, or by its name. */
const countryIn = (written: string): string => {
  const code = codeIn(written)
  return countryCodes.has(code) ? code : (countryCodeOf(written) ?? written)
}

export const positions = (header: ReadonlyArray<string>) => placesOf<Column>(header, columns)

/** Columns of products, without blanks and punctuation. */
const productColumns = new Set(
  (
    "price finalprice saleprice regularprice currentprice originalprice compareatprice sku handle productname producttitle productid " +
    "producturl productlink productimage image imageurl imagesrc imagelink availability instock gtin ean barcode asin variantid variantprice"
  ).split(" ")
)

/** A column that shows that the table has products. */
export const productColumn = (header: ReadonlyArray<string>): string | undefined =>
  header.find((name) => productColumns.has(name.toLowerCase().replaceAll(/[^a-z]/gu, "")))

/** The address of a product or of a list of products. */
const pageOfProducts = /\/(?:products?|collections?|items?|dp|shop\/p)\/[^/?#]/iu

/** Of more stores, it is not noticed that they have several names. */
const maxNames = 1_000_000

/** Whether there is a column with the domain and at least one other known column. */
export const isHeader = (header: ReadonlyArray<string>): boolean => {
  const places = positions(header)
  return places.domain !== undefined && Object.keys(places).length > 1
}

const decode = LenientDecoder.make(PartialShop)

const refuse = (line: number, field: string, reason: string): Reading => ({
  ...nothing,
  rejects: [{ line, field, reason }]
})
const isCount = RecordDecoder.guardOf(TrafficMonthRecord.fields.visits)

/** A store that is closed, or that only those with a password can see. */
const closed = /^(?:inactive|closed|dead|parked|password[\s_-]?protected)$/iu

/** `month`: the month of the visits, `YYYY-MM`. */
export const make = (header: ReadonlyArray<string>, month: string, store: Pick<StoreOptions, "country">): Table => {
  const places = positions(header)
  const networks = networkColumns.flatMap(([network, name]) => {
    const at = header.findIndex((column) => column.trim().toLowerCase() === name)
    return at < 0 ? [] : [{ network, at }]
  })
  const nameOf = new Map<string, string>()
  return (cells, line): Reading => {
    const cell = (column: Column): string | null => {
      const at = places[column]
      return at === undefined ? null : text(cells[at])
    }
    const shop: Record<string, unknown> = { type: "partial_shop", domain: host(cell("domain") ?? "") }
    /** Sets a field, unless its column is missing or empty. */
    const give = (name: string, value: unknown) => {
      if (value !== null && value !== undefined) shop[name] = value
    }
    const number = (column: Column, isWhole: boolean) => {
      const written = cell(column)
      if (written === null) return null
      const value = isWhole ? wholeAmount(written) : amount(written)
      // A value that is not a number is kept, so that decoding counts it with its field.
      return value === null ? written : isWhole ? Math.round(value) : value
    }
    const status = cell("status")
    if (status !== null && closed.test(status)) return { ...nothing, leftOut: ["closedStore"] }
    if (pageOfProducts.test(cell("domain") ?? "")) {
      return refuse(
        line,
        "domain",
        "is the address of a product, so that the row is of a product and not of a store: read the table by a map"
      )
    }
    const currency = cell("currency")
    const isOtherCurrency = recorded.some(({ field, unit }) => {
      const written = unit === "money" ? cell(field) : null
      return written !== null && isOther(currency ?? undefined, written)
    })
    const language = cell("language")
    give("name", cell("name"))
    const country = cell("country") ?? store.country
    give("country", country === undefined ? undefined : countryIn(country))
    give("currency", currency?.toUpperCase())
    give("languages", language === null ? null : [languageOf(language) ?? language])
    give("created_on", day(cell("created")) ?? cell("created"))
    for (const { field, unit } of recorded) {
      if (unit !== "money" || !isOtherCurrency) give(field, number(field, unit === "count"))
    }
    give("theme", cell("theme"))
    if (places.apps !== undefined) give("apps", joined(cell("apps")))
    if (places.technologies !== undefined) give("pixels", pixelsIn(joined(cell("technologies"))))
    if (networks.length > 0) {
      give(
        "social_networks",
        networks.filter(({ at }) => text(cells[at]) !== null).map(({ network }) => network)
      )
    }
    if (places.categories !== undefined) give("categories", joined(cell("categories")))
    const decodedShop = decode(shop)
    if (Result.isFailure(decodedShop)) return refused(line, decodedShop.failure)
    const { record, invalidFields } = decodedShop.success
    const before = nameOf.get(record.domain)
    if (before !== undefined && record.name !== undefined && before !== record.name) {
      return refuse(line, "name", "is another one than in an earlier row of the same domain: correct one of them")
    }
    if (record.name !== undefined && nameOf.size < maxNames) nameOf.set(record.domain, record.name)
    const reading = { rows: [{ line, record }], rejects: [], otherCurrencies: isOtherCurrency ? 1 : 0, invalidFields }
    const visits = number("visits", true)
    if (visits === null) return reading
    const ofMonth = { type: "traffic_month", shop: record.domain, month } as const
    // Only what is wrong is decoded: domain and month are known to be valid.
    return isCount(visits)
      ? { ...reading, rows: [...reading.rows, { line, sourceRows: 0, record: { ...ofMonth, visits } }] }
      : { ...reading, invalidFields: [...invalidFields, "visits"] }
  }
}
