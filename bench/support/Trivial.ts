/** The one tool that every peer serves: no input, a small constant answer, like `get_usage`. */

export const name = "get_usage"

export const answer = {
  plan: "growth",
  status: "active",
  credits: { allowance: 2000, used: 12, remaining: 1988 },
  period: { start: "2026-01-01", end: "2026-02-01" }
}

export const description = "Plan and remaining credits of the account. Free."

/** The body of a plain call of a tool (docs/spec/protocol.md). */
export const toolCall = (name: string, args: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } })

/** What the load sends. */
export const body = toolCall(name, {})
