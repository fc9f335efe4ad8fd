/** One run: everything is started, loaded with work, struck by one fault after the other, and compared at the end. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Clock, Effect, Layer, Redacted, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Prng } from "../../demo/Prng.ts"
import { AppConfig } from "../../src/Config.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import * as OAuth from "../../test/support/OAuth.ts"
import * as ServerProcess from "../../test/support/ServerProcess.ts"
import { shuffled } from "../search/Cases.ts"
import { temporaryFolder } from "../support/BenchDatabase.ts"
import * as Books from "./Books.ts"
import * as Cluster from "./Cluster.ts"
import * as Customers from "./Customers.ts"
import type { Fault, World } from "./Faults.ts"
import * as Imports from "./Imports.ts"
import { effectsOf, Record } from "./Record.ts"
import type { Effects } from "./Record.ts"
import * as Servers from "./Servers.ts"
import * as Waits from "./Waits.ts"

export interface Options {
  /** The same seed gives the same faults in the same order, at the same distances. */
  readonly seed: string
  /** Each round has every fault once. */
  readonly rounds: number
  readonly faults: ReadonlyArray<Fault>
  readonly scripts: number
  readonly apps: number
  readonly people: number
  /** In a file that is imported. */
  readonly products: number
  readonly refreshEveryMillis?: number
  readonly tell?: (line: string) => void
  /** A folder that every call and the logs of the servers are written to at the end. */
  readonly keep?: string | undefined
}

export interface Struck {
  readonly fault: Fault
  readonly effects: Effects
}

export interface Outcome {
  readonly seed: string
  readonly struck: ReadonlyArray<Struck>
  readonly books: Books.Books
  /** What must not be, and is: connections that were logged out, imports that are not whole, checks that failed. */
  readonly incidents: ReadonlyArray<string>
  readonly counts: ReadonlyMap<string, number>
  /** Whether the disk of the database could be filled. */
  readonly hasOwnDisks: boolean
  readonly seconds: number
}

const credits = 1_000_000
const password = "nine green whales"
/** What a server logs when a call, a page or another request meets a mistake of its own. */
const defect = "failed by a defect"
/** Between two faults. */
const quietSeconds = [1, 4] as const

const environmentOf = (url: string) => ({
  DATABASE_URL: url,
  BASE_URL: OAuth.baseUrl,
  PLAN_CREDITS_PRO: String(credits),
  RATE_LIMIT_PER_MINUTE: "0",
  DATABASE_MAX_CONNECTIONS: "10",
  // Threads count as servers of their own, which faults hit at once. Elsewhere a server has one.
  HTTP_THREADS: process.platform === "linux" ? "2" : "1",
  SEARCH_WORKERS: "1",
  LOG_LEVEL: "Warn"
})

const access = Layer.mergeAll(Accounts.layer, ApiKeys.layer).pipe(
  Layer.provideMerge(Passwords.layer),
  Layer.provide([NodeCrypto.layer, AppConfig.layerOf({ planCreditsPro: credits })])
)

/** Scripts, connected apps and people, each with an account of its own. */
const customers = Effect.fnUntraced(function* ({ apps, people, scripts }: Options) {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const create = (email: string) =>
    accounts.create({ email, plan: "pro", status: "active", password: Redacted.make(password) })
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
  return {
    scripts: yield* Effect.forEach(numbers(scripts), (number) =>
      Effect.gen(function* () {
        const { id } = yield* create(`script${number}@example.com`)
        const { secret } = yield* keys.create(id, "faults")
        // Every fourth sends no idempotency keys.
        return { name: `script ${number}`, account: id, secret: Redacted.value(secret), hasKeys: number % 4 !== 3 }
      })
    ),
    apps: yield* Effect.forEach(numbers(apps), (number) =>
      Effect.gen(function* () {
        const { id } = yield* create(`app${number}@example.com`)
        const { client, tokens } = yield* OAuth.connected(id)
        return {
          name: `app ${number}`,
          account: id,
          clientId: client.id,
          accessToken: Redacted.value(tokens.accessToken),
          refreshToken: Redacted.value(tokens.refreshToken)
        }
      })
    ),
    people: yield* Effect.forEach(numbers(people), (number) =>
      Effect.as(create(`person${number}@example.com`), { email: `person${number}@example.com`, password })
    )
  }
})

class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", { message: Schema.String }) {}

const command = (environment: { readonly [name: string]: string }, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(ServerProcess.command(environment, ...args), ({ code, err, out }) =>
    code === 0 ? Effect.succeed(out) : Effect.fail(new CommandFailed({ message: `${args.join(" ")}: ${out} ${err}` }))
  )

/** The cluster, the servers, the file of the imports, and everyone who will call. */
export const prepare = Effect.fnUntraced(function* (options: Options, record: Record) {
  const folder = yield* temporaryFolder
  const cluster = yield* Cluster.make(folder)
  const environment = environmentOf(cluster.url)
  yield* command(environment, "demo", "load", "--size", "tiny")
  const everyone = yield* cluster.onPrimary(
    customers(options).pipe(Effect.provide(Layer.mergeAll(access, OAuth.layer)))
  )
  const imports = yield* Imports.make(folder, cluster, record, options.products)
  yield* cluster.addFirstStandby
  const servers = yield* Servers.make(folder, environment)
  yield* servers.untilReady
  return { cluster, environment, everyone, imports, servers }
})

type Prepared = Effect.Success<ReturnType<typeof prepare>>

/** Starts the load; the effect that it gives ends it and waits for its last answers. */
export const load = (
  { everyone, imports, servers }: Prepared,
  record: Record,
  refreshEveryMillis?: number
): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isOver = false
    const load: Customers.Load = { port: servers.port, record, isOver: () => isOver }
    const all = Promise.all([
      ...everyone.scripts.map((who) => Customers.script(load, who)),
      ...everyone.apps.map((who) => Customers.app(load, who, refreshEveryMillis)),
      ...everyone.people.map((who) => Customers.person(load, who)),
      imports.run(load.isOver)
    ])
    const over = Effect.sync(() => void (isOver = true))
    yield* Effect.addFinalizer(() => over)
    return Effect.andThen(
      over,
      Effect.promise(() => all)
    ).pipe(Effect.asVoid)
  })

