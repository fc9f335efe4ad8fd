/** `/mcp` (S1, S38, P1 to P3, P7, D62): checks the headers in the order of P8, then reads the body. */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { echoName } from "../../domain/ArgumentDecoder.ts"
import * as BoundedJson from "../../domain/BoundedJson.ts"
import * as ExactIds from "../../domain/mcp/ExactIds.ts"
import * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import * as View from "../../domain/mcp/View.ts"
import * as Utf8 from "../../domain/Utf8.ts"
import { CredentialResolver } from "../../services/credentials/CredentialResolver.ts"
import * as CommonHeaders from "../shared/CommonHeaders.ts"
import * as Cors from "../shared/Cors.ts"
import * as Outage from "../shared/Outage.ts"
import { queryOf } from "../shared/QueryParameters.ts"
import * as RequestBody from "../shared/RequestBody.ts"
import * as RequestHeaders from "../shared/RequestHeaders.ts"
import { RequestId } from "../shared/RequestId.ts"
import * as Authentication from "./Authentication.ts"
import { Dispatch } from "./Dispatch.ts"
import * as MediaType from "../shared/MediaType.ts"
import * as Reply from "./Reply.ts"

export const path = "/mcp"

/** The limit for every request on any route: enough for a batch of 20 searches with every argument, and for any form. */
export const maxBodyBytes = 256 * 1024

/** Why a request is refused before it is dispatched. */
interface Refusal {
  readonly status: number
  readonly message: string
  readonly code?: JsonRpc.Code
  readonly headers?: Readonly<Record<string, string>>
}

const refusals = {
  method: { status: 405, message: "use POST: there are no streams and no sessions", headers: { allow: "POST" } },
  contentType: { status: 415, message: "the body must be JSON: send Content-Type: application/json" },
  contentEncoding: { status: 415, message: "the body must not be compressed" },
  accept: { status: 406, message: "the answer is JSON: accept application/json" },
  size: { status: 413, message: `the body is larger than ${maxBodyBytes} bytes` },
  encoding: { status: 400, message: "the body is not UTF-8", code: JsonRpc.codes.parseError },
  malformed: { status: 400, message: "the body is not JSON", code: JsonRpc.codes.parseError },
  excessive: { status: 400, message: `the body has ${BoundedJson.limits}` },
  incomplete: { status: 400, message: "the body ended early", code: JsonRpc.codes.parseError }
} as const satisfies Record<string, Refusal>

const repeated = ({ repeated: name }: { readonly repeated: string }): Refusal => ({
  status: 400,
  message: `an object of the body has the name \`${echoName(name)}\` twice`
})

/** How many characters of an origin are repeated: more than any real origin has. */
const maxEchoed = 100

/** An origin is ASCII, so that other characters are dropped. */
const refusedOrigin = (origin: string): Refusal => {
  const printable = origin.slice(0, maxEchoed).replaceAll(/[^\u0021-\u007E]/gu, "")
  return {
    status: 403,
    message: `the Origin \`${printable}\` is not allowed: the operator of this server allows origins by the setting ALLOWED_ORIGINS`
  }
}

const refuse = (refusal: Refusal, requestId: string) =>
  HttpServerResponse.text(
    JsonRpc.failure(undefined, {
      code: refusal.code ?? JsonRpc.codes.invalidRequest,
      message: refusal.message,
      data: { request_id: requestId }
    }),
    { status: refusal.status, contentType: "application/json", headers: refusal.headers }
  )

/** The first problem in the method and the headers. */
const refusalOf = (method: string, headers: RequestHeaders.RequestHeaders): Refusal | undefined => {
  if (method !== "POST") return refusals.method
  if (!MediaType.isJson(headers["content-type"])) return refusals.contentType
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") return refusals.contentEncoding
  if (!MediaType.acceptsJson(headers["accept"])) return refusals.accept
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes) return refusals.size
  return undefined
}

