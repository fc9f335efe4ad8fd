/**
 * Finds the product of each record. A product's key within its store is its handle if the source has one; the platform's id is
 * an alias. Sources that know only one of the two update the same row, which keeps its id.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { ProductRecord } from "../../domain/catalog/Records.ts"
import { rowsOf } from "../database/Rows.ts"
import type { Write } from "./BulkUpsert.ts"
import type { ImportRow } from "./ImportSource.ts"

/** A record of a product. */
export interface PartialRecord {
  readonly record: ProductRecord
  /** Whether a field without a value becomes unknown. */
  readonly isComplete: boolean
}

interface StoredProduct {
  readonly id: number
  readonly shop: string
  readonly key: string
  readonly alias: string | null
  /** Whether newer data have it. */
  readonly isNewer: boolean
}

/** A product as the records of the batch before have left it. */
interface Product {
  readonly shop: string
  readonly key: string
  readonly alias: string | null
  readonly stored: StoredProduct | undefined
  readonly given: PartialRecord | undefined
}

/** The products that a batch names. Each record changes them as if the records before it had been stored. */
export class Products {
  readonly #all = new Set<Product>()
  /** By the store and the key or the alias. */
  readonly #ofName = new Map<string, Set<Product>>()
  /** The ids of stored products to remove, before others are renamed. */
  readonly removed: Array<number> = []

  /** `known`: the keys of stored products that no record can remove or give another key. */
  constructor(stored: ReadonlyArray<StoredProduct>, known: ReadonlyArray<Pick<Product, "shop" | "key">>) {
    for (const { key, shop } of new Map(known.map((one) => [keyOf(one), one])).values()) {
      this.#add({ shop, key, alias: null, stored: undefined, given: undefined })
    }
    for (const one of new Map(stored.map((one) => [one.id, one])).values()) {
      this.#add({ ...one, stored: one, given: undefined })
    }
  }

