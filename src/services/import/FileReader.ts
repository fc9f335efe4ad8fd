/** Reads the files of one import, whatever their formats: records, and what the files together are the whole of. */
import { Effect, Result, Stream } from "effect"
import type { FileSystem, Scope, Stdio } from "effect"
import * as path from "node:path"
import * as Records from "../../domain/catalog/Records.ts"
import * as Storefront from "../../domain/catalog/Storefront.ts"
import * as BulkSpool from "./BulkSpool.ts"
import { CsvRows } from "./CsvRows.ts"
import * as AdLibrary from "./formats/AdLibrary.ts"
import { foreign, isForeign } from "./formats/Foreign.ts"
import * as Format from "./formats/Format.ts"
import type { Detected, FormatName } from "./formats/Format.ts"
import { nothing } from "./formats/Reading.ts"
import type { Reading } from "./formats/Reading.ts"
import * as ProductCsv from "./formats/ProductCsv.ts"
import * as ShopCsv from "./formats/ShopCsv.ts"
import * as StorefrontShop from "./formats/StorefrontShop.ts"
import type { StoreOptions } from "./formats/StorefrontShop.ts"
import * as Taxonomy from "./formats/Taxonomy.ts"
import * as Traffic from "./formats/Traffic.ts"
import { UnreadableInput } from "./ImportError.ts"
import type { SourceOutcome } from "./Importer.ts"
import { rejects } from "./ImportSource.ts"
import type { ImportChunk } from "./ImportSource.ts"
import * as InputFile from "./InputFile.ts"
import { JsonItems } from "./JsonItems.ts"
import { Lines } from "./Lines.ts"
import { WholeStores } from "./WholeStores.ts"
import type { FileFacts } from "./Sources.ts"

export interface ReadOptions {
  /** Overrules what the files say of themselves. */
  readonly format: FormatName | undefined
  readonly store: StoreOptions
  /** The day that the data is of, `YYYY-MM-DD`. */
  readonly asOf: string
  /** The files are all that there is of the stores whose products they have. */
  readonly isComplete: boolean
  /** Told once for each file, before its records. */
  readonly onFile: (name: string, format: FormatName) => Effect.Effect<void>
}

export interface FileSet {
  readonly chunks: Stream.Stream<ImportChunk, UnreadableInput>
  /** Of all files together; `null` when one is not known. */
  readonly totalBytes: number | null
  /** Once the chunks have ended. */
  readonly outcome: () => SourceOutcome
  readonly formats: () => ReadonlySet<FormatName>
  readonly names: ReadonlyArray<string>
}

type Requirements = FileSystem.FileSystem | Stdio.Stdio | Scope.Scope

export const read = Effect.fn("FileReader.read")(function* (
  names: ReadonlyArray<string>,
  options: ReadOptions
): Effect.fn.Return<FileSet, UnreadableInput, Requirements> {
  const files = (yield* Effect.forEach(names, InputFile.locate)).flat()
  const context = yield* Effect.context<FileSystem.FileSystem | Stdio.Stdio>()
  const wholes = new WholeStores(options.isComplete)
  const facts: Array<FileFacts> = []
  const found = new Set<FormatName>()
  let bytesBefore = 0

  const chunksOf = (located: InputFile.LocatedFile) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const file = yield* InputFile.open(located)
        const detected = Format.detect(file.head, file.isWhole, options.format)
        if (Result.isFailure(detected)) {
          return yield* new UnreadableInput({ message: `${file.name} ${detected.failure}.` })
        }
        const { format } = detected.success
        found.add(format)
        yield* options.onFile(file.name, format)
        const before = bytesBefore
        return (yield* recordsOf(file, detected.success, options, wholes)).pipe(
          Stream.map((chunk) => {
            wholes.take(chunk)
            return stamped(chunk, file.name, before + file.bytesRead())
          }),
          Stream.onEnd(
            Effect.sync(() => {
              bytesBefore += file.bytesRead()
              facts.push({ name: file.name, format, sha256: file.sha256() })
            })
          )
        )
      }).pipe(Effect.provideContext(context))
    )

  const sizes = files.map(({ totalBytes }) => totalBytes)
  return {
    chunks: Stream.flatMap(Stream.fromIterable(files), chunksOf),
    totalBytes: sizes.reduce((sum: number | null, size) => (sum === null || size === null ? null : sum + size), 0),
    outcome: () => ({ files: facts, wholeStores: wholes.domains(), keptProducts: wholes.kept }),
    formats: () => found,
    names: files.map(({ name }) => name)
  }
})

