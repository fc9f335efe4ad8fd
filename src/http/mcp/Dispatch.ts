/** Finds the reply to a JSON value, by the kind of message, its revision, and its method (P5). */
import { Context, Effect, Layer, Option, Result, Tracer } from "effect"
import { Headers, HttpTraceContext } from "effect/http"
import { AppConfig } from "../../Config.ts"
import type { Caller } from "../../domain/access/Account.ts"
import * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import type { View } from "../../domain/mcp/View.ts"
import * as Protocol from "../../domain/mcp/Protocol.ts"
import { CreditLedger } from "../../services/credits/CreditLedger.ts"
import type { Charge } from "../../domain/access/Charge.ts"
import type { RateLimited, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import { RequestRate } from "../../services/limits/RequestRate.ts"
import type { Rate } from "../../services/limits/RequestRate.ts"
import * as Metrics from "../../services/metrics/Metrics.ts"
import * as DemoPictures from "../../domain/catalog/PictureNames.ts"
import { ImageOrigins } from "../../services/search/ImageOrigins.ts"
import { Prompts } from "../../services/tools/Prompts.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { ToolRunner } from "../../services/tools/ToolRunner.ts"
import type { ToolCall } from "../../services/tools/ToolRunner.ts"
import * as Extension from "./apps/Extension.ts"
import type { MethodFailure } from "./Method.ts"
import * as Methods from "./Methods.ts"
import * as Params from "./Params.ts"
import * as Reply from "./Reply.ts"

export interface RequestContext {
  readonly headers: Protocol.RoutingHeaders
  readonly caller: Caller
  readonly requestId: string
  readonly view: View
}

/** The context of one message. `onCharge` is called with its charge. */
type MessageContext = RequestContext & Pick<ToolCall, "onCharge">

type Decoded = ReturnType<typeof JsonRpc.decode>

/** The most messages of a batch (P6). */
export const maxBatch = 20
/** How many messages of a batch run at once, because all requests share the pool of connections. */
const batchConcurrency = 4

export class Dispatch extends Context.Service<
  Dispatch,
  {
    /**
     * `value` is the parsed body. Charges are refunded if there is no reply, because the client disconnected while calls of its
     * batch were running.
     */
    dispatch(value: unknown, context: RequestContext): Effect.Effect<Reply.Reply>
    /**
     * Counts a message that is no request, or is refused before it is one: it takes a credential and a parse as well. Returns
     * the reply beyond the account's limit, with the message's id if it is known. Where it cannot be counted, it is within the
     * limit.
     */
    excess(
      context: Pick<RequestContext, "caller" | "requestId">,
      id?: JsonRpc.Id
    ): Effect.Effect<Reply.Reply | undefined>
  }
>()("discovery/http/mcp/Dispatch") {
  static readonly layer = Layer.effect(
    Dispatch,
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const runner = yield* ToolRunner
      const ledger = yield* CreditLedger
      const requestRate = yield* RequestRate
      const config = yield* AppConfig
      const imageOrigins = Effect.map(yield* ImageOrigins, (origins) => origins.map(DemoPictures.servedOrigin(config)))
      const methods = Methods.make(config, registry, yield* Prompts)

      const handle = Effect.fnUntraced(function* (
        request: JsonRpc.Request,
        revision: Protocol.Revision,
        { caller, headers, onCharge, requestId, view }: MessageContext
      ): Effect.fn.Return<Reply.Reply> {
        const counted = yield* Effect.result(requestRate.take(caller.accountId))
        const rate = Result.getOrUndefined(counted)
        const refusal = Result.isFailure(counted) ? counted.failure : rate?.refusal
        if (refusal?._tag === "RateLimited") yield* Metrics.refused.add({ limit: "calls" })
        const outcome = methods.answer(request, revision, headers.sessionId, view)
        const failed = (failure: MethodFailure): Reply.Reply => ({
          status: failure.status,
          body: JsonRpc.failure(request.id, withId(failure, requestId)),
          rate
        })
        if (Result.isFailure(outcome)) {
          if (refusal?._tag === "RateLimited") return refusalOf(request.id, refusal, rate, requestId)
          return failed(outcome.failure)
        }
        if (outcome.success._tag === "ToolCall") {
          const { arguments: args, meta, tool } = outcome.success
          const call = { tool, arguments: args, meta, caller, requestId, onCharge }
          const answer = yield* refusal === undefined ? inTrace(call, runner.run(call)) : runner.refuse(call, refusal)
          const { error } = answer
          return {
            status: 200,
            body: JsonRpc.success(request.id, methods.toolResult(answer, revision, view)),
            credits: answer,
            rate,
            retryAfterSeconds: error !== undefined && "retryAfterSeconds" in error ? error.retryAfterSeconds : undefined
          }
        }
        if (refusal !== undefined) return refusalOf(request.id, refusal, rate, requestId)
        if (outcome.success._tag === "Prompt") {
          return yield* Effect.match(outcome.success.result, {
            onSuccess: (json): Reply.Reply => ({ status: 200, body: JsonRpc.success(request.id, json), rate }),
            onFailure: (failure) =>
              "status" in failure ? failed(failure) : refusalOf(request.id, failure, rate, requestId)
          })
        }
        if (outcome.success._tag === "Card") {
          const json = methods.cardResult(outcome.success.card, yield* imageOrigins, revision)
          return { status: 200, body: JsonRpc.success(request.id, json), rate }
        }
        const { json, startsSession } = outcome.success
        return {
          status: 200,
          body: JsonRpc.success(request.id, json),
          rate,
          sessionId: startsSession === true ? Extension.sessionOf(requestId) : undefined
        }
      })

      const excess: Dispatch["Service"]["excess"] = ({ caller, requestId }, id) =>
        Effect.matchEffect(requestRate.take(caller.accountId), {
          onFailure: () => Effect.undefined,
          onSuccess: (rate) =>
            rate?.refusal === undefined
              ? Effect.undefined
              : Effect.as(Metrics.refused.add({ limit: "calls" }), refusalOf(id, rate.refusal, rate, requestId))
        })

      const refuse = (context: MessageContext, id: JsonRpc.Id | undefined, failure: JsonRpc.Failure) =>
        Effect.map(
          excess(context, id),
          (limited): Reply.Reply =>
            limited ?? { status: 400, body: JsonRpc.failure(id, withId(failure, context.requestId)) }
        )

      /** A notification has no response in a batch, so none of its replies has a body. */
      const notified = (context: MessageContext) =>
        Effect.map(excess(context), (limited): Reply.Reply => ({ ...(limited ?? accepted), body: undefined }))

      const one = (decoded: Decoded, context: MessageContext): Effect.Effect<Reply.Reply> => {
        if (Result.isFailure(decoded)) {
          const { id, message } = decoded.failure
          return refuse(context, id, { code: JsonRpc.codes.invalidRequest, message })
        }
        const message = decoded.success
        const { headers } = context
        const revision =
          message.method === undefined ? Protocol.legacyRevision(headers.version) : Protocol.revision(headers, message)
        const request = message.method === undefined || message.id === undefined ? undefined : message
        return Result.match(revision, {
          onFailure: (failure) => refuse(context, request?.id, failure),
          onSuccess: (of) => {
            if (request !== undefined) return handle(request, of, context)
            const problem = message.method === undefined ? undefined : Params.problemOf(message.params)
            return problem === undefined ? notified(context) : refuse(context, undefined, problem)
          }
        })
      }

      const batch = (values: ReadonlyArray<unknown>, context: MessageContext): Effect.Effect<Reply.Reply> => {
        const { version } = context.headers
        if (version !== undefined && !Protocol.supportedVersions.includes(version)) {
          return refuse(context, undefined, Protocol.unsupported(version, Protocol.supportedVersions))
        }
        const problem =
          version !== undefined && version !== Protocol.batchVersion
            ? `batches are only part of MCP ${Protocol.batchVersion}`
            : values.length === 0
              ? "a batch must not be empty"
              : values.length > maxBatch
                ? `a batch has at most ${maxBatch} messages, not ${values.length}`
                : undefined
        if (problem !== undefined) {
          return refuse(context, undefined, { code: JsonRpc.codes.invalidRequest, message: problem })
        }
        return Effect.map(
          Effect.forEach(
            values,
            // The ledger charges each request id once. The yield lets other requests run between messages.
            (value, index) => {
              const request = { ...context, requestId: `${context.requestId}.${index}` }
              return Effect.flatMap(Effect.yieldNow, () => one(inBatch(value), request))
            },
            { concurrency: batchConcurrency }
          ),
          Reply.batch
        )
      }

      return {
        excess,
        dispatch: (value, context) => {
          const charges: Array<Charge> = []
          const request = { ...context, onCharge: (charge: Charge) => void charges.push(charge) }
          const reply = Array.isArray(value) ? batch(value, request) : one(JsonRpc.decode(value), request)
          return Effect.onError(reply, () => (charges.length === 0 ? Effect.void : ledger.giveBack(charges)))
        }
      }
    })
  )
}

