/** What an import has read and loaded. */
import { Effect } from "effect"
import type { LinkCounts } from "./AdLinks.ts"
import { nothingLoaded, sum } from "./LoadedBatch.ts"
import type { LoadedBatch, Tallies } from "./LoadedBatch.ts"
import { TooManyRejects } from "./ImportError.ts"
import type { UnwritableRejects } from "./ImportError.ts"
import type { ImportChunk, ImportRow, LeftOut, Reject } from "./ImportSource.ts"
import type { NicheFindings } from "./Niches.ts"
import type { RefusedRemoval } from "./Reconciliation.ts"

export interface ImportProgress {
  readonly records: number
  readonly rejected: number
  /** The position in the source. */
  readonly position: number
}

/** How many rows of tables, items of documents and lines were read, rejected and left out. Each is counted once. */
export interface RowCounts {
  readonly read: number
  readonly rejected: number
  readonly leftOut: number
}

export interface ImportReport extends RowCounts {
  /** The rows of each store that is one of a file, and of each other file. */
  readonly parts: ReadonlyMap<string, RowCounts>
  /** How many rows were left out on purpose, by reason. */
  readonly reasons: ReadonlyMap<LeftOut, number>
  /** Records that were accepted, including unchanged ones and repeated ones; those of `meta.json` and of options as well. */
  readonly accepted: number
  /** Accepted records whose key an earlier record of the import had, if it is one of the first {@link maxKeys} of them. */
  readonly repeated: number
  /** How many records were rejected, including the stores that `meta.json` and options describe. */
  readonly rejectedRecords: number
  /** The first files that were not read to their end, and the lines where they stopped. */
  readonly stops: ReadonlyArray<{ readonly file: string; readonly line: number }>
  /** How many amounts were left out because they are not in the store's currency. */
  readonly otherCurrencies: number
  /** How many ads are from `ads_archive`, which has no call to action, landing page, image and media type. */
  readonly archiveAds: number
  /** How many optional values of each field did not fit, and are unknown or cut in the record. */
  readonly invalidFields: ReadonlyMap<string, number>
  readonly tallies: Tallies
  /** How many of the accepted records remove others. */
  readonly removals: number
  /** How many of the accepted records change nothing, because newer data are known. */
  readonly older: number
  readonly links: LinkCounts
  /** Ads that became inactive because they were not seen for too long. */
  readonly expiredAds: number
  /** How many pages of the ads have running ads that only other sources have. */
  readonly pagesElsewhere: number
  /** Whether ads that were not seen stay active, because a file of ads was not read to its end. */
  readonly keepsUnseenAds: boolean
  /** Stores without a niche that got one by what they sell. */
  readonly chosenNiches: number
  readonly refusedRemovals: ReadonlyArray<RefusedRemoval>
  /** From the first record to the last commit. */
  readonly seconds: number
}

export interface ReportOptions {
  /** More rejected records than this stop the import. */
  readonly maxRejects: number
  readonly onRejects: (rejects: ReadonlyArray<Reject>) => Effect.Effect<void, UnwritableRejects>
  readonly onProgress: (progress: ImportProgress) => Effect.Effect<void>
}

/** A category from a list of stores outweighs the store's products. */
const votesOfAList = 1_000

const maxStops = 10

/** Of more records, it is not noticed that they are repeated. */
const maxKeys = 1_000_000

class Rows implements RowCounts {
  read = 0
  rejected = 0
  leftOut = 0
}

/** What identifies the record of a reject: it may be rejected for several reasons. */
const idOf = ({ file = "", item = 0, line }: Reject): string => `${line} ${item} ${file}`

/** Whether it describes the store of a file, which each of several files may do. */
const isOfFile = ({ record, sourceRows }: ImportRow): boolean => record.type === "partial_shop" && sourceRows === 0

/** What identifies a record among all of an import; `null` if it has no key of its own. */
const keyOf = (record: ImportRow["record"]): string | null => {
  switch (record.type) {
    case "product":
      return `product ${record.shop} ${record.key}`
    case "ad":
      return `ad ${record.key}`
    case "library_ad":
      return `ad ${record.ad.key}`
    case "shop":
    case "partial_shop":
      return `shop ${record.domain}`
    case "traffic_month":
      return `month ${record.shop} ${record.month}`
    case "category":
      return `category ${record.name}`
    case "niche":
      return `niche ${record.id}`
    case "taxonomy_niche":
      return `niche ${record.key}`
    case "removed":
      return null
  }
}

/** Counts what has been read and loaded, and reports it. */
export class Report implements NicheFindings {
  #accepted = 0
  #repeated = 0
  #rejectedRecords = 0
  readonly #all = new Rows()
  readonly #parts = new Map<string, Rows>()
  readonly #partOfFile = new Map<string, string>()
  readonly #keys = new Set<string>()
  readonly #stops: Array<{ readonly file: string; readonly line: number }> = []
  readonly #reasons = new Map<LeftOut, number>()
  #otherCurrencies = 0
  #archiveAds = 0
  readonly #invalidFields = new Map<string, number>()
  #position = 0
  #loaded = nothingLoaded
  readonly votes = new Map<number, Map<number, number>>()
  /** The niche that the last list of stores gives. */
  readonly #listed = new Map<number, number>()
  readonly unstated = new Set<number>()
  readonly #options: ReportOptions

