/** Third-party clients against the whole endpoint: they connect, list the tools, and call each (D62). */
import { assert, describe, layer } from "@effect/vitest"
import type { VersionNegotiationMode } from "@modelcontextprotocol/client"
import { Effect, Layer, Result } from "effect"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import { FetchHttpClient } from "effect/http"
import * as Protocol from "../../../src/domain/mcp/Protocol.ts"
import { connectV1, connectV2, exercise } from "../../support/RealClients.ts"
import type { CallResult } from "../../support/RealClients.ts"
import { TestServer } from "../../support/TestServer.ts"

const headers = { authorization: "Bearer good" }

layer(TestServer.layer(), { excludeTestServices: true })("real clients", (it) => {
  const withUrl = (use: (url: string) => Promise<void>) =>
    Effect.flatMap(TestServer, ({ url }) => Effect.promise(() => use(url)))

  describe("official SDK, version 1", () => {
    it.effect.each(Protocol.legacyVersions)("in %s", (version) =>
      withUrl(async (url) => {
        const { client, transport } = await connectV1(url, version, headers)
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

    it.effect("without a credential it gets an authentication error", () =>
      withUrl(async (url) => {
        const error = await connectV1(url, "2025-11-25", {}).catch((error: unknown) => error)
        assert.propertyVal(error, "code", 401)
      })
    )
  })

  describe("official SDK, version 2", () => {
    it.effect.each(Protocol.legacyVersions)("in %s", (version) =>
      withUrl(async (url) => {
        const client = await connectV2(url, { supportedProtocolVersions: [version] }, headers)
        assert.strictEqual(client.getNegotiatedProtocolVersion(), version)
        const { tools } = await client.listTools()
        await exercise({ tools, call: (name, args) => client.callTool({ name, arguments: args }) })
        await client.close()
      })
    )

    it.effect.each<[string, VersionNegotiationMode]>([
      ["pinned", { pin: Protocol.modernVersion }],
      ["found out", "auto"]
    ])("in 2026-07-28, %s", ([, mode]) =>
      withUrl(async (url) => {
        const client = await connectV2(url, { versionNegotiation: { mode } }, headers)
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
        const connect = McpClient.layerHttp({
          name: "test",
          version: "1.0.0",
          url: `${url}/mcp`,
          protocol,
          headers
        }).pipe(Layer.provide(FetchHttpClient.layer))
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
                // This client turns a tool error into its own error, which keeps the result.
                const { reason } = called.failure
                return "result" in reason ? (reason.result as CallResult) : assert.fail(String(called.failure))
              }
            })
          )
        }).pipe(Effect.provide(connect))
      })
    )
  })
})
