/** Cuts bytes into the rows of a CSV file. Holds one row at most, whose length is bounded. */
import { parse } from "csv-parse"
import type { Parser } from "csv-parse"
import { parse as parseAll } from "csv-parse/sync"

export interface CsvRow {
  /** Of the line on which it ends, counted from 1. */
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** A description of 200,000 characters has its place in a row of many. */
const maxRowCharacters = 4_194_304

const options = (delimiter: string) => ({
  bom: true,
  delimiter,
  max_record_size: maxRowCharacters,
  relax_column_count: true,
  // A quotation mark within a value that was not quoted is a part of it.
  relax_quotes: true,
  skip_empty_lines: true
})

const delimiters = [",", ";", "\t", "|"]

/** What parts the values: the sign that the first row has most often. */
export const delimiterOf = (head: string): string => {
  const first = /^\uFEFF?[^\r\n]*/u.exec(head)?.[0] ?? ""
  const bare = first.replaceAll(/"[^"]*"/gu, "")
  const count = (sign: string) => bare.split(sign).length
  return delimiters.reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}

/** The first row of a file, for which its beginning is enough; none where it is no CSV. */
export const headerOf = (head: string, delimiter: string): ReadonlyArray<string> => {
  try {
    const [first] = parseAll(head, { ...options(delimiter), to: 1 })
    return first ?? []
  } catch {
    return []
  }
}

export class CsvRows {
  readonly #parser: Parser
  #problem: string | undefined

  constructor(delimiter: string) {
    this.#parser = parse({ ...options(delimiter), info: true })
    this.#parser.on("error", (error) => this.#failed(error))
  }

  /** Why the rest of the input is no row, if it is not. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** The rows that end in these bytes. */
  push(bytes: Uint8Array): ReadonlyArray<CsvRow> {
    if (this.#problem !== undefined) return []
    this.#parser.write(bytes)
    if (this.#parser.errored !== null) this.#failed(this.#parser.errored)
    return this.#rows()
  }

  /** What is left when the input ends. */
  async end(): Promise<ReadonlyArray<CsvRow>> {
    if (this.#problem !== undefined) return []
    const rows: Array<CsvRow> = []
    await new Promise<void>((resolve) => {
      this.#parser.on("readable", () => rows.push(...this.#rows()))
      this.#parser.once("error", () => resolve())
      this.#parser.once("end", () => resolve())
      this.#parser.end()
    })
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

  #rows(): ReadonlyArray<CsvRow> {
    const rows: Array<CsvRow> = []
    for (;;) {
      const found: { readonly record: ReadonlyArray<string>; readonly info: { readonly lines: number } } | null =
        this.#parser.read()
      if (found === null) return rows
      rows.push({ line: found.info.lines, cells: found.record })
    }
  }
}