  constructor(options: ReportOptions) {
    this.#options = options
  }

  withLast({ changedShops, removedProducts }: { readonly changedShops: number; readonly removedProducts: number }) {
    const { links, older, removals, tallies } = this.#loaded
    const product = { ...tallies.product, removed: tallies.product.removed + removedProducts }
    const shop = { ...tallies.shop, changed: tallies.shop.changed + changedShops }
    const { leftOut, read, rejected } = this.#all
    return {
      read,
      rejected,
      leftOut,
      parts: this.#parts,
      reasons: this.#reasons,
      accepted: this.#accepted,
      repeated: this.#repeated,
      rejectedRecords: this.#rejectedRecords,
      stops: this.#stops,
      otherCurrencies: this.#otherCurrencies,
      archiveAds: this.#archiveAds,
      invalidFields: this.#invalidFields,
      tallies: { ...tallies, product, shop },
      removals,
      older,
      links
    }
  }

  read(chunk: ImportChunk) {
    const { archiveAds = 0, file = "", leftOut = [], otherCurrencies = 0, part = "", position, rejects, rows } = chunk
    this.#position = position
    this.#partOfFile.set(file, part)
    const ofPart = this.#of(file)
    for (const row of rows) {
      const { isAgain = false, sourceRows = 1 } = row
      this.#all.read += sourceRows
      ofPart.read += sourceRows
      // It was counted when it was read before.
      if (isAgain) this.#accepted--
      else if (!isOfFile(row) && this.#isRepeated(row.record)) this.#repeated++
    }
    for (const { file: own = file, sourceRows = 1 } of new Map(
      rejects.map((reject) => [idOf(reject), reject])
    ).values()) {
      this.#all.rejected += sourceRows
      this.#of(own).rejected += sourceRows
    }
    this.#all.leftOut += leftOut.length
    ofPart.leftOut += leftOut.length
    for (const reason of leftOut) this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
    this.#otherCurrencies += otherCurrencies
    this.#archiveAds += archiveAds
    for (const field of chunk.invalidFields ?? [])
      this.#invalidFields.set(field, (this.#invalidFields.get(field) ?? 0) + 1)
    return this.#reject(rejects)
  }

  #of(file: string): Rows {
    return this.#parts.getOrInsertComputed(this.#partOfFile.get(file) ?? file, () => new Rows())
  }

  #isRepeated(record: ImportRow["record"]): boolean {
    const key = keyOf(record)
    if (key === null) return false
    if (this.#keys.has(key)) return true
    if (this.#keys.size < maxKeys) this.#keys.add(key)
    return false
  }

  add(rows: number, loaded: LoadedBatch) {
    this.#accepted += rows - loaded.rejects.length
    const { links, older, removals, tallies } = loaded
    this.#loaded = sum(this.#loaded, { ...nothingLoaded, tallies, links, older, removals })
    for (const shopId of loaded.statedNiches) this.unstated.delete(shopId)
    for (const shopId of loaded.unstatedNiches) this.unstated.add(shopId)
    for (const { isList, nicheId, shopId } of loaded.votes) {
      const listed = this.#listed.get(shopId)
      if (isList && listed !== undefined) this.#vote(shopId, listed, -votesOfAList)
      if (isList) this.#listed.set(shopId, nicheId)
      this.#vote(shopId, nicheId, isList ? votesOfAList : 1)
    }
    // What the catalog rejects, each record once, was counted as read.
    for (const { file = "", sourceRows = 1 } of loaded.rejects) {
      for (const rows of [this.#all, this.#of(file)]) {
        rows.read -= sourceRows
        rows.rejected += sourceRows
      }
    }
    return Effect.andThen(this.#reject(loaded.rejects), this.#tell())
  }

  #vote(shopId: number, nicheId: number, weight: number): void {
    const ofShop = this.votes.getOrInsertComputed(shopId, () => new Map())
    ofShop.set(nicheId, (ofShop.get(nicheId) ?? 0) + weight)
  }

  #tell() {
    return this.#options.onProgress({
      records: this.#accepted,
      rejected: this.#rejectedRecords,
      position: this.#position
    })
  }

  #reject(rejects: ReadonlyArray<Reject>) {
    if (rejects.length === 0) return Effect.void
    this.#rejectedRecords += new Set(rejects.map(idOf)).size
    for (const { file = "", isStop = false, line } of rejects) {
      if (isStop && this.#stops.length < maxStops) this.#stops.push({ file, line })
    }
    const { maxRejects, onRejects } = this.#options
    return Effect.andThen(
      onRejects(rejects),
      this.#rejectedRecords <= maxRejects
        ? Effect.void
        : Effect.fail(
            new TooManyRejects({
              message:
                `More than ${maxRejects} records were rejected, so the import stopped. Is the file of the format that ` +
                `was named? Otherwise correct the records, or allow more with --max-rejects.`
            })
          )
    )
  }
}
