/** Writes a batch of records to the catalog. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { PartialShop, RemovedRecord, ShopRecord } from "../../domain/catalog/Records.ts"
import { idsOf, rowsOf } from "../database/Rows.ts"
import { domainsOf, sortByType } from "./Batch.ts"
import type { Batch } from "./Batch.ts"
import type { Write, Written } from "./BulkUpsert.ts"
import * as CatalogTables from "./CatalogTables.ts"
import type { Touched } from "./CatalogVersion.ts"
import type { ImportRow } from "./ImportSource.ts"
import { noTally, sumOfCounts, sumOfTouched } from "./LoadedBatch.ts"
import type { LoadedBatch, Tally } from "./LoadedBatch.ts"
import * as AdLinks from "./AdLinks.ts"
import * as Reconciliation from "./Reconciliation.ts"
import { StoreDates } from "./StoreDates.ts"
import * as ProductKeys from "./ProductKeys.ts"
import * as Niches from "./Niches.ts"
import type { NicheVote } from "./Niches.ts"

/** Loads the batch in one transaction, or in a savepoint within another one. Changed rows get the version of `write`. */
export const loadBatch = Effect.fn("BatchLoader.loadBatch")(function* (
  write: Write,
  rows: ReadonlyArray<ImportRow>
): Effect.fn.Return<LoadedBatch, SqlError.SqlError> {
  const { sql } = write
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const known = yield* knownShops(sql, domainsOf(rows))
      const niches = yield* Niches.read(sql, rows)
      const ids = idsOfShops(known)
      const products = yield* ProductKeys.read(write, rows, ids)
      const batch = sortByType(rows, {
        niches: niches.tree,
        shops: new Map(Array.from(known, ([domain, { currency }]) => [domain, currency])),
        products,
        newer: yield* newerShops(write, rows, ids)
      })
      if (write.run !== null) {
        const kept = batch.rejectedAds.map((key) => ({ shop: null, key }))
        yield* Reconciliation.noteKept(sql, write.run, kept)
      }
      const { rejects, removals } = batch
      const stored = yield* store(write, batch, known, niches)
      return { ...stored, older: stored.older + batch.older, removals, rejects }
    })
  )
})

/** `said_on`: see StoreDates. */
const KnownShop = Schema.Struct({
  id: Schema.Int,
  domain: Schema.String,
  currency: Schema.NullOr(Schema.String),
  said_on: Schema.NullOr(Schema.String)
})
type KnownShops = ReadonlyMap<string, typeof KnownShop.Type>
const decodeShops = rowsOf(KnownShop)

const knownShops = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  domains: Iterable<string>
): Effect.fn.Return<KnownShops, SqlError.SqlError> {
  const wanted = Array.from(domains)
  if (wanted.length === 0) return new Map()
  const known = yield* decodeShops(sql`
    SELECT id, domain, currency, said_on FROM shop WHERE domain = ANY(${wanted}::text[])`)
  return new Map(known.map((shop) => [shop.domain, shop]))
})

const idsOfShops = (known: KnownShops) => new Map(Array.from(known, ([domain, { id }]) => [domain, id]))

const decodeNewer = rowsOf(
  Schema.Struct({ domain: Schema.String, hasAllProducts: Schema.Boolean, isNewer: Schema.Boolean })
)

/** Which stores of the rows have newer data; see Known. */
const newerShops = Effect.fnUntraced(function* (
  { run, sql }: Write,
  rows: ReadonlyArray<ImportRow>,
  known: ReadonlyMap<string, number>
) {
  const ofProducts = new Set<string>()
  const removed = new Set<string>()
  for (const { record } of rows) {
    if (record.type === "product") ofProducts.add(record.shop)
    else if (record.type === "removed" && record.shop !== null) {
      ofProducts.add(record.shop)
      if (record.record === "shop") removed.add(record.shop)
    }
  }
  const ids = Array.from(ofProducts).flatMap((domain) => known.get(domain) ?? [])
  if (run === null || ids.length === 0) return { products: new Set<string>(), shops: new Set<string>() }
  const { asOf } = run
  const newer = yield* decodeNewer(sql`
    SELECT domain, coalesce(products_as_of > ${asOf}::date, false) AS "hasAllProducts",
      domain = ANY(${Array.from(removed)}::text[]) AND (
        coalesce(products_as_of > ${asOf}::date, false)
        OR coalesce(left(said_on, 10)::date > ${asOf}::date, false)
        OR EXISTS (SELECT FROM product p WHERE p.shop_id = shop.id AND p.as_of > ${asOf}::date OFFSET 0)
      ) AS "isNewer"
    FROM shop WHERE id = ANY(${ids}::int[])`)
  return {
    products: new Set(newer.flatMap(({ domain, hasAllProducts }) => (hasAllProducts ? [domain] : []))),
    shops: new Set(newer.flatMap(({ domain, isNewer }) => (isNewer ? [domain] : [])))
  }
})

