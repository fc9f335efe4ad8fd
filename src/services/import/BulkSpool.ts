/**
 * Groups the lines of a bulk operation by product, in any order and with little memory: lines are divided into parts by a hash of
 * the product's id and written to a temporary file, and the parts are read one by one. A line is parsed once, unless the place of
 * the id is unusual.
 *
 * Source: Knuth, "The Art of Computer Programming", volume 3, 6.5, for the partition of a file by a hash.
 */
import { Effect, Result, Stream } from "effect"
import type { FileSystem, Scope } from "effect"
import type * as fs from "node:fs/promises"
import { crc32 } from "node:zlib"
import type { PartialShop } from "../../domain/catalog/Records.ts"
import { chunk } from "./Conversion.ts"
import * as BulkProducts from "./formats/BulkProducts.ts"
import type { Part } from "./formats/BulkProducts.ts"
import { isForeign } from "./formats/Foreign.ts"
import type { Foreign } from "./formats/Foreign.ts"
import { join, nothing } from "./formats/Reading.ts"
import { UnreadableInput } from "./ImportError.ts"
import type { ImportChunk, ImportRow, Reject } from "./ImportSource.ts"
import type { InputFile } from "./InputFile.ts"
import { Lines } from "./Lines.ts"
import * as UnnamedFile from "./UnnamedFile.ts"

/** A part of a file of 2 GB has about 8 MB. */
const parts = 256
/** How many characters of a part are parsed at a time, about: what is parsed takes many times the memory of its text. */
const parsedCharacters = 524_288
/** How many characters are buffered, over all parts, before they are written. */
const waitingCharacters = 2_097_152

type Store = Pick<PartialShop, "domain" | "currency">

/** `shop`: the store of the file. If its currency is unknown, the file may state it. */
export const read = Effect.fn("BulkSpool.read")(function* (
  file: InputFile,
  shop: Store
): Effect.fn.Return<Stream.Stream<ImportChunk, UnreadableInput>, UnreadableInput, FileSystem.FileSystem | Scope.Scope> {
  let store = shop
  const failed = (cause: unknown) =>
    new UnreadableInput({ message: `${file.name} cannot be sorted in the temporary folder.`, cause })
  const spool = new Spool(yield* Effect.mapError(UnnamedFile.make, failed))
  const sorted = file.content.pipe(
    Stream.map((bytes) => ("damage" in bytes ? spool.breakOff(bytes.damage) : spool.push(bytes))),
    Stream.concat(Stream.sync(() => spool.end())),
    Stream.mapEffect((rejects) => Effect.as(Effect.tryPromise({ try: () => spool.flush(), catch: failed }), rejects)),
    Stream.filter((rejects) => rejects.length > 0),
    Stream.map((rejects) => chunk({ ...nothing, rejects, lacksRecords: true }))
  )
  const products = Stream.range(0, parts - 1).pipe(
    Stream.mapEffect((part) =>
      Effect.tryPromise({
        try: async () => slicesOf((await spool.written(part)).split("\n").concat(spool.take(part))),
        catch: failed
      })
    ),
    Stream.flatMap((slices) => Stream.fromIterable(slices, { chunkSize: 1 })),
    Stream.map((lines) => {
      const products = toChunk(lines, store)
      const [first] = products.rows
      if (first?.record.type === "partial_shop") store = first.record
      return products
    }),
    Stream.filter(({ rejects, rows, skipped }) => rows.length + rejects.length + skipped > 0)
  )
  return Stream.concat(sorted, products)
})

interface Line {
  readonly number: number
  readonly text: string
}

/** The lines of a part as they were written, with their numbers. */
const numbered = (written: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let next = 0
  for (const text of written) {
    if (text === "") continue
    // A line that holds an object never begins with a digit.
    if (text < ":" && text >= "0") next = Number(text)
    else lines.push({ number: next++, text })
  }
  return lines
}

/** Each slice has all lines of its products. */
const slicesOf = (written: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<Line>> => {
  const lines = numbered(written)
  const characters = lines.reduce((sum, { text }) => sum + text.length, 0)
  const count = Math.ceil(characters / parsedCharacters)
  if (count <= 1) return [lines]
  const slices = Array.from({ length: count }, (): Array<Line> => [])
  for (const line of lines) {
    const product = productOf(line.text)
    // The products of a part have the same remainder.
    const slice = Result.isFailure(product) ? 0 : Math.floor(crc32(product.success) / parts) % count
    slices[slice]?.push(line)
  }
  return slices
}

/** Begins with a row for the store if its currency was unknown and one of the lines states it. */
const toChunk = (lines: ReadonlyArray<Line>, { currency, domain }: Store): ImportChunk => {
  const groups = new Map<string, Array<Part>>()
  const rejects: Array<Reject> = []
  for (const { number: line, text } of lines) {
    const parsed = parse(text)
    if (Result.isFailure(parsed)) {
      rejects.push({ line, ...parsed.failure })
      continue
    }
    const { product, record } = parsed.success
    const group = groups.get(product)
    if (group === undefined) groups.set(product, [{ line, record }])
    else group.push({ line, record })
  }
  const read = join(Array.from(groups.values(), (group) => BulkProducts.toReading(group, domain)))
  const lacksRecords = rejects.length > 0 || read.lacksRecords === true
  const stated = currency === undefined ? currencyIn(groups.values(), domain) : undefined
  const rows = stated === undefined ? read.rows : [stated, ...read.rows]
  return chunk({ ...read, rows, rejects: [...rejects, ...read.rejects], lacksRecords })
}

const currencyIn = (groups: Iterable<ReadonlyArray<Part>>, domain: string): ImportRow | undefined => {
  for (const group of groups) {
    for (const { line, record } of group) {
      const currency = BulkProducts.currencyOf(record)
      if (currency !== null) return { line, record: { type: "partial_shop", domain, currency } }
    }
  }
  return undefined
}

interface Parsed {
  readonly product: string
  readonly record: Foreign
}

const parse = (text: string): Result.Result<Parsed, Omit<Reject, "line">> => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) return Result.fail({ field: "", reason: "is not JSON" })
  const record = parsed.success
  if (!isForeign(record)) return Result.fail({ field: "", reason: "must be a JSON object" })
  const product = BulkProducts.productOf(record)
  return product === null ? Result.fail({ field: "id", reason: "is required" }) : Result.succeed({ product, record })
}

