/**
 * Upserts up to a few thousand rows in one statement. They are sent as one array per column and compared with the stored rows;
 * only differences are written, so that importing the same data again writes nothing. The statement returns the stores that the
 * search index must read again, and writes to the log of changes what it has changed.
 *
 * The transaction must hold the catalog's lock, so that no key is inserted between the comparison and the write.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { rowOf } from "../database/Rows.ts"
import { insertion, starting } from "./ChangeLog.ts"
import type { Kept } from "./ChangeLog.ts"

/** Which stamp of the store a change updates; see CatalogVersion.Touched. */
export type Stamp = "items" | "figures"

/** A column, and the type of the array in which it is sent. */
export interface Column<Row> {
  readonly name: string
  readonly sentAs: "bool" | "int4" | "float8" | "text"
  readonly cast?: "date" | "timestamptz" | "jsonb" | "text[]"
  /** `asOf`: the date of the data, if the write belongs to an import. */
  readonly value: (row: Row, asOf: string | null) => string | number | boolean | null
  /** Absent when the search index does not read the column. */
  readonly stamp?: Stamp
  /**
   * How a new value is merged with the stored one. Without it, the new value replaces the stored one. `newest` is that of the row
   * whose `seen_on` is later, and the new one if neither is; `newest_known` is the other one where that is NULL.
   */
  readonly merge?: "keep_when_null" | "greatest" | "newest" | "newest_known"
}

/** How the rows of a table are dated. A new date alone is no change of a row. */
export interface Dates {
  /** `as_of` is the date of the row: of one that is newer than the data, nothing is changed. `said_on` has been compared before. */
  readonly column: "as_of" | "said_on"
  /** While an import marks its products, unchanged rows get no date, because their store gets one at the end. */
  readonly isDeferred: boolean
}

export interface Table<Row> {
  readonly name: string
  /** The natural key. */
  readonly key: readonly [string, ...ReadonlyArray<string>]
  readonly columns: ReadonlyArray<Column<Row>>
  /** The stamp that a new row updates, and an SQL expression for the store id of a row. */
  readonly ofStore?: {
    readonly stamp: Stamp
    readonly id: (row: string) => string
  }
  readonly dates?: Dates
  /** Absent when no changes of the table are kept. */
  readonly kept?: Kept
  /** Whether the table has the columns `id`, `version`, `import_id` and `source_ids`. */
  readonly isVersioned: boolean
}

/** The context of a write: a transaction that holds the catalog's lock, the version that it makes, and its import, if any. */
export interface Write {
  readonly sql: SqlClient.SqlClient
  readonly version: number
  readonly run: ImportRun | null
}

export interface ImportRun {
  readonly importId: number
  readonly sourceId: number
  /** The date of the data, `YYYY-MM-DD`. */
  readonly asOf: string
  /** Whether it writes to the log of changes. */
  readonly keepsChanges: boolean
  /** Whether to mark the products that are part of the import. */
  readonly notesProducts: () => boolean
}

/** Counts of inserted, changed and older rows, and the ids of stores whose stamps must be updated. */
const Written = Schema.Struct({
  added: Schema.Int,
  changed: Schema.Int,
  older: Schema.Int,
  items: Schema.Array(Schema.Int),
  figures: Schema.Array(Schema.Int)
})
export type Written = typeof Written.Type
const decodeWritten = rowOf(Written)

const nothing: Written = { added: 0, changed: 0, older: 0, items: [], figures: [] }

/** Rows must have different keys: PostgreSQL refuses to insert a key twice. */
export type Upsert<Row> = (write: Write, rows: ReadonlyArray<Row>) => Effect.Effect<Written, SqlError.SqlError>

export const upsert = <Row>(table: Table<Row>): Upsert<Row> => {
  const text = statement(table)
  const { columns, dates, isVersioned, kept } = table
  return ({ run, sql, version }, rows) =>
    rows.length === 0
      ? Effect.succeed(nothing)
      : decodeWritten(
          sql.unsafe(text, [
            // This fails only for an element type without an array type; the four that are used here have one.
            ...columns.map(({ sentAs, value }) => {
              const values = rows.map((row) => value(row, run?.asOf ?? null))
              return Result.getOrThrow(PgTypes.array(values, PgTypes.OID[sentAs]))
            }),
            ...(dates === undefined ? [] : [run !== null && !(dates.isDeferred && run.notesProducts())]),
            ...(isVersioned ? [run?.importId ?? null] : []),
            ...(isVersioned || kept !== undefined ? [version, run?.sourceId ?? null] : []),
            ...(kept === undefined ? [] : [run?.asOf ?? null, run?.keepsChanges ?? false])
          ])
        )
}

const list = (columns: ReadonlyArray<string>, prefix = "") => columns.map((column) => `${prefix}${column}`).join(", ")

/**
 * Builds the text from constants only; values of rows are parameters. A new row always differs from the missing stored one,
 * because every table has a column besides its key that is never NULL.
 */
