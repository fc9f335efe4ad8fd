/** The program itself, in a process of its own, over the scale data; and accounts that may call it as often as they like. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Option, Redacted, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { AppConfig } from "../../src/Config.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import * as Database from "../../src/services/database/Database.ts"
import { findRunning } from "../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import * as ProcessCpu from "../support/ProcessCpu.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"
import * as ScaleDatabase from "./ScaleDatabase.ts"
import * as ScaleIndex from "./ScaleIndex.ts"

export interface Target {
  readonly connection: EmbeddedConnection
  readonly port: number
  readonly pid: number
  /** Calls take turns with them: no account may have more than its share of searches at once. */
  readonly authorizations: ReadonlyArray<string>
  /** Of the server process with all its threads, bytes. */
  readonly residentBytes: Effect.Effect<number>
  /** CPU of the server process so far, seconds. */
  readonly cpuSeconds: Effect.Effect<number>
  /** The most that it ever was. */
  readonly highestBytes: Effect.Effect<number>
  /** From the start of the process until searches were answered. */
  readonly startMillis: number
  /** Of the event loop of the server's main thread, since this was asked last. */
  readonly loopDelay: Effect.Effect<LoopDelay>
  /** The version of the catalog that searches see. */
  readonly indexVersion: Effect.Effect<number>
}

const LoopDelay = Schema.Struct({ p50: Schema.Finite, p99: Schema.Finite, max: Schema.Finite })
/** Milliseconds. */
export type LoopDelay = typeof LoopDelay.Type

const Ready = Schema.Struct({
  status: Schema.String,
  index: Schema.Struct({ version: Schema.NullOr(Schema.Int) })
})

export interface StartOptions {
  /** Threads that search; as the program has it when absent. */
  readonly workers?: number
  /** Of snapshots. */
  readonly indexFolder?: string
  /** The `main.ts` of another checkout. */
  readonly program?: string
  /** In a session of its own: Linux may share the processors among sessions first, and the load is one too. */
  readonly isAlone?: boolean
}

export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", { message: Schema.String }) {}

const credits = 1_000_000_000
/** Searches read at most 25 rows by key; with charges and credentials, so many are enough for some hundred calls a second. */
export const maxConnections = 10
const looking = "20 millis"
const longestStart = "1 hour"
const loopDelayFile = new URL("../support/LoopDelay.ts", import.meta.url).href
const callers = 10

/** The data's own server if one runs already, else one for this run. */
export const database = (shops: number) =>
  Effect.flatMap(
    findRunning(ScaleDatabase.folderOf(shops)),
    Option.match({ onSome: Effect.succeed, onNone: () => ScaleDatabase.open(shops) })
  )

const makeAccount = Effect.gen(function* () {
  const accounts = yield* Accounts
  const password = yield* Effect.flatMap(Passwords, ({ generate }) => generate)
  const email = `bench-${crypto.randomUUID()}@example.com`
  const { id } = yield* accounts.create({ email, plan: "pro", status: "active", password })
  const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "bench"))
  return { authorization: `Bearer ${Redacted.value(secret)}` }
})

/** New ones for each server, for an account may make no more than 20 keys an hour. */
const accounts = (connection: EmbeddedConnection, further: number) =>
  Effect.gen(function* () {
    const first = yield* makeAccount
    const others = yield* Effect.replicateEffect(makeAccount, further)
    return [first, ...others] as const
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Accounts.layer, ApiKeys.layer).pipe(
        Layer.provideMerge(Passwords.layer),
        Layer.provide([NodeCrypto.layer, AppConfig.layerOf({ planCreditsPro: credits })]),
        Layer.provide(Database.layer({ source: connection, maxConnections: 1 }))
      )
    )
  )

/**
 * A server that has run for a while has its tables in memory; one that was just started would have to read them first.
 * What the cache may forget again comes first: the records, of which a search reads one page.
 */
