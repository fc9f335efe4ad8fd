/** The headers of every answer, the answers to requests that no route handles, and the count of all. */
import type { Types } from "effect"
import { Cause, Effect } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { AppSettings } from "../../Config.ts"
import { AppConfig } from "../../Config.ts"
import * as JsonRpc from "../../domain/mcp/JsonRpc.ts"
import * as Metrics from "../../services/metrics/Metrics.ts"
import * as Cors from "./Cors.ts"
import { documentationPath } from "./DocumentationPaths.ts"
import * as RequestHeaders from "./RequestHeaders.ts"
import * as RequestId from "./RequestId.ts"

/** A year. Only for a service with TLS. */
const strictTransport = "max-age=31536000; includeSubDomains"

/** Of what is no page: opened in a browser, it loads and runs nothing and is in nobody's frame. Pages have their own. */
const nothing = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

export const of = ({ baseUrl }: Pick<AppSettings, "baseUrl">) => {
  const secure = baseUrl.startsWith("https:")
  return (requestId: string): Record<string, string> => {
    const headers: Record<string, string> = {
      [RequestId.header]: requestId,
      "cache-control": "no-store",
      "content-security-policy": nothing,
      "x-content-type-options": "nosniff"
    }
    if (secure) headers["strict-transport-security"] = strictTransport
    return headers
  }
}

type RouteGroup = Parameters<typeof Metrics.responses.add>[0]["route"]

/** Of addresses that exist. What has no prefix here is a page. */
const groups: ReadonlyArray<readonly [prefix: string, group: RouteGroup]> = [
  ["/mcp", "mcp"],
  ["/token", "oauth"],
  ["/register", "oauth"],
  ["/revoke", "oauth"],
  ["/authorize", "oauth"],
  ["/.well-known/security.txt", "documents"],
  ["/.well-known/change-password", "pages"],
  ["/.well-known/", "oauth"],
  ["/health/", "health"],
  [documentationPath, "documents"],
  ["/llms", "documents"],
  ["/robots.txt", "documents"],
  ["/server.json", "documents"]
]

const groupOf = (url: string): RouteGroup => groups.find(([prefix]) => url.startsWith(prefix))?.[1] ?? "pages"

const classes = [undefined, "1xx", "2xx", "3xx", "4xx", "5xx"] as const

const classOf = (status: number) => classes[Math.trunc(status / 100)] ?? "5xx"

/** The router ends a path there as well, but a query is read after `?` only: what follows would be ignored. */
const problemOfPath = (url: string): string | undefined =>
  /^[^?]*[;#]/u.test(url) ? "the path of the address has a semicolon or a number sign" : undefined

const middleware = Effect.gen(function* () {
  const common = of(yield* AppConfig)
  const measuredIn = yield* Effect.context()
  const finish = (response: HttpServerResponse.HttpServerResponse, requestId: string) =>
    // A route on the hot path has set them itself.
    RequestId.header in response.headers
      ? response
      : HttpServerResponse.setHeaders(response, { ...common(requestId), ...response.headers })
  const counted = (route: RouteGroup, response: HttpServerResponse.HttpServerResponse) => {
    Metrics.responses.addUnsafe(measuredIn, { route, status: classOf(response.status) })
    return response
  }
  return (
    handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, RequestId.RequestId>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const { url } = request
      const requestId = RequestId.make()
      const answered = (response: HttpServerResponse.HttpServerResponse) =>
        finish(Cors.isFor(url) ? Cors.add(response) : response, requestId)
      const problem = RequestHeaders.problemOf(request) ?? problemOfPath(url)
      if (problem !== undefined) {
        return Effect.succeed(counted(groupOf(url), answered(refused(groupOf(url), problem, requestId))))
      }
      return Effect.provideService(handler, RequestId.RequestId, requestId).pipe(
        Effect.matchCauseEffect({
          onSuccess: (response) => Effect.succeed(counted(groupOf(url), finish(response, requestId))),
          onFailure: (cause) =>
            Effect.map(unanswered(cause, requestId), (response) =>
              counted(isUnknown(cause) ? "unknown" : groupOf(url), answered(response))
            )
        })
      )
    })
})

export const layer = HttpRouter.middleware<{ provides: RequestId.RequestId }>()(middleware, { global: true })

const error = (status: number, code: string, message: string, requestId: string) =>
  HttpServerResponse.jsonUnsafe({ error: { code, message, request_id: requestId } }, { status })

const refused = (group: RouteGroup, message: string, requestId: string) =>
  group === "mcp"
    ? HttpServerResponse.text(
        JsonRpc.failure(undefined, { code: JsonRpc.codes.invalidRequest, message, data: { request_id: requestId } }),
        { status: 400, contentType: "application/json" }
      )
    : error(400, "bad_request", message, requestId)

const reasonOf = (cause: Cause.Cause<unknown>) => {
  const failure = Cause.findErrorOption(cause)
  return failure._tag === "Some" && HttpServerError.isHttpServerError(failure.value)
    ? failure.value.reason._tag
    : undefined
}

const isUnknown = (cause: Cause.Cause<unknown>): boolean => reasonOf(cause) === "RouteNotFound"

/** Interruptions stay interruptions: the client has left. */
const unanswered = <E>(
  cause: Cause.Cause<E>,
  requestId: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const reason = reasonOf(cause)
  if (reason === "RouteNotFound") {
    return Effect.succeed(
      error(
        404,
        "not_found",
        `there is nothing at this address; the tools are at /mcp, the documentation is at ${documentationPath}`,
        requestId
      )
    )
  }
  if (reason === "RequestParseError") {
    return Effect.succeed(error(400, "bad_request", "the request could not be read", requestId))
  }
  return Effect.logError("A request failed by a defect", cause).pipe(
    Effect.annotateLogs("request_id", requestId),
    Effect.as(error(500, "internal_error", "something went wrong on our side", requestId))
  )
}
