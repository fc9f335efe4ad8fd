/** D69: what a client can configure in the address of the endpoint. */
import { assert, describe, layer } from "@effect/vitest"
import * as ClientV2 from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Schema } from "effect"
import { costs } from "../../../src/domain/access/Credit.ts"
import * as Protocol from "../../../src/domain/mcp/Protocol.ts"
import { extension, mimeType } from "../../../src/http/mcp/apps/Extension.ts"
import * as CompactReader from "../../support/CompactReader.ts"
import * as Messages from "../../support/Messages.ts"
import { TestServer } from "../../support/TestServer.ts"

const send = Effect.fnUntraced(function* (query: string, body: unknown, headers: Record<string, string> = {}) {
  const server = yield* TestServer
  return yield* server.send({ path: `/mcp${query}`, headers, body: JSON.stringify(body) })
})

const names = Object.keys(costs)

const Tools = Schema.Struct({
  result: Schema.Struct({ tools: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) })
})

const toolsOf = (json: unknown) => Schema.decodeUnknownSync(Tools)(json).result.tools

const Introduction = Schema.Struct({ result: Schema.Struct({ instructions: Schema.String }) })

const Call = Schema.Struct({
  result: Schema.Struct({
    content: Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
    structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    isError: Schema.optionalKey(Schema.Boolean)
  })
})

const callOf = (json: unknown) => Schema.decodeUnknownSync(Call)(json).result