  /** The last record of each product, with the product's key and alias. */
  get given(): ReadonlyArray<PartialRecord> {
    return Array.from(this.#all).flatMap(({ given }) => given ?? [])
  }

  /** Stored products whose key is another one now. */
  get renamed(): ReadonlyArray<{ readonly stored: StoredProduct; readonly key: string }> {
    return Array.from(this.#all).flatMap(({ key, stored }) =>
      stored === undefined || stored.key === key ? [] : [{ stored, key }]
    )
  }

  /**
   * A product that was known by its alias alone, or by another handle, gets the record's key. Returns whether the record is older
   * than the product, and changes nothing.
   */
  set({ isComplete, record }: PartialRecord): boolean {
    const { key, shop } = record
    const alias = record.alias ?? null
    const named = this.#named(shop, key)
    const former =
      named.find((product) => product.key === key) ??
      firstOf(named.concat(alias === null ? [] : this.#named(shop, alias)))
    if (former?.stored?.isNewer === true) return true
    if (former !== undefined) this.#drop(former)
    const names = {
      // Without an alias, the key of the record is the alias of the product that was found.
      key: former === undefined || alias !== null ? key : former.key,
      alias: alias ?? former?.alias ?? null
    }
    const given = merged(former?.given, { isComplete, record: { ...record, ...names } })
    this.#add({ shop, ...names, stored: former?.stored, given })
    return false
  }

  /** Returns whether newer data have the product, which then stays. */
  remove(shop: string, name: string): boolean {
    const named = this.#named(shop, name)
    if (named.some(({ stored }) => stored?.isNewer === true)) return true
    for (const product of named) {
      this.#drop(product)
      if (product.stored !== undefined) this.removed.push(product.stored.id)
    }
    return false
  }

  /** What is stored of a store is removed with it. */
  removeShop(shop: string): void {
    for (const product of this.#all) if (product.shop === shop) this.#drop(product)
  }

  #named(shop: string, name: string): ReadonlyArray<Product> {
    return Array.from(this.#ofName.get(`${shop} ${name}`) ?? [])
  }

  #add(product: Product): void {
    this.#all.add(product)
    for (const name of namesOf(product)) this.#ofName.getOrInsertComputed(name, () => new Set()).add(product)
  }

  #drop(product: Product): void {
    this.#all.delete(product)
    for (const name of namesOf(product)) this.#ofName.get(name)?.delete(product)
  }
}

/** The one with the first key, so that it does not depend on the order in which they were stored. */
const firstOf = (products: ReadonlyArray<Product>): Product | undefined =>
  products.reduce<Product | undefined>(
    (first, product) => (first === undefined || product.key < first.key ? product : first),
    undefined
  )

const keyOf = ({ key, shop }: Pick<Product, "shop" | "key">): string => `${shop} ${key}`

const namesOf = ({ alias, key, shop }: Pick<Product, "shop" | "key" | "alias">): ReadonlyArray<string> =>
  alias === null || alias === key ? [`${shop} ${key}`] : [`${shop} ${key}`, `${shop} ${alias}`]

/** A record after an earlier one of the same product, as if the earlier one had been stored (CatalogTables). */
const merged = (earlier: PartialRecord | undefined, given: PartialRecord): PartialRecord => {
  if (earlier === undefined || given.isComplete) return given
  const { created_at, url } = given.record
  return {
    record: {
      ...given.record,
      created_at: created_at ?? earlier.record.created_at,
      url: url ?? earlier.record.url
    },
    isComplete: earlier.isComplete
  }
}

/** Gives stored products their keys. Before, one may be that of another product which is renamed as well. */
export const rename = Effect.fn("ProductKeys.rename")(function* (
  sql: SqlClient.SqlClient,
  { renamed }: Products
): Effect.fn.Return<void, SqlError.SqlError> {
  if (renamed.length === 0) return
  const ids = renamed.map(({ stored }) => stored.id)
  const set = (keys: ReadonlyArray<string>) => sql`
    UPDATE product SET key = renamed.key
    FROM (
      SELECT stored.ctid, sent.key
      FROM unnest(${ids}::int[], ${keys}::text[]) AS sent (id, key)
      CROSS JOIN LATERAL (SELECT ctid FROM product WHERE id = sent.id OFFSET 0) stored
    ) renamed
    WHERE product.ctid = renamed.ctid`
  const left = new Set(renamed.map(({ stored }) => keyOf(stored)))
  // No record has a key with such a character.
  if (renamed.some(({ key, stored }) => left.has(keyOf({ ...stored, key })))) yield* set(ids.map((id) => `\u0001${id}`))
  yield* set(renamed.map(({ key }) => key))
})

/**
 * SQL for the products of a store by their key. They are looked up by the index of the name, whatever the planner's statistics say:
 * no other index serves the condition, and OFFSET 0 keeps it from being merged into the query around it.
 */
const byKey = (shopId: string, key: string) =>
  `(SELECT id, key, alias, as_of FROM product WHERE shop_id = ${shopId} AND key = ${key} OFFSET 0)`

/**
 * By their key or their alias. Without duplicates, and without UNION: for that, PostgreSQL may read all products in the order of
 * their ids.
 */
const named = (shopId: string, name: string) => `(
    ${byKey(shopId, name)}
    UNION ALL
    SELECT * FROM (SELECT id, key, alias, as_of FROM product WHERE shop_id + 0 = ${shopId} AND alias = ${name} OFFSET 0) p
    WHERE p.key <> ${name}
  )`

/** Marks these products, which are stored by now, as part of the import. */
export const note = (
  sql: SqlClient.SqlClient,
  records: ReadonlyArray<{ readonly record: ProductRecord; readonly shopId: number }>
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`
    INSERT INTO import_product (product_id)
    SELECT p.id
    FROM unnest(${records.map(({ shopId }) => shopId)}::int[], ${records.map(({ record }) => record.key)}::text[])
      AS seen (shop_id, key)
    CROSS JOIN LATERAL ${sql.literal(byKey("seen.shop_id", "seen.key"))} p
    ON CONFLICT DO NOTHING`)

/** What a row names: a product of a stored store. */
interface Wanted {
  readonly shopId: number
  readonly shop: string
  readonly key: string
  readonly alias: string | null
}

const decodePlaces = rowsOf(Schema.Struct({ n: Schema.Int }))

/** Those whose key is not stored. */
const withoutKey = (sql: SqlClient.SqlClient, wanted: ReadonlyArray<Wanted>) =>
  sql`
    SELECT wanted.n::int
    FROM unnest(${wanted.map(({ shopId }) => shopId)}::int[], ${wanted.map(({ key }) => key)}::text[])
      WITH ORDINALITY AS wanted (shop_id, key, n)
    WHERE NOT EXISTS ${sql.literal(byKey("wanted.shop_id", "wanted.key"))}`.pipe(
    decodePlaces,
    Effect.map((places) => new Set(places.flatMap(({ n }) => wanted[n - 1] ?? [])))
  )

const decodeFound = rowsOf(
  Schema.Struct({
    n: Schema.Int,
    id: Schema.Int,
    key: Schema.String,
    alias: Schema.NullOr(Schema.String),
    is_newer: Schema.Boolean
  })
)

/** The stored products with these keys and aliases. Each name is looked up once: many products may have the same alias. */
const lookUp = Effect.fnUntraced(function* (
  { run: origin, sql }: Pick<Write, "run" | "sql">,
  wanted: ReadonlyArray<Wanted>
) {
  if (wanted.length === 0) return []
  const byName = new Map(
    wanted.flatMap(({ alias, key, shop, shopId }) =>
      (alias === null ? [key] : [key, alias]).map((name) => [`${shop} ${name}`, { shop, shopId, name }] as const)
    )
  )
  const names = Array.from(byName.values())
  const rows = yield* sql`
    SELECT wanted.n::int, p.id, p.key, p.alias, coalesce(p.as_of > ${origin?.asOf ?? null}::date, false) AS is_newer
    FROM unnest(${names.map(({ shopId }) => shopId)}::int[], ${names.map(({ name }) => name)}::text[])
      WITH ORDINALITY AS wanted (shop_id, name, n)
    CROSS JOIN LATERAL ${sql.literal(named("wanted.shop_id", "wanted.name"))} p`.pipe(decodeFound)
  return rows.flatMap(({ alias, id, is_newer, key, n }): ReadonlyArray<StoredProduct> => {
    const shop = names[n - 1]?.shop
    return shop === undefined ? [] : [{ id, shop, key, alias, isNewer: is_newer }]
  })
})

/**
 * Reads the stored products that rows name. `shops`: the ids of the stored stores. The alias of a record whose key is stored only
 * counts if another row may give that product another key, or remove it.
 */
export const read = Effect.fn("ProductKeys.read")(function* (
  write: Pick<Write, "run" | "sql">,
  rows: ReadonlyArray<ImportRow>,
  shops: ReadonlyMap<string, number>
): Effect.fn.Return<Products, SqlError.SqlError> {
  const given: Array<Wanted> = []
  const removed: Array<Wanted> = []
  for (const { record } of rows) {
    if (record.type !== "product" && (record.type !== "removed" || record.record !== "product")) continue
    const { key, shop } = record
    const shopId = shops.get(shop ?? "")
    if (shop === null || key === null || shopId === undefined) continue
    if (record.type === "removed") removed.push({ shopId, shop, key, alias: null })
    else given.push({ shopId, shop, key, alias: record.alias ?? null })
  }
  const unknown = given.length === 0 ? new Set<Wanted>() : yield* withoutKey(write.sql, given)
  const known = given.filter((one) => !unknown.has(one))
  const others = [...removed, ...unknown]
  const stored = yield* lookUp(write, others)
  const changing = new Set([...stored.map(keyOf), ...others.flatMap(namesOf)])
  return known.some((one) => namesOf(one).some((name) => changing.has(name)))
    ? new Products([...stored, ...(yield* lookUp(write, known))], [])
    : new Products(stored, known)
})

/** The ids of the stored products that the domain of their store, and their key or their alias name. */
export const idsOf = (
  sql: SqlClient.SqlClient,
  wanted: ReadonlyArray<{ readonly shop: string; readonly key: string }>
) => sql`
  SELECT p.id
  FROM unnest(${wanted.map(({ shop }) => shop)}::text[], ${wanted.map(({ key }) => key)}::text[])
    AS wanted (domain, name)
  CROSS JOIN LATERAL (SELECT id FROM shop WHERE domain = wanted.domain OFFSET 0) s
  CROSS JOIN LATERAL ${sql.literal(named("s.id", "wanted.name"))} p`
