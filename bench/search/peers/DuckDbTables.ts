/**
 * The same data as columns: each item carries what is known of its store, and rows lie in the order of stores, so that
 * what many rows share takes next to no room and whole blocks are left out. Words are rows of their own, sorted, so that a
 * prefix is a range of them: several times faster than looking into texts. Beside each store lie the number of its items and
 * the best of them, for searches that ask of stores alone.
 *
 * Copied from PeerTables.ts as text, a part at a time: the server may be another user, who shares no folder with us.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import { Effect } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { figures } from "../../../src/domain/catalog/Figures.ts"
import * as AdKey from "../../../src/services/search/index/AdKey.ts"
import { codes, masks } from "../../../src/domain/search/CatalogQuery.ts"
import type { Figure } from "../../../src/domain/catalog/Figures.ts"
import { PeerError } from "../Peer.ts"
import { run } from "./DuckDbQuery.ts"
import { isWhole } from "./PeerQuery.ts"

/** Moves when this file makes something else than before. */
export const layout = 4

/** A column's name and type here, and where it comes from: unknown is NULL. */
type Column = readonly [name: string, type: string, source: string]

/** The store's day of creation has a name of its own: products have one too. */
export const figureColumn = (name: Figure): string => (name === "created" ? "shop_created" : name)

const storeColumns: ReadonlyArray<Column> = [
  ["shop_id", "INTEGER", "id"],
  ...figures.map((name): Column => [figureColumn(name), isWhole(name) ? "INTEGER" : "DOUBLE", name]),
  ...codes.map((name): Column => [name, name === "theme" || name === "extension" ? "INTEGER" : "SMALLINT", name]),
  ...masks.map((name): Column => [name, "INTEGER", name]),
  ["apps", "INTEGER[]", "translate(apps::text, '{}', '[]')"]
]
const doc: Column = ["doc", "VARCHAR", "doc"]

interface Table {
  readonly name: "shop" | "product" | "ad"
  readonly columns: ReadonlyArray<Column>
  /** Of rows `r` as they were copied. */
  readonly rows: string
}

const withStore = (order: string): string =>
  `SELECT r.* EXCLUDE (doc), s.* EXCLUDE (id, shop_id, apps) FROM r LEFT JOIN shop s USING (shop_id) ORDER BY ${order}`

/** The bits of AdKey.ts. */
const flag = (shift: number, bits: number): string => `flags >> ${shift} & ${bits}`

/** Greatest for the ad that stands for its store: of the running ones the one that started first, else the last; ends in the id. */
const standing = `CASE ${flag(8, 1)} WHEN 1 THEN ${2 * AdKey.lastDay} - started ELSE started END::bigint << 31 | id`

const tables: ReadonlyArray<Table> = [
  {
    name: "shop",
    columns: [...storeColumns, doc],
    rows: "SELECT * EXCLUDE (doc), shop_id AS id FROM r ORDER BY shop_id"
  },
  {
    name: "product",
    columns: [
      ["id", "INTEGER", "id"],
      ["shop_id", "INTEGER", "shop_id"],
      ["price", "DOUBLE", "price"],
      ["score", "INTEGER", "score"],
      ["created", "TIMESTAMP", "created AT TIME ZONE 'UTC'"],
      doc
    ],
    rows: withStore("shop_id, score DESC, id")
  },
  {
    name: "ad",
    columns: [
      ["id", "INTEGER", "id"],
      ["shop_id", "INTEGER", "shop_id"],
      ["pick", "BIGINT", "pick"],
      ["standing", "BIGINT", standing],
      ["started", "INTEGER", "started"],
      ["is_active", "BOOLEAN", `(${flag(8, 1)})::int::boolean`],
      ["media", "UTINYINT", flag(5, 7)],
      ["cta", "UTINYINT", flag(1, 15)],
      ["is_partnership", "BOOLEAN", `(${flag(0, 1)})::int::boolean`],
      doc
    ],
    rows: withStore("shop_id, pick DESC")
  }
]

