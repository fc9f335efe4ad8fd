/**
 * What cases are drawn from: stores, products and ads of the data itself, taken at random but the same ones in every run.
 * Shares of a sample stand for shares of the whole.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import type { Cta, Language, MediaType, Pixel, SocialNetwork } from "../../src/domain/catalog/Enumerations.ts"
import { Prng } from "../../src/services/import/demo/Prng.ts"
import * as WordTiers from "./WordTiers.ts"
import type { Words } from "./WordTiers.ts"

export interface Store {
  readonly domain_extension: string
  readonly country: string
  readonly currency: string | null
  /** Its niche and all above it. */
  readonly niches: ReadonlyArray<{ readonly id: number; readonly name: string }>
  readonly languages: ReadonlyArray<Language>
  readonly pixels: ReadonlyArray<Pixel>
  readonly social_networks: ReadonlyArray<SocialNetwork>
  readonly apps: ReadonlyArray<string>
  readonly theme: string | null
  readonly created_on: string | null
  readonly revenue: number | null
  readonly orders: number | null
  readonly visits: number | null
  readonly growth: number | null
  readonly active_ads: number
  readonly products_count: number | null
  readonly avg_price: number | null
  readonly rating: number | null
  readonly reviews: number | null
  readonly n_products: number
  readonly n_ads: number
}

export interface Ad {
  readonly is_active: boolean
  readonly media_type: MediaType
  readonly cta: Cta | null
  readonly is_partnership: boolean
  readonly started_on: string
  readonly days: number
}

export interface Sample {
  readonly stores: ReadonlyArray<Store>
  readonly nicheNames: ReadonlyMap<number, string>
  readonly ads: ReadonlyArray<Ad>
  readonly prices: ReadonlyArray<number>
  readonly words: { readonly products: Words; readonly ads: Words; readonly shops: Words }
}

/** So that a thousandth of them is still a number that says something. */
const size = 20_000

/** Ids are dense: nearly every one that is drawn exists, and each row as likely as the next. */
const ids = (maxId: number, what: string): ReadonlyArray<number> => {
  if (maxId <= size) return Array.from({ length: maxId }, (_, index) => index + 1)
  const random = new Prng("sample", what)
  const drawn = new Set<number>()
  while (drawn.size < size) drawn.add(random.int(1, maxId))
  return Array.from(drawn)
}

export const read: Effect.Effect<Sample, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const idsOf = (table: "shop" | "product" | "ad") =>
    Effect.map(
      sql<{ max: number }>`SELECT coalesce(max(id), 0) AS max FROM ${sql(table)}`,
      ([row]) => sql`${ids(row?.max ?? 0, table)}::int[]`
    )
  const shopIds = yield* idsOf("shop")
  const productIds = yield* idsOf("product")
  const adIds = yield* idsOf("ad")
  const stores = yield* sql<Store>`
    WITH RECURSIVE line AS (
      SELECT id, id AS above, parent_id, name FROM niche
      UNION ALL SELECT l.id, n.id, n.parent_id, n.name FROM line l JOIN niche n ON n.id = l.parent_id
    ),
    lines AS (SELECT id, json_agg(json_build_object('id', above, 'name', name) ORDER BY above) AS niches FROM line GROUP BY id)
    SELECT s.domain_extension, s.country, s.currency, coalesce(l.niches, '[]') AS niches, s.languages, s.pixels,
      s.social_networks, s.apps, s.theme, s.created_on::text, s.monthly_revenue AS revenue, s.monthly_orders AS orders,
      nullif(x.visits, -1) AS visits, nullif(x.growth, '-infinity') AS growth, x.n_active AS active_ads,
      nullif(x.products_count, -1) AS products_count, nullif(x.avg_price, -1) AS avg_price,
      s.trustpilot_rating AS rating, s.trustpilot_reviews AS reviews, x.n_products, x.n_ads
    FROM shop s JOIN shop_search x ON x.id = s.id LEFT JOIN lines l ON l.id = s.niche_id
    WHERE s.id = ANY(${shopIds}) ORDER BY s.id`
  const products = yield* sql<{ price: number; doc: string }>`
    SELECT price, doc FROM product_search WHERE id = ANY(${productIds}) ORDER BY id`
  const ads = yield* sql<Ad & { doc: string }>`
    SELECT a.is_active, a.media_type, a.cta, a.is_partnership, a.started_on::text,
      greatest(0, current_date - a.started_on) AS days, x.doc
    FROM ad a JOIN ad_search x ON x.id = a.id WHERE a.id = ANY(${adIds}) ORDER BY a.id`
  const shopDocs = yield* sql<{ doc: string }>`
    SELECT doc FROM shop_search WHERE id = ANY(${shopIds}) ORDER BY id`
  const tiers = (
    table: "product_search" | "ad_search" | "shop_search",
    rows: ReadonlyArray<{ readonly doc: string }>
  ) =>
    WordTiers.make(
      table,
      rows.map(({ doc }) => doc)
    )
  return {
    stores,
    nicheNames: new Map(stores.flatMap(({ niches }) => niches.map(({ id, name }) => [id, name] as const))),
    ads,
    prices: products.map(({ price }) => price),
    words: {
      products: yield* tiers("product_search", products),
      ads: yield* tiers("ad_search", ads),
      shops: yield* tiers("shop_search", shopDocs)
    }
  }
})
