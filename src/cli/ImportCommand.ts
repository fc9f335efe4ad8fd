/** `discovery import`: imports files of records (docs/import.md). */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { UnreadableInput } from "../services/import/ImportError.ts"
import * as InputFile from "../services/import/InputFile.ts"
import * as NativeReader from "../services/import/NativeReader.ts"
import * as RejectFile from "../services/import/RejectFile.ts"
import * as StorefrontReader from "../services/import/StorefrontReader.ts"
import * as ImportReporting from "./ImportReporting.ts"
import { RecordsRejected } from "./ImportReporting.ts"
import { asUserError } from "./UserErrors.ts"

const defaultMaxRejects = 10_000

const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const options = {
  files: Argument.String("file").pipe(
    Argument.withDescription("Files to import, plain or gzip; - is standard input"),
    Argument.variadic({ min: 1 })
  ),
  format: Flag.Literals("format", ["native", "storefront"]).pipe(
    Flag.withDescription("native: one record a line; storefront: a shop's products.json"),
    Flag.withDefault("native")
  ),
  rejects: optionalText("rejects", "Where to write rejected records; default: the file's name with .rejects.ndjson"),
  maxRejects: Flag.Int("max-rejects").pipe(
    Flag.withDescription("Stop when more records than this are rejected"),
    Flag.withDefault(defaultMaxRejects)
  ),
  meta: optionalText("meta", "storefront: the shop's meta.json"),
  domain: optionalText("domain", "storefront: the shop's domain, if there is no meta.json"),
  name: optionalText("name", "storefront: the shop's name"),
  country: optionalText("country", "storefront: the shop's country, ISO 3166-1 alpha-2"),
  currency: optionalText("currency", "storefront: the shop's currency, ISO 4217")
}

type Options = Command.Command.Config.Infer<typeof options>

const importFile = Effect.fn("ImportCommand.importFile")(function* (path: string, options: Options) {
  const file = yield* InputFile.open(path)
  const rejects = yield* RejectFile.make({
    path: Option.getOrElse(options.rejects, () => `${path === "-" ? "stdin" : path}.rejects.ndjson`),
    isNamed: Option.isSome(options.rejects),
    inputs: [...options.files, ...Option.toArray(options.meta)]
  })
  const source =
    options.format === "native"
      ? NativeReader.read(file)
      : yield* StorefrontReader.read(file, {
          metaPath: Option.getOrUndefined(options.meta),
          domain: Option.getOrUndefined(options.domain),
          name: Option.getOrUndefined(options.name),
          country: Option.getOrUndefined(options.country),
          currency: Option.getOrUndefined(options.currency)
        })
  const report = yield* ImportReporting.run({
    label: "Importing",
    source,
    total: file.totalBytes,
    maxRejects: options.maxRejects,
    onRejects: rejects.write
  })
  yield* Console.log(ImportReporting.summary(file.name, report))
  return report.rejected === 0 ? [] : [rejects.path]
}, Effect.scoped)

export const importCommand = Command.make("import", options, (options) =>
  Effect.gen(function* () {
    if (Option.isSome(options.rejects) && options.files.length > 1) {
      return yield* new UnreadableInput({ message: "--rejects names one file, so import one file at a time." })
    }
    const rejected = yield* Effect.forEach(options.files, (file) => importFile(file, options))
    return rejected.flat()
  }).pipe(
    asUserError,
    Effect.flatMap((paths) =>
      paths.length === 0
        ? Effect.void
        : Effect.fail(
            new RecordsRejected({
              cause: paths,
              userMessage: `Some records were rejected; ${paths.join(", ")} says which and why. All others are imported.`
            })
          )
    )
  )
).pipe(
  Command.withDescription("Import records into the catalog; the same file twice changes nothing"),
  Command.withExamples([
    { command: "discovery import catalog.ndjson.gz", description: "Import a file of records" },
    {
      command: "discovery import --format storefront products.json --meta meta.json",
      description: "Import what a shop's storefront publishes"
    }
  ])
)
