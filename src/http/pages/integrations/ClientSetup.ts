/** What a client is told so that it finds the service: a command to run, or a file's content (docs/clients.md). */
export interface ClientSetup {
  /** The client's own name for itself. */
  readonly client: "Claude Code" | "Cursor" | "VS Code" | "curl"
  /** The file that it goes into; a command for a shell otherwise. */
  readonly file?: string
  readonly text: string
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

const headersOf = (authorization: string | undefined) =>
  authorization === undefined ? {} : { headers: { Authorization: authorization } }

/** A call of the tool that costs nothing. */
const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_usage","arguments":{}}}'

/**
 * The file is part of a project, and usually committed: VS Code asks for the key once, and keeps it elsewhere. The person
 * pastes it there.
 */
const vsCode = (mcpUrl: string, authorization: string | undefined): string =>
  authorization === undefined
    ? json({ servers: { discovery: { type: "http", url: mcpUrl } } })
    : json({
        inputs: [{ type: "promptString", id: "discovery-key", description: "Discovery API key", password: true }],
        servers: { discovery: { type: "http", url: mcpUrl, ...headersOf("Bearer ${input:discovery-key}") } }
      })

const shared = (mcpUrl: string, authorization?: string): ReadonlyArray<ClientSetup> => [
  {
    client: "Claude Code",
    text:
      `claude mcp add --scope user --transport http discovery ${mcpUrl}` +
      (authorization === undefined ? "" : ` --header "Authorization: ${authorization}"`)
  },
  {
    client: "Cursor",
    file: "~/.cursor/mcp.json",
    text: json({ mcpServers: { discovery: { url: mcpUrl, ...headersOf(authorization) } } })
  },
  {
    client: "VS Code",
    file: ".vscode/mcp.json",
    text: vsCode(mcpUrl, authorization)
  }
]

/** For clients that sign in by themselves. */
export const signingIn = (mcpUrl: string): ReadonlyArray<ClientSetup> => shared(mcpUrl)

/** With an API key, which is part of the text, but of the file of a project. */
export const withKey = (mcpUrl: string, key: string): ReadonlyArray<ClientSetup> => [
  ...shared(mcpUrl, `Bearer ${key}`),
  {
    client: "curl",
    text: `curl -s ${mcpUrl} \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d '${call}'`
  }
]
