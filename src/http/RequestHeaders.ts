/** The headers of a request as Node parsed them, names in lower case; the adapter of effect copies all of them first. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"

export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Node joins repeated headers by commas; where that is not allowed, the first counts. */
export const of = (request: HttpServerRequest.HttpServerRequest): RequestHeaders =>
  // Node has arrays for set-cookie only, which no request has.
  NodeHttpServerRequest.toIncomingMessage(request).headers as RequestHeaders
