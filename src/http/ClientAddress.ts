/** Where a request comes from: what rate limits are counted by. */
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/** The peer's IP address; one word for all whose address is not known. */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.getOrElse(request.remoteAddress, () => "unknown")
