/** P33 to P36: which clients get the cards of MCP Apps, and what the cards contain. */
import { assert, describe, layer } from "@effect/vitest"
import { getUiCapability, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/server"
import { Effect, Layer, Schema } from "effect"
import * as Protocol from "../../../../src/domain/mcp/Protocol.ts"
import { ImageOrigins } from "../../../../src/services/search/ImageOrigins.ts"
import { capabilities } from "../../../support/AppHost.ts"
import * as Messages from "../../../support/Messages.ts"
import { connectV1, connectV2 } from "../../../support/RealClients.ts"
import { TestServer } from "../../../support/TestServer.ts"

const Answer = Schema.Struct({
  result: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  error: Schema.optionalKey(Schema.Struct({ code: Schema.Int, message: Schema.String }))
})

const decode = Schema.decodeUnknownSync(Answer)

const toolsOf = Schema.decodeUnknownSync(
  Schema.Struct({
    tools: Schema.Array(Schema.Struct({ name: Schema.String, _meta: Schema.optionalKey(Schema.Unknown) }))
  })
)

const resourcesOf = Schema.decodeUnknownSync(
  Schema.Struct({ resources: Schema.Array(Schema.Struct({ uri: Schema.String, mimeType: Schema.String })) })
)

const contentsOf = Schema.decodeUnknownSync(
  Schema.Struct({
    contents: Schema.Tuple([
      Schema.Struct({
        uri: Schema.String,
        mimeType: Schema.Literal("text/html;profile=mcp-app"),
        text: Schema.String,
        _meta: Schema.Unknown
      })
    ])
  })
)

const initialize = (announced: unknown) =>
  Messages.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: announced,
    clientInfo: { name: "test", version: "1" }
  })

/** Sends a request as a client that has announced the extension. */
const ask = Effect.fnUntraced(function* (
  revision: Protocol.Revision,
  method: string,
  params: Readonly<Record<string, unknown>> = {}
) {
  const server = yield* TestServer
  if (revision === "legacy") return yield* server.post(Messages.request(method, params), { "mcp-session-id": "apps.1" })
  const { body, headers } = Messages.modern(method, {
    ...params,
    _meta: { [Protocol.metaKeys.clientCapabilities]: capabilities }
  })
  const { uri } = params
  return yield* server.post(body, { ...headers, ...(typeof uri === "string" ? { "mcp-name": uri } : {}) })
})

const resultOf = ({ json }: { readonly json: unknown }) => decode(json).result ?? assert.fail(JSON.stringify(json))

const revisions = ["legacy", "modern"] as const

const uris = [
  "ui://discovery/stores",
  "ui://discovery/ads",
  "ui://discovery/products",
  "ui://discovery/store",
  "ui://discovery/market"
]

