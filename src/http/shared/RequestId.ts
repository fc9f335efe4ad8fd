/** The id of a request, in a header of the answer, in errors and in the log. Never taken from the client. */
import { Context } from "effect"

export class RequestId extends Context.Service<RequestId, string>()("discovery/http/RequestId") {}

export const header = "x-request-id"
