/** The methods of each revision, and the form of their results (P17 to P23). */
import { Result, Schema } from "effect"
import type { AppSettings } from "../../Config.ts"
import * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import * as Protocol from "../../domain/mcp/Protocol.ts"
import * as ToolErrors from "../../domain/ToolError.ts"
import type { RawArguments, RunnableTool } from "../../services/tools/ToolDefinition.ts"
import type { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import type { ToolAnswer } from "../../services/tools/ToolRunner.ts"
import { instructions, serverInfo } from "./ServerInfo.ts"

/** A failure of the protocol, with the HTTP status that its revision gives it. */
export interface MethodFailure extends JsonRpc.Failure {
  readonly status: 200 | 400 | 404
}

export type Outcome =
  | { readonly _tag: "Json"; readonly json: string }
  | {
      readonly _tag: "ToolCall"
      readonly tool: RunnableTool
      readonly arguments: RawArguments
      readonly meta: Readonly<Record<string, unknown>> | undefined
    }

/** How long a client may cache `tools/list` and `server/discover`, which only a deployment changes. */
const ttlMs = 300_000

const capabilities = { tools: {} }

export const make = (config: Pick<AppSettings, "baseUrl">, registry: ToolRegistry["Service"]) => {
  const info = serverInfo(config)
  const modernMeta = { [Protocol.metaKeys.serverInfo]: info }
  const modernMetaFields = JSON.stringify(modernMeta).slice(1, -1)
  const cacheable = { ttlMs, cacheScope: "public", resultType: "complete", _meta: modernMeta }
  const tools = registry.tools.map(({ listing }) => listing)

  const json = (value: unknown): MethodResult => {
    const outcome: Outcome = { _tag: "Json", json: JSON.stringify(value) }
    return Result.succeed(outcome)
  }
  const legacyTools = json({ tools })
  const modernTools = json({ tools, ...cacheable })
  const pong = json({})
  const discovery = json({ supportedVersions: Protocol.modernVersions, capabilities, instructions, ...cacheable })

  const initialize = ({ protocolVersion: requested }: typeof InitializeParams.Type) =>
    json({
      protocolVersion: Protocol.isLegacyVersion(requested) ? requested : Protocol.legacyVersions[0],
      capabilities,
      serverInfo: info,
      instructions
    })

  const callTool = (params: typeof CallParams.Type): MethodResult => {
    const tool = registry.find(params.name)
    if (tool === undefined) {
      const known = tools.map((listing) => listing.name).join(", ")
      return invalid(legacyStatus, `there is no such tool; the tools are ${known}`)
    }
    const meta = params._meta ?? undefined
    return Result.succeed<Outcome>({ _tag: "ToolCall", tool, arguments: params.arguments ?? {}, meta })
  }

  const legacy = revisionOf(legacyStatus, legacyStatus, [
    ["initialize", method(InitializeParams, initialize)],
    ["ping", method(AnyParams, () => pong)],
    ["tools/list", method(ListParams, () => legacyTools)],
    ["tools/call", method(CallParams, callTool)]
  ])
  const modern = revisionOf(modernStatus, 404, [
    ["server/discover", method(AnyParams, () => discovery)],
    ["tools/list", method(ListParams, () => modernTools)],
    ["tools/call", method(CallParams, callTool)]
  ])

  return {
    /** The result as JSON, or the tool to run for it. */
    answer: ({ method: name, params }: JsonRpc.Request, revision: Protocol.Revision): MethodResult =>
      (revision === "modern" ? modern : legacy)(name, params),

    /**
     * The JSON of a `CallToolResult`; the JSON of the answer is inserted as it is. An error has no `structuredContent`, and
     * its first block is not JSON: clients would validate either against the outputSchema, and throw or hide it
     * (docs/errors.md).
     */
    toolResult: (answer: ToolAnswer, revision: Protocol.Revision): string => {
      const credits = `"discovery/credits":{"cost":${answer.cost},"remaining":${answer.remaining}}`
      const meta =
        answer.dataAsOf === undefined ? credits : `${credits},"discovery/data_as_of":${JSON.stringify(answer.dataAsOf)}`
      const texts = answer.error === undefined ? [answer.json] : [ToolErrors.toText(answer.error), answer.json]
      const content = `"content":${JSON.stringify(texts.map((text) => ({ type: "text", text })))}`
      const outcome = answer.error === undefined ? `"structuredContent":${answer.json}` : `"isError":true`
      return revision === "modern"
        ? `{${content},${outcome},"_meta":{${meta},${modernMetaFields}},"resultType":"complete"}`
        : `{${content},${outcome},"_meta":{${meta}}}`
    }
  }
}

type MethodResult = Result.Result<Outcome, MethodFailure>

type Status = MethodFailure["status"]

/** P21: malformed params are HTTP 200 in legacy revisions, where HTTP is transport only, and 400 in the modern one. */
const legacyStatus = 200
const modernStatus = 400

const invalid = (status: Status, message: string): MethodResult =>
  Result.fail({ code: JsonRpc.codes.invalidParams, message, status })

/** Any JSON object, not copied: tools bound and decode their own arguments. */
const JsonObject = Schema.declare(JsonRpc.isRecord)

const optionalObject = (message: string) => Schema.optionalKey(Schema.NullOr(JsonObject).annotate({ message }))

const requiredText = (message: string) =>
  Schema.String.annotate({ message }).pipe(Schema.annotateKey({ messageMissingKey: message }))

const paramsWith = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct({ _meta: optionalObject("params._meta must be an object"), ...fields }).annotate({
    message: "params must be an object"
  })

const AnyParams = paramsWith({})
const InitializeParams = paramsWith({ protocolVersion: requiredText("params.protocolVersion must be a string") })
const ListParams = paramsWith({
  cursor: Schema.optionalKey(Schema.Null.annotate({ message: "there is one page of tools: leave cursor out" }))
})
const CallParams = paramsWith({
  name: requiredText("params.name must be a string"),
  arguments: optionalObject("params.arguments must be an object")
})

/** Takes the params as they were sent, and the status for malformed ones. */
type Method = (params: unknown, status: Status) => MethodResult

const method = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  run: (params: S["Type"]) => MethodResult
): Method => {
  const decode = Schema.decodeUnknownResult(schema)
  return (params, status) => {
    const decoded = decode(params ?? {})
    return Result.isFailure(decoded) ? invalid(status, JsonRpc.explain(decoded.failure)) : run(decoded.success)
  }
}

const revisionOf = (malformed: Status, unknown: Status, entries: ReadonlyArray<readonly [string, Method]>) => {
  const methods = new Map(entries)
  const notFound = Result.fail({
    code: JsonRpc.codes.methodNotFound,
    message: "there is no such method",
    status: unknown
  })
  const other = method(AnyParams, () => notFound)
  return (name: string, params: unknown) => (methods.get(name) ?? other)(params, malformed)
}
