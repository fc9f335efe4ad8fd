/** A PostgreSQL that is installed on this machine with its client programs, which the embedded one comes without. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import * as DataFolder from "../../src/services/database/DataFolder.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import * as PostgresProcess from "../../src/services/database/PostgresProcess.ts"
import * as RuntimeFolder from "../../src/services/database/RuntimeFolder.ts"
import { temporaryFolder } from "./PrivatePostgres.ts"

const programs = ["initdb", "postgres", "pg_dump", "pg_restore"] as const
const oldest = 15

/** Where Debian keeps its versions, and what is on the path. */
const folders = (): ReadonlyArray<string> => {
  const debian = "/usr/lib/postgresql"
  const versions = fs.existsSync(debian)
    ? fs.readdirSync(debian).map((version) => path.join(debian, version, "bin"))
    : []
  return [...(process.env["PATH"] ?? "").split(path.delimiter), ...versions]
}

/** The folder of its programs, all of one version that we support; `undefined` where none is installed. */
export const bin: string | undefined = folders().find((folder) => {
  if (!programs.every((program) => fs.existsSync(path.join(folder, program)))) return false
  const version = /(?:^|\D)(\d\d)(?:\/|\D*$)/.exec(folder.replaceAll("\\", "/"))?.[1]
  return version === undefined || Number(version) >= oldest
})

/** Runs one of the client programs to its end. */
export const run = (folder: string, program: "pg_dump" | "pg_restore", ...args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(path.join(folder, program), args))

/** A new, empty server of that version, which ends with the scope. */
export const server = Effect.fnUntraced(function* (folder: string) {
  const dataFolder = path.join(yield* temporaryFolder, "data")
  yield* Effect.promise(() => fs.promises.mkdir(dataFolder, { mode: 0o700 }))
  const { runAs } = yield* DataFolder.inspect(dataFolder)
  const user = DataFolder.userIds(runAs)
  if (user !== undefined) yield* Effect.promise(() => fs.promises.chown(dataFolder, user.uid, user.gid))
  const runtimeFolder = yield* RuntimeFolder.make(runAs)
  const inside = DataFolder.pathFor(runAs, dataFolder)
  const launch = (program: "initdb" | "postgres", ...args: ReadonlyArray<string>) =>
    PostgresProcess.launch({
      command: DataFolder.commandFor(runAs, [path.join(folder, program), ...args]),
      folder: runtimeFolder,
      workingFolder: dataFolder,
      user
    })
  const made = yield* launch(
    "initdb",
    "-D",
    inside,
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--no-sync"
  )
  if ((yield* made.exited) !== 0) return yield* Effect.die(new Error(yield* made.output))
  const settings = ["listen_addresses=", `unix_socket_directories=${runtimeFolder}`, "fsync=off"]
  yield* Effect.acquireRelease(
    launch("postgres", "-D", inside, ...settings.flatMap((setting) => ["-c", setting])),
    (running) => running.stop("20 seconds")
  )
  const connection: EmbeddedConnection = { host: runtimeFolder, username: "postgres", database: "postgres" }
  yield* PgConnection.make(connection).pipe(
    Effect.scoped,
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3_000 })
  )
  return connection
})
