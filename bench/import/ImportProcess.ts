/** `discovery import` as it is run: in a process of its own. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export interface ImportRun {
  /** From its start to its end, with what the program needs to come up. */
  readonly seconds: number
  /** What it says at its end. */
  readonly summary: string
}

export const run = (connection: EmbeddedConnection, file: string): Promise<ImportRun> =>
  new Promise((resolve, reject) => {
    const before = performance.now()
    execFile(
      process.execPath,
      [main, "import", file],
      { env: { ...process.env, DATABASE_URL: ServerProcess.urlOf(connection) }, maxBuffer: 1 << 26 },
      (error, out, err) => {
        if (error === null) resolve({ seconds: (performance.now() - before) / 1000, summary: out.trim() })
        else reject(new Error(`the import failed: ${err.slice(-2000)} ${out}`))
      }
    )
  })
