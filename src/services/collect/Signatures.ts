/** By what apps, pixels and social networks are told from a home page: data, to which an operator may add. */
import { Effect, FileSystem, Schema } from "effect"
import * as ArgumentDecoder from "../../domain/ArgumentDecoder.ts"
import { englishOf } from "../../domain/ArgumentIssue.ts"
import { pixels, socialNetworks } from "../../domain/catalog/Enumerations.ts"
import * as Fields from "../../domain/catalog/RecordFields.ts"
import { CollectError } from "./CollectError.ts"
import builtIn from "./signatures.json" with { type: "json" }

/** Shorter ones would be found on pages of anyone. */
const Text = Fields.line(200).check(Schema.isMinLength(4))

const tells = Schema.NonEmptyArray(Text)

export const Signatures = Schema.Struct({
  apps: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Fields.line(100),
        /** Any of these, in whatever case, in a tag or a script. */
        texts: tells
      })
    )
  ),
  pixels: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.Literals(pixels), texts: tells }))),
  social_networks: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.Literals(socialNetworks),
        /** A link to one of these hosts, or to one below it, */
        hosts: tells,
        /** whose path goes on behind the slash, and does not begin like this: links that share the page. */
        except: Schema.optionalKey(Schema.Array(Fields.line(200)))
      })
    )
  )
})
export type Signatures = typeof Signatures.Type

const decode = ArgumentDecoder.decoder(Signatures)

const decoded = (name: string, input: unknown): Effect.Effect<Signatures, CollectError> =>
  Effect.mapError(
    Effect.fromResult(decode(input)),
    (issues) =>
      new CollectError({
        message: `${name} is no table of signatures: ${issues.map((issue) => `${issue.path} ${englishOf(issue)}`.trim()).join("; ")}.`
      })
  )

/** The table that comes with the program, and after it the file of the operator. */
export const load = Effect.fn("Signatures.load")(function* (
  file: string | undefined
): Effect.fn.Return<ReadonlyArray<Signatures>, CollectError, FileSystem.FileSystem> {
  const own = yield* decoded("signatures.json", builtIn)
  if (file === undefined) return [own]
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(file),
    (error) => new CollectError({ message: `${file} cannot be read: ${error.message}.` })
  )
  const input = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new CollectError({ message: `${file} is not JSON, and so no table of signatures.` })
  })
  return [own, yield* decoded(file, input)]
})
