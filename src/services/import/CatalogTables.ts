/** The table and columns of each type of record. Columns that the search index reads have a stamp. */
import { Struct } from "effect"
import type {
  AdRecord,
  CategoryRecord,
  ProductRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../../domain/catalog/Records.ts"
import { byField } from "../../domain/catalog/Figures.ts"
import { extension } from "../../domain/catalog/StoreDomain.ts"
import { sqlPseudoStoreOf } from "../../domain/catalog/StorelessAds.ts"
import { textArray, upsert } from "./BulkUpsert.ts"
import { keptOfAds, keptOfMonths, keptOfProducts, keptOfStores } from "./ChangeLog.ts"
import type { Dated, Facts } from "./StoreDates.ts"
import type { Column } from "./BulkUpsert.ts"
import type { KeyedNiche } from "./Niches.ts"

/** A record with the id of its store, which is null for an ad without a store. */
interface OfShop<Record, ShopId = number> {
  readonly record: Record
  readonly shopId: ShopId
}

export const upsertNiches = upsert<KeyedNiche>({
  name: "niche",
  key: ["id"],
  columns: [
    {
      name: "taxonomy_key",
      sentAs: "text",
      merge: "keep_when_null",
      value: ({ taxonomy_key }) => taxonomy_key ?? null
    },
    { name: "id", sentAs: "int4", value: ({ id }) => id },
    { name: "parent_id", sentAs: "int4", value: ({ parent_id }) => parent_id },
    { name: "name", sentAs: "text", value: ({ name }) => name }
  ],
  isVersioned: false
})

/** Names must be in lower case. */
export const upsertCategories = upsert<CategoryRecord>({
  name: "category",
  key: ["name"],
  columns: [
    { name: "name", sentAs: "text", value: ({ name }) => name },
    { name: "niche_id", sentAs: "int4", value: ({ niche }) => niche }
  ],
  isVersioned: false
})

type Shape = Omit<Column<never>, "name" | "value">

const text = { sentAs: "text", stamp: "figures" } as const
const count = { sentAs: "int4", stamp: "figures" } as const
const amount = { sentAs: "float8", stamp: "figures" } as const
const texts = { sentAs: "text", cast: "text[]", stamp: "figures" } as const

/** How each field of a store is sent. A field of the record without an entry does not compile. */
const shopFields = {
  name: { sentAs: "text", stamp: "items" },
  country: text,
  currency: text,
  theme: text,
  niche: count,
  languages: texts,
  pixels: texts,
  social_networks: texts,
  apps: texts,
  created_on: { ...text, cast: "date" },
  ...byField(({ unit }) => (unit === "count" ? count : amount))
} as const satisfies Readonly<Record<Exclude<keyof ShopRecord, "type" | "domain">, Shape>>

/** The columns of a store. Fields that are absent or `null` become NULL. */
const shopColumns: ReadonlyArray<Column<Facts>> = [
  { name: "domain", sentAs: "text", value: ({ domain }) => domain },
  { name: "domain_extension", sentAs: "text", stamp: "figures", value: ({ domain }) => extension(domain) },
  ...Struct.keys(shopFields).map((field): Column<Facts> => ({
    ...shopFields[field],
    name: field === "niche" ? "niche_id" : field,
    value: (shop) => {
      const value = shop[field]
      return typeof value === "object" && value !== null ? textArray(value) : (value ?? null)
    }
  }))
]

const shops = {
  name: "shop",
  key: ["domain"],
  ofStore: { stamp: "items", id: (row: string) => `${row}.id` },
  dates: { column: "said_on", isDeferred: false },
  kept: keptOfStores,
  isVersioned: true
} as const

const saidOn: Column<Dated> = { name: "said_on", sentAs: "text", value: ({ saidOn }) => saidOn }

/** `otherwise`: what absent fields of a record are. */
const shopTable = (merge: (name: string) => Column<Dated>["merge"], otherwise: Omit<Facts, "domain"> = {}) =>
  upsert<Dated>({
    ...shops,
    columns: [
      ...shopColumns.map(({ value, ...column }): Column<Dated> => {
        const merged = merge(column.name)
        return {
          ...column,
          ...(merged === undefined ? {} : { merge: merged }),
          value: ({ facts }, asOf) => value({ ...otherwise, ...facts }, asOf)
        }
      }),
      saidOn
    ]
  })

/** A niche that a record does not state is removed at the end of the import, by `Niches.choose`. */
export const upsertShops = shopTable((name) => (name === "niche_id" ? "keep_when_null" : undefined))

/** Inserts stores that are not stored yet. Columns of lists are NOT NULL: a new row gets empty lists where nothing is known. */
export const insertPartialShops = shopTable(() => undefined, {
  languages: [],
  pixels: [],
  social_networks: [],
  apps: []
})

/** Updates stored stores. Fields that the record lacks keep their values. */
export const updatePartialShops = shopTable(() => "keep_when_null")

const asOf: Column<unknown> = { name: "as_of", sentAs: "text", cast: "date", merge: "greatest", value: (_, day) => day }

export const upsertTrafficMonths = upsert<OfShop<TrafficMonthRecord>>({
  name: "traffic_month",
  key: ["shop_id", "month"],
  columns: [
    { name: "shop_id", sentAs: "int4", value: ({ shopId }) => shopId },
    { name: "month", sentAs: "text", cast: "date", value: ({ record }) => `${record.month}-01` },
    { name: "visits", sentAs: "int4", stamp: "figures", value: ({ record }) => record.visits },
    asOf
  ],
  dates: { column: "as_of", isDeferred: false },
  kept: keptOfMonths,
  ofStore: { stamp: "figures", id: (row) => `${row}.shop_id` },
  isVersioned: false
})

/** The columns of a product, by the field of its record; one without a column does not compile. */
const productFields = {
  key: { name: "key", sentAs: "text", value: ({ record }) => record.key },
  alias: { name: "alias", sentAs: "text", merge: "keep_when_null", value: ({ record }) => record.alias ?? null },
  title: { name: "title", sentAs: "text", stamp: "items", value: ({ record }) => record.title },
  url: { name: "url", sentAs: "text", value: ({ record }) => record.url },
  image_url: { name: "image_url", sentAs: "text", value: ({ record }) => record.image_url },
  price: { name: "price", sentAs: "float8", stamp: "items", value: ({ record }) => record.price },
  created_at: {
    name: "created_at",
    sentAs: "text",
    cast: "timestamptz",
    stamp: "items",
    value: ({ record }) => record.created_at
  },
  details: {
    name: "details",
    sentAs: "text",
    cast: "jsonb",
    value: ({ record }) => (record.details === null ? null : JSON.stringify(record.details))
  }
} satisfies Readonly<Record<Exclude<keyof ProductRecord, "type" | "shop">, Column<OfShop<ProductRecord>>>>

const productColumns: ReadonlyArray<Column<OfShop<ProductRecord>>> = [
  { name: "shop_id", sentAs: "int4", value: ({ shopId }) => shopId },
  ...Object.values(productFields),
  asOf
]

const products = {
  name: "product",
  key: ["shop_id", "key"],
  ofStore: { stamp: "items", id: (row: string) => `${row}.shop_id` },
  dates: { column: "as_of", isDeferred: true },
  kept: keptOfProducts,
  isVersioned: true
} as const

export const upsertProducts = upsert<OfShop<ProductRecord>>({ ...products, columns: productColumns })

/** Columns that some formats do not have, so that a product without a value keeps the one of another format. */
const oftenMissing = new Set(["created_at", "url"])

/** Products of formats other than the native one. */
export const upsertForeignProducts = upsert<OfShop<ProductRecord>>({
  ...products,
  columns: productColumns.map((column) =>
    oftenMissing.has(column.name) ? { ...column, merge: "keep_when_null" as const } : column
  )
})

type AdColumn = Column<OfShop<AdRecord, number | null>>

/** The columns of an ad, by the field of its record; one without a column does not compile. */
const adFields = {
  key: { name: "key", sentAs: "text", value: ({ record }) => record.key },
  ad_archive_id: { name: "ad_archive_id", sentAs: "text", value: ({ record }) => record.ad_archive_id },
  page_name: { name: "page_name", sentAs: "text", stamp: "items", value: ({ record }) => record.page_name },
  status: { name: "is_active", sentAs: "bool", stamp: "items", value: ({ record }) => record.status === "active" },
  media_type: { name: "media_type", sentAs: "text", stamp: "items", value: ({ record }) => record.media_type },
  headline: { name: "headline", sentAs: "text", stamp: "items", value: ({ record }) => record.headline },
  ad_text: { name: "ad_text", sentAs: "text", stamp: "items", value: ({ record }) => record.ad_text },
  cta: { name: "cta", sentAs: "text", stamp: "items", value: ({ record }) => record.cta },
  landing_url: { name: "landing_url", sentAs: "text", value: ({ record }) => record.landing_url },
  image_url: { name: "image_url", sentAs: "text", value: ({ record }) => record.image_url },
  ad_library_url: { name: "ad_library_url", sentAs: "text", value: ({ record }) => record.ad_library_url },
  started_on: {
    name: "started_on",
    sentAs: "text",
    cast: "date",
    stamp: "items",
    value: ({ record }) => record.started_on
  },
  last_seen_on: { name: "last_seen_on", sentAs: "text", cast: "date", value: ({ record }) => record.last_seen_on },
  is_partnership: {
    name: "is_partnership",
    sentAs: "bool",
    stamp: "items",
    value: ({ record }) => record.is_partnership
  }
} satisfies Readonly<Record<Exclude<keyof AdRecord, "type" | "shop">, AdColumn>>

const adColumns: ReadonlyArray<AdColumn> = Object.values(adFields)

const shopId: AdColumn = {
  name: "shop_id",
  sentAs: "int4",
  stamp: "items",
  value: ({ shopId }) => shopId
}

/** Moving an ad to another store updates the stamp of both stores. */
const ads = {
  name: "ad",
  key: ["key"],
  ofStore: { stamp: "items", id: (row: string) => `coalesce(${row}.shop_id, ${sqlPseudoStoreOf(`${row}.id`)})` },
  kept: keptOfAds,
  isVersioned: true
} as const

export const upsertAds = upsert<OfShop<AdRecord, number | null>>({ ...ads, columns: [shopId, ...adColumns] })

/**
 * An ad of an ad library or a table with its store, if one was found, and the page and domain by which a later import can find
 * it.
 */
export interface FoundLibraryAd extends OfShop<AdRecord, number | null> {
  readonly pageId: string | null
  readonly linkDomain: string | null
  /** `YYYY-MM-DD`. */
  readonly seenOn: string
  /** Whether newer data of the ad are stored. */
  readonly isOlder: boolean
}

export const upsertLibraryAds = upsert<FoundLibraryAd>({
  ...ads,
  columns: [
    { ...shopId, merge: "newest_known" },
    ...adColumns.map((column) => ({ ...column, merge: "newest" as const })),
    { name: "page_id", sentAs: "text", merge: "newest_known", value: ({ pageId }) => pageId },
    { name: "link_domain", sentAs: "text", merge: "newest_known", value: ({ linkDomain }) => linkDomain },
    { name: "seen_on", sentAs: "text", cast: "date", merge: "greatest", value: ({ seenOn }) => seenOn }
  ]
})
