/** The wrapped client of ClickHouse, against the real engine in a process of its own. */
import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect, Redacted, Schema, Stream } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import * as tls from "node:tls"
import { inspect } from "node:util"
import { ClickHouse, Int64 } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import type { ClickHouseError } from "../../../../src/services/search/clickhouse/ClickHouseErrors.ts"
import { cluster, type Fault } from "../../../clickhouse/Messages.ts"
import * as Certificate from "../../../support/Certificate.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { ClickHouseServer as Server } from "../../../support/ClickHouseServer.ts"

const Numbered = Schema.Struct({ n: Int64 })
const numbers = (count: number) => ({
  name: "numbers",
  sql: "SELECT number AS n FROM numbers({count:UInt64})",
  params: { count }
})

const query = (...args: Parameters<ClickHouse["Service"]["query"]>) =>
  Effect.flatMap(ClickHouse, ($) => $.query(...args))
const command = (sql: string) => Effect.flatMap(ClickHouse, ($) => $.command({ name: "command", sql }))
const insert = (table: string, rows: ReadonlyArray<ReadonlyArray<string | number>>) =>
  Effect.flatMap(ClickHouse, ($) =>
    $.insert({ name: "insert", table, columns: ["a"], rows: Stream.fromIterable(rows) })
  )

const exception = (code: number, name: string): Fault => ({ kind: "exception", code, name })

const failures: ReadonlyArray<readonly [what: string, fault: Fault, tag: ClickHouseError["_tag"], code?: number]> = [
  ["nothing listens", { kind: "closed" }, "EngineUnreachable"],
  ["a proxy finds no engine", { kind: "proxy", status: 503, body: "<html>Sorry</html>" }, "EngineUnreachable"],
  ["a proxy wants a password", { kind: "proxy", status: 401, body: "" }, "EngineRefused"],
  ["a shard is lost", exception(279, "ALL_CONNECTION_TRIES_FAILED"), "EngineUnreachable", 279],
  ["the engine stops", exception(236, "ABORTED"), "EngineUnreachable", 236],
  ["the time of the query is over", exception(159, "TIMEOUT_EXCEEDED"), "EngineTimeout", 159],
  ["there is no memory", exception(241, "MEMORY_LIMIT_EXCEEDED"), "EngineOutOfMemory", 241],
  ["the replica takes no writes", exception(242, "TABLE_IS_READ_ONLY"), "EngineReadOnly", 242],
  ["a right is missing", exception(497, "ACCESS_DENIED"), "EngineRefused", 497],
  ["the statement is wrong", exception(62, "SYNTAX_ERROR"), "EngineFailed", 62],
  ...[true, false].flatMap((isMarked) =>
    [true, false].map((isCut) => {
      const fault = { kind: "late exception", code: 241, name: "MEMORY_LIMIT_EXCEEDED", isMarked, isCut } as const
      const how = `${isMarked ? "" : ", not marked"}${isCut ? ", and the connection breaks" : ""}`
      return [`an error comes after rows${how}`, fault, "EngineOutOfMemory", 241] as const
    })
  )
]

/** Only an answer with rows can lack some. */
const failuresOfRows: typeof failures = [
  ["the connection breaks after rows", { kind: "cut", endsWell: false }, "EngineBrokenAnswer"],
  ["a proxy ends the answer after a part", { kind: "cut", endsWell: true }, "EngineBrokenAnswer"],
  [
    "a page of a proxy is the answer",
    { kind: "proxy", status: 200, body: "<html>Sign in</html>" },
    "EngineBrokenAnswer"
  ],
  ["another document is the answer", { kind: "proxy", status: 200, body: "{}" }, "EngineBrokenAnswer"],
  [
    "a document has fewer rows than it says",
    { kind: "proxy", status: 200, body: '{"meta":[{"name":"n"}],"data":[["1"]],"rows":2}' },
    "EngineBrokenAnswer"
  ]
]

const codeOf = (error: ClickHouseError) => ("code" in error ? error.code : undefined)

/** What a server with TLS in front of the engine is: it passes everything on. */
const overTls = (target: string, { cert, key }: ReturnType<typeof Certificate.make>) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<https.Server>((resolve) => {
          const server = https.createServer({ cert, key }, (request, response) => {
            const { headers, method, url = "/" } = request
            const passed = http.request(new URL(url, target), { method, headers }, (answer) => {
              response.writeHead(answer.statusCode ?? 502, answer.headers)
              answer.pipe(response)
            })
            request.pipe(passed)
          })
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) =>
      Effect.promise(
        () =>
          new Promise((resolve) => {
            server.close(resolve)
            server.closeAllConnections()
          })
      )
  )

