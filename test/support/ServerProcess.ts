/** Runs `src/main.ts` in a process. */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { execFile, spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import { allGone, familyOf } from "./processes.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

type Environment = Readonly<Record<string, string>>

/** Only what programs need of the environment of the test run. */
export const environment = (own: Environment) => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  TMPDIR: process.env["TMPDIR"],
  LOG_FORMAT: "json",
  ...own
})

export interface ServerProcess {
  readonly child: ChildProcess
  /** Standard output and standard error so far. */
  readonly printed: () => string
  readonly logged: () => string
  /** Sends a signal, waits until the process and its children have ended, and returns the exit code. */
  readonly end: (signal: NodeJS.Signals) => Effect.Effect<number | null, ReadonlyArray<number>>
}

/**
 * Starts `discovery` and waits until it listens or ends. `program` is the `main.ts` of another install; `isDetached` gives it a session of
 * its own.
 */
export const start = (
  own: Environment,
  program: string = main,
  isDetached = false
): Effect.Effect<ServerProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    let printed = ""
    let logged = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [program], {
          env: environment(own),
          stdio: ["ignore", "pipe", "pipe"],
          detached: isDetached
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString("utf8")))
    child.stderr.on("data", (chunk: Buffer) => (logged += chunk.toString("utf8")))
    const exited = new Promise<number | null>((resolve) => child.on("exit", resolve))
    yield* Effect.suspend(() =>
      printed.includes("Stop with Ctrl-C.") || child.exitCode !== null ? Effect.void : Effect.fail("starting")
    ).pipe(Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 30_000 }), Effect.ignore)
    return {
      child,
      printed: () => printed,
      logged: () => logged,
      end: (signal) =>
        Effect.gen(function* () {
          const family = child.pid === undefined ? [] : familyOf(child.pid)
          child.kill(signal)
          const code = yield* Effect.promise(() => exited)
          yield* allGone(family)
          return code
        })
    }
  })

/** Waits until a server is ready, with its index. */
export const ready = (port: number) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health/ready`)).pipe(
    Effect.flatMap(({ status }) => (status === 200 ? Effect.void : Effect.fail("not yet"))),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3_000 })
  )

/** Runs Node to its end. */
export const node = (
  own: Environment,
  ...args: ReadonlyArray<string>
): Effect.Effect<{ readonly code: number; readonly out: string; readonly err: string }> =>
  Effect.promise(
    () =>
      new Promise((resolve) => {
        execFile(process.execPath, args, { env: environment(own), timeout: 600_000 }, (error, out, err) =>
          resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1, out, err })
        )
      })
  )

/** Runs a command to its end. */
export const command = (own: Environment, ...args: ReadonlyArray<string>) => node(own, main, ...args)

/** The `DATABASE_URL` of a test database. */
export const urlOf = ({ database, host, username }: EmbeddedConnection): string =>
  `postgres:///${database}?host=${encodeURIComponent(host)}&user=${username}`

/**
 * A TCP port that is free, below the ephemeral range, so that the system does not assign it before the test listens on it.
 */
export const freePort: Effect.Effect<number> = Effect.callback<number, "taken">((resume) => {
  const port = randomInt(11_000, 32_768)
  const server = createServer()
  server.on("error", () => resume(Effect.fail("taken")))
  server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
}).pipe(Effect.eventually)
