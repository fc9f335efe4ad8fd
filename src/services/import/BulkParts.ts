/**
 * Divides the lines of a bulk file into parts by a hash of the product's id, so that each part has all lines of its products and fits
 * into memory. They wait at the end of a temporary file.
 *
 * Source: Knuth, "The Art of Computer Programming", volume 3, 6.5, for the partition of a file by a hash.
 */
import { Result } from "effect"
import type * as fs from "node:fs/promises"
import { crc32 } from "node:zlib"
import { productIn } from "./formats/BulkProducts.ts"
import type { Line } from "./Lines.ts"

/** How many bytes of the file a part has, about: what is parsed takes many times the memory of its text. */
const partBytes = 2_097_152
/** How many characters are buffered, over all parts, before they are written. */
const waitingCharacters = 4_194_304

type TextLine = Extract<Line, { readonly text: string }>

/** The buffered lines of a part. The number of a line is before it, unless it is `next`. */
interface Waiting {
  lines: Array<string>
  next: number
}

/** What was written at once: the lines of all parts, in the order of the parts. */
interface Block {
  readonly position: number
  /** Where the lines of each part end. */
  readonly ends: Uint32Array
}

export class BulkParts {
  readonly #file: fs.FileHandle
  #fileBytes: number
  readonly #waiting: ReadonlyArray<Waiting>
  readonly #blocks: Array<Block> = []
  #characters = 0

  /** `file` is at its end, and has `fileBytes`. The lines have `lineBytes`. */
  constructor(file: fs.FileHandle, fileBytes: number, lineBytes: number) {
    this.#file = file
    this.#fileBytes = fileBytes
    const count = Math.ceil(lineBytes / partBytes)
    this.#waiting = Array.from({ length: count }, (): Waiting => ({ lines: [], next: 0 }))
  }

  get count(): number {
    return this.#waiting.length
  }

  put(product: string, { number, text }: TextLine): void {
    const waiting = this.#waiting[crc32(product) % this.#waiting.length]
    if (waiting === undefined) return
    if (number !== waiting.next) waiting.lines.push(String(number))
    waiting.lines.push(text)
    waiting.next = number + 1
    this.#characters += text.length
  }

  /** Writes the buffered lines if they exceed the limit. */
  async flush(): Promise<void> {
    if (this.#characters <= waitingCharacters) return
    this.#characters = 0
    const texts = this.#waiting.map(({ lines }) => Buffer.from(lines.map((line) => `${line}\n`).join("")))
    let end = 0
    this.#blocks.push({ position: this.#fileBytes, ends: Uint32Array.from(texts, ({ length }) => (end += length)) })
    this.#fileBytes += end
    for (const waiting of this.#waiting) waiting.lines = []
    await this.#file.writeFile(Buffer.concat(texts))
  }

  /** The lines of a part, those of each product together. */
  async take(part: number): Promise<ReadonlyArray<TextLine>> {
    const texts = await Promise.all(this.#blocks.map((block) => this.#written(block, part)))
    const waiting = this.#waiting[part]?.lines.splice(0) ?? []
    const lines = numbered(Buffer.concat(texts).toString().split("\n").concat(waiting))
    const products = Map.groupBy(lines, ({ text }) => Result.getOrNull(productIn(text)))
    return Array.from(products.values()).flat()
  }

  async #written({ ends, position }: Block, part: number): Promise<Buffer> {
    const start = ends[part - 1] ?? 0
    const length = (ends[part] ?? 0) - start
    const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, position + start)
    if (bytesRead < length) throw new Error(`${bytesRead} of ${length} bytes could be read`)
    return buffer
  }
}

const numbered = (written: ReadonlyArray<string>): ReadonlyArray<TextLine> => {
  const lines: Array<TextLine> = []
  let next = 0
  for (const text of written) {
    if (text === "") continue
    // A line that holds an object never begins with a digit.
    if (text < ":" && text >= "0") next = Number(text)
    else lines.push({ number: next++, text, isUnfinished: false })
  }
  return lines
}
