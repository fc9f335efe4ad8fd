/** The program as users run it: the output of a start, the state after a stop, and servers that share a database. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { EmbeddedPostgres } from "../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../src/services/database/EmbeddedPostgres.ts"
import * as Collector from "./support/Collector.ts"
import * as PrivatePostgres from "./support/PrivatePostgres.ts"
import { total } from "./support/Scrape.ts"
import * as ServerProcess from "./support/ServerProcess.ts"
import { TestDatabase } from "./support/TestDatabase.ts"

interface Answer {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly _meta: {
    readonly "discovery/credits": { readonly cost: number; readonly remaining: number }
    readonly "discovery/data_as_of"?: string
  }
}

const body = (name: string, args: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })

const call = async (port: number, key: string, name: string, args: object = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body(name, args)
  })
  const json: unknown = await response.json()
  return { status: response.status, json }
}

const result = (json: unknown): Answer => (json as { readonly result: Answer }).result

const codeOf = (json: unknown): string | undefined => {
  const { content, isError } = result(json)
  if (isError !== true) return undefined
  const parsed: { readonly error: { readonly code: string } } = JSON.parse(content[1]?.text ?? "{}")
  return parsed.error.code
}

const keysIn = (text: string): ReadonlyArray<string> => text.match(/dsk_[0-9A-Za-z]{43}/gu) ?? []

/** With 10 credits for every account on Growth. */
const twoServers = (connection: EmbeddedConnection) =>
  Effect.gen(function* () {
    const environment = { DATABASE_URL: ServerProcess.urlOf(connection), PLAN_CREDITS_GROWTH: "10" }
    const ports = [yield* ServerProcess.freePort, yield* ServerProcess.freePort] as const
    const servers = yield* Effect.all(
      ports.map((port) => ServerProcess.start({ ...environment, PORT: String(port) })),
      { concurrency: 2 }
    )
    const account = (email: string) =>
      Effect.gen(function* () {
        const made = yield* ServerProcess.command(environment, "account", "create", email, "--plan", "growth")
        assert.strictEqual(made.code, 0, made.err)
        const key = yield* ServerProcess.command(environment, "key", "create", email, "test")
        return keysIn(key.out)[0] ?? ""
      })
    const verify = Effect.gen(function* () {
      const { code, err, out } = yield* ServerProcess.command(environment, "credits", "verify")
      assert.strictEqual(code, 0, out + err)
    })
    return { account, ports, servers, verify }
  })

