/** The steps by which search rows follow the records; {@link DerivedData} says when. All run in the caller's transaction. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as ItemRows from "./ItemRows.ts"
import * as SearchIndexes from "./SearchIndexes.ts"
import * as ShopRollups from "./ShopRollups.ts"
import * as ShopRows from "./ShopRows.ts"

/** What a batch has written or deleted. */
export interface Touched {
  /**
   * Every store whose record, traffic, products or ads were written or deleted, deleted stores too. All their search
   * rows are derived anew.
   */
  readonly shopIds: Iterable<number>
  /**
   * Ads without a store that were written, and all ads that were deleted: which store such an ad belonged to when it was
   * derived last, its record does not tell any more. Other ads may be listed too, but need not.
   */
  readonly adIds?: Iterable<number>
}

/**
 * Rows written or deleted; all 0 when the records say what they said before. `shops` counts the row of ads without a
 * store as well, and that of the catalogue when it was missing or out of step. `version` is the catalogue's, afterwards.
 */
export const Changes = Schema.Struct({
  shops: Schema.Int,
  products: Schema.Int,
  ads: Schema.Int,
  names: Schema.Int,
  version: Schema.Int
})
export type Changes = typeof Changes.Type

/** Told after each step of a long run; units are items, products and ads together. */
export type Progress = (done: number, total: number) => Effect.Effect<void>

type Run<A> = Effect.fn.Return<A, SqlError.SqlError, SqlClient.SqlClient>

/** Bounds what is held in memory; each step is one statement or two. */
const shopsAtOnce = 1_000
const itemsAtOnce = 5_000

const chunks = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size))

interface Id {
  readonly id: number
}
const idsOf = (rows: ReadonlyArray<Id>): ReadonlyArray<number> => rows.map((row) => row.id)

/** Runs a step over pages of ids and adds up what it counts. */
const inPages = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  step: (page: ReadonlyArray<number>) => Effect.Effect<number, SqlError.SqlError, SqlClient.SqlClient>,
  size: number,
  after: (done: number) => Effect.Effect<void> = () => Effect.void
): Run<number> {
  let sum = 0
  for (const page of chunks(ids, size)) {
    sum += yield* step(page)
    yield* after(page.length)
  }
  return sum
})

/** The stores whose roll-ups the batch may have moved: those it names, and those that its ads belong or belonged to. */
const touchedShops = Effect.fnUntraced(function* (
  shopIds: ReadonlyArray<number>,
  adIds: ReadonlyArray<number>
): Run<ReadonlyArray<number>> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Id>`
    SELECT unnest(${shopIds}::int[]) AS id
    UNION SELECT coalesce(shop_id, 0) FROM ad WHERE id = ANY(${adIds}::int[])
    UNION SELECT shop_id FROM ad_search WHERE id = ANY(${adIds}::int[])
    UNION SELECT o.shop_id FROM ad a JOIN ad_search o ON o.id = a.id
      WHERE a.shop_id = ANY(${shopIds}::int[]) AND o.shop_id <> a.shop_id
    ORDER BY id`
  return idsOf(rows)
})

export const touched = Effect.fnUntraced(function* (batch: Touched): Run<Changes> {
  const adIds = Array.from(new Set(batch.adIds ?? []))
  const shopIds = yield* touchedShops(Array.from(new Set(batch.shopIds)), adIds)
  const names = yield* inPages(shopIds, ShopRows.deriveNames, shopsAtOnce)
  const shops = yield* inPages(shopIds, ShopRows.derive, shopsAtOnce)
  const changedProducts = yield* ItemRows.changedProducts(shopIds)
  const changedAds = yield* ItemRows.changedAds(shopIds, adIds)
  const products =
    (yield* inPages(changedProducts, ItemRows.deriveProducts, itemsAtOnce)) + (yield* ItemRows.deleteProducts(shopIds))
  const ads =
    (yield* inPages(changedAds, ItemRows.deriveAds, itemsAtOnce)) + (yield* ItemRows.deleteAds({ shopIds, adIds }))
  const rollups = yield* inPages(shopIds, ShopRollups.derive, shopsAtOnce)
  return yield* conclude({ names, shops: shops + rollups, products, ads })
})

