/** What every reader produces and the importer takes: records with the place that they came from, in pieces. */
import type { CatalogRecord } from "../../domain/catalog/Records.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../domain/ArgumentIssue.ts"

/**
 * What a storefront tells of itself. Unlike a `shop` record it leaves alone what it does not know, such as the figures
 * that came from elsewhere.
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
  /** Items left out on purpose, such as products that are not on sale. */
  readonly skipped: number
  /** How far in the whole input this is, in whatever unit its total is told; for the progress. */
  readonly position: number
}

/** More say nothing new about one record. */
const maxRejectsOfARecord = 10

export const rejects = (line: number, issues: ReadonlyArray<ArgumentIssue>): ReadonlyArray<Reject> =>
  issues.slice(0, maxRejectsOfARecord).map((issue) => ({ line, field: issue.path, reason: englishOf(issue) }))
