/** Splits bytes into the rows of a table. Buffers at most one row, whose length is limited. */
import { Parser } from "csv-parse"
import { parse as parseAll } from "csv-parse/sync"
import { isUtf8 } from "node:buffer"

/** How a table is written, which its beginning shows. */
export interface Layout {
  readonly delimiter: string
  /** The names of the columns, without blanks around them: the first row with a value. Empty if the text is no table. */
  readonly header: ReadonlyArray<string>
  /** Whether CR alone ends a row, as it ends the header. Otherwise it is part of a value. CRLF and LF always end a row. */
  readonly endsAtReturn: boolean
  /** The line on which the header ends. Before it are lines without a value, comments, or one such as `sep=;` that names the delimiter. */
  readonly headerLine: number
}

export interface CsvRow {
  /** The number of the line on which the row ends, counted from 1. */
  readonly line: number
  /** One that is not UTF-8 is empty. */
  readonly cells: ReadonlyArray<string>
  /** Whether a cell is not UTF-8. */
  readonly isUnreadable: boolean
}

/** Enough for descriptions of 200,000 characters in a row of many values. */
const maxRowBytes = 4_194_304

const options = {
  max_record_size: maxRowBytes,
  relax_column_count: true,
  // A quotation mark within an unquoted value is part of the value.
  relax_quotes: true
}

const delimiters = [",", ";", "\t", "|"]

/** Lines without a value: blanks, delimiters, signs that are not shown, such as the one that ends a text in DOS, and empty quoted values. */
const blankLines = /^(?:(?:(?![\r\n])[\s\p{Cc}\p{Cf},;|]|"")*(?:\r\n?|\n))*\uFEFF?/u
const delimiterLine = /^"?sep=([!#-/:-@[-`{-~\t ])([^\r\n]*)(?:\r\n?|\n)/iu

/** The line such as `sep=;` with which a text begins, and its delimiter. It may be quoted, and filled up with delimiters. */
const delimiterLineOf = (text: string): { readonly line: string; readonly delimiter: string } | undefined => {
  const [line, delimiter = "", rest = ""] = delimiterLine.exec(text) ?? []
  return line !== undefined && /^"?\s*$/u.test(rest.replaceAll(delimiter, "")) ? { line, delimiter } : undefined
}

/** Where the first row of a text ends, and the delimiter that occurs most often in it. Both are outside quotation marks. */
const firstRow = (text: string): { readonly end: number; readonly delimiter: string } => {
  const counts = new Map(delimiters.map((sign) => [sign, 0]))
  let isQuoted = false
  let before = ","
  let end = 0
  for (; end < text.length; end++) {
    const sign = text.charAt(end)
    const count = counts.get(sign)
    if (sign === '"') isQuoted = !isQuoted && (before === '"' || counts.has(before))
    else if (!isQuoted && (sign === "\n" || sign === "\r")) break
    else if (!isQuoted && count !== undefined) counts.set(sign, count + 1)
    before = sign
  }
  const countOf = (sign: string) => counts.get(sign) ?? 0
  return { end, delimiter: delimiters.reduce((best, sign) => (countOf(sign) > countOf(best) ? sign : best)) }
}

const maxComments = 100

