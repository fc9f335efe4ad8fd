/** JSON-RPC 2.0 messages as MCP restricts them (P14, P16, P24): decoding by schema, and the JSON of responses. */
import { Option, Result, Schema, SchemaIssue } from "effect"
import { maxDigits } from "./ExactIds.ts"

const idForm = `id must be a string or an integer of at most ${maxDigits} digits`

/** MCP forbids `null`. Fractions are refused because clients do not all preserve them. A `bigint` is from ExactIds. */
export const Id = Schema.Union([Schema.String, Schema.Int.annotate({ message: idForm }), Schema.BigInt]).annotate({
  message: idForm
})
export type Id = typeof Id.Type

/** Error codes that this server sends (P14, P16, P24). */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** A header contradicts the body. */
  headerMismatch: -32020,
  unsupportedProtocolVersion: -32022
} as const
export type Code = (typeof codes)[keyof typeof codes]

/** The `error` member of a response. `data` is small and trusted. */
export interface Failure {
  readonly code: Code
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

const jsonrpc = Schema.Literal("2.0")
const method = Schema.String.annotate({ message: "method must be a string" }).pipe(
  Schema.annotateKey({ messageMissingKey: "a JSON-RPC message has a method, a result or an error" })
)
/** Unchecked here: MCP requires an object and has a code of its own for a violation. */
const params = Schema.optionalKey(Schema.Unknown)
const absent = Schema.optionalKey(Schema.Never)

const Request = Schema.Struct({ jsonrpc, method, id: Id, params })
export type Request = typeof Request.Type

const Notification = Schema.Struct({ jsonrpc, method, id: absent, params })
export type Notification = typeof Notification.Type

/** One message; batches are split before. A value that fits no member is reported with the issue of the first one. */
const Message = Schema.Union([
  Request,
  Notification,
  // A response to a request of the server. This server sends no requests, so responses are accepted and ignored.
  Schema.Struct({ jsonrpc, method: absent, result: Schema.Unknown }),
  Schema.Struct({ jsonrpc, method: absent, error: Schema.Unknown })
]).annotate({ message: 'a JSON-RPC message is a JSON object with jsonrpc: "2.0"' })
export type Message = typeof Message.Type

export interface Invalid {
  /** Absent if the message had no readable id. */
  readonly id?: Id
  readonly message: string
}

const decodeMessage = Schema.decodeUnknownResult(Message)
const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Id }))
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The message of the first issue, from the annotations of the schema. */
const explain = ({ issue }: Schema.SchemaError): string => format(issue).issues[0]?.message ?? ""

/** Decodes one parsed JSON value. */
export const decode = (value: unknown): Result.Result<Message, Invalid> =>
  Result.mapError(decodeMessage(value), (error) => ({
    ...Option.getOrUndefined(decodeId(value)),
    message: explain(error)
  }))

const idJson = (id: Id): string => (typeof id === "bigint" ? id.toString() : JSON.stringify(id))

/** The JSON of a success response. `result` is already JSON. */
export const success = (id: Id, result: string): string => `{"jsonrpc":"2.0","id":${idJson(id)},"result":${result}}`

/** The JSON of an error response. An unknown id is left out, because MCP does not allow `null`. */
export const failure = (id: Id | undefined, { code, data, message }: Failure): string => {
  const error = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) })
  return `{"jsonrpc":"2.0",${id === undefined ? "" : `"id":${idJson(id)},`}"error":${error}}`
}
