/**
 * The program that an app claims to be, for metrics only: by the address of its metadata document, or the name that it registered
 * with. A closed list, because anyone can register any name (R25).
 */
import { isAddress } from "./ClientIdUrl.ts"

/** The first match counts. */
const patterns = {
  claude_code: /claude[ -]?code/iu,
  claude: /\bclaude\b|\banthropic\b/iu,
  codex: /\bcodex\b/iu,
  chatgpt: /\bchatgpt\b|\bopenai\b/iu,
  copilot: /\bcopilot\b/iu,
  cursor: /\bcursor\b/iu,
  vscode: /\bvisual ?studio ?code\b|\bvs ?code\b|\bvisualstudio\b/iu,
  gemini: /\bgemini\b/iu,
  qwen: /\bqwen\b/iu,
  opencode: /\bopencode\b/iu,
  inspector: /\binspector\b/iu,
  mcp_remote: /\bmcp-remote\b|\bmcp cli proxy\b/iu,
  n8n: /\bn8n\b/iu
} as const satisfies Record<string, RegExp>

type Named = keyof typeof patterns

const named = Object.entries(patterns).filter((entry): entry is [Named, RegExp] => entry[0] in patterns)

/** `other` is none of them; `unknown` is an app that did not prove who it is. */
export const clientFamilies = [...named.map(([family]) => family), "other", "unknown"] as const
export type ClientFamily = (typeof clientFamilies)[number]

/** How an app came to its id. */
export const registrations = ["metadata_document", "dynamic", "unknown"] as const
export type ClientRegistration = (typeof registrations)[number]

export interface ClientKind {
  readonly client_family: ClientFamily
  readonly registration: ClientRegistration
}

export const unknown: ClientKind = { client_family: "unknown", registration: "unknown" }

/** `name` is that of a registration. */
export const kindOf = ({ id, name }: { readonly id: string; readonly name?: string | undefined }): ClientKind => {
  const isDocument = isAddress(id)
  const text = isDocument ? id : (name ?? "")
  const family = named.find(([, pattern]) => pattern.test(text))?.[0]
  return { client_family: family ?? "other", registration: isDocument ? "metadata_document" : "dynamic" }
}
