/** Calls the server of a run as a client does, and gives what a client shows its model. */
import { Effect, Schema } from "effect"
import manifest from "../../package.json" with { type: "json" }
import * as Run from "./Run.ts"

export class CallError extends Schema.TaggedError<CallError>()("CallError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const timeoutMillis = 60_000
/** An answer has at most 64 KiB of text, which JSON and the structured content repeat. */
const maxAnswerBytes = 1_048_576

export class TooLarge extends Error {}

/** The body of an answer; more than the limit is an error, and is not read. */
export const boundedText = async (response: Response, maxBytes: number): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw new TooLarge(`the answer has more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** `result` as text, because what clients see of definitions is to be printed as it came. */
const Reply = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.optionalKey(Schema.Unknown),
    error: Schema.optionalKey(Schema.Struct({ code: Schema.Int, message: Schema.String }))
  })
)

const rpc = Effect.fnUntraced(function* (url: string, key: string, method: string, params: object) {
  const { requestId, text } = yield* Effect.tryPromise({
    try: async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${key}`,
          "content-type": "application/json"
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: AbortSignal.timeout(timeoutMillis)
      })
      return {
        requestId: response.headers.get("x-request-id") ?? "",
        text: await boundedText(response, maxAnswerBytes)
      }
    },
    catch: (cause) => new CallError({ message: `${url} does not answer: is the server of the run started?`, cause })
  })
  const reply = yield* Schema.decodeEffect(Reply)(text).pipe(
    Effect.mapError((cause) => new CallError({ message: `${url} answers no JSON-RPC: ${text.slice(0, 200)}`, cause }))
  )
  return { requestId, ...reply }
})

const decoded = <A>(schema: Schema.Codec<A, unknown>, result: unknown) =>
  Schema.decodeUnknownEffect(schema)(result).pipe(
    Effect.mapError((cause) => new CallError({ message: "The result is not of the protocol.", cause }))
  )

const CallResult = Schema.Struct({
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optionalKey(Schema.String) })),
  structuredContent: Schema.optionalKey(Schema.Unknown),
  isError: Schema.optionalKey(Schema.Boolean)
})

export const Arguments = Schema.Record(Schema.String, Schema.Unknown)

/** Calls with the key of the question. Clients show the text; what is structured only where there is no text. */
export const call = Effect.fnUntraced(function* (
  run: Run.Run,
  question: string,
  tool: string,
  args: typeof Arguments.Type
) {
  const key = run.keys[question]
  if (key === undefined) return yield* new CallError({ message: `No question has the id "${question}".` })
  const { error, requestId, result } = yield* rpc(run.url, key, "tools/call", { name: tool, arguments: args })
  // An unknown tool is an error of the protocol, which clients show too. The activity log has no such call.
  if (error !== undefined) return { text: `${error.code} ${error.message}`, isError: true }
  const { content, isError = false, structuredContent } = yield* decoded(CallResult, result)
  const texts = content.flatMap(({ text }) => text ?? [])
  const text = texts.length > 0 ? texts.join("\n") : JSON.stringify(structuredContent)
  yield* Run.append(run, { question, requestId, tool, arguments: args, text })
  return { text, isError }
})

const Initialized = Schema.Struct({ instructions: Schema.String })

const Tool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  inputSchema: Schema.Record(Schema.String, Schema.Unknown)
})
const Listed = Schema.Struct({ tools: Schema.Array(Tool) })
/** As it came, with what only some clients show. */
const Whole = Schema.Struct({ tools: Schema.Array(Schema.Unknown) })

const resultOf = Effect.fnUntraced(function* (run: Run.Run, method: string, params: object) {
  const { error, result } = yield* rpc(run.url, run.demoKey, method, params)
  return error === undefined ? result : yield* new CallError({ message: error.message })
})

/** What a client learns when it connects. */
export const connect = Effect.fnUntraced(function* (run: Run.Run) {
  const { instructions } = yield* Effect.flatMap(
    resultOf(run, "initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "discovery-agents", version: manifest.version }
    }),
    (result) => decoded(Initialized, result)
  )
  const result = yield* resultOf(run, "tools/list", {})
  const { tools } = yield* decoded(Listed, result)
  const whole = yield* decoded(Whole, result)
  return { instructions, tools, definitions: whole.tools }
})
