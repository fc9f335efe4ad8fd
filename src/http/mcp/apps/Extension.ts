/** MCP Apps (`io.modelcontextprotocol/ui`, 2026-01-26): whether a client has announced it (P33). */
import { Schema } from "effect"

export const extension = "io.modelcontextprotocol/ui"

export const mimeType = "text/html;profile=mcp-app"

/** The extension has one type; further items of a longer list are ignored. */
const maxTypes = 20

const Types = Schema.declare(
  (types: unknown): types is ReadonlyArray<unknown> =>
    Array.isArray(types) && types.slice(0, maxTypes).includes(mimeType)
)

/** Whether the capabilities of a client contain the extension. */
export const isAnnounced = Schema.is(
  Schema.Struct({ extensions: Schema.Struct({ [extension]: Schema.Struct({ mimeTypes: Types }) }) })
)

const sessionPrefix = "apps."

/**
 * A legacy client sends its capabilities once. The id of its session shows any server that it has announced the extension; no
 * server stores sessions (P7).
 */
export const sessionOf = (requestId: string): string => `${sessionPrefix}${requestId}`

export const isSession = (sessionId: string | undefined): boolean => sessionId?.startsWith(sessionPrefix) ?? false