const stamped = ({ rejects, rows, ...chunk }: ImportChunk, file: string, position: number): ImportChunk => ({
  ...chunk,
  position,
  rows: rows.map((row) => ({ ...row, file })),
  rejects: rejects.map((reject) => ({ ...reject, file }))
})

const chunk = ({ kept = [], rejects, rows, skipped }: Reading): ImportChunk => ({
  rows,
  rejects,
  skipped,
  kept,
  position: 0
})

const join = (readings: ReadonlyArray<Reading>): Reading => ({
  rows: readings.flatMap(({ rows }) => rows),
  rejects: readings.flatMap(({ rejects }) => rejects),
  skipped: readings.reduce((sum, { skipped }) => sum + skipped, 0),
  kept: readings.flatMap(({ kept = [] }) => kept)
})

const recordsOf = Effect.fnUntraced(function* (
  file: InputFile.InputFile,
  detected: Detected,
  options: ReadOptions,
  wholes: WholeStores
): Effect.fn.Return<Stream.Stream<ImportChunk, UnreadableInput>, UnreadableInput, Requirements> {
  const { container, format } = detected
  if (format !== "storefront" && format !== "bulk" && format !== "products") {
    return convert(file, container, converterOf(format, container, options), () => {})
  }
  const shop = yield* StorefrontShop.describe(file.name, options.store)
  const first: ImportChunk = { rows: [{ line: 0, record: shop }], rejects: [], skipped: 0, position: 0 }
  const records =
    format === "bulk"
      ? yield* BulkSpool.read(file, shop.domain)
      : format === "products"
        ? convert(file, container, productRows(container, shop.domain), (isWhole) => {
            if (isWhole) wholes.add(shop.domain)
          })
        : convert(file, container, storefrontItems(shop.domain, path.basename(file.name), wholes), (isWhole) => {
            if (!isWhole) wholes.spoil(shop.domain)
          })
  return Stream.concat(Stream.succeed(first), records)
})

/** Makes records of what a container holds: objects of JSON, or rows of a table. */
interface Converter {
  readonly item?: (item: unknown, line: number) => Reading
  readonly text?: (text: string, line: number) => Reading
  readonly row?: (cells: ReadonlyArray<string>, line: number) => Reading
  readonly end?: () => Reading
}

const converterOf = (
  format: Exclude<FormatName, "storefront" | "bulk" | "products">,
  container: Format.Container,
  { asOf, store }: ReadOptions
): Converter => {
  const header = container._tag === "Csv" ? container.header : []
  switch (format) {
    case "native":
      return { item: native }
    case "meta":
      return { item: (item, line) => StorefrontShop.fromMeta(foreign(item), line) }
    case "ads":
      return {
        item: (item, line) =>
          join(
            AdLibrary.adsIn(item).map((ad) =>
              AdLibrary.isAd(ad)
                ? AdLibrary.read(ad, line, asOf)
                : { ...nothing, rejects: [{ line, field: "ad_archive_id", reason: "is required" }] }
            )
          )
      }
    case "shops":
      return { row: ShopCsv.make(header, asOf.slice(0, 7), store) }
    case "traffic":
      return { row: Traffic.make(header) }
    case "taxonomy":
      return { text: Taxonomy.read }
  }
}

const native = (item: unknown, line: number): Reading =>
  Result.match(Records.decode(item), {
    onSuccess: (record) => ({ rows: [{ line, record }], rejects: [], skipped: 0 }),
    onFailure: (issues) => ({ rows: [], rejects: rejects(line, issues), skipped: 0 })
  })

const productRows = (container: Format.Container, domain: string): Converter => {
  const rows = ProductCsv.make(container._tag === "Csv" ? container.header : [], domain)
  return { row: rows.push, end: rows.end }
}

const storefrontItems = (domain: string, file: string, wholes: WholeStores): Converter => {
  wholes.page(domain, file)
  return {
    item: (item, line) => {
      const products = isForeign(item) && Array.isArray(item["products"]) ? item["products"] : [item]
      return join(
        products.map((product): Reading => {
          wholes.item(domain, file)
          const record = Storefront.toRecord(product, domain)
          if (Result.isFailure(record)) {
            const { handle, id } = foreign(product)
            const kept = [handle, id].flatMap((key) =>
              typeof key === "string" || typeof key === "number" ? [String(key)] : []
            )
            return { rows: [], rejects: rejects(line, record.failure), skipped: 0, kept }
          }
          return record.success === null
            ? { rows: [], rejects: [], skipped: 1 }
            : {
                rows: [{ line, record: record.success, category: record.success.details?.product_type ?? null }],
                rejects: [],
                skipped: 0
              }
        })
      )
    }
  }
}

