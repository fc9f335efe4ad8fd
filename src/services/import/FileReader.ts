/** Reads the files of one import in any format: their records, and for which stores the files are complete. */
import { Context, Effect, FileSystem, Result, Stdio, Stream } from "effect"
import type { Scope } from "effect"
import * as ThirdPartyText from "../../domain/catalog/ThirdPartyText.ts"
import * as Format from "./formats/Format.ts"
import type { Detected, FormatName } from "./formats/Format.ts"
import type * as MappedRows from "./formats/MappedRows.ts"
import * as Mapping from "./formats/Mapping.ts"
import * as Sample from "./formats/Sample.ts"
import { UnreadableInput } from "./ImportError.ts"
import type { SourceOutcome } from "./Importer.ts"
import type { ImportChunk } from "./ImportSource.ts"
import * as FileLocator from "./FileLocator.ts"
import { isProductTable, recordsOf } from "./FileRecords.ts"
import type { RecordOptions } from "./FileRecords.ts"
import * as InputFile from "./InputFile.ts"
import { ProductMemory } from "./formats/ProductMemory.ts"
import { OpenExport } from "./OpenExport.ts"
import type { FileFacts } from "./Provenance.ts"
import { Unpacking } from "./Unpacking.ts"
import { CompleteStores } from "./CompleteStores.ts"

export interface ReadOptions extends RecordOptions {
  /** Overrides the detected format. */
  readonly format: FormatName | undefined
  /** Whether the files contain all products of their stores. */
  readonly isComplete: boolean
  /** What packed files of the import may have in all, in MiB; by default, a multiple of their size. */
  readonly maxUnpackedMebibytes?: number | undefined
  /** Called once for each file, before its records. */
  readonly onFile: (name: string, format: FormatName) => Effect.Effect<void>
}

export interface FileSet {
  readonly chunks: Stream.Stream<ImportChunk, UnreadableInput>
  /** The size of all files together; `null` if the size of one is unknown. */
  readonly totalBytes: number | null
  /** To be called when the chunks have ended. */
  readonly outcome: () => SourceOutcome
  readonly formats: () => ReadonlySet<FormatName>
  /** Whether a file that was opened may contain all products of a store. */
  readonly mayBeWhole: () => boolean
  readonly names: ReadonlyArray<string>
}

type Requirements = FileSystem.FileSystem | Stdio.Stdio | Scope.Scope

export const read = Effect.fn("FileReader.read")(function* (
  names: ReadonlyArray<string>,
  options: ReadOptions
): Effect.fn.Return<FileSet, UnreadableInput, Requirements> {
  const unpacking = new Unpacking(options.maxUnpackedMebibytes)
  const files = (yield* Effect.forEach(names, (name) => FileLocator.locate(name, unpacking))).flat()
  // Without the caller's scope, so that each file is closed when its records are read.
  const context = Context.pick(FileSystem.FileSystem, Stdio.Stdio)(yield* Effect.context<Requirements>())
  const completeStores = new CompleteStores(options.isComplete)
  const facts: Array<FileFacts> = []
  const formats = new Set<FormatName>()
  const lastExport = new OpenExport(completeStores)
  const products: MappedRows.Products = new ProductMemory()
  let bytesBefore = 0

  const chunksOf = (located: InputFile.LocatedFile) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { detected, file } = yield* open(located, options)
        // It is printed, written beside rejected records, and stored with the import.
        const name = ThirdPartyText.line(file.name)
        if (Result.isFailure(detected)) return yield* new UnreadableInput({ message: `${name} ${detected.failure}.` })
        const { format } = detected.success
        formats.add(format === "map" && options.mapping?.record === "ad" ? "ads" : format)
        yield* options.onFile(name, format)
        const before = bytesBefore
        const left = isProductTable(format) ? [] : lastExport.close()
        const records = yield* recordsOf(file, detected.success, options, completeStores, lastExport, products)
        return Stream.concat(Stream.fromIterable(left), records).pipe(
          Stream.map((chunk) => stamped(chunk, name, before + file.bytesRead())),
          Stream.onEnd(
            Effect.sync(() => {
              bytesBefore += file.bytesRead()
              facts.push({ name, format, sha256: file.sha256() })
            })
          )
        )
      }).pipe(Effect.provideContext(context))
    )

  const sizes = files.map(({ totalBytes }) => totalBytes)
  return {
    chunks: Stream.concat(
      Stream.flatMap(Stream.fromIterable(files), chunksOf),
      Stream.map(lastExport.rest, (chunk) => stamped(chunk, "", bytesBefore))
    ),
    totalBytes: sizes.reduce((sum: number | null, size) => (sum === null || size === null ? null : sum + size), 0),
    outcome: () => ({
      files: facts,
      wholeStores: completeStores.domains(),
      kept: completeStores.kept,
      lacksAds: !completeStores.isEveryAdRead
    }),
    formats: () => formats,
    mayBeWhole: () => options.isComplete || formats.has("storefront") || formats.has("products"),
    names: files.map(({ name }) => name)
  }
})

export interface OpenedFile {
  readonly file: InputFile.InputFile
  /** A failure says why the format is unknown. */
  readonly detected: Result.Result<Detected, string>
}

/** Opens a file and detects its format; by a longer beginning of it if its first record is larger than the usual one. */
export const open = Effect.fn("FileReader.open")(function* (
  located: InputFile.LocatedFile,
  options: Pick<ReadOptions, "format" | "mapping">
): Effect.fn.Return<OpenedFile, UnreadableInput, Scope.Scope> {
  const file = yield* InputFile.open(located)
  const detected = detect(file, options)
  // Of a line that is cut off, a map would take an inner list for its records.
  const isKnown = options.mapping === undefined ? Result.isSuccess(detected) : file.head.includes("\n")
  if (isKnown || file.isWhole || !/^\uFEFF?\s*[{[]/u.test(file.head)) return { file, detected }
  const longer = yield* InputFile.withLongHead(file)
  return { file: longer, detected: detect(longer, options) }
})

const detect = (
  { head, isWhole }: InputFile.InputFile,
  { format, mapping }: Pick<ReadOptions, "format" | "mapping">
): Result.Result<Detected, string> =>
  mapping === undefined
    ? Format.detect(head, isWhole, format)
    : Result.map(Sample.containerOf(head, Mapping.columnsOf(mapping)), (container) => ({ format: "map", container }))

const stamped = ({ rejects, rows, ...chunk }: ImportChunk, file: string, position: number): ImportChunk => ({
  ...chunk,
  file,
  part: chunk.part ?? file,
  position,
  // To spread each of millions of rows takes twice as long.
  rows: rows.map(({ category, file: own = file, currencies, isAgain, item, line, record, sourceRows }) => ({
    line,
    record,
    category,
    file: own,
    item,
    sourceRows,
    isAgain,
    currencies
  })),
  rejects: rejects.map((reject) => ({ file, ...reject }))
})
