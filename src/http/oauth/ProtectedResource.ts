/** What protects `/mcp`: the one scope, and where the metadata is. */

/** The only scope there is (seed, "What the service does"). */
export const scope = "discovery:read"

export const protectedResourcePath = "/.well-known/oauth-protected-resource/mcp"