/** `onEnd` is told whether the file was whole. */
const convert = (
  file: InputFile.InputFile,
  container: Format.Container,
  converter: Converter,
  onEnd: (isWhole: boolean) => void
): Stream.Stream<ImportChunk, UnreadableInput> =>
  Stream.suspend(() => {
    const cutter = cutterOf(container, converter)
    let damage: string | undefined
    const pieces = file.content.pipe(
      Stream.map((part) => {
        if ("damage" in part) {
          damage ??= part.damage
          return nothing
        }
        return damage === undefined ? cutter.push(part) : nothing
      })
    )
    const last = Stream.fromEffect(
      Effect.map(
        Effect.promise(() => cutter.end(damage)),
        ({ line, problem, reading }) => {
          onEnd(problem === undefined && damage === undefined)
          const reason = damage ?? problem
          return reason === undefined
            ? reading
            : { ...reading, rejects: [...reading.rejects, { line, field: "", reason }] }
        }
      )
    )
    return Stream.concat(pieces, last).pipe(
      Stream.filter(
        ({ kept = [], rejects, rows, skipped }) => rows.length + rejects.length + skipped + kept.length > 0
      ),
      Stream.map(chunk)
    )
  })

interface Cutter {
  readonly push: (bytes: Uint8Array) => Reading
  /** What is left, and why the input ended too early, if it did. */
  readonly end: (
    damage: string | undefined
  ) => Promise<{ readonly reading: Reading; readonly line: number; readonly problem: string | undefined }>
}

const cutterOf = (container: Format.Container, converter: Converter): Cutter => {
  switch (container._tag) {
    case "Lines": {
      const lines = new Lines()
      let last = 0
      const convert = (cut: ReturnType<Lines["push"]>): Reading =>
        join(
          cut.map((line) => {
            last = line.number
            if ("problem" in line) return problem(line.number, line.problem)
            if (converter.text !== undefined) return converter.text(line.text, line.number)
            const json = parseJson(line.text)
            return Result.isSuccess(json)
              ? (converter.item?.(json.success, line.number) ?? nothing)
              : problem(line.number, line.isUnfinished ? "the input ends in the middle of this record" : json.failure)
          })
        )
      return {
        push: (bytes) => convert(lines.push(bytes)),
        end: (damage) =>
          Promise.resolve({
            // What has begun is no record of a file that is damaged.
            reading: damage === undefined ? convert(lines.end()) : nothing,
            line: last + 1,
            problem: undefined
          })
      }
    }
    case "Json": {
      const items = new JsonItems(container.path)
      let count = 0
      const convert = (found: ReadonlyArray<unknown>) =>
        join(found.map((item) => converter.item?.(item, ++count) ?? nothing))
      return {
        push: (bytes) => convert(items.push(bytes)),
        end: () => {
          items.end()
          return Promise.resolve({ reading: nothing, line: count + 1, problem: items.problem })
        }
      }
    }
    case "Csv": {
      const rows = new CsvRows(container.delimiter)
      let isHeader = true
      let last = 1
      const convert = (found: ReturnType<CsvRows["push"]>) =>
        join(
          found.map(({ cells, line }) => {
            last = line
            if (isHeader) {
              isHeader = false
              return nothing
            }
            return converter.row?.(cells, line) ?? nothing
          })
        )
      return {
        push: (bytes) => convert(rows.push(bytes)),
        end: async (damage) => {
          const found = damage === undefined ? convert(await rows.end()) : nothing
          return {
            reading: join([found, converter.end?.() ?? nothing]),
            line: last + 1,
            problem: rows.problem
          }
        }
      }
    }
  }
}

const problem = (line: number, reason: string): Reading => ({
  rows: [],
  rejects: [{ line, field: "", reason }],
  skipped: 0
})

const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    // V8 repeats a part of the third-party text, which may be long; the position is enough to find it.
    catch: (error) => {
      const position = error instanceof Error ? /at position (\d+)/u.exec(error.message)?.[1] : undefined
      return position === undefined ? "is not JSON" : `is not JSON: see character ${Number(position) + 1}`
    }
  })
