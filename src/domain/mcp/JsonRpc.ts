/** JSON-RPC 2.0 as MCP uses it: what a message is, and how an answer looks. */
import { Option, Result, Schema, SchemaIssue } from "effect"

const idForm = "id must be a string or an integer"

/** MCP forbids `null`, and a fraction has no exact form in every client. */
export const Id = Schema.Union([Schema.String, Schema.Int.annotate({ message: idForm })]).annotate({ message: idForm })
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

const jsonrpc = Schema.Literal("2.0")
const method = Schema.String.annotate({ message: "method must be a string" }).pipe(
  Schema.annotateKey({ messageMissingKey: "a JSON-RPC message has a method, a result or an error" })
)
/** MCP wants an object, and says so with a code of its own. */
const params = Schema.optionalKey(Schema.Unknown)
const absent = Schema.optionalKey(Schema.Never)

const Request = Schema.Struct({ jsonrpc, method, id: Id, params })
export type Request = typeof Request.Type

const Notification = Schema.Struct({ jsonrpc, method, id: absent, params })
export type Notification = typeof Notification.Type

/** One message; a batch is taken apart before. The first member tells what is wrong with one that is none of them. */
const Message = Schema.Union([
  Request,
  Notification,
  // A client's answer to a request of the server. This server sends none, so it is accepted and dropped.
  Schema.Struct({ jsonrpc, method: absent, result: Schema.Unknown }),
  Schema.Struct({ jsonrpc, method: absent, error: Schema.Unknown })
]).annotate({ message: 'a JSON-RPC message is a JSON object with jsonrpc: "2.0"' })
export type Message = typeof Message.Type

export interface Invalid {
  /** Left out when there was none to read. */
  readonly id?: Id
  readonly message: string
}

const decodeMessage = Schema.decodeUnknownResult(Message)
const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Id }))
const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first thing that is wrong, as the schema's annotations name it. */
export const explain = ({ issue }: Schema.SchemaError): string => format(issue).issues[0]?.message ?? ""

/** What one parsed JSON value is. */
export const decode = (value: unknown): Result.Result<Message, Invalid> =>
  Result.mapError(decodeMessage(value), (error) => ({
    ...Option.getOrUndefined(decodeId(value)),
    message: explain(error)
  }))

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

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
