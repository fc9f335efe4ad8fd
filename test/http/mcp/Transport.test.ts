/** P1 to P10, over real HTTP. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as net from "node:net"
import { maxBodyBytes } from "../../../src/http/mcp/Endpoint.ts"
import * as FakeSearch from "../../support/FakeSearch.ts"
import * as Messages from "../../support/Messages.ts"
import { type Answer, TestServer } from "../../support/TestServer.ts"

const codeOf = ({ json }: Answer) => (json as { error?: { code?: unknown } } | undefined)?.error?.code

/** Sends a request as bytes on a socket, which no client would send. Resolves with the whole answer. */
const raw = (port: number, bytes: string | Buffer) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes))
        let text = ""
        socket.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")))
        socket.on("close", () => resolve(text))
        socket.on("error", reject)
      })
  )

const head = (lines: ReadonlyArray<string>, start = "POST /mcp HTTP/1.1") =>
  [start, "Host: localhost", "Authorization: Bearer good", "Connection: close", ...lines, "", ""].join("\r\n")

layer(TestServer.layer(), { excludeTestServices: true })("the endpoint", (it) => {
  describe("P1 one endpoint, POST, answered in JSON", () => {
    // S1, S38, S39, S40
    it.effect("answers the plain call: no handshake, no session, no version", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(Messages.plain)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.nestedPropertyVal(answer.json, "result.structuredContent.credits.remaining", 1988)
      })
    )
  })

  describe("P2 other methods", () => {
    it.effect.each(["GET", "DELETE", "PUT", "PATCH", "HEAD"])("%s is 405 with Allow: POST", (method) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.send({ method })
        assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, "POST"])
      })
    )

    it.effect.each(["GET", "DELETE", "PUT", "PATCH"])("%s is 401 first when unauthenticated", (method) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.send({ method, headers: { authorization: undefined } })
        assert.strictEqual(answer.status, 401)
      })
    )

    it.effect("/mcp/ is served as /mcp", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.send({ path: "/mcp/", body: JSON.stringify(Messages.plain) })
        assert.strictEqual(answer.status, 200)
      })
    )

    it.effect.each(["/", "/mcp/x", "/MCP", "//mcp", "/mcp%2f", "/%zz", "/..%00"])("%s is 404 in JSON", (path) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.send({ path, body: JSON.stringify(Messages.plain) })
        assert.strictEqual(answer.status, 404)
        assert.nestedPropertyVal(answer.json, "error.code", "not_found")
        assert.nestedPropertyVal(answer.json, "error.request_id", answer.headers.get("x-request-id"))
      })
    )
  })

  describe("P9 headers that may not be repeated, and Host", () => {
    const body = JSON.stringify(Messages.plain)
    const usual = [
      ["Host", "localhost"],
      ["Authorization", "Bearer good"],
      ["Content-Type", "application/json"],
      ["Content-Length", String(body.length)],
      ["Origin", "https://friend.test"],
      ["MCP-Protocol-Version", "2025-06-18"],
      ["Mcp-Method", "tools/call"],
      ["Mcp-Name", "get_usage"],
      ["Mcp-Session-Id", "apps.x"],
      ["Content-Encoding", "identity"],
      ["Sec-Fetch-Site", "same-origin"],
      ["Sec-Fetch-Dest", "empty"],
      ["Accept", "application/json"],
      ["Accept-Language", "en"],
      ["Cookie", "a=1"]
    ] as const
    const sent = (lines: ReadonlyArray<readonly [string, string]>, start = "POST /mcp HTTP/1.1") =>
      Effect.flatMap(TestServer, ({ port }) => {
        const fields = [...lines.map(([name, value]) => `${name}: ${value}`), "Connection: close"].join("\r\n")
        return raw(port, `${start}\r\n${fields}\r\n\r\n${body}`)
      })
    const repeatable: ReadonlySet<string> = new Set(["Accept", "Accept-Language", "Cookie"])

    it.effect.each(usual)("%s twice", ([name, value]) =>
      Effect.gen(function* () {
        for (const second of [value, "other"]) {
          for (const written of [name, name.toUpperCase()]) {
            const answer = yield* sent([...usual, [written, second]])
            const status = /^HTTP\/1.1 (\d+)/u.exec(answer)?.[1]
            assert.strictEqual(status, repeatable.has(name) ? "200" : "400", `${written}: ${second}`)
          }
        }
      })
    )

    it.effect("the 400 is JSON-RPC at /mcp, and has a request id at any address", () =>
      Effect.gen(function* () {
        for (const [path, code] of [
          ["/mcp", '"code":-32600'],
          ["/token", '"code":"bad_request"'],
          ["/sign-in", '"code":"bad_request"'],
          ["/health/live", '"code":"bad_request"'],
          ["/nothing", '"code":"bad_request"']
        ] as const) {
          const answer = yield* sent([...usual, ["Host", "localhost"]], `POST ${path} HTTP/1.1`)
          assert.match(answer, /^HTTP\/1.1 400 /u)
          assert.include(answer, code)
          assert.include(answer, "the header host is there more than once")
          assert.match(answer, /"request_id":"[0-9a-f-]{36}"/u)
          // R55: a browser may read it where it may read the other answers.
          const isOpen = path === "/mcp" || path === "/token"
          assert.strictEqual(/^access-control-allow-origin: \*\r$/imu.test(answer), isOpen, path)
        }
      })
    )

    it.effect.each<[path: string, status: number]>([
      ["/mcp;tools=get_usage", 400],
      ["/mcp#tools=get_usage", 400],
      ["/mcp;?tools=get_usage", 400],
      ["/dashboard/ads;countries=US", 400],
      ["/nothing;x", 400],
      ["/nothing?x;y", 404],
      ["/nothing?x#y", 404],
      ["/mcp?tools=get_usage", 200],
      ["/mcp", 200]
    ])("P9 what follows a semicolon or number sign in a path is not ignored: %s is %s", ([path, status]) =>
      Effect.gen(function* () {
        const answer = yield* sent(usual, `POST ${path} HTTP/1.1`)
        const problem = "the path of the address has a semicolon or a number sign"
        assert.strictEqual(answer.includes(problem), status === 400)
        assert.strictEqual(/^HTTP\/1.1 (\d+)/u.exec(answer)?.[1], String(status))
      })
    )

    it.effect("HTTP/1.1 without Host is 400, HTTP/1.0 is not", () =>
      Effect.gen(function* () {
        const others = usual.filter(([name]) => name !== "Host")
        assert.match(yield* sent(others), /^HTTP\/1.1 400 /u)
        assert.match(yield* sent(others, "POST /mcp HTTP/1.0"), /^HTTP\/1.1 200 /u)
        assert.match(yield* sent([...usual, ["Host", "localhost"]], "POST /mcp HTTP/1.0"), /^HTTP\/1.1 400 /u)
      })
    )

    it.effect.each<[host: string, status: number]>([
      ["localhost:4200", 200],
      ["LOCALHOST:", 200],
      ["discovery.example", 200],
      ["my_host.internal", 200],
      ["xn--mnchen-3ya.example.:443", 200],
      ["127.0.0.1:80", 200],
      ["[::1]:4200", 200],
      ["[2001:db8::192.0.2.1]", 200],
      ["", 400],
      [":80", 400],
      ["a b", 400],
      ["a, b", 400],
      ["a,b", 400],
      ["a/b", 400],
      ["a?b", 400],
      ["a#b", 400],
      ["user@host", 400],
      ["http://host", 400],
      ["host:port", 400],
      ["host:80:80", 400],
      ["::1", 400],
      ["[::1", 400],
      ["[:::1]", 400],
      ["[localhost]", 400],
      ["m\u00FCnchen.example", 400],
      ["%zz", 400],
      ["<host>", 400],
      ['"host"', 400]
    ])("Host: %s gives %i", ([value, status]) =>
      Effect.gen(function* () {
        const answer = yield* sent(usual.map(([name, usually]) => [name, name === "Host" ? value : usually]))
        assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `, "u"))
      })
    )
  })

  describe("P3 Origin", () => {
    it.effect.each<[string | undefined, number]>([
      [undefined, 200],
      ["https://discovery.test", 200],
      ["https://friend.test", 200],
      ["https://evil.test", 403],
      ["https://discovery.test.evil.test", 403],
      ["http://discovery.test", 403],
      ["https://discovery.test:8443", 403],
      ["null", 403],
      ["", 403]
    ])("%s", ([origin, status]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const lines = ["Content-Type: application/json", ...(origin === undefined ? [] : [`Origin: ${origin}`])]
        const body = JSON.stringify(Messages.plain)
        const text = yield* raw(server.port, `${head([...lines, `Content-Length: ${body.length}`])}${body}`)
        assert.match(text, new RegExp(`^HTTP/1.1 ${status} `))
      })
    )
  })

  describe("the 403 of an origin", () => {
    it.effect.each<[origin: string, told: string]>([
      ["https://evil.test", "https://evil.test"],
      [`https://${"a".repeat(5_000)}.test`, `https://${"a".repeat(92)}`],
      ["https://\u00FF\u0085evil.test", "https://evil.test"]
    ])("names it, clean and cut, and the setting: %#", ([origin, told]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(Messages.plain, { origin })
        assert.strictEqual(answer.status, 403)
        assert.nestedPropertyVal(
          answer.json,
          "error.message",
          `the Origin \`${told}\` is not allowed: the operator of this server allows origins by the setting ALLOWED_ORIGINS`
        )
      })
    )
  })

  describe("P4 media types and size", () => {
    it.effect.each<[string | undefined, number]>([
      ["application/json", 200],
      ["application/json, text/event-stream", 200],
      ["application/*", 200],
      ["*/*", 200],
      ["text/html, */*;q=0.1", 200],
      ["APPLICATION/JSON", 200],
      ["application/json;q=0.5", 200],
      ["text/event-stream", 406],
      ["text/html", 406],
      ["application/json;q=0", 406],
      ["application/json;q=0, */*", 406],
      ["*/*;q=0", 406],
      ["*/*;q=0, application/json", 200]
    ])("Accept: %s gives %i", ([accept, status]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assert.strictEqual((yield* server.post(Messages.plain, { accept })).status, status)
      })
    )

    it.effect("a missing Accept accepts anything", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const body = JSON.stringify(Messages.plain)
        const text = yield* raw(
          server.port,
          `${head(["Content-Type: application/json", `Content-Length: ${body.length}`])}${body}`
        )
        assert.match(text, /^HTTP\/1.1 200 /)
      })
    )

    it.effect.each<[string, number]>([
      ["application/json", 200],
      ["application/json; charset=utf-8", 200],
      ['application/json;charset="UTF-8"', 200],
      ["Application/JSON", 200],
      ["application/json; charset=utf-16", 415],
      ["application/json-patch+json", 415],
      ["text/plain", 415],
      ["application/x-www-form-urlencoded", 415],
      ["multipart/form-data; boundary=x", 415]
    ])("Content-Type: %s gives %i", ([type, status]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assert.strictEqual((yield* server.post(Messages.plain, { "content-type": type })).status, status)
      })
    )

    it.effect("a missing Content-Type and a compressed body are 415", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const missing = yield* raw(server.port, `${head(["Content-Length: 2"])}{}`)
        assert.match(missing, /^HTTP\/1.1 415 /)
        const compressed = yield* server.post(Messages.plain, { "content-encoding": "gzip" })
        assert.strictEqual(compressed.status, 415)
      })
    )

    const padded = (size: number) => {
      const whole = JSON.stringify(Messages.plain)
      return whole + " ".repeat(size - whole.length)
    }

    it.effect("a body of 256 KiB is read, one byte more is 413", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assert.strictEqual((yield* server.send({ body: padded(maxBodyBytes) })).status, 200)
        assert.strictEqual((yield* server.send({ body: padded(maxBodyBytes + 1) })).status, 413)
      })
    )

    it.effect("a body with a Content-Length that is too large is 413 before it is sent", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const text = yield* raw(
          server.port,
          head(["Content-Type: application/json", `Content-Length: ${maxBodyBytes + 1}`])
        )
        assert.match(text, /^HTTP\/1.1 413 /)
      })
    )

    it.effect("a chunked body is 413 as soon as it is too large, though it never ends", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const chunk = Buffer.alloc(maxBodyBytes + 1, " ")
        const text = yield* raw(
          server.port,
          Buffer.concat([
            Buffer.from(head(["Content-Type: application/json", "Transfer-Encoding: chunked"])),
            Buffer.from(`${chunk.length.toString(16)}\r\n`),
            chunk,
            Buffer.from("\r\n")
          ])
        )
        assert.match(text, /^HTTP\/1.1 413 /)
      })
    )
  })

  describe("P5 messages without an answer", () => {
    it.effect.each([
      ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
      ["an unknown notification", { jsonrpc: "2.0", method: "notifications/x", params: { a: 1 } }],
      ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
      ["an error response", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } }]
    ] as const)("%s is 202 with an empty body", ([, message]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(message)
        assert.deepStrictEqual([answer.status, answer.text], [202, ""])
      })
    )

    it.effect("a modern notification is 202; a response with the modern version is refused: there is none", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "notifications/cancelled" }
        const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
        assert.strictEqual((yield* server.post(notification, headers)).status, 202)
        assert.strictEqual((yield* server.post({ jsonrpc: "2.0", id: 1, result: {} }, headers)).status, 400)
      })
    )

    it.effect("an invalid one is 400", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assert.strictEqual((yield* server.post({ jsonrpc: "2.0", method: 7 })).status, 400)
      })
    )
  })

  describe("P6 batches", () => {
    it.effect.each([undefined, "2025-03-26"])("are answered with the version %s, each entry by its id", (version) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(
          [
            Messages.request("ping", undefined, "a"),
            { jsonrpc: "2.0", method: "notifications/initialized" },
            Messages.call("get_usage", {}, "b"),
            { jsonrpc: "2.0" },
            Messages.request("unknown", undefined, "c")
          ],
          { "mcp-protocol-version": version }
        )
        assert.strictEqual(answer.status, 200)
        const replies = answer.json as ReadonlyArray<{ id?: unknown; error?: { code: number } }>
        assert.deepStrictEqual(
          replies.map(({ error, id }) => [id, error?.code]),
          [
            ["a", undefined],
            ["b", undefined],
            [undefined, -32600],
            ["c", -32601]
          ]
        )
      })
    )

    it.effect.each(["2025-06-18", "2025-11-25", "2026-07-28"])("are refused with the version %s", (version) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post([Messages.plain], { "mcp-protocol-version": version })
        assert.deepStrictEqual([answer.status, codeOf(answer)], [400, -32600])
      })
    )

    it.effect.each([0, 21])("of %i messages are refused", (length) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(Array.from({ length }, () => Messages.plain))
        assert.deepStrictEqual([answer.status, codeOf(answer)], [400, -32600])
      })
    )

    it.effect("of notifications alone are 202", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post([{ jsonrpc: "2.0", method: "notifications/initialized" }])
        assert.deepStrictEqual([answer.status, answer.text], [202, ""])
      })
    )

    it.effect("cannot contain the handshake", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post([Messages.request("initialize", { protocolVersion: "2025-03-26" })])
        assert.nestedPropertyVal(answer.json, "[0].error.code", -32600)
      })
    )

    it.effect("P6 have at most 20 messages; one more is refused as a whole, free of charge", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const send = (length: number) =>
          server.post(Array.from({ length }, (_, id) => Messages.call("search_ads", {}, id)))
        const before = server.books.charges.length
        assert.lengthOf((yield* send(20)).json as ReadonlyArray<unknown>, 20)
        assert.lengthOf(server.books.charges.slice(before), 20)
        const refused = yield* send(21)
        assert.deepInclude(refused, { status: 400 })
        assert.nestedPropertyVal(refused.json, "error.message", "a batch has at most 20 messages, not 21")
        assert.lengthOf(server.books.charges.slice(before), 20)
      })
    )

    it.effect("charge each call separately, under separate ids, and return the sum", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const before = server.books.charges.length
        const answer = yield* server.post(
          Array.from({ length: 20 }, (_, id) => Messages.call("search_ads", id === 3 ? { page: 99 } : {}, id)),
          { authorization: "Bearer other" }
        )
        const charges = server.books.charges.slice(before)
        assert.strictEqual(charges.length, 19)
        assert.strictEqual(new Set(charges.map(({ requestId }) => requestId)).size, 19)
        assert.strictEqual(answer.headers.get("x-credits-cost"), "19")
        assert.strictEqual(answer.headers.get("x-credits-remaining"), "1969")
        assert.nestedPropertyVal(answer.json, "[3].result.isError", true)
      })
    )
  })

  describe("P7 sessions and streams", () => {
    it.effect("are never issued, and ignored when received", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(Messages.plain, { "mcp-session-id": "gone", "last-event-id": "7" })
        assert.strictEqual(answer.status, 200)
        assert.isNull(answer.headers.get("mcp-session-id"))
        const hello = yield* server.post(Messages.request("initialize", { protocolVersion: "2025-06-18" }))
        assert.isNull(hello.headers.get("mcp-session-id"))
      })
    )
  })

  describe("P8 the order of checks", () => {
    it.effect("each failure is reported once those before it are fixed", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const wrong = {
          origin: "https://evil.test",
          authorization: "Bearer nobody",
          "content-type": "text/plain",
          accept: "text/html"
        }
        const tooLarge = " ".repeat(maxBodyBytes + 1)
        const status = (method: string, headers: Record<string, string | undefined>, body?: string) =>
          Effect.map(
            server.send({ method, headers, ...(body === undefined ? {} : { body }) }),
            (answer) => answer.status
          )

        assert.deepStrictEqual(
          [
            yield* status("PUT", wrong, tooLarge),
            yield* status("PUT", { ...wrong, origin: undefined }, tooLarge),
            yield* status("PUT", { ...wrong, origin: undefined, authorization: "Bearer good" }, tooLarge),
            yield* status("POST", { "content-type": "text/plain", accept: "text/html" }, tooLarge),
            yield* status("POST", { accept: "text/html" }, tooLarge),
            yield* status("POST", {}, tooLarge),
            yield* status("POST", { "mcp-protocol-version": "1" }, "{"),
            yield* status("POST", { "mcp-protocol-version": "1" }, JSON.stringify(Messages.request("unknown"))),
            yield* status("POST", {}, JSON.stringify(Messages.request("unknown")))
          ],
          [403, 401, 405, 415, 406, 413, 400, 400, 200]
        )
      })
    )
  })

  describe("P9 headers", () => {
    it.effect("names in any case, values exact, white space around them trimmed", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { body } = Messages.modernCall("get_usage")
        const text = JSON.stringify(body)
        const answer = (name: string) =>
          raw(
            server.port,
            head([
              "CONTENT-TYPE: application/json",
              `content-length: ${text.length}`,
              "mcp-PROTOCOL-version:   2026-07-28 \t",
              "MCP-METHOD: tools/call",
              `mcp-name:\t${name} `
            ]) + text
          )
        assert.match(yield* answer("get_usage"), /^HTTP\/1.1 200 /)
        assert.match(yield* answer("Get_Usage"), /^HTTP\/1.1 400 /)
      })
    )
  })

  describe("HTTP of other clients", () => {
    it.effect("an offer to upgrade to HTTP/2 is ignored (curl --http2, Java)", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const body = JSON.stringify(Messages.plain)
        const text = yield* raw(
          server.port,
          [
            "POST /mcp HTTP/1.1",
            "Host: localhost",
            "Authorization: Bearer good",
            "Connection: Upgrade, HTTP2-Settings, close",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
            "Content-Type: application/json",
            `Content-Length: ${body.length}`,
            "",
            body
          ].join("\r\n")
        )
        assert.match(text, /^HTTP\/1.1 200 /)
      })
    )

    it.effect("Expect: 100-continue is answered before the body", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const body = JSON.stringify(Messages.plain)
        const text = yield* raw(
          server.port,
          head(["Content-Type: application/json", "Expect: 100-continue", `Content-Length: ${body.length}`]) + body
        )
        assert.match(text, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /)
      })
    )

    it.effect("headers over 16 KiB are 431", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        assert.match(yield* raw(server.port, head([`X-Long: ${"x".repeat(17_000)}`])), /^HTTP\/1.1 431 /)
      })
    )
  })
})

describe("P10 a client that disconnects", () => {
  it.live("interrupts its search, and is not charged", () => {
    const started = Deferred.makeUnsafe<void>()
    const interrupted = Deferred.makeUnsafe<void>()
    const search = () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
    return Effect.gen(function* () {
      const server = yield* TestServer
      const body = JSON.stringify(Messages.call("search_ads"))
      const socket = net.connect(server.port, "127.0.0.1", () =>
        socket.write(head(["Content-Type: application/json", `Content-Length: ${body.length}`]) + body)
      )
      socket.on("error", () => {})
      yield* Deferred.await(started)
      socket.destroy()
      yield* Deferred.await(interrupted)
      assert.deepStrictEqual(server.books.charges, [])
      // The server still works.
      assert.strictEqual((yield* server.post(Messages.plain)).status, 200)
    }).pipe(Effect.provide(TestServer.layer({ ads: [FakeSearch.ad(1)], search })))
  })
})
