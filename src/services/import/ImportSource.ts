/** The records that readers give to the importer, in chunks, with their position in the input. */
import type { CatalogRecord } from "../../domain/catalog/Records.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"

/**
 * A store as its storefront describes it. Unlike a `shop` record, it does not overwrite columns that it does not know.
 */
export interface StorefrontShop {
  readonly type: "storefront_shop"
  readonly domain: string
  readonly name: string
  readonly country: string
  readonly currency: string | null
  readonly products_count: number | null
}

export interface ImportRow {
  /** Counted from 1; of a file that is one JSON document, the position of the item. */
  readonly line: number
  readonly record: CatalogRecord | StorefrontShop
}

/** One thing that is wrong with one record. `field` is dotted, such as `languages.0`; "" is the whole record. */
export interface Reject {
  readonly line: number
  readonly field: string
  readonly reason: string
}

export interface ImportChunk {
  readonly rows: ReadonlyArray<ImportRow>
  readonly rejects: ReadonlyArray<Reject>
  /** Items left out on purpose, such as unavailable products. */
  readonly skipped: number
  /** The position in the input, in the unit of its total size; for the progress. */
  readonly position: number
}

const maxRejectsOfARecord = 10

export const rejects = (line: number, issues: ReadonlyArray<ArgumentIssue>): ReadonlyArray<Reject> =>
  issues.slice(0, maxRejectsOfARecord).map((issue) => ({ line, field: issue.path, reason: englishOf(issue) }))
