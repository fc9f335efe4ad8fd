/**
 * Searches over the columns of DuckDbTables.ts. Values are written into the statement, so that they are known when it is
 * planned: numbers, dates, and normalized words.
 */
import { ctas, mediaTypes } from "../../../src/domain/catalog/Enumerations.ts"
import { wholeOf } from "../../../src/domain/search/SearchText.ts"
import type { WantedWord } from "../../../src/domain/search/WantedWords.ts"
import * as AdKey from "../../../src/services/search/index/AdKey.ts"
import type { ItemCondition, Order, Query, StoreCondition } from "../../../src/domain/search/CatalogQuery.ts"
import { figureColumn } from "./DuckDbTables.ts"
import * as PeerQuery from "./PeerQuery.ts"

const double = (value: number): string => `CAST('${value}' AS DOUBLE)`
const oneOf = (column: string, values: ReadonlyArray<number>): string => `${column} IN (${values.join(", ")})`
const between = (column: string, min: string | undefined, max: string | undefined): ReadonlyArray<string> => [
  ...(min === undefined ? [] : [`${column} >= ${min}`]),
  ...(max === undefined ? [] : [`${column} <= ${max}`])
]

export const storeCondition = (condition: StoreCondition): ReadonlyArray<string> => {
  switch (condition._tag) {
    case "AnyOf":
      return condition.values.length === 0 ? ["false"] : [oneOf(condition.column, condition.values)]
    case "AnyId":
      return [oneOf("shop_id", condition.ids)]
    case "AnyBit":
      return [`(${condition.column} & ${condition.mask | 0}) <> 0`]
    case "AnyApp":
      // Once for each store, not for each of its items.
      return [
        `shop_id IN (SELECT shop_id FROM shop WHERE list_has_any(apps, [${condition.values.join(", ")}]::INTEGER[]))`
      ]
    case "Between": {
      const { max, min, type } = PeerQuery.bounds(condition.column, condition.range)
      const literal = (value: number | undefined) =>
        value === undefined ? undefined : type === "integer" ? `${value}` : double(value)
      return between(figureColumn(condition.column), literal(min), literal(max))
    }
  }
}

export const itemConditions = (item: ItemCondition | undefined): ReadonlyArray<string> => {
  if (item === undefined) return []
  if (item._tag === "Product") {
    const { max, min } = PeerQuery.priceBounds(item)
    const literal = (value: number | undefined) => (value === undefined ? undefined : double(value))
    return between("price", literal(min), literal(max))
  }
  const { criteria, firstDay, lastDay } = item
  const codesOf = <A>(vocabulary: ReadonlyArray<A>, values: ReadonlyArray<A>, first: number) =>
    values.map((value) => vocabulary.indexOf(value) + first)
  return [
    ...(criteria.status === "active" || criteria.runningOnly ? ["is_active"] : []),
    ...(criteria.status === "inactive" ? ["NOT is_active"] : []),
    ...(criteria.mediaTypes.length === 0 ? [] : [oneOf("media", codesOf(mediaTypes, criteria.mediaTypes, 0))]),
    ...(criteria.ctas.length === 0 ? [] : [oneOf("cta", codesOf(ctas, criteria.ctas, 1))]),
    ...(criteria.partnershipOnly ? ["is_partnership"] : []),
    ...(firstDay > 0 ? [`started >= ${firstDay}`] : []),
    ...(lastDay < AdKey.lastDay ? [`started <= ${lastDay}`] : [])
  ]
}

const lastCodePoint = 0x10_ff_ff
const surrogates = { first: 0xd8_00, last: 0xdf_ff } as const

