/** The name of a request, in its answer's header, in every error's payload and in the log. Made here, never taken over. */
import { Context } from "effect"

export class RequestId extends Context.Service<RequestId, string>()("discovery/http/RequestId") {}

export const header = "x-request-id"