/** Ids of a part: some 9 MB of text; the driver takes messages of up to 16 MiB. */
const idsAtOnce = 10_000

const io = <A>(attempt: () => Promise<A>): Effect.Effect<A, PeerError> =>
  Effect.tryPromise({
    try: attempt,
    catch: (cause) => new PeerError({ message: "The files of DuckDB cannot be written.", cause })
  })

/** Neither a word nor a number has a tab, a line break or a quotation mark in it. */
const copyOut = Effect.fnUntraced(function* (
  { columns, name }: Table,
  file: string
): Effect.fn.Return<void, SqlError.SqlError | PeerError, SqlClient.SqlClient | Scope.Scope> {
  const sql = yield* SqlClient.SqlClient
  const line = columns.map(([, , expression]) => `(${expression})`).join(`, E'\\t', `)
  const [last] = yield* sql.unsafe<{ id: number }>(`SELECT coalesce(max(id), 0) AS id FROM peer.${name}`)
  const handle = yield* Effect.acquireRelease(
    io(() => fs.open(file, "w")),
    (opened) => Effect.ignore(io(() => opened.close()))
  )
  for (let from = 0; from <= (last?.id ?? 0); from += idsAtOnce) {
    const [part] = yield* sql.unsafe<{ text: string | null }>(
      `SELECT string_agg(concat(${line}, E'\\n'), '') AS text FROM peer.${name} WHERE id >= $1::int AND id < $2::int`,
      [from, from + idsAtOnce]
    )
    const text = part?.text
    if (text !== undefined && text !== null) yield* io(() => handle.write(text))
  }
})

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const copyIn = (connection: DuckDBConnection, { columns, name, rows }: Table, file: string) =>
  Effect.gen(function* () {
    const types = columns.map(([column, type]) => `${column}: '${type}'`).join(", ")
    yield* run(
      connection,
      `CREATE TEMP TABLE r AS FROM read_csv(${quoted(file)}, delim = '\\t', header = false, quote = '', escape = '',
         nullstr = '', auto_detect = false, max_line_size = 10000000, columns = {${types}})`
    )
    yield* run(connection, `CREATE TABLE ${name} AS ${rows}`)
    yield* run(
      connection,
      `CREATE TABLE ${name}_word AS
       SELECT word, id FROM (SELECT ${name === "shop" ? "shop_id AS id" : "id"}, unnest(string_split(doc, ' ')) AS word FROM r)
       ORDER BY word, id`
    )
    yield* run(connection, "DROP TABLE r")
  })

/** Over a new DuckDB, and a pool without a statement timeout; `folder` is for files that are gone again at the end. */
export const fill = Effect.fnUntraced(function* (
  connection: DuckDBConnection,
  folder: string
): Effect.fn.Return<void, SqlError.SqlError | PeerError, SqlClient.SqlClient> {
  for (const table of tables) {
    const file = path.join(folder, `${table.name}.tsv`)
    yield* Effect.scoped(copyOut(table, file))
    yield* copyIn(connection, table, file)
    yield* io(() => fs.rm(file))
  }
  // Ads without a store are those of store 0.
  yield* run(
    connection,
    `CREATE TABLE store AS
     SELECT s.*, coalesce(p.n, 0)::INTEGER AS n_products, p.best AS best_score, coalesce(a.n, 0)::INTEGER AS n_ads, a.best AS best_standing
     FROM (SELECT * EXCLUDE (id) FROM shop UNION ALL BY NAME SELECT 0 AS shop_id) s
     LEFT JOIN (SELECT shop_id, count(*) AS n, max(score) AS best FROM product GROUP BY shop_id) p USING (shop_id)
     LEFT JOIN (SELECT shop_id, count(*) AS n, max(standing) AS best FROM ad GROUP BY shop_id) a USING (shop_id)
     ORDER BY shop_id`
  )
  yield* run(connection, "CHECKPOINT")
})
