/** Several threads that answer requests: which of them a connection reaches makes no difference, and none is missed for long. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Metric, Redacted, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as http from "node:http"
import { Worker } from "node:worker_threads"
import * as HttpThread from "../../src/http/HttpThread.ts"
import * as HttpThreads from "../../src/http/HttpThreads.ts"
import * as Metrics from "../../src/services/metrics/Metrics.ts"
import * as ThreadMetrics from "../../src/services/metrics/ThreadMetrics.ts"
import { CatalogIndex } from "../../src/services/search/runtime/CatalogIndex.ts"
import type { Emit } from "../../src/services/search/runtime/CatalogIndex.ts"
import type { IndexEvent } from "../../src/services/search/runtime/Indexer.ts"
import { change } from "../oracle/changes.ts"
import { loadCatalog } from "../oracle/loadCatalog.ts"
import { generate } from "../oracle/NaiveCatalog.ts"
import * as Access from "../support/Access.ts"
import * as Messages from "../support/Messages.ts"
import { temporaryFolder } from "../support/PrivatePostgres.ts"
import * as Scrape from "../support/Scrape.ts"
import * as ServerProcess from "../support/ServerProcess.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const threads = 3
/** Enough that each thread gets some: the chance that one of three gets none of 40 is below one in a million. */
const connections = 40
const credits = Access.allowances.growth

/** On a connection of its own. */
const request = (port: number, path: string, secret?: Redacted.Redacted, message?: unknown): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = http.request(
      {
        host: "127.0.0.1",
        port,
        path,
        method: message === undefined ? "GET" : "POST",
        agent: false,
        headers: {
          "content-type": "application/json",
          ...(secret === undefined ? {} : { authorization: `Bearer ${Redacted.value(secret)}` })
        }
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => (text += chunk))
        response.on("end", () => resolve(text))
      }
    )
    sent.on("error", reject)
    sent.end(message === undefined ? "" : JSON.stringify(message))
  })

const times = <A>(count: number, run: () => Promise<A>) =>
  Effect.promise(() => Promise.all(Array.from({ length: count }, run)))

/** Sockets that listen on the port, by the tables of the kernel. */
const listening = (port: number): number => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  const isListening = (line: string) => {
    const [, address = "", , state] = line.trim().split(/\s+/u)
    return address.endsWith(local) && state === "0A"
  }
  return fs.readFileSync("/proc/net/tcp", "utf8").split("\n").filter(isListening).length
}

const eventually = <E, R>(isSo: Effect.Effect<boolean, E, R>) =>
  isSo.pipe(
    Effect.filterOrFail(
      (so) => so,
      () => "not yet" as const
    ),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3_000 })
  )

const catalog = generate(3, 30)

const server = Effect.gen(function* () {
  yield* loadCatalog(catalog)
  const { connection } = yield* TestDatabase
  const [port, metricsPort] = [yield* ServerProcess.freePort, yield* ServerProcess.freePort]
  const environment = {
    DATABASE_URL: ServerProcess.urlOf(connection),
    INDEX_DIR: yield* temporaryFolder,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    HTTP_THREADS: String(threads),
    PLAN_CREDITS_GROWTH: String(credits)
  }
  const { end } = yield* ServerProcess.start(environment)
  yield* ServerProcess.ready(port)
  yield* eventually(Effect.sync(() => listening(port) === threads))
  const samples = Effect.promise(async () =>
    Scrape.parse(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text())
  )
  return { port, environment, end, samples }
})

const versionAt = async (port: number): Promise<number> => {
  const status: { readonly index: { readonly version: number } } = JSON.parse(await request(port, "/health/ready"))
  return status.index.version
}

const services = Access.layerUnhashed.pipe(Layer.provide(NodeCrypto.layer), Layer.provideMerge(TestDatabase.layer))

