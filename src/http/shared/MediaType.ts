/** Content negotiation for JSON, the only format (P4; RFC 9110, 8.3 and 12.5.1). */
import { parseAccept } from "hono/utils/accept"
import * as ContentType from "../../services/ContentType.ts"

/** Whether the type is `application/json`, in UTF-8 if it names a charset. */
export const isJson = (contentType: string | undefined): boolean => {
  if (contentType === "application/json") return true
  const parsed = ContentType.parse(contentType)
  return parsed?.type === "application/json" && parsed.isUtf8
}

/** The most specific range that was sent decides. */
const jsonRanges = ["application/json", "application/*", "*/*"]

/** What MCP requires clients to send. */
const asSpecified = "application/json, text/event-stream"

/**
 * Without the header, the client accepts anything. hono's `accepts` cannot be used: it takes the range of the highest weight,
 * which for `application/*, application/json;q=0` is the first.
 */
export const acceptsJson = (accept: string | undefined): boolean => {
  if (accept === undefined || accept === "" || accept === asSpecified) return true
  const ranges = parseAccept(accept.toLowerCase())
  const decisive = jsonRanges
    .map((range) => ranges.find(({ type }) => type === range))
    .find((range) => range !== undefined)
  return decisive !== undefined && decisive.q > 0
}
