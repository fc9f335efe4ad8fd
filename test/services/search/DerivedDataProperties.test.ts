/**
 * Whatever is changed, removed and added in whatever order, cut into whatever batches: what `refresh` leaves is what a
 * first load of the records would make.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DerivedData } from "../../../src/services/search/DerivedData.ts"
import { assertAsFromScratch } from "../../support/FromScratch.ts"
import type { DerivedState } from "../../support/FromScratch.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Few stores and keys, so that steps meet. Of every kind a step adds, changes or removes. */
const Step = Schema.Struct({
  what: Schema.Literals([
    "shop",
    "shop less",
    "month",
    "month less",
    "product",
    "product less",
    "ad",
    "ad of nobody",
    "ad less",
    "niche",
    "niche less"
  ]),
  shop: small(4),
  key: small(5),
  value: small(4),
  /** What happens after the step. */
  afterwards: Schema.Literals(["nothing", "nothing", "refresh", "refresh", "compare"])
})
type Step = typeof Step.Type

const Steps = Schema.Array(Step).check(Schema.isMinLength(20), Schema.isMaxLength(80))

/** What is there before, so that steps have something to change and to remove. */
const beginning: ReadonlyArray<Step> = [
  ...[0, 1, 2].map((key) => ({ what: "niche" as const, shop: 0, key, value: 0 })),
  ...[0, 1, 2, 3].flatMap((shop) => [
    { what: "shop" as const, shop, key: shop % 2, value: 0 },
    ...[0, 1, 2].flatMap((key) => [
      { what: "month" as const, shop, key, value: (key + shop) % 4 },
      { what: "product" as const, shop, key, value: (key + shop) % 5 }
    ]),
    { what: "ad" as const, shop, key: shop, value: shop }
  ]),
  { what: "ad of nobody" as const, shop: 0, key: 4, value: 2 }
].map((step) => ({ ...step, afterwards: "nothing" }))

interface Id {
  readonly id: number
}

const themes = ["Dawn", "DAWN", "Impulse", null, "Ünique"]
const apps = [[], ["Klaviyo"], ["KLAVIYO", "Loox"], ["Loox"], ["Été", "Klaviyo"]]
const extensions = [".com", ".de", ".co.uk", ".com", ".shop"]

const idsOf = (rows: ReadonlyArray<Id>) => rows.map(({ id }) => id)

/** What a batch has to tell that it touched. */
class Batch {
  readonly shopIds = new Set<number>()
  readonly adIds = new Set<number>()
}