const preflight = Cors.preflight("POST, GET, DELETE, OPTIONS")

const parse = (bytes: ArrayBuffer): Result.Result<unknown, Refusal> => {
  const text = Utf8.decode(bytes)
  return text === undefined
    ? Result.fail(refusals.encoding)
    : Result.mapBoth(BoundedJson.parse(text), {
        onSuccess: (value) => ExactIds.of(value, text),
        onFailure: (reason) => (typeof reason === "string" ? refusals[reason] : repeated(reason))
      })
}

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const config = yield* AppConfig
    const resolver = yield* CredentialResolver
    const dispatcher = yield* Dispatch
    const common = CommonHeaders.of(config)
    const logOutage = Outage.logger("Credentials cannot be looked up")

    const respond = (reply: Reply.Reply, requestId: string) => {
      const headers = Reply.addHeaders(common(requestId), reply)
      if (reply.body === undefined) return HttpServerResponse.empty({ status: reply.status, headers })
      const response = HttpServerResponse.text(reply.body, { status: reply.status, contentType: "application/json" })
      // Headers are assigned to the new response, because as an option they would be copied twice.
      Object.assign(response.headers, headers)
      return response
    }

    const unauthenticated = (error: Authentication.Failure, query: string): Refusal =>
      error._tag === "ServiceUnavailable"
        ? {
            status: 503,
            code: JsonRpc.codes.internalError,
            message: error.message,
            headers: { "retry-after": String(error.retryAfterSeconds) }
          }
        : {
            status: 401,
            message: Authentication.explain(error),
            headers: { "www-authenticate": Authentication.challenge(config, error, query) }
          }

    const answer = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, requestId: string) {
      const headers = RequestHeaders.of(request)
      const { origin } = headers
      if (origin !== undefined && !config.allowedOrigins.has(origin)) {
        return refuse(refusedOrigin(origin), requestId)
      }

      const caller = yield* Authentication.authenticate(request.url, headers["authorization"], resolver)
      const refused = (refusal: Refusal) =>
        Effect.map(dispatcher.excess({ caller, requestId }), (limited) =>
          limited === undefined ? refuse(refusal, requestId) : respond(limited, requestId)
        )
      const refusal = refusalOf(request.method, headers)
      if (refusal !== undefined) return yield* refused(refusal)
      const view = View.read(queryOf(request.url))
      if (Result.isFailure(view)) return yield* refused({ status: 400, message: view.failure })

      const body = yield* Effect.result(request.arrayBuffer)
      if (Result.isFailure(body)) {
        return yield* refused(RequestBody.isTooLarge(body.failure) ? refusals.size : refusals.incomplete)
      }
      const value = parse(body.success)
      if (Result.isFailure(value)) return yield* refused(value.failure)

      const reply = yield* dispatcher.dispatch(value.success, {
        caller,
        requestId,
        view: view.success,
        headers: {
          version: headers["mcp-protocol-version"]?.trim(),
          method: headers["mcp-method"]?.trim(),
          name: headers["mcp-name"]?.trim(),
          sessionId: headers["mcp-session-id"]?.trim()
        }
      })
      return respond(reply, requestId)
    })

    const answerOrRefuse = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.flatMap(RequestId, (requestId) =>
        Effect.catch(answer(request, requestId), (error) => {
          const refused = refuse(unauthenticated(error, queryOf(request.url)), requestId)
          return error._tag === "ServiceUnavailable"
            ? Effect.as(logOutage(error.cause ?? error, requestId), refused)
            : Effect.succeed(refused)
        })
      )

    yield* router.add("*", path, (request) => {
      // Preflight requests have no credential.
      if (request.method === "OPTIONS") return Effect.succeed(preflight)
      // Only browsers send Origin, and only they need the CORS headers.
      return RequestHeaders.of(request)["origin"] === undefined
        ? answerOrRefuse(request)
        : Effect.map(answerOrRefuse(request), Cors.add)
    })
  })
)
