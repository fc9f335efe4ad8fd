/**
 * Reads the records from which the index is built. Everything that one {@link CatalogReader.use} reads is one state of the
 * database: one REPEATABLE READ transaction.
 */
import { Array as Arr, Context, Effect, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { pseudoStoreOf, sqlPseudoStoreOf } from "../../../domain/catalog/StorelessAds.ts"
import * as Database from "../../database/Database.ts"
import { hasRow, rowOf, rowsOf } from "../../database/Rows.ts"
import type {
  IndexedAd,
  IndexedProduct,
  PseudoStoreContent,
  StoreContent,
  IndexedStore
} from "../index/IndexedRecords.ts"
import { Identity } from "./IndexState.ts"
import { Niche } from "../../../domain/search/CatalogAnswer.ts"
import * as ItemRows from "./ItemRows.ts"
import * as StoreRows from "./StoreRows.ts"
import type { StoreRow } from "./StoreRows.ts"

/** The channel on which catalog changes are notified (services/import/CatalogVersion.ts). */
export const channel = "catalog"

/** Stores that changed after a version. Negative ids are pseudo-stores. */
export interface Changes {
  /** Stores to rebuild from their records. Stores without records are removed. */
  readonly items: ReadonlyArray<number>
  /** Stores for which only {@link IndexedStore} changed. */
  readonly figures: ReadonlyArray<number>
}

const Head = Schema.Struct({
  ...Identity.fields,
  nichesVersion: Schema.Int,
  /** Age of the commit of the first version after the one in question; 0 if there is none. */
  lagSeconds: Schema.Finite
})
export type Head = typeof Head.Type

const Sizes = Schema.Struct({ stores: Schema.Int, products: Schema.Int, ads: Schema.Int })
export type Sizes = typeof Sizes.Type

/** Ascending by id. Pages of pseudo-stores come first. */
export interface Page {
  readonly pseudoStores: ReadonlyArray<PseudoStoreContent>
  readonly stores: ReadonlyArray<StoreContent>
}

type Read<A> = Effect.Effect<A, SqlError.SqlError>

/** One state of the catalog. */
export interface CatalogView {
  readonly sizes: Read<Sizes>
  readonly niches: Read<ReadonlyArray<Niche>>
  changesSince(version: number): Read<Changes>
  /** All stores and pseudo-stores, or those among the given ids that have records. */
  pages<E, R>(
    ids: "all" | ReadonlyArray<number>,
    onPage: (page: Page) => Effect.Effect<void, E, R>
  ): Effect.Effect<void, E | SqlError.SqlError, R>
  /** The records of stores without their items. */
  storeRecords(ids: ReadonlyArray<number>): Read<ReadonlyArray<IndexedStore>>
}

/** Stores are read in groups of this size; their items as far as they fit a page. */
const storesAtOnce = 1_000
const itemsAPage = 20_000
/** With at most 1,024 ads each. */
const pseudoStoresAtOnce = 16
export class CatalogReader extends Context.Service<
  CatalogReader,
  {
    /** The newest version, with the lag of version `since`. */
    head(since: number): Read<Head>
    /** Whether this version is in the database's history, and its changes since then are still recorded. */
    has(identity: Identity): Read<boolean>
    /** Reads one state. `read` gets its head. */
    use<A, E, R>(
      read: (view: CatalogView, head: Head) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | SqlError.SqlError, R>
  }
>()("discovery/search/CatalogReader") {
  static readonly layer = Layer.effect(
    CatalogReader,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const view = make(sql)

      const head = (since: number): Effect.Effect<Head, SqlError.SqlError> =>
        sql`
          SELECT c.id AS "catalogId", c.version, v.token, c.niches_version AS "nichesVersion",
            coalesce((
              SELECT greatest(0, date_part('epoch', clock_timestamp() - min(later.committed_at)))
              FROM catalog_version later WHERE later.version > ${since}
            ), 0) AS "lagSeconds"
          FROM catalog c JOIN catalog_version v USING (version)`.pipe(decodeHead)

      return CatalogReader.of({
        head,
        has: ({ catalogId, token, version }) =>
          hasRow(sql`
            SELECT FROM catalog c JOIN catalog_version v ON v.version = ${version} AND v.token::text = ${token}
            WHERE c.id::text = ${catalogId} AND c.oldest_version <= ${version}`),
        use: (read) =>
          sql
            .withTransaction(
              Effect.gen(function* () {
                yield* Database.longLimits.pipe(Effect.provideService(SqlClient.SqlClient, sql))
                return yield* read(view, yield* head(0))
              })
            )
            .pipe(Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
      })
    })
  )
}

const decodeHead = rowOf(Head)
const decodeSizes = rowOf(Sizes)
const decodeNiches = rowsOf(Niche)
const decodeChanges = rowsOf(Schema.Struct({ id: Schema.Int, is_items: Schema.Boolean }))

/** The statements, for any transaction. */
const make = (sql: SqlClient.SqlClient): CatalogView => {
  const values = (statement: string, ids: ReadonlyArray<number>) => sql.unsafe(statement, [intArray(ids)]).values

  const storesOf = Effect.fnUntraced(function* (
    rows: ReadonlyArray<StoreRow>
  ): Effect.fn.Return<Page, SqlError.SqlError> {
    const ids = rows.map(({ id }) => id)
    const productsOf = new Map<number, Array<IndexedProduct>>(ids.map((id) => [id, []]))
    const adsOf = new Map<number, Array<IndexedAd>>(ids.map((id) => [id, []]))
    for (const row of yield* values(ItemRows.productsOfStores, ids)) ItemRows.decodeProducts(row, productsOf)
    for (const row of yield* values(ItemRows.adsOfStores, ids)) ItemRows.decodeAds(row, (shopId) => adsOf.get(shopId))
    return {
      pseudoStores: [],
      stores: rows.map((store) => ({
        store,
        products: productsOf.get(store.id) ?? [],
        ads: adsOf.get(store.id) ?? []
      }))
    }
  })

  const pseudoStoresOf = Effect.fnUntraced(function* (
    ids: ReadonlyArray<number>
  ): Effect.fn.Return<Page, SqlError.SqlError> {
    const adsOf = new Map<number, Array<IndexedAd>>()
    for (const row of yield* values(ItemRows.adsOfPseudoStores, ids)) {
      ItemRows.decodeAds(row, (_, adId) => adsOf.getOrInsert(pseudoStoreOf(adId), []))
    }
    return {
      pseudoStores: Array.from(adsOf, ([id, ads]) => ({ id, ads })).sort((a, b) => a.id - b.id),
      stores: []
    }
  })

  const rowsOfStores = (ids: ReadonlyArray<number>) =>
    StoreRows.decodeStores(
      sql.unsafe(
        `SELECT ${StoreRows.columns}, ${StoreRows.itemCounts} FROM shop s WHERE s.id = ANY($1::int[]) ORDER BY s.id`,
        [intArray(ids)]
      )
    )

  const storesAfter = (id: number) =>
    StoreRows.decodeStores(
      sql.unsafe(
        `SELECT ${StoreRows.columns}, ${StoreRows.itemCounts} FROM shop s WHERE s.id > $1 ORDER BY s.id LIMIT ${storesAtOnce}`,
        [id]
      )
    )

  const allPseudoStores = Effect.map(
    sql.unsafe(`SELECT ${sqlPseudoStoreOf("id")} AS id FROM ad WHERE shop_id IS NULL GROUP BY 1`).values,
    (rows) => rows.map(([id]) => Number(id))
  )

  const pages = Effect.fnUntraced(function* <E, R>(
    ids: "all" | ReadonlyArray<number>,
    onPage: (page: Page) => Effect.Effect<void, E, R>
  ): Effect.fn.Return<void, E | SqlError.SqlError, R> {
    const pseudoStores = ids === "all" ? yield* allPseudoStores : ids.filter((id) => id < 0)
    for (const some of Arr.chunksOf(pseudoStores.toSorted(ascending), pseudoStoresAtOnce)) {
      yield* onPage(yield* pseudoStoresOf(some))
    }

    let before: Fiber.Fiber<Page, SqlError.SqlError> | undefined
    const add = Effect.fnUntraced(function* (
      rows: ReadonlyArray<StoreRow>
    ): Effect.fn.Return<void, E | SqlError.SqlError, R> {
      for (const page of split(rows)) {
        // While one page is processed, the database prepares the next.
        const next = yield* Effect.forkChild(storesOf(page), { startImmediately: true })
        if (before !== undefined) yield* onPage(yield* Fiber.join(before))
        before = next
      }
    })
    if (ids === "all") {
      // Not by a list of all ids, which would grow with the catalog.
      let rows = yield* storesAfter(0)
      for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
        yield* add(rows)
        rows = yield* storesAfter(last.id)
      }
    } else {
      const stores = ids.filter((id) => id >= 0).toSorted(ascending)
      for (const some of Arr.chunksOf(stores, storesAtOnce)) yield* add(yield* rowsOfStores(some))
    }
    if (before !== undefined) yield* onPage(yield* Fiber.join(before))
  })

  return {
    sizes: sql`
        SELECT (SELECT count(*)::int FROM shop) AS stores, (SELECT count(*)::int FROM product) AS products,
          (SELECT count(*)::int FROM ad) AS ads`.pipe(decodeSizes),
    niches: decodeNiches(sql`SELECT id, parent_id AS "parentId", name FROM niche ORDER BY id`),
    changesSince: (version) =>
      sql`
        SELECT shop_id AS id, items_version > ${version} OR removed_at IS NOT NULL AS is_items
        FROM shop_change WHERE version > ${version} ORDER BY shop_id`.pipe(
        decodeChanges,
        Effect.map((rows) => ({
          items: rows.filter(({ is_items }) => is_items).map(({ id }) => id),
          figures: rows.filter(({ is_items }) => !is_items).map(({ id }) => id)
        }))
      ),
    pages,
    storeRecords: (ids) =>
      StoreRows.decodeRecords(
        sql.unsafe(`SELECT ${StoreRows.columns} FROM shop s WHERE s.id = ANY($1::int[])`, [intArray(ids)])
      )
  }
}

const ascending = (one: number, other: number): number => one - other

/** As text, because the driver inspects every element of an array. */
const intArray = (ids: ReadonlyArray<number>): string => `{${ids.join(",")}}`

/** Groups of stores whose items fit one page together. A larger store has a page to itself. */
const split = (rows: ReadonlyArray<StoreRow>): ReadonlyArray<ReadonlyArray<StoreRow>> => {
  const pages: Array<Array<StoreRow>> = []
  let page: Array<StoreRow> = []
  let items = 0
  for (const row of rows) {
    if (page.length > 0 && items + row.items > itemsAPage) {
      pages.push(page)
      page = []
      items = 0
    }
    page.push(row)
    items += row.items
  }
  return page.length === 0 ? pages : [...pages, page]
}
