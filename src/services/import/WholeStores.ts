/** Finds the stores of which the files of an import have all products, so that missing ones are removed. */
import type { ImportChunk } from "./ImportSource.ts"

/** The most products that a page of a storefront can have: the maximum of its parameter `limit`. */
const largestPage = 250
/** Page sizes that storefronts and scrapers use: a single page of such a size may not be the last one. */
const commonPageSizes = new Set([30, 50, 100, 150, 200, largestPage])

export class WholeStores {
  readonly #isComplete: boolean
  readonly #whole = new Set<string>()
  readonly #incomplete = new Set<string>()
  /** The number of products of each page, for stores whose products are paged. */
  readonly #pages = new Map<string, Array<number>>()
  readonly kept: Array<{ readonly shop: string; readonly key: string }> = []
  #current = ""

  constructor(isComplete: boolean) {
    this.#isComplete = isComplete
  }

  add(domain: string): void {
    this.#whole.add(domain)
  }

  /** Marks the store as incomplete, because a file of it was truncated. */
  markIncomplete(domain: string): void {
    this.#incomplete.add(domain)
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

  take({ kept = [], rows }: ImportChunk): void {
    for (const { record } of rows) {
      if (record.type === "partial_shop") this.#current = record.domain
      else if (record.type === "product" && this.#isComplete) this.#whole.add(record.shop)
    }
    for (const key of kept) this.kept.push({ shop: this.#current, key })
  }

  domains(): ReadonlyArray<string> {
    const paged = Array.from(this.#pages).flatMap(([domain, sizes]) => {
      const largest = Math.max(...sizes)
      // Complete pages end with one that is shorter than others. A shorter page before the last one proves nothing.
      const last = sizes.at(-1) ?? 0
      const isLastThere = sizes.length > 1 ? last < largest : largest > largestPage || !commonPageSizes.has(largest)
      return isLastThere ? [domain] : []
    })
    return Array.from(new Set([...this.#whole, ...paged])).filter((domain) => !this.#incomplete.has(domain))
  }
}
