/** How the server ends: issue 2, point 2, "Ctrl-C and SIGTERM drain and leave no process behind". */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Agent, request } from "node:http"
import { connect } from "node:net"
import type { AdSearch } from "../../src/services/search/AdSearch.ts"
import * as Messages from "../support/Messages.ts"
import { TestServer } from "../support/TestServer.ts"

type Search = AdSearch["Service"]["search"]

/** A server whose end the test decides. */
const start = (options: Parameters<typeof TestServer.layer>[0]) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const server = Context.get(yield* Layer.buildWithScope(TestServer.layer(options), scope), TestServer)
    return { server, stop: Scope.close(scope, Exit.void) }
  })

const page = { ads: [], pagination: { page: 1, per_page: 10, total: 0, has_more: false, mode: "flat" as const } }

describe("stopping", () => {
  it.live(
    "lets a call that runs come to its end, and takes no new ones",
    () => {
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
        // Far sooner than the 20 seconds of the drain, which a connection that is kept alive would use up.
        yield* Fiber.join(stopping)
      })
    },
    10_000
  )

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
