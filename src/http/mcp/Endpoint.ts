/** `/mcp`: the checks before the body, in the order of protocol.md 8, and the body. */
import { ByteSize, Effect } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import { HttpIncomingMessage, HttpRouter, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"
import * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import { CredentialResolver } from "../../services/access/CredentialResolver.ts"
import { RequestId } from "../RequestId.ts"
import * as Authentication from "./Authentication.ts"
import { Dispatch } from "./Dispatch.ts"
import * as MediaType from "./MediaType.ts"
import * as Reply from "./Reply.ts"

export const path = "/mcp"

export const maxBodyBytes = 256 * 1024

/** Why a request is refused before it is dispatched. */
interface Refusal {
  readonly status: number
  readonly message: string
  readonly code?: JsonRpc.Code
  readonly headers?: Readonly<Record<string, string>>
}

const refusals = {
  origin: { status: 403, message: "this Origin is not allowed" },
  method: { status: 405, message: "use POST: there are no streams and no sessions", headers: { allow: "POST" } },
  contentType: { status: 415, message: "the body must be JSON: send Content-Type: application/json" },
  contentEncoding: { status: 415, message: "the body must not be compressed" },
  accept: { status: 406, message: "the answer is JSON: accept application/json" },
  size: { status: 413, message: `the body is larger than ${maxBodyBytes} bytes` },
  encoding: { status: 400, message: "the body is not UTF-8", code: JsonRpc.codes.parseError },
  json: { status: 400, message: "the body is not JSON", code: JsonRpc.codes.parseError },
  incomplete: { status: 400, message: "the body ended early", code: JsonRpc.codes.parseError }
} as const satisfies Record<string, Refusal>

const refuse = (refusal: Refusal, requestId: string) =>
  HttpServerResponse.text(
    JsonRpc.failure(undefined, {
      code: refusal.code ?? JsonRpc.codes.invalidRequest,
      message: refusal.message,
      data: { request_id: requestId }
    }),
    { status: refusal.status, contentType: "application/json", headers: refusal.headers }
  )

const respond = (reply: Reply.Reply) => {
  const options = { status: reply.status, headers: Reply.headers(reply) }
  return reply.body === undefined
    ? HttpServerResponse.empty(options)
    : HttpServerResponse.text(reply.body, { ...options, contentType: "application/json" })
}

/** What is wrong with a request that its headers alone show, once it is known who sent it. */
const refusalOf = ({ headers, method }: HttpServerRequest.HttpServerRequest): Refusal | undefined => {
  if (method !== "POST") return refusals.method
  if (!MediaType.isJson(headers["content-type"])) return refusals.contentType
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") return refusals.contentEncoding
  if (!MediaType.acceptsJson(headers["accept"])) return refusals.accept
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes) return refusals.size
  return undefined
}

const bodyLimit = ByteSize.bytes(maxBodyBytes)

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parse = (bytes: ArrayBuffer): Effect.Effect<unknown, Refusal> => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Effect.fail(refusals.encoding)
  }
  try {
    return Effect.succeed(JSON.parse(text))
  } catch {
    return Effect.fail(refusals.json)
  }
}

const bodyOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<unknown, Refusal> =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit),
    Effect.mapError((error): Refusal => (isTooLarge(error) ? refusals.size : refusals.incomplete)),
    Effect.flatMap(parse)
  )

const isTooLarge = ({ reason }: HttpServerError.HttpServerError) =>
  reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const config = yield* AppConfig
    const resolver = yield* CredentialResolver
    const dispatcher = yield* Dispatch

    const handle = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const requestId = yield* RequestId
      const { headers } = request
      const { origin } = headers
      if (origin !== undefined && !config.allowedOrigins.has(origin)) return refuse(refusals.origin, requestId)

      return yield* Authentication.authenticate(request, resolver).pipe(
        Effect.flatMap((caller) => {
          const refusal = refusalOf(request)
          if (refusal !== undefined) return Effect.succeed(refuse(refusal, requestId))
          return Effect.matchEffect(bodyOf(request), {
            onFailure: (refusal) => Effect.succeed(refuse(refusal, requestId)),
            onSuccess: (value) =>
              Effect.map(
                dispatcher.dispatch(value, {
                  caller,
                  requestId,
                  headers: {
                    version: headers["mcp-protocol-version"]?.trim(),
                    method: headers["mcp-method"]?.trim(),
                    name: headers["mcp-name"]?.trim()
                  }
                }),
                respond
              )
          })
        }),
        Effect.catch((error) => Effect.succeed(refuse(unauthenticated(error), requestId)))
      )
    })

    const unauthenticated = (error: Authentication.Failure): Refusal =>
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
            headers: { "www-authenticate": Authentication.challenge(config, error) }
          }

    yield* router.add("*", path, handle)
  })
)
