/** The records that a map can make, and how each of their fields is read by default. */
import {
  adStatuses,
  ctas,
  languages,
  mediaTypes,
  pixels,
  socialNetworks
} from "../../../domain/catalog/Enumerations.ts"
import { byField } from "../../../domain/catalog/Figures.ts"
import { countryCodeOf, countryCodes } from "../../../domain/catalog/Iso.ts"
import type { AdRecord, PartialShop, ProductRecord, TrafficMonthRecord } from "../../../domain/catalog/Records.ts"
import * as Storefront from "../../../domain/catalog/Storefront.ts"
import { ctaOf, unwrapped } from "./AdSnapshot.ts"
import { handleIn } from "./CatalogFeed.ts"
import type { Field } from "./ReadAs.ts"
import { languageOf } from "./ShopCsv.ts"

type FieldsOf<Record extends { readonly type: string }> = Readonly<{ [Name in Exclude<keyof Record, "type">]-?: Field }>

const words = (text: string): ReadonlyArray<string> => text.split(" ")

const text: Field = { as: "text" }
const id: Field = { as: "text", isId: true }
const address: Field = { as: "text", isAddress: true }
const count: Field = { as: "number", isWhole: true }

const shop: FieldsOf<PartialShop> = {
  domain: { as: "domain" },
  name: text,
  country: {
    as: "text",
    translate: (name) => (countryCodes.has(name.toUpperCase()) ? name : (countryCodeOf(name) ?? name))
  },
  currency: text,
  languages: { as: "list", words: languages, translate: (code) => languageOf(code) ?? code },
  pixels: { as: "list", words: pixels },
  social_networks: { as: "list", words: socialNetworks },
  apps: { as: "list" },
  theme: text,
  created_on: { as: "date" },
  ...byField(({ unit }): Field => (unit === "count" ? count : { as: unit === "money" ? "money" : "number" })),
  categories: { as: "list" }
}

const [onSale] = Storefront.statuses
const statusOfWord: ReadonlyMap<string, string> = new Map([
  ...words("published publish visible enabled live online").map((word) => [word, onSale] as const),
  ...words("unpublished pending private future disabled inactive offline trash").map(
    (word) => [word, "draft"] as const
  ),
  ["hidden", "unlisted"]
])

/** `status` is none of the record: it says whether the product is on sale. */
const product: Omit<FieldsOf<ProductRecord>, "details"> & Readonly<Record<"status" | `details.${string}`, Field>> = {
  status: {
    as: "text",
    words: Storefront.statuses,
    flags: [onSale, "unlisted"],
    translate: (word) => statusOfWord.get(word.toLowerCase()) ?? word
  },
  shop: { as: "domain" },
  key: { ...id, translate: (found) => handleIn(found) ?? found },
  alias: id,
  title: text,
  url: address,
  image_url: address,
  price: { as: "money" },
  created_at: { as: "date", to: "time" },
  "details.description_html": text,
  "details.vendor": text,
  "details.product_type": text,
  "details.tags": { as: "list" }
}

const ad: FieldsOf<AdRecord> = {
  key: id,
  shop: { as: "domain" },
  ad_archive_id: id,
  page_name: text,
  status: { as: "text", words: adStatuses, flags: adStatuses },
  media_type: { as: "text", words: mediaTypes },
  headline: text,
  ad_text: text,
  cta: { as: "text", words: ctas, translate: (cta) => ctaOf({ cta_text: cta }) ?? "" },
  landing_url: { ...address, translate: (found) => unwrapped(found) ?? found },
  image_url: address,
  ad_library_url: address,
  started_on: { as: "date" },
  last_seen_on: { as: "date" },
  is_partnership: { as: "yes_no" }
}

const trafficMonth: FieldsOf<TrafficMonthRecord> = {
  shop: { as: "domain" },
  month: { as: "date", to: "month" },
  visits: count
}

/** The records that a map can make, and their fields. */
export const fieldsOf: Readonly<Record<RecordName, Readonly<Record<string, Field>>>> = {
  shop,
  product,
  ad,
  traffic_month: trafficMonth
}

export const recordNames = ["shop", "product", "ad", "traffic_month"] as const
export type RecordName = (typeof recordNames)[number]
