/** JSON-RPC messages of both revisions, as clients send them. */
import * as Protocol from "../../src/domain/mcp/Protocol.ts"

export const request = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params })
})

export const call = (name: string, args: unknown = {}, id: unknown = 1) =>
  request("tools/call", { name, arguments: args }, id)

/** The plain call (docs/spec/protocol.md) of the free tool. */
export const plain = call("get_usage")

export const envelope = {
  [Protocol.metaKeys.protocolVersion]: Protocol.modernVersion,
  [Protocol.metaKeys.clientCapabilities]: {}
}

/** A request of 2026-07-28 with the headers that belong to it. */
export const modern = (method: string, params: Readonly<Record<string, unknown>> = {}) => ({
  body: request(method, { ...params, _meta: { ...envelope, ...(params["_meta"] as object | undefined) } }),
  headers: {
    "mcp-protocol-version": Protocol.modernVersion,
    "mcp-method": method,
    ...(typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {})
  }
})

export const modernCall = (name: string, args: unknown = {}, meta: object = {}) =>
  modern("tools/call", { name, arguments: args, _meta: meta })
