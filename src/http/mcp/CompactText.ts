/**
 * An answer as text with each name once, for clients that ask for `format=compact` (D69): a line for each single value, and
 * a table for each list of records.
 *
 * Cells are separated by tabs. A table begins with what all its rows have in common: a value, or a template of addresses, times
 * and names (CompactTemplate), in which `{column}` is that column of the row and `*` is the cell. A row has a cell where a
 * template without `*` does not hold, and a whole address where another does not. Records that several rows share, such as
 * stores, are a table of their own. `null` is empty, empty text is `""`, an empty list is `[]`, and members of a list are separated
 * by `; `. Backslashes escape tabs, line breaks and what would be taken for one of these.
 */
import { Predicate } from "effect"
import * as CompactBudget from "./CompactBudget.ts"
import * as CompactTemplate from "./CompactTemplate.ts"

const tab = "\t"

/** As many as any currency has; a score may have fourteen, which cost an agent five tokens. */
const mostDecimals = 3

type Fields = ReadonlyMap<string, unknown>

/** The text of an answer, from its JSON. */
export const of = (json: string): string => {
  const answer: unknown = JSON.parse(json)
  const single: Array<string> = []
  const tables: Array<string> = []
  for (const [name, value] of Predicate.isObject(answer) ? Object.entries(answer) : []) {
    if (isTable(value)) {
      const rows = value.map((item) => fieldsOf(item, ""))
      tables.push(CompactBudget.withinBudget(rows, (shown) => table(name, shown)))
    } else single.push(`${name}: ${Predicate.isObject(value) ? pairsOf(fieldsOf(value, "")) : textOf(value)}`)
  }
  return [...single, ...tables].join("\n")
}

const pairsOf = (fields: Fields): string => Array.from(fields, ([name, value]) => `${name}=${textOf(value)}`).join(tab)

/** The single values of a record by their dotted names. */
const fieldsOf = (value: unknown, path: string): Fields =>
  Predicate.isObject(value)
    ? new Map(
        Object.entries(value).flatMap(([name, inner]) =>
          Array.from(fieldsOf(inner, path === "" ? name : `${path}.${name}`))
        )
      )
    : new Map([[path, value]])

const isTable = (value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) && value.length > 0 && value.every(Predicate.isObject)

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return escaped(value)
  if (typeof value === "number") return JSON.stringify(Number(value.toFixed(mostDecimals)))
  if (!Array.isArray(value)) return Predicate.isObject(value) ? escaped(JSON.stringify(value)) : JSON.stringify(value)
  if (value.length === 0) return "[]"
  return value.map((member) => textOf(member).replaceAll(";", String.raw`\;`)).join("; ")
}

/** The other control characters, and what ends a line for some readers, such as the line separator of Unicode. */
const otherControls = /[\p{Cc}\p{Zl}\p{Zp}]/gu

const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** On one line, and unlike the marks of what is no text. */
const escaped = (text: string): string =>
  text === ""
    ? '""'
    : text
        .replaceAll("\\", "\\\\")
        .replaceAll(tab, String.raw`\t`)
        .replaceAll("\n", String.raw`\n`)
        .replaceAll("\r", String.raw`\r`)
        .replaceAll(otherControls, codeOf)
        .replace(/^(?=["[])/u, "\\")

const columnsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<CompactTemplate.Column> => {
  const names = Array.from(new Set(rows.flatMap((row) => Array.from(row.keys()))))
  return (
    names
      // A record that is absent as a whole is a column without values beside the columns of the others.
      .filter((name) => !names.some((other) => other.startsWith(`${name}.`)))
      .toSorted((one, other) => Number(CompactTemplate.isId(other)) - Number(CompactTemplate.isId(one)))
      .map((name) => ({ name, cells: rows.map((row) => textOf(row.get(name))) }))
  )
}

const table = (name: string, items: ReadonlyArray<Fields>): string => {
  const columns = columnsOf(items)
  // The first column is in the table in any case, so that each row is.
  const isSame = (column: CompactTemplate.Column) =>
    column !== columns[0] && column.cells.length > 1 && column.cells.every((cell) => cell === column.cells[0])
  const varying = columns.filter((column) => !isSame(column))
  const common = columns.filter(isSame).map(({ cells, name }) => `${name}=${CompactTemplate.literal(cells[0] ?? "")}`)
  const shared = sharedRecords(varying)
  const own = varying.filter((column) => !shared.some(({ members }) => members.includes(column)))
  return [...withTemplates(name, items, own, varying, common), ...shared.flatMap(({ lines }) => lines)].join("\n")
}

const withTemplates = (
  name: string,
  items: ReadonlyArray<unknown>,
  own: ReadonlyArray<CompactTemplate.Column>,
  all: ReadonlyArray<CompactTemplate.Column>,
  common: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const templates: Array<string> = []
  const body = own.flatMap((column) => {
    const template = items.length === 1 || column === own[0] ? undefined : CompactTemplate.of(column, all)
    if (template === undefined) return [column]
    templates.push(`${column.name}=${template.pattern}`)
    return template.cells === undefined ? [] : [{ name: column.name, cells: template.cells }]
  })
  const every = [...common, ...templates]
  return [
    every.length === 0 ? headOf(name, items) : `${headOf(name, items).slice(0, -1)}, every row: ${every.join(tab)}`,
    ...linesOf(body)
  ]
}

/** With the number of rows, so that no text can pass for the end of its table. */
const headOf = (name: string, rows: ReadonlyArray<unknown>): string => `${name}[${rows.length}]:`

const linesOf = (columns: ReadonlyArray<CompactTemplate.Column>): ReadonlyArray<string> => [
  columns.map(({ name }) => name).join(tab),
  ...(columns[0]?.cells ?? []).map((_, row) => columns.map(({ cells }) => cells[row] ?? "").join(tab))
]

/** Records within the rows, such as the stores of products, of which one is there more than once: a table of their own. */
const sharedRecords = (columns: ReadonlyArray<CompactTemplate.Column>) =>
  columns.flatMap(({ cells: ids, name: key }) => {
    if (!key.endsWith(".id")) return []
    const prefix = key.slice(0, -"id".length)
    const members = columns.filter(({ name }) => name !== key && name.startsWith(prefix))
    const firsts = Array.from(new Set(ids.filter((id) => id !== "")), (id) => ids.indexOf(id))
    const isShared = firsts.length < ids.length && members.length > 0
    const isOneRecord = members.every(({ cells }) =>
      cells.every((cell, row) => cell === cells[ids.indexOf(ids[row] ?? "")])
    )
    if (!isShared || !isOneRecord) return []
    const records = [{ name: key, cells: ids }, ...members].map(({ cells, name }) => ({
      name: name.slice(prefix.length),
      cells: firsts.map((row) => cells[row] ?? "")
    }))
    return [{ members, lines: withTemplates(prefix.slice(0, -1), firsts, records, records, []) }]
  })