const store = Effect.fnUntraced(function* (
  write: Write,
  batch: Batch,
  before: KnownShops,
  niches: Niches.StoredNiches
): Effect.fn.Return<Omit<LoadedBatch, "rejects" | "removals">, SqlError.SqlError> {
  const { sql } = write
  const removed = yield* removeRecords(write, batch)
  const known = removed.shops.tally.removed === 0 ? before : yield* knownShops(sql, before.keys())

  const written = yield* CatalogTables.upsertNiches(write, Array.from(batch.niches.values()))
  const ofTaxonomy = yield* CatalogTables.upsertNiches(write, niches.addTaxonomy(Array.from(batch.taxonomy.values())))
  const categories = yield* CatalogTables.upsertCategories(write, niches.addCategories(batch.categories))
  const dates = new StoreDates(write.run?.asOf ?? null)
  const dated = (shops: Iterable<PartialShop | ShopRecord>) =>
    Array.from(shops, (shop) => dates.of(shop, known.get(shop.domain)?.said_on ?? null))
  const partial = Map.groupBy(batch.partialShops.values(), ({ domain }) => known.has(domain))
  const inserted = dated(partial.get(false) ?? [])
  const updated = dated(partial.get(true) ?? [])
  // An older complete record says of no field that it is unknown.
  const whole = Map.groupBy(dated(batch.shops.values()), ({ newer }) => newer.length > 0)
  const kept = [...updated, ...(whole.get(true) ?? [])]
  const shops = [
    yield* CatalogTables.insertPartialShops(write, inserted),
    yield* CatalogTables.updatePartialShops(write, kept),
    yield* CatalogTables.upsertShops(write, whole.get(false) ?? [])
  ]
  const olderShops = kept.filter(({ isOlder }) => isOlder).length

  const added = [...batch.partialShops.keys(), ...batch.shops.keys()].filter((domain) => !known.has(domain))
  const shopIds = new Map([...idsOfShops(known), ...idsOfShops(yield* knownShops(sql, added))])
  const idOf = (domain: string | null) => (domain === null ? null : (shopIds.get(domain) ?? null))
  /** Adds the id of the store to each record. No record is dropped, because `sortByType` has rejected those of unknown stores. */
  const ofShop = <R extends { readonly shop: string }>(records: Iterable<R>) =>
    Array.from(records).flatMap((record) => {
      const shopId = idOf(record.shop)
      return shopId === null ? [] : [{ record, shopId }]
    })

  const keepNiche = new Set(kept.flatMap(({ facts, newer }) => (newer.includes("niche") ? [facts.domain] : [])))
  const placed = Map.groupBy(batch.shops.values(), ({ domain, niche }) => niche !== null || keepNiche.has(domain))
  const idsOf = (records: ReadonlyArray<ShopRecord> = []) => records.flatMap(({ domain }) => idOf(domain) ?? [])

  const months = yield* CatalogTables.upsertTrafficMonths(write, ofShop(batch.trafficMonths.values()))
  yield* ProductKeys.rename(sql, batch.products)
  const given = batch.products.given.flatMap(({ isComplete, record }) =>
    ofShop([record]).map((product) => ({ ...product, isComplete }))
  )
  const products = [
    yield* CatalogTables.upsertProducts(
      write,
      given.filter(({ isComplete }) => isComplete)
    ),
    yield* CatalogTables.upsertForeignProducts(
      write,
      given.filter(({ isComplete }) => !isComplete)
    )
  ]
  if (write.run?.notesProducts() === true) yield* ProductKeys.note(sql, given)
  const ads = yield* CatalogTables.upsertAds(
    write,
    Array.from(batch.ads.values(), (record) => ({ record, shopId: idOf(record.shop) }))
  )
  const library = yield* AdLinks.link(sql, Array.from(batch.libraryAds.values()), write.run?.asOf)
  const libraryAds = yield* CatalogTables.upsertLibraryAds(write, library.ads)
  const ofPages = yield* AdLinks.learnPages(write, library.ads)
  const late = yield* AdLinks.linkEarlierAds(
    write,
    added.flatMap((domain) => {
      const id = shopIds.get(domain)
      return id === undefined ? [] : [{ id, domain }]
    })
  )

  return {
    older: removed.olderAds + olderShops + [months, ...products].reduce((total, { older }) => total + older, 0),
    tallies: {
      niche: tallyOf(written, ofTaxonomy),
      category: tallyOf(categories),
      shop: sumOfCounts(removed.shops.tally, tallyOf(...shops)),
      traffic_month: tallyOf(months),
      product: sumOfCounts(removed.products.tally, tallyOf(...products)),
      ad: sumOfCounts(removed.ads.tally, tallyOf(ads, libraryAds))
    },
    touched: sumOfTouched([
      removed.shops.touched,
      removed.products.touched,
      removed.ads.touched,
      ofPages.touched,
      late.touched,
      ...[...shops, months, ...products, ads, libraryAds].map(({ figures, items }) => ({
        items,
        figures,
        niches: false
      })),
      { items: [], figures: [], niches: [written, ofTaxonomy].some(({ added, changed }) => added + changed > 0) }
    ]),
    links: { ...library.counts, later: ofPages.count + late.count },
    statedNiches: idsOf(placed.get(true)),
    unstatedNiches: yield* Niches.having(sql, idsOf(placed.get(false))),
    votes: batch.categorized.flatMap(({ isList, names, shop }) => firstVote(niches, names, idOf(shop), isList))
  }
})

