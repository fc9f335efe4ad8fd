/** Predicates as SQL over `shop_search s` and the item table `i`. Values are always parameters. */
import type { SqlClient, Statement } from "effect/sql"
import * as AdKey from "./AdKey.ts"
import type * as SearchRequest from "./SearchRequest.ts"
import type { Condition, Figure, StorePredicate } from "./StorePredicate.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

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
 * each item that is visited anyway. `whole` is `index` for words that nearly every document has: PostgreSQL, if it knew
 * them, would leave the index aside and take every document apart, fifty times as slow. All find the same.
 */
export type WordAccess = "index" | "whole" | "scan"

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
  const query = sql`${tsquery(wanted)}::tsquery`
  return [
    // What a subquery gives, PostgreSQL does not know when it plans.
    sql`search_words(${sql(alias)}.doc) @@ ${access === "whole" ? sql`(SELECT ${query})` : query}`,
    ...others.map((word) => contains(sql, word, alias))
  ]
}
