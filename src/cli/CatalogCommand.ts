/** `discovery catalog`: the sources of records, and a comparison of what is searched, the index or ClickHouse, with the records. */
import { Effect, Layer, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { AppConfig } from "../Config.ts"
import { Sources } from "../services/import/Sources.ts"
import * as VerifyEngine from "../services/search/clickhouse/VerifyEngine.ts"
import { CatalogReader } from "../services/search/runtime/CatalogReader.ts"
import { Snapshots } from "../services/search/runtime/Snapshots.ts"
import * as VerifyIndex from "../services/search/runtime/VerifyIndex.ts"
import * as Output from "./Output.ts"
import { count } from "./ProgressBar.ts"
import { client } from "./SearchEngine.ts"
import { asUserError } from "./UserErrors.ts"

class IndexDiffers extends Schema.TaggedError<IndexDiffers>()("IndexDiffers", { message: Schema.String }) {}

class EngineDiffers extends Schema.TaggedError<EngineDiffers>()("EngineDiffers", { message: Schema.String }) {}

class UnknownSource extends Schema.TaggedError<UnknownSource>()("UnknownSource", { message: Schema.String }) {}

const services = Layer.unwrap(
  Effect.map(AppConfig, ({ indexDir }) => Layer.merge(CatalogReader.layer, Snapshots.layerReadOnly(indexDir)))
)

const verifyIndex = Effect.gen(function* () {
  const { differences, version } = yield* VerifyIndex.verify
  if (differences.length === 0) {
    return yield* Output.line(`The index matches the records (version ${version}).`)
  }
  yield* Effect.forEach(differences, (difference) => Output.line(difference), { discard: true })
  return yield* new IndexDiffers({
    message:
      `The search index differs from the records of version ${version}; the first differences are above. ` +
      "Stop the server and delete the folder INDEX_DIR: the next start rebuilds the index."
  })
}).pipe(Effect.provide(services))

const verifyEngine = Effect.gen(function* () {
  const { clickhouseCluster } = yield* AppConfig
  const { differences, version } = yield* VerifyEngine.verify(Option.getOrUndefined(clickhouseCluster))
  if (differences.length === 0) {
    return yield* Output.line(`ClickHouse matches the records (version ${version}).`)
  }
  yield* Effect.forEach(differences, (difference) => Output.line(difference), { discard: true })
  return yield* new EngineDiffers({
    message:
      `ClickHouse differs from the records of version ${version}, as said above. ` +
      "`discovery engine project --rebuild` builds its tables again beside those that are searched."
  })
}).pipe(Effect.provide(Layer.merge(client, CatalogReader.layer)))

const verify = Command.make("verify", {}, () =>
  Effect.flatMap(AppConfig, ({ searchEngine }) =>
    searchEngine === "memory" ? asUserError(verifyIndex) : asUserError(verifyEngine)
  )
).pipe(
  Command.withDescription(
    "Compare what is searched with the records, value by value: this machine's newest snapshot of the index, brought up to date, or ClickHouse"
  )
)

const sources = Command.make("sources", {}, () =>
  Effect.gen(function* () {
    const all = yield* Effect.flatMap(Sources, ({ list }) => list)
    if (all.length === 0) return yield* Output.line("Nothing was imported yet.")
    yield* Effect.forEach(
      all,
      ({ ads, as_of, finished_at, imports, license, name, products, shops }) =>
        Output.line(
          [
            `${name}: data as of ${as_of}${finished_at === null ? ", whose import was stopped" : ""}, ${count(imports)} imports`,
            `${count(shops)} stores, ${count(products)} products, ${count(ads)} ads`,
            ...(license === null ? [] : [`license: ${license}`])
          ].join("; ")
        ),
      { discard: true }
    )
  }).pipe(Effect.provide(Sources.layer), asUserError)
).pipe(Command.withDescription("List where the records come from"))

const unknownSource = Effect.fnUntraced(function* (source: string) {
  const known = (yield* (yield* Sources).list).map(({ name }) => name)
  return yield* new UnknownSource({
    message: `There is no source ${source}. ${known.length === 0 ? "Nothing was imported yet." : `Known are: ${known.join(", ")}.`}`
  })
})

const source = Argument.String("source").pipe(
  Argument.withDescription("Name of the source, as `discovery catalog sources` lists it")
)

const imports = Command.make("imports", { source }, ({ source }) =>
  Effect.gen(function* () {
    const all = yield* (yield* Sources).imports(source)
    if (all.length === 0) return yield* unknownSource(source)
    for (const { accepted, as_of, files, finished_at, license, rejected, started_at } of all) {
      const outcome =
        finished_at === null ? "not finished" : `${count(accepted ?? 0)} records, ${count(rejected ?? 0)} rejected`
      const facts = [
        `${started_at.toISOString()}: data as of ${as_of}`,
        outcome,
        ...(license === null ? [] : [`license: ${license}`])
      ]
      yield* Output.line(facts.join("; "))
      for (const { format, name, sha256 } of files) yield* Output.line(`  ${name} (${format}) SHA-256 ${sha256}`)
    }
  }).pipe(Effect.provide(Sources.layer), asUserError)
).pipe(Command.withDescription("List the newest 100 imports of a source, and their files"))

const forget = Command.make("forget", { source }, ({ source }) =>
  Effect.gen(function* () {
    const gone = yield* (yield* Sources).forget(source)
    if (gone === undefined) return yield* unknownSource(source)
    yield* Output.line(
      `Removed ${count(gone.shops)} stores, ${count(gone.products)} products and ${count(gone.ads)} ads that only ${source} had.`
    )
  }).pipe(Effect.provide(Sources.layer), asUserError)
).pipe(Command.withDescription("Remove what only this source has brought, and the source"))

export const catalogCommand = Command.make("catalog").pipe(
  Command.withDescription("The records: where they come from, and whether the search index says what they say"),
  Command.withSubcommands([verify, sources, imports, forget])
)
