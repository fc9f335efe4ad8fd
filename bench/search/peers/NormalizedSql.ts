/** Searches over the plain schema: one statement for the page, one for the count, joins and conditions as anyone writes them. */
import type { SqlClient, Statement } from "effect/sql"
import { wholeOf } from "../../../src/domain/search/SearchText.ts"
import * as AdKey from "../../../src/services/search/index/AdKey.ts"
import type { ItemCondition, Query, StoreCondition } from "../../../src/domain/search/CatalogQuery.ts"
import { figures } from "../../../src/domain/catalog/Figures.ts"
import { record } from "../../../src/services/search/index/Segment.ts"
import { lettersOf } from "../../../src/domain/search/CatalogQuery.ts"
import { columnOf, standingDay } from "./NormalizedSchema.ts"
import * as PeerQuery from "./PeerQuery.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

const storeColumns = {
  niche: "niche_id",
  country: "country",
  currency: "currency",
  extension: "domain_extension_id",
  theme: "theme_id",
  ...record(figures, columnOf)
} as const

const links = {
  languages: { table: "shop_language", column: "language_id" },
  pixels: { table: "shop_pixel", column: "pixel_id" },
  networks: { table: "shop_network", column: "network_id" }
} as const

const linked = (sql: Sql, table: string, column: string, ids: ReadonlyArray<number>): Fragment => sql`EXISTS (
  SELECT FROM ${sql.literal(`normalized.${table}`)} l WHERE l.shop_id = s.id AND l.${sql(column)} = ANY(${ids}::int[])
)`

const storeCondition = (sql: Sql, condition: StoreCondition): ReadonlyArray<Fragment> => {
  switch (condition._tag) {
    case "AnyOf": {
      const { column, values } = condition
      const name = sql(storeColumns[column])
      if (column !== "country" && column !== "currency") return [sql`s.${name} = ANY(${values}::int[])`]
      return [sql`s.${name} = ANY(${values.map((value) => lettersOf(value, column === "country" ? 2 : 3))}::text[])`]
    }
    case "AnyId":
      return [sql`s.id = ANY(${condition.ids}::int[])`]
    case "AnyBit": {
      const { column, table } = links[condition.column]
      return [linked(sql, table, column, PeerQuery.bitsOf(condition.mask))]
    }
    case "AnyApp":
      return [linked(sql, "shop_app", "app_id", condition.values)]
    case "Between": {
      const { max, min, type } = PeerQuery.bounds(condition.column, condition.range)
      const name = sql(storeColumns[condition.column])
      const value = (bound: number) =>
        condition.column === "created"
          ? sql`(date '1970-01-01' + ${bound}::int)`
          : sql`${bound}::${sql.literal(type === "integer" ? "bigint" : "float8")}`
      return [
        ...(min === undefined ? [] : [sql`s.${name} >= ${value(min)}`]),
        ...(max === undefined ? [] : [sql`s.${name} <= ${value(max)}`])
      ]
    }
  }
}

const store = (sql: Sql, { stores }: Query): ReadonlyArray<Fragment> =>
  stores.flatMap((condition) => storeCondition(sql, condition))

const date = (sql: Sql, day: number): Fragment => sql`(date '0001-01-01' + ${Math.max(day, 0) - 1}::int)`

const items = (sql: Sql, { item }: { readonly item?: ItemCondition }): ReadonlyArray<Fragment> => {
  if (item === undefined) return []
  if (item._tag === "Product") {
    const { max, min } = PeerQuery.priceBounds(item)
    return [
      ...(min === undefined ? [] : [sql`i.price >= ${min}::float8`]),
      ...(max === undefined ? [] : [sql`i.price <= ${max}::float8`])
    ]
  }
  const { criteria, firstDay, lastDay } = item
  return [
    ...(criteria.status === "active" || criteria.runningOnly ? [sql`i.is_active`] : []),
    ...(criteria.status === "inactive" ? [sql`NOT i.is_active`] : []),
    ...(criteria.mediaTypes.length === 0 ? [] : [sql`i.media_type = ANY(${criteria.mediaTypes}::text[])`]),
    ...(criteria.ctas.length === 0 ? [] : [sql`i.cta = ANY(${criteria.ctas}::text[])`]),
    ...(criteria.partnershipOnly ? [sql`i.is_partnership`] : []),
    ...(firstDay > 0 ? [sql`i.started_on >= ${date(sql, firstDay)}`] : []),
    ...(lastDay < AdKey.lastDay ? [sql`i.started_on <= ${date(sql, lastDay)}`] : [])
  ]
}

const words = (sql: Sql, alias: "i" | "s", wanted: Query["words"]): ReadonlyArray<Fragment> => {
  if (wanted.length === 0) return []
  const quote = (word: string) => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
  const term = (spelling: string) => {
    const whole = wholeOf(spelling)
    return whole === undefined ? `${quote(spelling)}:*` : quote(whole)
  }
  const each = wanted.map((spellings) => `(${spellings.map(term).join(" | ")})`)
  return [sql`${sql(alias)}.words @@ ${each.join(" & ")}::tsquery`]
}

const limits = (sql: Sql, { limit, offset }: Query): Fragment => sql`LIMIT ${limit}::int OFFSET ${offset}::int`

const inDirection = (sql: Sql, column: Fragment, isDescending: boolean): Fragment =>
  isDescending ? sql`${column} DESC NULLS LAST` : column

