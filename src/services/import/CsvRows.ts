/** Splits bytes into the rows of a CSV file. Buffers at most one row, whose length is limited. */
import { Parser } from "csv-parse"
import { parse as parseAll } from "csv-parse/sync"
import { isUtf8 } from "node:buffer"

export interface CsvRow {
  /** The number of the line on which the row ends, counted from 1. */
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** Enough for descriptions of 200,000 characters in a row of many values. */
const maxRowCharacters = 4_194_304

const options = (delimiter: string) => ({
  bom: true,
  delimiter,
  max_record_size: maxRowCharacters,
  relax_column_count: true,
  // A quotation mark within an unquoted value is part of the value.
  relax_quotes: true,
  skip_empty_lines: true
})

const delimiters = [",", ";", "\t", "|"]

/** The delimiter that occurs most often in the first line, outside quotation marks. */
export const delimiterOf = (head: string): string => {
  const first = /^\uFEFF?[^\r\n]*/u.exec(head)?.[0] ?? ""
  const bare = first.replaceAll(/"[^"]*"/gu, "")
  const count = (sign: string) => bare.split(sign).length
  return delimiters.reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

/** Parses the first row from the beginning of a file. Empty if the file is not CSV. */
export const headerOf = (head: string, delimiter: string): ReadonlyArray<string> => {
  try {
    const [first] = parseAll(head, { ...options(delimiter), to: 1 })
    return first ?? []
  } catch {
    return []
  }
}

/** Keeps the rows instead of the stream's buffer, from which the line of each could only be had by a copy of all facts about it. */
class RowParser extends Parser {
  #rows: Array<CsvRow> = []

  override push(cells: ReadonlyArray<string> | null): boolean {
    if (cells === null) return super.push(null)
    this.#rows.push({ line: this.info.lines, cells })
    return true
  }

  takeRows(): ReadonlyArray<CsvRow> {
    const rows = this.#rows
    this.#rows = []
    return rows
  }
}

/** Ends no row. The parser keeps back its last characters, and returns the rows before these only when more follow. */
const filler = Buffer.from("-".repeat(16))

/** The length of a character at the end whose last bytes are missing, else 0. */
const unfinishedBytes = (bytes: Uint8Array): number => {
  for (let length = 1; length <= 3; length++) {
    const byte = bytes.at(-length) ?? 0
    // The bytes of a character after its first one begin with the bits 10.
    if (byte >= 0x80 && byte < 0xc0) continue
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return wanted > length ? length : 0
  }
  return 0
}

/** The bytes without a character at the end whose last bytes are missing. */
const characters = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length - unfinishedBytes(bytes))

/** The characters before the first byte that is not UTF-8. */
const charactersBefore = (bytes: Uint8Array): Uint8Array => {
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2)
    if (isUtf8(characters(bytes.subarray(0, middle)))) valid = middle
    else invalid = middle
  }
  return characters(bytes.subarray(0, valid))
}

export class CsvRows {
  readonly #parser: RowParser
  /** The first bytes of a character that ends in the next chunk. */
  #begun: Uint8Array = new Uint8Array()
  #problem: string | undefined

  constructor(delimiter: string) {
    this.#parser = new RowParser(options(delimiter))
    this.#parser.on("error", (error) => this.#failed(error))
  }

  /** Why the rest of the input cannot be parsed, if it cannot. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Returns the rows that end in these bytes. */
  push(bytes: Uint8Array): ReadonlyArray<CsvRow> {
    if (this.#problem !== undefined) return []
    const all = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes])
    const whole = characters(all)
    this.#begun = Uint8Array.from(all.subarray(whole.length))
    // The parser itself would replace bytes that are not UTF-8.
    return isUtf8(whole)
      ? this.#parse(whole)
      : this.#breakOff(charactersBefore(whole), "is not UTF-8 text; save the table as UTF-8")
  }

  /** Returns the remaining rows at the end of the input. */
  async end(): Promise<ReadonlyArray<CsvRow>> {
    if (this.#problem !== undefined) return []
    if (this.#begun.length > 0) {
      return this.#breakOff(new Uint8Array(), "is not UTF-8 text, or the input ends in the middle of this row")
    }
    await new Promise<void>((resolve) => {
      // After the end or an error, once the stream is read.
      this.#parser.once("close", resolve)
      this.#parser.resume()
      this.#parser.end()
    })
    return this.#parser.takeRows()
  }

  #parse(bytes: Uint8Array): ReadonlyArray<CsvRow> {
    this.#parser.write(bytes)
    if (this.#parser.errored !== null) this.#failed(this.#parser.errored)
    return this.#parser.takeRows()
  }

  /** Returns the rows that end in these bytes, which are the last ones. */
  #breakOff(bytes: Uint8Array, problem: string): ReadonlyArray<CsvRow> {
    const rows = this.#parse(Buffer.concat([bytes, filler]))
    this.#problem ??= problem
    return rows
  }

  #failed(error: Error): void {
    const line = this.#parser.info.lines
    this.#problem ??=
      "code" in error && error.code === "CSV_QUOTE_NOT_CLOSED"
        ? `the input ends in the middle of this row, or a quotation mark in line ${line} has no second one`
        : "code" in error && error.code === "CSV_MAX_RECORD_SIZE"
          ? `is longer than ${maxRowCharacters} characters; a quotation mark before line ${line} may have no second one`
          : `is no CSV (${error.message.slice(0, 200)})`
  }
}
