/** The server of a run, and its activity log. */
import { DateTime, Effect, Layer, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Live from "../../src/cli/Live.ts"
import { AppConfig } from "../../src/Config.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { rowsOf } from "../../src/services/database/Rows.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"
import * as DemoServer from "../support/DemoServer.ts"
import * as DemoCatalog from "./DemoCatalog.ts"
import * as Orders from "./Orders.ts"
import { questions } from "./Questions.ts"
import type { Question } from "./Questions.ts"
import { failed, find, folderOf, RunError, stateFile, StateJson } from "./Run.ts"
import type { Run, Shown } from "./Run.ts"

export const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

export const questionsOf = (asOf: string): ReadonlyArray<Question> =>
  questions(DemoCatalog.make({ size: "demo", seed: "discovery", asOf }))

const dataOf = (folder: string) => path.join(folder, "data")

/** The database of the run: that of its running server, or one that is started on its data. */
const database = (folder: string) =>
  Live.sharedDatabase.pipe(Layer.provideMerge(AppConfig.layerOf({ dataDir: dataOf(folder) })))

const makeKeys = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const password = yield* Effect.flatMap(Passwords, ({ generate }) => generate)
  const made = yield* Effect.forEach(ids, (id) =>
    Effect.gen(function* () {
      const account = yield* accounts.create({ email: `${id}@agents.example`, plan: "pro", status: "active", password })
      const { secret } = yield* keys.create(account.id, id)
      return [id, Redacted.value(secret)] as const
    })
  )
  return Object.fromEntries(made)
})

/** A command of the program on the data of the run. */
const command = Effect.fnUntraced(function* (folder: string, ...args: ReadonlyArray<string>) {
  const { code, err } = yield* ServerProcess.command({ DATA_DIR: dataOf(folder) }, ...args)
  if (code !== 0) return yield* new RunError({ message: `discovery ${args.join(" ")} failed: ${err}` })
})

const load = Effect.fnUntraced(function* (folder: string, asOf: string) {
  // What is there without a state is of a start that did not end, maybe on another day.
  yield* Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
  yield* Effect.promise(() => fs.mkdir(folder, { recursive: true }))
  const orders = path.join(folder, "orders.ndjson")
  const lines = Orders.records(asOf).map((record) => `${JSON.stringify(record)}\n`)
  yield* Effect.promise(() => fs.writeFile(orders, lines.join("")))
  yield* command(folder, "demo", "load", "--as-of", asOf)
  yield* command(folder, "import", orders, "--as-of", asOf)
})

/** Starts the program, as `npm start` does, on the data of the run; on new data if there are none. Ends with the scope. */
export const serve = Effect.fnUntraced(function* (name: string, isCompact: boolean) {
  const before = yield* find(name)
  const folder = yield* folderOf(name)
  const asOf = before?.asOf ?? (yield* today)
  // A run that goes on keeps its form, because its calls are graded together.
  const view = before === undefined ? (isCompact ? "?format=compact" : "") : new URL(before.url).search
  if (before === undefined) yield* load(folder, asOf)
  const port = yield* ServerProcess.freePort
  const settings = { PORT: String(port), DATA_DIR: dataOf(folder), LOG_LEVEL: "Warn" }
  const server = yield* ServerProcess.start(settings)
  // In time, so that the last lines of the activity log are written.
  yield* Effect.addFinalizer(() => Effect.ignore(server.end("SIGTERM")))
  if (server.child.exitCode !== null) return yield* new RunError({ message: `The server ended: ${server.logged()}` })
  yield* ServerProcess.ready(port).pipe(Effect.mapError(failed("The server does not get ready.")))
  const state = {
    url: `http://localhost:${port}/mcp${view}`,
    asOf,
    demoKey: yield* DemoServer.keyOf(dataOf(folder), "pro").pipe(
      Effect.mapError(failed("The server has no demo keys."))
    ),
    keys:
      before?.keys ??
      (yield* makeKeys(questionsOf(asOf).map(({ id }) => id)).pipe(
        Effect.provide(Live.operation.pipe(Layer.provide(database(folder)))),
        Effect.mapError(failed("The accounts of the questions cannot be made."))
      ))
  }
  yield* Schema.encodeEffect(StateJson)(state).pipe(
    Effect.flatMap((json) => Effect.tryPromise(() => fs.writeFile(stateFile(folder), json, { mode: 0o600 }))),
    Effect.mapError(failed("The run cannot be kept."))
  )
  return { folder, ...state } satisfies Run
})

const Logged = Schema.Struct({
  question: Schema.String,
  requestId: Schema.String,
  tool: Schema.String,
  outcome: Schema.String,
  credits: Schema.Int
})
export type Logged = typeof Logged.Type
const decodeLogged = rowsOf(Logged)

/** The calls with the keys of the questions in the activity log, oldest first. Waits for those that are expected. */
export const activity = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, expected: ReadonlyArray<Shown>) {
  const sql = yield* SqlClient.SqlClient
  const rows = sql`
    SELECT k.name AS question, a.request_id AS "requestId", a.tool, a.outcome, a.credits
    FROM activity a JOIN api_key k ON a.credential_kind = 'api_key' AND k.id = a.credential_id
    WHERE k.name = ANY(${ids}::text[]) ORDER BY a.id`.pipe(decodeLogged)
  // The server writes the log every second. It leaves out calls only of an account with 60 alike errors in 10 minutes.
  return yield* rows.pipe(
    Effect.repeat({
      schedule: Schedule.spaced("500 millis"),
      times: 8,
      until: (found) => {
        const written = new Set(found.map(({ requestId }) => requestId))
        return expected.every(({ requestId }) => written.has(requestId))
      }
    })
  )
})

export const logged = (run: Run, expected: ReadonlyArray<Shown>): Effect.Effect<ReadonlyArray<Logged>, RunError> =>
  activity(Object.keys(run.keys), expected).pipe(
    Effect.provide(database(run.folder)),
    Effect.mapError(failed("The activity log cannot be read."))
  )
