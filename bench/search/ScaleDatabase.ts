/** The PostgreSQL that holds a scale data set, kept between runs, and set up as one in production would be. */
import { Effect, Option, Schema } from "effect"
import type { Scope } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { EmbeddedPostgres, findRunning } from "../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedPostgresError } from "../../src/services/database/EmbeddedPostgresError.ts"

export class NoScaleData extends Schema.TaggedError<NoScaleData>()("NoScaleData", { message: Schema.String }) {}

/** Git ignores it. */
export const benchFolder = path.resolve(import.meta.dirname, "../../.bench")

export const folderOf = (shops: number): string => path.join(benchFolder, `${shops}-shops`)

/** Written last, so that data of an interrupted run is not taken for whole. */
const marker = (shops: number): string => path.join(benchFolder, `${shops}-shops.complete`)

/** A quarter of the machine's 24 GB for PostgreSQL's own cache, as its documentation suggests; the rest as it comes. */
export const settings: ReadonlyArray<string> = [
  "shared_buffers=6GB",
  "effective_cache_size=16GB",
  "max_wal_size=8GB",
  "checkpoint_timeout=30min",
  "wal_compression=on"
]

/** What is written once and could be made again needs no promise that it survives a crash. */
export const fillSettings: ReadonlyArray<string> = [
  ...settings,
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "autovacuum=off"
]

type Opened = Effect.Effect<EmbeddedConnection, EmbeddedPostgresError, Scope.Scope>

/** An empty one, in place of any that was there. */
export const create = (shops: number): Opened =>
  Effect.gen(function* () {
    yield* Effect.promise(() => fs.rm(marker(shops), { force: true }))
    yield* Effect.promise(() => fs.rm(folderOf(shops), { recursive: true, force: true }))
    yield* Effect.promise(() => fs.mkdir(benchFolder, { recursive: true }))
    const { connection } = yield* EmbeddedPostgres.make({ dataFolder: folderOf(shops), flags: fillSettings })
    return connection
  })

/** A copy of a data set that is at rest, for what changes it; it goes with the scope. */
export const copy = (shops: number): Effect.Effect<string, NoScaleData, Scope.Scope> =>
  Effect.gen(function* () {
    const original = folderOf(shops)
    if (Option.isSome(yield* findRunning(original))) {
      return yield* new NoScaleData({
        message: `A server runs on ${original}; a copy would not be whole. End it first.`
      })
    }
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => fs.mkdtemp(path.join(benchFolder, "copy-"))),
      (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
    )
    yield* Effect.promise(() => promisify(execFile)("cp", ["-a", original, path.join(folder, "data")]))
    yield* Effect.promise(() => fs.chmod(folder, 0o755))
    return folder
  })

export const complete = (shops: number): Effect.Effect<void> => Effect.promise(() => fs.writeFile(marker(shops), ""))

/** `shops` says which data set: `npm run bench:data -- --shops <shops>` has made it. `more` settings replace others. */
export const open = (
  shops: number,
  more: ReadonlyArray<string> = []
): Effect.Effect<EmbeddedConnection, EmbeddedPostgresError | NoScaleData, Scope.Scope> =>
  Effect.gen(function* () {
    const isThere = yield* Effect.promise(() =>
      fs.access(marker(shops)).then(
        () => true,
        () => false
      )
    )
    if (!isThere) {
      return yield* new NoScaleData({
        message: `There is no data set of ${shops} stores: run \`npm run bench:data -- --shops ${shops}\` first.`
      })
    }
    const { connection } = yield* EmbeddedPostgres.make({ dataFolder: folderOf(shops), flags: [...settings, ...more] })
    return connection
  })
