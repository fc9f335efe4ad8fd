/** What clients can hold up, and how the server ends: Ctrl-C and SIGTERM drain and leave no process behind. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { Agent, request } from "node:http"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { IpNetwork } from "effect/net"
import { AppConfig } from "../../src/Config.ts"
import * as MetricsServer from "../../src/http/MetricsServer.ts"
import * as PeerConnections from "../../src/http/PeerConnections.ts"
import * as Server from "../../src/http/Server.ts"
import type { AdSearch } from "../../src/services/search/Searches.ts"
import * as FakeSearch from "../support/FakeSearch.ts"
import * as Messages from "../support/Messages.ts"
import { freePort } from "../support/ServerProcess.ts"
import { TestServer } from "../support/TestServer.ts"

type Search = AdSearch["Service"]["search"]

/** A server whose end the test decides. */
const start = (options: Parameters<typeof TestServer.layer>[0]) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    // A stop that waits for what it should cut takes longer than a test may.
    const layer = TestServer.layer({ drainTimeout: "1 hour", ...options })
    const server = Context.get(yield* Layer.buildWithScope(layer, scope), TestServer)
    return { server, stop: Scope.close(scope, Exit.void) }
  })

const page = {
  ads: [],
  findings: FakeSearch.noFindings,
  pagination: { page: 1, per_page: 10, total: 0, has_more: false, mode: "flat" as const }
}

describe("stopping", () => {
  it.live("finishes running calls and accepts no new ones", () => {
    const started = Deferred.makeUnsafe<void>()
    const go = Deferred.makeUnsafe<void>()
    const search: Search = () =>
      Deferred.succeed(started, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as(page))
    return Effect.gen(function* () {
      const { server, stop } = yield* start({ search })
      const call = yield* Effect.forkChild(server.post(Messages.call("search_ads")))
      yield* Deferred.await(started)
      const stopping = yield* Effect.forkChild(stop, { startImmediately: true })
      const refused = yield* Effect.exit(server.post(Messages.plain))
      assert.isTrue(Exit.isFailure(refused))
      yield* Deferred.succeed(go, undefined)
      const answer = yield* Fiber.join(call)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(server.books.charges.length, 1)
      // Sooner than the drain, which a connection that is kept alive would use up.
      yield* Fiber.join(stopping)
    })
  })

  it.live("interrupts a call that does not end in time, uncharged", () => {
    const started = Deferred.makeUnsafe<void>()
    const interrupted = Deferred.makeUnsafe<void>()
    const search: Search = () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
    return Effect.gen(function* () {
      const { server, stop } = yield* start({ search, drainTimeout: "50 millis" })
      const call = yield* Effect.forkChild(Effect.exit(server.post(Messages.call("search_ads"))))
      yield* Deferred.await(started)
      yield* stop
      yield* Deferred.await(interrupted)
      yield* Fiber.join(call)
      assert.deepStrictEqual(server.books.charges, [])
    })
  })

  it.live("does not wait for connections that are kept alive, or for requests that never come to their end", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* start({ drainTimeout: "50 millis" })
      const agent = new Agent({ keepAlive: true })
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve, reject) => {
            request({ agent, port: server.port, path: "/health/live" }, (response) => {
              response.resume().on("end", () => resolve())
            })
              .on("error", reject)
              .end()
          })
      )
      const unfinished = (bytes: string) =>
        Effect.callback<{ readonly closed: Promise<void> }>((resume) => {
          const socket = connect(server.port, "127.0.0.1")
          const closed = new Promise<void>((resolve) => void socket.on("close", () => resolve()))
          socket.on("error", () => {}).resume()
          socket.write(bytes, () => resume(Effect.succeed({ closed })))
        })
      const cut = [
        yield* unfinished("POST /mcp HTTP/1.1\r\nHost: local"),
        yield* unfinished(
          "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\n" +
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
      ]
      // The server has the request as soon as it answers another one sent after it.
      yield* server.send({ method: "GET", path: "/health/live" })
      yield* stop
      yield* Effect.promise(() => Promise.all(cut.map(({ closed }) => closed)))
      agent.destroy()
    })
  )
})

describe("a connection on which nothing moves", () => {
  it.live("is closed, and its call is interrupted, uncharged", () => {
    const interrupted = Deferred.makeUnsafe<void>()
    const search: Search = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
    return Effect.gen(function* () {
      const { server, stop } = yield* start({ search, stalledTimeoutMillis: 100 })
      const call = yield* Effect.exit(server.post(Messages.call("search_ads")))
      assert.isTrue(Exit.isFailure(call))
      yield* Deferred.await(interrupted)
      assert.deepStrictEqual(server.books.charges, [])
      yield* stop
    })
  })
})

/** A connection that is open until the test ends; `received` grows. */
const open = (port: number, localAddress = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly socket: Socket; readonly closed: Promise<void>; readonly received: () => string }>(
          (resolve, reject) => {
            let received = ""
            const socket = connect({ port, host: "127.0.0.1", localAddress })
            const closed = new Promise<void>((done) => void socket.on("close", () => done()))
            socket.on("data", (chunk: Buffer) => (received += chunk.toString("utf8")))
            // Closed by the server before or after it said that it is open.
            socket.on("error", () => {}).on("close", () => reject(new Error("closed")))
            socket.on("connect", () => resolve({ socket, closed, received: () => received }))
          }
        )
    ),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

/** Writes, and waits until a whole answer with this body has come, after what was there before. */
const ask = (connection: Effect.Success<ReturnType<typeof open>>, request: string, body: string) =>
  Effect.promise(async () => {
    const before = connection.received().length
    connection.socket.write(request)
    while (!connection.received().slice(before).endsWith(body)) {
      await new Promise<void>((resolve, reject) => {
        connection.socket.once("data", () => resolve())
        void connection.closed.then(() => reject(new Error("closed")))
      })
    }
    return connection.received().slice(before)
  })

