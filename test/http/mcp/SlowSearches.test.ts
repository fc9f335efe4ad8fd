/**
 * Slow searches over HTTP and with a real PostgreSQL: their answers and charges, what keeps running, and what happens to the
 * search of a client that disconnects.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient, Statement } from "effect/sql"
import * as net from "node:net"
import * as Live from "../../../src/cli/Live.ts"
import { AppConfig } from "../../../src/Config.ts"
import * as Router from "../../../src/http/Router.ts"
import * as Server from "../../../src/http/Server.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Access from "../../support/Access.ts"
import * as Messages from "../../support/Messages.ts"
import { eventually, running, runs } from "../../support/RunningQueries.ts"
import { indexed, stampEverything } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import * as TestIndex from "../../support/TestIndex.ts"

/** Every answer contains stores; here, reading one takes as long as a test sets. */
const slowCatalog = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO shop (id, domain, domain_extension, name, country, monthly_revenue)
      VALUES (1, 'a.com', '.com', 'Desk', 'US', 1)`
    yield* sql`INSERT INTO product (shop_id, key, title, price) VALUES (1, 'a', 'Desk', 1)`
    yield* sql`INSERT INTO ad (shop_id, key, page_name, is_active, media_type, started_on, last_seen_on)
      VALUES (1, 'a', 'Desk', true, 'image', '2026-01-01', '2026-01-02')`
    yield* stampEverything
    yield* sql`CREATE TABLE slowness (seconds float8 NOT NULL)`
    yield* sql`INSERT INTO slowness VALUES (0)`
    yield* sql`ALTER TABLE shop RENAME TO quick_shop`
    yield* sql`CREATE VIEW shop AS
      SELECT s.* FROM quick_shop s, slowness WHERE seconds = 0 OR pg_sleep(seconds) IS NOT NULL`
  })
)

const slowness = (seconds: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE slowness SET seconds = ${seconds}`)

/** Successful calls in the server's log, and a callback for each of its statements. */
class Watch extends Context.Service<
  Watch,
  {
    readonly answered: Array<string>
    onStatement: (text: string) => void
  }
>()("test/http/mcp/SlowSearches/Watch") {
  static readonly layer = Layer.sync(Watch, () => ({ answered: [], onStatement: () => {} }))
}

const watching = Layer.unwrap(
  Effect.map(Watch, (watch) =>
    Layer.mergeAll(
      Layer.succeed(Statement.CurrentTransformer, (statement) =>
        Effect.sync(() => {
          const [text] = statement.compile()
          // The index polls for changes in between, and the rate limit reports calls.
          if (!/\bcatalog\b|\brate_bucket\b|\bcount_rates\b/u.test(text)) watch.onStatement(text)
          return statement
        })
      ),
      Logger.layer([
        Logger.map(Logger.formatJson, (line) => {
          const said: { readonly message: unknown } = JSON.parse(line)
          if (JSON.stringify(said.message).includes('"outcome":"ok"')) watch.answered.push(line)
        })
      ])
    )
  )
)

/** The live server with its own pool. */
const server = (statementTimeoutMillis: number) =>
  Layer.unwrap(
    Effect.map(TestDatabase, ({ connection }) =>
      Layer.fresh(
        Layer.effectDiscard(indexed).pipe(
          Layer.provideMerge(Router.layer),
          Layer.provideMerge(Server.layer),
          Layer.provide(Live.service),
          Layer.provide(NodeCrypto.layer),
          Layer.provide(AppConfig.layerOf({ port: 0, baseUrl: "https://discovery.test", ...TestIndex.settings() })),
          Layer.provide(Database.layer({ source: connection, statementTimeoutMillis })),
          Layer.provide(watching)
        )
      )
    )
  )

const services = (statementTimeoutMillis: number) =>
  server(statementTimeoutMillis).pipe(
    Layer.provideMerge(Watch.layer),
    Layer.provideMerge(slowCatalog),
    Layer.provideMerge(Access.layerUnhashed),
    Layer.provideMerge(TestDatabase.layer)
  )

/** Part of each statement that reads records for an answer. */
const reading = "s.domain, s.country"

const port = Effect.map(HttpServer.HttpServer, ({ address }) => (address._tag === "UnixPathAddress" ? 0 : address.port))

const post = Effect.fnUntraced(function* (secret: Redacted.Redacted, message: unknown) {
  const to = yield* port
  return yield* Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${to}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" },
      body: JSON.stringify(message)
    })
    return { headers: response.headers, text: await response.text() }
  })
})

/** Sends a call without reading its answer, so that the test can destroy the socket. */
const send = Effect.fnUntraced(function* (secret: Redacted.Redacted, message: unknown) {
  const to = yield* port
  const body = JSON.stringify(message)
  const closed = yield* Deferred.make<void>()
  const socket = net.connect(to, "127.0.0.1", () =>
    socket.write(
      [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${Redacted.value(secret)}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "",
        body
      ].join("\r\n")
    )
  )
  let received = ""
  socket.on("data", (bytes: Buffer) => {
    received += bytes.toString()
    // The answer is small, so that it arrives as a whole.
    if (received.includes("\r\n\r\n")) socket.destroy()
  })
  // A connection that the server closes is no error of the test: "close" follows.
  socket.on("error", () => {})
  socket.on("close", () => Effect.runSync(Deferred.succeed(closed, undefined)))
  return { leave: () => socket.destroy(), closed: Deferred.await(closed), received: () => received }
})

const used = (accountId: number) => Effect.map(Access.books(accountId), ({ balance }) => balance.used)

