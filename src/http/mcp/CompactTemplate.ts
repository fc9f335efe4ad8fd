/**
 * What the cells of a column of addresses or times have in common, for compact answers (D69): a pattern in which `{column}` is
 * that column of the row and one mark is the cell.
 *
 * - `*`: the cell as it is.
 * - `{title as slug}`: that column as addresses repeat it (CompactSlug), and after it a cell that begins with `-` or `.`. Another
 *   cell is there in its place, and `null` is `null`.
 * - `{* as YYYYMMDD}`, `{* as YYYYMMDDhhmmss}`, `{* as hhmmss}`: dates and times in digits alone, for less than half of the tokens.
 */
import * as CompactSlug from "./CompactSlug.ts"

export interface Column {
  readonly name: string
  readonly cells: ReadonlyArray<string>
}

interface Template {
  readonly pattern: string
  /** What stands for the mark; `undefined` when the pattern has none. */
  readonly cells: ReadonlyArray<string> | undefined
}

/** A text where a pattern may stand. */
export const literal = (text: string): string => text.replaceAll(/[{*]/gu, String.raw`\$&`)

export const isId = (column: string): boolean => column === "id" || column.endsWith(".id")

/** Addresses and times, which have much in common, in ASCII and without the characters that a pattern has a meaning for. */
const isTemplatable = (text: string): boolean =>
  /^(?:https?:\/\/|\d{4}-\d\d-\d\d(?:T|$))[^{}*\\]*$/u.test(text) && /^[!-~]*$/u.test(text)

/** A domain begins with a letter or digit, so that it cannot be taken for a cell that continues a slug. */
const isDomain = (text: string): boolean => /^[a-z0-9][a-z0-9-]*\.[a-z0-9.-]*$/u.test(text)

const isKey = (column: string): boolean => isId(column) || /(?:^|[._])(?:id|domain)$/u.test(column)

const minShared = 5
/** Fewer rows are not worth the words of the mark. */
const leastRows = 3

export const of = (column: Column, others: ReadonlyArray<Column>): Template | undefined => {
  const same = sameText(column, others)
  if (same !== undefined) return same
  const slug = slugs(column, others)
  if (slug !== undefined) return slug
  if (!column.cells.every((text) => text === "" || isTemplatable(text))) return undefined
  const shared = sharedParts(column, others)
  return shortTimes(column.cells, shared) ?? shared
}

/** Text that most rows have in a later column as well, as ads their page's name in the store's. That one is itself as it is. */
const sameText = ({ cells, name }: Column, others: ReadonlyArray<Column>): Template | undefined => {
  if (cells.includes("") || !cells.some((cell) => cell.length >= minShared && /\p{L}/u.test(cell))) return undefined
  const other = others
    .slice(others.findIndex((each) => each.name === name) + 1)
    .findLast((each) => 2 * cells.filter((cell, row) => cell === each.cells[row]).length > cells.length)
  if (other === undefined || other.cells.some(isTemplatable) || sameText(other, others) !== undefined) return undefined
  return { pattern: `{${other.name}}`, cells: cells.map((cell, row) => (cell === other.cells[row] ? "" : cell)) }
}

const slugs = ({ cells, name }: Column, others: ReadonlyArray<Column>): Template | undefined => {
  const named = others.find((other) => other.name === CompactSlug.nameOf(name))
  const isAddress = name === "url" ? isTemplatable : isDomain
  if (named === undefined || !cells.every((text) => text === "" || isAddress(text))) return undefined
  // A slug has nothing of what backslashes stand for.
  const ofNames = named.cells.map((text) => (text.includes("\\") ? "" : CompactSlug.of(text)))
  const keys = name === "url" ? keysOf(cells, others) : []
  const forms = cells.map((text, row) => (text === "" ? "" : withKeys(text, keys, row)))
  const beginnings = forms.map((form, row) => {
    const text = cells[row] ?? ""
    const hasSlug = CompactSlug.begins(text.slice(CompactSlug.startIn(text, name)), ofNames[row] ?? "")
    return hasSlug ? form.slice(0, CompactSlug.startIn(form, name)) : undefined
  })
  const usual = mostly(beginnings)
  if (usual === undefined) return undefined
  const cellOf = (form: string, row: number): string => {
    if (form === "") return "null"
    const whole = cells[row] ?? ""
    if (!form.startsWith(usual)) return whole
    const text = withoutKeys(form.slice(usual.length), keys, row)
    const slug = ofNames[row] ?? ""
    if (CompactSlug.begins(text, slug)) return text.slice(slug.length)
    // What would be read as another kind of cell.
    if (/^(?:[-.]|https?:\/\/|null$)/u.test(text)) return whole
    return text === "" ? '""' : text
  }
  const rest = forms.map(cellOf)
  return { pattern: `${usual}{${named.name} as slug}`, cells: rest.every((text) => text === "") ? undefined : rest }
}

/** What at least some rows have, and more than half of those that have any. */
const mostly = (values: ReadonlyArray<string | undefined>): string | undefined => {
  const known = values.filter((value) => value !== undefined)
  const usual = known.find((value) => 2 * known.filter((each) => each === value).length > known.length)
  return known.length < leastRows ? undefined : usual
}

/** What other columns that are parts of addresses are called in them. */
const keysOf = (cells: ReadonlyArray<string>, others: ReadonlyArray<Column>) => {
  const isIn = (key: Column, row: number) => withKey(cells[row] ?? "", key.cells[row] ?? "", "") !== cells[row]
  // Where two keys of a row are equal, the one that more rows have is meant; where one contains another, the longer.
  return others
    .filter((other) => other.cells !== cells && isKey(other.name))
    .map((key) => ({
      ...key,
      rows: cells.filter((_, row) => isIn(key, row)).length,
      length: key.cells.reduce((sum, cell) => sum + cell.length, 0)
    }))
    .toSorted((one, other) => other.rows - one.rows || other.length - one.length)
}

const sharedParts = ({ cells }: Column, others: ReadonlyArray<Column>): Template | undefined => {
  const keys = keysOf(cells, others)
  const forms = cells.map((text, row) => (text === "" ? "" : withKeys(text, keys, row)))
  const usual = usualForm(forms)
  if (usual !== undefined) {
    return { pattern: usual, cells: cells.map((text, row) => (forms[row] === usual ? "" : text)) }
  }
  const isUsual = usualRows(forms)
  const present = forms.filter((form, row) => form !== "" && isUsual(row))
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
    : (/(?<![\p{L}\p{N}])[^\p{L}\p{N}].*/su.exec(tail)?.[0] ?? "")
  // A cell that began with `https://` would be a whole address.
  if (prefix === "" || prefix.length + suffix.length < minShared) return undefined
  const rest = forms.map((form) => form.slice(prefix.length, form.length - suffix.length))
  if (rest.every((text) => text === "") && cells.every((text, row) => (text === "") === lacksKey(prefix, keys, row))) {
    return { pattern: prefix + suffix, cells: undefined }
  }
  return {
    pattern: `${prefix}*${suffix}`,
    cells: rest.map((text, row) => {
      if (forms[row] === "" || !isUsual(row)) return cells[row] ?? ""
      return text === "" ? '""' : withoutKeys(text, keys, row)
    })
  }
}

/** A form without `*` that all rows but a few have. The others keep their values, so none may be `null`. */
const usualForm = (forms: ReadonlyArray<string>): string | undefined => {
  const usual = forms.find(
    (form) => form.includes("{") && 2 * forms.filter((each) => each === form).length > forms.length
  )
  return usual !== undefined && !forms.includes("") && forms.some((form) => form !== usual) ? usual : undefined
}

/**
 * Tells whether the address of a row begins like those of most rows, up to and with its first `{column}`. The cells of other rows
 * stay whole addresses, which a reader recognizes by `https://`.
 */
const usualRows = (forms: ReadonlyArray<string>): ((row: number) => boolean) => {
  const beginnings = forms.map((form) => /^http[^{]*\{[^}]*\}/u.exec(form)?.[0])
  const usual = beginnings.find(
    (beginning) => beginning !== undefined && 2 * beginnings.filter((each) => each === beginning).length > forms.length
  )
  return (row) => usual === undefined || beginnings[row] === usual
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

const time = /^\d{4}-\d\d-\d\d(?:(T)\d\d:\d\d:\d\d(\.\d+)?Z)?$/u

/** Times without separators, and dates of which not even the year is shared. Other times are whole, with their hyphens. */
const shortTimes = (cells: ReadonlyArray<string>, shared: Template | undefined): Template | undefined => {
  // What follows the seconds of a time. Dates have nothing.
  const endings = cells.map((text) => {
    const found = time.exec(text)
    return found === null ? undefined : found[1] === undefined ? "" : `${found[2] ?? ""}Z`
  })
  // Where fractions of seconds differ, they are in the cells.
  const ending = mostly(endings) ?? mostly(endings.map((each) => each?.slice(-1)))
  if (ending === undefined || (ending === "" && shared !== undefined)) return undefined
  const fits = endings.map((each) => each?.endsWith(ending) === true && (each === "") === (ending === ""))
  const day = cells[fits.indexOf(true)]?.slice(0, "YYYY-MM-DDT".length) ?? ""
  const isOneDay = ending !== "" && cells.every((text) => text === "" || text.startsWith(day))
  const beginning = isOneDay ? day : ""
  const mark = isOneDay ? "hhmmss" : ending === "" ? "YYYYMMDD" : "YYYYMMDDhhmmss"
  return {
    pattern: `${beginning}{* as ${mark}}${ending}`,
    cells: cells.map((text, row) =>
      fits[row] === true ? text.slice(beginning.length, text.length - ending.length).replaceAll(/[-:T]/gu, "") : text
    )
  }
}