const accepted: Reply.Reply = { status: 202, body: undefined }

/** The reply to a message that the account's rate refuses, that cannot be counted, or that the catalog cannot answer now. */
const refusalOf = (
  id: JsonRpc.Id | undefined,
  refusal: RateLimited | SearchTimeout | ServiceUnavailable,
  rate: Rate | undefined,
  requestId: string
): Reply.Reply => ({
  status: refusal._tag === "RateLimited" ? 429 : 503,
  body: JsonRpc.failure(id, withId({ code: JsonRpc.codes.internalError, message: refusal.message }, requestId)),
  rate,
  retryAfterSeconds: "retryAfterSeconds" in refusal ? refusal.retryAfterSeconds : undefined
})

/** 2025-03-26: `initialize` is not allowed in a batch. */
const inBatch = (value: unknown): Decoded =>
  Result.flatMap(JsonRpc.decode(value), (message) =>
    message.method === "initialize" && message.id !== undefined
      ? Result.fail({ id: message.id, message: "initialize must not be part of a batch" })
      : Result.succeed(message)
  )

const withId = (failure: JsonRpc.Failure, requestId: string): JsonRpc.Failure => ({
  ...failure,
  data: { ...failure.data, request_id: requestId }
})

/** Joins the caller's trace by `_meta`, if tracing is on (P29). The HTTP server reads the header `traceparent`. */
const inTrace = <A>(call: ToolCall, effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) return effect
    const traceparent = call.meta?.["traceparent"]
    const parent =
      typeof traceparent === "string"
        ? Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent })))
        : undefined
    return Effect.withSpan(effect, `tools/call ${call.tool.name}`, {
      attributes: { "mcp.tool.name": call.tool.name, "discovery.request_id": call.requestId },
      ...(parent === undefined ? {} : { parent })
    })
  })