/** The first text behind all that begin with this word; texts are compared by code points. */
const behind = (word: string): string | undefined => {
  const characters = Array.from(word)
  const last = characters.pop()?.codePointAt(0)
  if (last === undefined) return undefined
  if (last === lastCodePoint) return behind(characters.join(""))
  const next = last + 1 === surrogates.first ? surrogates.last + 1 : last + 1
  return characters.join("") + String.fromCodePoint(next)
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

const beginsWith = (spelling: string): string => {
  const whole = wholeOf(spelling)
  if (whole !== undefined) return `word = ${text(whole)}`
  const end = behind(spelling)
  return `word >= ${text(spelling)}${end === undefined ? "" : ` AND word < ${text(end)}`}`
}

type Table = "shop" | "product" | "ad"

const tableNames: Readonly<Record<Query["subject"], Table>> = { stores: "shop", products: "product", ads: "ad" }

/** Ids, also more than once. A statement for each spelling: with OR, DuckDB reads all words instead of ranges of them. */
const hits = (table: Table, word: WantedWord): string =>
  `(${word.map((spelling) => `SELECT id FROM ${table}_word WHERE ${beginsWith(spelling)}`).join(" UNION ALL ")})`

const hasWord = (table: Table, word: WantedWord): string => `id IN ${hits(table, word)}`

const filters = ({ item, stores }: Query): ReadonlyArray<string> => [
  ...stores.flatMap(storeCondition),
  ...itemConditions(item)
]

const where = (conditions: ReadonlyArray<string>): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`

const matching = (query: Query, ...more: ReadonlyArray<string>): string => {
  const table = tableNames[query.subject]
  const words = query.words.map((word) => hasWord(table, word))
  return `FROM ${table} ${where([...filters(query), ...more, ...words])}`
}

const inDirection = (column: string, isDescending: boolean): string =>
  `${column} ${isDescending ? "DESC" : "ASC"} NULLS LAST`

export const storeOrdering = (order: Extract<Order, { readonly _tag: "ByStore" }>): ReadonlyArray<string> =>
  PeerQuery.figuresOf(order).map((figure) => inDirection(figureColumn(figure), order.isDescending))

export const ordering = ({ order, subject }: Query): string => {
  switch (order._tag) {
    case "Grouped":
      return "max(active_ads) DESC, shop_id"
    case "ByItem": {
      const isIdDescending = (order.column === "score") !== order.isDescending
      return `${inDirection(order.column, order.isDescending)}, id ${isIdDescending ? "DESC" : "ASC"}`
    }
    case "ByStore": {
      const within = { stores: [], products: ["score DESC, id"], ads: ["pick DESC"] }[subject]
      return [...storeOrdering(order), "shop_id", ...within].join(", ")
    }
  }
}

/** Ids of the page's results, in order. */
export const page = (query: Query): string => {
  const limits = `LIMIT ${query.limit} OFFSET ${query.offset}`
  return PeerQuery.isGrouped(query)
    ? `SELECT (max(standing) & 2147483647)::INTEGER AS id ${matching(query, "shop_id > 0")} GROUP BY shop_id
       ORDER BY ${ordering(query)} ${limits}`
    : `SELECT id ${matching(query)} ORDER BY ${ordering(query)} ${limits}`
}

/** `total`, and `stores` where they are counted. */
export const count = (query: Query): string => {
  if (PeerQuery.isGrouped(query)) {
    return `SELECT coalesce(sum(matching), 0)::INTEGER AS total, (count(*) FILTER (shop_id > 0))::INTEGER AS stores
      FROM (SELECT shop_id, count(*) AS matching ${matching(query)} GROUP BY shop_id)`
  }
  const [first, ...others] = query.words
  // What has the words is counted without looking at the items.
  if (first !== undefined && filters(query).length === 0) {
    const table = tableNames[query.subject]
    const words = others.map((word) => hasWord(table, word))
    return `SELECT count(DISTINCT id)::INTEGER AS total, 0 AS stores FROM ${hits(table, first)} ${where(words)}`
  }
  return `SELECT count(*)::INTEGER AS total, 0 AS stores ${matching(query)}`
}