describe("a request that asks for another protocol", () => {
  it.live("is answered as any other; its connection holds up neither other clients nor a stop", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* start({})
      const health = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
      const { text: body } = yield* server.send({ method: "GET", path: "/health/live" })
      for (const protocol of ["websocket", "h2c", "anything"]) {
        for (let index = 0; index < 100; index++) {
          const connection = yield* open(server.port)
          const request = `${health}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`
          assert.match(yield* ask(connection, request, body), /^HTTP\/1\.1 200 OK\r\n/)
          // It is still spoken HTTP on it: nothing was handed over.
          if (index === 0) assert.match(yield* ask(connection, `${health}\r\n`, body), /^HTTP\/1\.1 200 OK\r\n/)
          else connection.socket.end()
        }
      }
      assert.strictEqual((yield* server.post(Messages.plain)).status, 200)
      yield* stop
    })
  )

  it.live("is answered as any other by the server of the metrics, and uses up none of its connections", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const config = AppConfig.layerOf({ metricsPort: Option.some(port) })
      yield* Layer.build(MetricsServer.layer.pipe(Layer.provide(config)))
      const head = "GET / HTTP/1.1\r\nHost: localhost\r\n"
      const body = "There is nothing but /metrics here.\n"
      const most = yield* Effect.replicateEffect(open(port), MetricsServer.maxConnections)
      for (const connection of most) {
        const upgrade = `${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
        assert.match(yield* ask(connection, upgrade, body), /^HTTP\/1\.1 404 Not Found\r\n/)
        // It is still spoken HTTP on it, so that the timeouts of HTTP reach it.
        assert.match(yield* ask(connection, `${head}\r\n`, body), /^HTTP\/1\.1 404 Not Found\r\n/)
        connection.socket.end()
      }
      yield* Effect.promise(() => Promise.all(most.map(({ closed }) => closed)))
      assert.match(yield* ask(yield* open(port), `${head}\r\n`, body), /^HTTP\/1\.1 404 Not Found\r\n/)
    })
  )
})

describe("a request whose end could be found in two ways", () => {
  const next = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
  const chunked = "Transfer-Encoding: chunked"
  it.live.each([
    ["a Content-Length beside chunks", `Content-Length: ${next.length + 5}\r\n${chunked}`],
    ["chunks beside a Content-Length", `${chunked}\r\nContent-Length: ${next.length + 5}`],
    ["two different lengths", `Content-Length: 5\r\nContent-Length: ${next.length + 5}`],
    ["a length with a sign", "Content-Length: +5"],
    ["a blank before the colon", "Transfer-Encoding : chunked"],
    ["another coding behind chunks", `${chunked}, identity`],
    ["a line that ends without a carriage return", `X: a\n${chunked}`]
  ])("by %s is 400, and its connection is closed without reading on", ([, header]) =>
    Effect.gen(function* () {
      const { server, stop } = yield* start({})
      const connection = yield* open(server.port)
      connection.socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n0\r\n\r\n${next}`)
      const answered = new Promise<void>((resolve) => void connection.socket.once("data", () => resolve()))
      yield* Effect.promise(() => Promise.race([answered, connection.closed]))
      assert.match(connection.received(), /^HTTP\/1\.1 400 /u)
      yield* Effect.promise(() => connection.closed)
      assert.lengthOf(connection.received().match(/^HTTP\//gmu) ?? [], 1)
      yield* stop
    })
  )
})

describe("connections of one peer", () => {
  it.live.skipIf(process.platform !== "linux")("are bounded, and other peers go on", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* start({})
      const health = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
      const { text: body } = yield* server.send({ method: "GET", path: "/health/live" })
      // One that is open may still wait for the server to take it; one that has an answer has been counted.
      const answered = (address: string) =>
        Effect.tap(open(server.port, address), (connection) => ask(connection, health, body))
      const held = yield* Effect.replicateEffect(answered("127.0.0.2"), PeerConnections.maxOfPeer, { concurrency: 100 })
      yield* answered("127.0.0.3")

      const refused = yield* Effect.exit(answered("127.0.0.2"))
      assert.isTrue(Exit.isFailure(refused))
      assert.include(server.logs.join("\n"), "TRUSTED_PROXIES")
      // One that was refused is not counted, and one that has ended no more.
      const [first] = held
      first?.socket.destroy()
      yield* Effect.eventually(answered("127.0.0.2").pipe(Effect.catchDefect(() => Effect.fail("not yet"))))
      yield* stop
    })
  )

  it.live.skipIf(process.platform !== "linux")("are not bounded of a trusted proxy", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* start({
        config: { trustedProxies: [IpNetwork.fromStringUnsafe("127.0.0.2/32")] }
      })
      yield* Effect.replicateEffect(open(server.port, "127.0.0.2"), PeerConnections.maxOfPeer, { concurrency: 100 })
      const last = yield* open(server.port, "127.0.0.2")
      const { text: body } = yield* server.send({ method: "GET", path: "/health/live" })
      yield* ask(last, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", body)
      yield* stop
    })
  )
})

describe("the limits of the listening socket", () => {
  it("are what the documents say", () => {
    const server = Server.make({ trustedProxies: [] })
    assert.deepInclude(
      {
        headersTimeout: server.headersTimeout,
        requestTimeout: server.requestTimeout,
        keepAliveTimeout: server.keepAliveTimeout,
        timeout: server.timeout,
        maxConnections: server.maxConnections
      },
      {
        headersTimeout: 15_000,
        requestTimeout: 30_000,
        keepAliveTimeout: 75_000,
        timeout: 60_000,
        maxConnections: 10_000
      }
    )
  })
})
