/** What a start prints. */
import type { Access } from "../services/accounts/DemoAccounts.ts"

const indent = (lines: ReadonlyArray<string>) => lines.map((line) => `  ${line}`)

/** `demo` is absent with `DATABASE_URL`. */
export const welcome = (server: {
  readonly address: string
  readonly mcpUrl: string
  /** The folder of mails that no mail server takes. */
  readonly mailFolder?: string
  readonly demo?: Access
}): string => {
  const mails = server.mailFolder === undefined ? [] : [`Mails     ${server.mailFolder}   (SMTP_URL is not set)`]
  const places = [`Address   ${server.address}`, `MCP       ${server.mcpUrl}`, ...mails]
  const lines = ["", "Discovery listens.", "", ...indent(places)]
  const { demo } = server
  if (demo !== undefined) {
    const width = Math.max(...demo.accounts.map(({ label }) => label.length))
    const key = demo.accounts[0]?.key ?? ""
    lines.push(
      "",
      "Demo account",
      "",
      ...indent([`Sign in   ${server.address}/sign-in`, `E-mail    ${demo.email}`, `Password  ${demo.password}`]),
      "",
      "Demo API keys",
      "",
      ...indent(demo.accounts.map((account) => `${account.label.padEnd(width)}  ${account.key}`)),
      "",
      "Try it",
      "",
      ...indent([curl(server.mcpUrl, key)])
    )
  }
  return [...lines, "", "Stop with Ctrl-C.", ""].join("\n")
}

/** A plain call (docs/spec/protocol.md) to paste into a shell. */
export const curl = (mcpUrl: string, key: string): string =>
  [
    `curl -s ${mcpUrl}`,
    `-H 'Authorization: Bearer ${key}'`,
    "-H 'Content-Type: application/json'",
    `-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_products","arguments":{"query":"lamp","per_page":2}}}'`
  ].join(" ")
