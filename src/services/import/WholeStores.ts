/**
 * Finds the stores of which the files of an import have all products, so that missing ones are removed, and whether all ads were
 * read, so that missing ones become inactive.
 */
import type { ImportChunk, KeptRecord } from "./ImportSource.ts"

/** The most products that a page of a storefront can have: the maximum of its parameter `limit`. */
const largestPage = 250
/** Page sizes that storefronts and scrapers use: a single page of such a size may not be the last one. */
const commonPageSizes = new Set([30, 50, 100, 150, 200, largestPage])

export class WholeStores {
  readonly #isComplete: boolean
  readonly #whole = new Set<string>()
  /** Stores with products, which are whole if the operator says so and every record was read. */
  readonly #named = new Set<string>()
  readonly #incomplete = new Set<string>()
  #isEveryRecordRead = true
  /** The number of products of each page, for stores whose products are paged. */
  readonly #pages = new Map<string, Array<number>>()
  readonly kept: Array<KeptRecord> = []
  #isEveryAdRead = true

  constructor(isComplete: boolean) {
    this.#isComplete = isComplete
  }

  add(domain: string): void {
    this.#whole.add(domain)
  }

  /** Begins a page of the store. */
  page(domain: string): void {
    const sizes = this.#pages.get(domain)
    if (sizes === undefined) this.#pages.set(domain, [0])
    else sizes.push(0)
  }

  /** Counts a product of the current page. */
  item(domain: string): void {
    const sizes = this.#pages.get(domain) ?? []
    sizes.push((sizes.pop() ?? 0) + 1)
  }

  /** `shop`: the store of the file, if it has products of only one. */
  take({ kept = [], lacksRecords = false, rows }: ImportChunk, shop?: string): void {
    if (this.#isComplete) for (const { record } of rows) if (record.type === "product") this.#named.add(record.shop)
    for (const product of kept) this.kept.push(product)
    if (!lacksRecords) return
    if (shop === undefined) this.#isEveryRecordRead = false
    else this.#incomplete.add(shop)
  }

  takeAds({ kept = [], lacksRecords = false }: ImportChunk): void {
    for (const ad of kept) this.kept.push(ad)
    if (lacksRecords) this.#isEveryAdRead = false
  }

  get isEveryAdRead(): boolean {
    return this.#isEveryAdRead
  }

  domains(): ReadonlyArray<string> {
    const paged = Array.from(this.#pages).flatMap(([domain, sizes]) => {
      const largest = Math.max(...sizes)
      // Complete pages end with one that is shorter than others. A shorter page before the last one proves nothing.
      const last = sizes.at(-1) ?? 0
      const isLastThere = sizes.length > 1 ? last < largest : largest > largestPage || !commonPageSizes.has(largest)
      return isLastThere ? [domain] : []
    })
    const named = this.#isEveryRecordRead ? this.#named : []
    return Array.from(new Set([...this.#whole, ...paged, ...named])).filter((domain) => !this.#incomplete.has(domain))
  }
}
