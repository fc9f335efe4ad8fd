/**
 * A ClickHouse of one test file: the engine in a process that serves HTTP (test/clickhouse). Tests tell it how to fail, and wait for
 * what it says.
 */
import { Context, Effect, Layer, PubSub, Redacted } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as ClickHouse from "../../src/services/search/clickhouse/ClickHouse.ts"
import * as Messages from "../clickhouse/Messages.ts"
import { temporaryFolder } from "./PrivatePostgres.ts"
import { environment } from "./ServerProcess.ts"

const program = fileURLToPath(new URL("../clickhouse/Server.ts", import.meta.url))

type Began = Extract<Messages.Report, { readonly report: "began" }>
type Held = Extract<Messages.Report, { readonly report: "held" }>
type Done = Extract<Messages.Report, { readonly report: "done" }>
type Ended = Extract<Messages.Report, { readonly report: "ended" }>

export class ClickHouseServer extends Context.Service<
  ClickHouseServer,
  {
    readonly settings: ClickHouse.ClickHouseSettings
    /** Statements that have arrived so far. */
    readonly seen: ReadonlyArray<Began>
    /** What has been printed. */
    readonly printed: () => string
    /** Runs the effect while all statements fail so. */
    readonly during: (fault: Messages.Fault) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs the effect while the process stands still: connections open, and nobody answers. */
    readonly whileStopped: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Lets statements that are held go on. */
    readonly release: Effect.Effect<void>
    /** The next statement that begins from now on and has the text in it. Subscribes at once. */
    readonly nextBegun: (text: string) => Effect.Effect<Effect.Effect<Began>, never, Scope.Scope>
    /** The id of the next statement that is held from now on. Subscribes at once. */
    readonly nextHeld: Effect.Effect<Effect.Effect<string>, never, Scope.Scope>
    /** How the statement with the id ends from now on. Subscribes at once. */
    readonly nextEnded: (queryId: string) => Effect.Effect<Effect.Effect<Ended>, never, Scope.Scope>
  }
>()("test/ClickHouseServer") {}

const start = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const reports = yield* PubSub.unbounded<Messages.Report>()
  const seen: Array<Began> = []
  let printed = ""
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, folder, "catalog"], {
        env: environment({}),
        stdio: ["ignore", "pipe", "pipe", "ipc"]
      })
    ),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.on("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  child.on("message", (report: Messages.Report) => {
    if (report.report === "began") seen.push(report)
    PubSub.publishUnsafe(reports, report)
  })

  /** Listens at once, and gives what waits for the first report of the kind. */
  const next = <R extends Messages.Report>(isWanted: (report: Messages.Report) => report is R) =>
    Effect.map(PubSub.subscribe(reports), (subscription) =>
      Effect.gen(function* () {
        for (;;) {
          const report = yield* PubSub.take(subscription)
          if (isWanted(report)) return report
        }
      })
    )

  const listening = yield* next((report) => report.report === "listening")
  const gone = Effect.callback<never>((resume) => {
    const tell = () => resume(Effect.die(new Error(`The engine has ended. ${printed}`)))
    if (child.exitCode !== null) tell()
    else child.once("exit", tell)
  })
  const { port } = yield* Effect.raceFirst(listening, gone)

  let orders = 0
  const order = (order: Messages.Order["order"]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const id = orders++
        const done = yield* next((report): report is Done => report.report === "done" && report.id === id)
        child.send({ id, order } satisfies Messages.Order)
        yield* done
      })
    )

  return ClickHouseServer.of({
    settings: {
      url: `http://127.0.0.1:${port}`,
      user: Messages.user,
      password: Redacted.make(Messages.password),
      database: "catalog"
    },
    seen,
    printed: () => printed,
    during: (fault) => (effect) =>
      Effect.acquireUseRelease(
        order({ fault }),
        () => effect,
        () => order({ fault: { kind: "none" } })
      ),
    whileStopped: (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => child.kill("SIGSTOP")),
        () => effect,
        () => Effect.sync(() => child.kill("SIGCONT"))
      ),
    release: order("release"),
    nextBegun: (text) => next((report): report is Began => report.report === "began" && report.sql.includes(text)),
    nextHeld: Effect.map(
      next((report): report is Held => report.report === "held"),
      Effect.map(({ queryId }) => queryId)
    ),
    nextEnded: (queryId) => next((report): report is Ended => report.report === "ended" && report.queryId === queryId)
  })
})

export const layer = Layer.effect(ClickHouseServer, start)

/** The service of the product on this engine. */
export const client = (limits?: Partial<ClickHouse.Limits>) =>
  Layer.unwrap(Effect.map(ClickHouseServer, ({ settings }) => ClickHouse.ClickHouse.layer(settings, limits)))

/** Both, for files whose tests are skipped without the package. */
export const both: Layer.Layer<ClickHouse.ClickHouse | ClickHouseServer> = client().pipe(Layer.provideMerge(layer))
