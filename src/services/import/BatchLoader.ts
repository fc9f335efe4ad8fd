/** Writes one batch of records. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { recordTypes } from "../../domain/catalog/Records.ts"
import type { CatalogRecord } from "../../domain/catalog/Records.ts"
import { extension } from "../../domain/catalog/StoreDomain.ts"
import { domainsOf, sortOut } from "./Batch.ts"
import type { Batch } from "./Batch.ts"
import { upsertAds, upsertNiches, upsertProducts, upsertShops, upsertTrafficMonths } from "./CatalogTables.ts"
import type { ImportRow, Reject, StorefrontShop } from "./ImportSource.ts"
import { NicheTree } from "./NicheTree.ts"

/** How many rows were new, and how many differed from what was stored. */
export interface Tally {
  readonly added: number
  readonly changed: number
}

export type Tallies = Readonly<Record<CatalogRecord["type"], Tally>>

const noTally: Tally = { added: 0, changed: 0 }

export const noTallies: Tallies = {
  niche: noTally,
  shop: noTally,
  traffic_month: noTally,
  product: noTally,
  ad: noTally
}

export const sum = (a: Tallies, b: Tallies): Tallies => {
  const both = (type: CatalogRecord["type"]): Tally => ({
    added: a[type].added + b[type].added,
    changed: a[type].changed + b[type].changed
  })
  return {
    niche: both("niche"),
    shop: both("shop"),
    traffic_month: both("traffic_month"),
    product: both("product"),
    ad: both("ad")
  }
}

/** Rows that are now what they were not before. */
export const writtenOf = (tallies: Tallies): number =>
  recordTypes.reduce((sum, type) => sum + tallies[type].added + tallies[type].changed, 0)

/** Stores and ads whose derived data must follow. */
export interface Touched {
  readonly shopIds: Iterable<number>
  readonly adIds: Iterable<number>
}

export interface LoadedBatch {
  readonly tallies: Tallies
  readonly rejects: ReadonlyArray<Reject>
  readonly touched: Touched
}

/** All or nothing; within another transaction a savepoint. */
export const loadBatch = Effect.fn("BatchLoader.loadBatch")(function* (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<ImportRow>
): Effect.fn.Return<LoadedBatch, SqlError.SqlError> {
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const shopIds = yield* knownShops(sql, rows)
      const niches = yield* knownNiches(sql, rows)
      const batch = sortOut(rows, { niches, shops: new Set(shopIds.keys()) })
      const { tallies, touched } = yield* write(sql, batch, shopIds)
      return { tallies, touched, rejects: batch.rejects }
    })
  )
})

const knownShops = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, rows: ReadonlyArray<ImportRow>) {
  const domains = Array.from(domainsOf(rows))
  if (domains.length === 0) return new Map<string, number>()
  const known = yield* sql<{ id: number; domain: string }>`
    SELECT id, domain FROM shop WHERE domain = ANY(${domains}::text[])`
  return new Map(known.map(({ domain, id }) => [domain, id]))
})

const knownNiches = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, rows: ReadonlyArray<ImportRow>) {
  const isNeeded = rows.some(
    ({ record }) => record.type === "niche" || (record.type === "shop" && record.niche !== null)
  )
  return new NicheTree(
    isNeeded
      ? yield* sql<{ id: number; parent_id: number | null; name: string }>`SELECT id, parent_id, name FROM niche`
      : []
  )
})

const write = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, batch: Batch, shopIds: Map<string, number>) {
  const touched = new Set<number>()
  const touchedAds: Array<number> = []
  const tallies = { ...noTallies }
  /** `sortOut` let through only what has its store; the ids of new stores have come back from writing them. */
  const ofShop = <R extends { readonly shop: string }>(records: ReadonlyMap<string, R>) =>
    Array.from(records.values()).flatMap((record) => {
      const shopId = shopIds.get(record.shop)
      return shopId === undefined ? [] : [{ record, shopId }]
    })

  if (batch.niches.size > 0) {
    const [written] = yield* upsertNiches(sql, Array.from(batch.niches.values()))
    if (written !== undefined) tallies.niche = written
  }
  for (const storefront of batch.storefronts.values()) {
    const [written] = yield* mergeStorefront(sql, storefront)
    // Nothing is written of a store that says the same already; its id is known then.
    if (written === undefined) continue
    shopIds.set(storefront.domain, written.id)
    touched.add(written.id)
    tallies.shop = written.is_new ? { added: 1, changed: 0 } : { added: 0, changed: 1 }
  }
  if (batch.shops.size > 0) {
    const written = yield* upsertShops(sql, Array.from(batch.shops.values()))
    for (const { domain, id } of written) {
      shopIds.set(domain, id)
      touched.add(id)
    }
    const added = written.filter(({ is_new }) => is_new).length
    tallies.shop = { added, changed: written.length - added }
  }
  if (batch.trafficMonths.size > 0) {
    const [written] = yield* upsertTrafficMonths(sql, ofShop(batch.trafficMonths))
    if (written !== undefined) {
      tallies.traffic_month = written
      for (const id of written.shop_ids) touched.add(id)
    }
  }
  if (batch.products.size > 0) {
    const [written] = yield* upsertProducts(sql, ofShop(batch.products))
    if (written !== undefined) {
      tallies.product = written
      for (const id of written.shop_ids) touched.add(id)
    }
  }
  if (batch.ads.size > 0) {
    const ads = Array.from(batch.ads.values(), (record) => ({
      record,
      shopId: record.shop === null ? null : (shopIds.get(record.shop) ?? null)
    }))
    const [written] = yield* upsertAds(sql, ads)
    if (written !== undefined) {
      tallies.ad = written
      for (const id of written.shop_ids) touched.add(id)
      touchedAds.push(...written.ad_ids)
    }
  }
  return { tallies, touched: { shopIds: touched, adIds: touchedAds } }
})

/** A store that is known keeps what its storefront does not tell. */
const mergeStorefront = (sql: SqlClient.SqlClient, shop: StorefrontShop) =>
  sql<{ id: number; is_new: boolean }>`
    INSERT INTO shop AS stored (domain, domain_extension, name, country, currency, products_count)
    VALUES (
      ${shop.domain}, ${extension(shop.domain)}, ${shop.name}, ${shop.country}, ${shop.currency}, ${shop.products_count}
    )
    ON CONFLICT (domain) DO UPDATE SET
      name = excluded.name,
      country = excluded.country,
      currency = coalesce(excluded.currency, stored.currency),
      products_count = coalesce(excluded.products_count, stored.products_count),
      imported_at = now()
    WHERE (stored.name, stored.country, stored.currency, stored.products_count) IS DISTINCT FROM (
      excluded.name,
      excluded.country,
      coalesce(excluded.currency, stored.currency),
      coalesce(excluded.products_count, stored.products_count)
    )
    RETURNING id, xmax = 0 AS is_new`