/** Whether each value of a row begins with `#`, such as those above the header in the templates of catalogs. */
const isComment = (row: string, delimiter: string): boolean => {
  const cells = cellsOf(row, delimiter).filter((cell) => cell.trim() !== "")
  return cells.length > 0 && cells.every((cell) => /^\s*#./u.test(cell))
}

/** `head`: the beginning of a file, with its first row. */
export const layoutOf = (head: string): Layout => {
  const text = head.replace(blankLines, "")
  const named = delimiterLineOf(text)
  let table = named === undefined ? text : text.slice(named.line.length).replace(blankLines, "")
  let { delimiter: counted, end } = firstRow(table)
  for (
    let comments = 0;
    comments < maxComments && isComment(table.slice(0, end), named?.delimiter ?? counted);
    comments++
  ) {
    table = table.slice(end).replace(blankLines, "")
    ;({ delimiter: counted, end } = firstRow(table))
  }
  const delimiter = named?.delimiter ?? counted
  const next = table.charAt(end + 1)
  const endsAtReturn = table.charAt(end) === "\r" && next !== "\n" && next !== ""
  return {
    delimiter,
    header: cellsOf(table.slice(0, end), delimiter).map((name) => name.trim()),
    endsAtReturn,
    headerLine: 1 + linesIn(head.slice(0, head.length - table.length + end), endsAtReturn)
  }
}

/** Empty if the text is no row. */
const cellsOf = (row: string, delimiter: string): ReadonlyArray<string> => {
  try {
    const [cells] = parseAll(row, { ...options, delimiter, record_delimiter: "\n" })
    return cells ?? []
  } catch {
    return []
  }
}

const other = /[^\0-\x7F]/u

/** Text of bytes that the parser returns one as a character. `undefined` if they are not UTF-8. */
const decoded = (bytes: string): string | undefined => {
  if (!other.test(bytes)) return bytes
  const buffer = Buffer.from(bytes, "latin1")
  return isUtf8(buffer) ? buffer.toString("utf8") : undefined
}

/** Anything but blanks and signs that are not shown. */
const value = /[^\s\p{Cc}\p{Cf}]/u

const linesIn = (text: string, endsAtReturn: boolean): number => {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return endsAtReturn ? lines + (text.match(/\r(?!\n)/gu)?.length ?? 0) : lines
}

/** Keeps the rows instead of the stream's buffer. A row without a value is none. */
class RowParser extends Parser {
  readonly #endsAtReturn: boolean
  #rows: Array<CsvRow> = []
  /** The number of lines of all rows until now, and of those before the last one. */
  lines = 0
  linesBefore = 0
  isLastBlank = false

  constructor({ delimiter, endsAtReturn }: Layout) {
    super({
      ...options,
      delimiter,
      // Each byte is returned as a character, so that one row with bytes that are not UTF-8 does not end the table.
      encoding: "latin1",
      // Without a list, the parser would take the first end of line for that of all rows.
      record_delimiter: endsAtReturn ? ["\r\n", "\n", "\r"] : ["\r\n", "\n"]
    })
    this.#endsAtReturn = endsAtReturn
  }

  override push(cells: ReadonlyArray<string> | null): boolean {
    if (cells === null) return super.push(null)
    let isUnreadable = false
    let isBlank = true
    this.linesBefore = this.lines++
    const texts = cells.map((bytes) => {
      if (bytes === "") return ""
      this.lines += linesIn(bytes, this.#endsAtReturn)
      const text = decoded(bytes)
      isUnreadable ||= text === undefined
      isBlank &&= text !== undefined && !value.test(text)
      return text ?? ""
    })
    this.isLastBlank = isBlank
    if (!isBlank) this.#rows.push({ line: this.lines, cells: texts, isUnreadable })
    return true
  }

  takeRows(): ReadonlyArray<CsvRow> {
    const rows = this.#rows
    this.#rows = []
    return rows
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from("\uFEFF")

/** Whether the last bytes begin a character that they do not end. */
const endsInCharacter = (bytes: Uint8Array): boolean => {
  for (let length = 1; length <= 3; length++) {
    const byte = bytes.at(-length) ?? 0
    // The bytes of a character after its first one begin with the bits 10.
    if (byte >= 0x80 && byte < 0xc0) continue
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return wanted > length
  }
  return false
}

/** Without the sign that ends a text in DOS, because of which the parser takes quotation marks for a part of the value. */
const withoutEndOfText = (cell: string): string => {
  let end = cell.length
  while (cell.charAt(end - 1) === "\u001A") end--
  const text = cell.slice(0, end)
  return end < cell.length && text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
}

/** Why the rest of a table cannot be read, and the line on which that begins. */
interface Problem {
  readonly line: number
  readonly reason: string
}

/** Returns the rows after the header, and the header only if it is unreadable. */
export class CsvRows {
  readonly #parser: RowParser
  readonly #columns: number
  readonly #headerLine: number
  /** The first bytes, until they show whether they are a byte order mark. */
  #first: Uint8Array | undefined = new Uint8Array()
  /** The last bytes: enough for a character. */
  #last: Uint8Array = new Uint8Array()
  #problem: Problem | undefined

  constructor(layout: Layout) {
    this.#parser = new RowParser(layout)
    this.#columns = layout.header.length
    this.#headerLine = layout.headerLine
    this.#parser.on("error", (error) => this.#failed(error))
  }

  get problem(): Problem | undefined {
    return this.#problem
  }

  /** How many lines all rows until now have. */
  get lines(): number {
    return this.#parser.lines
  }

  /** Returns the rows that end in these bytes. */
  push(bytes: Uint8Array): ReadonlyArray<CsvRow> {
    if (this.#problem !== undefined || bytes.length === 0) return []
    this.#last = bytes.length >= 3 ? bytes.subarray(-3) : Buffer.concat([this.#last, bytes]).subarray(-3)
    if (this.#first === undefined) return this.#parse(bytes)
    const first = Buffer.concat([this.#first, bytes])
    this.#first = first
    if (first.length < byteOrderMark.length && byteOrderMark.subarray(0, first.length).equals(first)) return []
    return this.#begin(first)
  }

  /** Returns the remaining rows at the end of the input. */
  async end(): Promise<ReadonlyArray<CsvRow>> {
    if (this.#problem !== undefined) return []
    const begun = this.#first === undefined ? [] : this.#begin(this.#first)
    const final = this.#last.at(-1)
    // The second half of an end of line may be missing.
    const more = final === carriageReturn ? this.#parse(Buffer.from("\n")) : []
    await new Promise<void>((resolve) => {
      // After the end or an error, once the stream is read.
      this.#parser.once("close", resolve)
      this.#parser.resume()
      this.#parser.end()
    })
    const left = [...begun, ...more, ...this.#take()]
    const row = left.at(-1)
    const isEnded = final === lineFeed || final === carriageReturn || this.#parser.isLastBlank
    if (isEnded || row === undefined || this.#problem !== undefined) return left
    const before = left.slice(0, -1)
    const isCutCharacter = row.isUnreadable && endsInCharacter(this.#last)
    if (isCutCharacter || row.cells.length < this.#columns) {
      const reason = isCutCharacter ? "is not UTF-8 text, or the input ends" : "the input ends"
      this.#problem = { line: this.#parser.linesBefore + 1, reason: `${reason} in the middle of this row` }
      return before
    }
    return [...before, { ...row, cells: [...row.cells.slice(0, -1), withoutEndOfText(row.cells.at(-1) ?? "")] }]
  }

  #begin(first: Uint8Array): ReadonlyArray<CsvRow> {
    this.#first = undefined
    const hasMark = byteOrderMark.equals(first.subarray(0, byteOrderMark.length))
    return this.#parse(hasMark ? first.subarray(byteOrderMark.length) : first)
  }

  #parse(bytes: Uint8Array): ReadonlyArray<CsvRow> {
    this.#parser.write(bytes)
    if (this.#parser.errored !== null) this.#failed(this.#parser.errored)
    return this.#take()
  }

  #take(): ReadonlyArray<CsvRow> {
    const rows = this.#parser.takeRows()
    return (rows[0]?.line ?? Infinity) > this.#headerLine
      ? rows
      : rows.filter(({ isUnreadable, line }) => isUnreadable || line > this.#headerLine)
  }

  #failed(error: Error): void {
    const line = this.lines + 1
    const reason =
      "code" in error && error.code === "CSV_QUOTE_NOT_CLOSED"
        ? `the input ends in the middle of this row, or a quotation mark in line ${line} has no second one`
        : "code" in error && error.code === "CSV_MAX_RECORD_SIZE"
          ? `is longer than ${maxRowBytes} bytes; a quotation mark in line ${line} or a later one may have no second one`
          : `is no CSV (${error.message.slice(0, 200)})`
    this.#problem ??= { line, reason }
  }
}
