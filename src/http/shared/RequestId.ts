/** The id of a request, in a header of the answer, in errors and in the log. Never taken from the client. */
import { Context } from "effect"
import { randomUUIDv7 } from "node:crypto"

export class RequestId extends Context.Service<RequestId, string>()("discovery/http/RequestId") {}

export const header = "x-request-id"

/**
 * Begins with the time, so that charges enter the ledger's index by request id next to each other. At random places, each would read
 * and write a page of its own (bench/results/search-index.md).
 */
export const make = (): string => randomUUIDv7()
