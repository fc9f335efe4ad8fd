import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { request } from "node:http"
import { MainThread } from "../../../src/http/HttpThread.ts"
import * as FakeAccess from "../../support/FakeAccess.ts"
import * as Messages from "../../support/Messages.ts"
import { TestServer } from "../../support/TestServer.ts"

/** `fetch` refuses this method. */
const trace = (url: URL) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const sent = request(url, { method: "TRACE", headers: { cookie: "planted", authorization: "Bearer planted" } })
    sent.on("error", reject).on("response", (response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end()
  })

layer(TestServer.layer(), { excludeTestServices: true })("every answer", (it) => {
  it.effect.each<[string, string, string | undefined]>([
    ["POST", "/mcp", JSON.stringify(Messages.plain)],
    ["POST", "/mcp", "{"],
    ["GET", "/mcp", undefined],
    ["GET", "/health/live", undefined],
    ["GET", "/health/ready", undefined],
    ["GET", "/nowhere", undefined],
    ["POST", "/health/live", undefined]
  ])(
    "%s %s: is not sniffed, not kept, only over TLS from then on, and does nothing in a browser",
    ([method, path, body]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { headers } = yield* server.send({ method, path, body })
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(headers.get("strict-transport-security"), "max-age=31536000; includeSubDomains")
        const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        assert.strictEqual(headers.get("content-security-policy"), policy)
      })
  )

  it.effect("HEAD is as GET, without the body", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answer = yield* server.send({ method: "HEAD", path: "/health/live" })
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
    })
  )

  it.effect("TRACE is no method of any route, and returns nothing of the request", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      for (const path of ["/mcp", "/health/live", "/sign-in"]) {
        const { status, text } = yield* Effect.promise(() => trace(new URL(path, url)))
        assert.isAtLeast(status, 400, path)
        assert.notInclude(text, "planted")
      }
    })
  )

  it.effect("a route's own caching stands", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { headers } = yield* server.send({ method: "GET", path: "/icon.svg" })
      assert.strictEqual(headers.get("cache-control"), "public, max-age=86400")
    })
  )
})

describe("health", () => {
  it.live("live and ready without a credential", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const [path, body] of [
        ["/health/live", { status: "live" }],
        ["/health/ready", { status: "ready", index: { version: 7, lag_versions: 2, lag_seconds: 1.5 } }]
      ] as const) {
        const answer = yield* server.send({ method: "GET", path, headers: { authorization: undefined } })
        assert.deepStrictEqual([answer.status, answer.json], [200, body])
      }
    }).pipe(Effect.provide(TestServer.layer({ index: { lagVersions: 2, lagSeconds: 1.5 } })))
  )

  it.live("D56 not ready while the search index is built, and how far it is", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const ready = yield* server.send({ method: "GET", path: "/health/ready" })
      const progress = { phase: "building", done: 20, total: 80 }
      assert.deepStrictEqual(
        [ready.status, ready.json],
        [503, { status: "unavailable", index: { version: null, lag_versions: 0, lag_seconds: 0, progress } }]
      )
    }).pipe(
      Effect.provide(
        TestServer.layer({
          index: { isReady: false, version: Option.none(), progress: { phase: "building", done: 20, total: 80 } }
        })
      )
    )
  )

  it.live("not ready while no search thread answers", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const ready = yield* server.send({ method: "GET", path: "/health/ready" })
      const index = { version: 7, lag_versions: 0, lag_seconds: 0 }
      assert.deepStrictEqual([ready.status, ready.json], [503, { status: "unavailable", index }])
    }).pipe(Effect.provide(TestServer.layer({ index: { isAnswering: false } })))
  )

  it.live("D107 neither live nor ready while the main thread is silent, for a thread beside it", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const answers = yield* Effect.forEach(["/health/live", "/health/ready", "/docs"], (path) =>
        server.send({ method: "GET", path })
      )
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [503, 503, 200]
      )
    }).pipe(
      Effect.provide(
        TestServer.layer().pipe(Layer.provide(Layer.succeed(MainThread, { isThere: Effect.succeed(false) })))
      )
    )
  )

  it.live("without its database it is live but not ready, and the response does not reveal why", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const ready = yield* server.send({ method: "GET", path: "/health/ready" })
      assert.strictEqual(ready.status, 503)
      assert.notInclude(ready.text, "secret")
      assert.strictEqual((yield* server.send({ method: "GET", path: "/health/live" })).status, 200)
    }).pipe(Effect.provide(TestServer.layer({ ready: Effect.fail(FakeAccess.down()) })))
  )

  it.live("readiness is logged when it changes, with the cause of its end", () => {
    let isDown = false
    const ready = Effect.suspend(() => (isDown ? Effect.fail(FakeAccess.down()) : Effect.void))
    return Effect.gen(function* () {
      const server = yield* TestServer
      const statuses: Array<number> = []
      for (const down of [false, true, true, false, false]) {
        isDown = down
        const answer = yield* server.send({ method: "GET", path: "/health/ready" })
        statuses.push(answer.status)
        assert.notInclude(answer.text, "secret")
      }
      assert.deepStrictEqual(statuses, [200, 503, 503, 200, 200])
      const logs = server.logs.filter((line) => /ready/iu.test(line))
      assert.lengthOf(logs, 2)
      assert.include(logs[0], "Not ready")
      assert.include(logs[0], "secret of the database")
      assert.include(logs[1], "Ready again")
    }).pipe(Effect.provide(TestServer.layer({ ready })))
  })

  it.live("over plain HTTP, TLS is not demanded", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { headers } = yield* server.post(Messages.plain)
      assert.isNull(headers.get("strict-transport-security"))
    }).pipe(Effect.provide(TestServer.layer({ config: { baseUrl: "http://localhost:3000" } })))
  )
})