describe.skipIf(!ClickHousePackage.isAvailable)("the client of ClickHouse", () => {
  layer(ClickHouseServer.both)((it) => {
    it.effect("asks over TLS, and only whom a known authority has certified", () =>
      Effect.gen(function* () {
        const { settings } = yield* Server
        const certificate = Certificate.make("127.0.0.1")
        const proxy = yield* overTls(settings.url, certificate)
        const address = proxy.address()
        const port = typeof address === "object" ? address?.port : undefined
        const secure = ClickHouse.layer({ ...settings, url: `https://127.0.0.1:${port}/` })
        const asked = Effect.provide(query(numbers(3), Numbered), secure)
        const refused = yield* Effect.flip(asked)
        assert.strictEqual(refused._tag, "EngineUnreachable")
        assert.include(refused.message, "DEPTH_ZERO_SELF_SIGNED_CERT")
        const before = tls.getCACertificates("default")
        yield* Effect.acquireRelease(
          Effect.sync(() => tls.setDefaultCACertificates([...before, certificate.cert])),
          () => Effect.sync(() => tls.setDefaultCACertificates(before))
        )
        assert.deepStrictEqual(yield* asked, [{ n: 0 }, { n: 1 }, { n: 2 }])
      })
    )

    it.effect("decodes rows by the names of their columns, with values exact to the last digit", () =>
      Effect.gen(function* () {
        const sql = `
          SELECT 9007199254740991 AS safe, 18446744073709551615 AS largest, toDecimal64('0.10', 2) AS price, nan AS nothing,
                 NULL AS missing, {text:String} AS text, {list:Array(String)} AS list -- the end`
        const text = `'"\\ \t\n\r\0 é 🛒 {x:String} %41`
        const row = Schema.Struct({
          safe: Int64,
          largest: Schema.BigIntFromString,
          price: Schema.String,
          nothing: Schema.Literal("nan"),
          missing: Schema.Null,
          text: Schema.String,
          list: Schema.Array(Schema.String)
        })
        const rows = yield* query({ name: "values", sql, params: { text, list: [text, ""] } }, row)
        assert.deepStrictEqual(rows, [
          {
            safe: 9_007_199_254_740_991,
            largest: 18_446_744_073_709_551_615n,
            price: "0.1",
            nothing: "nan",
            missing: null,
            text,
            list: [text, ""]
          }
        ])
        assert.deepStrictEqual(yield* query(numbers(0), Numbered), [])
      })
    )

    it.effect("refuses a whole number that a double does not hold, and rows of another form", () =>
      Effect.gen(function* () {
        for (const sql of ["SELECT 9007199254740993 AS n", "SELECT 1.5 AS n", "SELECT toInt64(1) AS other"]) {
          const error = yield* Effect.flip(query({ name: "numbers", sql }, Numbered))
          assert.strictEqual(error._tag, "EngineBrokenAnswer", sql)
        }
      })
    )

    it.effect.each([...failures, ...failuresOfRows])("of a query, when %s", ([, fault, tag, code]) =>
      Effect.gen(function* () {
        const server = yield* Server
        const error = yield* Effect.flip(server.during(fault)(query(numbers(50_000), Numbered)))
        assert.deepStrictEqual([error._tag, codeOf(error)], [tag, code])
        assert.lengthOf(yield* query(numbers(3), Numbered), 3)
      })
    )

    it.effect.each(failures)("of a command and an insert, when %s", ([, fault, tag, code]) =>
      Effect.gen(function* () {
        const server = yield* Server
        yield* command("CREATE TABLE IF NOT EXISTS failing (a UInt64) ENGINE = Memory")
        for (const effect of [
          command("CREATE OR REPLACE TABLE other (a UInt8) ENGINE = Memory"),
          insert("failing", [[1]])
        ]) {
          const error = yield* Effect.flip(server.during(fault)(effect))
          assert.deepStrictEqual([error._tag, codeOf(error)], [tag, code])
        }
      })
    )

    it.effect("the real engine refuses a wrong password, a user that may only read, and too much memory", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const settings = { ...server.settings, password: Redacted.make("wrong") }
        const refused = yield* Effect.flip(Effect.provide(query(numbers(1), Numbered), ClickHouse.layer(settings)))
        assert.deepStrictEqual([refused._tag, codeOf(refused)], ["EngineRefused", 516])

        const asReader = server.during({ kind: "read-only" })
        assert.lengthOf(yield* asReader(query(numbers(1), Numbered)), 1)
        const unwritten = yield* Effect.flip(asReader(command("CREATE TABLE unwritten (a UInt8) ENGINE = Memory")))
        assert.deepStrictEqual([unwritten._tag, codeOf(unwritten)], ["EngineReadOnly", 164])

        const sql = "SELECT length(groupArray(toString(number))) AS n FROM numbers(10000000)"
        const large = yield* Effect.flip(
          query({ name: "large", sql, settings: { max_memory_usage: 10_000_000 } }, Numbered)
        )
        assert.deepStrictEqual([large._tag, codeOf(large)], ["EngineOutOfMemory", 241])
      })
    )

    it.effect("an error about a statement keeps the engine's text where no log shows it", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(query({ name: "wrong", sql: "SELECT shoes AS n" }, Numbered))
        assert(error._tag === "EngineFailed")
        assert.strictEqual(error.code, 47)
        assert.match(error.message, /^ClickHouse, wrong: code 47 UNKNOWN_IDENTIFIER \(query [0-9a-f-]{36}\)$/u)
        assert.include(Redacted.value(error.detail), "shoes")
        assert.notInclude(inspect(error, { depth: 9 }) + JSON.stringify(error), "shoes")
      })
    )

    it.effect("the path of the URL is that of a proxy, not the name of a database", () =>
      Effect.gen(function* () {
        const { settings } = yield* Server
        const sql = "SELECT currentDatabase() AS name"
        const behind = ClickHouse.layer({ ...settings, url: `${settings.url}/engine/` })
        const rows = yield* Effect.provide(query({ name: "database", sql }, Schema.Unknown), behind)
        assert.deepStrictEqual(rows, [{ name: "catalog" }])
      })
    )

    it.effect("a ping reaches the engine, as its user", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const ping = Effect.flatMap(ClickHouse, ($) => $.ping)
        yield* ping
        assert.strictEqual((yield* Effect.flip(server.during({ kind: "closed" })(ping)))._tag, "EngineUnreachable")
        const settings = { ...server.settings, user: "nobody" }
        const refused = yield* Effect.flip(Effect.provide(ping, ClickHouse.layer(settings)))
        assert.strictEqual(refused._tag, "EngineRefused")
      })
    )

    it.effect("every request asks for whole and exact answers within its time, whatever the profile says", () =>
      Effect.gen(function* () {
        const server = yield* Server
        const before = server.seen.length
        yield* query({ ...numbers(1), time: Duration.millis(1_500), settings: { max_threads: 1 } }, Numbered)
        yield* command("CREATE TABLE IF NOT EXISTS failing (a UInt64) ENGINE = Memory")
        yield* insert("failing", [[1]])
        const sent = server.seen.slice(before).map(({ settings }) => settings)
        assert.lengthOf(sent, 3)
        for (const settings of sent) {
          const modes = Object.entries(settings).filter(([name]) => name.includes("overflow_mode"))
          assert.isAbove(modes.length, 8)
          for (const [name, mode] of modes) assert.strictEqual(mode, "throw", name)
          assert.strictEqual(settings["skip_unavailable_shards"], "0")
          assert.strictEqual(settings["output_format_json_quote_64bit_integers"], "1")
        }
        assert.deepStrictEqual(
          sent.map((settings) => settings["max_execution_time"]),
          ["1.5", "5", "5"]
        )
        assert.strictEqual(sent[0]?.["max_threads"], "1")
      })
    )

    it.effect("a query runs over two shards that are both this engine", () =>
      Effect.gen(function* () {
        yield* command("CREATE TABLE halves (a UInt64) ENGINE = MergeTree ORDER BY a")
        yield* command(
          `CREATE TABLE all_halves AS halves ENGINE = Distributed(${cluster}, currentDatabase(), halves, a)`
        )
        yield* insert("halves", [[1], [2], [3], [4], [5]])
        const Half = Schema.Struct({ shard: Schema.Int, values: Schema.Array(Int64) })
        for (const table of ["all_halves", "remote('127.0.0.1,127.0.0.1', currentDatabase(), halves)"]) {
          const sql = `SELECT shardNum() AS shard, arraySort(groupArray(a)) AS values FROM ${table}
            WHERE a % shardCount() = shardNum() - 1 GROUP BY shard ORDER BY shard`
          assert.deepStrictEqual(yield* query({ name: "halves", sql }, Half), [
            { shard: 1, values: [2, 4] },
            { shard: 2, values: [1, 3, 5] }
          ])
        }
      })
    )
  })
})
