/** What is asked, of which addresses, and which answers are taken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import type { Dns } from "effect/net"
import { NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import { BlockList } from "node:net"
import { gzipSync } from "node:zlib"
import { AppConfig } from "../../../src/Config.ts"
import { PinnedRequest } from "../../../src/services/fetch/PinnedRequest.ts"
import { FetchFailed, runsLocally, SafeFetch } from "../../../src/services/fetch/SafeFetch.ts"
import * as Certificate from "../../support/Certificate.ts"
import * as DocumentServer from "../../support/DocumentServer.ts"
import * as FakeDns from "../../support/FakeDns.ts"
import { specialRanges } from "../../support/SpecialRanges.ts"

const certificate = Certificate.make("client.test")

const onPublicServer = AppConfig.layerOf({ baseUrl: "https://discovery.test", host: "127.0.0.1" })
const onLoopback = AppConfig.layerOf({ baseUrl: "http://localhost:3000", host: "127.0.0.1" })

/** Real sockets that trust the test's certificate. */
const sockets = PinnedRequest.layerWith({ ca: certificate.cert })

const over = (
  config: typeof onLoopback,
  dns: FakeDns.FakeDns,
  pinned: Layer.Layer<PinnedRequest> = sockets
): Layer.Layer<SafeFetch> =>
  SafeFetch.layerNoDeps.pipe(
    Layer.provide([config, FakeDns.layer(dns) satisfies Layer.Layer<Dns.Dns>, pinned]),
    Layer.orDie
  )

/** Connects to nothing, and remembers what it would have connected to. */
const makeRecorder = () => {
  const connected: Array<ReadonlyArray<string>> = []
  const layer = Layer.succeed(PinnedRequest, {
    send: ({ addresses }) =>
      Effect.sync(() => {
        connected.push(addresses.map(NetAddress.formatIp))
        return { status: 200, headers: {}, body: new TextEncoder().encode("{}") }
      })
  })
  return { connected, layer }
}

const get = (url: string) => Effect.flatMap(SafeFetch, (fetch) => fetch.get(new URL(url)))

const reasonOf = (url: string) => Effect.map(Effect.flip(get(url)), ({ reason }) => reason)

