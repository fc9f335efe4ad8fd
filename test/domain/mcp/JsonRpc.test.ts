import { assert, describe, it } from "@effect/vitest"
import { Predicate, Result, Schema } from "effect"
import * as ExactIds from "../../../src/domain/mcp/ExactIds.ts"
import * as JsonRpc from "../../../src/domain/mcp/JsonRpc.ts"

describe("JsonRpc.decode", () => {
  it.each<[string, unknown, JsonRpc.Message]>([
    [
      "a request",
      { jsonrpc: "2.0", id: "a", method: "m", params: [] },
      { jsonrpc: "2.0", id: "a", method: "m", params: [] }
    ],
    ["a notification", { jsonrpc: "2.0", method: "m" }, { jsonrpc: "2.0", method: "m" }],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }, { jsonrpc: "2.0", result: {} }],
    ["an error", { jsonrpc: "2.0", id: 1, error: {} }, { jsonrpc: "2.0", error: {} }]
  ])("knows %s", (_, value, message) => {
    assert.deepStrictEqual(JsonRpc.decode(value), Result.succeed(message))
  })

  it.each<[string, unknown, JsonRpc.Id | undefined, RegExp]>([
    ["no object", "text", undefined, /is a JSON object/],
    ["an array", [], undefined, /is a JSON object/],
    ["null", null, undefined, /is a JSON object/],
    ["no version", { id: 1, method: "m" }, 1, /jsonrpc: "2\.0"/],
    ["version 1.0", { jsonrpc: "1.0", id: "x", method: "m" }, "x", /jsonrpc: "2\.0"/],
    ["a method that is no string", { jsonrpc: "2.0", id: 7, method: 1 }, 7, /^method must be a string$/],
    ["a method and a result", { jsonrpc: "2.0", id: 7, method: 1, result: 1 }, 7, /^method must be a string$/],
    ["neither method nor answer", { jsonrpc: "2.0", id: 7 }, 7, /has a method, a result or an error$/],
    [
      "the id null",
      { jsonrpc: "2.0", id: null, method: "m" },
      undefined,
      /^id must be a string or an integer of at most 100 digits$/
    ],
    [
      "a fraction for an id",
      { jsonrpc: "2.0", id: 1.5, method: "m" },
      undefined,
      /^id must be a string or an integer of at most 100 digits$/
    ],
    [
      "an object for an id",
      { jsonrpc: "2.0", id: {}, method: "m" },
      undefined,
      /^id must be a string or an integer of at most 100 digits$/
    ]
  ])("refuses %s, with the id that could be read", (_, value, id, message) => {
    const decoded = JsonRpc.decode(value)
    assert(Result.isFailure(decoded))
    assert.strictEqual(decoded.failure.id, id)
    assert.match(decoded.failure.message, message)
  })

  /** P16, P24 and JSON-RPC 2.0, sections 4 and 5, without a schema. */
  const expected = (value: unknown): { readonly kind: string; readonly id?: unknown } => {
    if (!Predicate.isObject(value)) return { kind: "invalid" }
    const { id, method } = value
    const isId = typeof id === "string" || Number.isSafeInteger(id)
    const invalid = isId ? { kind: "invalid", id } : { kind: "invalid" }
    if (value["jsonrpc"] !== "2.0") return invalid
    if (!("method" in value)) return "result" in value || "error" in value ? { kind: "response" } : invalid
    if (typeof method !== "string") return invalid
    if (!("id" in value)) return { kind: "notification" }
    return isId ? { kind: "request", id } : invalid
  }

  const found = (value: unknown): { readonly kind: string; readonly id?: unknown } => {
    const decoded = JsonRpc.decode(value)
    if (Result.isFailure(decoded)) {
      assert.notStrictEqual(decoded.failure.message, "")
      return "id" in decoded.failure ? { kind: "invalid", id: decoded.failure.id } : { kind: "invalid" }
    }
    const message = decoded.success
    if (message.method === undefined) return { kind: "response" }
    return message.id === undefined ? { kind: "notification" } : { kind: "request", id: message.id }
  }

  const runs = { arbitrary: { runs: 1000 } }

  it.prop(
    "takes any JSON as JSON-RPC says",
    [Schema.Json],
    ([value]) => {
      assert.deepStrictEqual(found(value), expected(value))
    },
    runs
  )

  const ids = ["0", "-0", "1.0", "1.5", "1e400", "-1e-400", "9007199254740991", "9007199254740992", '""'] as const
  const others = ['"2.0"', '"1.0"', "2.0", '"ping"', "{}", "[]", "null", "true", '"\\ud800"', '{"id":1}'] as const
  const Token = Schema.Literals([...ids, ...others])
  const Members = Schema.Array(
    Schema.Tuple([Schema.Literals(["id", "method", "params", "result", "error", "jsonrpc", "__proto__"]), Token])
  )

  it.prop(
    "takes messages with any of their members replaced, missing or repeated as JSON-RPC says",
    [Members, Schema.Boolean],
    ([members, isBatch]) => {
      const text = `{"jsonrpc":"2.0",${members.map(([name, token]) => `"${name}":${token}`).join(",")}}`
      const value: unknown = JSON.parse(isBatch ? `[${text.replace(",}", "}")}]` : text.replace(",}", "}"))
      assert.deepStrictEqual(found(value), expected(value))
    },
    runs
  )

  it.prop("reads back every id", [JsonRpc.Id], ([id]) => {
    if (typeof id === "bigint" && id.toString().length > ExactIds.maxDigits) return
    const text = JsonRpc.success(id, "{}")
    const answer = ExactIds.of(JSON.parse(text), text)
    // -0 has no JSON of its own, and a small bigint is sent as a number is.
    const read = typeof id === "bigint" && Number.isSafeInteger(Number(id)) ? Number(id) : id
    assert.deepStrictEqual(answer, { jsonrpc: "2.0", id: read === 0 ? 0 : read, result: {} })
  })
})

describe("JsonRpc.failure", () => {
  it("leaves an unreadable id out", () => {
    assert.strictEqual(
      JsonRpc.failure(undefined, { code: -32700, message: "no JSON" }),
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no JSON"}}'
    )
  })
})
