/**
 * An answer as text with each name once, for clients that ask for `format=compact` (D69): a line for each single value, and a table for
 * each list of records.
 *
 * A table is a line with its name and its number of rows, a line with the names of its columns, and a line for each row, with tabs
 * between cells. The first line also has what all rows have: a value, or what addresses have in common, in which `*` is the cell of the
 * row and `{column}` another one of it. Records that several rows share, such as stores, are a table of their own. `-` is `null`, `""` is empty text, `[]` an empty list, and members of a list are separated by `; `. Backslashes escape tabs, line
 * breaks and what would be taken for one of these.
 */
import { Predicate } from "effect"
import { cut } from "../../domain/catalog/ThirdPartyText.ts"

const tab = "\t"

/** As many as any currency has; a score may have fourteen, which cost an agent five tokens. */
const mostDecimals = 3

/** Texts of a table with more rows than this are cut, so that a client that asks for few items reads them whole. */
const wholeRows = 5
/** To how many bytes, which cost about as much in all scripts. */
const mostBytes: Readonly<Record<string, number>> = {
  ad_text: 54,
  headline: 34,
  page_name: 28,
  title: 48,
  "shop.name": 30
}

type Fields = ReadonlyMap<string, unknown>

interface Column {
  readonly name: string
  readonly cells: ReadonlyArray<string>
}

