/** The connection of every fetch of a metadata document, against real sockets on loopback. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { NetAddress } from "effect/net"
import { PinnedRequest } from "../../../src/services/fetch/PinnedRequest.ts"
import type { PinnedSend } from "../../../src/services/fetch/PinnedRequest.ts"
import * as Certificate from "../../support/Certificate.ts"
import * as DocumentServer from "../../support/DocumentServer.ts"

const trusted = Certificate.make("client.test")
const plain = Effect.provide(PinnedRequest.layer)
const trusting = Effect.provide(PinnedRequest.layerWith({ ca: trusted.cert }))

const get = (url: string, addresses: ReadonlyArray<string>, options: Partial<PinnedSend<string>> = {}) =>
  Effect.flatMap(PinnedRequest, (request) =>
    request.send<string>({
      url: new URL(url),
      addresses: addresses.map(NetAddress.ipFromStringUnsafe),
      headers: { accept: "application/json" },
      maxBodyBytes: 100,
      refuse: () => undefined,
      ...options
    })
  )

const text = (body: Uint8Array) => Buffer.from(body).toString()

describe("R49 a pinned request", () => {
  it.effect("connects to the checked address without another lookup, and requests the name", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json({ a: 1 }, { "cache-control": "max-age=5" })
      const answer = yield* get(`http://no-such-name.test:${server.port}/a/b.json?c=d`, ["127.0.0.1"])
      assert.strictEqual(text(answer.body), '{"a":1}')
      assert.strictEqual(answer.headers["cache-control"], "max-age=5")
      const [request] = server.requests
      assert.strictEqual(request?.method, "GET")
      assert.strictEqual(request?.url, "/a/b.json?c=d")
      assert.strictEqual(request?.headers.host, `no-such-name.test:${server.port}`)
    }).pipe(plain)
  )

  it.effect("connects to it also when the host of the address is another address", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json("right")
      const answer = yield* get(`http://127.0.0.9:${server.port}/a`, ["127.0.0.1"])
      assert.strictEqual(text(answer.body), "right")
    }).pipe(plain)
  )

  it.effect("connects to nothing when no address was checked", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      for (const host of ["localhost", "127.0.0.1"]) {
        const error = yield* Effect.flip(get(`http://${host}:${server.port}/a`, []))
        assert.strictEqual(typeof error === "string" ? error : error.reason, "connection")
      }
      assert.strictEqual(server.connections(), 0)
    }).pipe(plain)
  )

  it.effect("tries the next address when the first refuses", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json("second")
      const answer = yield* get(`http://client.test:${server.port}/a`, ["::1", "127.0.0.1"])
      assert.strictEqual(text(answer.body), "second")
    }).pipe(plain)
  )

  it.effect("speaks TLS with the name's certificate", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make({ tls: trusted })
      server.answer = DocumentServer.json("secret")
      const answer = yield* get(`https://client.test:${server.port}/a`, ["127.0.0.1"])
      assert.strictEqual(text(answer.body), "secret")
    }).pipe(trusting)
  )

  it.effect("refuses the certificate of another name, though the address is the same", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make({ tls: trusted })
      const error = yield* Effect.flip(get(`https://other.test:${server.port}/a`, ["127.0.0.1"]))
      assert.deepInclude(error, { reason: "connection", detail: "ERR_TLS_CERT_ALTNAME_INVALID" })
      assert.lengthOf(server.requests, 0)
    }).pipe(trusting)
  )

  it.effect("refuses a certificate that no trusted authority signed", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make({ tls: trusted })
      const error = yield* Effect.flip(get(`https://client.test:${server.port}/a`, ["127.0.0.1"]))
      assert.deepInclude(error, { reason: "connection", detail: "DEPTH_ZERO_SELF_SIGNED_CERT" })
      assert.lengthOf(server.requests, 0)
    }).pipe(plain)
  )
})

describe("R48 a pinned request", () => {
  it.effect("follows no redirect", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = (_, response) => void response.writeHead(302, { location: `${server.origin}/other` }).end()
      const answer = yield* get(`${server.origin}/a`, ["127.0.0.1"])
      assert.strictEqual(answer.status, 302)
      assert.lengthOf(server.requests, 1)
    }).pipe(plain)
  )

  it.effect("keeps no connection", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json("a")
      yield* get(`${server.origin}/a`, ["127.0.0.1"])
      yield* get(`${server.origin}/a`, ["127.0.0.1"])
      yield* server.deserted
      assert.strictEqual(server.connections(), 2)
    }).pipe(plain)
  )

  it.effect("reads the body that is allowed, and not a byte more", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json("a".repeat(100))
      assert.lengthOf((yield* get(`${server.origin}/a`, ["127.0.0.1"])).body, 100)
      // In chunks, without a length that could be believed.
      server.answer = (_, response) => {
        response.write("a".repeat(60))
        response.write("a".repeat(41))
      }
      const error = yield* Effect.flip(get(`${server.origin}/a`, ["127.0.0.1"]))
      assert.deepInclude(error, { reason: "too_large" })
      yield* server.deserted
    }).pipe(plain)
  )

  it.effect("stops reading an endless body", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = (_, response) => {
        const more = () => {
          while (response.write("a".repeat(10_000)));
          response.once("drain", more)
        }
        more()
      }
      assert.deepInclude(yield* Effect.flip(get(`${server.origin}/a`, ["127.0.0.1"])), { reason: "too_large" })
      yield* server.deserted
    }).pipe(plain)
  )

  it.effect("does not read a body whose head is refused", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = (_, response) => void response.writeHead(200, { "content-type": "text/html" }).write("a")
      const refuse = ({ headers, status }: { status: number; headers: Readonly<Record<string, string>> }) =>
        `${status} ${headers["content-type"]}`
      assert.strictEqual(yield* Effect.flip(get(`${server.origin}/a`, ["127.0.0.1"], { refuse })), "200 text/html")
      yield* server.deserted
    }).pipe(plain)
  )

  it.effect("takes no half of a body for the whole", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = (_, response) => {
        response.writeHead(200, { "content-length": "50" })
        response.write("{}", () => response.destroy())
      }
      assert.deepInclude(yield* Effect.flip(get(`${server.origin}/a`, ["127.0.0.1"])), { reason: "connection" })
      server.answer = (_, response) => void response.write("{}", () => response.destroy())
      assert.deepInclude(yield* Effect.flip(get(`${server.origin}/a`, ["127.0.0.1"])), { reason: "connection" })
    }).pipe(plain)
  )

  const broken: ReadonlyArray<readonly [what: string, answer: string]> = [
    ["that is no HTTP", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["with endless headers", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(5000)}`],
    ["with two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}"],
    ["that switches protocols", "HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n"],
    ["that is empty", ""]
  ]
  it.effect.each(broken)("fails on an answer %s", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = ({ socket }) => socket.end(answer)
      assert.deepInclude(yield* Effect.flip(get(`${server.origin}/a`, ["127.0.0.1"])), { reason: "connection" })
      yield* server.deserted
    }).pipe(plain)
  )

  const moments: ReadonlyArray<readonly [when: string, answer: DocumentServer.Handler]> = [
    ["before the head", () => undefined],
    ["within the body", (_, response) => void response.write("{")]
  ]
  it.effect.each(moments)("closes its connection when it is interrupted %s", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = answer
      const fiber = yield* Effect.forkChild(get(`${server.origin}/a`, ["127.0.0.1"]))
      yield* server.asked(1)
      yield* Fiber.interrupt(fiber)
      yield* server.deserted
    }).pipe(plain)
  )

  it.effect("closes its connection when it is interrupted before TLS is agreed on", () =>
    Effect.gen(function* () {
      // Takes connections and says nothing.
      const server = yield* DocumentServer.make()
      const fiber = yield* Effect.forkChild(get(`https://client.test:${server.port}/a`, ["127.0.0.1"]))
      yield* Effect.repeat(Effect.yieldNow, { until: () => server.connections() === 1 })
      yield* Fiber.interrupt(fiber)
      yield* server.deserted
    }).pipe(Effect.provide(Layer.fresh(PinnedRequest.layer)))
  )
})