const isAds = ({ subject }: Query): boolean => subject === "ads"

const withinStore = (sql: Sql, query: Query): Fragment =>
  isAds(query) ? sql`i.is_active DESC, i.started_on DESC, i.id DESC` : sql`i.score DESC, i.id`

/** The order of a store's ads in which the first one stands for it: of the running ones the one that started first. */
const standing = (sql: Sql): Fragment => sql`i.is_active DESC, ${sql.literal(standingDay("i."))} DESC, i.id DESC`

const itemColumns = { score: "score", price: "price", created: "created_at", started: "started_on" } as const

const byStore = (sql: Sql, { order }: Query): ReadonlyArray<Fragment> =>
  order._tag !== "ByStore"
    ? []
    : PeerQuery.figuresOf(order).map((figure) =>
        inDirection(sql, sql`s.${sql(storeColumns[figure])}`, order.isDescending)
      )

const ordering = (sql: Sql, query: Query): Fragment => {
  const { order } = query
  switch (order._tag) {
    case "Grouped":
      return sql`active_ads DESC NULLS LAST, shop_id`
    case "ByItem": {
      const isIdDescending = (order.column === "score") !== order.isDescending
      const column = sql`i.${sql(itemColumns[order.column])}`
      // Only `created_at` may be unknown; an index of what may not has no NULLS LAST.
      const key =
        order.column === "created"
          ? inDirection(sql, column, order.isDescending)
          : sql`${column} ${sql.literal(order.isDescending ? "DESC" : "ASC")}`
      return sql`${key}, i.id ${sql.literal(isIdDescending ? "DESC" : "ASC")}`
    }
    case "ByStore": {
      if (query.subject === "stores") return sql.csv([...byStore(sql, query), sql`s.id`])
      // Without a filter on stores ads without one are among the results, first of those whose figure is unknown.
      const shopId = isAds(query) && query.stores.length === 0 ? sql`i.shop_id NULLS FIRST` : sql`s.id`
      return sql.csv([...byStore(sql, query), shopId, withinStore(sql, query)])
    }
  }
}

/** Tables and conditions of the items that match; `i` is the item, `s` its store where it is needed. */
const matching = (sql: Sql, query: Query, needsStore: boolean): Fragment => {
  const conditions = [...store(sql, query), ...items(sql, query), ...words(sql, "i", query.words)]
  const isOuter = isAds(query) && query.stores.length === 0
  const join =
    needsStore || query.stores.length > 0
      ? sql`${sql.literal(isOuter ? "LEFT JOIN" : "JOIN")} normalized.shop s ON s.id = i.shop_id`
      : sql``
  return sql`${sql.literal(isAds(query) ? "normalized.ad" : "normalized.product")} i ${join} WHERE ${sql.and(conditions)}`
}

/**
 * One ad for each store. Without words the stores are walked in their order, which lets the page's end stop it; with them
 * the ads found come first.
 */
const groupedPage = (sql: Sql, query: Query): Fragment => {
  if (query.words.length === 0) {
    return sql`
      SELECT a.id FROM normalized.shop s CROSS JOIN LATERAL (
        SELECT i.id FROM normalized.ad i WHERE ${sql.and([sql`i.shop_id = s.id`, ...items(sql, query)])}
        ORDER BY ${standing(sql)} LIMIT 1
      ) a
      WHERE ${sql.and(store(sql, query))}
      ORDER BY s.active_ads DESC NULLS LAST, s.id ${limits(sql, query)}`
  }
  return sql`
    SELECT g.id FROM (
      SELECT DISTINCT ON (i.shop_id) i.id, i.shop_id, s.active_ads FROM ${matching(sql, query, true)} AND s.id IS NOT NULL
      ORDER BY i.shop_id, ${standing(sql)}
    ) g ORDER BY ${ordering(sql, query)} ${limits(sql, query)}`
}

const matchingShops = (sql: Sql, query: Query): Fragment =>
  sql`normalized.shop s WHERE ${sql.and([...store(sql, query), ...words(sql, "s", query.words)])}`

/** Ids of the page's results, in order. */
export const page = (sql: Sql, query: Query): Fragment => {
  if (query.subject === "stores") {
    return sql`SELECT s.id FROM ${matchingShops(sql, query)} ORDER BY ${ordering(sql, query)} ${limits(sql, query)}`
  }
  if (query.order._tag === "Grouped") return groupedPage(sql, query)
  return sql`
    SELECT i.id FROM ${matching(sql, query, query.order._tag === "ByStore")}
    ORDER BY ${ordering(sql, query)} ${limits(sql, query)}`
}

/** `total`, and `stores` where they are counted. */
export const count = (sql: Sql, query: Query): Fragment => {
  if (query.subject === "stores") {
    return sql`SELECT count(*)::int AS total, 0 AS stores FROM ${matchingShops(sql, query)}`
  }
  if (query.order._tag !== "Grouped") {
    return sql`SELECT count(*)::int AS total, 0 AS stores FROM ${matching(sql, query, false)}`
  }
  return sql`
    SELECT coalesce(sum(g.matching), 0)::int AS total, count(g.shop_id)::int AS stores
    FROM (SELECT i.shop_id, count(*) AS matching FROM ${matching(sql, query, false)} GROUP BY i.shop_id) g`
}
