/** How clients are configured by hand. Some have a link that does it: see InstallLinks. */
import { configuredName } from "../../shared/InstallLinks.ts"

/** The configuration of a client: a command to run, or a file's content (docs/clients.md). */
export interface ClientSetup {
  readonly client: "Claude Code" | "Cursor" | "VS Code" | "curl"
  /** The file for the text; without one, it is a command for a shell. */
  readonly file?: string
  readonly text: string
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

const headersOf = (authorization: string | undefined) =>
  authorization === undefined ? {} : { headers: { Authorization: authorization } }

/** Where VS Code stores the key. */
const keyInput = `${configuredName}-key`

/** A call of a tool that costs nothing. */
const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_usage","arguments":{}}}'

/**
 * The file is part of a project and usually committed, so it has no key: VS Code asks for the key once and stores it elsewhere.
 */
const vsCode = (mcpUrl: string, authorization: string | undefined): string =>
  authorization === undefined
    ? json({ servers: { [configuredName]: { type: "http", url: mcpUrl } } })
    : json({
        inputs: [{ type: "promptString", id: keyInput, description: "Discovery API key", password: true }],
        servers: { [configuredName]: { type: "http", url: mcpUrl, ...headersOf(`Bearer \${input:${keyInput}}`) } }
      })

const shared = (mcpUrl: string, authorization?: string): ReadonlyArray<ClientSetup> => [
  {
    client: "Claude Code",
    text:
      `claude mcp add --scope user --transport http ${configuredName} ${mcpUrl}` +
      (authorization === undefined ? "" : ` --header "Authorization: ${authorization}"`)
  },
  {
    client: "Cursor",
    file: "~/.cursor/mcp.json",
    text: json({ mcpServers: { [configuredName]: { url: mcpUrl, ...headersOf(authorization) } } })
  },
  {
    client: "VS Code",
    file: ".vscode/mcp.json",
    text: vsCode(mcpUrl, authorization)
  }
]

/** Configurations without a key, for clients that sign in. */
export const signingIn = (mcpUrl: string): ReadonlyArray<ClientSetup> => shared(mcpUrl)

/** Configurations with an API key, which is part of each text except the file of a project. */
export const withKey = (mcpUrl: string, key: string): ReadonlyArray<ClientSetup> => [
  ...shared(mcpUrl, `Bearer ${key}`),
  {
    client: "curl",
    text: `curl -s ${mcpUrl} \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d '${call}'`
  }
]
