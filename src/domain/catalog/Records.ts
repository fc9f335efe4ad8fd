/**
 * The records of the native import format (docs/import.md): one JSON object per line, distinguished by `type`.
 *
 * A record is complete: a field that is absent or `null` becomes unknown, even if it was known before. Unknown fields
 * are errors, so that a misspelled name is noticed.
 *
 * Read next: Figures, the numbers of a store, from which columns, filters and answers follow; RecordFields, the rules of fields;
 * AdItem, ProductItem and ShopItem, what answers show.
 */
import { Predicate, Record as EffectRecord, Result, Schema, Struct } from "effect"
import * as ArgumentDecoder from "../ArgumentDecoder.ts"
import { withDefault } from "../FieldRules.ts"
import { code } from "../Scalars.ts"
import { issueAt, refused } from "../ArgumentIssue.ts"
import type { ArgumentIssue } from "../ArgumentIssue.ts"
import { adStatuses, ctas, languages, mediaTypes, pixels, socialNetworks } from "./Enumerations.ts"
import * as Figures from "./Figures.ts"
import { countryCodeOf, countryCodes, currencyCodeOf, currencyCodes } from "./Iso.ts"
import { maxPrice, ProductDetails } from "./ProductDetails.ts"
import * as LenientDecoder from "./LenientDecoder.ts"
import * as RecordDecoder from "./RecordDecoder.ts"
import * as Fields from "./RecordFields.ts"

const NicheId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 32_000 }))

/** ISO 3166-1 alpha-2. */
export const Country = code(countryCodes, "unknown_country", countryCodeOf)
/** ISO 4217. */
export const Currency = code(currencyCodes, "unknown_currency", currencyCodeOf)
export const ShopName = Fields.line(200)

/** A niche. Its parent comes earlier in the file or exists already. Key: `id`. */
export const NicheRecord = Schema.Struct({
  type: Schema.Literal("niche"),
  id: NicheId,
  parent_id: Fields.nullable(NicheId),
  name: Fields.line(100)
})
export type NicheRecord = typeof NicheRecord.Type

/** A source's name for a category, in any case, and the niche of the stores that sell it. Key: `name`. */
export const CategoryRecord = Schema.Struct({
  type: Schema.Literal("category"),
  name: Fields.line(300),
  /** Id of a niche. */
  niche: NicheId
})
export type CategoryRecord = typeof CategoryRecord.Type

/** What a record can tell of a store, but its niche. Amounts are per month, in its currency. */
const shopFields = {
  name: ShopName,
  country: Country,
  currency: Currency,
  languages: Fields.distinct(Schema.Literals(languages), languages.length),
  pixels: Fields.distinct(Schema.Literals(pixels), pixels.length),
  social_networks: Fields.distinct(Schema.Literals(socialNetworks), socialNetworks.length),
  apps: Fields.distinct(Fields.line(100), 500),
  theme: Fields.line(100),
  created_on: Fields.Day,
  ...Figures.byField(numberOf)
} as const

function numberOf({ maximum, unit }: { readonly maximum?: number; readonly unit: string }) {
  return unit === "count" || maximum === undefined ? Fields.Count : Fields.amount(maximum)
}

/** A store with its figures. Key: `domain`. */
export const ShopRecord = Schema.Struct({
  type: Schema.Literal("shop"),
  domain: Fields.Domain,
  ...shopFields,
  currency: Fields.nullable(Currency),
  /** Id of a niche. */
  niche: Fields.nullable(NicheId),
  languages: Fields.emptyByDefault(shopFields.languages),
  pixels: Fields.emptyByDefault(shopFields.pixels),
  social_networks: Fields.emptyByDefault(shopFields.social_networks),
  apps: Fields.emptyByDefault(shopFields.apps),
  /** Blank text is unknown. */
  theme: Fields.nullableLine(100),
  created_on: Fields.nullable(Fields.Day),
  ...Figures.byField((number) => Fields.nullable(numberOf(number)))
})
export type ShopRecord = typeof ShopRecord.Type

/** A partial update of a store: absent fields keep their value. Key: `domain`. A new store needs name and country. */
export const PartialShop = Schema.Struct({
  type: Schema.Literal("partial_shop"),
  domain: Fields.Domain,
  ...Struct.map(shopFields, Schema.optionalKey),
  /** The source's names of the store's categories, the most specific first. The import maps them to a niche. */
  categories: Schema.optionalKey(Fields.distinct(Fields.line(300), 50))
})
export type PartialShop = typeof PartialShop.Type

/** The visits of a store in one month. Key: `shop` and `month`. */
export const TrafficMonthRecord = Schema.Struct({
  type: Schema.Literal("traffic_month"),
  /** Domain of a store. */
  shop: Fields.Domain,
  month: Fields.Month,
  visits: Fields.Count
})
export type TrafficMonthRecord = typeof TrafficMonthRecord.Type

/** As many characters as a handle of the storefront platform has. */
const maxProductKey = 255