let number = 0
const searches = (): ReadonlyArray<{ readonly tool: string; readonly args: object; readonly hint: string }> => {
  number++
  return [
    { tool: "search_ads", args: { query: "desk", active_ads: { max: number + 100 } }, hint: "narrower store filter" },
    { tool: "search_products", args: { query: "desk" }, hint: "second word" },
    { tool: "search_shops", args: { monthly_revenue: { max: number + 100 } }, hint: "narrower store filter" }
  ]
}

const warmUp = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
  yield* slowness(0)
  assert.include((yield* post(secret, Messages.call("search_ads"))).text, '\\"total\\":1')
})

layer(services(500), { excludeTestServices: true })("searches that are too slow", (it) => {
  it.effect("D34 a search past the statement timeout says how to narrow it, costs nothing, and leaves no query", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      yield* warmUp(secret)
      yield* slowness(30)
      for (const { args, hint, tool } of searches()) {
        const { headers, text } = yield* post(secret, Messages.call(tool, args))
        assert.include(text, '"isError":true', tool)
        assert.include(text, '\\"code\\":\\"search_timeout\\"', tool)
        assert.include(text, hint, tool)
        assert.strictEqual(headers.get("x-credits-cost"), "0", tool)
        assert.strictEqual(yield* running(reading), 0, tool)
      }
      // The call of the warm-up.
      assert.strictEqual(yield* used(caller.accountId), 1)
    })
  )

  it.effect("in a batch, only the searches that are too slow fail", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      yield* warmUp(secret)
      yield* slowness(30)
      const slow = searches().map(({ args, tool }, index) => Messages.call(tool, args, index))
      const { text } = yield* post(secret, [...slow, Messages.plain])
      assert.lengthOf(text.match(/search_timeout/gu) ?? [], 3)
      assert.lengthOf(text.match(/"structuredContent"/gu) ?? [], 1)
      assert.strictEqual(yield* running(reading), 0)
      assert.strictEqual(yield* used(caller.accountId), 1)
    })
  )
})

// Timeouts are longer than the tests wait, so that only a disconnected client can end a statement or call.
layer(services(60_000), { excludeTestServices: true })("clients that disconnect", (it) => {
  it.effect("every search of a client that disconnects is canceled in the database, and not charged", () =>
    Effect.gen(function* () {
      const { caller, secret } = yield* Access.subscriber()
      const { answered } = yield* Watch
      yield* warmUp(secret)
      const before = answered.length
      yield* slowness(60)
      const all = searches().map(({ args, tool }, index) => Messages.call(tool, args, index))
      for (const message of [...all, all]) {
        const call = yield* send(secret, message)
        yield* runs(reading, Array.isArray(message) ? message.length : 1)
        call.leave()
        yield* runs(reading, 0)
      }
      assert.strictEqual(answered.length, before)
      yield* slowness(0)
      yield* post(secret, Messages.call("search_ads"))
      assert.strictEqual(yield* used(caller.accountId), 2)
    })
  )

  it.effect("D57 a flood of one account's slow searches does not keep another account waiting", () =>
    Effect.gen(function* () {
      const flooder = yield* Access.subscriber()
      const other = yield* Access.subscriber()
      yield* warmUp(flooder.secret)
      yield* slowness(60)
      // One after the other, because what is asked at once is one statement.
      const flood = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
        Effect.tap(send(flooder.secret, Messages.call("search_products", { query: "desk" })), () =>
          runs(reading, Math.min(index + 1, 8))
        )
      )
      // Half of the sixteen searches that can use the database at once.
      yield* runs(reading, 8)
      const { text } = yield* post(other.secret, Messages.call("search_shops", { countries: ["NZ"] }))
      assert.include(text, '"structuredContent"')
      assert.strictEqual(yield* running(reading), 8)
      for (const call of flood) call.leave()
      yield* runs(reading, 0)
      assert.strictEqual(yield* used(flooder.caller.accountId), 1)
    })
  )

  for (const tool of ["search_ads", "search_products", "search_shops"]) {
    it.effect(`${tool}: whenever the client disconnects, it is charged for a complete answer or not at all`, () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* Access.subscriber({ plan: "pro" })
        const watch = yield* Watch
        yield* warmUp(secret)
        const before = watch.answered.length - 1
        // Slow statements, so that the client disconnects while one runs.
        yield* slowness(0.02)
        let statements = 0
        for (let leavesAt = 1; leavesAt <= statements || statements === 0; leavesAt++) {
          const message = Messages.call(tool, { query: "desk", active_ads: { max: 1_000 * ++number } })
          let seen = 0
          const here = yield* Deferred.make<void>()
          watch.onStatement = () => {
            if (++seen === leavesAt) Effect.runSync(Deferred.succeed(here, undefined))
          }
          if (statements === 0) {
            // The first call runs to its end, to count its statements.
            const { text } = yield* post(secret, message)
            assert.include(text, '\\"total\\":1')
            statements = seen
            assert.isAtLeast(statements, 3)
            leavesAt = 0
            continue
          }
          const call = yield* send(secret, message)
          yield* Effect.raceFirst(Deferred.await(here), call.closed)
          call.leave()
          yield* runs(reading, 0)
          const paid = watch.answered.length - before
          if (call.received() !== "") assert.include(call.received(), '\\"total\\":1')
          yield* eventually(Effect.filterOrFail(used(caller.accountId), (count) => count === paid))
        }
        watch.onStatement = () => {}
        // After everything that was sent before: nothing is charged later, and what had no answer is refunded in the background.
        yield* slowness(0)
        yield* post(secret, Messages.call(tool))
        const paid = watch.answered.length - before
        yield* eventually(Effect.filterOrFail(used(caller.accountId), (count) => count === paid))
        assert.deepStrictEqual(yield* Access.disagreements, [])
      })
    )
  }
})
