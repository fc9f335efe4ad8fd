/** `import --explain`: prints what an import would take from a file, without a database, and writes a map to start with. */
import { Effect, FileSystem, Result, Stream } from "effect"
import type { Scope, Stdio } from "effect"
import * as path from "node:path"
import { echo } from "../../domain/ArgumentDecoder.ts"
import * as ThirdPartyText from "../../domain/catalog/ThirdPartyText.ts"
import * as FileReader from "./FileReader.ts"
import type { ReadOptions } from "./FileReader.ts"
import { recordsOf } from "./FileRecords.ts"
import { isForeign } from "./formats/Foreign.ts"
import * as Format from "./formats/Format.ts"
import type { Container, Detected } from "./formats/Format.ts"
import * as MapGuess from "./formats/MapGuess.ts"
import type * as Mapping from "./formats/Mapping.ts"
import * as Sample from "./formats/Sample.ts"
import * as ColumnsUsed from "./formats/ColumnsUsed.ts"
import * as Traffic from "./formats/Traffic.ts"
import { UnreadableInput } from "./ImportError.ts"
import { Report } from "./ImportReport.ts"
import { leftOutReasons } from "./ImportSource.ts"
import type { ImportRow, Reject } from "./ImportSource.ts"
import * as FileLocator from "./FileLocator.ts"
import type * as InputFile from "./InputFile.ts"
import { OpenExport } from "./OpenExport.ts"
import { Unpacking } from "./Unpacking.ts"
import { CompleteStores } from "./CompleteStores.ts"

export interface ExplainOptions extends Omit<ReadOptions, "onFile" | "isComplete"> {
  readonly print: (text: string) => Effect.Effect<void>
}

const shownRecords = 3
const shownRejects = 3
const shownCharacters = 100
/** More rows are not read. */
const countedRows = 100_000

/** What would be imported of the rows that were read. */
export interface Explained {
  readonly read: number
  readonly rejected: number
  /** Whether a file cannot be imported as it is. */
  readonly isRefused: boolean
}

const nothingRead: Explained = { read: 0, rejected: 0, isRefused: false }

export const explain = Effect.fn("Explanation.explain")(function* (
  names: ReadonlyArray<string>,
  options: ExplainOptions
): Effect.fn.Return<Explained, UnreadableInput, FileSystem.FileSystem | Stdio.Stdio | Scope.Scope> {
  const unpacking = new Unpacking(options.maxUnpackedMebibytes)
  const files = (yield* Effect.forEach(names, (name) => FileLocator.locate(name, unpacking))).flat()
  const all = yield* Effect.forEach(files, (file) => Effect.scoped(explainFile(file, options)))
  return {
    read: all.reduce((sum, { read }) => sum + read, 0),
    rejected: all.reduce((sum, { rejected }) => sum + rejected, 0),
    isRefused: all.some(({ isRefused }) => isRefused)
  }
})

const explainFile = Effect.fnUntraced(function* (located: InputFile.LocatedFile, options: ExplainOptions) {
  const opened = yield* FileReader.open(located, options)
  const { file } = opened
  const { detected, mapping, what } = yield* understood(opened, options)
  const sample = Sample.of(file.head, file.isWhole, detected.container)
  yield* options.print(`${ThirdPartyText.line(file.name)}: ${what}${delimiterOf(detected.container)}`)
  const fields = Object.entries(mapping?.fields ?? {})
  const missing = fields.flatMap(([name, { column }]) => (column === "" ? [name] : []))
  const withColumns = Object.fromEntries(fields.filter(([name]) => !missing.includes(name)))
  const { dropped, taken } = ColumnsUsed.of(
    detected,
    sample,
    mapping === undefined ? undefined : { ...mapping, fields: withColumns }
  )
  yield* options.print(account({ dropped, taken }))
  if (missing.length > 0) {
    yield* options.print(`  No column was found for what a record must have: ${missing.join(", ")}.`)
  }
  const explained =
    missing.length > 0
      ? { ...nothingRead, isRefused: true }
      : yield* printSamples(file, detected, { ...options, mapping })
  const start = options.mapping === undefined ? (mapping ?? startOf(detected, sample)) : undefined
  if (start === undefined) return explained
  if (mapping === undefined) {
    const beyond = new Set(taken.map(({ field }) => field).filter((field) => !(field in start.fields)))
    const but = beyond.size === 0 ? "" : `, and a map cannot say: ${Array.from(beyond).join(", ")}`
    yield* options.print(`  This format needs no map${but}.`)
  }
  yield* options.print(yield* writeMap(located, start))
  return explained
})

