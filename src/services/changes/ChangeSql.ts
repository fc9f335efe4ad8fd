/**
 * The SQL that lists changes, but for those that came with a new store. A statement reads at most its limit of changes for each kind or
 * store that is asked for. Of more stores than are looked up it reads the log until it has found enough changes of theirs.
 */
import { Context, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import { adKinds, changeKinds, productKinds } from "../../domain/catalog/Changes.ts"
import type { ChangeKind } from "../../domain/catalog/Changes.ts"
import { firstOf, rowOf, rowsOf } from "../database/Rows.ts"
import * as ShopSql from "../search/ShopSql.ts"

type Sql = SqlClient.SqlClient

/** Ids greater than `above` and at most `top`. */
export interface Window {
  readonly above: number
  readonly top: number
}

export interface Wanted extends Window {
  /** `undefined` is all. */
  readonly kinds: ReadonlyArray<ChangeKind> | undefined
  /** `undefined` is all, and ads without a store. */
  readonly shopIds: ReadonlyArray<number> | undefined
}

/** How changes of stores are found, which changes no answer. */
export const Reading = Context.Reference("discovery/changes/ChangeSql/Reading", {
  defaultValue: () => ({
    /** Of so many stores the changes of each are looked up at once. */
    few: 50,
    /** For more stores so many changes are read in their order first: most pages are found there, and of rare kinds all. */
    inOrder: 5_000,
    /** Of more stores than that nothing is looked up: in the order of the log one of them is soon found. */
    most: 2_000,
    /** Bytes of a bitmap of stores. Stores with higher ids than fit are a list of ids. */
    bitmap: 1_000_000
  })
})

/** Ids are exact numbers: a log would need centuries to have one that is not. */
const Id = Schema.FiniteFromString.check(Schema.isInt())

const decodeWindow = rowOf(Schema.Struct({ above: Id, top: Id, known_since: Schema.NullOr(Schema.String) }))

/** After the last change before the day, or after a change. `knownSince` is the day of the oldest one. */
export const window = (sql: Sql, since: { readonly day: string } | { readonly after: number }) =>
  sql`
    SELECT ${
      "day" in since
        ? sql`coalesce((
            SELECT c.id FROM change c
            WHERE c.at < ${since.day}::date::timestamp AT TIME ZONE 'UTC' AND NOT c.with_store ORDER BY c.at DESC, c.id DESC LIMIT 1
          ), 0)`
        : sql`least(${since.after}::bigint, newest.id)`
    }::text AS above, newest.id::text AS top,
    (SELECT (c.at AT TIME ZONE 'UTC')::date::text FROM change c WHERE NOT c.with_store ORDER BY c.id LIMIT 1) AS known_since
    FROM (SELECT coalesce(max(id), 0) AS id FROM change WHERE NOT with_store) newest`.pipe(decodeWindow)

const decodeOldest = firstOf(Schema.Struct({ at: Schema.Date }))

/**
 * A time before all changes of a window: earlier months need not be looked at. With a day to spare, because a clock that is set back
 * gives a later change an earlier time.
 */
export const beginning = (sql: Sql, { above, top }: Window) =>
  sql`
    SELECT at - interval '1 day' AS at FROM change WHERE id > ${above}::bigint AND id <= ${top}::bigint AND NOT with_store
    ORDER BY id LIMIT 1`.pipe(decodeOldest)

/**
 * Changes of a kind in a window, by bounds and an order that only the index by kind has. By the equality of kinds the planner may read
 * the log in the order of its ids until it has enough: all of it for a rare kind, and a week for one that comes once a week.
 */
const ofKind = (sql: Sql, kind: Statement.Fragment, { above, top }: Window) => sql`
  (c.kind, c.id) > (${kind}, ${above}::bigint) AND (c.kind, c.id) <= (${kind}, ${top}::bigint)`

/**
 * Whether a change is of one of many stores. A bitmap of their ids is sent and looked into some ten times as fast as a list of them.
 * The ids of a list are hashed once: with `= ANY` a plan for any parameters compares each change with all of them.
 */
const ofMany = (sql: Sql, shopIds: ReadonlyArray<number> | undefined, mostBytes: number) => {
  if (shopIds === undefined) return sql`true`
  const bytes = Math.floor(shopIds.reduce((highest, id) => Math.max(highest, id), 0) / 8) + 1
  if (bytes > mostBytes) return sql`(c.shop_id IN (SELECT unnest(${shopIds}::int[]))) IS TRUE`
  const bits = new Uint8Array(bytes)
  for (const id of shopIds) bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7))
  return sql`CASE WHEN c.shop_id < ${bytes * 8}::int THEN get_bit(${bits}::bytea, c.shop_id::bigint) = 1 ELSE false END`
}

