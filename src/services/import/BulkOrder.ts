/** Finds out with little memory, and mostly without parsing, whether a bulk file can be read without sorting its lines. */
import { Result } from "effect"
import { endOfParts, parse, usualProductIn } from "./formats/BulkProducts.ts"
import { maxLineBytes } from "./Lines.ts"

const newline = 0x0a
const carriageReturn = 0x0d
const nothing = Buffer.alloc(0)

/**
 * With `groupObjects` the platform writes the lines of a product one after another, and products in the order of their ids unless
 * another was asked for. In an ascending or descending order no product comes twice, so that the lowest and the highest id are all
 * that must be known.
 */
export class BulkOrder {
  #isKept = true
  #product = ""
  /** How the lines of the product's variants and images end; no line ends in a newline. */
  #ending = Buffer.from("\n")
  #lowest = ""
  #highest = ""
  /** The beginning of an unfinished line. */
  #begun = nothing
  /** As text is read later, but what is invalid is replaced. */
  readonly #utf8 = new TextDecoder()

  /** Whether all lines of a product follow each other, except those that are left out. May be `false` where they do. */
  get isKept(): boolean {
    return this.#isKept
  }

  push(part: Uint8Array): void {
    if (!this.#isKept) return
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.length)
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      if (start === 0) this.#finish(bytes.subarray(0, end))
      else this.#line(bytes, start, end)
      start = end + 1
    }
    this.#begun = Buffer.concat([this.#begun, bytes.subarray(start)])
    // Such a line is not read.
    if (this.#begun.length > maxLineBytes) this.#isKept = false
  }

  end(): void {
    this.#finish(nothing)
  }

  #finish(rest: Buffer): void {
    const line = Buffer.concat([this.#begun, rest])
    this.#begun = nothing
    this.#line(line, 0, line.length)
  }

  #line(bytes: Buffer, start: number, lineEnd: number): void {
    const end = bytes[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd
    if (endsIn(bytes, start, end, this.#ending)) return
    if (start === end) return
    const product = usualProductIn(bytes.toString("latin1", start, end)) ?? this.#unusual(bytes.subarray(start, end))
    if (product === null || product === this.#product) return
    const isFirst = this.#product === ""
    if (isFirst || isBefore(this.#highest, product)) this.#highest = product
    else if (!isBefore(product, this.#lowest)) this.#isKept = false
    if (isFirst || isBefore(product, this.#lowest)) this.#lowest = product
    this.#product = product
    this.#ending = Buffer.from(endOfParts(product))
  }

  /** Blank lines are no JSON either. */
  #unusual(line: Buffer): string | null {
    const parsed = parse(this.#utf8.decode(line))
    return Result.isSuccess(parsed) ? parsed.success.product : null
  }
}

/** An order of ids in which numbers are in their order. */
const isBefore = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length)

const endsIn = (bytes: Buffer, start: number, end: number, ending: Buffer): boolean => {
  if (end - start < ending.length) return false
  // Ids differ in their last digits.
  for (let at = ending.length - 1, from = end - ending.length; at >= 0; at--) {
    if (bytes[from + at] !== ending[at]) return false
  }
  return true
}
