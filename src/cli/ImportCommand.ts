/** `discovery import`: imports files of records into the catalog (docs/import.md). */
import { DateTime, Effect, Layer, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import * as path from "node:path"
import { AppConfig } from "../Config.ts"
import * as ThirdPartyText from "../domain/catalog/ThirdPartyText.ts"
import { isCalendarDate } from "../domain/Scalars.ts"
import * as Explanation from "../services/import/Explanation.ts"
import * as FileReader from "../services/import/FileReader.ts"
import { formatNames, formats } from "../services/import/formats/Format.ts"
import * as Mapping from "../services/import/formats/Mapping.ts"
import type { ImportReport } from "../services/import/ImportReport.ts"
import { UnreadableInput } from "../services/import/ImportError.ts"
import { Importer } from "../services/import/Importer.ts"
import * as RejectFile from "../services/import/RejectFile.ts"
import * as ImportReporting from "./ImportReporting.ts"
import { RecordsRejected } from "./ImportReporting.ts"
import * as Output from "./Output.ts"
import { withDefault } from "./CommandParameters.ts"
import { asUserError } from "./UserErrors.ts"

const defaultMaxRejects = 10_000

const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const options = {
  files: Argument.String("file").pipe(
    Argument.withDescription(
      "Files, folders or patterns, plain or packed; - is standard input. They are taken together"
    ),
    Argument.variadic({ min: 1 })
  ),
  format: Flag.Literals("format", formatNames).pipe(
    Flag.withDescription("What the files are, where they do not tell it themselves; default: as each file tells"),
    Flag.optional
  ),
  map: optionalText(
    "map",
    "A map that says which columns the fields of records are in; for tables of no known format; default: none"
  ),
  explain: Flag.Boolean("explain").pipe(
    Flag.withDescription(
      "Print what would be taken from which column, and write a map to start with; nothing is imported"
    ),
    Flag.withDefault(false)
  ),
  rejects: optionalText(
    "rejects",
    "Where to write rejected records; default: the first file's name with .rejects.ndjson"
  ),
  maxRejects: Flag.Int("max-rejects").pipe(
    withDefault("Stop when more records than this are rejected", defaultMaxRejects)
  ),
  maxUnpacked: Flag.Int("max-unpacked").pipe(
    Flag.withDescription(
      "The MiB that packed files may have in all, and copies of what comes through a pipe; default: 64 and 200 times the packed size, at most 65536"
    ),
    Flag.optional
  ),
  source: optionalText(
    "source",
    "The name of where the data is from; default: the store's domain, or the file's name without date and number"
  ),
  license: optionalText("license", "What may be done with the data; kept with the import; default: not stated"),
  asOf: optionalText("as-of", "The day that the data is of, YYYY-MM-DD; default: today"),
  complete: Flag.Boolean("complete").pipe(
    Flag.withDescription("The files have all products of their stores: others are removed"),
    Flag.withDefault(false)
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withDescription("Remove also more than half of the products of a store"),
    Flag.withDefault(false)
  ),
  meta: optionalText("meta", "products: the store's meta.json; default: the one beside the file"),
  domain: optionalText("domain", "products: the store's domain; default: that of the meta.json"),
  name: optionalText("name", "products: the store's name; default: that of the meta.json"),
  country: optionalText(
    "country",
    "products and stores: the country of new stores, ISO 3166-1 alpha-2; default: that of the meta.json"
  ),
  currency: optionalText("currency", "products: the store's currency, ISO 4217; default: that of the meta.json")
}

/** The importer of `--explain`, which needs no database. */
const withoutDatabase = Layer.succeed(
  Importer,
  Importer.of({
    run: () => Effect.fail(new UnreadableInput({ message: "--explain imports nothing." })),
    isEmpty: Effect.succeed(false)
  })
)

/** `live` is built only if something is imported. */
export const importerOf =
  <E, R>(live: Layer.Layer<Importer, E, R>) =>
  ({ explain }: Options): Layer.Layer<Importer, E, R> =>
    explain ? withoutDatabase : live

type Options = Command.Command.Config.Infer<typeof options>

/** Dates, times in seconds or milliseconds, weeks, numbers in brackets, and the number of a page or part at the end of a name. */
const ofOneDelivery =
  /(?<!\d)(?:(?:19|20)\d{2}[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?(?:[T_-]\d{2}[-_.:]?\d{2}(?:[-_.:]?\d{2})?Z?)?|(?:19|20)\d{2}-?W\d{2}|\d{10}|\d{13})(?!\d)|\s?\(\d{1,4}\)|(?:[-_ .]|(?<![a-z\d]))(?:page|part|p)?[-_ ]?\d{1,4}(?=\.|$)/giu

const fileEndings = new Set(["csv", "tsv", "txt", "json", "jsonl", "ndjson", "gz", "zst", "zip"])

/** The name of a file or folder without what is of one delivery only; else that of the folder that it is in. */
const lastingName = (file: string): string => {
  const name = path.basename(file)
  const parts = name.split(".")
  const first = parts.findLastIndex((part, at) => at === 0 || !fileEndings.has(part.toLowerCase())) + 1
  const stem = parts.slice(0, first).join(".")
  const lasting = stem
    .replaceAll(ofOneDelivery, "")
    .replaceAll(/([-_ .])[-_ .]+/gu, "$1")
    .replace(/^[-_ .]/u, "")
    .replace(/[-_ .]$/u, "")
  if (lasting !== "") return [lasting, ...parts.slice(first)].join(".")
  return path.dirname(file) === file ? name : lastingName(path.dirname(file))
}

/**
 * The default is the store's domain, because each download has other file names, else the first file's name without date and number. It
 * is stored and listed, so that nothing invisible of a name is part of it.
 */
export const sourceOf = ({ domain, files, source }: Pick<Options, "domain" | "files" | "source">): string => {
  const given = Option.getOrElse(source, () =>
    Option.getOrElse(domain, () => (files[0] === "-" ? "standard input" : lastingName(path.resolve(files[0] ?? ""))))
  )
  return ThirdPartyText.line(given).trim() || "unnamed"
}

const dayOf = Effect.fnUntraced(function* (asOf: Option.Option<string>) {
  if (Option.isNone(asOf)) return DateTime.formatIsoDateUtc(yield* DateTime.now)
  if (isCalendarDate(asOf.value)) return asOf.value
  return yield* new UnreadableInput({ message: `--as-of ${asOf.value} is no day in the form YYYY-MM-DD.` })
})

/** Options for reading files, for an import and for `--explain`. */
const readingOf = Effect.fnUntraced(function* (options: Options) {
  if (Option.isSome(options.map) && Option.isSome(options.format)) {
    return yield* new UnreadableInput({ message: "A map says what the files are: leave out --format, or --map." })
  }
  return {
    format: Option.getOrUndefined(options.format),
    mapping: Option.isSome(options.map) ? yield* Mapping.load(options.map.value) : undefined,
    store: {
      metaPath: Option.getOrUndefined(options.meta),
      domain: Option.getOrUndefined(options.domain),
      name: Option.getOrUndefined(options.name),
      country: Option.getOrUndefined(options.country),
      currency: Option.getOrUndefined(options.currency)
    },
    refusesUnused: true,
    asOf: yield* dayOf(options.asOf),
    maxUnpackedMebibytes: Option.getOrUndefined(options.maxUnpacked)
  }
})

const explainFiles = Effect.fn("ImportCommand.explainFiles")(function* (options: Options) {
  const { isRefused, read, rejected } = yield* Explanation.explain(options.files, {
    ...(yield* readingOf(options)),
    print: (text) => Output.lines(text.split("\n"))
  })
  if (isRefused || (rejected > 0 && read === 0)) {
    return Option.some(
      new CliError.UserError({ cause: options.files, userMessage: "Nothing of it would be imported." })
    )
  }
  return rejected === 0
    ? Option.none()
    : Option.some(new RecordsRejected({ cause: options.files, userMessage: "Some records would be rejected." }))
}, Effect.scoped)

/** The default name of the reject file, beside the first input. `.` and `..` have no name of their own: it is within them. */
export const rejectsOf = (first: string): string => {
  if (first === "-") return "stdin.rejects.ndjson"
  const folder = /^\.{1,2}$/u.test(path.basename(first)) ? first : path.dirname(first)
  return `${path.join(folder, path.basename(path.resolve(first)))}.rejects.ndjson`
}

const failureOf = ({ read, stops }: ImportReport, path: string): CliError.UserError => {
  const where = `${ThirdPartyText.line(path)} says which and why.`
  if (read <= 0) {
    return new CliError.UserError({
      cause: [path],
      userMessage: `Nothing was imported: all records were rejected; ${where}`
    })
  }
  const others = stops.length === 0 ? "All others are imported." : "A file was not read to its end."
  return new RecordsRejected({ cause: [path], userMessage: `Some records were rejected; ${where} ${others}` })
}

const importFiles = Effect.fn("ImportCommand.importFiles")(function* (options: Options) {
  const reading = yield* readingOf(options)
  const set = yield* FileReader.read(options.files, {
    ...reading,
    isComplete: options.complete,
    onFile: (name, format) => Output.note(`${name}: ${formats[format]}`)
  })
  const [first = "-"] = options.files
  const rejects = yield* RejectFile.make({
    path: Option.getOrElse(options.rejects, () => rejectsOf(first)),
    isNamed: Option.isSome(options.rejects),
    inputs: [...set.names, ...Option.toArray(options.meta), ...Option.toArray(options.map)]
  })
  const { adsExpireDays } = yield* AppConfig
  const report = yield* ImportReporting.run({
    label: "Importing",
    source: set.chunks,
    total: set.totalBytes,
    provenance: { source: sourceOf(options), license: Option.getOrNull(options.license), asOf: reading.asOf },
    outcome: set.outcome,
    notesProducts: set.mayBeWhole,
    expireAdsAfterDays: () => (set.formats().has("ads") ? adsExpireDays : undefined),
    allowsLargeRemovals: options.yes,
    maxRejects: options.maxRejects,
    onRejects: rejects.write
  })
  yield* Output.lines(ImportReporting.summary(sourceOf(options), report).split("\n"))
  if (report.rejectedRecords === 0 && (yield* rejects.removeOld)) {
    yield* Output.line(`  ${rejects.path}, of an earlier import, was removed: nothing was rejected now.`)
  }
  return report.rejectedRecords === 0 ? Option.none() : Option.some(failureOf(report, rejects.path))
}, Effect.scoped)

export const importCommand = Command.make("import", options, (options) =>
  (options.explain ? explainFiles(options) : importFiles(options)).pipe(
    asUserError,
    Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: (failure) => Effect.fail(failure) }))
  )
).pipe(
  Command.withDescription("Import files into the catalog, whatever their format; the same files twice change nothing"),
  Command.withExamples([
    { command: "discovery import catalog.ndjson.gz", description: "Import a file of records" },
    {
      command: "discovery import oakline.com/",
      description: "Import what a store's storefront publishes, a folder a store"
    },
    {
      command: "discovery import --explain stores.csv",
      description: "Look at a table of any kind, and get a map to start with"
    },
    {
      command: "discovery import products_export.csv --domain oakline.com --country DE --currency EUR",
      description: "Import a merchant's export"
    }
  ])
)
