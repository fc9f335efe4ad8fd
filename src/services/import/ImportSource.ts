/** What every reader produces and the importer takes: records with the place that they came from, in pieces. */
import type { AdRecord, NativeRecord } from "../../domain/catalog/Records.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"

/** An ad of a public library, which does not say whose store it is for: that is found out when it is written. */
export interface LibraryAd {
  readonly type: "library_ad"
  readonly ad: AdRecord
  /** Of the page that runs it. */
  readonly page_id: string | null
  /** What the ad shows as its address, such as `oakline.example.com`; where it does not tell where it leads. */
  readonly caption: string | null
}

/** A niche of a taxonomy, by its path from the top: its id is given when it is written. */
export interface TaxonomyNiche {
  readonly type: "taxonomy_niche"
  /** Its id in the taxonomy. */
  readonly key: string
  readonly path: ReadonlyArray<string>
}

export interface ImportRow {
  /** Counted from 1; of a file that is one JSON document, the position of the item. */
  readonly line: number
  readonly record: NativeRecord | LibraryAd | TaxonomyNiche
  /** Of a product: what its source calls the kind of thing that it is. The niche of its store may follow from it. */
  readonly category?: string | null
  /** The name of the file, where there are several. */
  readonly file?: string
}

/** One thing that is wrong with one record. `field` is dotted, such as `languages.0`; "" is the whole record. */
export interface Reject {
  readonly line: number
  readonly field: string
  readonly reason: string
  readonly file?: string
}

export interface ImportChunk {
  readonly rows: ReadonlyArray<ImportRow>
  readonly rejects: ReadonlyArray<Reject>
  /** Items left out on purpose, such as unavailable products. */
  readonly skipped: number
  /** Amounts left out of records, because they are in another currency than the store's. */
  readonly otherCurrencies?: number
  /** Keys of products that are there, but were rejected: they are not gone. */
  readonly kept?: ReadonlyArray<string>
  /** How far in the whole input this is, in whatever unit its total is told; for the progress. */
  readonly position: number
}

const maxRejectsOfARecord = 10

export const rejects = (line: number, issues: ReadonlyArray<ArgumentIssue>): ReadonlyArray<Reject> =>
  issues.slice(0, maxRejectsOfARecord).map((issue) => ({ line, field: issue.path, reason: englishOf(issue) }))
