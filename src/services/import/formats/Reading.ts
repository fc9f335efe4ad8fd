/** The result of reading records, which is the same for all formats. */
import { Result } from "effect"
import type { ArgumentIssue } from "../../../domain/ArgumentIssue.ts"
import type * as LenientDecoder from "../../../domain/catalog/LenientDecoder.ts"
import * as RecordDecoder from "../../../domain/catalog/RecordDecoder.ts"
import { inFormC } from "../../../domain/catalog/RecordFields.ts"
import { ProductRecord } from "../../../domain/catalog/Records.ts"
import { rejects } from "../ImportSource.ts"
import type { ImportRow, KeptRecord, LeftOut, Reading, Reject } from "../ImportSource.ts"
import type { Foreign } from "./Foreign.ts"

export const nothing: Reading = { rows: [], rejects: [] }

export const refused = (line: number, issues: ReadonlyArray<ArgumentIssue>): Reading => ({
  ...nothing,
  rejects: rejects(line, issues)
})

/** A decoded record, or what is wrong with it. */
export const decoded = (
  line: number,
  result: Result.Result<LenientDecoder.Corrected<ImportRow["record"]>, ReadonlyArray<ArgumentIssue>>
): Reading =>
  Result.isSuccess(result)
    ? { ...nothing, rows: [{ line, record: result.success.record }], invalidFields: result.success.invalidFields }
    : refused(line, result.failure)

const isKey = RecordDecoder.guardOf(ProductRecord.fields.key)

/**
 * What is known of a rejected product, so that it is not removed. Without a key it may be any product of its store. A key that no
 * stored product can have is none: PostgreSQL refuses U+0000.
 */
export const keptProduct = (
  shop: string,
  keys: ReadonlyArray<string | null>
): Pick<Reading, "kept" | "lacksRecords"> => {
  const kept = keys.flatMap((key) => (isKey(key) ? [{ shop, key: inFormC(key) }] : []))
  return kept.length === 0 ? { lacksRecords: true } : { kept }
}

const decodeShop = RecordDecoder.make(ProductRecord.fields.shop)

/** {@link keptProduct} of a product of the native format that was rejected. */
export const keptOfRecord = (input: Foreign): Pick<Reading, "kept" | "lacksRecords"> => {
  const shop = decodeShop(input["shop"])
  const { alias, key } = input
  // The alias alone is not enough: the stored product may not have it.
  return Result.isSuccess(shop) && isKey(key)
    ? keptProduct(shop.success, [key, typeof alias === "string" ? alias : null])
    : { lacksRecords: true }
}

/** What is known of a rejected ad, so that it does not become inactive. One without a key cannot be compared with stored ads. */
export const keptAd = (key: unknown): Pick<Reading, "kept"> => (isKey(key) ? { kept: [{ shop: null, key }] } : {})

/** A product, or why it is left out. `shop` and `keys` identify the product if it is rejected. */
export const ofProduct = (
  line: number,
  result: Result.Result<LenientDecoder.Corrected<ProductRecord> | LeftOut, ReadonlyArray<ArgumentIssue>>,
  {
    category,
    keys,
    shop,
    sourceRows = 1,
    currencies
  }: {
    readonly category: string | null
    readonly keys: ReadonlyArray<string>
    readonly shop: string
    readonly sourceRows?: number
    /** That the amounts may be in, if they name one. */
    readonly currencies?: ReadonlyArray<string> | undefined
  }
): Reading =>
  Result.match(result, {
    onSuccess: (corrected) =>
      typeof corrected === "string"
        ? { ...nothing, leftOut: Array.from({ length: sourceRows }, () => corrected) }
        : {
            ...nothing,
            rows: [{ line, record: corrected.record, category, sourceRows, currencies }],
            invalidFields: corrected.invalidFields
          },
    onFailure: (issues) => ({
      ...nothing,
      rejects: rejects(line, issues).map((reject) => ({ ...reject, sourceRows })),
      // As they are stored.
      ...keptProduct(
        shop,
        keys.map((key) => key.trim())
      )
    })
  })

/** What was read from another file than the one that is being read. What names its file already keeps that. */
export const ofFile = (reading: Reading, file: string): Reading => ({
  ...reading,
  rows: reading.rows.map((row) => ({ file, ...row })),
  rejects: reading.rejects.map((reject) => ({ file, ...reject }))
})

/** What was read from the items of one line. */
export const ofItems = (readings: ReadonlyArray<Reading>): Reading =>
  join(
    readings.length < 2
      ? readings
      : readings.map((reading, item) => ({
          ...reading,
          rows: reading.rows.map((row) => ({ ...row, item })),
          rejects: reading.rejects.map((reject) => ({ ...reject, item }))
        }))
  )

/** One pass: a file may have millions of readings, and most have one row and nothing else. */
export const join = (readings: Iterable<Reading>): Reading => {
  const rows: Array<ImportRow> = []
  const rejects: Array<Reject> = []
  const kept: Array<KeptRecord> = []
  let lacksRecords = false
  const leftOut: Array<LeftOut> = []
  let otherCurrencies = 0
  let archiveAds = 0
  const invalidFields: Array<string> = []
  for (const reading of readings) {
    for (const row of reading.rows) rows.push(row)
    for (const reject of reading.rejects) rejects.push(reject)
    // As arguments of one call, those of a large page would exhaust the stack.
    for (const one of reading.kept ?? []) kept.push(one)
    lacksRecords ||= reading.lacksRecords === true
    for (const one of reading.leftOut ?? []) leftOut.push(one)
    otherCurrencies += reading.otherCurrencies ?? 0
    archiveAds += reading.archiveAds ?? 0
    for (const one of reading.invalidFields ?? []) invalidFields.push(one)
  }
  return { rows, rejects, kept, lacksRecords, leftOut, otherCurrencies, archiveAds, invalidFields }
}

/** Converts the rows of a table. */
export type Table = (cells: ReadonlyArray<string>, line: number) => Reading
