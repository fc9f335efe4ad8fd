/**
 * One page of a search, with the figures of its stores. Each shard orders its own matches and gives its first ones; of these the
 * server that was asked takes the page.
 */
import { storeNumbers } from "../../../domain/search/CatalogQuery.ts"
import type { ItemColumn, Order, Query, StoreIdsQuery, Subject } from "../../../domain/search/CatalogQuery.ts"
import { lastDay } from "../index/AdKey.ts"
import { figureColumn, gather, itemRows, storeConditions, storeRows } from "./Conditions.ts"
import type { Draft } from "./Conditions.ts"

type ByStore = Extract<Order, { readonly _tag: "ByStore" }>

/** Unknown figures are NaN, which ClickHouse puts last in both directions if nulls are. */
const by = (column: string, isDescending: boolean): string => `${column} ${isDescending ? "DESC" : "ASC"} NULLS LAST`

const figureColumns = storeNumbers.map(figureColumn)
export const figureList = figureColumns.join(", ")

/** How the items of a store are ordered. */
const withinStore = {
  products: { columns: ["recency"], order: ["recency DESC", "id ASC"] },
  ads: { columns: ["running", "started"], order: ["running DESC", "started DESC", "id DESC"] }
} as const

/**
 * The id of the ad that stands for a store (D119): the running one that started first, else the one that started last. It is in the lowest
 * bits of a number that orders them, which takes a fraction of the time of a comparison of tuples.
 */
const longest =
  "toInt32(bitAnd(max(bitShiftLeft(toUInt64(running), 63) + " +
  `bitShiftLeft(toUInt64(if(running = 1, ${lastDay} - started, started)), 31) + toUInt64(id)), 2147483647))`

const grouped: ByStore = { _tag: "ByStore", figures: ["active_ads"], isDescending: true }

/** What a shard selects from, and the order. Columns of the order are among those that are selected. */
interface Ordered {
  readonly rows: string
  readonly columns: ReadonlyArray<string>
  readonly order: ReadonlyArray<string>
}

const ofStores = (draft: Draft, query: Query): Ordered => {
  const { figures: keys, isDescending } = query.order._tag === "ByStore" ? query.order : grouped
  return {
    rows: storeRows(draft, storeConditions(draft, query), `id, id AS shop_id, ${figureList}`),
    columns: ["id", "shop_id", ...figureColumns],
    order: [...keys.flatMap((key) => (key === undefined ? [] : by(figureColumn(key), isDescending))), "id ASC"]
  }
}

/** Items with columns of their store; ads without a store are kept, with zeros. */
const withStores = (draft: Draft, items: string, columns: ReadonlyArray<string>): string =>
  `SELECT i.*, ${columns.map((column) => `s.${column} AS store_${column}`).join(", ")} FROM (${items}) AS i ` +
  `ANY LEFT JOIN (${storeRows(draft, [], `id AS store_id, ${columns.join(", ")}`)}) AS s ON s.store_id = i.shop_id`

const ofItems = (draft: Draft, query: Query, subject: Exclude<Subject, "stores">): Ordered => {
  const { order } = query
  const { columns: own, order: ofStore } = withinStore[subject]
  const keys = ["id", "shop_id"]
  if (order._tag === "ByItem") {
    const ofId = (isDescending: boolean) => `id ${isDescending ? "DESC" : "ASC"}`
    if (order.column !== "score") {
      const column: Exclude<ItemColumn, "score"> = order.column
      return {
        rows: itemRows(draft, query, `id, shop_id, ${column}`),
        columns: [...keys, column],
        order: [by(column, order.isDescending), ofId(order.isDescending)]
      }
    }
    const items = withStores(draft, itemRows(draft, query, "id, shop_id, recency"), ["relevance"])
    return {
      rows: `SELECT id, shop_id, store_relevance + recency AS score FROM (${items})`,
      columns: [...keys, "score"],
      order: [by("score", order.isDescending), ofId(!order.isDescending)]
    }
  }
  if (order._tag === "Grouped") {
    const firsts = itemRows(draft, query, `shop_id, ${longest} AS first_id`, ["shop_id != 0"])
    const active = figureColumn("active_ads")
    const items = withStores(draft, `${firsts} GROUP BY shop_id`, [active])
    return {
      rows: `SELECT first_id AS id, shop_id, store_${active} FROM (${items})`,
      columns: [...keys, `store_${active}`],
      order: [by(`store_${active}`, true), "shop_id ASC"]
    }
  }
  const wanted = Array.from(new Set(order.figures.flatMap((key) => (key === undefined ? [] : [figureColumn(key)]))))
  const items = withStores(draft, itemRows(draft, query, [...keys, ...own].join(", ")), wanted)
  const known = wanted.map((column) => `if(shop_id = 0, nan, store_${column}) AS key_${column}`)
  const [main = [], ...others] = wanted.map((column) => [by(`key_${column}`, order.isDescending)])
  return {
    rows: `SELECT ${[...keys, ...own, ...known].join(", ")} FROM (${items})`,
    columns: [...keys, ...own, ...wanted.map((column) => `key_${column}`)],
    // Ads without a store are before other unknown figures.
    order: [...main, "shop_id != 0", ...others.flat(), "shop_id ASC", ...ofStore]
  }
}

export const page = (draft: Draft, query: Query): string => {
  const { limit, offset, subject } = query
  const { columns, order, rows } = subject === "stores" ? ofStores(draft, query) : ofItems(draft, query, subject)
  const { parameters } = draft
  const sorted = `ORDER BY ${order.join(", ")}`
  const first = `SELECT ${columns.join(", ")} FROM (${rows}) ${sorted} LIMIT ${parameters.add("UInt32", offset + limit)}`
  const shard =
    subject === "stores"
      ? first
      : // The page is on the right, where ClickHouse makes the table of a join: it is small.
        `SELECT f.*, ${figureColumns.map((column) => `s.${column} AS ${column}`).join(", ")} FROM ` +
        `(${storeRows(draft, [], `id AS store_id, ${figureList}`)}) AS s ANY RIGHT JOIN (${first}) AS f ON s.store_id = f.shop_id`
  return (
    `SELECT id, shop_id, ${figureList} FROM ${gather(draft, shard)} ${sorted} ` +
    `LIMIT ${parameters.add("UInt32", limit)} OFFSET ${parameters.add("UInt32", offset)}`
  )
}

/** The ids of all stores that match, up to the limit. */
export const storeIds = (draft: Draft, query: StoreIdsQuery): string => {
  const first = `ORDER BY id LIMIT ${draft.parameters.add("UInt32", query.limit)}`
  return `SELECT id FROM ${gather(draft, `${storeRows(draft, storeConditions(draft, query), "id")} ${first}`)} ${first}`
}

/** The figures of stores. */
export const figuresOf = (draft: Draft, ids: ReadonlyArray<number>): string => {
  const wanted = `id IN ${draft.parameters.add("Array(Int32)", ids)}`
  return `SELECT id, ${figureList} FROM ${gather(draft, storeRows(draft, [wanted], `id, ${figureList}`))}`
}
