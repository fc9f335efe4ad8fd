/**
 * Sends the same requests to this endpoint and to the server of the official SDK (version 2, both revisions), and explains
 * every difference.
 */
import { assert, layer } from "@effect/vitest"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, Server } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { createServer } from "node:http"
import * as Protocol from "../../../src/domain/mcp/Protocol.ts"
import * as Messages from "../../support/Messages.ts"
import { TestServer } from "../../support/TestServer.ts"

interface Case {
  readonly name: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Our answer if it differs from the peer's, and why. */
  readonly ours?: { readonly answer: string; readonly because: string }
}

const initialize = (protocolVersion: string) =>
  Messages.request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } })

const notification = { jsonrpc: "2.0", method: "notifications/initialized" }

const versioned = (version: string): ReadonlyArray<Case> => {
  const headers = { "mcp-protocol-version": version }
  const spoken = Protocol.isLegacyVersion(version)
  return [
    { name: `initialize ${version}`, body: initialize(version) },
    {
      name: `call in ${version}`,
      body: Messages.plain,
      headers,
      ...(spoken || version === Protocol.modernVersion
        ? {}
        : { ours: { answer: "400 -32022", because: "P14: an unsupported header is refused" } })
    },
    {
      name: `batch in ${version}`,
      body: [Messages.plain],
      headers,
      ...(version === Protocol.batchVersion
        ? {}
        : spoken || version === Protocol.modernVersion
          ? { ours: { answer: "400 -32600", because: "P6: batches are of 2025-03-26 alone; P16: no -32000" } }
          : { ours: { answer: "400 -32022", because: "P14: an unsupported header is refused" } })
    },
    {
      name: `notification in ${version}`,
      body: notification,
      headers,
      ...(spoken || version >= Protocol.modernVersion
        ? {}
        : { ours: { answer: "400 -32022", because: "P14: an unsupported header is refused" } })
    }
  ]
}

const modern = (
  name: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string | undefined>> = {},
  ours?: Case["ours"]
): Case => {
  const message = Messages.modern(method, params)
  return {
    name: `modern: ${name}`,
    body: message.body,
    headers: { ...message.headers, ...headers },
    ...(ours === undefined ? {} : { ours })
  }
}

const malformed = { answer: "400 -32602", because: "P21: what is malformed in modern is HTTP 400" }

const noVersionMeta = { [Protocol.metaKeys.clientCapabilities]: undefined }

const cases: ReadonlyArray<Case> = [
  { name: "the plain call", body: Messages.plain },
  { name: "ping", body: Messages.request("ping") },
  { name: "an unknown method", body: Messages.request("x/y") },
  { name: "a modern method in legacy", body: Messages.request("server/discover") },
  ...[...Protocol.supportedVersions, "2024-11-05", "2027-01-01"].flatMap(versioned),
  { name: "a batch", body: [Messages.plain] },
  { name: "an empty batch", body: [] },
  { name: "a batch of notifications", body: [notification] },
  { name: "a response", body: { jsonrpc: "2.0", id: 1, result: {} } },
  { name: "a number", body: 1 },
  { name: "the id null", body: Messages.request("ping", undefined, null) },
  { name: "a fraction for an id", body: Messages.request("ping", undefined, 1.5) },
  {
    name: "Accept: application/json",
    body: Messages.plain,
    headers: { accept: "application/json" },
    ours: { answer: "200 ok", because: "P4: 406 only when JSON is excluded" }
  },
  modern("list", "tools/list"),
  modern("discover", "server/discover"),
  modern("ping", "ping"),
  modern("initialize", "initialize", initialize(Protocol.modernVersion).params as Readonly<Record<string, unknown>>),
  modern("an unknown method", "x/y"),
  modern("call", "tools/call", { name: "get_usage", arguments: {} }),
  modern("no Mcp-Method", "tools/list", {}, { "mcp-method": undefined }),
  modern("another Mcp-Method", "tools/list", {}, { "mcp-method": "x" }),
  modern("no Mcp-Name", "tools/call", { name: "get_usage" }, { "mcp-name": undefined }),
  modern("another Mcp-Name", "tools/call", { name: "get_usage" }, { "mcp-name": "x" }),
  modern("no version header", "tools/list", {}, { "mcp-protocol-version": undefined }),
  modern("another version header", "tools/list", {}, { "mcp-protocol-version": "2025-11-25" }),
  modern(
    "a version of the future",
    "tools/list",
    { _meta: { [Protocol.metaKeys.protocolVersion]: "2027-01-01" } },
    { "mcp-protocol-version": "2027-01-01" }
  ),
  modern("no capabilities", "tools/list", { _meta: noVersionMeta }),
  modern("a number for a name", "tools/call", { name: 1 }, { "mcp-name": "1" }, malformed),
  modern("arguments that are an array", "tools/call", { name: "get_usage", arguments: [1] }, {}, malformed)
]

/** The SDK's server with a tool of the same name, on its own port. */
const peer = Effect.acquireRelease(
  Effect.promise(async () => {
    const handler = createMcpHandler(() => {
      const server = new Server({ name: "peer", version: "1.0.0" }, { capabilities: { tools: {} } })
      server.setRequestHandler("tools/list", () => ({
        tools: [{ name: "get_usage", inputSchema: { type: "object" } }]
      }))
      server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "{}" }] }))
      return server
    })
    const serve = toNodeHandler(handler)
    // The adapter's types omit `undefined`, which exactOptionalPropertyTypes distinguishes.
    const http = createServer((request, response) => void serve(request as Parameters<typeof serve>[0], response))
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
    return http
  }),
  (http) =>
    Effect.sync(() => {
      http.close()
      http.closeAllConnections()
    })
)

/** Status and error code; the texts of servers differ. */
const summary = (status: number, text: string): string => {
  const code = /"error":\{"code":(-?\d+)/.exec(text)?.[1]
  return `${status} ${text === "" ? "empty" : (code ?? "ok")}`
}

layer(TestServer.layer(), { excludeTestServices: true })("beside the official SDK's server", (it) => {
  it.effect("answers are the same, except where a rule requires another one", () =>
    Effect.gen(function* () {
      const ours = yield* TestServer
      const address = (yield* peer).address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const url = `http://127.0.0.1:${port}`
      for (const { body, headers = {}, name, ours: different } of cases) {
        const answer = yield* ours.send({ headers, body: JSON.stringify(body) })
        const theirs = yield* ours.send({ url, headers, body: JSON.stringify(body) })
        const own = summary(answer.status, answer.text)
        const other = summary(theirs.status, theirs.text)
        if (different === undefined) {
          assert.strictEqual(own, other, name)
        } else {
          assert.strictEqual(own, different.answer, `${name}: ${different.because}`)
          assert.notStrictEqual(own, other, `${name}: no longer different`)
        }
      }
    })
  )
})