interface Order {
  readonly isNewest: boolean
  readonly limit: number
}

interface Bounded extends Wanted {
  readonly from: Date
}

/**
 * The changes of any stores that meet a condition, the first so many in an order: a relation with their ids and stores. The indexes have
 * all that is asked for; a time would be read from the table.
 */
const inOrder = (sql: Sql, { above, kinds, top }: Wanted, isWanted: Statement.Fragment, { isNewest, limit }: Order) => {
  const isListed = sql`NOT c.with_store AND ${isWanted}`
  const direction = sql.literal(isNewest ? "DESC" : "ASC")
  if (kinds === undefined) {
    const inWindow = sql`c.id > ${above}::bigint AND c.id <= ${top}::bigint`
    return sql`(
      SELECT c.id, c.shop_id FROM change c WHERE ${inWindow} AND ${isListed} ORDER BY c.id ${direction} LIMIT ${limit}::int
    ) c`
  }
  return sql`unnest(${kinds}::text[]) AS wanted (kind), LATERAL (
    SELECT c.id, c.shop_id FROM change c WHERE ${ofKind(sql, sql`wanted.kind`, { above, top })} AND ${isListed}
    ORDER BY c.kind ${direction}, c.id ${direction} LIMIT ${limit}::int
  ) c`
}

/** The changes of each store, so many of it at most, in an order or in none: a relation with their ids. */
const ofEach = (
  sql: Sql,
  shopIds: ReadonlyArray<number>,
  { above, from, kinds, top }: Bounded,
  { isNewest, limit }: { readonly isNewest?: boolean; readonly limit: number }
) => {
  const ofKinds = kinds === undefined ? sql`true` : sql`c.kind = ANY(${kinds}::text[])`
  const ordered = isNewest === undefined ? sql`` : sql`ORDER BY c.id ${sql.literal(isNewest ? "DESC" : "ASC")}`
  return sql`unnest(${shopIds}::int[]) AS shop (id), LATERAL (
    SELECT c.id FROM change c
    WHERE c.shop_id = shop.id AND c.id > ${above}::bigint AND c.id <= ${top}::bigint
      AND c.at >= ${from}::timestamptz AND NOT c.with_store AND ${ofKinds} ${ordered} LIMIT ${limit}::int
  ) c`
}

const decodeScanned = rowOf(Schema.Struct({ scanned: Schema.Int, count: Schema.Int, ids: Schema.Array(Id) }))

/** Of the first so many changes of any stores those that meet a condition: their number, and the first ids. */
const scan = (sql: Sql, wanted: Wanted, isWanted: Statement.Fragment, { isNewest, limit }: Order, most: number) => {
  const direction = sql.literal(isNewest ? "DESC" : "ASC")
  return sql`
    SELECT count(*)::int AS scanned, count(*) FILTER (WHERE is_wanted)::int AS count,
      coalesce((array_agg(id ORDER BY id ${direction}) FILTER (WHERE is_wanted))[:${limit}::int], '{}')::text[] AS ids
    FROM (
      SELECT c.id, ${isWanted} AS is_wanted FROM ${inOrder(sql, wanted, sql`true`, { isNewest, limit: most })}
      ORDER BY c.id ${direction} LIMIT ${most}::int
    ) scanned`.pipe(decodeScanned)
}

const decodeCount = rowOf(Schema.Struct({ count: Schema.Int }))

/** The number of changes in a relation, `most` at most. */
const countOf = (sql: Sql, changes: Statement.Fragment, most: number) =>
  sql`SELECT count(*)::int AS count FROM (SELECT FROM ${changes} LIMIT ${most}::int) counted`.pipe(
    decodeCount,
    Effect.map(({ count }) => count)
  )

const decodeCounts = rowsOf(Schema.Struct({ kind: Schema.Literals(changeKinds), count: Schema.Int }))

/** The number of changes of each kind that has any, `limit` at most. */
export const counts = Effect.fnUntraced(function* (sql: Sql, wanted: Bounded, limit: number) {
  const { bitmap, most } = yield* Reading
  const { above, from, kinds = changeKinds, shopIds, top } = wanted
  const isListed = sql`c.at >= ${from}::timestamptz AND NOT c.with_store`
  const inKind =
    shopIds !== undefined && shopIds.length <= most
      ? sql`c.shop_id = ANY(${shopIds}::int[]) AND c.kind = k.kind AND c.id > ${above}::bigint AND c.id <= ${top}::bigint`
      : sql`${ofMany(sql, shopIds, bitmap)} AND ${ofKind(sql, sql`k.kind`, { above, top })} ORDER BY c.kind, c.id`
  return yield* sql`
    SELECT k.kind, n.count FROM unnest(${kinds}::text[]) WITH ORDINALITY AS k (kind, position), LATERAL (
      SELECT count(*)::int AS count FROM (
        SELECT FROM change c WHERE ${isListed} AND ${inKind} LIMIT ${limit}::int
      ) counted
    ) n WHERE n.count > 0 ORDER BY k.position`.pipe(decodeCounts)
})

