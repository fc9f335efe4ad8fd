/** Clients that others wrote, against the whole endpoint: they connect, list the tools, and call each (issue 2, point 3). */
import { assert, describe, layer } from "@effect/vitest"
import * as ClientV2 from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Result } from "effect"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import { FetchHttpClient } from "effect/http"
import * as Protocol from "../../../src/domain/mcp/Protocol.ts"
import { TestServer } from "../../support/TestServer.ts"

/** What every client must be able to do, whatever its API looks like. */
interface Connected {
  /** Names in the order of the list, and whether each has both schemas. */
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly inputSchema: unknown
    readonly outputSchema?: unknown
  }>
  readonly call: (name: string, args: Record<string, unknown>) => Promise<CallResult>
}

interface CallResult {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

const calls: ReadonlyArray<readonly [name: string, args: Record<string, unknown>]> = [
  ["get_usage", {}],
  ["list_filter_options", { kind: "niches" }],
  ["search_ads", { sort_by: "newest", countries: ["fr"], per_page: 25 }],
  ["search_ads", {}],
  ["search_products", { price: { min: 1 } }]
]

const exercise = async ({ call, tools }: Connected) => {
  assert.deepStrictEqual(
    tools.map(({ name }) => name),
    ["get_usage", "list_filter_options", "search_ads", "search_products"]
  )
  for (const { inputSchema, name, outputSchema } of tools) {
    assert.isObject(inputSchema, name)
    assert.isObject(outputSchema, name)
  }
  for (const [name, args] of calls) {
    // The clients hold structuredContent against the outputSchema, and throw when it does not fit.
    const result = await call(name, args)
    assert.notStrictEqual(result.isError, true, name)
    assert.isObject(result.structuredContent, name)
    assert.deepStrictEqual(JSON.parse(result.content[0]?.text ?? ""), result.structuredContent)
  }
  // An error of a tool is a result, and no client throws on it.
  const wrong = await call("search_ads", { per_page: 26 })
  assert.strictEqual(wrong.isError, true)
  assert.include(wrong.content[0]?.text, "invalid_arguments")
}

const headers = { authorization: "Bearer good" }

/** This client offers its newest version only; the others are put into its handshake on the way. */
const offering =
  (version: string): typeof fetch =>
  (input, init) =>
    fetch(input, {
      ...init,
      ...(typeof init?.body === "string" && init.body.includes('"initialize"')
        ? { body: init.body.replace(/"protocolVersion":"[^"]*"/, `"protocolVersion":"${version}"`) }
        : {})
    })

const connectV1 = async (url: string, version: string, requestInit: RequestInit = { headers }) => {
  const client = new ClientV1({ name: "test", version: "1.0.0" })
  const transport = new TransportV1(new URL(`${url}/mcp`), { requestInit, fetch: offering(version) })
  await client.connect(transport)
  return { client, transport }
}

const connectV2 = async (url: string, options: ConstructorParameters<typeof ClientV2.Client>[1]) => {
  const client = new ClientV2.Client({ name: "test", version: "1.0.0" }, options)
  await client.connect(new ClientV2.StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  return client
}

layer(TestServer.layer(), { excludeTestServices: true })("real clients", (it) => {
  const withUrl = (use: (url: string) => Promise<void>) =>
    Effect.flatMap(TestServer, ({ url }) => Effect.promise(() => use(url)))

  describe("official SDK, version 1", () => {
    it.effect.each(Protocol.legacyVersions)("in %s", (version) =>
      withUrl(async (url) => {
        const { client, transport } = await connectV1(url, version)
        assert.strictEqual(transport.protocolVersion, version)
        assert.strictEqual(client.getServerVersion()?.name, "discovery")
        assert.isString(client.getInstructions())
        await client.ping()
        const { nextCursor, tools } = await client.listTools()
        assert.isUndefined(nextCursor)
        await exercise({
          tools,
          call: async (name, args) => (await client.callTool({ name, arguments: args })) as CallResult
        })
        const unknown = await client.callTool({ name: "unknown", arguments: {} }).catch((error: unknown) => error)
        assert.propertyVal(unknown, "code", -32602)
        await client.close()
      })
    )

    it.effect("without a credential it is told so", () =>
      withUrl(async (url) => {
        const error = await connectV1(url, "2025-11-25", {}).catch((error: unknown) => error)
        assert.propertyVal(error, "code", 401)
      })
    )
  })

  describe("official SDK, version 2", () => {
    it.effect.each(Protocol.legacyVersions)("in %s", (version) =>
      withUrl(async (url) => {
        const client = await connectV2(url, { supportedProtocolVersions: [version] })
        assert.strictEqual(client.getNegotiatedProtocolVersion(), version)
        const { tools } = await client.listTools()
        await exercise({ tools, call: (name, args) => client.callTool({ name, arguments: args }) })
        await client.close()
      })
    )

    it.effect.each<[string, ClientV2.VersionNegotiationMode]>([
      ["pinned", { pin: Protocol.modernVersion }],
      ["found out", "auto"]
    ])("in 2026-07-28, %s", ([, mode]) =>
      withUrl(async (url) => {
        const client = await connectV2(url, { versionNegotiation: { mode } })
        assert.strictEqual(client.getNegotiatedProtocolVersion(), Protocol.modernVersion)
        assert.strictEqual(client.getServerVersion()?.name, "discovery")
        const { tools } = await client.listTools()
        await exercise({ tools, call: (name, args) => client.callTool({ name, arguments: args }) })
        const unknown = await client.callTool({ name: "unknown", arguments: {} }).catch((error: unknown) => error)
        assert.propertyVal(unknown, "code", -32602)
        await client.close()
      })
    )
  })

  describe("effect/ai/McpClient", () => {
    it.effect.each([McpProtocol.v2025_11_25, McpProtocol.v2026_07_28])("in $protocolVersion", (protocol) =>
      Effect.gen(function* () {
        const { url } = yield* TestServer
        const connect = McpClient.layerHttp({ name: "test", version: "1.0.0", url: `${url}/mcp`, protocol, headers })
        yield* Effect.gen(function* () {
          const client = yield* McpClient.McpClient
          assert.strictEqual(client.protocolVersion, protocol.protocolVersion)
          assert.strictEqual(client.serverInfo?.name, "discovery")
          const tools = yield* client.listTools()
          yield* Effect.promise(() =>
            exercise({
              tools,
              call: async (name, args) => {
                const tool = tools.find((candidate) => candidate.name === name) ?? assert.fail(name)
                const called = await Effect.runPromise(Effect.result(client.callTool({ tool, arguments: args })))
                if (Result.isSuccess(called)) return called.success
                // This client makes an error of a tool an error of its own, which keeps the result.
                const { reason } = called.failure
                return "result" in reason ? (reason.result as CallResult) : assert.fail(String(called.failure))
              }
            })
          )
        }).pipe(Effect.provide(connect), Effect.provide(FetchHttpClient.layer))
      })
    )
  })
})
