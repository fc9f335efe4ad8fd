/** JSON-RPC 2.0 as MCP uses it: what a message is, and how an answer looks. */
import { Schema } from "effect"

/** MCP forbids `null`, and a fraction has no exact form in every client. */
export const Id = Schema.Union([Schema.String, Schema.Int])
export type Id = typeof Id.Type

/** The codes that are ours to send (P14, P16, P24). */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A header says something else than the body. */
  headerMismatch: -32020,
  unsupportedProtocolVersion: -32022
} as const
export type Code = (typeof codes)[keyof typeof codes]

/** Why a message gets no result. `data` is small and trusted. */
export interface Failure {
  readonly code: Code
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

export interface Request {
  readonly _tag: "Request"
  readonly id: Id
  readonly method: string
  /** Whatever stood there: MCP wants an object, and says so with a code of its own. */
  readonly params: unknown
}

export interface Notification {
  readonly _tag: "Notification"
  readonly method: string
  readonly params: unknown
}

/** A client's answer to a request of the server. This server sends none, so it is taken and dropped. */
export interface Response {
  readonly _tag: "Response"
}

export interface Invalid {
  readonly _tag: "Invalid"
  /** Left out when there was none to read. */
  readonly id?: Id
  readonly message: string
}

export type Message = Request | Notification | Response | Invalid

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = Schema.is(Id)

const invalid = (message: string, id: unknown): Invalid =>
  isId(id) ? { _tag: "Invalid", id, message } : { _tag: "Invalid", message }

/** What one parsed JSON value is; a batch is taken apart before. */
export const classify = (value: unknown): Message => {
  if (!isRecord(value)) return { _tag: "Invalid", message: "a JSON-RPC message is a JSON object" }
  const { id, method, params } = value
  if (value["jsonrpc"] !== "2.0") return invalid('jsonrpc must be "2.0"', id)
  if (method === undefined) {
    return "result" in value || "error" in value
      ? { _tag: "Response" }
      : invalid("a JSON-RPC message has a method, a result or an error", id)
  }
  if (typeof method !== "string") return invalid("method must be a string", id)
  if (id === undefined) return { _tag: "Notification", method, params }
  if (!isId(id)) return { _tag: "Invalid", message: "id must be a string or an integer" }
  return { _tag: "Request", id, method, params }
}

/** The JSON of a successful response; `result` is JSON already. */
export const success = (id: Id, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`

/** The JSON of an error response. An id that could not be read is left out (MCP: it is never `null`). */
export const failure = (id: Id | undefined, error: Failure): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: {
      code: error.code,
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data })
    }
  })