layer(TestServer.layer(), { excludeTestServices: true })("MCP Apps", (it) => {
  describe("P33 whether a client announces the extension", () => {
    it.effect("initialize returns the capabilities, and a session that records the announcement", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(initialize(capabilities))
        assert.deepStrictEqual(resultOf(answer)["capabilities"], {
          tools: {},
          prompts: {},
          completions: {},
          resources: {},
          extensions: { "io.modelcontextprotocol/ui": {} }
        })
        assert.match(answer.headers.get("mcp-session-id") ?? "", /^apps\.[\w-]{36}$/)
      })
    )

    const others: ReadonlyArray<unknown> = [
      {},
      { extensions: {} },
      { extensions: { "io.modelcontextprotocol/ui": {} } },
      { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [] } } },
      { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } },
      { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: "text/html;profile=mcp-app" } } },
      // More types than are read.
      { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [...Array(20).fill("x"), RESOURCE_MIME_TYPE] } } },
      { extensions: [] },
      null
    ]

    it.effect.each(others.map((announced) => [announced]))("%j does not: answers are as without it", ([announced]) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* server.post(initialize(announced))
        assert.deepStrictEqual(resultOf(answer)["capabilities"], { tools: {}, prompts: {}, completions: {} })
        assert.isNull(answer.headers.get("mcp-session-id"))
        if (typeof announced !== "object" || announced === null) return
        const { body, headers } = Messages.modern("tools/list", {
          _meta: { [Protocol.metaKeys.clientCapabilities]: announced }
        })
        assert.notInclude((yield* server.post(body, headers)).text, "ui://")
      })
    )

    it.effect("compact answers have no cards, and the chosen tools keep theirs", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const list = (path: string) =>
          server.send({
            path,
            headers: { "mcp-session-id": "apps.1" },
            body: JSON.stringify(Messages.request("tools/list"))
          })
        assert.notInclude((yield* list("/mcp?format=compact")).text, "ui://")
        assert.deepStrictEqual((yield* list("/mcp?tools=search_ads,get_usage")).text.match(/ui:\/\/\w+\/\w+/gu), [
          "ui://discovery/ads"
        ])
        const answer = yield* server.send({
          path: "/mcp?format=compact",
          body: JSON.stringify(initialize(capabilities))
        })
        assert.isNull(answer.headers.get("mcp-session-id"))
      })
    )

    it.effect("the session of another server does not count, and is no error", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const session = { "mcp-session-id": "0198-abc" }
        assert.notInclude((yield* server.post(Messages.request("tools/list"), session)).text, "ui://")
        assert.strictEqual((yield* server.post(Messages.plain, session)).status, 200)
      })
    )
  })

  describe("P34 lists", () => {
    it.effect.each(revisions)("the tools with cards name them, and nothing else differs: %s", (revision) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const plain = toolsOf(resultOf(yield* server.post(Messages.request("tools/list"))))
        const withCards = toolsOf(resultOf(yield* ask(revision, "tools/list")))
        assert.deepStrictEqual(
          withCards.tools.map(({ _meta, ...tool }) => tool),
          Array.from(plain.tools)
        )
        assert.deepStrictEqual(
          withCards.tools.flatMap(({ _meta, name }) => (_meta === undefined ? [] : [[name, _meta]])),
          [
            ["search_shops", { ui: { resourceUri: "ui://discovery/stores" } }],
            ["search_ads", { ui: { resourceUri: "ui://discovery/ads" } }],
            ["search_products", { ui: { resourceUri: "ui://discovery/products" } }],
            ["get_shop", { ui: { resourceUri: "ui://discovery/store" } }],
            ["compare_markets", { ui: { resourceUri: "ui://discovery/market" } }]
          ]
        )
      })
    )

    it.effect.each(revisions)("the resources, on one page, and no templates: %s", (revision) =>
      Effect.gen(function* () {
        const { resources } = resourcesOf(resultOf(yield* ask(revision, "resources/list")))
        assert.sameMembers(
          resources.map(({ uri }) => uri),
          uris
        )
        for (const { mimeType } of resources) assert.strictEqual(mimeType, "text/html;profile=mcp-app")
        assert.deepInclude(resultOf(yield* ask(revision, "resources/templates/list")), { resourceTemplates: [] })
        assert.include((yield* ask(revision, "resources/list", { cursor: "x" })).text, "-32602")
      })
    )

    it.effect("no shared cache may return cards to clients without the extension", () =>
      Effect.gen(function* () {
        for (const method of ["tools/list", "resources/list", "server/discover"]) {
          const { cacheScope, resultType } = resultOf(yield* ask("modern", method))
          assert.deepStrictEqual([cacheScope, resultType], ["private", "complete"], method)
        }
      })
    )
  })

  describe("P35 resources", () => {
    it.effect.each(revisions)("each is self-contained: %s", (revision) =>
      Effect.gen(function* () {
        for (const uri of uris) {
          const answer = yield* ask(revision, "resources/read", { uri })
          const { contents } = contentsOf(resultOf(answer))
          const [{ _meta, text }] = contents
          assert.strictEqual(contents[0].uri, uri)
          assert.deepStrictEqual(_meta, { ui: { csp: { resourceDomains: [] }, prefersBorder: true } })
          // The only address is the namespace of SVG.
          assert.deepStrictEqual(
            (text.match(/https?:\/\/[\w./-]+/gu) ?? []).filter((address) => address !== "http://www.w3.org/2000/svg"),
            []
          )
          assert.notMatch(text, /<(?:script|link|img|iframe)[^>]+(?:src|href)=/u)
          assert.isBelow(answer.text.length, 48_000)
          // No data of the caller.
          assert.notMatch(text, /Bearer|account|good@/u)
        }
      })
    )

    it.effect.each<[Protocol.Revision, unknown, number, number]>([
      ["legacy", "ui://discovery/none", 200, -32602],
      ["modern", "ui://discovery/none", 200, -32602],
      ["legacy", 1, 200, -32602],
      ["modern", 1, 400, -32602],
      ["legacy", "file:///etc/passwd", 200, -32602]
    ])("%s, %s: %d, %d", ([revision, uri, status, code]) =>
      Effect.gen(function* () {
        const answer = yield* ask(revision, "resources/read", { uri })
        assert.deepStrictEqual([answer.status, decode(answer.json).error?.code], [status, code])
      })
    )

    it.effect("P12 Mcp-Name repeats the address", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { body, headers } = Messages.modern("resources/read", {
          uri: uris[0],
          _meta: { [Protocol.metaKeys.clientCapabilities]: capabilities }
        })
        for (const name of [undefined, uris[1]]) {
          const answer = yield* server.post(body, { ...headers, "mcp-name": name })
          assert.deepStrictEqual([answer.status, decode(answer.json).error?.code], [400, -32020])
        }
      })
    )
  })

  describe("official clients", () => {
    const read = { uri: "ui://discovery/ads" }

    it.effect("version 1 keeps the session", () =>
      Effect.gen(function* () {
        const { url } = yield* TestServer
        yield* Effect.promise(async () => {
          const { client } = await connectV1(url, "2025-11-25", { authorization: "Bearer good" }, capabilities)
          assert.isDefined(getUiCapability(capabilities))
          const { tools } = await client.listTools()
          assert.isDefined(tools.find(({ name }) => name === "search_ads")?._meta)
          assert.lengthOf((await client.readResource(read)).contents, 1)
          await client.close()
        })
      })
    )

    it.effect.each(["legacy", { pin: Protocol.modernVersion }] as const)("version 2, %j", (mode) =>
      Effect.gen(function* () {
        const { url } = yield* TestServer
        yield* Effect.promise(async () => {
          const options = { capabilities, versionNegotiation: { mode } }
          const client = await connectV2(url, options, { authorization: "Bearer good" })
          const { tools } = await client.listTools()
          assert.isDefined(tools.find(({ name }) => name === "search_ads")?._meta)
          assert.lengthOf((await client.readResource(read)).contents, 1)
          await client.close()
        })
      })
    )
  })
})

const origins = ["https://cdn.test", "https://images.discovery.example"]

const withImages = Layer.provide(TestServer.layer(), Layer.succeed(ImageOrigins, Effect.succeed(origins)))

layer(withImages, { excludeTestServices: true })("the policy of a card", (it) => {
  it.effect("P36 names the hosts of images, and this server for those of the demo data", () =>
    Effect.gen(function* () {
      const answer = yield* ask("legacy", "resources/read", { uri: "ui://discovery/ads" })
      const [{ _meta, text }] = contentsOf(resultOf(answer)).contents
      const resourceDomains = ["https://cdn.test", "https://discovery.test"]
      assert.deepStrictEqual(_meta, { ui: { csp: { resourceDomains }, prefersBorder: true } })
      assert.include(text, `img-src ${resourceDomains.join(" ")};`)
      assert.include(text, "default-src 'none'; script-src 'sha256-")
    })
  )
})
