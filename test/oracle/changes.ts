/** Transactions that change and stamp records as imports do. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as CatalogVersion from "../../src/services/import/CatalogVersion.ts"
import { languages, pixels, socialNetworks } from "../../src/domain/catalog/Enumerations.ts"
import { pseudoStoreOf } from "../../src/domain/catalog/StorelessAds.ts"
import { countries } from "./NaiveCatalog.ts"
import type * as Random from "./Random.ts"

interface Touched {
  readonly items?: ReadonlyArray<number>
  readonly figures?: ReadonlyArray<number>
  readonly niches?: boolean
}

export const change = <E, R>(write: (sql: SqlClient.SqlClient) => Effect.Effect<Touched, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const version = yield* CatalogVersion.begin(sql)
        const { figures = [], items = [], niches = false } = yield* write(sql)
        yield* CatalogVersion.commit(sql, version, { items, figures, niches })
      })
    )
  )

const pick = (random: Random.Random, table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [counted] = yield* sql<{ rows: number }>`SELECT count(*)::int AS rows FROM ${sql(table)}`
    const at = random.int(0, (counted?.rows ?? 0) - 1)
    const [row] = yield* sql<{ id: number; shop_id: number | null }>`
      SELECT * FROM ${sql(table)} ORDER BY id OFFSET ${Math.max(0, at)} LIMIT 1`
    return row ?? { id: 0, shop_id: null }
  })

const holderOf = ({ id, shop_id }: { id: number; shop_id: number | null }) => shop_id ?? pseudoStoreOf(id)

/** A random change of every kind that an import can make. */
export const randomChange = (random: Random.Random) =>
  change((sql) =>
    Effect.gen(function* () {
      const shop = yield* pick(random, "shop")
      const ad = yield* pick(random, "ad")
      const product = yield* pick(random, "product")
      switch (random.int(0, 9)) {
        case 0:
          yield* sql`UPDATE shop SET monthly_revenue = ${random.int(0, 9_999)}, theme = ${`Theme ${random.int(0, 9)}`},
            apps = ARRAY[${`App ${random.int(0, 9)}`}, 'Klaviyo'], country = ${random.pick(countries)},
            languages = ${random.some(languages, 0, 4)}::text[], pixels = ${random.some(pixels, 0, 3)}::text[],
            social_networks = ${random.some(socialNetworks, 0, 3)}::text[] WHERE id = ${shop.id}`
          return { figures: [shop.id] }
        case 1:
          yield* sql`INSERT INTO traffic_month VALUES (${shop.id}, '2031-01-01', ${random.int(0, 99_999)})
            ON CONFLICT (shop_id, month) DO UPDATE SET visits = excluded.visits`
          return { figures: [shop.id] }
        case 2:
          yield* sql`UPDATE shop SET name = ${`Name ${random.int(0, 99)}`} WHERE id = ${shop.id}`
          return { items: [shop.id] }
        case 3:
          yield* sql`UPDATE product SET title = ${`Title ${random.int(0, 99)}`}, price = ${random.int(1, 99)}
            WHERE id = ${product.id}`
          return { items: [holderOf(product)] }
        case 4:
          yield* sql`DELETE FROM product WHERE id = ${product.id}`
          return { items: [holderOf(product)] }
        case 5:
          yield* sql`UPDATE ad SET shop_id = ${random.int(0, 1) === 0 ? null : shop.id}, is_active = NOT is_active
            WHERE id = ${ad.id}`
          return { items: [holderOf(ad), shop.id, pseudoStoreOf(ad.id)] }
        case 6:
          yield* sql`DELETE FROM ad WHERE id = ${ad.id}`
          return { items: [holderOf(ad)] }
        case 8:
          yield* sql`INSERT INTO mover (shop_id, ads_change_30d, price_change_7d) VALUES (${shop.id}, ${random.int(-9, 9)}, 0.5)
            ON CONFLICT (shop_id) DO UPDATE SET ads_change_30d = excluded.ads_change_30d`
          return { figures: [shop.id] }
        case 7:
          yield* sql`DELETE FROM shop WHERE id = ${shop.id}`
          return { items: [shop.id] }
        default: {
          const name = `new${random.int(0, 1e9)}.example`
          const [made] = yield* sql<{ id: number }>`
            INSERT INTO shop (domain, domain_extension, name, country) VALUES (${name}, '.example', ${name}, 'FR')
            RETURNING id`
          const id = made?.id ?? 0
          yield* sql`INSERT INTO product (shop_id, key, title, price) VALUES (${id}, 'a', 'Something', 3)`
          yield* sql`UPDATE niche SET name = ${name} WHERE id = (SELECT min(id) FROM niche)`
          return { items: [id], niches: true }
        }
      }
    })
  )
