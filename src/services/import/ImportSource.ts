/** What readers produce and the importer takes: chunks of records with their positions in the input. */
import type { AdRecord, NativeRecord } from "../../domain/catalog/Records.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"

/**
 * An ad of a public library or of a table, which was seen on the date of the data. If it names no store, its store is looked up
 * when the ad is written.
 */
export interface LibraryAd {
  readonly type: "library_ad"
  readonly ad: AdRecord
  /** The id of the page that runs the ad. */
  readonly page_id: string | null
  /** The address that the ad displays, such as `oakline.example.com`, in case its landing page is unknown. */
  readonly caption: string | null
}

/** A niche of a taxonomy, with its path from the root. Its id is assigned when it is written. */
export interface TaxonomyNiche {
  readonly type: "taxonomy_niche"
  /** Its id in the taxonomy. */
  readonly key: string
  readonly path: ReadonlyArray<string>
}

export interface ImportRow {
  /** Line number, counted from 1; the position of the item in a file that is one JSON document. */
  readonly line: number
  readonly record: NativeRecord | LibraryAd | TaxonomyNiche
  /**
   * The category of a product in its source. The niche of the store may be derived from it. Absent for native records, in which a
   * field without a value is unknown; other formats may only lack it.
   */
  readonly category?: string | null | undefined
  /** The name of the file that the record was read from. */
  readonly file?: string
  /** Which of the items of a line the record was read from, if it has several. */
  readonly item?: number | undefined
  /** How many rows of the file make the record; by default 1. 0 if another record is of the same row, or if none is. */
  readonly sourceRows?: number | undefined
  /** Whether the record is one that was read before, with further rows. */
  readonly isAgain?: boolean | undefined
  /** The currencies that the amount of a product may be in, if it names one. */
  readonly currencies?: ReadonlyArray<string> | undefined
}

/** One error in one record. `field` is a path such as `languages.0`; "" means the whole record. */
export interface Reject {
  readonly line: number
  readonly field: string
  readonly reason: string
  readonly file?: string
  readonly item?: number | undefined
  readonly sourceRows?: number | undefined
  /** Whether the file was read only up to this line. */
  readonly isStop?: boolean
}

/** An error in a row that was read, with its place in the input. */
export const rejectOf = (
  { file, item, line, sourceRows }: ImportRow,
  reject: Pick<Reject, "field" | "reason">
): Reject => ({ line, ...(file === undefined ? {} : { file }), item, sourceRows, ...reject })

/** A rejected product or ad, which still exists at its source. */
export interface KeptRecord {
  /** The domain of the product's store; `null` for an ad. */
  readonly shop: string | null
  /** Its key, or the alias of a product. */
  readonly key: string
}

/** Why an item is left out on purpose, in the words of the summary. */
export const leftOutReasons = {
  notOnSale: "drafts and archived products",
  hidden: "products that the store does not show",
  closedStore: "stores that are inactive or behind a password",
  otherObject: "lines of a bulk operation that are of no product, variant or image",
  notStarted: "ads that start after the date of the data",
  otherList: "items of lists without the columns of the map",
  empty: "rows without a value to import"
} as const
export type LeftOut = keyof typeof leftOutReasons

/** What is read from one or more records of a file, the same for all formats. */
export interface Reading {
  readonly rows: ReadonlyArray<ImportRow>
  readonly rejects: ReadonlyArray<Reject>
  /** Why items were left out on purpose; one for each item. */
  readonly leftOut?: ReadonlyArray<LeftOut>
  /** How many amounts were left out because they are not known to be in the store's currency. */
  readonly otherCurrencies?: number
  /** How many ads are from `ads_archive`, which has no call to action, landing page, image and media type. */
  readonly archiveAds?: number
  /** The paths of optional values that are not valid, and are unknown or cut in the record; one for each value. */
  readonly invalidFields?: ReadonlyArray<string>
  readonly kept?: ReadonlyArray<KeptRecord>
  /** Whether there may be products or ads that were not read and are not in `kept`: none of the file is known to be gone. */
  readonly lacksRecords?: boolean
}

/** A reading with its place in the input, as the importer takes it. */
export interface ImportChunk extends Reading {
  /** The name of the file, and what its rows are counted for: its store, or the file itself. */
  readonly file?: string
  readonly part?: string
  /** The position in the whole input, in the unit of its total; for the progress bar. */
  readonly position: number
}

const maxRejectsOfARecord = 10

export const rejects = (line: number, issues: ReadonlyArray<ArgumentIssue>): ReadonlyArray<Reject> =>
  issues.slice(0, maxRejectsOfARecord).map((issue) => ({ line, field: issue.path, reason: englishOf(issue) }))