export const warm = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE EXTENSION IF NOT EXISTS pg_prewarm`
  const tables = yield* sql<{ id: number }>`
    SELECT relid::int AS id FROM pg_stat_user_tables WHERE schemaname = 'public'
    ORDER BY relname NOT IN ('ad', 'product', 'shop'), pg_total_relation_size(relid) DESC`
  for (const { id } of tables) {
    yield* sql`
      SELECT sum(pg_prewarm(c.oid))::text FROM pg_class c
      WHERE (c.oid = ${id}::oid OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = ${id}::oid))
        -- The tables that partitions are of have no pages.
        AND c.relkind IN ('r', 'i')`
  }
})

/** What `/health/ready` says. */
const readiness = (port: number) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health/ready`).then((response) => response.json())).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Ready))
  )

const untilReady = (port: number, child: ServerProcess.ServerProcess["child"]) =>
  readiness(port).pipe(
    Effect.flatMap(({ status }) => (status === "ready" ? Effect.void : Effect.fail("not yet"))),
    Effect.retry({ schedule: Schedule.spaced(looking), while: () => child.exitCode === null }),
    Effect.timeout(longestStart)
  )

const waitForLine = (file: string, lines: number) =>
  Effect.promise(() => fs.readFile(file, "utf8").catch(() => "")).pipe(
    Effect.map((text) =>
      text
        .trim()
        .split("\n")
        .filter((line) => line !== "")
    ),
    Effect.flatMap((found) => (found.length > lines ? Effect.succeed(found.at(-1) ?? "") : Effect.fail("not yet"))),
    Effect.retry(Schedule.spaced(looking))
  )

const decodeLoopDelay = Schema.decodeEffect(Schema.fromJsonString(LoopDelay))

const memory = (pid: number, field: "VmRSS" | "VmHWM"): Effect.Effect<number> =>
  Effect.promise(async () => {
    const status = await fs.readFile(`/proc/${pid}/status`, "utf8")
    return Number(new RegExp(String.raw`^${field}:\s+(\d+) kB$`, "mu").exec(status)?.[1] ?? Number.NaN) * 1024
  })

/** Timeouts and the like are the server's own; only the rate limit is off and the allowance large. */
export const start = Effect.fnUntraced(function* (
  connection: EmbeddedConnection,
  options: StartOptions = {}
): Effect.fn.Return<Target, unknown, Scope.Scope> {
  const port = yield* ServerProcess.freePort
  const loopFile = yield* Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "discovery-loop-"))),
    (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
  ).pipe(Effect.map((folder) => path.join(folder, "delay")))
  const before = performance.now()
  const environment = {
    DATABASE_URL: ServerProcess.urlOf(connection),
    PORT: String(port),
    PLAN_CREDITS_PRO: String(credits),
    RATE_LIMIT_PER_MINUTE: "0",
    DATABASE_MAX_CONNECTIONS: String(maxConnections),
    INDEX_DIR: options.indexFolder ?? ScaleIndex.folder,
    NODE_OPTIONS: `--import ${loopDelayFile}`,
    BENCH_LOOP_FILE: loopFile,
    ...(options.workers === undefined ? {} : { SEARCH_WORKERS: String(options.workers) })
  }
  const server = yield* ServerProcess.start(environment, options.program, options.isAlone)
  const { child } = server
  const { pid } = child
  const notStarted = () => new NotStarted({ message: `The server did not start: ${server.logged().slice(-2000)}` })
  if (pid === undefined || child.exitCode !== null) return yield* notStarted()
  yield* Effect.mapError(untilReady(port, child), notStarted)
  const startMillis = performance.now() - before
  const owners = yield* accounts(connection, callers - 1)
  let asked = 0
  return {
    connection,
    port,
    pid,
    authorizations: owners.map(({ authorization }) => authorization),
    startMillis,
    residentBytes: memory(pid, "VmRSS"),
    cpuSeconds: Effect.sync(() => ProcessCpu.ofProcess(pid) / 1e6),
    highestBytes: memory(pid, "VmHWM"),
    loopDelay: Effect.gen(function* () {
      child.kill("SIGUSR2")
      return yield* waitForLine(loopFile, asked++).pipe(Effect.flatMap(decodeLoopDelay), Effect.orDie)
    }),
    indexVersion: Effect.map(Effect.orDie(readiness(port)), ({ index }) => index.version ?? -1)
  }
})
