/**
 * Remembers the products that were read, so that rows of one product that are apart are read as one product. What is kept is limited;
 * of products beyond that, it only remembers that they were there.
 */
const maxCharacters = 33_554_432
const maxForgotten = 1_000_000

export class ProductMemory<Product> {
  readonly #kept = new Map<string, Product>()
  readonly #forgotten = new Set<string>()
  #characters = 0

  /** The product; `null` if it was read, and is no longer known. */
  find(key: string): Product | null | undefined {
    return this.#kept.get(key) ?? (this.#forgotten.has(key) ? null : undefined)
  }

  /** Whether there is room for so many characters more, which are taken. */
  take(characters: number): boolean {
    const hasRoom = this.#characters + characters <= maxCharacters
    if (hasRoom) this.#characters += characters
    return hasRoom
  }

  /** Whether there was room for it. */
  keep(key: string, product: Product, characters: number): boolean {
    const hasRoom = this.take(characters)
    if (hasRoom) this.#kept.set(key, product)
    else if (this.#forgotten.size < maxForgotten) this.#forgotten.add(key)
    return hasRoom
  }

  clear(): void {
    this.#kept.clear()
    this.#forgotten.clear()
    this.#characters = 0
  }
}
