/**
 * A request's headers as Node parsed them, names in lower case: every request of the endpoint reads them, and the
 * adapter's own map copies all of them first.
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"

export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** A header that was sent more than once is one, joined by commas; of those that may not be, the first counts. */
export const of = (request: HttpServerRequest.HttpServerRequest): RequestHeaders =>
  // Node has arrays for set-cookie only, which no request has.
  NodeHttpServerRequest.toIncomingMessage(request).headers as RequestHeaders