layer(TestDatabase.layerNoPool, { excludeTestServices: true })((it) => {
  describe("npm start, with the embedded PostgreSQL", () => {
    it.effect(
      "prints what works when pasted, comes back with the same data, and leaves no process behind",
      () =>
        Effect.gen(function* () {
          const folder = yield* PrivatePostgres.temporaryFolder
          const port = yield* ServerProcess.freePort
          const metricsPort = yield* ServerProcess.freePort
          const environment = {
            DATA_DIR: path.join(folder, "data"),
            PORT: String(port),
            METRICS_PORT: String(metricsPort),
            NODE_COMPILE_CACHE: path.join(folder, "compiled"),
            DEMO_SIZE: "tiny"
          }

          const first = yield* ServerProcess.start(environment)
          const printed = first.printed()
          // Nothing for programs stands among what people read.
          assert.notMatch(printed + first.logged(), /^\{/mu)
          assert.include(printed, `Mails     ${path.resolve(environment.DATA_DIR, "mail")}`)
          const [growth = "", pro = "", unpaid = ""] = keysIn(printed)
          assert.include(printed, `http://localhost:${port}/mcp`)
          assert.match(printed, /E-mail +growth@demo\.example\n +Password +\S{12,}/u)
          const line = printed.split("\n").find((each) => each.includes("curl -s"))
          assert.isDefined(line)
          const pasted: unknown = JSON.parse(execFileSync("sh", ["-c", line], { encoding: "utf8" }))
          assert.isUndefined(codeOf(pasted))
          assert.strictEqual(result(pasted)._meta["discovery/credits"].cost, 1)
          assert.match(result(pasted)._meta["discovery/data_as_of"] ?? "", /^\d{4}-\d{2}-\d{2}$/u)
          const asPro = yield* Effect.promise(() => call(port, pro, "search_ads"))
          assert.isUndefined(codeOf(asPro.json))
          const metrics = yield* Effect.promise(async () =>
            (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
          )
          assert.match(metrics, /^discovery_calls_total\{tool="search_ads",outcome="ok"\} 1$/mu)
          assert.match(metrics, /^discovery_database_up 1$/mu)
          const asUnpaid = yield* Effect.promise(() => call(port, unpaid, "get_usage"))
          assert.strictEqual(codeOf(asUnpaid.json), "plan_upgrade_required")

          const beside = yield* ServerProcess.command(environment, "account", "list")
          assert.strictEqual(beside.code, 0, beside.err)
          assert.include(beside.out, "unpaid@demo.example")

          const apart = { DATA_DIR: environment.DATA_DIR }
          const made = yield* ServerProcess.command(apart, "account", "create", "ada@analytical.test")
          assert.include(made.out, `link  http://localhost:${port}/reset-password/new?token=`)
          const reset = yield* ServerProcess.command(
            { ...apart, BASE_URL: "https://discovery.test" },
            "account",
            "reset-password",
            "ada@analytical.test"
          )
          assert.include(reset.out, "link  https://discovery.test/reset-password/new?token=")

          const other = path.join(folder, "other")
          const taken = yield* ServerProcess.command({ ...environment, DATA_DIR: other })
          assert.notStrictEqual(taken.code, 0)
          assert.include(taken.err, `another program listens on 127.0.0.1:${port} already`)
          assert.include(taken.err, "set PORT to another number")
          const free = String(yield* ServerProcess.freePort)
          const takenMetrics = yield* ServerProcess.command({ ...environment, DATA_DIR: other, PORT: free })
          assert.notStrictEqual(takenMetrics.code, 0)
          assert.include(takenMetrics.err, `another program listens on 127.0.0.1:${metricsPort} already`)
          assert.include(takenMetrics.err, "METRICS_PORT")
          const foreign = yield* ServerProcess.command({
            DATA_DIR: other,
            PORT: free,
            HOST: "::ffff:1.2.3.4",
            BASE_URL: "https://discovery.test"
          })
          assert.match(foreign.err, /does not have the address \[::ffff:1\.2\.3\.4\]\. Set HOST/u)
          assert.isFalse(fs.existsSync(other), "nothing is prepared for a server that cannot listen")

          const access = path.join(environment.DATA_DIR, "demo-access.json")
          assert.strictEqual(
            fs.statSync(access).mode & 0o777,
            0o600,
            "only its owner reads the demo's password and keys"
          )

          assert.strictEqual(yield* first.end("SIGTERM"), 0)

          const second = yield* ServerProcess.start({ ...environment, DEMO_SIZE: "large", LOG_FORMAT: "logfmt" })
          assert.match(second.printed(), /^DEMO_SIZE=large has no effect: .* has data already/mu)
          assert.deepStrictEqual(keysIn(second.printed()).slice(0, 3), [growth, pro, unpaid])
          assert.notInclude(second.printed(), "records")
          const usage = yield* Effect.promise(() => call(port, growth, "get_usage"))
          assert.strictEqual(result(usage.json)._meta["discovery/credits"].remaining, 1999)
          assert.match(second.logged(), /^timestamp=\S+ level=INFO event=tools\/call tool=get_usage /mu)
          assert.notMatch(second.logged(), /message="?\{|^\{/mu)
          yield* second.end("SIGKILL")

          const third = yield* ServerProcess.start({ ...environment, NODE_DEBUG_NATIVE: "COMPILE_CACHE" })
          assert.notInclude(third.printed(), "DEMO_SIZE")
          const again = yield* Effect.promise(() => call(port, growth, "get_usage"))
          assert.strictEqual(result(again.json)._meta["discovery/credits"].remaining, 1999)
          assert.strictEqual(yield* third.end("SIGINT"), 0)
          assert.include(third.logged(), "was accepted")
          assert.notInclude(third.logged(), "was rejected", "V8 refuses code that was compiled with other flags")
        }).pipe(Effect.scoped),
      { timeout: 600_000 }
    )

    it("can be run by its name, as npm exec does", () => {
      assert.doesNotThrow(() => fs.accessSync(new URL("../src/main.ts", import.meta.url), fs.constants.X_OK))
    })

    it.effect("keeps compiled code where it may, and starts where it may not", () =>
      Effect.gen(function* () {
        const folder = yield* PrivatePostgres.temporaryFolder
        const first = yield* ServerProcess.command({ NODE_COMPILE_CACHE: folder }, "--version")
        assert.strictEqual(first.code, 0)
        assert.isNotEmpty(fs.readdirSync(folder))
        const second = yield* ServerProcess.command({ NODE_COMPILE_CACHE: "/dev/null/none" }, "--version")
        assert.deepStrictEqual(second, first)
      }).pipe(Effect.scoped)
    )

    it.effect("names the variable that is wrong", () =>
      Effect.gen(function* () {
        const { code, err } = yield* ServerProcess.command({ PORT: "eighty" })
        assert.notStrictEqual(code, 0)
        assert.include(err, "PORT")
        assert.notInclude(err, "    at ")
      })
    )
  })

  describe("a database of DATABASE_URL", () => {
    it.effect("keeps logs in their format and off standard output, also with a collector", () =>
      Effect.gen(function* () {
        const { connection } = yield* TestDatabase
        const { code, err, out } = yield* ServerProcess.command(
          {
            DATABASE_URL: ServerProcess.urlOf(connection),
            LOG_LEVEL: "Debug",
            OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1"
          },
          "migrate"
        )
        assert.strictEqual(code, 0, err)
        assert.strictEqual(out, "The database is at this version.\n")
        const lines = err.trim().split("\n")
        assert.isNotEmpty(lines)
        for (const line of lines) assert.property(JSON.parse(line), "level")
      })
    )

    it.effect("sends its last metrics to a collector before it ends", () =>
      Effect.gen(function* () {
        const { connection } = yield* TestDatabase
        const collector = yield* Collector.make
        const port = yield* ServerProcess.freePort
        const server = yield* ServerProcess.start({
          DATABASE_URL: ServerProcess.urlOf(connection),
          PORT: String(port),
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
        })
        for (let count = 0; count < 2; count++) {
          yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/health/live`))
        }
        assert.strictEqual(yield* server.end("SIGTERM"), 0)
        const sent = collector.metrics().at(-1) ?? assert.fail(server.logged())
        assert.strictEqual(total(sent, "discovery_http_responses_total", { route: "health", status: "2xx" }), 2)
      }).pipe(Effect.scoped)
    )

    it.effect("that cannot be reached is reported with the reason and without its password", () =>
      Effect.gen(function* () {
        const { code, err } = yield* ServerProcess.command(
          { DATABASE_URL: "postgres://u:hush@127.0.0.1:1/x" },
          "migrate"
        )
        assert.notStrictEqual(code, 0)
        assert.include(err, "ECONNREFUSED")
        assert.include(err, "DATABASE_URL")
        assert.notInclude(err, "hush")
      })
    )
  })

  describe("two servers on one DATABASE_URL", () => {
    const setUp = Effect.flatMap(TestDatabase, ({ connection }) => twoServers(connection))

    it.effect(
      "make no account, charge exactly the credits that are left, and verify",
      () =>
        Effect.gen(function* () {
          const { account, ports, servers, verify } = yield* setUp
          for (const server of servers) {
            assert.lengthOf(keysIn(server.printed()), 0)
            assert.notInclude(server.printed(), "Password")
          }
          const key = yield* account("many@example.com")
          const answers = yield* Effect.forEach(
            Array.from({ length: 64 }, (_, index) => ports[index % 2] ?? 0),
            (port) => Effect.promise(() => call(port, key, "search_ads")),
            { concurrency: "unbounded" }
          )
          const codes = answers.map(({ json }) => codeOf(json))
          assert.lengthOf(
            codes.filter((code) => code === undefined),
            10
          )
          assert.lengthOf(
            codes.filter((code) => code === "insufficient_credits"),
            54
          )
          yield* verify
        }).pipe(Effect.scoped),
      { timeout: 600_000 }
    )

    it.effect(
      "never go past the allowance when one of them is killed in the middle",
      () =>
        Effect.gen(function* () {
          const { account, ports, servers, verify } = yield* setUp
          const key = yield* account("killed@example.com")
          let succeeded = 0
          const callers = Effect.forEach(
            Array.from({ length: 64 }, (_, index) => index),
            (index) =>
              Effect.promise(async () => {
                // Cut off calls reject: their clients know nothing, which is no answer.
                const answer = await call(ports[index % 2] ?? 0, key, "search_ads").catch(() => undefined)
                if (answer !== undefined && codeOf(answer.json) === undefined) succeeded++
                if (index === 8) servers[1]?.child.kill("SIGKILL")
              }),
            { concurrency: 16 }
          )
          yield* callers
          assert.isAtMost(succeeded, 10)
          const usage = yield* Effect.promise(() => call(ports[0], key, "get_usage"))
          const left = result(usage.json)._meta["discovery/credits"].remaining
          assert.isAtLeast(left, 0)
          assert.isAtLeast(10 - left, succeeded)
          yield* verify
        }).pipe(Effect.scoped),
      { timeout: 600_000 }
    )
  })
})

layer(PrivatePostgres.layer, { excludeTestServices: true })((it) => {
  it.effect(
    "two servers whose PostgreSQL is restarted in the middle charge what they answered, and nothing else",
    () =>
      Effect.gen(function* () {
        const postgres = yield* EmbeddedPostgres
        const { connection } = yield* TestDatabase
        const { account, ports, verify } = yield* twoServers(connection)
        const key = yield* account("restarted@example.com")
        let answered = 0
        const codes: Array<string | undefined> = []
        const callers = Effect.forEach(
          Array.from({ length: 64 }, (_, index) => ports[index % 2] ?? 0),
          (port) =>
            Effect.gen(function* () {
              const { json, status } = yield* Effect.promise(() => call(port, key, "search_ads"))
              // 503: who calls cannot be found out while the database is away.
              codes.push(status === 503 ? "service_unavailable" : codeOf(json))
              answered++
            }),
          { concurrency: 8, discard: true }
        )
        const restart = Effect.suspend(() => (answered >= 4 ? Effect.void : Effect.fail("waiting"))).pipe(
          Effect.retry({ schedule: Schedule.spaced("1 millis") }),
          Effect.andThen(postgres.stop),
          Effect.andThen(postgres.start)
        )
        yield* Effect.all([callers, restart], { concurrency: 2, discard: true })
        const succeeded = codes.filter((code) => code === undefined).length
        assert.isAtMost(succeeded, 10)
        for (const code of codes) assert.include([undefined, "insufficient_credits", "service_unavailable"], code)
        // A call that was answered with an error while its charge was on its way is refunded in the background.
        yield* Effect.promise(() => call(ports[0], key, "get_usage")).pipe(
          Effect.filterOrFail(
            ({ json }) =>
              codeOf(json) === undefined && result(json)._meta["discovery/credits"].remaining === 10 - succeeded
          ),
          Effect.retry({ schedule: Schedule.spaced("50 millis") })
        )
        yield* verify
      }).pipe(Effect.scoped),
    { timeout: 600_000 }
  )
})