/** The text of an answer, from its JSON. */
export const of = (json: string): string => {
  const answer: unknown = JSON.parse(json)
  const single: Array<string> = []
  const tables: Array<string> = []
  for (const [name, value] of Predicate.isObject(answer) ? Object.entries(answer) : []) {
    if (isTable(value))
      tables.push(
        ...table(
          name,
          value.map((item) => fieldsOf(item, ""))
        )
      )
    else single.push(`${name}: ${Predicate.isObject(value) ? pairsOf(fieldsOf(value, "")) : textOf(value)}`)
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
  if (value === null || value === undefined) return "-"
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
        .replace(/^(?=["[]|-$)/u, "\\")

/** On one line, and no longer than the column allows. */
const shortened = (name: string, value: unknown): unknown => {
  const most = mostBytes[name]
  if (most === undefined || typeof value !== "string" || Buffer.byteLength(value) <= most) return value
  let bytes = Buffer.byteLength("…")
  const characters = Array.from(value.replaceAll(/\s+/gu, " "))
  const fitting = characters.findIndex((character) => (bytes += Buffer.byteLength(character)) > most)
  return fitting < 0 ? characters.join("") : `${cut(characters.join(""), fitting).trimEnd()}…`
}

const isId = (column: string): boolean => column === "id" || column.endsWith(".id")

const columnsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<Column> => {
  const names = Array.from(new Set(rows.flatMap((row) => Array.from(row.keys()))))
  const shown = (name: string, value: unknown) => textOf(rows.length > wholeRows ? shortened(name, value) : value)
  return (
    names
      // A record that is absent as a whole is a column without values beside the columns of the others.
      .filter((name) => !names.some((other) => other.startsWith(`${name}.`)))
      .toSorted((one, other) => Number(isId(other)) - Number(isId(one)))
      .map((name) => ({ name, cells: rows.map((row) => shown(name, row.get(name))) }))
  )
}

const table = (name: string, rows: ReadonlyArray<Fields>): ReadonlyArray<string> => {
  const columns = columnsOf(rows)
  // The first column is in the table in any case, so that each row is.
  const isSame = (column: Column) =>
    column !== columns[0] && rows.length > 1 && column.cells.every((cell) => cell === column.cells[0])
  const varying = columns.filter((column) => !isSame(column))
  const common = columns.filter(isSame).map(({ cells, name }) => `${name}=${literal(cells[0] ?? "")}`)
  const shared = sharedRecords(varying)
  const unshared = varying.flatMap((column) => {
    if (shared.some(({ members }) => members.includes(column))) return []
    const pattern = column === columns[0] ? undefined : patternOf(column.cells, varying)
    if (pattern === undefined) return [column]
    common.push(`${column.name}=${pattern.text}`)
    return pattern.rest === undefined ? [] : [{ name: column.name, cells: pattern.rest }]
  })
  return [...linesOf(name, unshared, common), ...shared.flatMap(({ lines }) => lines)]
}

/** A value where a pattern may stand. */
const literal = (cell: string): string => cell.replaceAll(/[{*]/gu, String.raw`\$&`)

/** Fewer characters in common are not worth the words of a pattern. */
const leastInCommon = 10

/** What the addresses of a column have in common, and what is left of each; nothing if that is another column. */
const patternOf = (
  cells: ReadonlyArray<string>,
  others: ReadonlyArray<Column>
): { readonly text: string; readonly rest: ReadonlyArray<string> | undefined } | undefined => {
  if (!cells.every((cell) => cell === "-" || /^https?:\/\/[^\s{}*\\]+$/u.test(cell))) return undefined
  const domain = others.find(
    ({ cells: domains, name }) =>
      /(?:^|\.)domain$/u.test(name) &&
      cells.every(
        (cell, row) => cell === "-" || (domains[row]?.includes(".") === true && cell.includes(domains[row] ?? ""))
      )
  )
  const forms = cells.map((cell, row) =>
    cell === "-" || domain === undefined ? cell : cell.replace(domain.cells[row] ?? "", `{${domain.name}}`)
  )
  const addresses = forms.filter((form) => form !== "-")
  const [first = ""] = addresses
  if (addresses.length < 2) return undefined
  let start = 0
  while (start < first.length && addresses.every((cell) => cell[start] === first[start])) start++
  // Whole parts of a path, and whole parameters: a model reads halves of words and numbers wrong.
  while (start > 0 && !/[/=]/u.test(first.charAt(start - 1))) start--
  const [ending = ""] = /\.[a-z]{2,4}$/u.exec(first) ?? []
  const end = addresses.every((cell) => cell.length > start + ending.length && cell.endsWith(ending)) ? ending : ""
  const rest = forms.map((form) => (form === "-" ? form : form.slice(start, form.length - end.length)))
  if (start < leastInCommon || rest.some((text, row) => text.includes("{") || (text === "-" && forms[row] !== "-"))) {
    return undefined
  }
  const same = others.find((other) => other.cells !== cells && other.cells.every((cell, row) => cell === rest[row]))
  const [before, after] = [first.slice(0, start), end]
  return same === undefined
    ? { text: `${before}*${after}`, rest: rest.map((text) => (text === "" ? '""' : text)) }
    : { text: `${before}{${same.name}}${after}`, rest: undefined }
}

/** With the number of rows, so that no text can pass for the end of its table. */
const linesOf = (
  name: string,
  columns: ReadonlyArray<Column>,
  common: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const rows = columns[0]?.cells ?? []
  return [
    `${name}[${rows.length}]${common.length === 0 ? ":" : `, every row: ${common.join(tab)}`}`,
    columns.map((column) => column.name).join(tab),
    ...rows.map((_, row) => columns.map(({ cells }) => cells[row] ?? "").join(tab))
  ]
}

/** Records within the rows, such as the stores of products, of which one is there more than once: a table of their own. */
const sharedRecords = (columns: ReadonlyArray<Column>) =>
  columns.flatMap(({ cells: ids, name: key }) => {
    if (!key.endsWith(".id")) return []
    const prefix = key.slice(0, -"id".length)
    const members = columns.filter(({ name }) => name !== key && name.startsWith(prefix))
    const firsts = Array.from(new Set(ids.filter((id) => id !== "-")), (id) => ids.indexOf(id))
    const isShared = firsts.length < ids.length && members.length > 0
    const isOneRecord = members.every(({ cells }) =>
      cells.every((cell, row) => cell === cells[ids.indexOf(ids[row] ?? "")])
    )
    if (!isShared || !isOneRecord) return []
    const records = [{ name: key, cells: ids }, ...members].map(({ cells, name }) => ({
      name: name.slice(prefix.length),
      cells: firsts.map((row) => cells[row] ?? "")
    }))
    return [{ members, lines: linesOf(prefix.slice(0, -1), records, []) }]
  })