describe("R49 a safe fetch", () => {
  const inner = [
    "127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.100.100.200",
    "0.0.0.0",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "::ffff:10.0.0.1",
    "::ffff:93.184.216.34",
    "64:ff9b::a00:1",
    "2002:a00:1::1",
    "2001:0:5ef5:79fd::1",
    "fd00:ec2::254",
    "fe80::1",
    "ff02::1"
  ]
  it.effect.each(inner)("connects to nothing for a name of %s", (address) =>
    Effect.gen(function* () {
      const { connected, layer } = makeRecorder()
      const dns = FakeDns.make(() => [address])
      assert.strictEqual(
        yield* reasonOf("https://client.test/a").pipe(Effect.provide(over(onPublicServer, dns, layer))),
        "special_use_address"
      )
      assert.lengthOf(connected, 0)
    })
  )

  it.effect("connects to nothing for a name that has one such address among others", () =>
    Effect.gen(function* () {
      const { connected, layer } = makeRecorder()
      for (const addresses of [
        ["93.184.216.34", "10.0.0.1"],
        ["10.0.0.1", "93.184.216.34"],
        ["93.184.216.34", "2606:2800:220:1::1", "::1"]
      ]) {
        const dns = FakeDns.make(() => addresses)
        const reason = yield* reasonOf("https://client.test/a").pipe(Effect.provide(over(onPublicServer, dns, layer)))
        assert.strictEqual(reason, "special_use_address")
      }
      assert.lengthOf(connected, 0)
    })
  )

  it.effect("connects to all that it has checked, and asks for a name once: it cannot be bound again in between", () =>
    Effect.gen(function* () {
      const { connected, layer } = makeRecorder()
      const dns = FakeDns.make(() => (dns.asked.length === 1 ? ["93.184.216.34", "2606:2800:220:1::1"] : ["127.0.0.1"]))
      yield* Effect.ignore(get("https://client.test/a")).pipe(Effect.provide(over(onPublicServer, dns, layer)))
      assert.deepStrictEqual(connected, [["93.184.216.34", "2606:2800:220:1::1"]])
      assert.deepStrictEqual(dns.asked, ["client.test"])
    })
  )

  it.effect("does not reach a name that is bound to this machine the second time, on real sockets", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make({ tls: certificate })
      server.answer = DocumentServer.json({})
      const dns = FakeDns.make(() => (dns.asked.length === 1 ? ["::1"] : ["127.0.0.1"]))
      const fetch = over(onLoopback, dns)
      // Nobody listens at the address that was checked.
      const url = `https://client.test:${server.port}/a`
      assert.strictEqual(yield* reasonOf(url).pipe(Effect.provide(fetch)), "connection")
      assert.strictEqual(server.connections(), 0)
      // The next fetch asks again, and checks again.
      assert.strictEqual((yield* get(url).pipe(Effect.provide(fetch))).text, "{}")
      dns.addresses = () => ["10.0.0.1"]
      assert.strictEqual(yield* reasonOf(url).pipe(Effect.provide(fetch)), "special_use_address")
    })
  )

  it.effect("of a public server reaches nothing on loopback, by any name or number", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make({ tls: certificate })
      const fetch = over(
        onPublicServer,
        FakeDns.make(() => ["127.0.0.1"])
      )
      for (const host of ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "client.test"]) {
        const reason = yield* reasonOf(`https://${host}:${server.port}/a`).pipe(Effect.provide(fetch))
        assert.strictEqual(reason, "special_use_address", host)
      }
      assert.strictEqual(server.connections(), 0)
    })
  )

  it.effect("of a server on loopback reaches loopback alone beside the public internet", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json({})
      const dns = FakeDns.make(() => ["192.168.1.1"])
      const fetch = over(onLoopback, dns)
      for (const host of ["localhost", "127.0.0.1"]) {
        assert.strictEqual((yield* get(`http://${host}:${server.port}/a`).pipe(Effect.provide(fetch))).text, "{}")
      }
      assert.lengthOf(dns.asked, 0)
      assert.strictEqual(yield* reasonOf("https://client.test/a").pipe(Effect.provide(fetch)), "special_use_address")
    })
  )

  it("takes a server for local only if its public address and the one that it listens on are", () => {
    assert.isTrue(runsLocally({ baseUrl: "http://localhost:3000", host: "127.0.0.1" }))
    assert.isTrue(runsLocally({ baseUrl: "http://127.0.0.1:3000", host: "localhost" }))
    assert.isTrue(runsLocally({ baseUrl: "http://[::1]:3000", host: "::1" }))
    assert.isFalse(runsLocally({ baseUrl: "http://localhost:3000", host: "0.0.0.0" }))
    assert.isFalse(runsLocally({ baseUrl: "http://localhost:3000", host: "::" }))
    assert.isFalse(runsLocally({ baseUrl: "https://discovery.test", host: "127.0.0.1" }))
    assert.isFalse(runsLocally({ baseUrl: "https://localhost.evil.example", host: "127.0.0.1" }))
  })

  it.effect("uses the addresses of the family that is there", () =>
    Effect.gen(function* () {
      const { connected, layer } = makeRecorder()
      for (const address of ["93.184.216.34", "2606:2800:220:1::1"]) {
        const dns = FakeDns.make(() => [address])
        yield* Effect.ignore(get("https://client.test/a")).pipe(Effect.provide(over(onPublicServer, dns, layer)))
      }
      assert.deepStrictEqual(connected, [["93.184.216.34"], ["2606:2800:220:1::1"]])
    })
  )

  it.effect("fails for a name without addresses, and for one with too many", () =>
    Effect.gen(function* () {
      const { connected, layer } = makeRecorder()
      const dns = FakeDns.make()
      const fetch = over(onPublicServer, dns, layer)
      assert.strictEqual(yield* reasonOf("https://client.test/a").pipe(Effect.provide(fetch)), "no_address")
      dns.addresses = () => Array.from({ length: 65 }, (_, index) => `93.184.216.${index}`)
      assert.strictEqual(yield* reasonOf("https://client.test/a").pipe(Effect.provide(fetch)), "no_address")
      assert.lengthOf(connected, 0)
    })
  )

  const blocked = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of specialRanges) {
    const [network = "", prefix] = range.split("/")
    const family = range.includes(":") ? "ipv6" : "ipv4"
    blocked[family].addSubnet(network, Number(prefix), family)
  }
  const isSpecial = (address: string) => {
    const family = address.includes(":") ? "ipv6" : "ipv4"
    return blocked[family].check(address, family)
  }
  const Octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  const special = Schema.Literals(specialRanges.map((range) => range.split("/")[0] ?? ""))
  const anyIpv4 = Schema.Tuple([Octet, Octet, Octet, Octet])
  const Address = Schema.Union([anyIpv4, special, Schema.Literals(["93.184.216.34", "2606:2800:220:1::1", "1.1.1.1"])])

  it.effect.prop(
    "whatever name servers say, no special address is ever connected to, and none that they did not say",
    [Schema.Array(Schema.Array(Address).check(Schema.isMaxLength(4))).check(Schema.isMaxLength(4)), Schema.Boolean],
    ([answers, isLocal]) =>
      Effect.gen(function* () {
        const { connected, layer } = makeRecorder()
        const said = answers.map((addresses) =>
          addresses.map((address) => (typeof address === "string" ? address : address.join(".")))
        )
        const dns = FakeDns.make(() => said[Math.floor((dns.asked.length - 1) % said.length)] ?? [])
        const fetch = over(isLocal ? onLoopback : onPublicServer, dns, layer)
        yield* Effect.forEach(answers, () => Effect.ignore(get("https://client.test/a"))).pipe(Effect.provide(fetch))
        for (const address of connected.flat()) {
          const allowed = isLocal && (address.startsWith("127.") || address === "::1")
          assert.isTrue(allowed || !isSpecial(address), address)
          assert.include(
            said.flat().map((text) => NetAddress.formatIp(NetAddress.ipFromStringUnsafe(text))),
            address
          )
        }
      }),
    { arbitrary: { runs: 500 } }
  )
})

