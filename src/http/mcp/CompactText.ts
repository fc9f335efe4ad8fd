/**
 * An answer as text with each name once, for clients that ask for `format=compact` (D69): a line for each single value, and
 * a table for each list of records.
 *
 * Cells are separated by tabs. A table begins with what all its rows have in common: a value, or a template of addresses and
 * times, in which `{column}` is that column of the row and `*` is the cell. A row of a column with a template without `*` has
 * a cell where the template does not hold. Records that several rows share, such as stores,
 * are a table of their own. `null` is empty, empty text is `""`, an empty list is `[]`, and members of a list are separated
 * by `; `. Backslashes escape tabs, line breaks and what would be taken for one of these.
 */
import { Predicate } from "effect"
import { cut } from "../../domain/catalog/ThirdPartyText.ts"

/**
 * Tables with such a column have a budget: tokens for each row, and at least for ten rows, so that a client which asks for
 * few items reads whole texts. The estimate is within a tenth of o200k; the budgets leave room for it.
 */
const rowBudgets = [
  { column: "ad_text", tokens: 79 },
  { column: "title", tokens: 63 }
]
const leastRows = 10

/** What is cut when a table exceeds its budget, the longest texts first. */
const freeTexts: ReadonlySet<string> = new Set(["ad_text", "headline", "page_name", "title", "shop.name"])
/** No text is cut to fewer tokens. */
const leastTokens = 7

const tab = "\t"

type Fields = ReadonlyMap<string, unknown>

/** The text of an answer, from its JSON. */
export const of = (json: string): string => {
  const answer: unknown = JSON.parse(json)
  const single: Array<string> = []
  const tables: Array<string> = []
  for (const [name, value] of Predicate.isObject(answer) ? Object.entries(answer) : []) {
    if (isTable(value)) tables.push(withinBudget(name, value))
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
  if (value === null || value === undefined) return ""
  if (typeof value === "string") return escaped(value)
  if (!Array.isArray(value)) return Predicate.isObject(value) ? escaped(JSON.stringify(value)) : JSON.stringify(value)
  if (value.length === 0) return "[]"
  return value.map((member) => textOf(member).replaceAll(";", String.raw`\;`)).join("; ")
}

/**
 * An estimate of the tokens of o200k, fitted to answers of the demo data by least squares: words of up to five ASCII letters
 * are one token, digits two for three of them, and other scripts more than two for each UTF-16 unit.
 */
const tokensOf = (text: string): number => {
  let tokens = 0
  let letters = 0
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const lower = unit | 0x20
    letters = lower >= 0x61 && lower <= 0x7a ? letters + 1 : 0
    digits = unit >= 0x30 && unit <= 0x39 ? digits + 1 : 0
    if (letters === 1) tokens += 1
    else if (letters > 5) tokens += 0.36
    else if (digits % 3 === 1) tokens += 2
    else if (unit > 0x24f) tokens += 2.4
  }
  return tokens
}

/** The table, with its longest texts cut to one line that ends with `…` where it exceeds its budget. */
const withinBudget = (name: string, items: ReadonlyArray<unknown>): string => {
  const rows = items.map((item) => fieldsOf(item, ""))
  const whole = table(name, rows)
  const budget = rowBudgets.find(({ column }) => rows.some((row) => row.has(column)))
  if (budget === undefined) return whole
  const excess = tokensOf(whole) - budget.tokens * Math.max(leastRows, rows.length)
  if (excess <= 0) return whole
  const sizes = rows.flatMap((row) =>
    Array.from(row, ([column, value]) => (typeof value === "string" && freeTexts.has(column) ? tokensOf(value) : 0))
  )
  const most = mostTokens(sizes, excess)
  return table(
    name,
    rows.map(
      (row) =>
        new Map(
          Array.from(row, ([column, value]) => [
            column,
            typeof value === "string" && freeTexts.has(column) ? shortened(value, most) : value
          ])
        )
    )
  )
}

