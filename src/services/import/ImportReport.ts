/** What an import has read and loaded. */
import { Effect } from "effect"
import type { LinkCounts } from "./AdLinks.ts"
import { nothingLoaded, sum } from "./BatchLoader.ts"
import type { LoadedBatch, Tallies } from "./BatchLoader.ts"
import { TooManyRejects } from "./ImportError.ts"
import type { UnwritableRejects } from "./ImportError.ts"
import type { ImportChunk, Reject } from "./ImportSource.ts"
import type { NicheFindings } from "./Niches.ts"
import type { RefusedRemoval } from "./Reconciliation.ts"

export interface ImportProgress {
  readonly records: number
  readonly rejected: number
  /** The position in the source. */
  readonly position: number
}

export interface ImportReport {
  /** Records that were accepted, including unchanged ones and duplicates. */
  readonly accepted: number
  readonly rejected: number
  /** Accepted records without the stores that options or `meta.json` describe. */
  readonly fromFiles: number
  /** The first files that were not read to their end, and the lines where they stopped. */
  readonly stops: ReadonlyArray<{ readonly file: string; readonly line: number }>
  /** Items that the reader left out on purpose. */
  readonly skipped: number
  /** How many amounts were left out because they are not in the store's currency. */
  readonly otherCurrencies: number
  /** How many ads are from `ads_archive`, which has no call to action, landing page, image and media type. */
  readonly archiveAds: number
  /** How many optional values of each field did not fit, and are unknown or cut in the record. */
  readonly unfit: ReadonlyMap<string, number>
  readonly tallies: Tallies
  /** How many of the accepted records remove others. */
  readonly removals: number
  readonly links: LinkCounts
  /** Ads that became inactive because they were not seen for too long. */
  readonly expiredAds: number
  /** Whether ads that were not seen stay active, because a file of ads was not read to its end. */
  readonly keepsUnseenAds: boolean
  /** Stores without a niche that got one by what they sell. */
  readonly electedNiches: number
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

/** Counts what has been read and loaded, and reports it. */
export class Report implements NicheFindings {
  #accepted = 0
  #rejected = 0
  #described = 0
  readonly #stops: Array<{ readonly file: string; readonly line: number }> = []
  #skipped = 0
  #otherCurrencies = 0
  #archiveAds = 0
  readonly #unfit = new Map<string, number>()
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
    const { links, removals, tallies } = this.#loaded
    const product = { ...tallies.product, removed: tallies.product.removed + removedProducts }
    const shop = { ...tallies.shop, changed: tallies.shop.changed + changedShops }
    return {
      accepted: this.#accepted,
      rejected: this.#rejected,
      fromFiles: this.#accepted - this.#described,
      stops: this.#stops,
      skipped: this.#skipped,
      otherCurrencies: this.#otherCurrencies,
      archiveAds: this.#archiveAds,
      unfit: this.#unfit,
      tallies: { ...tallies, product, shop },
      removals,
      links
    }
  }

  read(chunk: ImportChunk) {
    this.#position = chunk.position
    this.#skipped += chunk.skipped
    for (const { line } of chunk.rows) if (line === 0) this.#described++
    this.#otherCurrencies += chunk.otherCurrencies ?? 0
    this.#archiveAds += chunk.archiveAds ?? 0
    for (const field of chunk.unfit ?? []) this.#unfit.set(field, (this.#unfit.get(field) ?? 0) + 1)
    return this.#reject(chunk.rejects)
  }

  add(rows: number, loaded: LoadedBatch) {
    this.#accepted += rows - loaded.rejects.length
    const { links, removals, tallies } = loaded
    this.#loaded = sum(this.#loaded, { ...nothingLoaded, tallies, links, removals })
    for (const shopId of loaded.statedNiches) this.unstated.delete(shopId)
    for (const shopId of loaded.unstatedNiches) this.unstated.add(shopId)
    for (const { isList, nicheId, shopId } of loaded.votes) {
      const listed = this.#listed.get(shopId)
      if (isList && listed !== undefined) this.#vote(shopId, listed, -votesOfAList)
      if (isList) this.#listed.set(shopId, nicheId)
      this.#vote(shopId, nicheId, isList ? votesOfAList : 1)
    }
    return Effect.andThen(this.#reject(loaded.rejects), this.#tell())
  }

  #vote(shopId: number, nicheId: number, weight: number): void {
    const ofShop = this.votes.get(shopId) ?? new Map<number, number>()
    this.votes.set(shopId, ofShop.set(nicheId, (ofShop.get(nicheId) ?? 0) + weight))
  }

  #tell() {
    return this.#options.onProgress({
      records: this.#accepted,
      rejected: this.#rejected,
      position: this.#position
    })
  }

  /** A record may be rejected for several reasons. */
  #reject(rejects: ReadonlyArray<Reject>) {
    if (rejects.length === 0) return Effect.void
    this.#rejected += new Set(rejects.map(({ file = "", line }) => `${line} ${file}`)).size
    for (const { file = "", isStop = false, line } of rejects) {
      if (isStop && this.#stops.length < maxStops) this.#stops.push({ file, line })
    }
    const { maxRejects, onRejects } = this.#options
    return Effect.andThen(
      onRejects(rejects),
      this.#rejected <= maxRejects
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
