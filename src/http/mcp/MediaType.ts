/** Content negotiation of the one format there is: JSON (P4; RFC 9110, 8.3 and 12.5.1). */
import { parseAccept } from "hono/utils/accept"
import * as ContentType from "../../services/ContentType.ts"

/** Whether a body of this type can be read: `application/json`, in UTF-8 where it says so. */
export const isJson = (contentType: string | undefined): boolean => {
  if (contentType === "application/json") return true
  const parsed = ContentType.parse(contentType)
  return parsed?.type === "application/json" && parsed.isUtf8
}

/** The most specific range that is sent decides (RFC 9110, 12.5.1). */
const jsonRanges = ["application/json", "application/*", "*/*"]

/** What MCP tells every client to send. */
const asSpecified = "application/json, text/event-stream"

/**
 * Whether the client takes JSON: without the header it takes anything. Not by `accepts` of hono, which looks for the range of
 * the highest weight: for `application/*, application/json;q=0` it would find the first.
 */
export const acceptsJson = (accept: string | undefined): boolean => {
  if (accept === undefined || accept === "" || accept === asSpecified) return true
  const ranges = parseAccept(accept.toLowerCase())
  const decisive = jsonRanges
    .map((range) => ranges.find(({ type }) => type === range))
    .find((range) => range !== undefined)
  return decisive !== undefined && decisive.q > 0
}
