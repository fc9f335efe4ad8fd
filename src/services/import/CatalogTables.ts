/** How each type of record is written: its table, its columns, and what is asked back. */
import type {
  AdRecord,
  NicheRecord,
  ProductRecord,
  ShopRecord,
  TrafficMonthRecord
} from "../../domain/catalog/Records.ts"
import { extension } from "../../domain/catalog/StoreDomain.ts"
import { textArray, upsert } from "./BulkUpsert.ts"

/** A record whose store is known by id. `shopId` is null for an ad without a store. */
interface OfShop<Record, ShopId = number> {
  readonly record: Record
  readonly shopId: ShopId
}

/** Rows written, and which stores they belong to. */
export interface Written {
  readonly added: number
  readonly changed: number
  readonly shop_ids: ReadonlyArray<number>
}

const counts = `
  (count(*) FILTER (WHERE is_new))::int AS added,
  (count(*) FILTER (WHERE NOT is_new))::int AS changed`

export const upsertNiches = upsert<Omit<Written, "shop_ids">, NicheRecord>({
  name: "niche",
  key: ["id"],
  columns: [
    { name: "id", sentAs: "int4", value: ({ id }) => id },
    { name: "parent_id", sentAs: "int4", value: ({ parent_id }) => parent_id },
    { name: "name", sentAs: "text", value: ({ name }) => name }
  ],
  answer: `SELECT ${counts} FROM changed`
})

export const upsertShops = upsert<{ id: number; domain: string; is_new: boolean }, ShopRecord>({
  name: "shop",
  key: ["domain"],
  columns: [
    { name: "domain", sentAs: "text", value: ({ domain }) => domain },
    // A record's domain has been decoded: it has an extension.
    { name: "domain_extension", sentAs: "text", value: ({ domain }) => extension(domain) },
    { name: "name", sentAs: "text", value: ({ name }) => name },
    { name: "country", sentAs: "text", value: ({ country }) => country },
    { name: "currency", sentAs: "text", value: ({ currency }) => currency },
    { name: "niche_id", sentAs: "int4", value: ({ niche }) => niche },
    { name: "languages", sentAs: "text", cast: "text[]", value: ({ languages }) => textArray(languages) },
    { name: "pixels", sentAs: "text", cast: "text[]", value: ({ pixels }) => textArray(pixels) },
    {
      name: "social_networks",
      sentAs: "text",
      cast: "text[]",
      value: ({ social_networks }) => textArray(social_networks)
    },
    { name: "apps", sentAs: "text", cast: "text[]", value: ({ apps }) => textArray(apps) },
    { name: "theme", sentAs: "text", value: ({ theme }) => theme },
    { name: "created_on", sentAs: "text", cast: "date", value: ({ created_on }) => created_on },
    { name: "monthly_revenue", sentAs: "float8", value: ({ monthly_revenue }) => monthly_revenue },
    { name: "monthly_orders", sentAs: "int4", value: ({ monthly_orders }) => monthly_orders },
    { name: "products_count", sentAs: "int4", value: ({ products_count }) => products_count },
    { name: "trustpilot_rating", sentAs: "float8", value: ({ trustpilot_rating }) => trustpilot_rating },
    { name: "trustpilot_reviews", sentAs: "int4", value: ({ trustpilot_reviews }) => trustpilot_reviews }
  ],
  onChange: ["imported_at = now()"],
  answer: `SELECT written.id, written.domain, changed.is_new FROM written JOIN changed USING (domain)`
})

export const upsertTrafficMonths = upsert<Written, OfShop<TrafficMonthRecord>>({
  name: "traffic_month",
  key: ["shop_id", "month"],
  columns: [
    { name: "shop_id", sentAs: "int4", value: ({ shopId }) => shopId },
    { name: "month", sentAs: "text", cast: "date", value: ({ record }) => `${record.month}-01` },
    { name: "visits", sentAs: "int4", value: ({ record }) => record.visits }
  ],
  answer: `SELECT ${counts}, coalesce(array_agg(DISTINCT shop_id), '{}') AS shop_ids FROM changed`
})

export const upsertProducts = upsert<Written, OfShop<ProductRecord>>({
  name: "product",
  key: ["shop_id", "key"],
  columns: [
    { name: "shop_id", sentAs: "int4", value: ({ shopId }) => shopId },
    { name: "key", sentAs: "text", value: ({ record }) => record.key },
    { name: "title", sentAs: "text", value: ({ record }) => record.title },
    { name: "url", sentAs: "text", value: ({ record }) => record.url },
    { name: "image_url", sentAs: "text", value: ({ record }) => record.image_url },
    { name: "price", sentAs: "float8", value: ({ record }) => record.price },
    { name: "created_at", sentAs: "text", cast: "timestamptz", value: ({ record }) => record.created_at },
    {
      name: "details",
      sentAs: "text",
      cast: "jsonb",
      value: ({ record }) => (record.details === null ? null : JSON.stringify(record.details))
    }
  ],
  answer: `SELECT ${counts}, coalesce(array_agg(DISTINCT shop_id), '{}') AS shop_ids FROM changed`
})

/** `ad_ids` are those without a store. The store that an ad belonged to before is known to the derived data. */
export const upsertAds = upsert<Written & { ad_ids: ReadonlyArray<number> }, OfShop<AdRecord, number | null>>({
  name: "ad",
  key: ["key"],
  columns: [
    { name: "shop_id", sentAs: "int4", value: ({ shopId }) => shopId },
    { name: "key", sentAs: "text", value: ({ record }) => record.key },
    { name: "ad_archive_id", sentAs: "text", value: ({ record }) => record.ad_archive_id },
    { name: "page_name", sentAs: "text", value: ({ record }) => record.page_name },
    { name: "is_active", sentAs: "bool", value: ({ record }) => record.status === "active" },
    { name: "media_type", sentAs: "text", value: ({ record }) => record.media_type },
    { name: "headline", sentAs: "text", value: ({ record }) => record.headline },
    { name: "ad_text", sentAs: "text", value: ({ record }) => record.ad_text },
    { name: "cta", sentAs: "text", value: ({ record }) => record.cta },
    { name: "landing_url", sentAs: "text", value: ({ record }) => record.landing_url },
    { name: "image_url", sentAs: "text", value: ({ record }) => record.image_url },
    { name: "ad_library_url", sentAs: "text", value: ({ record }) => record.ad_library_url },
    { name: "started_on", sentAs: "text", cast: "date", value: ({ record }) => record.started_on },
    { name: "last_seen_on", sentAs: "text", cast: "date", value: ({ record }) => record.last_seen_on },
    { name: "is_partnership", sentAs: "bool", value: ({ record }) => record.is_partnership }
  ],
  answer: `
    SELECT ${counts},
      coalesce(array_agg(DISTINCT shop_id) FILTER (WHERE shop_id IS NOT NULL), '{}') AS shop_ids,
      (SELECT coalesce(array_agg(id), '{}') FROM written WHERE shop_id IS NULL) AS ad_ids
    FROM changed`
})