layer(services, { excludeTestServices: true })("D107 a server with threads", (it) => {
  // Elsewhere a server has one thread (Config).
  it.effect.skipIf(process.platform !== "linux")(
    "charges exactly, shows every change, counts for all, and answers the calls that run when it is stopped",
    () =>
      Effect.gen(function* () {
        const { end, environment, port, samples } = yield* server
        const { caller, secret } = yield* Access.subscriber()
        const search = () => request(port, "/mcp", secret, Messages.call("search_ads"))

        const before = yield* samples
        const answers = yield* times(connections, search)
        const { balance } = yield* Access.books(caller.accountId)
        assert.lengthOf(
          answers.filter((text) => text.includes('"results')),
          credits
        )
        assert.strictEqual(balance.used, credits)
        const after = yield* samples
        const gained = (name: string, labels: Readonly<Record<string, string>>) =>
          Scrape.total(after, name, labels) - Scrape.total(before, name, labels)
        assert.strictEqual(gained("discovery_calls_total", { tool: "search_ads", outcome: "ok" }), credits)
        assert.strictEqual(gained("discovery_call_duration_seconds_count", { tool: "search_ads" }), connections)
        assert.strictEqual(Scrape.total(after, "discovery_database_connections_max"), 18)

        yield* change((sql) =>
          Effect.gen(function* () {
            const stores = yield* sql<{ id: number }>`UPDATE product SET price = price + 1 RETURNING shop_id AS id`
            return { items: [...new Set(stores.map(({ id }) => id))] }
          })
        )
        const [row] = yield* (yield* SqlClient.SqlClient)<{ version: number }>`SELECT version FROM catalog`
        const newest = row?.version ?? 0
        // The gauge is the smallest of the threads'.
        yield* eventually(Effect.map(samples, (all) => Scrape.total(all, "discovery_index_version") === newest))
        const versions = yield* times(connections, () => versionAt(port))
        assert.deepStrictEqual([...new Set(versions)], [newest])

        const other = yield* Access.subscriber()
        const lock = yield* Access.holdPeriods(other.caller.accountId)
        const calls = yield* Effect.forkChild(
          times(credits, () => request(port, "/mcp", other.secret, Messages.call("search_products")))
        )
        const charging = (all: ReadonlyArray<Scrape.Sample>) =>
          Scrape.total(all, "discovery_queue_length", { queue: "charges" })
        yield* eventually(Effect.map(samples, (all) => charging(all) === credits))
        const stopped = yield* Effect.forkChild(end("SIGTERM"))
        yield* eventually(Effect.sync(() => listening(port) === 0))
        const second = yield* ServerProcess.command({
          ...environment,
          METRICS_PORT: String(yield* ServerProcess.freePort)
        })
        assert.include(second.err, `another program listens on 127.0.0.1:${port} already`)
        yield* lock.release
        const texts = yield* Fiber.join(calls)
        assert.isTrue(
          texts.every((text) => text.includes('"results')),
          texts[0]
        )
        assert.strictEqual(yield* Fiber.join(stopped), 0)
        const verified = yield* ServerProcess.command(environment, "credits", "verify")
        assert.strictEqual(verified.code, 0, verified.out + verified.err)
      }).pipe(Effect.scoped),
    { timeout: 300_000 }
  )
})

/** Lets what is not on the test's clock go on. */
const realTurn = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 5)))

const until = (isSo: () => boolean) =>
  Effect.gen(function* () {
    while (!isSo()) yield* realTurn
  })

/** As {@link until}, while the test's clock goes on. */
const untilPassing = (isSo: () => boolean) =>
  Effect.gen(function* () {
    while (!isSo()) {
      yield* TestClock.adjust("50 millis")
      yield* realTurn
    }
  })

/** Seconds of the test's clock, in each of which the thread has time to answer. */
const passing = (seconds: number) =>
  Effect.forEach(Array.from({ length: seconds }), () => Effect.andThen(TestClock.adjust("1 second"), realTurn), {
    discard: true
  })

