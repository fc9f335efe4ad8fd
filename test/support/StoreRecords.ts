/** Writes stores with the given values, their products and ads, as an import does; all other values are unknown. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RecordedField } from "../../src/domain/catalog/Figures.ts"
import type * as NaiveCatalog from "../oracle/NaiveCatalog.ts"
import { stampAndIndex } from "./Stamps.ts"

let number = 0

/** Sets only the given columns. */
const insert = Effect.fnUntraced(function* (table: string, row: Readonly<Record<string, unknown>>) {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.csv(Object.keys(row).map((name) => sql`${sql(name)}`))
  const [inserted] = yield* sql<{ readonly id: number }>`
    INSERT INTO ${sql(table)} (${columns})
    SELECT ${columns} FROM json_populate_record(NULL::${sql(table)}, ${JSON.stringify(row)}::json) RETURNING id`
  return inserted?.id ?? 0
}, Effect.orDie)

/** A value for every column. The niche must have been added. */
export const everyColumn = {
  name: "Nordlicht Lampen",
  domain: "nordlicht-lampen.com",
  country: "DE",
  currency: "EUR",
  niche_id: 1,
  languages: ["German", "English"],
  pixels: ["TikTok", "Facebook"],
  social_networks: ["Instagram"],
  apps: ["Klaviyo", "Judge.me"],
  theme: "Dawn",
  created_on: "2019-05-04",
  monthly_revenue: 184_250.4,
  monthly_orders: 2_310,
  products_count: 412,
  trustpilot_rating: 4.3,
  trustpilot_reviews: 1_204
} satisfies Partial<NaiveCatalog.Shop> & Readonly<Record<RecordedField, number>>

/** Visits of 24 months, for {@link addTraffic}. */
export const twoYears: Readonly<Record<string, number>> = Object.fromEntries(
  Array.from({ length: 24 }, (_, month) => [
    `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`,
    40_000 + Math.round(30_000 * Math.sin(month / 3)) + month * 2_000
  ])
)

/** Returns its id. */
export const addStore = (store: Partial<NaiveCatalog.Shop> = {}) =>
  Effect.suspend(() => {
    const domain = store.domain ?? `store-${++number}.com`
    return insert("shop", {
      domain,
      domain_extension: ".com",
      name: domain,
      country: "US",
      languages: [],
      pixels: [],
      social_networks: [],
      apps: [],
      ...store
    })
  })

export const addTraffic = Effect.fnUntraced(function* (shopId: number, months: Readonly<Record<string, number>>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO traffic_month SELECT ${shopId}::int, (m.key || '-01')::date, m.value::int
    FROM json_each_text(${JSON.stringify(months)}::json) m`
}, Effect.orDie)

export const addProduct = (shopId: number, product: Partial<NaiveCatalog.Product> = {}) =>
  Effect.suspend(() =>
    insert("product", {
      key: `p${++number}`,
      title: "A product",
      price: 12.5,
      first_seen: "2026-03-15T06:00:00Z",
      ...product,
      shop_id: shopId
    })
  )

export const addAd = (shopId: number | null, ad: Partial<NaiveCatalog.Ad> = {}) =>
  Effect.suspend(() =>
    insert("ad", {
      key: `a${++number}`,
      page_name: "A page",
      is_active: true,
      media_type: "image",
      started_on: "2026-01-10",
      last_seen_on: "2026-03-14",
      is_partnership: false,
      ...ad,
      shop_id: shopId
    })
  )

/** Without `parent` a root. */
export const addNiche = (id: number, name: string, parent: number | null = null) =>
  insert("niche", { id, name, parent_id: parent })

/** Makes the added records visible to searches and pages. */
export const derive = Effect.orDie(stampAndIndex)

/**
 * Changes of the last weeks before a day: the revenue rises each week by a tenth of what it is now, and the product had another price.
 */
export const addHistory = Effect.fnUntraced(function* (shopId: number, productId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT make_change_partitions()`
  yield* sql`INSERT INTO source (name) VALUES ('history') ON CONFLICT DO NOTHING`
  yield* sql`
    INSERT INTO history_start (shop_id, part, version, as_of)
    SELECT ${shopId}::int, part, 0, '2026-01-05' FROM unnest('{figures,products,ads}'::text[]) part`
  yield* sql`
    INSERT INTO change (version, as_of, source_id, kind, shop_id, name, old, new)
    SELECT n, make_date(2026, 1, 5) + 7 * n, (SELECT id FROM source WHERE name = 'history'), 'figure_changed', ${shopId}::int,
      'monthly_revenue', monthly_revenue * (10 + n) / 20, monthly_revenue * (11 + n) / 20
    FROM generate_series(1, 9) n, shop WHERE shop.id = ${shopId}::int`
  yield* sql`
    INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, old, new)
    SELECT 20 + n, make_date(2026, 2, 1) + 5 * n, (SELECT id FROM source WHERE name = 'history'), 'price_down', ${shopId}::int,
      id, price + 15 - 5 * n, price + 10 - 5 * n
    FROM generate_series(0, 2) n, product WHERE product.id = ${productId}::int`
}, Effect.orDie)