const statement = <Row>({ columns, dates, isVersioned, kept, key, name, ofStore }: Table<Row>): string => {
  const names = columns.map((column) => column.name)
  const others = columns.filter((column) => !key.includes(column.name))
  const isDate = (column: Column<Row>) => column.name === dates?.column
  const facts = others.filter((column) => !isDate(column))
  const isStored = key.map((column) => `${name}.${column} = input.${column}`).join(" AND ")
  const given = ({ merge, name }: Column<Row>) => {
    if (merge === undefined) return `input.${name}`
    if (merge === "newest") return `CASE WHEN stored.seen_on > input.seen_on THEN stored.${name} ELSE input.${name} END`
    if (merge === "newest_known") {
      return `CASE WHEN stored.seen_on > input.seen_on THEN coalesce(stored.${name}, input.${name})
        ELSE coalesce(input.${name}, stored.${name}) END`
    }
    return `${merge === "greatest" ? "greatest" : "coalesce"}(input.${name}, stored.${name})`
  }
  const differs = (compared: ReadonlyArray<Column<Row>>) =>
    compared.length === 0
      ? "false"
      : `(${list(
          compared.map((column) => column.name),
          "stored."
        )}) IS DISTINCT FROM (${list(compared.map(given))})`
  const differsIn = (stamp: Stamp) => differs(others.filter((column) => column.stamp === stamp))
  const before = columns.length + (dates === undefined ? 0 : 1)
  const importId = `$${before + 1}::int`
  const first = before + (isVersioned ? 2 : 1)
  const version = `$${first}::int`
  const sourceId = `$${first + 1}::int`
  // Empty when the write does not belong to an import.
  const sources = `array_remove(ARRAY[${sourceId}], NULL)`
  const isOlder = dates?.column === "as_of" ? "coalesce(stored.as_of > input.as_of, false)" : "false"
  const isWritten = [
    differs(facts),
    ...(dates === undefined ? [] : [`$${before}::bool AND ${differs(others.filter(isDate))}`]),
    ...(isVersioned ? [`NOT stored.source_ids @> ${sources}`] : [])
  ].join(" OR ")
  const storeOf = (row: string) => ofStore?.id(row) ?? "NULL::int"

  const stamped = (stamp: Stamp) => {
    const added = ofStore?.stamp === stamp ? "SELECT shop_id FROM inserted UNION ALL " : ""
    const moved = `SELECT unnest(ARRAY[shop_id, left_shop_id]) FROM updated WHERE changes_${stamp}`
    return `ARRAY(SELECT DISTINCT shop_id FROM (${added}${moved}) AS s (shop_id) WHERE shop_id IS NOT NULL)`
  }

  /** What `changes` read of a written row of `table`; the new values are those of `row`. */
  const keptOf = (table: string, row: string) =>
    kept === undefined
      ? ""
      : `, ${isVersioned ? `${table}.id` : "NULL::int"} AS record_id, ${storeOf(table)} AS of_shop_id${kept.keys
          .map((column) => `, ${row}.${column}`)
          .join("")}${kept.columns.map((column) => `, ${row}.${column} AS new_${column}`).join("")}`
  const stored = kept?.columns.map((column) => `, stored.${column} AS old_${column}`).join("") ?? ""
  const old = kept?.columns.map((column) => `, input.old_${column}`).join("") ?? ""
  const isKept = `$${first + 3}::bool`
  const started = kept === undefined ? undefined : starting(kept, { version, isKept })
  const log =
    kept === undefined
      ? ""
      : `, logged AS (${insertion(kept.changes, { version, sourceId, asOf: `$${first + 2}::date`, isKept })})${
          started === undefined ? "" : `, started AS (${started})`
        }`
  return `
    WITH input AS (
      SELECT ${list(columns.map((column) => (column.cast === undefined ? column.name : `${column.name}::${column.cast} AS ${column.name}`)))}
      FROM unnest(${list(columns.map(({ sentAs }, index) => `$${index + 1}::${sentAs}[]`))}) AS sent (${list(names)})
    ),
    changed AS MATERIALIZED (
      SELECT ${list(columns.map((column) => `${given(column)} AS ${column.name}`))},
        stored.ctid AS stored_ctid, ${storeOf("stored")} AS left_shop_id${stored},
        ${differs(facts)} AS is_changed, ${isOlder} AS is_older, ${differsIn("items")} AS changes_items, ${differsIn("figures")} AS changes_figures
      FROM input LEFT JOIN LATERAL (SELECT ctid, * FROM ${name} WHERE ${isStored} OFFSET 0) AS stored ON true
      WHERE ${isOlder === "false" ? "" : `${isOlder} OR `}${isWritten}
    ),
    inserted AS (
      INSERT INTO ${name} (${list(names)}${isVersioned ? ", version, import_id, source_ids" : ""})
      SELECT ${list(names)}${isVersioned ? `, ${version}, ${importId}, ${sources}` : ""} FROM changed WHERE stored_ctid IS NULL
      RETURNING ${storeOf(name)} AS shop_id${keptOf(name, name)}
    ),
    updated AS (
      UPDATE ${name} AS stored
      SET ${list(others.map((column) => `${column.name} = input.${column.name}`))}
        ${
          isVersioned
            ? `, version = CASE WHEN changes_items OR changes_figures THEN ${version} ELSE stored.version END,
          import_id = CASE WHEN is_changed THEN ${importId} ELSE stored.import_id END,
          source_ids = stored.source_ids || CASE WHEN stored.source_ids @> ${sources} THEN '{}' ELSE ${sources} END`
            : ""
        }
      FROM changed AS input
      WHERE stored.ctid = input.stored_ctid AND NOT is_older
      RETURNING ${storeOf("stored")} AS shop_id, left_shop_id, is_changed, changes_items, changes_figures${keptOf("stored", "input")}${old}
    )${log}
    SELECT (SELECT count(*) FROM inserted)::int AS added, (SELECT count(*) FROM updated WHERE is_changed)::int AS changed,
      (SELECT count(*) FROM changed WHERE is_older)::int AS older,
      ${stamped("items")} AS items, ${stamped("figures")} AS figures`
}

/** Formats a list of texts as the literal of a `text[]`, because `unnest` would flatten an array of arrays. */
export const textArray = (items: ReadonlyArray<string>): string =>
  `{${items.map((item) => `"${item.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(",")}}`