interface Stub {
  readonly started: () => number
  readonly asked: () => number
  readonly events: () => number
  readonly order: (what: "end" | "freeze") => void
  readonly callsOf: Effect.Effect<{ readonly calls: number; readonly waiting: number }>
  /** Emits an event to all that follow the index. */
  readonly emit: Effect.Effect<void>
}

/** One thread of StubHttpThread; `refused` is the number of threads that the system does not give, after the first. */
const withStub = <A, E>(use: (stub: Stub) => Effect.Effect<A, E>, { refused = 0 } = {}) =>
  Effect.gen(function* () {
    const words = new Int32Array(new SharedArrayBuffer(28))
    let left = refused
    const spawn = () => {
      if (Atomics.load(words, 0) > 0 && left-- > 0) throw new Error("no more threads")
      return new Worker(new URL("../support/StubHttpThread.ts", import.meta.url), {
        workerData: words,
        execArgv: [],
        stderr: true
      })
    }
    const event: IndexEvent = { _tag: "Checked", version: 7, lagSeconds: 0 }
    const followers = new Set<Emit>()
    const index = Layer.mock(CatalogIndex, {
      follow: (emit) =>
        Effect.andThen(
          Effect.acquireRelease(
            Effect.sync(() => void followers.add(emit)),
            () => Effect.sync(() => void followers.delete(emit))
          ),
          emit(event)
        )
    })
    const scope = yield* Scope.make()
    const threads = yield* Layer.buildWithScope(
      HttpThreads.layer(1).pipe(Layer.provide([index, NodeWorker.layer(spawn)])),
      scope
    )
    const { snapshots } = Context.get(threads, ThreadMetrics.OtherThreads)
    const sum = (all: ReadonlyArray<ThreadMetrics.Snapshots>, id: string) =>
      ThreadMetrics.merge(all).reduce((total, each) => {
        if (each.id !== id) return total
        return total + Number(each.type === "Counter" ? each.state.count : each.type === "Gauge" ? each.state.value : 0)
      }, 0)
    yield* use({
      started: () => Atomics.load(words, 0),
      asked: () => Atomics.load(words, 1),
      events: () => Atomics.load(words, 2),
      order: (what) => void Atomics.store(words, 3, what === "end" ? 1 : 2),
      callsOf: Effect.map(snapshots, (all) => ({ calls: sum(all, "test_calls"), waiting: sum(all, "test_waiting") })),
      emit: Effect.suspend(() => Effect.forEach(followers, (emit) => emit(event), { discard: true }))
    })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    const letEnd = Effect.sync(() => void Atomics.store(words, 5, 1))
    return { closing, letEnd, told: () => Atomics.load(words, 4), ended: () => Atomics.load(words, 6), followers }
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

/** With a thread that ends at once when it is told. */
const withThread = <A, E>(use: (stub: Stub) => Effect.Effect<A, E>, options?: { readonly refused: number }) =>
  Effect.gen(function* () {
    const { closing, followers, letEnd } = yield* withStub(use, options)
    yield* letEnd
    yield* untilPassing(() => closing.pollUnsafe() !== undefined)
    assert.strictEqual(followers.size, 0)
  })

describe("threads that answer requests", () => {
  it.effect("D107 one that ends is replaced, learns the state of the index, and what it had counted stays", () =>
    withThread(({ asked, callsOf, events, order, started }) =>
      Effect.gen(function* () {
        yield* until(() => events() === 1)
        order("end")
        yield* untilPassing(() => started() === 2 && events() === 2)
        yield* untilPassing(() => asked() >= 2)
        assert.deepStrictEqual(yield* callsOf, { calls: 10, waiting: 3 })
        assert.strictEqual(yield* Metrics.httpThreadsReplaced.value({ reason: "died" }), 1)
        assert.strictEqual(yield* Metrics.httpThreadsReplaced.value({ reason: "stuck" }), 0)
      })
    )
  )

  it.effect("D107 one that does not answer for ten seconds is replaced, and not before", () =>
    withThread(({ emit, events, order, started }) =>
      Effect.gen(function* () {
        yield* until(() => events() === 1)
        // Until it has said that it listens.
        yield* Effect.forEach(Array.from({ length: 20 }), () => realTurn)
        order("freeze")
        yield* TestClock.adjust("5 seconds")
        yield* realTurn
        yield* TestClock.adjust("10 seconds")
        yield* realTurn
        assert.strictEqual(yield* Metrics.httpThreadsReplaced.value({ reason: "stuck" }), 0)
        yield* TestClock.adjust("250 millis")
        // What is sent to the frozen thread does not reach the next one.
        yield* Effect.forEach(Array.from({ length: 3 }), () => emit)
        yield* untilPassing(() => started() === 2 && events() >= 2)
        yield* Effect.forEach(Array.from({ length: 20 }), () => realTurn)
        assert.strictEqual(events(), 2)
        assert.strictEqual(yield* Metrics.httpThreadsReplaced.value({ reason: "stuck" }), 1)
      })
    )
  )

  it.effect("D107 one that the system does not give is asked for again", () =>
    withThread(
      ({ events, order, started }) =>
        Effect.gen(function* () {
          yield* until(() => events() === 1)
          order("end")
          yield* untilPassing(() => started() === 2)
          assert.strictEqual(yield* Metrics.httpThreadsReplaced.value({ reason: "died" }), 3)
        }),
      { refused: 2 }
    )
  )

  it.effect("D107 is asked to stop, has as long as a drain takes, and has ended when the scope has", () =>
    Effect.gen(function* () {
      const { closing, ended, letEnd, told } = yield* withStub(({ events }) => until(() => events() === 1))
      yield* until(() => told() === 1)
      yield* passing(30)
      assert.isUndefined(closing.pollUnsafe())
      assert.strictEqual(ended(), 0)
      yield* letEnd
      yield* until(() => closing.pollUnsafe() !== undefined)
      assert.strictEqual(ended(), 1)
    })
  )

  it.effect("D107 one that does not stop is ended after 40 seconds", () =>
    Effect.gen(function* () {
      const { closing, told } = yield* withStub(({ events }) => until(() => events() === 1))
      yield* until(() => told() === 1)
      yield* passing(39)
      assert.isUndefined(closing.pollUnsafe())
      yield* passing(7)
      yield* until(() => closing.pollUnsafe() !== undefined)
    })
  )

  it.effect(
    "D107 loses no event of the index, and takes the main thread for stuck after twenty seconds without a question",
    () =>
      Effect.gen(function* () {
        const sent: Array<HttpThread.FromThread> = []
        const inbox = yield* HttpThread.makeInbox((message) => Effect.sync(() => void sent.push(message)))
        const early: Array<IndexEvent> = []
        yield* inbox.handle({ _tag: "Index", event: { _tag: "Checked", version: 1, lagSeconds: 0 } })
        yield* inbox.follow((event) => Effect.sync(() => void early.push(event)))
        yield* inbox.handle({ _tag: "Index", event: { _tag: "Checked", version: 2, lagSeconds: 0 } })
        assert.deepStrictEqual(
          early.map((event) => (event._tag === "Checked" ? event.version : event._tag)),
          [1, 2]
        )
        yield* TestClock.adjust("19999 millis")
        assert.isTrue(yield* inbox.mainThread.isThere)
        yield* inbox.handle({ _tag: "Ask", id: 4 })
        assert.deepStrictEqual(
          sent.map((message) => (message._tag === "Answer" ? message.id : message._tag)),
          [4]
        )
        yield* TestClock.adjust("19999 millis")
        assert.isTrue(yield* inbox.mainThread.isThere)
        yield* TestClock.adjust("1 millis")
        assert.isFalse(yield* inbox.mainThread.isThere)
      })
  )
})