/** Every caller has had a result of a call that it began after `at`. */
const untilWell = (record: Record, callers: ReadonlyArray<string>, at: number) =>
  Effect.suspend(() => {
    const well = new Set(
      record.calls.filter(({ beganAt, outcome }) => beganAt >= at && outcome === "ok").map(({ caller }) => caller)
    )
    return callers.every((caller) => well.has(caller)) ? Effect.void : Effect.fail("not yet")
  }).pipe(Effect.retry(Schedule.spaced("50 millis")), Servers.inTime("calls of everyone did not succeed again"))

/** For a look at what happened when. */
const keepAll = (folder: string, { cluster, servers }: Prepared, record: Record) =>
  Effect.promise(async () => {
    await fs.mkdir(folder, { recursive: true })
    await fs.writeFile(path.join(folder, "calls.json"), JSON.stringify(record))
    for (const { logged, name } of servers.all) await fs.writeFile(path.join(folder, `${name}.log`), logged())
    for (const [number, log] of cluster.logs().entries()) {
      await fs.copyFile(log, path.join(folder, `postgres-${number}.log`)).catch(() => undefined)
    }
  })

/** Ends the servers, so that they settle what they could not answer, and checks what they have left. */
export const check = Effect.fnUntraced(function* ({ cluster, environment, servers }: Prepared, record: Record) {
  for (const { end, logged } of servers.all) {
    yield* end("SIGTERM")
    for (const line of logged().split("\n")) if (line.includes(defect)) record.incident(line)
  }
  const books = yield* cluster.onPrimary(Books.compare(record.calls))
  const incident = (error: CommandFailed) => Effect.sync(() => record.incident(error.message))
  yield* Effect.catch(command(environment, "credits", "verify"), incident)
  for (const { indexFolder } of servers.all) {
    const index = { ...environment, INDEX_DIR: indexFolder }
    yield* Effect.catch(command(index, "catalog", "verify"), incident)
  }
  return books
})

const strike = Effect.fnUntraced(function* (
  world: World,
  record: Record,
  callers: ReadonlyArray<string>,
  fault: Fault,
  prng: Prng,
  waited: Waits.Waited
) {
  const at = performance.now()
  const repair = yield* fault.strike(world, prng)
  yield* untilWell(record, callers, performance.now())
  const effects = effectsOf(record, at, performance.now(), waited)
  if (Effect.isEffect(repair)) yield* repair
  yield* world.servers.untilReady
  return { fault, effects }
})

export const run = Effect.fnUntraced(function* (options: Options) {
  const began = yield* Clock.currentTimeMillis
  const { tell = () => undefined } = options
  const record = new Record()
  const prepared = yield* prepare(options, record)
  tell(`seed ${options.seed}, prepared after ${Math.round(((yield* Clock.currentTimeMillis) - began) / 1000)} s`)
  const { everyone } = prepared
  const { keep } = options
  if (keep !== undefined) yield* Effect.addFinalizer(() => keepAll(keep, prepared, record))
  const callers = [...everyone.scripts, ...everyone.apps].map(({ name }) => name)
  const stop = yield* load(prepared, record, options.refreshEveryMillis)
  yield* untilWell(record, callers, performance.now())

  const waited = yield* Waits.watch(prepared.imports.processIds)
  const prng = new Prng("faults", options.seed)
  const possible = options.faults.filter(({ name }) => name !== "disk full" || prepared.cluster.hasOwnDisks)
  const struck: Array<Struck> = []
  for (let round = 0; round < options.rounds; round++) {
    for (const fault of shuffled(possible, prng)) {
      yield* Effect.sleep(1000 * (quietSeconds[0] + prng.unit() * (quietSeconds[1] - quietSeconds[0])))
      tell(`${fault.name}, at ${(performance.now() / 1000).toFixed(1)} s (${new Date().toISOString()})`)
      const one = yield* strike(prepared, record, callers, fault, prng, waited)
      const { calls, failed, repeated, silentSeconds, silentSecondsWithCores, slowestSeconds, withoutKey } = one.effects
      tell(
        `  ${calls} calls, ${repeated} repeated, ${failed} failed, none for ${silentSeconds.toFixed(1)} s (${silentSecondsWithCores.toFixed(1)} s with cores), slowest ${slowestSeconds.toFixed(1)} s`
      )
      const unkeyed = Object.entries(withoutKey).map(
        ([kind, { ended, failed }]) => `${kind} ${ended}, ${failed} failed`
      )
      tell(`  without a key: ${unkeyed.join("; ")}`)
      struck.push(one)
    }
  }
  yield* stop
  const books = yield* check(prepared, record)
  const outcome: Outcome = {
    seed: options.seed,
    struck,
    books,
    incidents: [...record.incidents.map(({ what }) => what), ...books.disagreements],
    counts: record.counts,
    hasOwnDisks: prepared.cluster.hasOwnDisks,
    seconds: ((yield* Clock.currentTimeMillis) - began) / 1000
  }
  return outcome
}, Effect.scoped)
