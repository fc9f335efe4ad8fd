/**
 * The log of changes (D110): what of a record is kept, and the SQL that writes it. Each statement that changes a record writes its
 * changes itself, so that both are committed or neither. The log starts from a baseline: the first import of a source writes
 * nothing, nor does one whose data are older than those of another import of its source.
 *
 * The changes between two versions, applied to what is kept of the catalog in the first, give that of the second, if all imports
 * between them write to the log. What does not write to it notes that the history of a store starts there (D112).
 */
import type { SqlClient, Statement } from "effect/sql"
import type { ChangeKind } from "../../domain/catalog/Changes.ts"
import { recorded } from "../../domain/catalog/Figures.ts"
import { parts } from "../../domain/catalog/Series.ts"
import type { Part } from "../../domain/catalog/Series.ts"
import type { ImportRun } from "./BulkUpsert.ts"

/** Where changes are written: the version that a transaction makes, and its import. */
export interface Log {
  readonly version: number
  readonly run: Pick<ImportRun, "sourceId" | "asOf" | "keepsChanges"> | null
}

/** What is kept of the records of a table. */
export interface Kept {
  /** Columns whose stored value is named `old_<column>`, and whose written one `new_<column>`. */
  readonly columns: ReadonlyArray<string>
  /** Further columns of a row, by their own names. Its store is `of_shop_id`. */
  readonly keys: ReadonlyArray<string>
  /** Queries of changes, from `inserted` and `updated` with these columns and `record_id`. */
  readonly changes: ReadonlyArray<string>
  /** Which histories start again when such a change is not written, and of which stores, in expressions of a changed row. */
  readonly starts?: {
    readonly ofNew: ReadonlyArray<Part>
    readonly part: Part
    readonly stores: { readonly ofNew: string; readonly ofChanged: string }
  }
}

/** The columns of a change that a query gives. */
interface Change {
  readonly kind: ChangeKind | { readonly either: string }
  readonly shop: string
  readonly record?: string
  readonly name?: string
  readonly key?: string
  readonly old?: string
  readonly new?: string
  readonly facts?: string
  /** Whether it is in no list of changes (D111), because it came with its store, which is. */
  readonly withStore?: string
}

/** Whether a store is new in the running import, whose row is the newest. Those that are new are read once for a statement. */
const isOfNewStore = (shop: string) => `(${shop} IN (
  SELECT c.shop_id FROM change c
  WHERE c.kind = 'store_appeared' AND NOT c.with_store AND c.at >= (SELECT started_at FROM import ORDER BY id DESC LIMIT 1)
)) IS TRUE`

const query = (change: Change, from: string): string => {
  const kind = typeof change.kind === "string" ? `'${change.kind}'` : change.kind.either
  return `SELECT ${kind}::text, ${change.shop}::int, ${change.record ?? "NULL"}::int, ${change.name ?? "NULL"}::text,
    ${change.key ?? "NULL"}::text, ${change.old ?? "NULL"}::float8, ${change.new ?? "NULL"}::float8, ${change.facts ?? "NULL"}::jsonb,
    ${change.withStore ?? "false"}
    FROM ${from}`
}

const changed = (column: string) => `old_${column} IS DISTINCT FROM new_${column}`

const figures = recorded.map(({ field }) => field)

/** Lists of names, by the column; each name that comes or goes is a change. */
const lists = { apps: ["app_added", "app_removed"], pixels: ["pixel_added", "pixel_removed"] } as const

const members = (kind: ChangeKind, of: string, without: string) =>
  query(
    { kind, shop: "id", name: "name" },
    `(SELECT record_id AS id, unnest(${of}) AS name FROM updated WHERE ${of} IS DISTINCT FROM ${without}
      EXCEPT SELECT record_id, unnest(${without}) FROM updated) AS member`
  )

const ofStores = [...figures, "theme", ...Object.keys(lists)]

