/** `discovery import` as it is run: in a process of its own. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export interface ImportRun {
  /** From its start to its end, with what the program needs to come up. */
  readonly seconds: number
  /** What it says at its end. */
  readonly summary: string
  /** The highest resident memory of the process; of Linux alone. */
  readonly highestBytes: number
}

export interface RunOptions {
  /** The `main.ts` of another checkout. */
  readonly program?: string
  /** Further flags of the command. */
  readonly flags?: ReadonlyArray<string>
  readonly onStart?: (pid: number) => void
}

/** In a session of its own, as it is when someone starts it in a terminal: Linux shares the processors among sessions first. */
export const run = (
  connection: EmbeddedConnection,
  file: string,
  { flags = [], onStart, program = main }: RunOptions = {}
): Promise<ImportRun> =>
  new Promise((resolve, reject) => {
    const before = performance.now()
    let out = ""
    let err = ""
    let highestBytes = Number.NaN
    const child = spawn(process.execPath, [program, "import", file, ...flags], {
      env: { ...process.env, DATABASE_URL: ServerProcess.urlOf(connection) },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true
    })
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")))
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")))
    child.on("error", reject)
    // The kernel keeps the highest value; the last look at it may miss what the end takes.
    const looking = setInterval(() => {
      fs.readFile(`/proc/${child.pid}/status`, "utf8", (error, status) => {
        const found = error === null ? /^VmHWM:\s+(\d+) kB$/mu.exec(status)?.[1] : undefined
        if (found !== undefined) highestBytes = Number(found) * 1024
      })
    }, 50)
    child.on("close", (code) => {
      clearInterval(looking)
      const seconds = (performance.now() - before) / 1000
      if (code === 0) resolve({ seconds, summary: out.trim(), highestBytes })
      else reject(new Error(`the import failed: ${err.slice(-2000)} ${out}`))
    })
    if (child.pid !== undefined) onStart?.(child.pid)
  })
