/** Runs `discovery import` as a child process, and kills it. */
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { lockId } from "../../src/services/import/Importer.ts"
import * as ServerProcess from "./ServerProcess.ts"
import { TestDatabase } from "./TestDatabase.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export const until = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(isSo, { schedule: Schedule.spaced("5 millis"), until: (is) => is })

/** Whether an import has begun, and is not known to have ended: PostgreSQL notices a moment later that a process is gone. */
const isRunning = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const locks = yield* sql`
    SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = ${lockId}`
  return locks.length > 0
})

export const isOver = Effect.map(isRunning, (is) => !is)

/**
 * Starts an import once no other runs, and kills it at the moment that `when` waits for; it begins when the import has. Gives the
 * signal by which it ended: none if the end came first.
 */
export const killed = Effect.fnUntraced(function* <E, R>(
  args: ReadonlyArray<string>,
  when: (hasEnded: () => boolean) => Effect.Effect<unknown, E, R>
) {
  const { connection } = yield* TestDatabase
  yield* until(isOver)
  const child = spawn(process.execPath, [main, "import", ...args], {
    env: ServerProcess.environment({ DATABASE_URL: ServerProcess.urlOf(connection) }),
    stdio: "ignore"
  })
  const exited = new Promise<NodeJS.Signals | null>((resolve) => child.on("exit", (_, signal) => resolve(signal)))
  const hasEnded = () => child.exitCode !== null
  yield* until(Effect.map(isRunning, (is) => is || hasEnded()))
  yield* when(hasEnded)
  child.kill("SIGKILL")
  return yield* Effect.promise(() => exited)
})
