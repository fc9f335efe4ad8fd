/** Searches over the plain schema: one statement for the page, one for the count, joins and conditions as anyone writes them. */
import type { SqlClient, Statement } from "effect/sql"
import * as Page from "../../../src/domain/search/Page.ts"
import * as AdKey from "../../../src/services/search/AdKey.ts"
import type * as SearchRequest from "../../../src/services/search/SearchRequest.ts"
import type * as ShopRequest from "../../../src/services/search/ShopRequest.ts"
import type { Condition, StorePredicate } from "../../../src/services/search/StorePredicate.ts"
import * as PeerRequest from "./PeerRequest.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

const storeColumns = {
  niche_id: "niche_id",
  country: "country",
  currency: "currency",
  domain_id: "domain_extension_id",
  theme_id: "theme_id",
  revenue: "monthly_revenue",
  visits: "monthly_visits",
  growth: "traffic_growth_pct",
  n_active: "active_ads",
  products_count: "products_count",
  orders: "monthly_orders",
  avg_price: "avg_price",
  rating: "trustpilot_rating",
  reviews: "trustpilot_reviews",
  created: "created_on"
} as const

const links = {
  languages: { table: "shop_language", column: "language_id" },
  pixels: { table: "shop_pixel", column: "pixel_id" },
  networks: { table: "shop_network", column: "network_id" }
} as const

/** What `StorePredicate.letters` has packed. */
const codeOf = (packed: number, length: number): string =>
  length === 0 ? "" : codeOf(Math.floor(packed / 26), length - 1) + String.fromCharCode(65 + (packed % 26))

const linked = (sql: Sql, table: string, column: string, ids: ReadonlyArray<number>): Fragment => sql`EXISTS (
  SELECT FROM ${sql.literal(`normalised.${table}`)} l WHERE l.shop_id = s.id AND l.${sql(column)} = ANY(${ids}::int[])
)`

const storeCondition = (sql: Sql, condition: Condition): ReadonlyArray<Fragment> => {
  switch (condition._tag) {
    case "OneOf": {
      const { column, values } = condition
      const name = sql(storeColumns[column])
      if (column !== "country" && column !== "currency") return [sql`s.${name} = ANY(${values}::int[])`]
      return [sql`s.${name} = ANY(${values.map((value) => codeOf(value, column === "country" ? 2 : 3))}::text[])`]
    }
    case "AnyBit": {
      const { column, table } = links[condition.column]
      return [linked(sql, table, column, PeerRequest.bitsOf(condition.mask))]
    }
    case "AnyApp":
      return [linked(sql, "shop_app", "app_id", condition.ids)]
    case "Between": {
      const { max, min, type } = PeerRequest.bounds(condition)
      const name = sql(storeColumns[condition.column])
      const cast = sql.literal(type === "integer" ? "bigint" : "float8")
      return [
        ...(min === undefined ? [] : [sql`s.${name} >= ${min}::${cast}`]),
        ...(max === undefined ? [] : [sql`s.${name} <= ${max}::${cast}`])
      ]
    }
    case "Created":
      return [
        ...(condition.from === undefined ? [] : [sql`s.created_on >= ${condition.from}::date`]),
        ...(condition.to === undefined ? [] : [sql`s.created_on <= ${condition.to}::date`])
      ]
    case "Nothing":
      return [sql`false`]
  }
}

const store = (sql: Sql, predicate: StorePredicate): ReadonlyArray<Fragment> =>
  predicate.flatMap((condition) => storeCondition(sql, condition))

const date = (sql: Sql, day: number): Fragment => sql`(date '0001-01-01' + ${Math.max(day, 0) - 1}::int)`

const items = (sql: Sql, predicate: SearchRequest.ItemPredicate): ReadonlyArray<Fragment> => {
  if (predicate._tag === "Products") {
    return [
      ...(predicate.min === undefined ? [] : [sql`i.price >= ${predicate.min}::float8`]),
      ...(predicate.max === undefined ? [] : [sql`i.price <= ${predicate.max}::float8`])
    ]
  }
  const { criteria } = predicate
  return [
    ...(criteria.status === "active" ? [sql`i.is_active`] : []),
    ...(criteria.status === "inactive" ? [sql`NOT i.is_active`] : []),
    ...(criteria.media.length === 0 ? [] : [sql`i.media_type = ANY(${criteria.media}::text[])`]),
    ...(criteria.ctas.length === 0 ? [] : [sql`i.cta = ANY(${criteria.ctas}::text[])`]),
    ...(criteria.partnershipOnly ? [sql`i.is_partnership`] : []),
    ...(criteria.firstDay > AdKey.anyAd.firstDay ? [sql`i.started_on >= ${date(sql, criteria.firstDay)}`] : []),
    ...(criteria.lastDay < AdKey.anyAd.lastDay ? [sql`i.started_on <= ${date(sql, criteria.lastDay)}`] : [])
  ]
}

const words = (sql: Sql, alias: "i" | "s", wanted: ReadonlyArray<string>): ReadonlyArray<Fragment> => {
  if (wanted.length === 0) return []
  const prefixes = wanted.map((word) => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}':*`)
  return [sql`${sql(alias)}.words @@ ${prefixes.join(" & ")}::tsquery`]
}

const limits = (sql: Sql, { window }: PeerRequest.PeerRequest): Fragment =>
  sql`LIMIT ${window.perPage}::int OFFSET ${Page.offset(window)}::int`

