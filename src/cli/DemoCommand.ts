/** `discovery demo`: the generated data set, loaded or written out. */
import { DateTime, Effect, Option, Predicate, Schema, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import type { DemoOptions, DemoSizeName } from "../../demo/DemoData.ts"
import { AppConfig, variables } from "../Config.ts"
import * as DemoPictures from "../domain/catalog/PictureNames.ts"
import { CalendarDate } from "../domain/Scalars.ts"
import { Importer } from "../services/import/Importer.ts"
import { Sources } from "../services/import/Sources.ts"
import * as ImportReporting from "./ImportReporting.ts"
import * as Output from "./Output.ts"
import { withDefault } from "./CommandParameters.ts"
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
const defaultSize = variables.DEMO_SIZE

/** The UTC date, which searches use as today. */
const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** Sizes of the demo data that were loaded, in stores. */
const loadedSizes = Effect.gen(function* () {
  const sources = yield* asUserError(Effect.flatMap(Sources, ({ list }) => list).pipe(Effect.provide(Sources.layer)))
  return sources.filter(({ name }) => name === DemoPictures.source).map(({ shops }) => shops)
})

/**
 * With its progress on standard error, and a summary of each import. The first time these are two, of a month ago and of what
 * differs since then, so that there are changes to show. Loading the same again changes nothing.
 */
const loadDemo = Effect.fn("DemoCommand.loadDemo")(function* (options: DemoOptions) {
  const { demoSource, demoTotal, demoMonth } = yield* demoData
  const { before, differing } = demoMonth(options)
  const imports =
    (yield* loadedSizes).length === 0
      ? [
          { name: "Demo data of a month ago", ...before },
          { name: "Demo data of today", ...differing }
        ]
      : [{ name: "Demo data", asOf: options.asOf, source: demoSource(options) }]
  for (const { asOf, name, source } of imports) {
    const report = yield* ImportReporting.run({
      label: "Loading the demo data",
      source,
      total: demoTotal(options),
      provenance: { source: DemoPictures.source, license: null, asOf },
      // Generated records are valid.
      maxRejects: 0,
      onRejects: () => Effect.void
    }).pipe(asUserError)
    yield* Output.lines(ImportReporting.summary(name, report).split("\n"))
  }
})

/** Loads the demo data at a start if the catalog is empty. A size that is asked for and not loaded is told. */
export const loadDemoOnce = Effect.gen(function* () {
  const importer = yield* Importer
  const { dataDir, demoSize } = yield* AppConfig
  if (!(yield* asUserError(importer.isEmpty))) {
    if (Option.isNone(demoSize)) return
    const { demoSizes } = yield* demoData
    if ((yield* loadedSizes).includes(demoSizes[demoSize.value].shops)) return
    return yield* Output.line(
      `DEMO_SIZE=${demoSize.value} has no effect: ${dataDir} has data already, which stays as it is. ` +
        "For data of this size, set DATA_DIR to a new folder."
    )
  }
  const size = Option.getOrElse(demoSize, () => defaultSize)
  yield* loadDemo({ size, seed: defaultSeed, asOf: yield* today })
})

const sizeNames = ["tiny", "demo", "large"] as const satisfies ReadonlyArray<DemoSizeName>

const options = {
  size: Flag.Literals("size", sizeNames).pipe(withDefault("tiny: 60 stores; demo: 2,000; large: 20,000", defaultSize)),
  seed: Flag.String("seed").pipe(withDefault("The same seed gives the same data", defaultSeed)),
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

const load = Command.make("load", options, (given) => Effect.flatMap(decided(given), loadDemo)).pipe(
  Command.withDescription("Load the demo data into the catalog")
)

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
