/**
 * Brings the lines of each product of a bulk operation together, in any order and with little memory. The file is read twice, as no
 * product is known to be complete before the end; what cannot be read again is copied to a temporary file. A file in order is
 * converted in that order.
 */
import { Effect, Result, Stream } from "effect"
import type { FileSystem, Scope } from "effect"
import * as ThirdPartyText from "../../domain/catalog/ThirdPartyText.ts"
import { BulkOrder } from "./BulkOrder.ts"
import { BulkParts } from "./BulkParts.ts"
import { chunk, hasAny } from "./Conversion.ts"
import * as BulkProducts from "./formats/BulkProducts.ts"
import type { Part } from "./formats/BulkProducts.ts"
import { join, nothing } from "./formats/Reading.ts"
import { UnreadableInput } from "./ImportError.ts"
import type { ImportChunk, Reading } from "./ImportSource.ts"
import { chunkBytes, unreadable } from "./InputFile.ts"
import type { InputFile } from "./InputFile.ts"
import { Lines } from "./Lines.ts"
import type { Line } from "./Lines.ts"
import * as UnnamedFile from "./UnnamedFile.ts"

/** `domain`: the store of the file. */
export const read = Effect.fn("BulkSpool.read")(function* (
  file: InputFile,
  domain: string
): Effect.fn.Return<Stream.Stream<ImportChunk, UnreadableInput>, UnreadableInput, FileSystem.FileSystem | Scope.Scope> {
  const failed = (cause: unknown) =>
    new UnreadableInput({
      message: `${ThirdPartyText.line(file.name)} cannot be sorted in the temporary folder.`,
      cause
    })
  const spool = yield* Effect.mapError(UnnamedFile.make, failed)
  const io = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failed })
  const order = new BulkOrder()
  const { again } = file
  let size = 0
  let damage: string | undefined
  const look = Stream.runForEach(file.content, (part) => {
    if ("damage" in part) damage ??= part.damage
    if ("damage" in part || damage !== undefined) return Effect.void
    order.push(part)
    size += part.length
    if (again !== undefined) return Effect.void
    const problem = file.unpacking.addCopied(part.length)
    return problem === undefined ? io(() => spool.writeFile(part)) : Effect.fail(unreadable(file.name, problem))
  })
  const copied: Stream.Stream<Uint8Array, UnreadableInput> = Stream.unfold(0, (position) =>
    io(async () => {
      const wanted = Math.min(chunkBytes, size - position)
      if (wanted === 0) return undefined
      const { buffer, bytesRead } = await spool.read(Buffer.allocUnsafe(wanted), 0, wanted, position)
      if (bytesRead === 0) throw new Error(`${position} of ${size} bytes could be read`)
      return [buffer.subarray(0, bytesRead), position + bytesRead] as const
    })
  )
  const bytes = again ?? copied
  const lines = Stream.suspend(() => {
    const lines = new Lines()
    const last = () => (damage === undefined ? lines.end() : [lines.breakOff(damage)])
    return bytes.pipe(
      Stream.map((bytes) => lines.push(bytes)),
      Stream.concat(Stream.sync(last))
    )
  })
  const products = new Products(domain)
  const inOrder = Stream.map(lines, (lines) => {
    for (const line of lines) products.add(line)
    return products.take()
  })
  const sorted = Stream.suspend(() => {
    const parts = new BulkParts(spool, again === undefined ? size : 0, size)
    const divided = Stream.mapEffect(lines, (lines) => {
      for (const line of lines) divide(line, parts, products)
      return Effect.as(
        io(() => parts.flush()),
        products.take()
      )
    })
    const read = Stream.range(0, parts.count - 1).pipe(
      Stream.mapEffect((part) => io(() => parts.take(part))),
      Stream.map((lines) => {
        for (const line of lines) products.add(line)
        return products.take()
      })
    )
    return Stream.concat(divided, read)
  })
  return Stream.unwrap(
    Effect.map(look, () => {
      order.end()
      return order.isKept ? inOrder : sorted
    })
  ).pipe(Stream.concat(Stream.sync(() => products.end())), Stream.filter(hasAny))
})

/** What belongs to no product is reported at once. */
const divide = (line: Line, parts: BulkParts, products: Products): void => {
  if ("problem" in line) return products.add(line)
  // A line that was cut may begin as if it were whole.
  const product = line.isUnfinished
    ? Result.map(BulkProducts.parse(line.text), ({ product }) => product)
    : BulkProducts.productIn(line.text)
  if (Result.isFailure(product)) products.add(line)
  else if (product.success === null) products.leaveOut()
  else parts.put(product.success, line)
}

/** Converts the lines of each product, which follow each other. */
class Products {
  readonly #domain: string
  #product = ""
  #parts: Array<Part> = []
  #readings: Array<Reading> = []

  constructor(domain: string) {
    this.#domain = domain
  }

  add(line: Line): void {
    if ("problem" in line) return this.#reject(line.number, { field: "", reason: line.problem })
    const parsed = BulkProducts.parse(line.text)
    if (Result.isFailure(parsed)) {
      const isCut = line.isUnfinished && parsed.failure.reason === "is not JSON"
      const reason = isCut ? "the input ends in the middle of this record" : parsed.failure.reason
      return this.#reject(line.number, { ...parsed.failure, reason })
    }
    const { product, record } = parsed.success
    if (product === null) return this.leaveOut()
    if (product !== this.#product) this.#finish()
    this.#product = product
    this.#parts.push({ line: line.number, record })
  }

  /** A line of which nothing is imported. */
  leaveOut(): void {
    this.#readings.push({ ...nothing, leftOut: ["otherObject"] })
  }

  /** What was read of all products but the last. */
  take(): ImportChunk {
    return chunk(join(this.#readings.splice(0)))
  }

  end(): ImportChunk {
    this.#finish()
    return this.take()
  }

  #finish(): void {
    if (this.#parts.length === 0) return
    this.#readings.push(BulkProducts.toReading(this.#parts, this.#domain))
    this.#parts = []
  }

  #reject(line: number, problem: BulkProducts.Problem): void {
    this.#readings.push({ ...nothing, rejects: [{ line, ...problem }], lacksRecords: true })
  }
}
