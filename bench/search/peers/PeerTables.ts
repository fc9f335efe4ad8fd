/**
 * What every store engine needs of the data beside the records: the figures that follow from other records, codes of names,
 * and the words of each document, one blank between them. Kept in the schema `peer` of the measured database, where peers
 * copy it from. Unknown is NULL.
 *
 * Figures and codes are the index's, words are made from the records once more: so the peers check the inverted index too.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as Relevance from "../../../src/domain/search/Relevance.ts"
import * as AdKey from "../../../src/services/search/index/AdKey.ts"
import type { IndexedAd } from "../../../src/services/search/index/IndexedRecords.ts"
import { figures } from "../../../src/domain/catalog/Figures.ts"
import { findStore } from "../../../src/services/search/index/Segment.ts"
import { codes, masks } from "../../../src/domain/search/CatalogQuery.ts"
import type { Published } from "../../../src/services/search/runtime/IndexState.ts"
import * as Documents from "../Documents.ts"

/** Moves when this file makes something else than before. */
const layout = 2

type Run<A> = Effect.fn.Return<A, SqlError.SqlError, SqlClient.SqlClient>

/** Differs for every version of every catalog. */
export const identityOf = ({ catalogId, token, version }: Published): string => `${catalogId}-${version}-${token}`

const idsAtOnce = 10_000
const millisPerDay = 86_400_000

const tables: ReadonlyArray<string> = [
  `CREATE UNLOGGED TABLE peer.shop (
    id integer PRIMARY KEY, ${codes.map((name) => `${name} integer`).join(", ")},
    ${masks.map((name) => `${name} integer`).join(", ")}, ${figures.map((name) => `${name} float8`).join(", ")},
    apps integer[], doc text
  )`,
  "CREATE UNLOGGED TABLE peer.product (id integer PRIMARY KEY, shop_id integer, price float8, created timestamptz, score integer, doc text)",
  "CREATE UNLOGGED TABLE peer.ad (id integer PRIMARY KEY, shop_id integer, flags integer, started integer, pick bigint, doc text)"
]

const known = (value: number | undefined): number | null => (value === undefined || Number.isNaN(value) ? null : value)
const joined = (words: ReadonlySet<string>): string => Array.from(words).join(" ")
const named = <K extends string>(names: ReadonlyArray<K>, of: (name: K) => number | null) =>
  Object.fromEntries(names.map((name) => [name, of(name)]))

const fillShops = Effect.fnUntraced(function* ({ list }: Published, from: number): Run<void> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: number; name: string; domain: string }>`
    SELECT id, name, domain FROM shop WHERE id >= ${from} AND id < ${from + idsAtOnce}`
  const values = rows.flatMap((row) => {
    const found = findStore(list, row.id)
    if (found === undefined) return []
    const { columns } = found.view
    const at = found.row
    return [
      {
        id: row.id,
        ...named(codes, (name) => columns.codes[name][at] ?? 0),
        ...named(masks, (name) => columns.masks[name][at] ?? 0),
        ...named(figures, (name) => known(columns.figures[name][at])),
        apps: Array.from(columns.apps.subarray(columns.appOffsets[at], columns.appOffsets[at + 1])),
        doc: joined(Documents.ofStore(row))
      }
    ]
  })
  yield* sql`
    INSERT INTO peer.shop SELECT r.* FROM json_populate_recordset(NULL::peer.shop, ${JSON.stringify(values)}::json) r`
})

