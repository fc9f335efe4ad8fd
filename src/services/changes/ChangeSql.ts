/**
 * The SQL that lists changes, but for those that came with a new store. No statement reads more of the log than its limit of changes,
 * for each kind or store that is asked for.
 */
import { Schema } from "effect"
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

/** Of more stores the log is read in its order, in which one of them is soon found. */
const fewStores = 2_000

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
 * Whether a change is of one of many stores, whose ids are hashed once. With `= ANY` a plan for any parameters compares each change
 * with all of them.
 */
const ofMany = (sql: Sql, shopIds: ReadonlyArray<number> | undefined) =>
  shopIds === undefined ? sql`true` : sql`(c.shop_id IN (SELECT unnest(${shopIds}::int[]))) IS TRUE`

/** The first so many ids in an order, in a relation with one column. */
const ids = (
  sql: Sql,
  { above, from, kinds, shopIds, top }: Wanted & { readonly from: Date },
  { isNewest, limit }: { readonly isNewest: boolean; readonly limit: number }
): Statement.Fragment => {
  const isListed = sql`c.at >= ${from}::timestamptz AND NOT c.with_store`
  const inWindow = sql`c.id > ${above}::bigint AND c.id <= ${top}::bigint AND ${isListed}`
  const direction = sql.literal(isNewest ? "DESC" : "ASC")
  const inOrder = sql`ORDER BY c.id ${direction} LIMIT ${limit}::int`
  if (shopIds !== undefined && shopIds.length <= fewStores) {
    const ofKinds = kinds === undefined ? sql`true` : sql`c.kind = ANY(${kinds}::text[])`
    return sql`unnest(${shopIds}::int[]) AS shop (id), LATERAL (
      SELECT c.id FROM change c WHERE c.shop_id = shop.id AND ${inWindow} AND ${ofKinds} ${inOrder}
    ) c`
  }
  const ofStores = ofMany(sql, shopIds)
  if (kinds === undefined) return sql`(SELECT c.id FROM change c WHERE ${inWindow} AND ${ofStores} ${inOrder}) c`
  return sql`unnest(${kinds}::text[]) AS wanted (kind), LATERAL (
    SELECT c.id FROM change c WHERE ${ofKind(sql, sql`wanted.kind`, { above, top })} AND ${isListed} AND ${ofStores}
    ORDER BY c.kind ${direction}, c.id ${direction} LIMIT ${limit}::int
  ) c`
}

const decodeCount = rowOf(Schema.Struct({ count: Schema.Int }))

/** The number of changes, `most` at most. */
export const count = (sql: Sql, wanted: Wanted & { readonly from: Date }, most: number) =>
  sql`
    SELECT count(*)::int AS count FROM (
      SELECT FROM ${ids(sql, wanted, { isNewest: true, limit: most })} LIMIT ${most}::int
    ) counted`.pipe(decodeCount)

const decodeCounts = rowsOf(Schema.Struct({ kind: Schema.Literals(changeKinds), count: Schema.Int }))

/** The number of changes of each kind that has any, `most` at most. */
export const counts = (
  sql: Sql,
  { above, from, kinds = changeKinds, shopIds, top }: Wanted & { readonly from: Date },
  most: number
) => {
  const isListed = sql`c.at >= ${from}::timestamptz AND NOT c.with_store`
  const inKind =
    shopIds !== undefined && shopIds.length <= fewStores
      ? sql`c.shop_id = ANY(${shopIds}::int[]) AND c.kind = k.kind AND c.id > ${above}::bigint AND c.id <= ${top}::bigint`
      : sql`${ofMany(sql, shopIds)} AND ${ofKind(sql, sql`k.kind`, { above, top })} ORDER BY c.kind, c.id`
  return sql`
    SELECT k.kind, n.count FROM unnest(${kinds}::text[]) WITH ORDINALITY AS k (kind, position), LATERAL (
      SELECT count(*)::int AS count FROM (
        SELECT FROM change c WHERE ${isListed} AND ${inKind} LIMIT ${most}::int
      ) counted
    ) n WHERE n.count > 0 ORDER BY k.position`.pipe(decodeCounts)
}

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

export interface Page {
  readonly isNewest: boolean
  readonly limit: number
  readonly accountId: AccountId
}

/** In the order of the page, with what the catalog knows of the records by now. The domain of a store that is gone is in the log. */
export const page = (sql: Sql, wanted: Wanted & { readonly from: Date }, { accountId, isNewest, limit }: Page) => {
  const order = sql.literal(isNewest ? "DESC" : "ASC")
  return sql`
    SELECT c.id::text AS id, c.kind, c.at, c.as_of::text AS data_as_of, c.shop_id, c.record_id, c.name, c.old, c.new,
      s.name AS shop_name, coalesce(s.domain, (
        SELECT g.name FROM change g WHERE s.id IS NULL AND g.shop_id = c.shop_id AND g.kind = 'store_gone' ORDER BY g.id DESC LIMIT 1
      )) AS domain, s.country, s.currency, ${ShopSql.isOfKind(sql, sql`${accountId}::int`, "tracked")} AS is_tracked,
      CASE WHEN c.kind = 'product_removed' THEN c.name ELSE coalesce(p.title, a.headline, a.page_name) END AS item_title
    FROM (
      SELECT c.id FROM ${ids(sql, wanted, { isNewest, limit })} ORDER BY c.id ${order} LIMIT ${limit}::int
    ) first JOIN change c ON c.id = first.id AND c.at >= ${wanted.from}::timestamptz AND NOT c.with_store
    LEFT JOIN shop s ON s.id = c.shop_id
    LEFT JOIN product p ON c.kind = ANY(${productKinds}::text[]) AND p.id = c.record_id
    LEFT JOIN ad a ON c.kind = ANY(${adKinds}::text[]) AND a.id = c.record_id
    ORDER BY c.id ${order}`.pipe(decodeChanges)
}