const Text = Schema.NullOr(Schema.String)

const ChangeRow = Schema.Struct({
  id: Id,
  kind: Schema.Literals(changeKinds),
  at: Schema.Date,
  data_as_of: Schema.String,
  shop_id: Schema.NullOr(Schema.Int),
  record_id: Schema.NullOr(Schema.Int),
  name: Text,
  old: Schema.NullOr(Schema.Finite),
  new: Schema.NullOr(Schema.Finite),
  shop_name: Text,
  domain: Text,
  country: Text,
  currency: Text,
  is_tracked: Schema.Boolean,
  item_title: Text
})
export type ChangeRow = typeof ChangeRow.Type
const decodeChanges = rowsOf(ChangeRow)

interface Page extends Order {
  readonly accountId: AccountId
}

/** In the order of the page, with what the catalog knows of the records by now. The domain of a store that is gone is in the log. */
const rows = (sql: Sql, first: Statement.Fragment, from: Date, { accountId, isNewest, limit }: Page) => {
  const order = sql.literal(isNewest ? "DESC" : "ASC")
  return sql`
    SELECT c.id::text AS id, c.kind, c.at, c.as_of::text AS data_as_of, c.shop_id, c.record_id, c.name, c.old, c.new,
      s.name AS shop_name, coalesce(s.domain, (
        SELECT g.name FROM change g WHERE s.id IS NULL AND g.shop_id = c.shop_id AND g.kind = 'store_gone' ORDER BY g.id DESC LIMIT 1
      )) AS domain, s.country, s.currency, ${ShopSql.isOfKind(sql, sql`${accountId}::int`, "tracked")} AS is_tracked,
      CASE WHEN c.kind = 'product_removed' THEN c.name ELSE coalesce(p.title, a.headline, a.page_name) END AS item_title
    FROM (
      SELECT c.id FROM ${first} ORDER BY c.id ${order} LIMIT ${limit}::int
    ) first JOIN change c ON c.id = first.id AND c.at >= ${from}::timestamptz AND NOT c.with_store
    LEFT JOIN shop s ON s.id = c.shop_id
    LEFT JOIN product p ON c.kind = ANY(${productKinds}::text[]) AND p.id = c.record_id
    LEFT JOIN ad a ON c.kind = ANY(${adKinds}::text[]) AND a.id = c.record_id
    ORDER BY c.id ${order}`.pipe(decodeChanges)
}

/**
 * The first changes of the rest of a window, and the number of all in the window, `mostCounted` at most. Of many stores some changes are
 * read in their order first: where those of the stores are many there are enough, and of rare kinds there are no others.
 */
export const page = Effect.fnUntraced(function* (
  sql: Sql,
  wanted: Bounded,
  options: Page & { readonly rest: Window; readonly mostCounted: number }
) {
  const reading = yield* Reading
  const { mostCounted, rest } = options
  const { shopIds } = wanted
  const left = { ...wanted, ...rest }
  const isWanted = ofMany(sql, shopIds, reading.bitmap)
  const isLookedUp = shopIds !== undefined && shopIds.length <= reading.most
  const scanned = (part: Wanted) => scan(sql, part, isWanted, options, reading.inOrder)
  const all = () => (isLookedUp ? ofEach(sql, shopIds, left, options) : inOrder(sql, left, isWanted, options))
  const some = shopIds === undefined || shopIds.length <= reading.few ? undefined : yield* scanned(left)
  const isExhausted = some !== undefined && some.scanned < reading.inOrder
  const isFound = some !== undefined && (isExhausted || some.ids.length === options.limit)
  const changes = yield* rows(sql, isFound ? sql`unnest(${some.ids}::bigint[]) AS c (id)` : all(), wanted.from, options)
  if (isExhausted) {
    const isWhole = rest.above === wanted.above && rest.top === wanted.top
    const { count, scanned: read } = isWhole ? some : yield* scanned(wanted)
    if (read < reading.inOrder) return { changes, total: Math.min(count, mostCounted) }
  }
  const counted = isLookedUp
    ? ofEach(sql, shopIds, wanted, { limit: mostCounted })
    : inOrder(sql, wanted, isWanted, { isNewest: true, limit: mostCounted })
  return { changes, total: yield* countOf(sql, counted, mostCounted) }
})
