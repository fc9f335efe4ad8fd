/**
 * Searches over the columns of DuckDbTables.ts. Values are written into the statement, so that they are known when it is
 * planned: numbers, dates, and normalised words.
 */
import * as Page from "../../../src/domain/search/Page.ts"
import * as AdKey from "../../../src/services/search/AdKey.ts"
import type * as SearchRequest from "../../../src/services/search/SearchRequest.ts"
import type { Condition } from "../../../src/services/search/StorePredicate.ts"
import * as PeerRequest from "./PeerRequest.ts"

const double = (value: number): string => `CAST('${value}' AS DOUBLE)`
const oneOf = (column: string, values: ReadonlyArray<number>): string => `${column} IN (${values.join(", ")})`
const between = (column: string, min: string | undefined, max: string | undefined): ReadonlyArray<string> => [
  ...(min === undefined ? [] : [`${column} >= ${min}`]),
  ...(max === undefined ? [] : [`${column} <= ${max}`])
]

const storeCondition = (condition: Condition): ReadonlyArray<string> => {
  switch (condition._tag) {
    case "OneOf":
      return [oneOf(condition.column, condition.values)]
    case "AnyBit":
      return [`(${condition.column} & ${condition.mask}) <> 0`]
    case "AnyApp":
      // Once for each store, not for each of its items.
      return [`shop_id IN (SELECT shop_id FROM shop WHERE list_has_any(apps, [${condition.ids.join(", ")}]))`]
    case "Between": {
      const { max, min, type } = PeerRequest.bounds(condition)
      const literal = (value: number | undefined) =>
        value === undefined ? undefined : type === "integer" ? `${value}` : double(value)
      return between(condition.column, literal(min), literal(max))
    }
    case "Created": {
      const literal = (date: string | undefined) => (date === undefined ? undefined : `DATE '${date}'`)
      return between("shop_created", literal(condition.from), literal(condition.to))
    }
    case "Nothing":
      return ["false"]
  }
}

const itemConditions = (predicate: SearchRequest.ItemPredicate): ReadonlyArray<string> => {
  if (predicate._tag === "Products") {
    const literal = (value: number | undefined) => (value === undefined ? undefined : double(value))
    return between("price", literal(predicate.min), literal(predicate.max))
  }
  const { criteria } = predicate
  return [
    ...(criteria.status === "active" ? ["is_active"] : []),
    ...(criteria.status === "inactive" ? ["NOT is_active"] : []),
    ...(criteria.media.length === 0 ? [] : [oneOf("media", criteria.media.map(AdKey.mediaCode))]),
    ...(criteria.ctas.length === 0 ? [] : [oneOf("cta", criteria.ctas.map(AdKey.ctaCode))]),
    ...(criteria.partnershipOnly ? ["is_partnership"] : []),
    ...(criteria.firstDay > AdKey.anyAd.firstDay ? [`started >= ${criteria.firstDay}`] : []),
    ...(criteria.lastDay < AdKey.anyAd.lastDay ? [`started <= ${criteria.lastDay}`] : [])
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

const beginsWith = (word: string): string => {
  const end = behind(word)
  return `word >= ${text(word)}${end === undefined ? "" : ` AND word < ${text(end)}`}`
}

type Table = "shop" | "product" | "ad"

const tableOf = (request: PeerRequest.PeerRequest): Table =>
  PeerRequest.isForItems(request) ? (request.items._tag === "Ads" ? "ad" : "product") : "shop"

const hasWord = (table: Table, word: string): string => `id IN (SELECT id FROM ${table}_word WHERE ${beginsWith(word)})`

const filters = (request: PeerRequest.PeerRequest): ReadonlyArray<string> => [
  ...request.store.flatMap(storeCondition),
  ...(PeerRequest.isForItems(request) ? itemConditions(request.items) : [])
]

const where = (conditions: ReadonlyArray<string>): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`

const matching = (request: PeerRequest.PeerRequest, ...more: ReadonlyArray<string>): string => {
  const table = tableOf(request)
  const words = request.words.map((word) => hasWord(table, word))
  return `FROM ${table} ${where([...filters(request), ...more, ...words])}`
}

const limits = ({ window }: PeerRequest.PeerRequest): string => `LIMIT ${window.perPage} OFFSET ${Page.offset(window)}`

const inDirection = (column: string, direction: "asc" | "desc"): string => `${column} ${direction} NULLS LAST`

const shopColumn = (column: string): string => (column === "created" ? "shop_created" : column)

const ordering = (request: PeerRequest.PeerRequest): string => {
  if (!PeerRequest.isForItems(request)) {
    const { columns, direction } = request.order
    return [...columns.map((column) => inDirection(shopColumn(column), direction)), "shop_id"].join(", ")
  }
  const { order } = request
  switch (order._tag) {
    case "Grouped":
      return "max(n_active) DESC, shop_id"
    case "ByItem": {
      const isDescendingId = (order.column === "score") !== (order.direction === "desc")
      return `${inDirection(order.column, order.direction)}, id ${isDescendingId ? "DESC" : "ASC"}`
    }
    case "ByStore": {
      const within = request.items._tag === "Ads" ? "pick DESC" : "score DESC, id"
      return `${inDirection(order.figure, order.direction)}, shop_id, ${within}`
    }
  }
}

/** Ids of the page's results, in order. */
export const page = (request: PeerRequest.PeerRequest): string =>
  PeerRequest.isGrouped(request)
    ? `SELECT ${AdKey.sqlIdOfPick("max(pick)")} AS id ${matching(request, "shop_id > 0")} GROUP BY shop_id
       ORDER BY ${ordering(request)} ${limits(request)}`
    : `SELECT id ${matching(request)} ORDER BY ${ordering(request)} ${limits(request)}`

/** `total`, and `stores` where they are counted. */
export const count = (request: PeerRequest.PeerRequest): string => {
  if (PeerRequest.isGrouped(request)) {
    return `SELECT coalesce(sum(matching), 0)::INTEGER AS total, (count(*) FILTER (shop_id > 0))::INTEGER AS stores
      FROM (SELECT shop_id, count(*) AS matching ${matching(request)} GROUP BY shop_id)`
  }
  const [first, ...others] = request.words
  // What has the words is counted without looking at the items.
  if (first !== undefined && filters(request).length === 0) {
    const table = tableOf(request)
    const words = [beginsWith(first), ...others.map((word) => hasWord(table, word))]
    return `SELECT count(DISTINCT id)::INTEGER AS total, 0 AS stores FROM ${table}_word ${where(words)}`
  }
  return `SELECT count(*)::INTEGER AS total, 0 AS stores ${matching(request)}`
}
