/** P11 to P24, over real HTTP. The rules that need no server are in test/domain/mcp. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import * as JsonRpc from "../../../src/domain/mcp/JsonRpc.ts"
import * as Protocol from "../../../src/domain/mcp/Protocol.ts"
import * as Messages from "../../support/Messages.ts"
import { type Answer, TestServer } from "../../support/TestServer.ts"

const Reply = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.optionalKey(JsonRpc.Id),
  result: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  error: Schema.optionalKey(
    Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.Record(Schema.String, Schema.Unknown) })
  )
})

/** Every body matches this schema completely. */
const replyOf = (answer: Answer) => Schema.decodeUnknownSync(Reply, { onExcessProperty: "error" })(answer.json)

const outcome = (answer: Answer) => [answer.status, replyOf(answer).error?.code ?? "ok"]

const resultOf = (answer: Answer) => replyOf(answer).result ?? assert.fail(answer.text)

const post = (body: unknown, headers?: Record<string, string | undefined>) =>
  Effect.flatMap(TestServer, (server) => server.post(body, headers))

const postModern = ({ body, headers }: ReturnType<typeof Messages.modern>, without?: string) =>
  post(body, without === undefined ? headers : { ...headers, [without]: undefined })

layer(TestServer.layer(), { excludeTestServices: true })("revisions", (it) => {
  describe("P11 what makes a request modern", () => {
    it.effect("the version in _meta", () =>
      Effect.gen(function* () {
        const result = resultOf(yield* postModern(Messages.modernCall("get_usage")))
        assert.strictEqual(result["resultType"], "complete")
      })
    )

    it.effect("not another _meta: a legacy progressToken", () =>
      Effect.gen(function* () {
        const message = Messages.request("tools/call", { name: "get_usage", _meta: { progressToken: 1 } })
        const result = resultOf(yield* post(message, { "mcp-protocol-version": "2025-11-25" }))
        assert.notProperty(result, "resultType")
      })
    )
  })

  describe("P12 the headers of a modern request", () => {
    it.effect.each(["mcp-protocol-version", "mcp-method", "mcp-name"])("%s is required", (header) =>
      Effect.gen(function* () {
        const answer = yield* postModern(Messages.modernCall("get_usage"), header)
        assert.deepStrictEqual(outcome(answer), [400, -32020])
      })
    )

    it.effect.each<[string, string]>([
      ["mcp-protocol-version", "2025-11-25"],
      ["mcp-method", "tools/list"],
      ["mcp-name", "search_ads"]
    ])("%s: %s differs from the body", ([header, value]) =>
      Effect.gen(function* () {
        const { body, headers } = Messages.modernCall("get_usage")
        assert.deepStrictEqual(outcome(yield* post(body, { ...headers, [header]: value })), [400, -32020])
      })
    )

    it.effect("Mcp-Name may be encoded", () =>
      Effect.gen(function* () {
        const { body, headers } = Messages.modernCall("get_usage")
        const name = `=?base64?${btoa("get_usage")}?=`
        assert.deepStrictEqual(outcome(yield* post(body, { ...headers, "mcp-name": name })), [200, "ok"])
      })
    )
  })

  describe("P13 the _meta of a modern request", () => {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" }

    it.effect("capabilities are required", () =>
      Effect.gen(function* () {
        const _meta = { [Protocol.metaKeys.protocolVersion]: "2026-07-28" }
        assert.deepStrictEqual(outcome(yield* post(Messages.request("tools/list", { _meta }), headers)), [400, -32602])
      })
    )

    it.effect("the header alone is not enough", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(outcome(yield* post(Messages.request("tools/list"), headers)), [400, -32602])
      })
    )
  })

  describe("P14 unsupported versions", () => {
    it.effect("modern: -32022 with what was requested, and the versions that server/discover lists", () =>
      Effect.gen(function* () {
        const { body, headers } = Messages.modern("tools/list", {
          _meta: { [Protocol.metaKeys.protocolVersion]: "2027-01-01" }
        })
        const answer = yield* post(body, { ...headers, "mcp-protocol-version": "2027-01-01" })
        assert.deepStrictEqual(outcome(answer), [400, -32022])
        const { supportedVersions } = resultOf(yield* postModern(Messages.modern("server/discover")))
        assert.deepStrictEqual(supportedVersions, ["2026-07-28"])
        assert.deepInclude(replyOf(answer).error?.data, { supported: supportedVersions, requested: "2027-01-01" })
      })
    )

    it.effect.each(["2024-11-05", "2024-10-07", "latest", "2025-06-18, 2025-11-25"])(
      "the header %s alone: 400, -32022 with all versions, also for a batch and a notification",
      (version) =>
        Effect.gen(function* () {
          const notification = { jsonrpc: "2.0", method: "notifications/initialized" }
          for (const body of [Messages.plain, Messages.request("unknown"), [Messages.plain], notification]) {
            const answer = yield* post(body, { "mcp-protocol-version": version })
            assert.deepStrictEqual(outcome(answer), [400, -32022])
            assert.deepInclude(replyOf(answer).error?.data, {
              supported: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
              requested: version
            })
          }
        })
    )
  })

  describe("P15 without header, _meta and session", () => {
    it.effect("the revision is 2025-03-26: batches are accepted", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* post([Messages.plain])).status, 200)
      })
    )
  })

  // D1
  describe("P17 initialize", () => {
    it.effect.each<[unknown, string]>([
      ["2025-03-26", "2025-03-26"],
      ["2025-06-18", "2025-06-18"],
      ["2025-11-25", "2025-11-25"],
      ["2024-11-05", "2025-11-25"],
      ["2026-07-28", "2025-11-25"],
      ["x", "2025-11-25"]
    ])("%s is answered by %s", ([requested, answered]) =>
      Effect.gen(function* () {
        const params = { protocolVersion: requested, capabilities: {}, clientInfo: { name: "test", version: "1" } }
        const result = resultOf(yield* post(Messages.request("initialize", params)))
        assert.strictEqual(result["protocolVersion"], answered)
        assert.deepStrictEqual(result["capabilities"], { tools: {}, prompts: {}, completions: {} })
        assert.isString(result["instructions"])
        assert.deepStrictEqual(result["serverInfo"], {
          name: "discovery",
          title: "Discovery",
          version: manifest.version,
          description: manifest.description,
          websiteUrl: "https://discovery.test",
          icons: [{ src: "https://discovery.test/icon.svg", mimeType: "image/svg+xml", sizes: ["any"] }]
        })
        assert.hasAllKeys(result, ["protocolVersion", "capabilities", "serverInfo", "instructions"])
      })
    )

    it.effect.each(["2024-11-05", "2025-03-26", "2026-07-28", "x"])(
      "the body negotiates, whatever the header: %s",
      (version) =>
        Effect.gen(function* () {
          const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
          const answer = yield* post(Messages.request("initialize", params), { "mcp-protocol-version": version })
          assert.strictEqual(resultOf(answer)["protocolVersion"], "2025-06-18")
        })
    )

    it.effect("the icon exists at its address", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const icon = yield* server.send({ method: "GET", path: "/icon.svg", headers: { authorization: undefined } })
        assert.deepStrictEqual([icon.status, icon.headers.get("content-type")], [200, "image/svg+xml"])
      })
    )

    it.effect("without a version: -32602", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(outcome(yield* post(Messages.request("initialize", {}))), [200, -32602])
      })
    )
  })

  describe("P18 ping", () => {
    it.effect("is {} in legacy", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(resultOf(yield* post(Messages.request("ping"))), {})
      })
    )

    it.effect.each(["ping", "initialize", "logging/setLevel", "resources/list", "resources/read"])(
      "%s is unknown in modern: 404, -32601",
      (method) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(outcome(yield* postModern(Messages.modern(method))), [404, -32601])
        })
    )
  })

  describe("P19 server/discover", () => {
    it.effect("returns versions, capabilities, instructions and their lifetime", () =>
      Effect.gen(function* () {
        const result = resultOf(yield* postModern(Messages.modern("server/discover")))
        const { _meta, instructions, ...rest } = result
        assert.deepStrictEqual(rest, {
          supportedVersions: ["2026-07-28"],
          capabilities: { tools: {}, prompts: {}, completions: {} },
          ttlMs: 300_000,
          cacheScope: "public",
          resultType: "complete"
        })
        assert.isString(instructions)
        assert.nestedPropertyVal(_meta, "io\\.modelcontextprotocol/serverInfo.name", "discovery")
      })
    )

    it.effect("is unknown in legacy", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(outcome(yield* post(Messages.request("server/discover"))), [200, -32601])
      })
    )
  })

  describe("P20 tools/list", () => {
    const names = [
      "get_usage",
      "list_filter_options",
      "search_shops",
      "search_ads",
      "search_products",
      "get_shop",
      "get_product",
      "list_changes",
      "compare_markets",
      "compare_ads",
      "list_saved_searches",
      "run_saved_search"
    ]
    const namesOf = (result: Readonly<Record<string, unknown>>) =>
      Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))(result["tools"]).map(
        ({ name }) => name
      )

    it.effect("is one page, in a fixed order, get_usage first", () =>
      Effect.gen(function* () {
        const legacy = resultOf(yield* post(Messages.request("tools/list")))
        assert.deepStrictEqual(namesOf(legacy), names)
        assert.hasAllKeys(legacy, ["tools"])

        const modern = resultOf(yield* postModern(Messages.modern("tools/list")))
        assert.deepStrictEqual(namesOf(modern), names)
        assert.hasAllKeys(modern, ["tools", "ttlMs", "cacheScope", "resultType", "_meta"])
        assert.deepInclude(modern, { ttlMs: 300_000, cacheScope: "public" })
      })
    )

    it.effect('the cursor "" is the first page, any other is -32602', () =>
      Effect.gen(function* () {
        const lists = ["tools/list", "resources/list", "resources/templates/list"]
        for (const method of lists) {
          const apps = { "mcp-session-id": "apps.x" }
          const first = resultOf(yield* post(Messages.request(method), apps))
          for (const cursor of ["", null]) {
            assert.deepStrictEqual(resultOf(yield* post(Messages.request(method, { cursor }), apps)), first)
          }
          assert.deepStrictEqual(outcome(yield* post(Messages.request(method, { cursor: "x" }), apps)), [200, -32602])
        }
        assert.deepStrictEqual(outcome(yield* postModern(Messages.modern("tools/list", { cursor: "" }))), [200, "ok"])
        assert.deepStrictEqual(outcome(yield* postModern(Messages.modern("tools/list", { cursor: 1 }))), [400, -32602])
      })
    )
  })

  describe("P21 tools/call", () => {
    it.effect("arguments may be absent", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(outcome(yield* post(Messages.request("tools/call", { name: "get_usage" }))), [200, "ok"])
      })
    )

    it.effect("an unknown tool is -32602, and the message lists the tools", () =>
      Effect.gen(function* () {
        const legacy = yield* post(Messages.call("get_shops"))
        assert.deepStrictEqual(outcome(legacy), [200, -32602])
        assert.include(replyOf(legacy).error?.message, "search_ads")
        assert.deepStrictEqual(outcome(yield* postModern(Messages.modernCall("get_shops"))), [200, -32602])
      })
    )

    it.effect.each<[string, unknown]>([
      ["no params", undefined],
      ["an array", ["get_usage"]],
      ["a string", "get_usage"],
      ["no name", {}],
      ["a number for a name", { name: 1 }],
      ["arguments that are an array", { name: "get_usage", arguments: [1] }],
      ["arguments that are a string", { name: "get_usage", arguments: "{}" }],
      ["a _meta that is no object", { name: "get_usage", _meta: 1 }],
      ["a name of the prototype", { name: "constructor" }]
    ])("%s: -32602", ([, params]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(outcome(yield* post(Messages.request("tools/call", params))), [200, -32602])
      })
    )

    it.effect("malformed arguments in modern: 400, -32602", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(outcome(yield* postModern(Messages.modernCall("get_usage", [1]))), [400, -32602])
      })
    )

    it.effect.each<[string, object]>([
      ["argument", { argument: { countries: ["DE"] } }],
      ["input", { input: {} }],
      ["parameters", { arguments: null, parameters: "{}" }],
      ["countries", { countries: ["DE"], per_page: 1 }],
      ["page", { arguments: { per_page: 1 }, page: 2 }]
    ])("params.%s, where arguments were meant: -32602, free of charge", ([member, params]) =>
      Effect.gen(function* () {
        const call = { name: "search_shops", ...params }
        const legacy = yield* post(Messages.request("tools/call", call))
        assert.deepStrictEqual(outcome(legacy), [200, -32602])
        assert.strictEqual(
          replyOf(legacy).error?.message,
          `params.${member} is not known; the arguments of a tool are members of params.arguments`
        )
        assert.notProperty(legacy.headers, "x-credits-cost")
        const { body, headers } = Messages.modernCall("search_shops")
        const modern = yield* post({ ...body, params: { ...body.params, arguments: undefined, ...params } }, headers)
        assert.deepStrictEqual(outcome(modern), [400, -32602])
      })
    )

    it.effect("members of other revisions, and unknown ones beside arguments, are ignored", () =>
      Effect.gen(function* () {
        for (const params of [
          { task: { ttl: 1 }, requestState: "x", input: null },
          { arguments: {}, server: "discovery" }
        ]) {
          const call = Messages.request("tools/call", { name: "get_usage", ...params })
          assert.deepStrictEqual(outcome(yield* post(call)), [200, "ok"])
        }
      })
    )

    it.effect("an empty object may be []", () =>
      Effect.gen(function* () {
        const call = { name: "get_usage", arguments: [], _meta: [] }
        assert.deepStrictEqual(outcome(yield* post(Messages.request("tools/call", call))), [200, "ok"])
        assert.deepStrictEqual(outcome(yield* postModern(Messages.modernCall("get_usage", []))), [200, "ok"])
        const initialize = { protocolVersion: "2025-06-18", capabilities: [], clientInfo: [], _meta: [] }
        assert.deepStrictEqual(outcome(yield* post(Messages.request("initialize", initialize))), [200, "ok"])
        for (const method of ["ping", "tools/list"]) {
          assert.deepStrictEqual(outcome(yield* post(Messages.request(method, []))), [200, "ok"])
        }
        const meta = { [Protocol.metaKeys.clientCapabilities]: [] }
        assert.deepStrictEqual(outcome(yield* postModern(Messages.modern("tools/list", { _meta: meta }))), [200, "ok"])
      })
    )

    it.effect.each<[method: string, member: string, wrong: ReadonlyArray<unknown>]>([
      ["initialize", "protocolVersion", [1, null, {}, []]],
      ["initialize", "capabilities", ["{}", 1, [1]]],
      ["initialize", "clientInfo", ["x", 1, true]],
      ["tools/call", "name", [1, null, {}, []]],
      ["tools/call", "arguments", ["{}", "", 1, true, [1]]],
      ["tools/list", "cursor", ["x", 1, {}, []]],
      ["resources/list", "cursor", ["x", 1]],
      ["resources/read", "uri", [1, null, {}, []]],
      ...[
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/list",
        "completion/complete"
      ].map((method): [string, string, ReadonlyArray<unknown>] => [method, "_meta", ["{}", 1, true, [1]]])
    ])("%s: a wrong params.%s is refused by a sentence that names it", ([method, member, wrong]) =>
      Effect.gen(function* () {
        const valid = { protocolVersion: "2025-06-18", name: "get_usage", uri: "ui://x" }
        for (const value of wrong) {
          const params = { ...valid, [member]: value }
          const answer = yield* post(Messages.request(method, params), { "mcp-session-id": "apps.x" })
          assert.deepStrictEqual(outcome(answer), [200, -32602])
          assert.match(replyOf(answer).error?.message ?? "", new RegExp(`(?:^params|leave params)\\.${member}\\b`))
        }
        for (const params of ["{}", 1, true, [1]]) {
          const answer = yield* post(Messages.request(method, params))
          assert.strictEqual(replyOf(answer).error?.message, "params must be an object")
        }
      })
    )

    it.effect("a notification with wrong params is 400, without an id", () =>
      Effect.gen(function* () {
        const wrong = { params: "x", "params._meta": { _meta: "x" } }
        for (const [name, params] of Object.entries(wrong)) {
          const answer = yield* post({ jsonrpc: "2.0", method: "notifications/cancelled", params })
          assert.deepStrictEqual(outcome(answer), [400, -32602])
          assert.strictEqual(replyOf(answer).error?.message, `${name} must be an object`)
          assert.notProperty(answer.json, "id")
        }
      })
    )
  })

  // D22
  describe("P22 unknown methods", () => {
    it.effect.each(["tools/unknown", "prompts/subscribe", "resources/list", "logging/setLevel", "__proto__", ""])(
      "%s: modern 404, legacy 200, -32601",
      (method) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(outcome(yield* post(Messages.request(method))), [200, -32601])
          if (method !== "") {
            assert.deepStrictEqual(outcome(yield* postModern(Messages.modern(method))), [404, -32601])
          }
        })
    )
  })

  describe("P23 the form of results", () => {
    it.effect("modern ones carry resultType and serverInfo, legacy ones neither; errors of tools too", () =>
      Effect.gen(function* () {
        for (const args of [{}, { unknown: 1 }]) {
          const modern = resultOf(yield* postModern(Messages.modernCall("get_usage", args)))
          assert.strictEqual(modern["resultType"], "complete")
          assert.property(modern["_meta"], "io.modelcontextprotocol/serverInfo")
          const legacy = resultOf(yield* post(Messages.call("get_usage", args)))
          assert.notProperty(legacy, "resultType")
          assert.notProperty(legacy["_meta"], "io.modelcontextprotocol/serverInfo")
        }
      })
    )
  })

  describe("P24 ids, and invalid messages", () => {
    it.effect.each(["text", "", 'ü\u2028"\\', 0, -1, 9007199254740991])("the id %j is returned unchanged", (id) =>
      Effect.gen(function* () {
        assert.strictEqual(replyOf(yield* post(Messages.request("ping", undefined, id))).id, id)
        assert.strictEqual(replyOf(yield* post(Messages.request("unknown", undefined, id))).id, id)
      })
    )

    it.effect.each(["9007199254740993", "-9007199254740993", "18446744073709551615", "1".repeat(100), "1e20", "-0"])(
      "the integer %s is returned as it came, in a batch too",
      (id) =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const same = (text: string) =>
            text.includes(`"id":${id}`) || BigInt(/"id":(-?\d+)/u.exec(text)?.[1] ?? "1") === BigInt(Number(id))
          const message = (method: string) =>
            `{"jsonrpc":"2.0","method":"${method}","params":{"_meta":{"id":2}},"\\u0069d":${id}}`
          for (const method of ["ping", "unknown"]) {
            const answer = yield* server.send({ body: message(method) })
            assert.strictEqual(answer.status, 200)
            assert.isTrue(same(answer.text), answer.text)
          }
          const batch = yield* server.send({ body: `[{"jsonrpc":"2.0","method":"x"},[1,{}],${message("ping")}]` })
          assert.isTrue(same(batch.text), batch.text)
        })
    )

    it.effect.each([
      ["query", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"query":"a","query":"b"}}}'],
      ["id", '{"jsonrpc":"2.0","id":1,"method":"ping","\\u0069d":1}'],
      [
        "a",
        '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":1,"a":1}}]'
      ]
    ])("a body with the name %s twice in an object is refused by this name", ([name, body]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.send({ body })
        assert.deepStrictEqual(outcome(answer), [400, -32600])
        assert.strictEqual(replyOf(answer).error?.message, `an object of the body has the name \`${name}\` twice`)
      })
    )

    it.effect("an integer with too many digits is refused by its reason", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        for (const digits of [101, 400]) {
          const answer = yield* server.send({ body: `{"jsonrpc":"2.0","id":${"1".repeat(digits)},"method":"ping"}` })
          assert.deepStrictEqual(outcome(answer), [400, -32600])
          assert.strictEqual(replyOf(answer).error?.message, "id must be a string or an integer of at most 100 digits")
        }
      })
    )

    it.effect.each<[string, string, number]>([
      ["no JSON", "{", -32700],
      ["nothing", "", -32700],
      ["JSON with a comment", "{}//", -32700],
      ["a number", "1", -32600],
      ["null", "null", -32600],
      ["a string", '"ping"', -32600],
      ["an object of something else", "{}", -32600],
      ["JSON-RPC 1.0", '{"id":7,"method":"ping"}', -32600],
      ["the id null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
      ["a fraction for an id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
      ["nesting without end", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, -32600],
      ["a batch of what is no message", "[[]]", -32600]
    ])("%s is 400", ([, body, code]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.send({ body })
        if (body === "[[]]") {
          // For a batch with one invalid entry, the answer of the batch contains the error.
          assert.nestedPropertyVal(answer.json, "[0].error.code", -32600)
        } else {
          assert.deepStrictEqual(outcome(answer), [400, code])
        }
      })
    )

    it.effect("invalid UTF-8 is -32700", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const body = new Uint8Array([
          ...Buffer.from('{"jsonrpc":"2.0","id":"'),
          0xff,
          ...Buffer.from('","method":"ping"}')
        ])
        assert.deepStrictEqual(outcome(yield* server.send({ body })), [400, -32700])
      })
    )

    it.effect("an error has the id of the message if that is valid", () =>
      Effect.gen(function* () {
        assert.strictEqual(replyOf(yield* post({ id: 7, method: "ping" })).id, 7)
        assert.notProperty(replyOf(yield* post({ jsonrpc: "2.0", id: {}, method: "ping" })), "id")
      })
    )
  })
})
