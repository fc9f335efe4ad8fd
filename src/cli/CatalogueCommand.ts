/** `discovery catalogue`: whether what searches read is what the records say, and making it so. */
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { DerivedData } from "../services/search/DerivedData.ts"
import * as ProgressBar from "./ProgressBar.ts"
import { asUserError } from "./UserErrors.ts"

class OutOfStep extends Schema.TaggedError<OutOfStep>()("OutOfStep", { message: Schema.String }) {}

const verify = Command.make("verify", {}, () =>
  Effect.gen(function* () {
    const derived = yield* DerivedData
    const { ads, names, products, shops } = yield* derived.verify
    if (shops + products + ads + names === 0) return yield* Console.log("What searches read is what the records say.")
    return yield* new OutOfStep({
      message:
        `What searches read differs from the records in ${shops} stores, ${products} products, ${ads} ads and ${names} ` +
        `names. Mend it with: discovery catalogue rebuild`
    })
  }).pipe(asUserError)
).pipe(Command.withDescription("Derive what searches read anew, compare, change nothing; fails when it differs"))

const rebuild = Command.make("rebuild", {}, () =>
  Effect.gen(function* () {
    const derived = yield* DerivedData
    const bar = yield* ProgressBar.make
    const { ads, names, products, shops } = yield* derived
      .rebuild((done, total) =>
        bar.update({ label: "Building the search index", done, total, items: done, unit: "items" })
      )
      .pipe(Effect.ensuring(bar.clear))
    yield* derived.settle(shops + products + ads)
    yield* Console.log(`Rewritten: ${shops} stores, ${products} products, ${ads} ads, ${names} names.`)
  }).pipe(asUserError)
).pipe(Command.withDescription("Derive what searches read anew, for example after restoring the records alone"))

export const catalogueCommand = Command.make("catalogue").pipe(
  Command.withDescription("What searches read: compare it with the records, or build it anew"),
  Command.withSubcommands([verify, rebuild])
)