/** A record refers to what is there; a step that has nothing to act on does nothing. */
const apply = Effect.fnUntraced(function* (step: Step, batch: Batch) {
  const sql = yield* SqlClient.SqlClient
  const { key, shop, value, what } = step
  const domain = `shop-${shop}${extensions[shop % extensions.length] ?? ""}`
  const ofShop = sql`(SELECT id FROM shop WHERE domain LIKE ${`shop-${shop}.%`})`
  const touchesShops = Effect.fnUntraced(function* (rows: Effect.Effect<ReadonlyArray<Id>, unknown>) {
    for (const id of idsOf(yield* Effect.orDie(rows))) batch.shopIds.add(id)
  })
  switch (what) {
    case "shop":
      return yield* touchesShops(sql<Id>`
        INSERT INTO shop (domain, domain_extension, name, country, theme, apps, niche_id, monthly_revenue, products_count,
          imported_at)
        VALUES (${domain}, ${extensions[(shop + value) % 5] ?? ""}, ${`Name ${value}`}, ${value === 2 ? "DE" : "US"},
          ${themes[value] ?? null}, ${apps[key % 5] ?? []}::text[],
          (SELECT id FROM niche WHERE id = ${key + 1}), ${value === 3 ? null : value * 10.5},
          ${value === 4 ? 7 : null}, ${`2026-0${key + 1}-01T00:00:00Z`}::timestamptz)
        ON CONFLICT (domain) DO UPDATE SET name = excluded.name, theme = excluded.theme, apps = excluded.apps,
          country = excluded.country, niche_id = excluded.niche_id, monthly_revenue = excluded.monthly_revenue,
          products_count = excluded.products_count, domain_extension = excluded.domain_extension,
          imported_at = excluded.imported_at
        RETURNING id`)
    case "shop less":
      // Its ads go with it, those too that were another's when they were derived last.
      for (const id of idsOf(yield* sql<Id>`DELETE FROM ad WHERE shop_id = ${ofShop} RETURNING id`)) batch.adIds.add(id)
      return yield* touchesShops(sql<Id>`DELETE FROM shop WHERE id = ${ofShop} RETURNING id`)
    case "month":
      return yield* touchesShops(sql<Id>`
        INSERT INTO traffic_month SELECT id, ${`2026-0${key + 1}-01`}::date, ${value * value * 50} FROM ${ofShop} s
        ON CONFLICT (shop_id, month) DO UPDATE SET visits = excluded.visits RETURNING shop_id AS id`)
    case "month less":
      return yield* touchesShops(sql<Id>`
        DELETE FROM traffic_month WHERE shop_id = ${ofShop} AND month = ${`2026-0${key + 1}-01`}::date
        RETURNING shop_id AS id`)
    case "product":
      return yield* touchesShops(sql<Id>`
        INSERT INTO product (shop_id, key, title, price, created_at)
        SELECT id, ${String(key)}, ${`Lamp ${value}`}, ${value * 9.99},
          ${value === 0 ? null : `2026-0${value}-15T12:00:00Z`}::timestamptz FROM ${ofShop} s
        ON CONFLICT (shop_id, key) DO UPDATE
        SET title = excluded.title, price = excluded.price, created_at = excluded.created_at
        RETURNING shop_id AS id`)
    case "product less":
      return yield* touchesShops(sql<Id>`
        DELETE FROM product WHERE shop_id = ${ofShop} AND key = ${String(key)} RETURNING shop_id AS id`)
    case "ad":
    case "ad of nobody": {
      // An import tells the store that an ad has now; the one that it had before, the derived data know.
      const [written] = yield* sql<{ id: number; shop_id: number | null }>`
        INSERT INTO ad (shop_id, key, page_name, is_active, media_type, headline, cta, started_on, last_seen_on)
        VALUES (${what === "ad" ? ofShop : null}, ${`ad ${key}`}, ${`Page ${value}`}, ${value > 1},
          ${value === 3 ? "video" : "image"}, ${value === 0 ? null : `Sale ${value}`}, ${value === 1 ? "Shop Now" : null},
          ${`2026-0${value + 1}-01`}::date, '2026-06-01')
        ON CONFLICT (key) DO UPDATE SET shop_id = excluded.shop_id, page_name = excluded.page_name,
          is_active = excluded.is_active, media_type = excluded.media_type, headline = excluded.headline,
          cta = excluded.cta, started_on = excluded.started_on
        RETURNING id, shop_id`
      if (written === undefined) return
      if (written.shop_id === null) batch.adIds.add(written.id)
      else batch.shopIds.add(written.shop_id)
      return
    }
    case "ad less": {
      const [gone] = yield* sql<{ id: number; shop_id: number | null }>`
        DELETE FROM ad WHERE key = ${`ad ${key}`} RETURNING id, shop_id`
      if (gone === undefined) return
      batch.adIds.add(gone.id)
      if (gone.shop_id !== null) batch.shopIds.add(gone.shop_id)
      return
    }
    case "niche":
      yield* sql`
        INSERT INTO niche VALUES (${key + 1}, (SELECT id FROM niche WHERE id = ${key}), ${`Niche ${key} ${value}`})
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, parent_id = excluded.parent_id`
      return
    case "niche less":
      yield* sql`
        DELETE FROM niche n WHERE id = ${key + 1}
          AND NOT EXISTS (SELECT FROM niche c WHERE c.parent_id = n.id)
          AND NOT EXISTS (SELECT FROM shop s WHERE s.niche_id = n.id)`
      return
  }
})

const vocabulary = ({ spellings, totals }: DerivedState) => [spellings, totals?.["niches_digest"]]

const services = DerivedData.layer.pipe(Layer.provideMerge(TestDatabase.layer))

layer(services, { excludeTestServices: true })("what is derived", (it) => {
  it.effect.prop(
    "is what a first load would make, whatever was changed, removed and added before",
    [Steps],
    ([steps]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const derived = yield* DerivedData
        yield* sql`TRUNCATE niche, shop, traffic_month, product, ad, spelling, tracked_shop`
        let batch = new Batch()
        for (const step of beginning) yield* apply(step, batch)
        yield* derived.rebuild()
        batch = new Batch()
        const versions = Effect.map(
          sql<{ version: number; vocabulary_version: number }>`SELECT version, vocabulary_version FROM catalogue`,
          ([row]) => row
        )
        let before = { state: yield* assertAsFromScratch, versions: yield* versions }

        const refresh = Effect.suspend(() => derived.refresh(batch)).pipe(
          Effect.tap(() => Effect.sync(() => void (batch = new Batch())))
        )
        const compare = Effect.gen(function* () {
          yield* refresh
          assert.deepInclude(yield* derived.verify, { shops: 0, products: 0, ads: 0, names: 0 })
          const after = { state: yield* assertAsFromScratch, versions: yield* versions }
          // What searches remember under a version must not be used for other data.
          if (after.versions?.version === before.versions?.version) assert.deepStrictEqual(after.state, before.state)
          if (after.versions?.vocabulary_version === before.versions?.vocabulary_version) {
            assert.deepStrictEqual(vocabulary(after.state), vocabulary(before.state))
          }
          before = after
        })

        for (const step of steps) {
          yield* apply(step, batch)
          if (step.afterwards === "refresh") yield* refresh
          if (step.afterwards === "compare") yield* compare
        }
        yield* compare
      }),
    { arbitrary: { runs: 40 } }
  )
})