/** A product. Key: `shop` and `key`. */
export const ProductRecord = Schema.Struct({
  type: Schema.Literal("product"),
  /** Domain of a store. */
  shop: Fields.Domain,
  key: Fields.identifier(maxProductKey),
  /** A second id under which other sources refer to the product, such as the platform's id where `key` is a handle. */
  alias: Schema.optionalKey(Schema.NullOr(Fields.identifier(maxProductKey))),
  title: Fields.line(500),
  url: Fields.nullable(Fields.WebUrl),
  image_url: Fields.nullable(Fields.WebUrl),
  /** The lowest variant price, in the currency of the store. */
  price: Fields.amount(maxPrice),
  created_at: Fields.nullable(Fields.Timestamp),
  details: Fields.nullable(ProductDetails)
})
export type ProductRecord = typeof ProductRecord.Type

/** An ad. Key: `key`. */
export const AdRecord = Schema.Struct({
  type: Schema.Literal("ad"),
  key: Fields.identifier(200),
  /** Domain of the store; `null` if it is unknown. */
  shop: Fields.nullable(Fields.Domain),
  ad_archive_id: Fields.nullable(Fields.identifier(100)),
  page_name: Fields.line(300),
  status: Schema.Literals(adStatuses),
  media_type: Schema.Literals(mediaTypes),
  headline: Fields.nullableLine(2_000),
  ad_text: Fields.nullableText(20_000),
  cta: Fields.nullable(Schema.Literals(ctas)),
  landing_url: Fields.nullable(Fields.WebUrl),
  image_url: Fields.nullable(Fields.WebUrl),
  ad_library_url: Fields.nullable(Fields.WebUrl),
  started_on: Fields.Day,
  last_seen_on: Fields.Day,
  is_partnership: withDefault(Schema.Boolean, false)
}).check(
  Schema.makeFilter(({ last_seen_on, started_on }) =>
    started_on > last_seen_on
      ? {
          path: ["started_on"],
          issue: refused("started_after_last_seen", { started: started_on, lastSeen: last_seen_on })
        }
      : undefined
  )
)
export type AdRecord = typeof AdRecord.Type

/** A deleted record: a store (`shop`) with everything that belongs to it, a product (`shop`, `key`), or an ad (`key`). */
export const RemovedRecord = Schema.Struct({
  type: Schema.Literal("removed"),
  record: Schema.Literals(["shop", "product", "ad"]),
  shop: Fields.nullable(Fields.Domain),
  key: Fields.nullable(Fields.identifier(maxProductKey))
})
export type RemovedRecord = typeof RemovedRecord.Type

/** Complete records, as the database stores them. */
export type CatalogRecord = NicheRecord | ShopRecord | TrafficMonthRecord | ProductRecord | AdRecord

/** Records of the native import format. */
export type NativeRecord = CatalogRecord | CategoryRecord | PartialShop | RemovedRecord

/** In order of reference: a record refers only to records of earlier types. */
export const schemas = {
  niche: NicheRecord,
  category: CategoryRecord,
  shop: ShopRecord,
  partial_shop: PartialShop,
  traffic_month: TrafficMonthRecord,
  product: ProductRecord,
  ad: AdRecord,
  removed: RemovedRecord
} as const satisfies Record<NativeRecord["type"], Schema.Codec<NativeRecord, unknown>>

export const recordTypes = Struct.keys(schemas)

type Decoded<A> = Result.Result<A, ReadonlyArray<ArgumentIssue>>

const tagIssues = ArgumentDecoder.decoder(Schema.Struct({ type: Schema.Literals(recordTypes) }))

/** Decodes by the tag, so that issues are those of the intended type. */
const byType =
  <A>(decoders: Readonly<Record<NativeRecord["type"], (input: unknown) => Decoded<A>>>) =>
  (input: unknown): Decoded<A> => {
    if (!Predicate.isObject(input)) return Result.fail([issueAt("", "not_record")])
    if (Predicate.hasProperty(input, "type") && isRecordType(input.type)) return decoders[input.type](input)
    // Only for the issue of the tag: without it, the other fields mean nothing.
    return Result.flatMap(tagIssues("type" in input ? { type: input.type } : {}), ({ type }) => decoders[type](input))
  }

const isRecordType = (value: unknown): value is NativeRecord["type"] =>
  typeof value === "string" && Object.hasOwn(schemas, value)

/** Decodes one record from parsed JSON, or returns all its issues. */
export const decode: (input: unknown) => Decoded<NativeRecord> = byType(
  EffectRecord.map(schemas, (schema) => RecordDecoder.make<Schema.Codec<NativeRecord, unknown>>(schema))
)

/** Of these, every value decides about the record. */
const strictTypes: ReadonlySet<string> = new Set(["niche", "category", "removed"])

/** As {@link decode}, of a record whose optional values need not fit. */
export const correct: (input: unknown) => Decoded<LenientDecoder.Corrected<NativeRecord>> = byType(
  EffectRecord.map(schemas, (schema, type) =>
    LenientDecoder.make<Schema.Codec<NativeRecord, unknown>>(schema, {
      decides: strictTypes.has(type) ? "all" : "required"
    })
  )
)
