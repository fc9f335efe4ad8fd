/** Predicates as SQL over `shop_search s` and the item table `i`. Values are always parameters. */
import type { SqlClient, Statement } from "effect/sql"
import * as AdKey from "./AdKey.ts"
import * as SearchRequest from "./SearchRequest.ts"
import type { Condition, Figure, StorePredicate } from "./StorePredicate.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** More ranges than this are slower to add up than the ads are to count. */
const maxRanges = 32

const maxInteger = 2 ** 31 - 1
const integers: ReadonlySet<Figure> = new Set(["visits", "n_active", "products_count", "orders", "reviews"])

/**
 * The lower bound keeps the sentinel of unknown out, also when only an upper one was given. Whole figures are compared
 * with whole bounds: compared as fractions, no index would help.
 */
const between = (sql: Sql, { column, max, min }: Extract<Condition, { readonly _tag: "Between" }>) => {
  const figure = sql`s.${sql(column)}`
  if (!integers.has(column)) {
    const least = min ?? (column === "growth" ? -Number.MAX_VALUE : 0)
    return [sql`${figure} >= ${least}::float8`, ...(max === undefined ? [] : [sql`${figure} <= ${max}::float8`])]
  }
  const least = Math.max(Math.ceil(min ?? 0), 0)
  if (least > maxInteger) return [sql`false`]
  return [
    ...(column === "n_active" ? [sql`s.id > 0`] : []),
    sql`${figure} >= ${least}::int`,
    ...(max === undefined || max >= maxInteger ? [] : [sql`${figure} <= ${Math.floor(max)}::int`])
  ]
}

const storeCondition = (sql: Sql, condition: Condition): ReadonlyArray<Fragment> => {
  switch (condition._tag) {
    case "OneOf":
      return [sql`s.${sql(condition.column)} = ANY(${condition.values}::int[])`]
    case "AnyBit":
      return [sql`(s.${sql(condition.column)} & ${condition.mask}::int) <> 0`]
    case "AnyApp":
      return [sql`s.apps && ${condition.ids}::int[]`]
    case "Between":
      return between(sql, condition)
    case "Created":
      return [
        condition.from === undefined ? sql`s.created > '-infinity'` : sql`s.created >= ${condition.from}::date`,
        ...(condition.to === undefined ? [] : [sql`s.created <= ${condition.to}::date`])
      ]
    case "Nothing":
      return [sql`false`]
  }
}

/**
 * Any filter on the store leaves out row 0, the ads without one: no condition holds for what is unknown, and of that row
 * only the number of running ads is known.
 */
export const store = (sql: Sql, predicate: StorePredicate): ReadonlyArray<Fragment> =>
  predicate.flatMap((condition) => storeCondition(sql, condition))

export const items = (sql: Sql, predicate: SearchRequest.ItemPredicate): ReadonlyArray<Fragment> => {
  if (predicate._tag === "Products") {
    return [
      ...(predicate.min === undefined ? [] : [sql`i.price >= ${predicate.min}::float8`]),
      ...(predicate.max === undefined ? [] : [sql`i.price <= ${predicate.max}::float8`])
    ]
  }
  const { criteria } = predicate
  return [
    ...(AdKey.asksFlags(criteria) ? [sql`i.flags = ANY(${AdKey.matchingFlags(criteria)}::int2[])`] : []),
    ...(AdKey.asksFlags(criteria) || criteria.status === "all"
      ? []
      : criteria.status === "active"
        ? [sql`i.flags >= ${AdKey.activeFlags}::int2`]
        : [sql`i.flags < ${AdKey.activeFlags}::int2`]),
    ...(criteria.firstDay > AdKey.anyAd.firstDay ? [sql`i.started >= ${criteria.firstDay}::int`] : []),
    ...(criteria.lastDay < AdKey.anyAd.lastDay ? [sql`i.started <= ${criteria.lastDay}::int`] : [])
  ]
}

/**
 * How the words of a query are looked for: `index` lets the token index find the documents, `scan` reads the document of
 * each item that is visited anyway. Both find the same.
 */
export type WordAccess = "index" | "scan"

/** Prefixes of one or two letters have so many words behind them that the index is slower than reading documents. */
const isSelective = (word: string): boolean => !/^[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{N}]{1,2}$/u.test(word)

const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}':*`

/**
 * Words start after a blank; none of them holds a character that LIKE treats specially. PostgreSQL takes a LIKE like this
 * for one that hardly ever holds, and would rather read everything than walk; within a CASE it makes no such guess.
 */
const contains = (sql: Sql, word: string, alias: "i" | "s"): Fragment =>
  sql`CASE WHEN ' ' || ${sql(alias)}.doc LIKE ${`% ${word}%`} THEN true ELSE false END`

export const tsquery = (words: ReadonlyArray<string>): string => {
  const selective = words.filter(isSelective)
  return (selective.length > 0 ? selective : words).map(quoted).join(" & ")
}

/** Of items, or with `s` of the stores' own documents: their names and domains. */
export const words = (
  sql: Sql,
  wanted: ReadonlyArray<string>,
  access: WordAccess,
  alias: "i" | "s" = "i"
): ReadonlyArray<Fragment> => {
  if (wanted.length === 0) return []
  if (access === "scan") return wanted.map((word) => contains(sql, word, alias))
  const others = wanted.some(isSelective) ? wanted.filter((word) => !isSelective(word)) : []
  return [
    sql`search_words(${sql(alias)}.doc) @@ ${tsquery(wanted)}::tsquery`,
    ...others.map((word) => contains(sql, word, alias))
  ]
}

/** The number below, next to it. */
const nextDown = (value: number): number => {
  if (value === 0) return -Number.MIN_VALUE
  const bits = new BigInt64Array(new Float64Array([value]).buffer)
  bits[0] = (bits[0] ?? 0n) + (value > 0 ? -1n : 1n)
  return new Float64Array(bits.buffer)[0] ?? value
}

/**
 * Whether {@link counter} can say how many of a store's items match: not with words, nor with flags that form too many
 * ranges.
 */
export const isCountable = ({ items, words }: Counted): boolean =>
  words.length === 0 && (items._tag === "Products" || AdKey.keyRanges(items.criteria).ranges.length <= maxRanges)

type Counted = Pick<SearchRequest.SearchRequest, "items" | "words">

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
 * The stores that match, each with how many of its items do: `id` and `matching`, which may be 0; stores without items may
 * be missing. All stores, in one pass.
 */
export const countedStores = (sql: Sql, request: Counted & Pick<SearchRequest.SearchRequest, "store">): Fragment => {
  const { matching, rollup } = counter(sql, request)
  const stores = store(sql, request.store)
  if (rollup === undefined) {
    return sql`SELECT s.id, ${matching} AS matching FROM shop_search s WHERE ${sql.and(stores)}`
  }
  const array = sql`t.${sql(rollup.column)}`
  // Joined to nothing, an array is in memory from there on; OFFSET 0 keeps that from being done for each use.
  const isWorthIt = rollup.table === "shop_ads" && counterSearches(request) >= searchesOfOneFetch
  const keys = isWorthIt ? sql`${array} || '{}'::int[]` : array
  const join = stores.length === 0 ? sql`` : sql`JOIN shop_search s ON s.id = t.id`
  return sql`
    SELECT r.id, ${matching} AS matching FROM (
      SELECT t.id, ${keys} AS keys FROM ${sql(rollup.table)} t ${join} WHERE ${sql.and(stores)} OFFSET 0
    ) r`
}
