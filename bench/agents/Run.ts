/**
 * A run of the benchmark, kept in `.bench/agents/<name>`: the data of its server, a key for each question, and what agents called.
 *
 * The activity log keeps the credential of a call, but neither its arguments nor its client. So each question has its own account and
 * API key: a call counts for the question whose key it was made with, whatever client made it.
 */
import { Effect, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as WholeFile from "../../src/services/WholeFile.ts"

export class RunError extends Schema.TaggedError<RunError>()("RunError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const failed = (message: string) => (cause: unknown) => new RunError({ message, cause })

const runs = fileURLToPath(new URL("../../.bench/agents", import.meta.url))

const State = Schema.Struct({
  /** With the view, such as `?format=compact`. */
  url: Schema.String,
  /** The day of the demo data, on which the answers depend. */
  asOf: Schema.String,
  /** Of the account `pro` of the demo, for what belongs to no question. */
  demoKey: Schema.String,
  /** By the ids of the questions. */
  keys: Schema.Record(Schema.String, Schema.String)
})
export const StateJson = Schema.fromJsonString(State)
const maxStateBytes = 65_536

export interface Run extends Readonly<typeof State.Type> {
  readonly folder: string
}

const Name = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,39}$/u))

export const folderOf = (name: string) =>
  Schema.decodeEffect(Name)(name).pipe(
    Effect.mapBoth({
      onFailure: () => new RunError({ message: `"${name}" cannot be a run: use a-z, 0-9 and -.` }),
      onSuccess: (valid) => path.join(runs, valid)
    })
  )

export const stateFile = (folder: string) => path.join(folder, "run.json")

export const find = Effect.fnUntraced(function* (name: string): Effect.fn.Return<Run | undefined, RunError> {
  const folder = yield* folderOf(name)
  const file = stateFile(folder)
  const bytes = yield* WholeFile.bytesIfThere(file, maxStateBytes).pipe(
    Effect.mapError(failed(`${file} is unreadable`))
  )
  if (bytes === undefined) return undefined
  const state = yield* Schema.decodeEffect(StateJson)(bytes.toString("utf8")).pipe(
    Effect.mapError(failed(`${file} is not of this version: remove its folder.`))
  )
  return { folder, ...state }
})

export const get = Effect.fnUntraced(function* (name: string): Effect.fn.Return<Run, RunError> {
  const run = yield* find(name)
  return run ?? (yield* new RunError({ message: `There is no run "${name}": start it with --serve.` }))
})

/** What an agent called and was shown, which the activity log does not keep. */
export const Shown = Schema.Struct({
  question: Schema.String,
  requestId: Schema.String,
  tool: Schema.String,
  arguments: Schema.Record(Schema.String, Schema.Unknown),
  text: Schema.String
})
export type Shown = typeof Shown.Type
const ShownJson = Schema.fromJsonString(Shown)

const shownFile = (folder: string) => path.join(folder, "calls.ndjson")
const maxShownBytes = 268_435_456

/** One write for a line, so that agents may call at the same time. */
export const append = ({ folder }: Run, shown: Shown) =>
  Schema.encodeEffect(ShownJson)(shown).pipe(
    Effect.flatMap((line) => Effect.tryPromise(() => fs.appendFile(shownFile(folder), `${line}\n`))),
    Effect.mapError(failed("The call cannot be recorded."))
  )

export const shown = ({ folder }: Run): Effect.Effect<ReadonlyArray<Shown>, RunError> =>
  WholeFile.bytesIfThere(shownFile(folder), maxShownBytes).pipe(
    Effect.map((bytes) => (bytes === undefined ? [] : bytes.toString("utf8").trimEnd().split("\n"))),
    Effect.flatMap(Effect.forEach((line) => Schema.decodeEffect(ShownJson)(line))),
    Effect.mapError(failed("The recorded calls are unreadable."))
  )
