/** Client metadata documents in the form that real clients publish (R50, D62). */

/** By URL. */
export const realDocuments = {
  "https://claude.ai/oauth/mcp-oauth-client-metadata": {
    client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
    client_name: "Claude",
    client_uri: "https://claude.ai",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  },
  "https://claude.ai/oauth/claude-code-client-metadata": {
    client_id: "https://claude.ai/oauth/claude-code-client-metadata",
    client_name: "Claude Code",
    client_uri: "https://claude.ai",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  },
  "https://chatgpt.com/oauth/aBcDeFgH/client.json": {
    client_id: "https://chatgpt.com/oauth/aBcDeFgH/client.json",
    client_name: "ChatGPT",
    client_uri: "https://chatgpt.com",
    redirect_uris: ["https://chatgpt.com/connector/oauth/aBcDeFgH"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    token_endpoint_auth_signing_alg: "RS256",
    jwks_uri: "https://chatgpt.com/oauth/jwks.json"
  },
  "https://vscode.dev/oauth/client-metadata.json": {
    client_id: "https://vscode.dev/oauth/client-metadata.json",
    client_name: "Visual Studio Code",
    client_uri: "https://code.visualstudio.com",
    logo_uri: "https://code.visualstudio.com/assets/icon.png",
    redirect_uris: ["http://127.0.0.1:33418/", "http://127.0.0.1/", "https://vscode.dev/redirect"],
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
    contacts: []
  }
} as const

export const documentOf = (clientId: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  client_id: clientId,
  client_name: "Test Client",
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "none",
  ...changes
})
