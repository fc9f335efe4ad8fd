/**
 * The headers of a request as Node parsed them, names in lower case; the adapter of effect copies all of them first
 * (P9).
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"
import { isIPv6 } from "node:net"

/**
 * Headers of which a request has one: with two, a proxy and this server may read different ones, such as the credential of somebody else.
 * Node refuses a repeated Content-Length itself.
 */
const single: ReadonlySet<string> = new Set([
  "authorization",
  "content-encoding",
  "content-type",
  "host",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "origin",
  "sec-fetch-dest",
  "sec-fetch-site",
  "stripe-signature"
])

/**
 * The form of Host (RFC 9112, 3.2; RFC 3986, 3.2.2). It is not empty, because addresses of http have a host. A comma is left out: it
 * is allowed there, but where it occurs, two values were joined.
 */
const host = /^(?:(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+|\[([\da-f:.]+)\])(?::\d*)?$/iu

const isHost = (text: string): boolean => {
  const match = host.exec(text)
  return match !== null && (match[1] === undefined || isIPv6(match[1]))
}

/** Why a request must be refused for its headers (RFC 9112, 3.2): what the server would do is not what was meant for certain. */
export const problemOf = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const { rawHeaders } = NodeHttpServerRequest.toIncomingMessage(request)
  const seen = new Set<string>()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase()
    if (!single.has(name)) continue
    if (seen.has(name)) return `the header ${name} is there more than once`
    seen.add(name)
    if (name === "host" && !isHost(rawHeaders[at + 1] ?? "")) return "the header host is not a host"
  }
  return undefined
}

export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Node joins repeated headers by commas. Those that may not be repeated are refused before ({@link problemOf}). */
export const of = (request: HttpServerRequest.HttpServerRequest): RequestHeaders =>
  // Node has arrays for set-cookie only, which no request has.
  NodeHttpServerRequest.toIncomingMessage(request).headers as RequestHeaders