layer(TestServer.layer(), { excludeTestServices: true })("views", (it) => {
  describe("/mcp?tools=", () => {
    it.effect.each([
      "?tools=get_usage,search_ads",
      "?tools=search_ads%2Cget_usage",
      "?tools=search_ads,%20get_usage&x=1"
    ])("%s lists and allows only those, in the order of the whole list", (query) =>
      Effect.gen(function* () {
        const modern = Messages.modern("tools/list")
        for (const { json } of [
          yield* send(query, Messages.request("tools/list")),
          yield* send(query, modern.body, modern.headers)
        ]) {
          assert.deepStrictEqual(
            toolsOf(json).map(({ name }) => name),
            ["get_usage", "search_ads"]
          )
        }
        const [allowed, other] = [Messages.modernCall("search_ads"), Messages.modernCall("search_shops")]
        for (const { json } of [
          yield* send(query, Messages.call("search_ads")),
          yield* send(query, allowed.body, allowed.headers)
        ]) {
          assert.isDefined(callOf(json).structuredContent)
        }
        for (const { headers, json } of [
          yield* send(query, Messages.call("search_shops")),
          yield* send(query, other.body, other.headers)
        ]) {
          assert.deepInclude(json, {
            error: {
              code: -32602,
              message: "there is no such tool; the tools are get_usage, search_ads",
              data: Object(json).error.data
            }
          })
          assert.isNull(headers.get("x-credits-cost"))
        }
      })
    )

    it.effect.each<[query: string, message: RegExp]>([
      [
        "?tools=search_add,get_usage",
        /names the tool `search_add`, which there is not\. Did you mean `search_ads`\? The/
      ],
      ["?tools=", /names the tool ``, which there is not/],
      ["?tools=get_usage,,search_ads", /names the tool ``/],
      [`?tools=${"x".repeat(5_000)}`, /names the tool `x{60}…`/],
      [`?tools=${"get_usage,".repeat(1_000)}`, /names the tool ``/],
      ["?tools=get_usage&tools=search_ads", /`tools` more than once/],
      ["?format=xml", /^format=xml is unknown; the only format is compact$/],
      ["?format=", /the only format is compact/],
      ["?format=compact&format=compact", /`format` more than once/]
    ])("%s is refused and says why", ([query, message]) =>
      Effect.gen(function* () {
        const { json, status } = yield* send(query, Messages.call("search_ads"))
        assert.strictEqual(status, 400)
        assert.match(Object(json).error.message, message)
      })
    )
  })

  describe("descriptions", () => {
    it.effect.each([...names, "search_ads,get_usage", "get_shop,search_shops"])(
      "of %s recommend no other tool, and lose nothing else",
      (query) =>
        Effect.gen(function* () {
          const described = (view: string) =>
            Effect.map(send(view, Messages.request("tools/list")), ({ json }) => toolsOf(json))
          const whole = yield* described("")
          for (const { description, name } of yield* described(`?tools=${query}`)) {
            const lines = String(whole.find((tool) => tool["name"] === name)?.["description"]).split("\n")
            const allowed = query.split(",")
            const isOther = (text: string) => names.some((other) => text.includes(other) && !allowed.includes(other))
            const isOf = (text: string) => allowed.some((each) => text.includes(each))
            const kept = String(description).split("\n")
            assert.isFalse(isOther(String(description)), String(description))
            for (const line of lines) {
              if (!isOther(line)) assert.include(kept, line)
              // Of a line that names several tools, the clauses of those that are allowed.
              else
                for (const clause of line.split(", "))
                  if (isOf(clause)) assert.include(description, clause.replace(/\.$/u, ""))
            }
            assert.isAtMost(kept.length, lines.length)
          }
        })
    )
  })

  describe("instructions", () => {
    const capabilities = { extensions: { [extension]: { mimeTypes: [mimeType] } } }
    const initialize = (announced: object) =>
      Messages.request("initialize", { protocolVersion: "2025-11-25", capabilities: announced })
    const discover = (announced: object) =>
      Messages.modern("server/discover", { _meta: { [Protocol.metaKeys.clientCapabilities]: announced } })

    it.effect.each([
      ...names,
      "get_usage,list_filter_options",
      "search_ads,get_usage",
      "get_shop,compare_markets",
      names.join(",")
    ])("to %s name these tools alone", (tools) =>
      Effect.gen(function* () {
        for (const query of [`?tools=${tools}`, `?tools=${tools}&format=compact`]) {
          for (const announced of [{}, capabilities]) {
            const modern = discover(announced)
            for (const { json } of [
              yield* send(query, initialize(announced)),
              yield* send(query, modern.body, modern.headers)
            ]) {
              const { instructions } = Schema.decodeUnknownSync(Introduction)(json).result
              assert.deepStrictEqual(
                names.filter((name) => instructions.includes(name)),
                names.filter((name) => tools.split(",").includes(name))
              )
              assert.strictEqual(
                instructions.includes("costs 1 credit"),
                /search_|compare|get_shop|product|changes|run_saved/u.test(tools)
              )
            }
          }
        }
      })
    )

    it.effect("name every tool without a view", () =>
      Effect.gen(function* () {
        for (const query of ["", "?format=compact"]) {
          const { json } = yield* send(query, initialize({}))
          const { instructions } = Schema.decodeUnknownSync(Introduction)(json).result
          for (const name of names) assert.include(instructions, name)
          assert.include(instructions, "Any other successful call costs 1 credit; errors cost nothing")
        }
      })
    )
  })

  describe("/mcp?format=compact", () => {
    it.effect("returns tools without output schemas, in both revisions", () =>
      Effect.gen(function* () {
        const modern = Messages.modern("tools/list")
        const list = Effect.fnUntraced(function* (query: string) {
          const answers = [
            yield* send(query, Messages.request("tools/list")),
            yield* send(query, modern.body, modern.headers)
          ]
          return answers.map(({ json }) => toolsOf(json))
        })
        const withoutSchemas = (yield* list("")).map((tools) =>
          tools.map((tool) => Object.fromEntries(Object.entries(tool).filter(([name]) => name !== "outputSchema")))
        )
        assert.deepStrictEqual(yield* list("?format=compact"), withoutSchemas)
      })
    )

    it.effect("returns answers as text only, with every value and the same charge", () =>
      Effect.gen(function* () {
        for (const [name, args] of [
          ["get_usage", {}],
          ["list_filter_options", { kind: "niches" }],
          ["search_shops", {}],
          ["search_ads", { per_page: 25 }],
          ["search_products", {}],
          ["get_shop", { shop_id: 7 }],
          ["get_product", { product_id: 1 }]
        ] as const) {
          const whole = yield* send("", Messages.call(name, args))
          const compact = yield* send("?format=compact", Messages.call(name, args))
          const { content, structuredContent } = callOf(compact.json)
          assert.isUndefined(structuredContent, name)
          assert.lengthOf(content, 1)
          CompactReader.assertSame(content[0]?.text ?? "", callOf(whole.json).structuredContent ?? {})
          assert.strictEqual(compact.headers.get("x-credits-cost"), whole.headers.get("x-credits-cost"))
        }
      })
    )

    it.effect("does not change errors", () =>
      Effect.gen(function* () {
        const texts = Effect.fnUntraced(function* (query: string) {
          const { content, isError } = callOf((yield* send(query, Messages.call("search_ads", { page: 0 }))).json)
          assert.isTrue(isError)
          return content.map(({ text }) => text.replace(/"request_id":"[^"]*"/u, ""))
        })
        assert.deepStrictEqual(yield* texts("?format=compact"), yield* texts(""))
      })
    )

    it.effect("is accepted by the official SDKs", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const url = new URL(`${server.url}/mcp?format=compact&tools=search_ads`)
        const requestInit = { headers: { authorization: "Bearer good" } }
        yield* Effect.promise(async () => {
          const v1 = new ClientV1({ name: "test", version: "1.0.0" })
          await v1.connect(new TransportV1(url, { requestInit }))
          const v2 = new ClientV2.Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
          await v2.connect(new ClientV2.StreamableHTTPClientTransport(url, { requestInit }))
          for (const client of [v1, v2]) {
            assert.lengthOf((await client.listTools()).tools, 1)
            const { content } = await client.callTool({ name: "search_ads", arguments: {} })
            assert.match(JSON.stringify(content), /results\[10\], every row: /u)
            await client.close()
          }
        })
      })
    )
  })
})