interface Understood {
  readonly what: string
  readonly detected: Detected
  readonly mapping?: Mapping.Mapping | undefined
}

/** For a file of no known format, a map is guessed. */
const understood = Effect.fnUntraced(function* (
  { detected, file }: FileReader.OpenedFile,
  options: ExplainOptions
): Effect.fn.Return<Understood, UnreadableInput> {
  if (Result.isSuccess(detected)) {
    return { what: Format.formats[detected.success.format], detected: detected.success, mapping: options.mapping }
  }
  const container = Sample.containerOf(file.head, [])
  const sample = Result.map(container, (container) => Sample.of(file.head, file.isWhole, container))
  if (
    Result.isFailure(container) ||
    Result.isFailure(sample) ||
    sample.success.columns.length === 0 ||
    Format.otherKind(file.head) !== undefined
  ) {
    return yield* new UnreadableInput({ message: `${ThirdPartyText.line(file.name)} ${detected.failure}.` })
  }
  const mapping = MapGuess.guess(sample.success)
  return {
    what: `of no format that is known; perhaps records of the type ${mapping.record}, by the names of its columns`,
    detected: { format: "map", container: container.success },
    mapping
  }
})

const delimiters: Readonly<Record<string, string>> = { ",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars" }

const delimiterOf = (container: Container): string =>
  container._tag === "Csv" ? `, separated by ${delimiters[container.delimiter] ?? container.delimiter}` : ""

const account = ({ dropped, taken }: ColumnsUsed.Account): string => {
  const width = Math.max(0, ...taken.map(({ field }) => field.length))
  const lines = taken.map(({ column, field, how }) =>
    column === "" ? `  ${field.padEnd(width)}    ${how}` : `  ${field.padEnd(width)} <- ${echo(column)} (${how})`
  )
  return [...lines, `  dropped: ${dropped.length === 0 ? "nothing" : dropped.map(echo).join(", ")}`].join("\n")
}

/** Prints the first records and rejects, and how many rows there are of each kind. */
const printSamples = Effect.fnUntraced(function* (
  file: InputFile.InputFile,
  detected: Detected,
  options: ExplainOptions
) {
  const rows: Array<ImportRow> = []
  const wrong: Array<Reject> = []
  const report = new Report({
    maxRejects: Infinity,
    onRejects: (rejects) => Effect.sync(() => void wrong.push(...rejects.slice(0, shownRejects - wrong.length))),
    onProgress: () => Effect.void
  })
  const counts = () => report.withLast({ changedShops: 0, removedProducts: 0 })
  const isMore = () => {
    const { leftOut, read, rejected } = counts()
    return read + rejected + leftOut < countedRows
  }
  const completeStores = new CompleteStores(false)
  const lastExport = new OpenExport(completeStores)
  const records = yield* recordsOf(file, detected, options, completeStores, lastExport).pipe(
    Effect.map(Stream.concat(lastExport.rest)),
    Effect.flatMap(
      Stream.runForEachWhile((chunk) => {
        // A file of products begins with a row for its store, which has the line 0.
        rows.push(...chunk.rows.slice(0, shownRecords + 1 - rows.length))
        return Effect.map(report.read(chunk), isMore)
      })
    ),
    Effect.result
  )
  if (Result.isFailure(records)) {
    yield* options.print(`  ${records.failure.message}`)
    return { ...nothingRead, isRefused: true }
  }
  const shown = rows.slice(0, shownRecords + (rows[0]?.line === 0 ? 1 : 0))
  const rejected = wrong.map(
    ({ field, line, reason }) => `  rejected: line ${line}: ${field === "" ? "" : `${field} `}${reason}`
  )
  yield* options.print([...shown.flatMap(linesOf), ...rejected, ...figures(counts(), isMore())].join("\n"))
  return { ...nothingRead, read: counts().read, rejected: counts().rejected }
})

