/** Of which stores the files of an import have all products, so that others are gone. */
import type { ImportChunk } from "./ImportSource.ts"

/** How many products a page of a storefront may have; `limit` is at most so many. */
const largestPage = 250
/** What storefronts and scrapers ask for: a single page of such a size may not be the last one. */
const commonPageSizes = new Set([30, 50, 100, 150, 200, largestPage])

export class WholeStores {
  readonly #isComplete: boolean
  readonly #whole = new Set<string>()
  readonly #spoiled = new Set<string>()
  /** How many products each page has, of stores whose products come in pages. */
  readonly #pages = new Map<string, Array<number>>()
  readonly kept: Array<{ readonly shop: string; readonly key: string }> = []
  #current = ""

  constructor(isComplete: boolean) {
    this.#isComplete = isComplete
  }

  add(domain: string): void {
    this.#whole.add(domain)
  }

  /** A file of the store was cut off. */
  spoil(domain: string): void {
    this.#spoiled.add(domain)
  }

  /** A page of the store begins. */
  page(domain: string): void {
    const sizes = this.#pages.get(domain)
    if (sizes === undefined) this.#pages.set(domain, [0])
    else sizes.push(0)
  }

  /** A product of the page that has begun. */
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
      // The last page: a shorter one before it would be of a set that was cut.
      const last = sizes.at(-1) ?? 0
      const isLastThere = sizes.length > 1 ? last < largest : largest > largestPage || !commonPageSizes.has(largest)
      return isLastThere ? [domain] : []
    })
    return Array.from(new Set([...this.#whole, ...paged])).filter((domain) => !this.#spoiled.has(domain))
  }
}
