/** `discovery catalog`: compares the search index with the records. */
import { Console, Effect, Layer, Schema } from "effect"
import { Command } from "effect/cli"
import { AppConfig } from "../Config.ts"
import { CatalogReader } from "../services/search/runtime/CatalogReader.ts"
import { Snapshots } from "../services/search/runtime/Snapshots.ts"
import * as VerifyIndex from "../services/search/runtime/VerifyIndex.ts"
import { asUserError } from "./UserErrors.ts"

class IndexDiffers extends Schema.TaggedError<IndexDiffers>()("IndexDiffers", { message: Schema.String }) {}

const services = Layer.unwrap(
  Effect.map(AppConfig, ({ indexDir }) => Layer.merge(CatalogReader.layer, Snapshots.layerReadOnly(indexDir)))
)

const verify = Command.make("verify", {}, () =>
  Effect.gen(function* () {
    const { differences, version } = yield* VerifyIndex.verify
    if (differences.length === 0) {
      return yield* Console.log(`The search index says what the records of version ${version} say.`)
    }
    yield* Effect.forEach(differences, (difference) => Console.log(difference), { discard: true })
    return yield* new IndexDiffers({
      message:
        `The search index differs from the records of version ${version}; the first differences are above. ` +
        "Stop the server and delete the folder INDEX_DIR: the next start rebuilds the index."
    })
  }).pipe(Effect.provide(services), asUserError)
).pipe(
  Command.withDescription(
    "Bring this machine's newest snapshot of the search index up to date, build another one from the records, and compare every value"
  )
)

export const catalogCommand = Command.make("catalog").pipe(
  Command.withDescription("The search index: compare it with the records"),
  Command.withSubcommands([verify])
)
