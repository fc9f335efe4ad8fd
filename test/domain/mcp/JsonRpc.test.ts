import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as JsonRpc from "../../../src/domain/mcp/JsonRpc.ts"

describe("JsonRpc.classify", () => {
  it.each<[string, unknown, JsonRpc.Message]>([
    [
      "a request",
      { jsonrpc: "2.0", id: "a", method: "m", params: [] },
      { _tag: "Request", id: "a", method: "m", params: [] }
    ],
    ["a notification", { jsonrpc: "2.0", method: "m" }, { _tag: "Notification", method: "m", params: undefined }],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }, { _tag: "Response" }],
    ["an error", { jsonrpc: "2.0", id: 1, error: {} }, { _tag: "Response" }]
  ])("knows %s", (_, value, message) => {
    assert.deepStrictEqual(JsonRpc.classify(value), message)
  })

  it.each<[string, unknown, JsonRpc.Id | undefined]>([
    ["no object", "text", undefined],
    ["an array", [], undefined],
    ["null", null, undefined],
    ["no version", { id: 1, method: "m" }, 1],
    ["version 1.0", { jsonrpc: "1.0", id: "x", method: "m" }, "x"],
    ["a method that is no string", { jsonrpc: "2.0", id: 7, method: 1 }, 7],
    ["neither method nor answer", { jsonrpc: "2.0", id: 7 }, 7],
    ["the id null", { jsonrpc: "2.0", id: null, method: "m" }, undefined],
    ["a fraction for an id", { jsonrpc: "2.0", id: 1.5, method: "m" }, undefined],
    ["an object for an id", { jsonrpc: "2.0", id: {}, method: "m" }, undefined]
  ])("refuses %s, with the id that could be read", (_, value, id) => {
    const message = JsonRpc.classify(value)
    assert.strictEqual(message._tag, "Invalid")
    assert.strictEqual(message._tag === "Invalid" ? message.id : "none", id)
  })

  it.prop("never throws, and reads back every id", [Schema.Json, JsonRpc.Id], ([value, id]) => {
    JsonRpc.classify(value)
    const answer: unknown = JSON.parse(JsonRpc.success(id, "{}"))
    // -0 has no JSON of its own.
    assert.deepStrictEqual(answer, { jsonrpc: "2.0", id: id === 0 ? 0 : id, result: {} })
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