export const keptOfStores: Kept = {
  columns: ofStores,
  keys: [],
  starts: { ofNew: parts, part: "figures", stores: { ofNew: "record_id", ofChanged: "record_id" } },
  changes: [
    query(
      {
        kind: "store_appeared",
        shop: "record_id",
        facts: `jsonb_strip_nulls(jsonb_build_object(${ofStores.map((column) => `'${column}', new_${column}`).join(", ")}))`
      },
      "inserted"
    ),
    ...figures.map((figure) =>
      query(
        { kind: "figure_changed", shop: "record_id", name: `'${figure}'`, old: `old_${figure}`, new: `new_${figure}` },
        `updated WHERE ${changed(figure)}`
      )
    ),
    query(
      { kind: "theme_removed", shop: "record_id", name: "old_theme" },
      `updated WHERE ${changed("theme")} AND old_theme IS NOT NULL`
    ),
    query(
      { kind: "theme_added", shop: "record_id", name: "new_theme" },
      `updated WHERE ${changed("theme")} AND new_theme IS NOT NULL`
    ),
    ...Object.entries(lists).flatMap(([column, [added, removed]]) => [
      members(removed, `old_${column}`, `new_${column}`),
      members(added, `new_${column}`, `old_${column}`)
    ])
  ]
}

const month = "to_char(month, 'YYYY-MM')"

export const keptOfMonths: Kept = {
  columns: ["visits"],
  keys: ["month"],
  changes: [
    query(
      {
        kind: "visits_added",
        shop: "of_shop_id",
        name: month,
        new: "new_visits",
        withStore: isOfNewStore("of_shop_id")
      },
      "inserted"
    ),
    query(
      { kind: "visits_corrected", shop: "of_shop_id", name: month, old: "old_visits", new: "new_visits" },
      `updated WHERE ${changed("visits")}`
    )
  ]
}

const isBack = "EXISTS (SELECT FROM change c WHERE c.shop_id = of_shop_id AND c.key = inserted.key)"

export const keptOfProducts: Kept = {
  columns: ["price"],
  keys: ["key"],
  starts: { ofNew: ["products"], part: "products", stores: { ofNew: "of_shop_id", ofChanged: "of_shop_id" } },
  changes: [
    query(
      {
        kind: {
          either: `CASE WHEN ${isBack} THEN 'product_back' ELSE 'product_appeared' END`
        },
        shop: "of_shop_id",
        record: "record_id",
        new: "new_price",
        withStore: `${isOfNewStore("of_shop_id")} AND NOT ${isBack}`
      },
      "inserted"
    ),
    query(
      {
        kind: { either: "CASE WHEN new_price > old_price THEN 'price_up' ELSE 'price_down' END" },
        shop: "of_shop_id",
        record: "record_id",
        old: "old_price",
        new: "new_price"
      },
      `updated WHERE ${changed("price")}`
    )
  ]
}

const statusOf = (isActive: string) => `CASE WHEN ${isActive} THEN 'active' ELSE 'inactive' END`

export const keptOfAds: Kept = {
  columns: ["is_active", "shop_id"],
  keys: [],
  starts: {
    ofNew: ["ads"],
    part: "ads",
    stores: { ofNew: "new_shop_id", ofChanged: "unnest(ARRAY[new_shop_id, old_shop_id])" }
  },
  changes: [
    query(
      {
        kind: "ad_appeared",
        shop: "new_shop_id",
        record: "record_id",
        name: statusOf("new_is_active"),
        withStore: isOfNewStore("new_shop_id")
      },
      "inserted"
    ),
    query(
      {
        kind: "ad_moved",
        shop: "new_shop_id",
        record: "record_id",
        name: statusOf("old_is_active"),
        old: "old_shop_id",
        new: "new_shop_id"
      },
      `updated WHERE ${changed("shop_id")}`
    ),
    query(
      {
        kind: { either: "CASE WHEN new_is_active THEN 'ad_running' ELSE 'ad_stopped' END" },
        shop: "new_shop_id",
        record: "record_id"
      },
      `updated WHERE ${changed("is_active")}`
    )
  ]
}

/** A query of changes, and which histories start again when they are not written: of the stores in `shop_id` of a relation. */
interface Unwritten {
  readonly change: string
  readonly start: { readonly from: string; readonly part: Part } | null
}

