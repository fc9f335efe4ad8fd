/**
 * Finds the stores of which the files of an import have all products, so that missing ones are removed, and whether all ads were
 * read, so that missing ones become inactive.
 */
import type { ImportChunk, KeptRecord } from "./ImportSource.ts"

/** The most products that a page of a storefront can have: the maximum of its parameter `limit`. */
const largestPage = 250
/** Page sizes that storefronts and scrapers use: a single page of such a size may not be the last one. */
const commonPageSizes = new Set([30, 50, 100, 150, 200, largestPage])

/** The last number in the name of a file, and the text around it. */
const numberedName = /^(.*?)(\d{1,6})(\D*)$/su
/** What is before the number of a page: pages are counted from 1, or from 0. */
const pageName = /page[^\p{L}\p{N}]*$/iu

/** Whether the numbers in the names of pages show that one is missing. Nothing else of a page has its number. */
const lacksPages = (files: ReadonlyArray<string>): boolean => {
  const names = files.flatMap((file) => {
    const [, before = "", digits, after = ""] = numberedName.exec(file) ?? []
    return digits === undefined ? [] : [{ before, after, number: Number(digits) }]
  })
  return Array.from(Map.groupBy(names, ({ after, before }) => `${before} ${after}`).values()).some((pages) => {
    const numbers = Array.from(new Set(pages.map(({ number }) => number))).toSorted((a, b) => a - b)
    const [first = 0] = numbers
    return (
      numbers.some((number, at) => number !== first + at) ||
      (first > 1 && pages.some(({ before }) => pageName.test(before)))
    )
  })
}

interface Page {
  readonly file: string
  products: number
}

export class CompleteStores {
  readonly #isComplete: boolean
  readonly #whole = new Set<string>()
  /** Stores with products, which are whole if the operator says so and every record was read. */
  readonly #named = new Set<string>()
  readonly #incomplete = new Set<string>()
  #isEveryRecordRead = true
  /** The pages of stores whose products are paged. */
  readonly #pages = new Map<string, Array<Page>>()
  readonly #ofAnySize = new Set<string>()
  readonly kept: Array<KeptRecord> = []
  #isEveryAdRead = true

  constructor(isComplete: boolean) {
    this.#isComplete = isComplete
  }

  add(domain: string): void {
    this.#whole.add(domain)
  }

  /** Begins a page of the store. */
  page(domain: string, file: string): void {
    this.#pages.getOrInsert(domain, []).push({ file, products: 0 })
  }

  /** Counts a product of the current page. `isOfAnySize`: pages of its kind have any number of products. */
  item(domain: string, isOfAnySize: boolean): void {
    if (isOfAnySize) this.#ofAnySize.add(domain)
    const page = this.#pages.get(domain)?.at(-1)
    if (page !== undefined) page.products++
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
    const paged = Array.from(this.#pages).flatMap(([domain, pages]) => {
      const sizes = pages.map(({ products }) => products)
      const largest = Math.max(...sizes)
      // Complete pages end with one that is shorter than others. A shorter page before the last one proves nothing.
      const last = sizes.at(-1) ?? 0
      const isLastThere = sizes.length > 1 ? last < largest : largest > largestPage || !commonPageSizes.has(largest)
      return isLastThere && !this.#ofAnySize.has(domain) && !lacksPages(pages.map(({ file }) => file)) ? [domain] : []
    })
    const named = this.#isEveryRecordRead ? this.#named : []
    return Array.from(new Set([...this.#whole, ...paged, ...named])).filter((domain) => !this.#incomplete.has(domain))
  }
}
