/** The stored niches and categories, and the niche that a store gets by what it sells. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { CategoryRecord, NicheRecord } from "../../domain/catalog/Records.ts"
import { idsOf, rowsOf } from "../database/Rows.ts"
import * as CatalogVersion from "./CatalogVersion.ts"
import type { ImportRow, TaxonomyNiche } from "./ImportSource.ts"
import { longTransaction } from "./LongTransaction.ts"
import { NicheTree } from "./NicheTree.ts"

/** A vote for the niche of a store, by one of its products or categories. */
export interface NicheVote {
  readonly shopId: number
  readonly nicheId: number
  /** Of a list of stores: it replaces that of an earlier list. Otherwise of a product. */
  readonly isList: boolean
}

const NicheRow = Schema.Struct({
  id: Schema.Int,
  parent_id: Schema.NullOr(Schema.Int),
  name: Schema.String,
  taxonomy_key: Schema.NullOr(Schema.String)
})
type NicheRow = typeof NicheRow.Type
const decodeNiches = rowsOf(NicheRow)
const decodeCategories = rowsOf(Schema.Struct({ name: Schema.String, niche_id: Schema.Int }))

/** A niche as it is stored, with its key in a taxonomy. */
export type KeyedNiche = NicheRecord & { readonly taxonomy_key?: string | null }

const maxNameCharacters = 100
const firstTaxonomyId = 10_000

/** The key of the parent category: `gid://shopify/TaxonomyCategory/aa-1-2` is below `.../aa-1`. */
const parentKey = (key: string): string | null => {
  const cut = key.lastIndexOf("-")
  return cut > key.lastIndexOf("/") ? key.slice(0, cut) : null
}

export class StoredNiches {
  readonly tree: NicheTree
  readonly #idOfName = new Map<string, number>()
  readonly #ofTaxonomy = new Map<string, NicheRow>()
  readonly #categories: Map<string, number>
  #lastId = firstTaxonomyId - 1

  constructor(niches: ReadonlyArray<NicheRow>, categories: ReadonlyArray<readonly [name: string, nicheId: number]>) {
    this.tree = new NicheTree(niches)
    this.#categories = new Map(categories)
    for (const niche of niches) this.#add(niche)
  }

  #add(niche: NicheRow): void {
    this.#idOfName.set(niche.name.toLowerCase(), niche.id)
    this.#lastId = Math.max(this.#lastId, niche.id)
    if (niche.taxonomy_key !== null) this.#ofTaxonomy.set(niche.taxonomy_key, niche)
  }

  /**
   * Converts the categories of a taxonomy to niches. A stored niche keeps its id. The name is the category's own, preceded by
   * as many of its ancestors as make it unique.
   */
  addTaxonomy(categories: ReadonlyArray<TaxonomyNiche>): ReadonlyArray<KeyedNiche> {
    return categories.flatMap(({ key, path }) => {
      const known = this.#ofTaxonomy.get(key)
      const id = known?.id ?? this.#lastId + 1
      const isFree = (name: string) => {
        const owner = this.#idOfName.get(name.toLowerCase())
        return name.length <= maxNameCharacters && (owner === undefined || owner === id)
      }
      const names = path.map((_, at) => path.slice(path.length - 1 - at).join(" > "))
      const name = names.find(isFree) ?? [`${path.at(-1)} (${key.slice(key.lastIndexOf("/") + 1)})`].find(isFree)
      if (name === undefined) return []
      const above = parentKey(key)
      const parent_id = above === null ? null : (this.#ofTaxonomy.get(above)?.id ?? null)
      this.#add({ id, parent_id, name, taxonomy_key: key })
      return [{ type: "niche", id, parent_id, name, taxonomy_key: key } as const]
    })
  }

  addCategories(categories: ReadonlyMap<string, CategoryRecord>): ReadonlyArray<CategoryRecord> {
    for (const [name, { niche }] of categories) this.#categories.set(name, niche)
    return Array.from(categories, ([name, record]) => ({ ...record, name }))
  }

  /** Empty if the store or the niche is unknown. */
  vote(shopId: number | null, category: string | null, isList: boolean): ReadonlyArray<NicheVote> {
    const nicheId = category === null || shopId === null ? undefined : this.#nicheOf(category)
    return shopId === null || nicheId === undefined ? [] : [{ shopId, nicheId, isList }]
  }

  /** Finds a category by its name; else searches its path from the end for a name of a niche, longer names first. */
  #nicheOf(category: string): number | undefined {
    const own = this.#categories.get(category.toLowerCase())
    if (own !== undefined) return own
    const path = category
      .split(category.includes(">") ? ">" : "/")
      .map((part) => part.trim())
      .filter((part) => part !== "")
    for (let end = path.length; end > 0; end--) {
      for (let from = 0; from < end; from++) {
        const name = path.slice(from, end).join(" > ").toLowerCase()
        const found = this.#categories.get(name) ?? this.#idOfName.get(name)
        if (found !== undefined) return found
      }
    }
    return undefined
  }
}

