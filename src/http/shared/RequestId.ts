/** The id of a request, in a header of the answer, in errors and in the log. Never taken from the client. */
import { Context } from "effect"
import { randomUUIDv7 } from "node:crypto"

export class RequestId extends Context.Service<RequestId, string>()("discovery/http/RequestId") {}

export const header = "x-request-id"

/**
 * A UUID of version 7 (RFC 9562), which begins with the time. The ledger has a unique index on the ids of charged requests: ids in the
 * order of time are inserted at its end, and random ones would change another page of it for each charge.
 */
export const make = (): string => randomUUIDv7()
