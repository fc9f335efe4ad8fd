/** Writes a batch of records to the catalog. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { CatalogRecord } from "../../domain/catalog/Records.ts"
import { rowsOf } from "../database/Rows.ts"
import { domainsOf, sortOut } from "./Batch.ts"
import type { Batch } from "./Batch.ts"
import type { Written } from "./BulkUpsert.ts"
import * as CatalogTables from "./CatalogTables.ts"
import type { Touched } from "./CatalogVersion.ts"
import type { ImportRow, Reject } from "./ImportSource.ts"
import { NicheTree } from "./NicheTree.ts"

/** The numbers of new and of changed rows. */
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

const both = (a: Tally, b: Tally): Tally => ({ added: a.added + b.added, changed: a.changed + b.changed })

export const sum = (a: Tallies, b: Tallies): Tallies => ({
  niche: both(a.niche, b.niche),
  shop: both(a.shop, b.shop),
  traffic_month: both(a.traffic_month, b.traffic_month),
  product: both(a.product, b.product),
  ad: both(a.ad, b.ad)
})

export interface LoadedBatch {
  readonly tallies: Tallies
  readonly rejects: ReadonlyArray<Reject>
  readonly touched: Touched
}

/** In a transaction of its own, or a savepoint of the current one. */
export const loadBatch = Effect.fn("BatchLoader.loadBatch")(function* (
  sql: SqlClient.SqlClient,
  version: number,
  rows: ReadonlyArray<ImportRow>
): Effect.fn.Return<LoadedBatch, SqlError.SqlError> {
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const shopIds = yield* knownShops(sql, domainsOf(rows))
      const niches = yield* knownNiches(sql, rows)
      const batch = sortOut(rows, { niches, shops: new Set(shopIds.keys()) })
      return { ...(yield* write(sql, version, batch, shopIds)), rejects: batch.rejects }
    })
  )
})

const decodeShops = rowsOf(Schema.Struct({ id: Schema.Int, domain: Schema.String }))
const decodeNiches = rowsOf(
  Schema.Struct({ id: Schema.Int, parent_id: Schema.NullOr(Schema.Int), name: Schema.String })
)

const knownShops = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, domains: Iterable<string>) {
  const wanted = Array.from(domains)
  if (wanted.length === 0) return new Map<string, number>()
  const known = yield* sql`SELECT id, domain FROM shop WHERE domain = ANY(${wanted}::text[])`
  return new Map((yield* decodeShops(known)).map(({ domain, id }) => [domain, id]))
})

const knownNiches = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, rows: ReadonlyArray<ImportRow>) {
  const isNeeded = rows.some(
    ({ record }) => record.type === "niche" || (record.type === "shop" && record.niche !== null)
  )
  return new NicheTree(isNeeded ? yield* decodeNiches(yield* sql`SELECT id, parent_id, name FROM niche`) : [])
})

const write = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  version: number,
  batch: Batch,
  known: ReadonlyMap<string, number>
) {
  const niches = yield* CatalogTables.upsertNiches(sql, version, Array.from(batch.niches.values()))
  const storefronts = yield* CatalogTables.upsertStorefronts(sql, version, Array.from(batch.storefronts.values()))
  const shops = yield* CatalogTables.upsertShops(sql, version, Array.from(batch.shops.values()))

  const added = [...batch.storefronts.keys(), ...batch.shops.keys()].filter((domain) => !known.has(domain))
  const shopIds = new Map([...known, ...(yield* knownShops(sql, added))])
  /** `sortOut` has rejected records without a store. */
  const ofShop = <R extends { readonly shop: string }>(records: ReadonlyMap<string, R>) =>
    Array.from(records.values()).flatMap((record) => {
      const shopId = shopIds.get(record.shop)
      return shopId === undefined ? [] : [{ record, shopId }]
    })
  const ads = Array.from(batch.ads.values(), (record) => ({
    record,
    shopId: record.shop === null ? null : (shopIds.get(record.shop) ?? null)
  }))

  const months = yield* CatalogTables.upsertTrafficMonths(sql, version, ofShop(batch.trafficMonths))
  const products = yield* CatalogTables.upsertProducts(sql, version, ofShop(batch.products))
  const writtenAds = yield* CatalogTables.upsertAds(sql, version, ads)

  const all = [storefronts, shops, months, products, writtenAds]
  const tallies: Tallies = {
    niche: tallyOf(niches),
    shop: both(tallyOf(storefronts), tallyOf(shops)),
    traffic_month: tallyOf(months),
    product: tallyOf(products),
    ad: tallyOf(writtenAds)
  }
  const touched: Touched = {
    items: all.flatMap(({ items }) => items),
    figures: all.flatMap(({ figures }) => figures),
    niches: niches.added + niches.changed > 0
  }
  return { tallies, touched }
})

const tallyOf = ({ added, changed }: Written): Tally => ({ added, changed })
