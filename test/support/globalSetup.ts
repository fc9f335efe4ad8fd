/**
 * The packages of the tests, one PostgreSQL for the whole run with a template database that every test file copies, and the path
 * of the browser.
 */
import { Effect, Exit, Scope } from "effect"
import { PgClient } from "@effect/sql-pg"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import * as Database from "../../src/services/database/Database.ts"
import { type EmbeddedConnection, EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"
import * as Migrations from "../../src/services/database/Migrations.ts"
import * as Chromium from "./Chromium.ts"
import * as Packages from "./Packages.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: EmbeddedConnection
    readonly chromium: Chromium.Chromium | undefined
  }
}

/** Not durable, because the data is thrown away. */
const withoutDurability = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  Packages.install("test")
  // Tests that start the program start what users start.
  execFileSync(process.execPath, [fileURLToPath(new URL("../../ops/build.ts", import.meta.url))], { stdio: "inherit" })
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "discovery-test-"))
  const scope = await Effect.runPromise(Scope.make())
  const teardown = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await fs.rm(folder, { recursive: true, force: true })
  }
  const start = Effect.gen(function* () {
    const server = yield* EmbeddedPostgres.make({
      dataFolder: path.join(folder, "data"),
      flags: [...withoutDurability, "max_connections=200"]
    })
    yield* Effect.flatMap(PgClient.PgClient, (sql) => sql`CREATE DATABASE template_discovery`).pipe(
      Effect.provide(Database.layer({ source: server.connection }))
    )
    yield* Migrations.run.pipe(
      Effect.provide(Database.layer({ source: { ...server.connection, database: "template_discovery" } }))
    )
    return server.connection
  })
  try {
    project.provide("chromium", await Chromium.find())
    project.provide("postgres", await Effect.runPromise(Scope.provide(start, scope)))
  } catch (cause) {
    await teardown()
    throw cause
  }
  return teardown
}
