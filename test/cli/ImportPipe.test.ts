import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import * as ServerProcess from "../support/ServerProcess.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { zipOf } from "../support/Zip.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

const records = ["a.com", "b.com", "c.com"].map((domain) =>
  JSON.stringify({ type: "shop", domain, name: domain, country: "US" })
)
const file = `${records.join("\n")}\n`

const contents: ReadonlyArray<readonly [what: string, content: string | Uint8Array]> = [
  ["plain", file],
  ["gzip", gzipSync(file)],
  ["zip", zipOf({ "records.ndjson": file })]
]

layer(Layer.merge(NodeServices.layer, TestDatabase.layer), { excludeTestServices: true })(
  "the command import",
  (it) => {
    it.effect.each(contents)("stores what comes through a pipe, %s, and ends", ([, content]) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const sql = yield* SqlClient.SqlClient
        const { connection } = yield* TestDatabase
        yield* sql`DELETE FROM shop`
        const child = spawn(process.execPath, [main, "import", "-"], {
          // Where it would write rejected records.
          cwd: yield* fs.makeTempDirectoryScoped(),
          env: ServerProcess.environment({ DATABASE_URL: ServerProcess.urlOf(connection) }),
          stdio: ["pipe", "ignore", "inherit"]
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
        const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
        child.stdin.end(content)
        assert.strictEqual(yield* Effect.promise(() => ended), 0)
        const stored = yield* sql<{ domain: string }>`SELECT domain FROM shop ORDER BY domain`
        assert.deepStrictEqual(
          stored.map(({ domain }) => domain),
          ["a.com", "b.com", "c.com"]
        )
      }).pipe(Effect.scoped)
    )
  }
)
