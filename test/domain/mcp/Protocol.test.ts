import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type * as JsonRpc from "../../../src/domain/mcp/JsonRpc.ts"
import * as Protocol from "../../../src/domain/mcp/Protocol.ts"

const none: Protocol.RoutingHeaders = { version: undefined, method: undefined, name: undefined }

const request = (params?: unknown, method = "tools/list"): JsonRpc.Request => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params
})

const envelope = (version: unknown = Protocol.modernVersion, rest: Record<string, unknown> = {}) => ({
  _meta: {
    [Protocol.metaKeys.protocolVersion]: version,
    [Protocol.metaKeys.clientCapabilities]: {},
    ...rest
  }
})

const refused = (result: Result.Result<Protocol.Revision, JsonRpc.Failure>) =>
  Result.isFailure(result) ? result.failure.code : result.success

describe("Protocol.revision", () => {
  it("takes a request without version as 2025-03-26", () => {
    assert.deepStrictEqual(Protocol.revision(none, request()), Result.succeed("legacy"))
  })

  it.each(Protocol.legacyVersions)("takes the header %s as legacy", (version) => {
    assert.deepStrictEqual(Protocol.revision({ ...none, version }, request()), Result.succeed("legacy"))
  })

  it("does not take another _meta for modern", () => {
    const params = { _meta: { progressToken: 1, "io.modelcontextprotocol/other": "2026-07-28" } }
    assert.deepStrictEqual(
      Protocol.revision({ ...none, version: "2025-06-18" }, request(params)),
      Result.succeed("legacy")
    )
  })

  it("takes a complete modern request", () => {
    const headers = { version: "2026-07-28", method: "tools/list", name: undefined }
    assert.deepStrictEqual(Protocol.revision(headers, request(envelope())), Result.succeed("modern"))
  })

  it.each<[string, Protocol.RoutingHeaders, JsonRpc.Request, JsonRpc.Code]>([
    ["an unknown header", { ...none, version: "2024-11-05" }, request(), -32022],
    ["an empty header", { ...none, version: "" }, request(), -32022],
    ["an unknown header and no version in _meta", { ...none, version: "2024-11-05" }, request({ _meta: {} }), -32022],
    ["the modern header without _meta", { ...none, version: "2026-07-28" }, request(), -32602],
    ["the modern header with another _meta", { ...none, version: "2026-07-28" }, request({ _meta: {} }), -32602],
    ["the modern _meta without header", none, request(envelope()), -32020],
    ["a header that differs from _meta", { ...none, version: "2025-11-25" }, request(envelope()), -32020],
    ["a version that is no string", { ...none, version: "2026-07-28" }, request(envelope(20260728)), -32602],
    ["a newer version", { ...none, version: "2027-01-01" }, request(envelope("2027-01-01")), -32022],
    ["a legacy version in _meta", { ...none, version: "2025-11-25" }, request(envelope("2025-11-25")), -32022],
    [
      "no capabilities",
      { version: "2026-07-28", method: "tools/list", name: undefined },
      request({ _meta: { [Protocol.metaKeys.protocolVersion]: "2026-07-28" } }),
      -32602
    ],
    [
      "capabilities that are no object",
      { version: "2026-07-28", method: "tools/list", name: undefined },
      request(envelope("2026-07-28", { [Protocol.metaKeys.clientCapabilities]: [1] })),
      -32602
    ],
    ["no Mcp-Method", { ...none, version: "2026-07-28" }, request(envelope()), -32020],
    [
      "another Mcp-Method",
      { version: "2026-07-28", method: "tools/call", name: undefined },
      request(envelope()),
      -32020
    ],
    [
      "no Mcp-Name",
      { version: "2026-07-28", method: "tools/call", name: undefined },
      request({ ...envelope(), name: "get_usage" }, "tools/call"),
      -32020
    ],
    [
      "another Mcp-Name",
      { version: "2026-07-28", method: "tools/call", name: "search_ads" },
      request({ ...envelope(), name: "get_usage" }, "tools/call"),
      -32020
    ],
    [
      "a name that is no string",
      { version: "2026-07-28", method: "tools/call", name: "1" },
      request({ ...envelope(), name: 1 }, "tools/call"),
      -32602
    ]
  ])("refuses %s", (_, headers, message, code) => {
    assert.strictEqual(refused(Protocol.revision(headers, message)), code)
  })

  it("names what it supports and what was asked for", () => {
    const result = Protocol.revision({ ...none, version: "2027-01-01" }, request(envelope("2027-01-01")))
    assert.deepStrictEqual(Result.isFailure(result) ? result.failure.data : undefined, {
      supported: ["2026-07-28"],
      requested: "2027-01-01"
    })
  })

  it("names every version to a request that names one in the header only", () => {
    const result = Protocol.revision({ ...none, version: `2024-11-05${"x".repeat(100)}` }, request())
    assert.deepStrictEqual(Result.isFailure(result) ? result.failure.data : undefined, {
      supported: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
      requested: `2024-11-05${"x".repeat(50)}…`
    })
  })

  it.each(["2024-11-05", "2026-07-28", "2025-06-18", "", "x"])("takes initialize with any header: %s", (version) => {
    const params = { protocolVersion: "2025-11-25", _meta: { progressToken: 1 } }
    assert.deepStrictEqual(
      Protocol.revision({ ...none, version }, request(params, "initialize")),
      Result.succeed("legacy")
    )
  })

  it("asks no envelope of a notification", () => {
    const message: JsonRpc.Notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: {} }
    assert.deepStrictEqual(Protocol.revision({ ...none, version: "2026-07-28" }, message), Result.succeed("modern"))
  })

  it.prop("never throws", [Schema.Json, Schema.String], ([params, version]) => {
    Protocol.revision({ version, method: version, name: version }, request(params, "tools/call"))
    Protocol.revision(none, request({ _meta: params }))
    Protocol.revision({ ...none, version }, request(envelope(version)))
  })
})

describe("Protocol.decodeHeader", () => {
  it.prop("reads back any text", [Schema.String], ([text]) => {
    const whole = text.toWellFormed()
    const header = `=?base64?${Buffer.from(whole, "utf8").toString("base64")}?=`
    assert.strictEqual(Protocol.decodeHeader(header), whole)
  })

  it.each([
    ["get_usage", "get_usage"],
    ["=?base64?###?=", undefined],
    ["=?base64?/w==?=", undefined],
    ["=?base64?", "=?base64?"]
  ])("reads %s as %s", (header, text) => {
    assert.strictEqual(Protocol.decodeHeader(header), text)
  })
})
