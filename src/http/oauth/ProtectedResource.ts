/** Where the metadata of `/mcp` is (RFC 9728, 3.1). The scope that protects it is domain/oauth/Scope.ts. */

export const protectedResourcePath = "/.well-known/oauth-protected-resource/mcp"
