/** Writes items of a search as a file: CSV for spreadsheets, JSON lines for programs (D68). */
import { stringify } from "csv-stringify/sync"
import { Effect, Schema, SchemaAST } from "effect"
import { AdItem } from "../../domain/catalog/AdItem.ts"
import { ProductItem } from "../../domain/catalog/ProductItem.ts"
import { ShopItem } from "../../domain/catalog/ShopItem.ts"
import type { SearchSubject } from "../../domain/search/SavedSearch.ts"

export const ExportFormat = Schema.Literals(["csv", "ndjson"])
export type ExportFormat = typeof ExportFormat.Type

export type Item = AdItem | ProductItem | ShopItem

/** The columns of an item; those of its store are `shop.name` and so on. */
const columnsOf = (ast: SchemaAST.AST, prefix = ""): ReadonlyArray<string> => {
  const fields = SchemaAST.isUnion(ast) ? ast.types.find(SchemaAST.isObjects) : ast
  return fields !== undefined && SchemaAST.isObjects(fields)
    ? fields.propertySignatures.flatMap(({ name, type }) =>
        columnsOf(type, prefix === "" ? String(name) : `${prefix}.${String(name)}`)
      )
    : [prefix]
}

export const columns: Readonly<Record<SearchSubject, ReadonlyArray<string>>> = {
  ads: columnsOf(AdItem.ast),
  products: columnsOf(ProductItem.ast),
  stores: columnsOf(ShopItem.ast)
}

/** About 2 ms. Other requests are served between two chunks. */
const rowsAtOnce = 25

/**
 * The signs that begin a formula, with the forms of them that spreadsheets take for the same, where a cell may begin: at the
 * beginning of a text, and after each character that some spreadsheet separates cells or lines by. One that separates by semicolons
 * begins such a cell within a field of this file, and passes over blanks and quotation marks before the sign.
 */
const formula = /(?<=(?:^|[,;|\t\r\n\v\f\u0085\u2028\u2029，；｜])[\s"＂\p{C}]*)[=+\-@\u2212＝＋－＠﹦﹢﹣﹫]/gu

const defused = (text: string): string => text.replaceAll(formula, "'$&")

/**
 * RFC 4180 in UTF-8. The byte order mark makes spreadsheets detect the encoding. Values that they would run as a formula
 * get an apostrophe; a negative number stays a number.
 */
const csv = Effect.fnUntraced(function* (subject: SearchSubject, items: ReadonlyArray<Item>) {
  let text = ""
  for (let at = 0; at === 0 || at < items.length; at += rowsAtOnce) {
    text += stringify(items.slice(at, at + rowsAtOnce), {
      bom: at === 0,
      cast: {
        boolean: String,
        // Only lists, because fields of objects are columns.
        object: (value) => (Array.isArray(value) ? defused(value.join("; ")) : ""),
        string: defused
      },
      columns: [...columns[subject]],
      // For a tab or a carriage return at the beginning.
      escape_formulas: true,
      header: at === 0,
      // Otherwise a line feed alone would not be quoted.
      quote_record_delimiter: true,
      record_delimiter: "windows"
    })
    yield* Effect.yieldNow
  }
  return text
})

const ndjson = (items: ReadonlyArray<Item>): string => items.map((item) => `${JSON.stringify(item)}\n`).join("")

export interface ExportFile {
  readonly contentType: string
  readonly text: string
}

export const fileOf = (
  format: ExportFormat,
  subject: SearchSubject,
  items: ReadonlyArray<Item>
): Effect.Effect<ExportFile> =>
  format === "csv"
    ? Effect.map(csv(subject, items), (text) => ({ contentType: "text/csv; charset=utf-8; header=present", text }))
    : Effect.sync(() => ({ contentType: "application/x-ndjson; charset=utf-8", text: ndjson(items) }))
