/**
 * The protocol revisions that share one endpoint, and how a request selects one (P11 to P15).
 *
 * "Modern" is 2026-07-28, in which every request carries its version and capabilities. "Legacy" is the three revisions
 * before it, which begin with `initialize`.
 */
import { Predicate, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"
import { echo } from "../ArgumentDecoder.ts"
import * as Utf8 from "../Utf8.ts"
import * as JsonRpc from "./JsonRpc.ts"

export const modernVersion = "2026-07-28"

/** Supported values of the protocol version in `_meta`. Also in `server/discover` and in the error for other versions. */
export const modernVersions: ReadonlyArray<string> = [modernVersion]

/** Newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const
export type LegacyVersion = (typeof legacyVersions)[number]

export const supportedVersions: ReadonlyArray<string> = [...modernVersions, ...legacyVersions]

/** The only revision with batches, and the default when a client sends no version. */
export const batchVersion: LegacyVersion = "2025-03-26"

export const isLegacyVersion = (version: unknown): version is LegacyVersion =>
  legacyVersions.some((legacy) => legacy === version)

export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo"
} as const

/** Headers that repeat parts of the body, trimmed; `undefined` if absent. */
export interface RoutingHeaders {
  readonly version: string | undefined
  readonly method: string | undefined
  readonly name: string | undefined
  /** `Mcp-Session-Id` */
  readonly sessionId?: string | undefined
}

/** "Modern" or "legacy", as defined at the top of this file. All legacy versions are handled alike. */
export type Revision = "modern" | "legacy"

/** The revision of a message, or why it is refused. Every refusal is HTTP 400. */
export const revision = (
  headers: RoutingHeaders,
  message: JsonRpc.Request | JsonRpc.Notification
): Result.Result<Revision, JsonRpc.Failure> => {
  const meta = metaOf(message.params)
  // Only this key makes a message modern: legacy clients also send `_meta`, with a `progressToken`.
  if (meta !== undefined && metaKeys.protocolVersion in meta) return modernRevision(headers, message, meta)
  // The versions are negotiated in the body. Before that, a client may send the one of its last connection, or its own.
  if (message.method === "initialize") return Result.succeed("legacy")
  if (headers.version === modernVersion) {
    // A notification has no `_meta`.
    return message.id === undefined
      ? Result.succeed("modern")
      : invalidParams(`params._meta["${metaKeys.protocolVersion}"] is required by ${modernVersion}`)
  }
  return legacyRevision(headers.version)
}

/** The revision of a batch, or of a message without content. */
export const legacyRevision = (version: string | undefined): Result.Result<Revision, JsonRpc.Failure> => {
  if (version === undefined || isLegacyVersion(version)) return Result.succeed("legacy")
  return version === modernVersion
    ? Result.fail({
        code: JsonRpc.codes.invalidRequest,
        message: `${modernVersion} has requests and notifications only`
      })
    : Result.fail(unsupported(version, supportedVersions))
}

/** `supported` are the versions with which the request can be sent again as it is. */
export const unsupported = (requested: string, supported: ReadonlyArray<string>): JsonRpc.Failure => ({
  code: JsonRpc.codes.unsupportedProtocolVersion,
  message: `Unsupported protocol version; use one of ${supported.join(", ")}`,
  data: { supported, requested: echo(requested) }
})

const modernRevision = (
  headers: RoutingHeaders,
  message: JsonRpc.Request | JsonRpc.Notification,
  meta: Readonly<Record<string, unknown>>
): Result.Result<Revision, JsonRpc.Failure> => {
  const requested = meta[metaKeys.protocolVersion]
  if (typeof requested !== "string") {
    return invalidParams(`params._meta["${metaKeys.protocolVersion}"] must be a string`)
  }
  if (headers.version !== requested) return mismatch("MCP-Protocol-Version", "the version in params._meta")
  // First, because the rules for the rest may differ in another version.
  if (requested !== modernVersion) {
    return Result.fail(unsupported(requested, modernVersions))
  }
  if (message.id === undefined) return Result.succeed("modern")
  if (!isObjectOrEmpty(meta[metaKeys.clientCapabilities])) {
    return invalidParams(`params._meta["${metaKeys.clientCapabilities}"] must be an object`)
  }
  if (headers.method !== message.method) return mismatch("Mcp-Method", "the method in the body")
  const field = namedBy.get(message.method)
  if (field !== undefined) {
    const name = Predicate.isObject(message.params) ? message.params[field] : undefined
    // Whether there are resources depends on the client: their method says what is wrong.
    if (typeof name !== "string" && field === "uri") return Result.succeed("modern")
    if (typeof name !== "string") return invalidParams(`params.${field} must be a string`)
    if (headers.name === undefined || decodeHeader(headers.name) !== name) {
      return mismatch("Mcp-Name", `params.${field} in the body`)
    }
  }
  return Result.succeed("modern")
}

/** What `Mcp-Name` repeats. */
const namedBy = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"]
])

const mismatch = (header: string, counterpart: string): Result.Result<never, JsonRpc.Failure> =>
  Result.fail({
    code: JsonRpc.codes.headerMismatch,
    message: `the header ${header} is required and must equal ${counterpart}`
  })

const invalidParams = (message: string): Result.Result<never, JsonRpc.Failure> =>
  Result.fail({ code: JsonRpc.codes.invalidParams, message })

/** Whether a value is an object. An empty one may be `[]`, as some languages write it. */
export const isObjectOrEmpty = (value: unknown): value is Readonly<Record<string, unknown>> | readonly [] =>
  Predicate.isObject(value) || (Array.isArray(value) && value.length === 0)

/** `params._meta` if it is an object. */
export const metaOf = (params: unknown): Readonly<Record<string, unknown>> | undefined => {
  const meta = Predicate.isObject(params) ? params["_meta"] : undefined
  return Predicate.isObject(meta) ? meta : undefined
}

const encoded = /^=\?base64\?(.*)\?=$/s

/**
 * Decodes a header value. Text that a header cannot carry is encoded as `=?base64?...?=`. `undefined` if it is malformed.
 */
export const decodeHeader = (value: string): string | undefined => {
  const base64 = encoded.exec(value)?.[1]
  if (base64 === undefined) return value
  const bytes = Base64.decode(base64)
  return Result.isFailure(bytes) ? undefined : Utf8.decode(bytes.success)
}
