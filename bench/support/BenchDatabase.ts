/** A PostgreSQL of its own for one run, with its usual durability, migrated and empty; it goes with the run. */
import { Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as Database from "../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../../src/services/database/Migrations.ts"

export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "discovery-bench-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { connection } = yield* EmbeddedPostgres.make({ dataFolder: path.join(folder, "data") })
    return Migrations.layer.pipe(Layer.provideMerge(Database.layer({ source: connection })))
  })
)