/** The product of a line, which is parsed only if the place of the id is unusual. */
const productOf = (text: string): Result.Result<string, Omit<Reject, "line">> => {
  const found = BulkProducts.productIn(text)
  return found === null ? Result.map(parse(text), ({ product }) => product) : Result.succeed(found)
}

/** The buffered lines of a part. The number of a line is before it, unless it is `next`. */
interface Waiting {
  readonly lines: Array<string>
  next: number
}

/** Bytes of the file. */
interface Block {
  readonly position: number
  readonly length: number
}

class Spool {
  readonly #file: fs.FileHandle
  #fileBytes = 0
  /** Of each part, in the order of its lines. */
  readonly #blocks = Array.from({ length: parts }, (): Array<Block> => [])
  readonly #lines = new Lines()
  readonly #waiting = Array.from({ length: parts }, (): Waiting => ({ lines: [], next: 0 }))
  #characters = 0
  #last = { product: "", part: 0 }

  constructor(file: fs.FileHandle) {
    this.#file = file
  }

  push(bytes: Uint8Array): ReadonlyArray<Reject> {
    return this.#sort(this.#lines.push(bytes))
  }

  breakOff(damage: string): ReadonlyArray<Reject> {
    return this.#sort([this.#lines.breakOff(damage)])
  }

  end(): ReadonlyArray<Reject> {
    return this.#sort(this.#lines.end())
  }

  /** Writes the buffered lines if they exceed the limit. */
  async flush(): Promise<void> {
    if (this.#characters <= waitingCharacters) return
    const texts: Array<Buffer> = []
    for (const [part, blocks] of this.#blocks.entries()) {
      const lines = this.take(part)
      if (lines.length === 0) continue
      const text = Buffer.from(`${lines.join("\n")}\n`)
      blocks.push({ position: this.#fileBytes, length: text.length })
      this.#fileBytes += text.length
      texts.push(text)
    }
    this.#characters = 0
    await this.#file.writeFile(Buffer.concat(texts))
  }

  /** The lines of a part that are in the file. */
  async written(part: number): Promise<string> {
    const blocks = this.#blocks[part] ?? []
    const bytes = Buffer.allocUnsafe(blocks.reduce((sum, { length }) => sum + length, 0))
    let end = 0
    const reads = blocks.map(async ({ length, position }) => {
      const offset = end
      end += length
      const { bytesRead } = await this.#file.read(bytes, offset, length, position)
      if (bytesRead < length) throw new Error(`${bytesRead} of ${length} bytes could be read`)
    })
    await Promise.all(reads)
    return bytes.toString()
  }

  /** The buffered lines of a part, which are not in the file. They are buffered no longer. */
  take(part: number): ReadonlyArray<string> {
    return this.#waiting[part]?.lines.splice(0) ?? []
  }

  #sort(lines: ReturnType<Lines["push"]>): ReadonlyArray<Reject> {
    const rejects: Array<Reject> = []
    for (const line of lines) {
      if ("problem" in line) {
        rejects.push({ line: line.number, field: "", reason: line.problem })
        continue
      }
      const product = line.isUnfinished
        ? Result.map(parse(line.text), (parsed) => parsed.product)
        : productOf(line.text)
      if (Result.isSuccess(product)) {
        this.#put(product.success, line)
        continue
      }
      const { field, reason } = product.failure
      const isCut = line.isUnfinished && reason === "is not JSON"
      rejects.push({ line: line.number, field, reason: isCut ? "the input ends in the middle of this record" : reason })
    }
    return rejects
  }

  #put(product: string, { number, text }: { readonly number: number; readonly text: string }): void {
    // The lines of a product usually follow each other.
    if (product !== this.#last.product) this.#last = { product, part: crc32(product) % parts }
    const waiting = this.#waiting[this.#last.part]
    if (waiting === undefined) return
    if (number !== waiting.next) waiting.lines.push(String(number))
    waiting.lines.push(text)
    waiting.next = number + 1
    this.#characters += text.length
  }
}
