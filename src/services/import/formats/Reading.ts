/** What every format makes of the records of its files. */
import { Result } from "effect"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import type { ProductRecord } from "../../../domain/catalog/Records.ts"
import { rejects } from "../ImportSource.ts"
import type { ImportRow, Reject } from "../ImportSource.ts"

/** What a format makes of one record of its file. */
export interface Reading {
  readonly rows: ReadonlyArray<ImportRow>
  readonly rejects: ReadonlyArray<Reject>
  /** Items left out on purpose, such as products that are not on sale. */
  readonly skipped: number
  /** Amounts left out of records, because they are in another currency than the store's. */
  readonly otherCurrencies?: number
  /** Keys of products that are there, but were rejected: they are not gone. */
  readonly kept?: ReadonlyArray<string>
}

export const nothing: Reading = { rows: [], rejects: [], skipped: 0 }

export const refused = (line: number, issues: ReadonlyArray<ArgumentIssue>): Reading => ({
  ...nothing,
  rejects: rejects(line, issues)
})

/** A record that was decoded, or what is wrong with it. */
export const decoded = (
  line: number,
  result: Result.Result<ImportRow["record"], ReadonlyArray<ArgumentIssue>>
): Reading =>
  Result.match(result, {
    onSuccess: (record) => ({ ...nothing, rows: [{ line, record }] }),
    onFailure: (issues) => refused(line, issues)
  })

/** A product; `null` is one that is not on sale. `keys`: what it is known by, also when it is rejected. */
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

export const join = (readings: ReadonlyArray<Reading>): Reading => ({
  rows: readings.flatMap(({ rows }) => rows),
  rejects: readings.flatMap(({ rejects }) => rejects),
  skipped: readings.reduce((sum, { skipped }) => sum + skipped, 0),
  otherCurrencies: readings.reduce((sum, { otherCurrencies = 0 }) => sum + otherCurrencies, 0),
  kept: readings.flatMap(({ kept = [] }) => kept)
})

/** Makes records of the rows of a table. */
export type Table = (cells: ReadonlyArray<string>, line: number) => Reading
