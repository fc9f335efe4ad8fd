/** The methods of each revision, and the form of their results (P17 to P23, S40, P27, D19, D22). */
import { Effect, Result } from "effect"
import type { AppSettings } from "../../Config.ts"
import type * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import * as Protocol from "../../domain/mcp/Protocol.ts"
import * as View from "../../domain/mcp/View.ts"
import * as ToolErrors from "../../domain/ToolError.ts"
import type { Prompts } from "../../services/tools/Prompts.ts"
import type { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import type { ToolAnswer } from "../../services/tools/ToolRunner.ts"
import * as Cards from "./apps/Cards.ts"
import * as Extension from "./apps/Extension.ts"
import * as CompactText from "./CompactText.ts"
import { invalid, json, legacyStatus, method, modernStatus, ofCatalog, revisionOf } from "./Method.ts"
import type { Card, MethodResult, Methods, Outcome, Sent } from "./Method.ts"
import * as Params from "./Params.ts"
import { instructions, serverInfo } from "../shared/ServerInfo.ts"

/** How long a client may cache `tools/list` and `server/discover`, which only a deployment changes. */
const ttlMs = 300_000

const capabilities = { tools: {}, prompts: {}, completions: {} }

/** The capabilities for clients that have announced the extension. */
const withCards = { ...capabilities, resources: {}, extensions: { [Extension.extension]: {} } }

export const make = (
  config: Pick<AppSettings, "baseUrl">,
  registry: ToolRegistry["Service"],
  prompts: Prompts["Service"]
) => {
  const info = serverInfo(config)
  const modernMeta = { [Protocol.metaKeys.serverInfo]: info }
  const modernMetaFields = JSON.stringify(modernMeta).slice(1, -1)
  const cacheable = { ttlMs, cacheScope: "public", resultType: "complete", _meta: modernMeta }
  /** No shared cache may return it to a client that has not announced the extension. */
  const cacheableWithCards = { ...cacheable, cacheScope: "private" }

  const names = registry.tools.map(({ name }) => name)
  /** Without the lines and clauses that recommend tools that the view leaves out. */
  const describe = (description: string, { tools }: View.View) => {
    if (tools === undefined) return description
    const isOther = (part: string) => names.some((name) => !tools.has(name) && part.includes(name))
    return description
      .split("\n")
      .flatMap((line) => {
        if (!isOther(line)) return [line]
        const named = names.filter((name) => line.includes(name))
        if (!named.some((name) => tools.has(name))) return []
        const clauses = line.split(", ").filter((clause) => !isOther(clause))
        return [`${clauses.join(", ").replace(/\.$/u, "")}.`]
      })
      .join("\n")
  }
  const mayCall =
    ({ tools }: View.View) =>
    (name: string) =>
      tools?.has(name) !== false
  const toolsOf = (view: View.View, areCardsShown = false) =>
    registry.tools.flatMap(({ listing }) => {
      if (!mayCall(view)(listing.name)) return []
      const { annotations, inputSchema, name, title } = listing
      const description = describe(listing.description, view)
      if (view.isCompact) return [{ name, title, description, inputSchema, annotations }]
      const meta = areCardsShown ? Cards.toolMeta(name) : undefined
      return [{ ...listing, description, ...(meta === undefined ? {} : { _meta: meta }) }]
    })
  const listTools = (cache: object, areCardsShown = false) => {
    const whole = json({ tools: toolsOf(View.whole, areCardsShown), ...cache })
    return method(Params.ListParams, (_, view) =>
      view === View.whole ? whole : json({ tools: toolsOf(view, areCardsShown), ...cache })
    )
  }
  const pong = json({})
  const supportedVersions = Protocol.modernVersions
  const instructionsOf = (view: View.View) => instructions(mayCall(view), view.isCompact)
  const discover = (of: { readonly capabilities: object; readonly cacheScope: string }) => {
    const answer = (view: View.View) =>
      json({ supportedVersions, instructions: instructionsOf(view), ...cacheable, ...of })
    const whole = answer(View.whole)
    return method(Params.AnyParams, (_, view) => (view === View.whole ? whole : answer(view)))
  }

  const initialize = (
    { capabilities: announced, protocolVersion: requested }: typeof Params.InitializeParams.Type,
    view: View.View
  ) => {
    const startsSession = !view.isCompact && Extension.isAnnounced(announced)
    const answer = {
      protocolVersion: Protocol.isLegacyVersion(requested) ? requested : Protocol.legacyVersions[0],
      capabilities: startsSession ? withCards : capabilities,
      serverInfo: info,
      instructions: instructionsOf(view)
    }
    return Result.succeed<Outcome>({ _tag: "Json", json: JSON.stringify(answer), startsSession })
  }

  const readResource = ({ uri }: typeof Params.ReadParams.Type): MethodResult => {
    const card = Cards.find(uri)
    if (card !== undefined) return Result.succeed<Outcome>({ _tag: "Card", card })
    const uris = Cards.resources.map((resource) => resource.uri).join(", ")
    return invalid(legacyStatus, `there is no such resource; the resources are ${uris}`)
  }

  const callTool = (
    params: typeof Params.CallParams.Type,
    view: View.View,
    { params: sent, status }: Sent
  ): MethodResult => {
    const tool = mayCall(view)(params.name) ? registry.find(params.name) : undefined
    if (tool === undefined) {
      const listed = toolsOf(view)
        .map(({ name }) => name)
        .join(", ")
      return invalid(legacyStatus, `there is no such tool; the tools are ${listed}`)
    }
    const [args, meta] = [Params.objectOf(params.arguments), Params.objectOf(params._meta)]
    const misplaced = Params.misplacedIn(sent, args === undefined ? undefined : tool.listing.inputSchema["properties"])
    if (misplaced !== undefined) return invalid(status, misplaced)
    return Result.succeed<Outcome>({ _tag: "ToolCall", tool, arguments: args ?? {}, meta })
  }

  const listPrompts = (cache: object) =>
    method(Params.ListParams, (_, view) => json({ prompts: prompts.list(mayCall(view)), ...cache }))
  /** `extra` are the members of each result of the revision. */
  const getPrompt = (extra: object) =>
    method(Params.PromptParams, ({ arguments: args, name }, view, { status }) =>
      ofCatalog(
        status,
        Effect.map(prompts.get(name, Params.objectOf(args) ?? {}, mayCall(view)), ({ description, text }) => ({
          description,
          messages: [{ role: "user", content: { type: "text", text } }],
          ...extra
        }))
      )
    )
  const complete = (extra: object) =>
    method(Params.CompleteParams, ({ argument, ref }, view, { status }) =>
      ofCatalog(
        status,
        Effect.map(prompts.complete(ref.name, argument.name, argument.value, mayCall(view)), (completion) => ({
          completion,
          ...extra
        }))
      )
    )
  const ofPrompts = (cache: object, extra: object): Methods => [
    ["prompts/list", listPrompts(cache)],
    ["prompts/get", getPrompt(extra)],
    ["completion/complete", complete(extra)]
  ]
  const modernResult = { resultType: "complete", _meta: modernMeta }

  const legacy: Methods = [
    ["initialize", method(Params.InitializeParams, initialize)],
    ["ping", method(Params.AnyParams, () => pong)],
    ["tools/list", listTools({})],
    ["tools/call", method(Params.CallParams, callTool)],
    ...ofPrompts({}, {})
  ]
  const modern: Methods = [
    ["server/discover", discover({ capabilities, cacheScope: cacheable.cacheScope })],
    ["tools/list", listTools(cacheable)],
    ["tools/call", method(Params.CallParams, callTool)],
    ...ofPrompts(cacheable, modernResult)
  ]

  /** The methods of a client that has announced the extension; a later entry replaces an earlier one. */
  const extended = (methods: Methods, cache: object): Methods => {
    const answers = {
      resources: json({ resources: Cards.resources, ...cache }),
      templates: json({ resourceTemplates: [], ...cache })
    }
    return [
      ...methods,
      ["tools/list", listTools(cache, true)],
      ["resources/list", method(Params.ListParams, () => answers.resources)],
      ["resources/templates/list", method(Params.ListParams, () => answers.templates)],
      ["resources/read", method(Params.ReadParams, readResource)]
    ]
  }

  const plain = {
    legacy: revisionOf(legacyStatus, legacyStatus, legacy),
    modern: revisionOf(modernStatus, 404, modern)
  }
  const apps = {
    legacy: revisionOf(legacyStatus, legacyStatus, extended(legacy, {})),
    modern: revisionOf(modernStatus, 404, [
      ...extended(modern, cacheableWithCards),
      ["server/discover", discover({ capabilities: withCards, cacheScope: cacheableWithCards.cacheScope })]
    ])
  }

  const hasAnnounced = (params: unknown, revision: Protocol.Revision, sessionId: string | undefined): boolean =>
    revision === "modern"
      ? Extension.isAnnounced(Protocol.metaOf(params)?.[Protocol.metaKeys.clientCapabilities])
      : Extension.isSession(sessionId)

  return {
    /** Returns the result as JSON, or the call or the card that it needs. */
    answer: (
      { method: name, params }: JsonRpc.Request,
      revision: Protocol.Revision,
      sessionId: string | undefined,
      view: View.View
    ): MethodResult => {
      // Cards show structured content, which compact answers lack.
      const showsCards = !view.isCompact && hasAnnounced(params, revision, sessionId)
      return (showsCards ? apps : plain)[revision](name, params, view)
    },

    /** The JSON of `resources/read`. */
    cardResult: (card: Card, imageOrigins: ReadonlyArray<string>, revision: Protocol.Revision): string =>
      JSON.stringify({ contents: Cards.contents(card, imageOrigins), ...(revision === "modern" ? cacheable : {}) }),

    /**
     * The JSON of a `CallToolResult`, with the JSON of the answer unchanged. An error has no `structuredContent`, and its first
     * block is not JSON: clients would validate either against the outputSchema, and throw or hide it (docs/errors.md). A
     * compact answer has no `structuredContent` either: some clients show their model both.
     */
    toolResult: (answer: ToolAnswer, revision: Protocol.Revision, { isCompact }: View.View): string => {
      const credits = `"discovery/credits":{"cost":${answer.cost},"remaining":${answer.remaining}}`
      const meta =
        answer.dataAsOf === undefined ? credits : `${credits},"discovery/data_as_of":${JSON.stringify(answer.dataAsOf)}`
      const result = isCompact ? CompactText.of : (json: string) => json
      const texts = answer.error === undefined ? [result(answer.json)] : [ToolErrors.toText(answer.error), answer.json]
      const content = `"content":${JSON.stringify(texts.map((text) => ({ type: "text", text })))}`
      const structured = isCompact ? "" : `,"structuredContent":${answer.json}`
      const outcome = answer.error === undefined ? structured : `,"isError":true`
      return revision === "modern"
        ? `{${content}${outcome},"_meta":{${meta},${modernMetaFields}},"resultType":"complete"}`
        : `{${content}${outcome},"_meta":{${meta}}}`
    }
  }
}