/** The size to cut the longest texts to, so that all of them together lose the excess. */
const mostTokens = (sizes: ReadonlyArray<number>, excess: number): number => {
  const sorted = sizes.toSorted((one, other) => other - one)
  let longest = -excess
  const count = sorted.findIndex((size, at) => {
    longest += size
    return longest >= (at + 1) * (sorted[at + 1] ?? 0)
  })
  return Math.max(leastTokens, longest / (count + 1))
}

const shortened = (text: string, most: number): string => {
  const tokens = tokensOf(text)
  if (tokens <= most) return text
  const line = text.replaceAll(/\s+/gu, " ")
  return `${cut(line, Math.floor((Array.from(line).length * most) / tokens)).trimEnd()}…`
}

/** On one line, and unlike the marks of what is no text. */
const escaped = (text: string): string =>
  text === ""
    ? '""'
    : text
        .replaceAll("\\", "\\\\")
        .replaceAll(tab, String.raw`\t`)
        .replaceAll("\n", String.raw`\n`)
        .replaceAll("\r", String.raw`\r`)
        .replace(/^(?=["[])/u, "\\")

const isId = (column: string): boolean => column === "id" || column.endsWith(".id")

interface Column {
  readonly name: string
  readonly cells: ReadonlyArray<string>
}

const columnsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<Column> => {
  const names = Array.from(new Set(rows.flatMap((row) => Array.from(row.keys()))))
  return (
    names
      // A record that is absent as a whole is a column without values beside the columns of the others.
      .filter((name) => !names.some((other) => other.startsWith(`${name}.`)))
      .toSorted((one, other) => Number(isId(other)) - Number(isId(one)))
      .map((name) => ({ name, cells: rows.map((row) => textOf(row.get(name))) }))
  )
}

const table = (name: string, items: ReadonlyArray<Fields>): string => {
  const columns = columnsOf(items)
  // The first column is in the table in any case, so that each row is.
  const isSame = (column: Column) =>
    column !== columns[0] && column.cells.length > 1 && column.cells.every((cell) => cell === column.cells[0])
  const varying = columns.filter((column) => !isSame(column))
  const common = columns.filter(isSame).map(({ cells, name }) => `${name}=${literal(cells[0] ?? "")}`)
  const shared = sharedRecords(varying)
  const body = varying.flatMap((column) => {
    if (shared.some(({ members }) => members.includes(column))) return []
    const template = items.length === 1 || column === columns[0] ? undefined : templateOf(column, varying)
    if (template === undefined) return [column]
    common.push(`${column.name}=${template.pattern}`)
    return template.cells === undefined ? [] : [{ name: column.name, cells: template.cells }]
  })
  return [
    common.length === 0 ? headOf(name, items) : `${headOf(name, items).slice(0, -1)}, every row: ${common.join(tab)}`,
    ...linesOf(body),
    ...shared.flatMap(({ lines }) => lines)
  ].join("\n")
}

/** With the number of rows, so that no text can pass for the end of its table. */
const headOf = (name: string, rows: ReadonlyArray<unknown>): string => `${name}[${rows.length}]:`

const linesOf = (columns: ReadonlyArray<Column>): ReadonlyArray<string> => [
  columns.map(({ name }) => name).join(tab),
  ...(columns[0]?.cells ?? []).map((_, row) => columns.map(({ cells }) => cells[row] ?? "").join(tab))
]

/** Records within the rows, such as the stores of products, of which one is there more than once: a table of their own. */
const sharedRecords = (columns: ReadonlyArray<Column>) =>
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
    return [{ members, lines: [headOf(prefix.slice(0, -1), firsts), ...linesOf(records)] }]
  })

/** A value where a template may stand. */
const literal = (cell: string): string => cell.replaceAll(/[{*]/gu, String.raw`\$&`)

interface Template {
  readonly pattern: string
  /** What stands for `*`; `undefined` when nothing does. */
  readonly cells: ReadonlyArray<string> | undefined
}

/** Addresses and times, which have much in common, in ASCII and without the characters that a template has a meaning for. */
const isTemplatable = (text: string): boolean =>
  /^(?:https?:\/\/|\d{4}-\d\d-\d\d(?:T|$))[^{}*\\]*$/u.test(text) && /^[!-~]*$/u.test(text)

const isKey = (column: string): boolean => isId(column) || /(?:^|[._])(?:id|domain)$/u.test(column)

const minShared = 5

const templateOf = ({ cells, name }: Column, others: ReadonlyArray<Column>): Template | undefined => {
  if (!cells.every((text) => text === "" || isTemplatable(text))) return undefined
  const isIn = (key: Column, row: number) => withKey(cells[row] ?? "", key.cells[row] ?? "", "") !== cells[row]
  // Where two keys of a row are equal, the one that more rows have is meant.
  const keys = others
    .filter((other) => other.name !== name && isKey(other.name))
    .map((key) => ({ ...key, rows: cells.filter((_, row) => isIn(key, row)).length }))
    .toSorted((one, other) => other.rows - one.rows)
  const forms = cells.map((text, row) => (text === "" ? "" : withKeys(text, keys, row)))
  const usual = usualForm(forms)
  if (usual !== undefined) {
    return { pattern: usual, cells: cells.map((text, row) => (forms[row] === usual ? "" : text)) }
  }
  const present = forms.filter((form) => form !== "")
  const [first = ""] = present
  let start = 0
  while (start < first.length && present.every((form) => form[start] === first[start])) start++
  // A whole name of a key, whole words and whole numbers: a model reads parts of them wrong.
  const prefix = /^.*(?:[^\p{L}\p{N}{_.]|(?<=\}))(?![^{]*\})|^/su.exec(first.slice(0, start))?.[0] ?? ""
  let end = 0
  const shortest = Math.min(...present.map((form) => form.length)) - prefix.length
  while (end < shortest && present.every((form) => form.at(-1 - end) === first.at(-1 - end))) end++
  const tail = first.slice(first.length - end).replace(/^[^{]*\}/u, "")
  const suffix = present.every((form) => form === prefix)
    ? ""
    : (/(?<![\p{L}\p{N}])[^\p{L}\p{N}].*$/su.exec(tail)?.[0] ?? "")
  if (prefix.length + suffix.length < minShared) return undefined
  const rest = forms.map((form) => form.slice(prefix.length, form.length - suffix.length))
  if (rest.every((text) => text === "") && cells.every((text, row) => (text === "") === lacksKey(prefix, keys, row))) {
    return { pattern: prefix + suffix, cells: undefined }
  }
  return {
    pattern: `${prefix}*${suffix}`,
    cells: rest.map((text, row) => (forms[row] === "" ? "" : text === "" ? '""' : withoutKeys(text, keys, row)))
  }
}

/** A form without `*` that all rows but a few have. The others keep their values, so none may be `null`. */
const usualForm = (forms: ReadonlyArray<string>): string | undefined => {
  const usual = forms.find(
    (form) => form.includes("{") && 2 * forms.filter((each) => each === form).length > forms.length
  )
  return usual !== undefined && !forms.includes("") && forms.some((form) => form !== usual) ? usual : undefined
}

const withKeys = (text: string, keys: ReadonlyArray<Column>, row: number): string =>
  keys.reduce((form, { cells, name }) => withKey(form, cells[row] ?? "", `{${name}}`), text)

/** Replaces the first occurrence of the key as a whole word that is not inside the name of another key. */
const withKey = (form: string, key: string, name: string): string => {
  if (key === "") return form
  for (let at = form.indexOf(key); at !== -1; at = form.indexOf(key, at + 1)) {
    const isWord = !/\w/u.test(form[at - 1] ?? "") && !/\w/u.test(form[at + key.length] ?? "")
    const isInName = form.lastIndexOf("{", at) > form.lastIndexOf("}", at)
    if (isWord && !isInName) return `${form.slice(0, at)}${name}${form.slice(at + key.length)}`
  }
  return form
}

const withoutKeys = (form: string, keys: ReadonlyArray<Column>, row: number): string =>
  form.replaceAll(/\{([^}]*)\}/gu, (_, name: string) => keys.find((key) => key.name === name)?.cells[row] ?? "")

const lacksKey = (pattern: string, keys: ReadonlyArray<Column>, row: number): boolean =>
  keys.some(({ cells, name }) => pattern.includes(`{${name}}`) && cells[row] === "")