const inDirection = (sql: Sql, column: Fragment, direction: "asc" | "desc"): Fragment =>
  direction === "desc" ? sql`${column} DESC NULLS LAST` : column

const isAds = ({ items }: SearchRequest.SearchRequest): boolean => items._tag === "Ads"

const withinStore = (sql: Sql, request: SearchRequest.SearchRequest): Fragment =>
  isAds(request) ? sql`i.is_active DESC, i.started_on DESC, i.id DESC` : sql`i.score DESC, i.id`

const itemColumns = { score: "score", price: "price", created: "created_at", started: "started_on" } as const

const ordering = (sql: Sql, request: SearchRequest.SearchRequest): Fragment => {
  const { order } = request
  switch (order._tag) {
    case "Grouped":
      return sql`active_ads DESC NULLS LAST, shop_id`
    case "ByItem": {
      const descendingId = (order.column === "score") !== (order.direction === "desc")
      const column = sql`i.${sql(itemColumns[order.column])}`
      // Only `created_at` may be unknown; an index of what may not has no NULLS LAST.
      const key =
        order.column === "created"
          ? inDirection(sql, column, order.direction)
          : sql`${column} ${sql.literal(order.direction)}`
      return sql`${key}, i.id ${sql.literal(descendingId ? "DESC" : "ASC")}`
    }
    case "ByStore": {
      const figure = sql`s.${sql(storeColumns[order.figure])}`
      // Without a filter on stores ads without one are among the results, first of those whose figure is unknown.
      const shopId = isAds(request) && request.store.length === 0 ? sql`i.shop_id NULLS FIRST` : sql`s.id`
      return sql`${inDirection(sql, figure, order.direction)}, ${shopId}, ${withinStore(sql, request)}`
    }
  }
}

/** Tables and conditions of the items that match; `i` is the item, `s` its store where it is needed. */
const matching = (sql: Sql, request: SearchRequest.SearchRequest, needsStore: boolean): Fragment => {
  const conditions = [...store(sql, request.store), ...items(sql, request.items), ...words(sql, "i", request.words)]
  const isOuter = isAds(request) && request.store.length === 0
  const join =
    needsStore || request.store.length > 0
      ? sql`${sql.literal(isOuter ? "LEFT JOIN" : "JOIN")} normalised.shop s ON s.id = i.shop_id`
      : sql``
  return sql`${sql.literal(isAds(request) ? "normalised.ad" : "normalised.product")} i ${join} WHERE ${sql.and(conditions)}`
}

/**
 * One ad for each store. Without words the stores are walked in their order, which lets the page's end stop it; with them
 * the ads found come first.
 */
const groupedPage = (sql: Sql, request: SearchRequest.SearchRequest): Fragment => {
  if (request.words.length === 0) {
    return sql`
      SELECT a.id FROM normalised.shop s CROSS JOIN LATERAL (
        SELECT i.id FROM normalised.ad i WHERE ${sql.and([sql`i.shop_id = s.id`, ...items(sql, request.items)])}
        ORDER BY ${withinStore(sql, request)} LIMIT 1
      ) a
      WHERE ${sql.and(store(sql, request.store))}
      ORDER BY s.active_ads DESC NULLS LAST, s.id ${limits(sql, request)}`
  }
  return sql`
    SELECT g.id FROM (
      SELECT DISTINCT ON (i.shop_id) i.id, i.shop_id, s.active_ads FROM ${matching(sql, request, true)} AND s.id IS NOT NULL
      ORDER BY i.shop_id, ${withinStore(sql, request)}
    ) g ORDER BY ${ordering(sql, request)} ${limits(sql, request)}`
}

const shopOrdering = (sql: Sql, { columns, direction }: ShopRequest.Order): Fragment =>
  sql.csv([...columns.map((column) => inDirection(sql, sql`s.${sql(storeColumns[column])}`, direction)), sql`s.id`])

const matchingShops = (sql: Sql, request: ShopRequest.ShopRequest): Fragment =>
  sql`normalised.shop s WHERE ${sql.and([...store(sql, request.store), ...words(sql, "s", request.words)])}`

/** Ids of the page's results, in order. */
export const page = (sql: Sql, request: PeerRequest.PeerRequest): Fragment => {
  if (!PeerRequest.isForItems(request)) {
    return sql`
      SELECT s.id FROM ${matchingShops(sql, request)} ORDER BY ${shopOrdering(sql, request.order)} ${limits(sql, request)}`
  }
  if (request.order._tag === "Grouped") return groupedPage(sql, request)
  return sql`
    SELECT i.id FROM ${matching(sql, request, request.order._tag === "ByStore")}
    ORDER BY ${ordering(sql, request)} ${limits(sql, request)}`
}

/** `total`, and `stores` where they are counted. */
export const count = (sql: Sql, request: PeerRequest.PeerRequest): Fragment => {
  if (!PeerRequest.isForItems(request)) {
    return sql`SELECT count(*)::int AS total, 0 AS stores FROM ${matchingShops(sql, request)}`
  }
  if (request.order._tag !== "Grouped") {
    return sql`SELECT count(*)::int AS total, 0 AS stores FROM ${matching(sql, request, false)}`
  }
  return sql`
    SELECT coalesce(sum(g.matching), 0)::int AS total, count(g.shop_id)::int AS stores
    FROM (SELECT i.shop_id, count(*) AS matching FROM ${matching(sql, request, false)} GROUP BY i.shop_id) g`
}
