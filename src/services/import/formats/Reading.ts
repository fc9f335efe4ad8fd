/** What every format makes of the records of its files. */
import type { ImportRow, Reject } from "../ImportSource.ts"

/** What a format makes of one record of its file. */
export interface Reading {
  readonly rows: ReadonlyArray<ImportRow>
  readonly rejects: ReadonlyArray<Reject>
  /** Items left out on purpose, such as products that are not on sale. */
  readonly skipped: number
  /** Keys of products that are there, but were rejected: they are not gone. */
  readonly kept?: ReadonlyArray<string>
}

export const nothing: Reading = { rows: [], rejects: [], skipped: 0 }

/** Makes records of the rows of a table. */
export type Table = (cells: ReadonlyArray<string>, line: number) => Reading
