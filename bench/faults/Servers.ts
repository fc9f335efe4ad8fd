/** Server processes as a service manager keeps them, and the load balancer in front of them. */
import { Effect, Exit, Schedule, Scope } from "effect"
import * as fs from "node:fs/promises"
import { request } from "node:http"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as DeployFiles from "../../test/ops/DeployFiles.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"
import * as Relay from "./Relay.ts"

/** Of the checks; a server that is slow to say that it lives is not dead before it was so twice. */
const checkEveryMillis = 300
const liveMillis = 1_000
/** A server gives its database two seconds. */
const readyMillis = 3_000
const missesOfTheDead = 2
/** Between the end of a server and its next start, by the service manager. */
const restartAfter = "500 millis"
/** Only for what hangs: a crowded machine takes its time. */
const limit = "9 minutes"
/** Says what did not come. */
export const inTime =
  (what: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.timeoutOrElse(effect, {
      duration: limit,
      orElse: () => Effect.die(new Error(`${what} within ${limit}`))
    })

/** As in operation: of the C library, not a setting of the program. */
const { MALLOC_MMAP_THRESHOLD_: givesBackFrom = "" } = DeployFiles.environmentLine(
  (DeployFiles.unit().get("Environment") ?? []).join(" ")
)

const moveClock = new URL("MovedClock.ts", import.meta.url).href

/** The status of an answer, or none in time. A connection that is refused gives -1. */
const statusOf = (port: number, address: string, millis: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const outgoing = request({ host: "127.0.0.1", port, path: address, agent: false, timeout: millis }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    outgoing.on("timeout", () => {
      outgoing.destroy()
      resolve(undefined)
    })
    outgoing.on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED" ? -1 : undefined))
    outgoing.end()
  })

type Health = "ready" | "unready" | "dead"

export type Server = Effect.Success<ReturnType<typeof server>>

/** One server, which is started again whenever it ends. */
const server = Effect.fnUntraced(function* (
  name: string,
  folder: string,
  environment: Readonly<Record<string, string>>
) {
  const outer = yield* Effect.scope
  const port = yield* ServerProcess.freePort
  const clock = path.join(folder, `${name}.clock`)
  const indexFolder = path.join(folder, `${name}-index`)
  let running: { readonly process: ServerProcess.ServerProcess; readonly scope: Scope.Closeable } | undefined
  let logged = ""

  const startOnce = Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const started = yield* ServerProcess.start({
      ...environment,
      PORT: String(port),
      INDEX_DIR: indexFolder,
      MALLOC_MMAP_THRESHOLD_: givesBackFrom,
      NODE_OPTIONS: `--import ${moveClock}`,
      FAULTS_CLOCK: clock
    }).pipe(Scope.provide(scope))
    if (started.child.exitCode === null && started.child.signalCode === null) {
      running = { process: started, scope }
      return
    }
    logged += started.logged()
    yield* Scope.close(scope, Exit.void)
    return yield* Effect.fail("it ended while starting, without its database for example")
  })
  const start = startOnce.pipe(
    Effect.retry(Schedule.spaced(restartAfter)),
    inTime(`server ${name} did not start`),
    Effect.orDie
  )

  const end = (by: NodeJS.Signals) =>
    Effect.gen(function* () {
      const now = running
      if (now === undefined) return
      running = undefined
      // A process that does not end is a fault of the harness.
      yield* Effect.orDie(now.process.end(by))
      logged += now.process.logged()
      yield* Scope.close(now.scope, Exit.void)
    })
  const signal = (which: NodeJS.Signals) => Effect.sync(() => void running?.process.child.kill(which))

  yield* start
  return {
    name,
    port,
    indexFolder,
    start,
    end,
    pid: () => running?.process.child.pid,
    freeze: signal("SIGSTOP"),
    thaw: signal("SIGCONT"),
    moveClock: (millis: number) => Effect.promise(() => fs.writeFile(clock, String(millis))),
    /** What it has written to standard error, of all its processes. */
    logged: () => logged + (running?.process.logged() ?? "")
  }
})

export type Servers = Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* (folder: string, environment: Readonly<Record<string, string>>) {
  const all = yield* Effect.forEach(["one", "two"], (name) => server(name, folder, environment), { concurrency: 2 })
  const health = new Map<string, Health>()
  let turn = 0

  /** Ready ones in turn, then those that are not; a dead one last, in case the checks are wrong. */
  const upstreams = () => {
    turn += 1
    const rank = { ready: 0, unready: 1, dead: 2 }
    const rotated = [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)]
    return rotated
      .toSorted((a, b) => rank[health.get(a.name) ?? "ready"] - rank[health.get(b.name) ?? "ready"])
      .map(({ name, port }) => ({ name, address: { host: "127.0.0.1", port } }))
  }
  const relay = yield* Relay.make(upstreams)

  const over = new AbortController()
  const check = async ({ name, port }: Server) => {
    for (let misses = 0; !over.signal.aborted; await sleep(checkEveryMillis)) {
      const live = await statusOf(port, "/health/live", liveMillis)
      if (live !== undefined && live > 0) {
        misses = 0
        health.set(name, (await statusOf(port, "/health/ready", readyMillis)) === 200 ? "ready" : "unready")
        continue
      }
      misses += live === -1 ? missesOfTheDead : 1
      if (misses < missesOfTheDead || health.get(name) === "dead") continue
      health.set(name, "dead")
      relay.cut(name)
    }
  }
  const checks = Promise.all(all.map(check))
  yield* Effect.addFinalizer(() => {
    over.abort()
    return Effect.promise(() => checks)
  })
  const untilReady = Effect.suspend(() =>
    all.every(({ name }) => health.get(name) === "ready") ? Effect.void : Effect.fail("not yet")
  ).pipe(Effect.retry(Schedule.spaced("50 millis")), inTime("a server was not ready"), Effect.orDie)

  return { all, port: relay.port, relay, untilReady }
})