const local = Effect.provide(over(onLoopback, FakeDns.make()))

describe("R48 a safe fetch", () => {
  it.effect("says who asks, and for what", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json({ a: "é" }, { "cache-control": "max-age=60", age: "5" })
      const fetched = yield* get(`${server.origin}/a`)
      assert.strictEqual(fetched.text, '{"a":"é"}')
      assert.deepInclude(fetched.cacheFields, { cacheControl: "max-age=60", age: "5", expires: undefined })
      const { headers } = server.requests[0] ?? {}
      assert.match(headers?.["user-agent"] ?? "", /^discovery\/\d+\.\d+\.\d+ \(\+http:\/\/localhost:3000\)$/)
      assert.strictEqual(headers?.accept, "application/json")
      assert.strictEqual(headers?.["accept-encoding"], "identity")
      assert.isUndefined(headers?.authorization)
      assert.isUndefined(headers?.cookie)
    }).pipe(local)
  )

  it.effect.each([201, 203, 204, 206, 301, 302, 303, 307, 308, 304, 400, 401, 403, 404, 410])(
    "takes no answer of status %i",
    (status) =>
      Effect.gen(function* () {
        const server = yield* DocumentServer.make()
        server.answer = (_, response) => {
          const headers = { "content-type": "application/json", location: `${server.origin}/target` }
          response.writeHead(status, headers).end(status === 204 || status === 304 ? undefined : "{}")
        }
        const error = yield* Effect.flip(get(`${server.origin}/a`))
        assert.deepInclude(error, { reason: "status", detail: String(status) })
        assert.isTrue(error.isAnswer)
        assert.deepStrictEqual(
          server.requests.map(({ url }) => url),
          ["/a"]
        )
        yield* server.deserted
      }).pipe(local)
  )

  it.effect.each([408, 429, 500, 502, 503, 504])("treats status %i as temporary", (status) =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = (_, response) => void response.writeHead(status).end()
      const error = yield* Effect.flip(get(`${server.origin}/a`))
      assert.strictEqual(error.reason, "busy_status")
      assert.isFalse(error.isAnswer)
    }).pipe(local)
  )

  it.effect.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'APPLICATION/JSON; charset="utf-8"',
    "application/json; profile=a",
    "application/client-metadata+json"
  ])("takes %s", (type) =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json("{}", { "content-type": type })
      assert.strictEqual((yield* get(`${server.origin}/a`)).text, "{}")
    }).pipe(local)
  )

  it.effect.each([
    "",
    "text/html",
    "text/json",
    "text/plain; charset=utf-8",
    "application/jsonp",
    "application/json-seq",
    "application/x-json",
    "application/json, text/html",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "image/svg+xml",
    "+json"
  ])("does not take %j", (type) =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json("{}", { "content-type": type })
      assert.strictEqual(yield* reasonOf(`${server.origin}/a`), "media_type")
    }).pipe(local)
  )

  it.effect("unpacks nothing: a small answer stays small", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      const bomb = gzipSync(Buffer.alloc(10_000_000, " "))
      assert.isBelow(bomb.length, 16_384)
      for (const encoding of ["gzip", "br", "deflate", "zstd", "gzip, identity", "GZIP"]) {
        server.answer = DocumentServer.json(bomb, { "content-encoding": encoding })
        assert.strictEqual(yield* reasonOf(`${server.origin}/a`), "encoding")
      }
      // And if it does not say so, it is no text.
      server.answer = DocumentServer.json(bomb)
      assert.strictEqual(yield* reasonOf(`${server.origin}/a`), "not_utf8")
      server.answer = DocumentServer.json("{}", { "content-encoding": "identity" })
      assert.strictEqual((yield* get(`${server.origin}/a`)).text, "{}")
    }).pipe(local)
  )

  it.effect("accepts at most 16 kB, with and without Content-Length", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      const most = JSON.stringify("a".repeat(16_384 - 2))
      server.answer = DocumentServer.json(most)
      assert.lengthOf((yield* get(`${server.origin}/a`)).text, 16_384)
      server.answer = DocumentServer.json(`${most} `, { "content-length": 16_385 })
      assert.strictEqual(yield* reasonOf(`${server.origin}/a`), "too_large")
      server.answer = DocumentServer.json(`${most} `, { "transfer-encoding": "chunked" })
      assert.strictEqual(yield* reasonOf(`${server.origin}/a`), "too_large")
      // Nothing of a body that is announced as too long is waited for.
      server.answer = (_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "16385" }).flushHeaders()
      }
      assert.strictEqual(yield* reasonOf(`${server.origin}/a`), "too_large")
      yield* server.deserted
    }).pipe(local)
  )

  it.effect("takes UTF-8 only", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = DocumentServer.json(Buffer.from([0x22, 0xff, 0xfe, 0x22]))
      const error = yield* Effect.flip(get(`${server.origin}/a`))
      assert.deepInclude(error, { reason: "not_utf8", detail: "4 bytes" })
    }).pipe(local)
  )

  const slow: ReadonlyArray<readonly [what: string, answer: DocumentServer.Handler]> = [
    ["a head", () => undefined],
    ["a body", (_, response) => void response.writeHead(200, { "content-type": "application/json" }).write("{")],
    [
      "the end of a body",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "3" }).write("{}")
      }
    ],
    ["the head behind hints", (_, response) => response.writeEarlyHints({ link: "</a>; rel=preload" })]
  ]
  it.effect.each(slow)("waits three seconds for %s, and hangs up", ([, answer]) =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = answer
      const fiber = yield* Effect.forkChild(Effect.flip(get(`${server.origin}/a`)))
      yield* server.asked(1)
      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error.reason, "timeout")
      assert.isFalse(error.isAnswer)
      yield* server.deserted
    }).pipe(local)
  )

  it.effect("counts the time that name servers take", () =>
    Effect.gen(function* () {
      const fetch = over(
        onPublicServer,
        FakeDns.make(() => undefined),
        makeRecorder().layer
      )
      const fiber = yield* Effect.forkChild(reasonOf("https://client.test/a").pipe(Effect.provide(fetch)))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "timeout")
    })
  )

  it.effect("closes the connection when no caller waits any more", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make()
      server.answer = () => undefined
      const fiber = yield* Effect.forkChild(get(`${server.origin}/a`))
      yield* server.asked(1)
      yield* Fiber.interrupt(fiber)
      yield* server.deserted
    }).pipe(local)
  )

  it.effect("speaks to the name that it was given, and to no other", () =>
    Effect.gen(function* () {
      const server = yield* DocumentServer.make({ tls: certificate })
      server.answer = DocumentServer.json({})
      const fetch = over(
        onLoopback,
        FakeDns.make(() => ["127.0.0.1"])
      )
      const fetched = yield* get(`https://client.test:${server.port}/a`).pipe(Effect.provide(fetch))
      assert.strictEqual(fetched.text, "{}")
      assert.strictEqual(server.requests[0]?.headers.host, `client.test:${server.port}`)
      const reason = yield* reasonOf(`https://other.test:${server.port}/a`).pipe(Effect.provide(fetch))
      assert.strictEqual(reason, "connection")
      assert.lengthOf(server.requests, 1)
    })
  )

  it("R49 what is forbidden and what is not there are of one kind", () => {
    const kinds = FetchFailed.fields.reason.literals.map((reason) => [
      reason,
      new FetchFailed({ reason, detail: "" }).isAnswer
    ])
    assert.deepStrictEqual(Object.fromEntries(kinds), {
      status: true,
      media_type: true,
      encoding: true,
      too_large: true,
      not_utf8: true,
      no_address: false,
      special_use_address: false,
      connection: false,
      busy_status: false,
      timeout: false
    })
  })
})
