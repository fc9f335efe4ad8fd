/**
 * Responses that are equal for all callers: compressed once, and revalidated by ETag (RFC 9110, 13.1.2). Only for public
 * content, because compression can reveal secrets.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"

type Request = HttpServerRequest.HttpServerRequest

const takesGzip = ({ headers }: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers["accept-encoding"] ?? "")

/** The tag is weak, because it covers the compressed and the plain form. */
const isKept = ({ headers }: Request, tag: string): boolean =>
  (headers["if-none-match"] ?? "").split(",").some((each) => each.trim() === tag || each.trim() === "*")

export const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex").slice(0, 12)

export const handler = (options: {
  readonly content: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}) => {
  const { content, contentType } = options
  const etag = `W/"${hashOf(content)}"`
  const headers = { "x-content-type-options": "nosniff", ...options.headers, etag, vary: "accept-encoding" }
  const plain = HttpServerResponse.uint8Array(content, { contentType, headers })
  const zipped = HttpServerResponse.uint8Array(gzipSync(content, { level: 9 }), {
    contentType,
    headers: { ...headers, "content-encoding": "gzip" }
  })
  const unchanged = HttpServerResponse.empty({ status: 304, headers })
  return (request: Request): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Effect.succeed(isKept(request, etag) ? unchanged : takesGzip(request) ? zipped : plain)
}