/** What the catalogue's row says beside its versions, as it follows from stores' rows and niches. */
const totals = `
  SELECT (count(*) FILTER (WHERE id > 0))::int AS n_shops, coalesce(sum(n_products), 0)::int AS n_products,
    coalesce(sum(n_ads), 0)::int AS n_ads, (count(*) FILTER (WHERE id > 0 AND n_ads > 0))::int AS n_advertisers
  FROM shop_search`
const nichesDigest = `(
  SELECT coalesce(md5(string_agg(concat_ws(' ', id, coalesce(parent_id, 0), name), E'\\n' ORDER BY id)), '') FROM niche
)`

/**
 * Whether the catalogue's row, which the migration inserts and a restore of the records alone leaves out, is missing or
 * says something else; 1 or 0. One that is missing begins at versions that no server can have seen: one that runs on
 * would take the names that it remembers for those of the new rows.
 */
const ensureCatalogue = Effect.gen(function* (): Run<number> {
  const sql = yield* SqlClient.SqlClient
  const inStep = yield* sql`
    SELECT FROM catalogue c, (${sql.literal(totals)}) t
    WHERE (c.n_shops, c.n_products, c.n_ads, c.n_advertisers) = (t.n_shops, t.n_products, t.n_ads, t.n_advertisers)
      AND c.niches_digest = ${sql.literal(nichesDigest)}`
  yield* sql`
    INSERT INTO catalogue (version, vocabulary_version)
    SELECT start, start FROM (SELECT 1000000 + (random() * 1e9)::int AS start) s
    ON CONFLICT DO NOTHING`
  return inStep.length === 0 ? 1 : 0
})

export const everything = Effect.fnUntraced(function* (progress: Progress): Run<Changes> {
  const sql = yield* SqlClient.SqlClient
  const shopIds = idsOf(
    yield* sql<Id>`
      SELECT 0 AS id UNION SELECT id FROM shop UNION SELECT id FROM shop_search UNION SELECT id FROM shop_products
      UNION SELECT id FROM shop_ads ORDER BY id`
  )
  const productIds = idsOf(yield* sql<Id>`SELECT id FROM product ORDER BY id`)
  const adIds = idsOf(yield* sql<Id>`SELECT id FROM ad ORDER BY id`)
  let done = 0
  const advance = (items: number) => {
    done += items
    return progress(done, productIds.length + adIds.length)
  }
  const indexes = yield* SearchIndexes.dropIfEmpty
  const names = yield* inPages(shopIds, ShopRows.deriveNames, shopsAtOnce)
  const shops = yield* inPages(shopIds, ShopRows.derive, shopsAtOnce)
  const products =
    (yield* inPages(productIds, ItemRows.deriveProducts, itemsAtOnce, advance)) +
    (yield* ItemRows.deleteProducts("all"))
  const ads = (yield* inPages(adIds, ItemRows.deriveAds, itemsAtOnce, advance)) + (yield* ItemRows.deleteAds("all"))
  yield* SearchIndexes.create(indexes)
  const rollups = yield* inPages(shopIds, ShopRollups.derive, shopsAtOnce)
  return yield* conclude({ names, shops: shops + rollups + (yield* ensureCatalogue), products, ads })
})

/** Totals, and the version, if anything has changed. Counted anew each time: a sum over stores costs little. */
const conclude = Effect.fnUntraced(function* (changes: Omit<Changes, "version">): Run<Changes> {
  const sql = yield* SqlClient.SqlClient
  const digest = sql.literal(nichesDigest)
  if (changes.shops + changes.products + changes.ads + changes.names === 0) {
    const [unmoved] = yield* sql<{ version: number }>`SELECT version FROM catalogue WHERE niches_digest = ${digest}`
    if (unmoved !== undefined) return { ...changes, version: unmoved.version }
  }
  const [row] = yield* sql<{ version: number }>`
    UPDATE catalogue c SET
      version = c.version + 1,
      vocabulary_version = c.vocabulary_version + (${changes.names > 0} OR c.niches_digest <> n.digest)::int,
      niches_digest = n.digest,
      n_shops = t.n_shops, n_products = t.n_products, n_ads = t.n_ads, n_advertisers = t.n_advertisers
    FROM (SELECT ${digest} AS digest) n, (${sql.literal(totals)}) t
    RETURNING c.version`
  return { ...changes, version: row?.version ?? 0 }
})
