/** `discovery demo`: the generated data set, loaded or written out. */
import { Console, DateTime, Effect, Option, Predicate, Schema, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import type { DemoOptions, DemoSizeName } from "../../demo/DemoData.ts"
import { AppConfig } from "../Config.ts"
import * as DemoPictures from "../domain/catalog/DemoPictures.ts"
import { CalendarDate } from "../domain/search/Arguments.ts"
import { Importer } from "../services/import/Importer.ts"
import * as ImportReporting from "./ImportReporting.ts"
import { asUserError } from "./UserErrors.ts"

class DemoMissing extends Schema.TaggedError<DemoMissing>()("DemoMissing", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/** Loaded when it is needed: images for production do not have the folder. */
const demoData = asUserError(
  Effect.tryPromise({
    try: () => import("../../demo/DemoData.ts"),
    catch: (cause) =>
      new DemoMissing({
        message: "The demo data is not installed: the folder demo of the repository is missing.",
        cause
      })
  })
)

const defaultSeed = "discovery"

/** The UTC date, which searches use as today. */
const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** With its progress on standard error. Loading the same again changes nothing. */
const loadDemo = Effect.fn("DemoCommand.loadDemo")(function* (options: DemoOptions) {
  const { demoSource, demoTotal } = yield* demoData
  return yield* ImportReporting.run({
    label: "Loading the demo data",
    source: demoSource(options),
    total: demoTotal(options),
    provenance: { source: DemoPictures.source, license: null, asOf: options.asOf },
    // Generated records are valid.
    maxRejects: 0,
    onRejects: () => Effect.void
  }).pipe(asUserError)
})

/** Loads the demo data at a start if the catalog is empty. */
export const loadDemoOnce = Effect.gen(function* () {
  const importer = yield* Importer
  if (!(yield* asUserError(importer.isEmpty))) return
  const { demoSize } = yield* AppConfig
  const report = yield* loadDemo({ size: demoSize, seed: defaultSeed, asOf: yield* today })
  yield* Console.log(ImportReporting.summary("Demo data", report))
})

const sizeNames = ["tiny", "demo", "large"] as const satisfies ReadonlyArray<DemoSizeName>

const options = {
  size: Flag.Literals("size", sizeNames).pipe(
    Flag.withDescription("tiny: 60 stores; demo: 2,000; large: 20,000"),
    Flag.withDefault("demo")
  ),
  seed: Flag.String("seed").pipe(
    Flag.withDescription("The same seed gives the same data"),
    Flag.withDefault(defaultSeed)
  ),
  asOf: Flag.String("as-of").pipe(
    Flag.withDescription("The day that counts as today in the data, YYYY-MM-DD; default: today"),
    Flag.withSchema(CalendarDate),
    Flag.optional
  )
}

const decided = Effect.fnUntraced(function* (given: {
  readonly size: DemoSizeName
  readonly seed: string
  readonly asOf: Option.Option<string>
}): Effect.fn.Return<DemoOptions> {
  const asOf = Option.isSome(given.asOf) ? given.asOf.value : yield* today
  return { size: given.size, seed: given.seed, asOf }
})

const load = Command.make("load", options, (given) =>
  Effect.gen(function* () {
    const report = yield* loadDemo(yield* decided(given))
    yield* Console.log(ImportReporting.summary("Demo data", report))
  })
).pipe(Command.withDescription("Load the demo data into the catalog"))

const exportDemo = Command.make("export", options, (given) =>
  Effect.gen(function* () {
    const stdio = yield* Stdio.Stdio
    const { demoLines } = yield* demoData
    yield* Stream.run(demoLines(yield* decided(given)), stdio.stdout()).pipe(
      // The reader closed the pipe, as `head` does.
      Effect.catchIf(
        ({ reason: { cause } }) => Predicate.hasProperty(cause, "code") && cause.code === "EPIPE",
        () => Effect.void
      ),
      asUserError
    )
  })
).pipe(Command.withDescription("Write the demo data to standard output, as a file that import reads"))

export const demoCommand = Command.make("demo").pipe(
  Command.withDescription("The demo data: generated, the same for the same seed and day"),
  Command.withSubcommands([load, exportDemo])
)
