/** The signatures by which apps, pixels and social networks are found on a home page. An operator can add to them. */
import { Effect, Result, Schema } from "effect"
import * as BoundedJson from "../../domain/BoundedJson.ts"
import * as ArgumentDecoder from "../../domain/ArgumentDecoder.ts"
import { listOf } from "../../domain/ArgumentIssue.ts"
import { pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import * as Fields from "../../domain/catalog/RecordFields.ts"
import * as WholeFile from "../WholeFile.ts"
import { CollectError } from "./CollectError.ts"
import builtIn from "./signatures.json" with { type: "json" }

/** Shorter texts would match unrelated pages. */
const Text = Fields.line(200).check(Schema.isMinLength(4))

const Texts = Schema.NonEmptyArray(Text)

export const Signatures = Schema.Struct({
  apps: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Fields.line(100),
        /** One of these must occur in a tag or a script, in any case. */
        texts: Texts
      })
    )
  ),
  pixels: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.Literals(pixels), texts: Texts }))),
  social_networks: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.Literals(socialNetworks),
        /** A link must lead to a path of one of these hosts or their subdomains. */
        hosts: Texts,
        /** Paths that begin like this do not count, such as links that share the page. */
        except: Schema.optionalKey(Schema.Array(Fields.line(200)))
      })
    )
  )
})
export type Signatures = typeof Signatures.Type

const maxTableBytes = 1_048_576

const decode = ArgumentDecoder.decoder(Signatures)

const decoded = (name: string, input: unknown): Effect.Effect<Signatures, CollectError> =>
  Effect.mapError(
    Effect.fromResult(decode(input)),
    (issues) =>
      new CollectError({
        message: `${name} is no table of signatures: ${listOf(issues)}.`
      })
  )

/** Loads the table that is part of the program, and after it the file of the operator. */
export const load = Effect.fn("Signatures.load")(function* (
  file: string | undefined
): Effect.fn.Return<ReadonlyArray<Signatures>, CollectError> {
  const own = yield* decoded("signatures.json", builtIn)
  if (file === undefined) return [own]
  const text = yield* Effect.mapError(
    WholeFile.text(file, maxTableBytes),
    ({ message }) => new CollectError({ message: `${message}.` })
  )
  const input = BoundedJson.parse(text, BoundedJson.ofFile)
  if (Result.isFailure(input)) {
    return yield* new CollectError({ message: `${file} is not JSON, and so no table of signatures.` })
  }
  return [own, yield* decoded(file, input.success)]
})