/** Of each table, the columns of a deleted row that its change needs, and the change from `removed`, which has them. */
export const removals = {
  shop: {
    columns: "id, domain",
    change: query({ kind: "store_gone", shop: "id", name: "domain" }, "removed"),
    // The starts of its history go with it.
    start: null
  },
  product: {
    columns: "id, shop_id, key, title, price",
    change: query(
      { kind: "product_removed", shop: "shop_id", record: "id", name: "title", key: "key", old: "price" },
      "removed"
    ),
    start: { from: "removed", part: "products" }
  },
  ad: {
    columns: "id, shop_id, is_active",
    change: query({ kind: "ad_removed", shop: "shop_id", record: "id", name: statusOf("is_active") }, "removed"),
    start: { from: "removed", part: "ads" }
  }
} as const satisfies Readonly<Record<string, Unwritten & { readonly columns: string }>>

/** Of `expired`, which has the columns of ads that have stopped. */
export const expiries: Unwritten = {
  change: query({ kind: "ad_stopped", shop: "shop_id", record: "id" }, "expired"),
  start: { from: "expired", part: "ads" }
}

/** Of `moved`, which has the columns of ads that had no store. */
export const moves: Unwritten = {
  change: query(
    { kind: "ad_moved", shop: "shop_id", record: "id", name: statusOf("is_active"), new: "shop_id" },
    "moved"
  ),
  start: { from: "moved", part: "ads" }
}

const into = `INSERT INTO change (version, as_of, source_id, kind, shop_id, record_id, name, key, old, new, facts, with_store) SELECT`

/** Inserts the changes of a statement. `isKept`, `version`, `asOf` and `sourceId` are SQL expressions. */
export const insertion = (
  changes: ReadonlyArray<string>,
  { asOf, isKept, sourceId, version }: Readonly<Record<"isKept" | "version" | "asOf" | "sourceId", string>>
): string => `${into} ${version}, ${asOf}, ${sourceId}, c.* FROM (${changes.join(" UNION ALL ")}) AS c WHERE ${isKept}`

const intoStarts = `INSERT INTO history_start AS stored (shop_id, part, version, as_of) SELECT DISTINCT c.shop_id, c.part,`
/** The row of the running import has its day. */
const newestDay = `coalesce((SELECT max(as_of) FROM import), (statement_timestamp() AT TIME ZONE 'UTC')::date)`
/** In one order, and each row once in a version. */
const orLater = `ORDER BY shop_id, part
  ON CONFLICT (shop_id, part) DO UPDATE SET version = excluded.version, as_of = greatest(stored.as_of, excluded.as_of)
  WHERE stored.version < excluded.version`

/** Notes what an upsert changes and does not write. `isKept` and `version` are SQL expressions. */
export const starting = (
  { columns, starts }: Kept,
  { isKept, version }: Readonly<Record<"isKept" | "version", string>>
): string | undefined => {
  if (starts === undefined) return undefined
  const { ofNew, part, stores } = starts
  const values = (age: "new" | "old") => columns.map((column) => `${age}_${column}`).join(", ")
  return `${intoStarts} ${version}, ${newestDay} FROM (
    SELECT ${stores.ofNew} AS shop_id, unnest('{${ofNew.join(",")}}'::text[]) AS part FROM inserted
    UNION ALL SELECT ${stores.ofChanged}, '${part}' FROM updated WHERE (${values("old")}) IS DISTINCT FROM (${values("new")})
  ) AS c WHERE NOT ${isKept} AND c.shop_id IS NOT NULL ${orLater}`
}

/** Notes that the histories of stores start again: `stores` selects `shop_id` and `part`. */
export const start = (sql: SqlClient.SqlClient, stores: Statement.Fragment, version: number): Statement.Fragment => sql`
  ${sql.literal(intoStarts)} ${version}::int, ${sql.literal(newestDay)} FROM (${stores}) AS c ${sql.literal(orLater)}`

/** Parts of a statement of the client that write what it changes. */
export const logged = (sql: SqlClient.SqlClient, what: Unwritten, { run, version }: Log): Statement.Fragment => {
  const isKept = sql`${run?.keepsChanges ?? false}::bool`
  const written = sql`logged AS (
    ${sql.literal(into)} ${version}::int, ${run?.asOf ?? null}::date, ${run?.sourceId ?? null}::int, c.*
    FROM (${sql.literal(what.change)}) AS c WHERE ${isKept}
  )`
  if (what.start === null) return written
  const { from, part } = what.start
  const stores = sql`
    SELECT shop_id, ${part}::text AS part FROM ${sql.literal(from)} WHERE NOT ${isKept} AND shop_id IS NOT NULL`
  return sql`${written}, started AS (${start(sql, stores, version)})`
}