/** The vote by the first category that names a niche. */
const firstVote = (
  niches: Niches.StoredNiches,
  categories: ReadonlyArray<string | null>,
  shopId: number | null,
  isList: boolean
): ReadonlyArray<NicheVote> => {
  for (const category of categories) {
    const votes = niches.vote(shopId, category, isList)
    if (votes.length > 0) return votes
  }
  return []
}

const tallyOf = (...written: ReadonlyArray<Written>): Tally => ({
  added: written.reduce((total, { added }) => total + added, 0),
  changed: written.reduce((total, { changed }) => total + changed, 0),
  removed: 0
})

const decodeAds = rowsOf(Schema.Struct({ id: Schema.Int, isNewer: Schema.Boolean }))

const removeRecords = Effect.fnUntraced(function* (write: Write, batch: Batch) {
  const { run, sql } = write
  const of = (type: RemovedRecord["record"]) => batch.removed.filter(({ record }) => record === type)
  const counted = (touched: Touched) => {
    const removed = Array.from(touched.items).length
    return { touched, tally: { ...noTally, removed } }
  }
  const keys = (wanted: ReadonlyArray<RemovedRecord>) => wanted.map(({ key }) => key ?? "")
  const domains = (wanted: ReadonlyArray<RemovedRecord>) => wanted.map(({ shop }) => shop ?? "")
  const [shops, ads] = [of("shop"), of("ad")]
  const named =
    ads.length === 0
      ? []
      : yield* decodeAds(sql`
          SELECT id, coalesce(seen_on > ${run?.asOf ?? null}::date, false) AS "isNewer"
          FROM ad WHERE key = ANY(${keys(ads)}::text[])`)
  const adIds = named.flatMap(({ id, isNewer }) => (isNewer ? [] : [id]))
  const shopIds =
    shops.length === 0 ? [] : yield* idsOf(sql`SELECT id FROM shop WHERE domain = ANY(${domains(shops)}::text[])`)
  return {
    olderAds: named.length - adIds.length,
    products: counted(yield* Reconciliation.removeProducts(sql, write, batch.products.removed)),
    ads: counted(yield* Reconciliation.removeAds(sql, write, adIds)),
    shops: counted(yield* Reconciliation.removeShops(sql, write, shopIds))
  }
})