/** Reads niches and categories if a row needs them. */
export const read = Effect.fn("Niches.read")(function* (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<ImportRow>
): Effect.fn.Return<StoredNiches, SqlError.SqlError> {
  const isNeeded = rows.some(
    ({ category, record }) =>
      record.type === "niche" ||
      record.type === "taxonomy_niche" ||
      record.type === "category" ||
      (record.type === "shop" && record.niche !== null) ||
      (record.type === "partial_shop" && record.categories !== undefined) ||
      (category !== undefined && category !== null)
  )
  if (!isNeeded) return new StoredNiches([], [])
  const niches = yield* decodeNiches(sql`SELECT id, parent_id, name, taxonomy_key FROM niche`)
  const categories = yield* decodeCategories(sql`SELECT name, niche_id FROM category`)
  return new StoredNiches(
    niches,
    categories.map(({ name, niche_id }) => [name, niche_id])
  )
})

/** Sent for NULL: the type of an array of nothing but NULL would be unknown. Ids of niches begin at 1. */
const noNiche = 0
const decodeElected = rowsOf(Schema.Struct({ id: Schema.Int, is_elected: Schema.Boolean, is_change: Schema.Boolean }))

/** What the records of an import say of the niches of stores. */
export interface NicheFindings {
  /** The weights of votes by store and niche. */
  readonly votes: ReadonlyMap<number, ReadonlyMap<number, number>>
  /** Stores that have a niche although their record states none. */
  readonly unstated: ReadonlySet<number>
}

interface Election {
  /** Stores that got a niche. */
  readonly chosen: number
  /** Stores whose niche is another or none now although their record states none, and that the import had not changed before. */
  readonly changed: number
}

/**
 * In one transaction, gives stores without a niche the one with the most votes; a tie goes to the lowest id. A store whose record
 * states no niche loses one that has no votes. It keeps its niche until now: if its record removed it, the same import would change
 * the store each time.
 */
export const choose = Effect.fn("Niches.choose")(function* (
  sql: SqlClient.SqlClient,
  { unstated, votes }: NicheFindings,
  importId: number
): Effect.fn.Return<Election, SqlError.SqlError> {
  const wanted = new Map(Array.from(unstated, (shopId) => [shopId, noNiche]))
  for (const [shopId, ofShop] of votes) {
    const [best] = Array.from(ofShop).toSorted(([a, weightA], [b, weightB]) => weightB - weightA || a - b)
    if (best !== undefined) wanted.set(shopId, best[0])
  }
  if (wanted.size === 0) return { chosen: 0, changed: 0 }
  const shopIds = Array.from(wanted.keys())
  return yield* longTransaction(
    sql,
    Effect.gen(function* () {
      const version = yield* CatalogVersion.begin(sql)
      const changed = yield* sql`
        UPDATE shop
        SET niche_id = wanted.niche_id, version = ${version},
          import_id = CASE WHEN wanted.is_unstated THEN ${importId}::int ELSE shop.import_id END
        FROM (
          SELECT before.ctid, before.import_id, nullif(sent.niche_id, ${noNiche}) AS niche_id, sent.is_unstated
          FROM unnest(
            ${shopIds}::int[], ${Array.from(wanted.values())}::int[], ${shopIds.map((id) => unstated.has(id))}::bool[]
          ) AS sent (shop_id, niche_id, is_unstated)
          CROSS JOIN LATERAL (SELECT ctid, import_id FROM shop WHERE id = sent.shop_id OFFSET 0) before
        ) wanted
        WHERE shop.ctid = wanted.ctid AND (wanted.is_unstated OR shop.niche_id IS NULL)
          AND shop.niche_id IS DISTINCT FROM wanted.niche_id
        RETURNING shop.id, shop.niche_id IS NOT NULL AS is_elected,
          wanted.is_unstated AND wanted.import_id IS DISTINCT FROM ${importId}::int AS is_change`.pipe(decodeElected)
      yield* CatalogVersion.commit(sql, version, { items: [], figures: changed.map(({ id }) => id), niches: false })
      return {
        chosen: changed.filter(({ is_elected }) => is_elected).length,
        changed: changed.filter(({ is_change }) => is_change).length
      }
    })
  )
})

/** Which of the stores have a niche. */
export const having = Effect.fn("Niches.having")(function* (
  sql: SqlClient.SqlClient,
  shopIds: ReadonlyArray<number>
): Effect.fn.Return<ReadonlyArray<number>, SqlError.SqlError> {
  if (shopIds.length === 0) return []
  return yield* idsOf(sql`SELECT id FROM shop WHERE id = ANY(${shopIds}::int[]) AND niche_id IS NOT NULL`)
})
