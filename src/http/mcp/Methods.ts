/** The protocol's methods, revision by revision, and the form of their results (P17 to P23). */
import { Result } from "effect"
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

/** How long a client may keep what `tools/list` and `server/discover` say: it changes with a deployment only. */
const ttlMs = 300_000

const capabilities = { tools: {} }

export const make = (config: Pick<AppSettings, "baseUrl">, registry: ToolRegistry["Service"]) => {
  const info = serverInfo(config)
  const modernMeta = { [Protocol.metaKeys.serverInfo]: info }
  const modernMetaFields = JSON.stringify(modernMeta).slice(1, -1)
  const cacheable = { ttlMs, cacheScope: "public", resultType: "complete", _meta: modernMeta }
  const tools = registry.tools.map(({ listing }) => listing)

  const json = (value: unknown): Answer => {
    const outcome: Outcome = { _tag: "Json", json: JSON.stringify(value) }
    return Result.succeed(outcome)
  }
  const legacyTools = json({ tools })
  const modernTools = json({ tools, ...cacheable })
  const pong = json({})
  const discovery = json({ supportedVersions: Protocol.modernVersions, capabilities, instructions, ...cacheable })

  const initialize = (params: Params) => {
    const requested = params["protocolVersion"]
    if (typeof requested !== "string") return invalid(legacyStatus, "params.protocolVersion must be a string")
    return json({
      protocolVersion: Protocol.isLegacyVersion(requested) ? requested : Protocol.legacyVersions[0],
      capabilities,
      serverInfo: info,
      instructions
    })
  }

  const listTools = (params: Params, list: Answer, status: Status) =>
    (params["cursor"] ?? undefined) === undefined
      ? list
      : invalid(status, "there is one page of tools: leave cursor out")

  const callTool = (params: Params, status: Status): Answer => {
    const { name } = params
    const args = params["arguments"] ?? {}
    if (typeof name !== "string") return invalid(status, "params.name must be a string")
    if (!JsonRpc.isRecord(args)) return invalid(status, "params.arguments must be an object")
    const tool = registry.find(name)
    if (tool === undefined) {
      const known = tools.map((listing) => listing.name).join(", ")
      return invalid(legacyStatus, `there is no such tool; the tools are ${known}`)
    }
    return Result.succeed<Outcome>({ _tag: "ToolCall", tool, arguments: args, meta: Protocol.metaOf(params) })
  }

  const legacy = (method: string, params: Params): Answer => {
    switch (method) {
      case "initialize":
        return initialize(params)
      case "ping":
        return pong
      case "tools/list":
        return listTools(params, legacyTools, legacyStatus)
      case "tools/call":
        return callTool(params, legacyStatus)
      default:
        return Result.fail({ ...unknownMethod, status: legacyStatus })
    }
  }

  const modern = (method: string, params: Params): Answer => {
    switch (method) {
      case "server/discover":
        return discovery
      case "tools/list":
        return listTools(params, modernTools, modernStatus)
      case "tools/call":
        return callTool(params, modernStatus)
      default:
        return Result.fail({ ...unknownMethod, status: 404 })
    }
  }

  return {
    /** The result as JSON, or the tool to run for it. */
    answer: (request: JsonRpc.Request, revision: Protocol.Revision): Answer => {
      const { method } = request
      const params = request.params ?? {}
      const status = revision._tag === "Modern" ? modernStatus : legacyStatus
      if (!JsonRpc.isRecord(params)) return invalid(status, "params must be an object")
      if ((params["_meta"] ?? undefined) !== undefined && Protocol.metaOf(params) === undefined) {
        return invalid(status, "params._meta must be an object")
      }
      return revision._tag === "Modern" ? modern(method, params) : legacy(method, params)
    },

    /**
     * The JSON of a `CallToolResult`. The envelope's JSON is put in as it is. An error has no `structuredContent`, and
     * its first block is no JSON: clients would hold either against the outputSchema, and throw or hide it (docs/errors.md).
     */
    toolResult: (answer: ToolAnswer, revision: Protocol.Revision): string => {
      const credits = `"discovery/credits":{"cost":${answer.cost},"remaining":${answer.remaining}}`
      const texts = answer.error === undefined ? [answer.json] : [ToolErrors.toText(answer.error), answer.json]
      const content = `"content":${JSON.stringify(texts.map((text) => ({ type: "text", text })))}`
      const outcome = answer.error === undefined ? `"structuredContent":${answer.json}` : `"isError":true`
      return revision._tag === "Modern"
        ? `{${content},${outcome},"_meta":{${credits},${modernMetaFields}},"resultType":"complete"}`
        : `{${content},${outcome},"_meta":{${credits}}}`
    }
  }
}

type Params = Readonly<Record<string, unknown>>

type Answer = Result.Result<Outcome, MethodFailure>

type Status = MethodFailure["status"]

/** P21: what is malformed is HTTP 200 in legacy, where HTTP only carries, and 400 in modern. */
const legacyStatus = 200
const modernStatus = 400

const invalid = (status: Status, message: string): Answer =>
  Result.fail({ code: JsonRpc.codes.invalidParams, message, status })

const unknownMethod = { code: JsonRpc.codes.methodNotFound, message: "there is no such method" } as const