const number = (value: number): string => value.toLocaleString("en")

const list = (what: string, counts: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  counts.size === 0
    ? []
    : [`  ${what}: ${Array.from(counts, ([name, count]) => `${name} ${number(count)}`).join(", ")}`]

const figures = (
  { leftOut, otherCurrencies, read, reasons, rejected, stops, invalidFields }: ReturnType<Report["withLast"]>,
  isWhole: boolean
): ReadonlyArray<string> => [
  `  ${isWhole ? "rows" : `the first ${number(read + rejected + leftOut)} rows`}: ${number(read)} read, ${number(rejected)} rejected, ${number(leftOut)} left out`,
  ...stops.map(({ line }) => `  not read to the end, but up to line ${number(line)}`),
  ...list("left out", new Map(Array.from(reasons, ([reason, count]) => [leftOutReasons[reason], count]))),
  ...list("optional values that do not fit, unknown or cut", invalidFields),
  ...(otherCurrencies === 0
    ? []
    : [`  amounts left out, because not known to be in the currency of their store: ${number(otherCurrencies)}`])
]

/** A record with a line for each field that it has. */
const linesOf = (row: ImportRow): ReadonlyArray<string> => {
  const { type, ...fields } = recordOf(row)
  const all = Object.entries(fields).flatMap(([name, value]: readonly [string, unknown]) =>
    name === "details" && isForeign(value)
      ? Object.entries(value).map(([inner, of]) => [`${name}.${inner}`, of] as const)
      : [[name, value] as const]
  )
  const written = all.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
  return [
    `  ${row.line === 0 ? "the store of the file" : `line ${row.line}`}: ${type}`,
    ...written.map(([name, value]) => `    ${name}: ${cut(JSON.stringify(value))}`)
  ]
}

const cut = (text: string): string => {
  const characters = Array.from(text.slice(0, 2 * shownCharacters))
  return characters.length <= shownCharacters ? text : `${characters.slice(0, shownCharacters).join("")}…`
}

const recordOf = ({ record }: ImportRow) => (record.type === "library_ad" ? record.ad : record)

/** Returns a map for the formats that a map can express, which excludes traffic with one column per month. */
const startOf = ({ container, format }: Detected, sample: Sample.Sample): Mapping.Mapping | undefined => {
  if (format === "shops") return MapGuess.guess(sample, "shop")
  const isLong = container._tag === "Csv" && Traffic.places(container.header).visits >= 0
  return format === "traffic" && isLong ? MapGuess.guess(sample, "traffic_month") : undefined
}

/** The map is written beside the file, or beside the archive that contains it. */
const mapPathOf = ({ archive, name }: InputFile.LocatedFile): string => {
  const pathOf = (name: string) => (name === FileLocator.standardInput ? "stdin" : name)
  return archive === undefined
    ? `${pathOf(name)}${FileLocator.mapEnding}`
    : `${pathOf(archive.name)}.${path.posix.basename(name)}${FileLocator.mapEnding}`
}

const writeMap = Effect.fnUntraced(function* (
  located: InputFile.LocatedFile,
  mapping: Mapping.Mapping
): Effect.fn.Return<string, UnreadableInput, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const file = mapPathOf(located)
  const written = yield* Effect.result(
    files.writeFileString(file, `${JSON.stringify(mapping, null, 2)}\n`, { flag: "wx" })
  )
  if (Result.isSuccess(written)) {
    return `  ${ThirdPartyText.line(file)} is a map to start with. Change it, look again with --explain --map, then import with --map.`
  }
  const { failure } = written
  if (failure.reason._tag === "AlreadyExists")
    return `  ${ThirdPartyText.line(file)} exists already and was left as it is.`
  return yield* new UnreadableInput({
    message: `${ThirdPartyText.line(file)} cannot be written: ${failure.message}.`,
    cause: failure
  })
})
