/**
 * Brings the lines of a bulk operation together by their product, in any order of the file and in little memory: they are put into
 * files by a hash of the product's id, and read again file by file.
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
import { join, nothing } from "./formats/Reading.ts"
import { UnreadableInput } from "./ImportError.ts"
import type { ImportChunk, Reject } from "./ImportSource.ts"
import type { InputFile } from "./InputFile.ts"
import { Lines } from "./Lines.ts"

/** Of a file of 2 GB each has about 32 MB. */
const parts = 64
/** Characters that wait to be written, of all parts. */
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
    Stream.mapEffect((rejects) =>
      Effect.as(Effect.tryPromise({ try: () => spool.flush(waitingCharacters), catch: failed }), rejects)
    ),
    Stream.filter((rejects) => rejects.length > 0),
    Stream.map((rejects) => chunk({ ...nothing, rejects }))
  )
  const products = Stream.range(0, parts - 1).pipe(
    Stream.mapEffect((part) =>
      Effect.tryPromise({
        try: async () => {
          if (part === 0) await spool.flush(0)
          return spool.used.has(part) ? await fs.readFile(nameOf(part), "utf8") : ""
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
  for (const line of text.split("\n")) {
    if (line === "") continue
    // Written by Spool.
    const [number, record] = JSON.parse(line) as [number, Part["record"]]
    const product = BulkProducts.productOf(record) ?? ""
    const group = groups.get(product)
    if (group === undefined) groups.set(product, [{ line: number, record }])
    else group.push({ line: number, record })
  }
  return chunk(join(Array.from(groups.values(), (group) => BulkProducts.toReading(group, domain))))
}

class Spool {
  readonly used = new Set<number>()
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

  async flush(above: number): Promise<void> {
    if (this.#characters <= above) return
    for (const [part, lines] of this.#waiting) await this.#append(part, lines.join(""))
    this.#waiting.clear()
    this.#characters = 0
  }

  #sort(lines: ReturnType<Lines["push"]>): ReadonlyArray<Reject> {
    return lines.flatMap((line): ReadonlyArray<Reject> => {
      const reject = (reason: string) => [{ line: line.number, field: "", reason }]
      if ("problem" in line) return reject(line.problem)
      const parsed = Result.try((): unknown => JSON.parse(line.text))
      if (Result.isFailure(parsed)) {
        return reject(line.isUnfinished ? "the input ends in the middle of this record" : "is not JSON")
      }
      const record = parsed.success
      if (!isForeign(record)) return reject("must be a JSON object")
      const product = BulkProducts.productOf(record)
      if (product === null) return [{ line: line.number, field: "id", reason: "is required" }]
      const part = crc32(product) % parts
      const text = `${JSON.stringify([line.number, record])}\n`
      const waiting = this.#waiting.get(part)
      if (waiting === undefined) this.#waiting.set(part, [text])
      else waiting.push(text)
      this.used.add(part)
      this.#characters += text.length
      return []
    })
  }
}
