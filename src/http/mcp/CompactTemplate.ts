/**
 * What the cells of a column of addresses or times have in common, for compact answers (D69): a pattern in which `{column}` is
 * that column of the row and one mark is the cell.
 *
 * - `*`: the cell as it is.
 * - `{* with - for spaces}`: addresses repeat titles with hyphens, and models pay less for words between spaces.
 * - `{* as YYYYMMDD}`, `{* as YYYYMMDDThhmmss}`: the basic form of ISO 8601, for about half of the tokens.
 */

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

const isKey = (column: string): boolean => isId(column) || /(?:^|[._])(?:id|domain)$/u.test(column)

const minShared = 5

export const of = (column: Column, others: ReadonlyArray<Column>): Template | undefined => {
  const same = sameText(column, others)
  if (same !== undefined) return same
  if (!column.cells.every((text) => text === "" || isTemplatable(text))) return undefined
  const shared = sharedParts(column, others)
  return shortTimes(column.cells, shared) ?? (shared === undefined ? undefined : withSpaces(shared))
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

const sharedParts = ({ cells, name }: Column, others: ReadonlyArray<Column>): Template | undefined => {
  const isIn = (key: Column, row: number) => withKey(cells[row] ?? "", key.cells[row] ?? "", "") !== cells[row]
  // Where two keys of a row are equal, the one that more rows have is meant; where one contains another, the longer.
  const keys = others
    .filter((other) => other.name !== name && isKey(other.name))
    .map((key) => ({
      ...key,
      rows: cells.filter((_, row) => isIn(key, row)).length,
      length: key.cells.reduce((sum, cell) => sum + cell.length, 0)
    }))
    .toSorted((one, other) => other.rows - one.rows || other.length - one.length)
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
    : (/(?<![\p{L}\p{N}])[^\p{L}\p{N}].*$/su.exec(tail)?.[0] ?? "")
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

const time = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(\.\d+)?Z)?$/u

/** Times without separators, and dates of which not even the year is shared. */
const shortTimes = (cells: ReadonlyArray<string>, shared: Template | undefined): Template | undefined => {
  const parts = cells.map((text) => (text === "" ? undefined : time.exec(text)))
  const first = parts.find((found) => found !== undefined)
  if (first === null || first === undefined) return undefined
  const isTime = first[4] !== undefined
  // What follows the seconds is the same in all rows.
  const ending = isTime ? `${first[7] ?? ""}Z` : ""
  const isAlike = parts.every(
    (found) =>
      found === undefined || (found !== null && found[0].endsWith(ending) && (found[4] !== undefined) === isTime)
  )
  if (!isAlike || (!isTime && shared !== undefined)) return undefined
  return {
    pattern: isTime ? `{* as YYYYMMDDThhmmss}${ending}` : "{* as YYYYMMDD}",
    cells: cells.map((text) => text.slice(0, text.length - ending.length).replaceAll(/[-:]/gu, ""))
  }
}

/** Fewer hyphens are not worth the words of the mark. */
const minHyphens = 12
/** Other hyphens stay, so that no space begins or ends a cell or follows another. */
const hyphen = /(?<=[A-Za-z0-9])-(?=[A-Za-z0-9])/gu

const withSpaces = ({ cells, pattern }: Template): Template => {
  const isWhole = (cell: string) => /^https?:\/\//u.test(cell)
  const hyphens = cells?.reduce((count, cell) => count + (isWhole(cell) ? 0 : (cell.match(hyphen)?.length ?? 0)), 0)
  if (cells === undefined || !pattern.includes("*") || hyphens === undefined || hyphens < minHyphens) {
    return { cells, pattern }
  }
  return {
    pattern: pattern.replace("*", "{* with - for spaces}"),
    cells: cells.map((cell) => (isWhole(cell) ? cell : cell.replaceAll(hyphen, " ")))
  }
}