const fillProducts = Effect.fnUntraced(function* ({ list }: Published, from: number): Run<void> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    id: number
    shop_id: number
    name: string
    domain: string
    title: string
    created: number | null
    seen: number
  }>`
    SELECT p.id, p.shop_id, s.name, s.domain, p.title, date_part('epoch', p.created_at) * 1000 AS created,
      floor(date_part('epoch', p.first_seen)) AS seen
    FROM product p JOIN shop s ON s.id = p.shop_id WHERE p.id >= ${from} AND p.id < ${from + idsAtOnce}`
  const values = rows.map((row) => {
    const found = findStore(list, row.shop_id)
    const recency = Relevance.recencyMicros(
      row.created === null ? null : Math.min(row.created, row.seen * 1000) / millisPerDay
    )
    return {
      id: row.id,
      score: (found?.view.columns.relevance[found.row] ?? 0) + recency,
      doc: joined(Documents.ofProduct(row))
    }
  })
  yield* sql`
    INSERT INTO peer.product SELECT id, p.shop_id, p.price, p.created_at, r.score, r.doc
    FROM json_to_recordset(${JSON.stringify(values)}::json) AS r(id integer, score integer, doc text)
    JOIN product p USING (id)`
})

/** Ads without a store are of store 0. `pick` orders the ads of a store, and ends in the id. */
const fillAds = Effect.fnUntraced(function* (from: number): Run<void> {
  const sql = yield* SqlClient.SqlClient
  type Row = Documents.AdTexts &
    Pick<IndexedAd, "id" | "isActive" | "mediaType" | "cta" | "isPartnership" | "startedDay"> & { shop_id: number }
  const rows = yield* sql<Row>`
    SELECT a.id, coalesce(a.shop_id, 0) AS shop_id, a.is_active AS "isActive", a.media_type AS "mediaType", a.cta,
      a.is_partnership AS "isPartnership", a.started_on - date '1970-01-01' AS "startedDay", s.name, a.page_name,
      a.headline, a.ad_text
    FROM ad a LEFT JOIN shop s ON s.id = a.shop_id WHERE a.id >= ${from} AND a.id < ${from + idsAtOnce}`
  const values = rows.map((row) => {
    const key = AdKey.keyOf({ ...row, pageName: row.page_name, headline: row.headline, adText: null })
    return {
      id: row.id,
      shop_id: row.shop_id,
      flags: AdKey.flagsOf(key),
      started: AdKey.startDayOf(key),
      rank: AdKey.rankOf(key),
      doc: joined(Documents.ofAd(row))
    }
  })
  yield* sql`
    INSERT INTO peer.ad SELECT id, shop_id, flags, started, rank::bigint << 31 | id, doc
    FROM json_to_recordset(${JSON.stringify(values)}::json)
      AS r(id integer, shop_id integer, flags integer, started integer, rank integer, doc text)`
})

const fillTable = Effect.fnUntraced(function* (
  table: "shop" | "product" | "ad",
  fill: (from: number) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
): Run<void> {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ max: number }>`SELECT coalesce(max(id), 0) AS max FROM ${sql(table)}`
  for (let from = 0; from <= (row?.max ?? 0); from += idsAtOnce) yield* fill(from)
  yield* sql.unsafe(`ANALYZE peer.${table}`)
})

/** Over a pool of one connection without a statement timeout. Does nothing when it is there already. */
export const prepare = Effect.fnUntraced(function* (published: Published): Run<void> {
  const sql = yield* SqlClient.SqlClient
  const complete = `layout ${layout} of ${identityOf(published)}`
  // Tables that are not logged are empty after a crash.
  const [found] = yield* sql<{ comment: string | null }>`
    SELECT obj_description(to_regnamespace('peer'), 'pg_namespace') AS comment`
  if (found?.comment === complete) {
    const [row] = yield* sql<{ filled: boolean }>`SELECT EXISTS (SELECT FROM peer.shop) AS filled`
    if (row?.filled === true) return
  }
  yield* sql`SELECT set_config('client_min_messages', 'warning', false)`
  yield* sql`DROP SCHEMA IF EXISTS peer CASCADE`
  yield* sql`CREATE SCHEMA peer`
  for (const statement of tables) yield* sql.unsafe(statement)
  yield* fillTable("shop", (from) => fillShops(published, from))
  yield* fillTable("product", (from) => fillProducts(published, from))
  yield* fillTable("ad", fillAds)
  yield* sql.unsafe(`COMMENT ON SCHEMA peer IS '${complete}'`)
})
