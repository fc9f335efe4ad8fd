/** How many of a store's items match, without looking at items. */
import type { SqlClient, Statement } from "effect/sql"
import * as AdKey from "./AdKey.ts"
import * as FilterSql from "./FilterSql.ts"
import * as SearchRequest from "./SearchRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** More ranges than this are slower to add up than the ads are to count. */
const maxRanges = 32

/**
 * Whether {@link counter} can say how many of a store's items match: not with words, nor with flags that form too many
 * ranges.
 */
export const isCountable = ({ items, words }: Counted): boolean =>
  words.length === 0 && (items._tag === "Products" || AdKey.keyRanges(items.criteria).ranges.length <= maxRanges)

type Counted = Pick<SearchRequest.SearchRequest, "items" | "words">

/** The number below, next to it. */
const nextDown = (value: number): number => {
  if (value === 0) return -Number.MIN_VALUE
  const bits = new BigInt64Array(new Float64Array([value]).buffer)
  bits[0] = (bits[0] ?? 0n) + (value > 0 ? -1n : 1n)
  return new Float64Array(bits.buffer)[0] ?? value
}

/** How many times {@link counter} has to search an array of a store. */
export const counterSearches = ({ items }: Counted): number =>
  items._tag === "Products"
    ? Number(items.min !== undefined) + Number(items.max !== undefined)
    : AdKey.asksNothing(items.criteria)
      ? 0
      : 2 * AdKey.keyRanges(items.criteria).ranges.length

/** How many of a store's items match: an expression over `shop_search s`, and `r` where it needs a rollup. */
export interface Counter {
  readonly matching: Fragment
  /** What is joined to the stores: the table, in which only stores with items are, and the array that is searched. */
  readonly rollup:
    | { readonly table: "shop_products" | "shop_ads"; readonly column: AdKey.KeyColumn | "prices" }
    | undefined
}

/**
 * From the sorted array that is called `r.keys`: `width_bucket(x, array)` is the number of elements up to x. Only for what
 * {@link isCountable}.
 */
export const counter = (sql: Sql, counted: Counted): Counter => {
  const { items } = counted
  if (SearchRequest.asksStoresOnly({ items, words: [] })) {
    return { matching: items._tag === "Products" ? sql`s.n_products` : sql`s.n_ads`, rollup: undefined }
  }
  if (items._tag === "Products") {
    const upTo = items.max === undefined ? sql`cardinality(r.keys)` : sql`width_bucket(${items.max}::float8, r.keys)`
    return {
      matching:
        items.min === undefined || items.min <= 0
          ? upTo
          : sql`(${upTo} - width_bucket(${nextDown(items.min)}::float8, r.keys))`,
      rollup: { table: "shop_products", column: "prices" }
    }
  }
  const { column, ranges } = AdKey.keyRanges(items.criteria)
  const terms = ranges.map(
    ([low, high]) => sql`width_bucket(${high}::int, r.keys) - width_bucket(${low - 1}::int, r.keys)`
  )
  return { matching: sql`(${sql.join(" + ", false, "0")(terms)})`, rollup: { table: "shop_ads", column } }
}

/** Large arrays are stored apart from their row, and fetched by each call that searches them. */
const searchesOfOneFetch = 4

/**
 * The stores that match, each with how many of its items do: `id` and `matching`, which may be 0, and a column of theirs if
 * one is asked for; stores without items are missing. One pass over all stores.
 */
export const countedStores = (
  sql: Sql,
  request: Counted & Pick<SearchRequest.SearchRequest, "store">,
  figure?: string
): Fragment => {
  const { matching, rollup } = counter(sql, request)
  const stores = FilterSql.store(sql, request.store)
  const column = (alias: "s" | "r") => (figure === undefined ? sql`` : sql`, ${sql(alias)}.${sql(figure)}`)
  if (rollup === undefined) {
    return sql`
      SELECT s.id, ${matching} AS matching${column("s")} FROM shop_search s
      WHERE ${sql.and([sql`${matching} > 0`, ...stores])}`
  }
  const array = sql`t.${sql(rollup.column)}`
  // Joined to nothing, an array is in memory from there on; OFFSET 0 keeps that, and the search, from being done for each
  // use.
  const isWorthIt = rollup.table === "shop_ads" && counterSearches(request) >= searchesOfOneFetch
  const keys = isWorthIt ? sql`${array} || '{}'::int[]` : array
  const needsStores = stores.length > 0 || figure !== undefined
  const join = needsStores ? sql`JOIN shop_search s ON s.id = t.id` : sql``
  return sql`
    SELECT r.id, ${matching} AS matching${column("r")} FROM (
      SELECT t.id, ${keys} AS keys${column("s")} FROM ${sql(rollup.table)} t ${join} WHERE ${sql.and(stores)} OFFSET 0
    ) r OFFSET 0`
}
