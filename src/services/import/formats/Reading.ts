/** The result of reading records, which is the same for all formats. */
import { Result } from "effect"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import type { ProductRecord } from "../../../domain/catalog/Records.ts"
import { rejects } from "../ImportSource.ts"
import type { ImportRow, Reject } from "../ImportSource.ts"

/** What is read from one or more records of a file. */
export interface Reading {
  readonly rows: ReadonlyArray<ImportRow>
  readonly rejects: ReadonlyArray<Reject>
  /** Items left out on purpose, such as products that are not on sale. */
  readonly skipped: number
  /** How many amounts were left out because they are not in the store's currency. */
  readonly otherCurrencies?: number
  /** Keys of rejected products, which must not be removed: they still exist at the source. */
  readonly kept?: ReadonlyArray<string>
}

export const nothing: Reading = { rows: [], rejects: [], skipped: 0 }

export const refused = (line: number, issues: ReadonlyArray<ArgumentIssue>): Reading => ({
  ...nothing,
  rejects: rejects(line, issues)
})

/** A decoded record, or what is wrong with it. */
export const decoded = (
  line: number,
  result: Result.Result<ImportRow["record"], ReadonlyArray<ArgumentIssue>>
): Reading =>
  Result.isSuccess(result) ? { ...nothing, rows: [{ line, record: result.success }] } : refused(line, result.failure)

/** A product; `null` is one that is not on sale. `keys` identify the product if it is rejected. */
export const ofProduct = (
  line: number,
  result: Result.Result<ProductRecord | null, ReadonlyArray<ArgumentIssue>>,
  { category, keys }: { readonly category: string | null; readonly keys: ReadonlyArray<string> }
): Reading =>
  Result.match(result, {
    onSuccess: (record) =>
      record === null ? { ...nothing, skipped: 1 } : { ...nothing, rows: [{ line, record, category }] },
    onFailure: (issues) => ({ ...refused(line, issues), kept: keys })
  })

/** One pass: a file may have millions of readings, and most have one row and nothing else. */
export const join = (readings: Iterable<Reading>): Reading => {
  const rows: Array<ImportRow> = []
  const rejects: Array<Reject> = []
  const kept: Array<string> = []
  let skipped = 0
  let otherCurrencies = 0
  for (const reading of readings) {
    for (const row of reading.rows) rows.push(row)
    for (const reject of reading.rejects) rejects.push(reject)
    if (reading.kept !== undefined) kept.push(...reading.kept)
    skipped += reading.skipped
    otherCurrencies += reading.otherCurrencies ?? 0
  }
  return { rows, rejects, kept, skipped, otherCurrencies }
}

/** Converts the rows of a table. */
export type Table = (cells: ReadonlyArray<string>, line: number) => Reading
