/** Predicates as SQL over `shop_search s` and the item table `i`. Values are always parameters. */
import { Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import * as AdKey from "./AdKey.ts"
import type { ItemPredicate, SearchRequest } from "./SearchRequest.ts"
import type { Condition, StorePredicate } from "./StorePredicate.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** More ranges than this are slower to add up than the ads are to count. */
const maxRanges = 16

const storeCondition = (sql: Sql, condition: Condition): ReadonlyArray<Fragment> => {
  switch (condition._tag) {
    case "OneOf":
      return [sql`s.${sql(condition.column)} = ANY(${condition.values}::int[])`]
    case "AnyBit":
      return [sql`(s.${sql(condition.column)} & ${condition.mask}::int) <> 0`]
    case "AnyApp":
      return [sql`s.apps && ${condition.ids}::int[]`]
    case "Between": {
      // The lower bound keeps the sentinel of unknown out, also when only an upper one was given.
      const min = condition.min ?? (condition.column === "growth" ? -Number.MAX_VALUE : 0)
      return [
        sql`s.${sql(condition.column)} >= ${min}::float8`,
        ...(condition.max === undefined ? [] : [sql`s.${sql(condition.column)} <= ${condition.max}::float8`])
      ]
    }
    case "Created":
      return [
        condition.from === undefined ? sql`s.created > '-infinity'` : sql`s.created >= ${condition.from}::date`,
        ...(condition.to === undefined ? [] : [sql`s.created <= ${condition.to}::date`])
      ]
    case "Nothing":
      return [sql`false`]
  }
}

/** Any filter on the store leaves out row 0, the ads without one. */
export const store = (sql: Sql, predicate: StorePredicate): ReadonlyArray<Fragment> =>
  predicate.length === 0 ? [] : [sql`s.id > 0`, ...predicate.flatMap((condition) => storeCondition(sql, condition))]

export const items = (sql: Sql, predicate: ItemPredicate): ReadonlyArray<Fragment> => {
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
const contains = (sql: Sql, word: string, alias: "i" | "s" = "i"): Fragment =>
  sql`CASE WHEN ' ' || ${sql(alias)}.doc LIKE ${`% ${word}%`} THEN true ELSE false END`

/** The words of a store's own document, its name and domain. */
export const storeWords = (sql: Sql, wanted: ReadonlyArray<string>): ReadonlyArray<Fragment> =>
  wanted.map((word) => contains(sql, word, "s"))

export const tsquery = (words: ReadonlyArray<string>): string => {
  const selective = words.filter(isSelective)
  return (selective.length > 0 ? selective : words).map(quoted).join(" & ")
}

export const words = (sql: Sql, wanted: ReadonlyArray<string>, access: WordAccess): ReadonlyArray<Fragment> => {
  if (wanted.length === 0) return []
  if (access === "scan") return wanted.map((word) => contains(sql, word))
  const others = wanted.some(isSelective) ? wanted.filter((word) => !isSelective(word)) : []
  return [sql`search_words(i.doc) @@ ${tsquery(wanted)}::tsquery`, ...others.map((word) => contains(sql, word))]
}

/** About how many documents have the words, from the statistics of the token index. Nothing is read. */
export const estimateHits = (sql: Sql, request: Counted): Effect.Effect<number, SqlError.SqlError> =>
  sql`EXPLAIN (FORMAT JSON) SELECT FROM ${sql(request.items._tag === "Ads" ? "ad_search" : "product_search")} i
      WHERE search_words(i.doc) @@ ${tsquery(request.words)}::tsquery`.unprepared.pipe(
    Effect.map(([row]) => Option.getOrElse(decodeEstimate(row), () => 0))
  )

const decodeEstimate = (row: unknown): Option.Option<number> =>
  Option.map(Schema.decodeUnknownOption(Explained)(row), (explained) => explained["QUERY PLAN"][0].Plan["Plan Rows"])

const Explained = Schema.Struct({
  "QUERY PLAN": Schema.TupleWithRest(
    Schema.Tuple([Schema.Struct({ Plan: Schema.Struct({ "Plan Rows": Schema.Finite }) })]),
    [Schema.Unknown]
  )
})

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

type Counted = Pick<SearchRequest, "items" | "words">

/** How many arrays {@link counter} has to search in each store's row. */
export const counterSearches = ({ items }: Counted): number =>
  items._tag === "Products"
    ? Number(items.min !== undefined) + Number(items.max !== undefined)
    : AdKey.asksNothing(items.criteria)
      ? 0
      : 2 * AdKey.keyRanges(items.criteria).ranges.length

/**
 * How many of a store's items match, from the sorted arrays of its row: `width_bucket(x, array)` is the number of
 * elements up to x. Only for what {@link isCountable}.
 */
export const counter = (sql: Sql, { items }: Counted): Fragment => {
  if (items._tag === "Products") {
    const upTo = items.max === undefined ? sql`s.n_products` : sql`width_bucket(${items.max}::float8, s.prices)`
    return items.min === undefined || items.min <= 0
      ? upTo
      : sql`(${upTo} - width_bucket(${nextDown(items.min)}::float8, s.prices))`
  }
  if (AdKey.asksNothing(items.criteria)) return sql`s.n_ads`
  const { column, ranges } = AdKey.keyRanges(items.criteria)
  const terms = ranges.map(
    ([low, high]) =>
      sql`width_bucket(${high}::float8, s.${sql(column)}) - width_bucket(${low - 1}::float8, s.${sql(column)})`
  )
  return sql`(${sql.join(" + ", false, "0")(terms)})`
}
