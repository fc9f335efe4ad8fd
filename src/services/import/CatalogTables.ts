/** The table and columns of each type of record, with the stamps of columns that the search index reads. */
import type {
  AdRecord,
  NicheRecord,
  ProductRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../../domain/catalog/Records.ts"
import { extension } from "../../domain/catalog/StoreDomain.ts"
import { sqlPseudoStoreOf } from "../../domain/catalog/StorelessAds.ts"
import { textArray, upsert } from "./BulkUpsert.ts"
import type { Column } from "./BulkUpsert.ts"
import type { StorefrontShop } from "./ImportSource.ts"

/** A record whose store is known by id. `shopId` is null for an ad without a store. */
interface OfShop<Record, ShopId = number> {
  readonly record: Record
  readonly shopId: ShopId
}

export const upsertNiches = upsert<NicheRecord>({
  name: "niche",
  key: ["id"],
  columns: [
    { name: "id", sentAs: "int4", value: ({ id }) => id },
    { name: "parent_id", sentAs: "int4", value: ({ parent_id }) => parent_id },
    { name: "name", sentAs: "text", value: ({ name }) => name }
  ],
  isVersioned: false
})

const ofShop = { stamp: "items", id: (row: string) => `${row}.id` } as const

/** The columns that storefronts have too. */
const shopIdentity: ReadonlyArray<Column<Omit<StorefrontShop, "type">>> = [
  { name: "domain", sentAs: "text", value: ({ domain }) => domain },
  { name: "domain_extension", sentAs: "text", stamp: "figures", value: ({ domain }) => extension(domain) },
  { name: "name", sentAs: "text", stamp: "items", value: ({ name }) => name },
  { name: "country", sentAs: "text", stamp: "figures", value: ({ country }) => country }
]
const shopCurrency: Column<Omit<StorefrontShop, "type">> = {
  name: "currency",
  sentAs: "text",
  stamp: "figures",
  value: ({ currency }) => currency
}
const shopProductsCount: Column<Omit<StorefrontShop, "type">> = {
  name: "products_count",
  sentAs: "int4",
  stamp: "figures",
  value: ({ products_count }) => products_count
}

export const upsertShops = upsert<ShopRecord>({
  name: "shop",
  key: ["domain"],
  columns: [
    ...shopIdentity,
    shopCurrency,
    { name: "niche_id", sentAs: "int4", stamp: "figures", value: ({ niche }) => niche },
    {
      name: "languages",
      sentAs: "text",
      cast: "text[]",
      stamp: "figures",
      value: ({ languages }) => textArray(languages)
    },
    { name: "pixels", sentAs: "text", cast: "text[]", stamp: "figures", value: ({ pixels }) => textArray(pixels) },
    {
      name: "social_networks",
      sentAs: "text",
      cast: "text[]",
      stamp: "figures",
      value: ({ social_networks }) => textArray(social_networks)
    },
    { name: "apps", sentAs: "text", cast: "text[]", stamp: "figures", value: ({ apps }) => textArray(apps) },
    { name: "theme", sentAs: "text", stamp: "figures", value: ({ theme }) => theme },
    { name: "created_on", sentAs: "text", cast: "date", stamp: "figures", value: ({ created_on }) => created_on },
    { name: "monthly_revenue", sentAs: "float8", stamp: "figures", value: ({ monthly_revenue }) => monthly_revenue },
    { name: "monthly_orders", sentAs: "int4", stamp: "figures", value: ({ monthly_orders }) => monthly_orders },
    shopProductsCount,
    {
      name: "trustpilot_rating",
      sentAs: "float8",
      stamp: "figures",
      value: ({ trustpilot_rating }) => trustpilot_rating
    },
    {
      name: "trustpilot_reviews",
      sentAs: "int4",
      stamp: "figures",
      value: ({ trustpilot_reviews }) => trustpilot_reviews
    }
  ],
  ofStore: ofShop,
  isVersioned: true
})

/** A known store keeps what its storefront does not say. */
export const upsertStorefronts = upsert<StorefrontShop>({
  name: "shop",
  key: ["domain"],
  columns: [...shopIdentity, { ...shopCurrency, isOptional: true }, { ...shopProductsCount, isOptional: true }],
  ofStore: ofShop,
  isVersioned: true
})

export const upsertTrafficMonths = upsert<OfShop<TrafficMonthRecord>>({
  name: "traffic_month",
  key: ["shop_id", "month"],
  columns: [
    { name: "shop_id", sentAs: "int4", value: ({ shopId }) => shopId },
    { name: "month", sentAs: "text", cast: "date", value: ({ record }) => `${record.month}-01` },
    { name: "visits", sentAs: "int4", stamp: "figures", value: ({ record }) => record.visits }
  ],
  ofStore: { stamp: "figures", id: (row) => `${row}.shop_id` },
  isVersioned: false
})

export const upsertProducts = upsert<OfShop<ProductRecord>>({
  name: "product",
  key: ["shop_id", "key"],
  columns: [
    { name: "shop_id", sentAs: "int4", value: ({ shopId }) => shopId },
    { name: "key", sentAs: "text", value: ({ record }) => record.key },
    { name: "title", sentAs: "text", stamp: "items", value: ({ record }) => record.title },
    { name: "url", sentAs: "text", value: ({ record }) => record.url },
    { name: "image_url", sentAs: "text", value: ({ record }) => record.image_url },
    { name: "price", sentAs: "float8", stamp: "items", value: ({ record }) => record.price },
    {
      name: "created_at",
      sentAs: "text",
      cast: "timestamptz",
      stamp: "items",
      value: ({ record }) => record.created_at
    },
    {
      name: "details",
      sentAs: "text",
      cast: "jsonb",
      value: ({ record }) => (record.details === null ? null : JSON.stringify(record.details))
    }
  ],
  ofStore: { stamp: "items", id: (row) => `${row}.shop_id` },
  isVersioned: true
})

/** An ad that moves changes the items of both stores. */
export const upsertAds = upsert<OfShop<AdRecord, number | null>>({
  name: "ad",
  key: ["key"],
  columns: [
    { name: "shop_id", sentAs: "int4", stamp: "items", value: ({ shopId }) => shopId },
    { name: "key", sentAs: "text", value: ({ record }) => record.key },
    { name: "ad_archive_id", sentAs: "text", value: ({ record }) => record.ad_archive_id },
    { name: "page_name", sentAs: "text", stamp: "items", value: ({ record }) => record.page_name },
    { name: "is_active", sentAs: "bool", stamp: "items", value: ({ record }) => record.status === "active" },
    { name: "media_type", sentAs: "text", stamp: "items", value: ({ record }) => record.media_type },
    { name: "headline", sentAs: "text", stamp: "items", value: ({ record }) => record.headline },
    { name: "ad_text", sentAs: "text", stamp: "items", value: ({ record }) => record.ad_text },
    { name: "cta", sentAs: "text", stamp: "items", value: ({ record }) => record.cta },
    { name: "landing_url", sentAs: "text", value: ({ record }) => record.landing_url },
    { name: "image_url", sentAs: "text", value: ({ record }) => record.image_url },
    { name: "ad_library_url", sentAs: "text", value: ({ record }) => record.ad_library_url },
    { name: "started_on", sentAs: "text", cast: "date", stamp: "items", value: ({ record }) => record.started_on },
    { name: "last_seen_on", sentAs: "text", cast: "date", value: ({ record }) => record.last_seen_on },
    { name: "is_partnership", sentAs: "bool", stamp: "items", value: ({ record }) => record.is_partnership }
  ],
  ofStore: { stamp: "items", id: (row) => `coalesce(${row}.shop_id, ${sqlPseudoStoreOf(`${row}.id`)})` },
  isVersioned: true
})
