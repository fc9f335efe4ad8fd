/**
 * Groups the lines of a bulk operation by product, in any order and with little memory: lines are written to files by a hash of
 * the product's id, and the files are read one by one. A line is parsed once, unless the place of the id is unusual.
 */
import { Effect, FileSystem, Result, Stream } from "effect"
import type { Scope } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { crc32 } from "node:zlib"
import { chunk } from "./Conversion.ts"
import * as BulkProducts from "./formats/BulkProducts.ts"
import type { Part } from "./formats/BulkProducts.ts"
import { isForeign } from "./formats/Foreign.ts"
import type { Foreign } from "./formats/Foreign.ts"
import { join, nothing } from "./formats/Reading.ts"
import { UnreadableInput } from "./ImportError.ts"
import type { ImportChunk, Reject } from "./ImportSource.ts"
import type { InputFile } from "./InputFile.ts"
import { Lines } from "./Lines.ts"

/** A part of a file of 2 GB has about 32 MB. */
const parts = 64
/** How many characters are buffered, over all parts, before they are written. */
const waitingCharacters = 4_194_304

export const read = Effect.fn("BulkSpool.read")(function* (
  file: InputFile,
  domain: string
): Effect.fn.Return<Stream.Stream<ImportChunk, UnreadableInput>, UnreadableInput, FileSystem.FileSystem | Scope.Scope> {
  const nameOf = (part: number) => path.join(folder, String(part))
  const failed = (cause: unknown) =>
    new UnreadableInput({ message: `${file.name} cannot be sorted in the temporary folder.`, cause })
  const files = yield* FileSystem.FileSystem
  const folder = yield* Effect.mapError(files.makeTempDirectoryScoped({ prefix: "discovery-import-" }), failed)
  const spool = new Spool((part, text) => fs.appendFile(nameOf(part), text))
  const sorted = file.content.pipe(
    Stream.map((bytes) => ("damage" in bytes ? spool.breakOff(bytes.damage) : spool.push(bytes))),
    Stream.concat(Stream.sync(() => spool.end())),
    Stream.mapEffect((rejects) => Effect.as(Effect.tryPromise({ try: () => spool.flush(), catch: failed }), rejects)),
    Stream.filter((rejects) => rejects.length > 0),
    Stream.map((rejects) => chunk({ ...nothing, rejects }))
  )
  const products = Stream.range(0, parts - 1).pipe(
    Stream.mapEffect((part) =>
      Effect.tryPromise({
        try: async () => {
          const written = spool.written.has(part) ? await fs.readFile(nameOf(part), "utf8") : ""
          return written + spool.waitingOf(part)
        },
        catch: failed
      })
    ),
    Stream.filter((text) => text !== ""),
    Stream.map((text) => toChunk(text, domain))
  )
  return Stream.concat(sorted, products)
})

const toChunk = (text: string, domain: string): ImportChunk => {
  const groups = new Map<string, Array<Part>>()
  const rejects: Array<Reject> = []
  for (const written of text.split("\n")) {
    if (written === "") continue
    const line = Number.parseInt(written, 10)
    const parsed = parse(written.slice(written.indexOf(" ") + 1))
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
  return chunk({ ...read, rejects: [...rejects, ...read.rejects] })
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

class Spool {
  /** Parts that have a file. */
  readonly written = new Set<number>()
  readonly #append: (part: number, text: string) => Promise<void>
  readonly #lines = new Lines()
  readonly #waiting = new Map<number, Array<string>>()
  #characters = 0

  constructor(append: (part: number, text: string) => Promise<void>) {
    this.#append = append
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
    for (const [part, lines] of this.#waiting) {
      await this.#append(part, lines.join(""))
      this.written.add(part)
    }
    this.#waiting.clear()
    this.#characters = 0
  }

  /** The buffered lines of a part, which are not in its file. */
  waitingOf(part: number): string {
    return this.#waiting.get(part)?.join("") ?? ""
  }

  #sort(lines: ReturnType<Lines["push"]>): ReadonlyArray<Reject> {
    return lines.flatMap((line): ReadonlyArray<Reject> => {
      if ("problem" in line) return [{ line: line.number, field: "", reason: line.problem }]
      const product = BulkProducts.productIn(line.text)
      if (product !== null && !line.isUnfinished) return this.#put(product, line)
      const parsed = parse(line.text)
      if (Result.isSuccess(parsed)) return this.#put(parsed.success.product, line)
      const { field, reason } = parsed.failure
      const isCut = line.isUnfinished && reason === "is not JSON"
      return [{ line: line.number, field, reason: isCut ? "the input ends in the middle of this record" : reason }]
    })
  }

  #put(product: string, { number, text }: { readonly number: number; readonly text: string }): ReadonlyArray<Reject> {
    const part = crc32(product) % parts
    const written = `${number} ${text}\n`
    const waiting = this.#waiting.get(part)
    if (waiting === undefined) this.#waiting.set(part, [written])
    else waiting.push(written)
    this.#characters += written.length
    return []
  }
}
