/** One call of a tool, over HTTP, with everything that the endpoint checks. */
import { type Agent, request } from "node:http"
import { toolCall } from "../support/Trivial.ts"
import type { SearchCase } from "./SearchCase.ts"
import type { Target } from "./Target.ts"

/** `lost`: no answer came. Anything but `ok` is the code of an error, or an HTTP status. */
export type Outcome = "ok" | "lost" | (string & {})

export interface Reply {
  readonly outcome: Outcome
  readonly body: string
}

/** The server itself gives up after seven seconds. */
const patienceMillis = 15_000

export const bodyOf = (searchCase: SearchCase): string => toolCall(searchCase.tool, searchCase.arguments)

const outcomeOf = (status: number | undefined, body: string): Outcome => {
  if (status !== 200) return `http_${status ?? "none"}`
  if (body.includes('"structuredContent"') && !body.includes('"isError":true')) return "ok"
  return /\\"code\\":\\"([a-z_]+)\\"/u.exec(body)?.[1] ?? "protocol_error"
}

/** Never rejects. Calls are numbered, so that callers take turns. */
export const send = (target: Target, agent: Agent, body: string, number = 0): Promise<Reply> =>
  new Promise((resolve) => {
    const lost = () => resolve({ outcome: "lost", body: "" })
    const outgoing = request(
      {
        agent,
        host: "127.0.0.1",
        port: target.port,
        path: "/mcp",
        method: "POST",
        timeout: patienceMillis,
        headers: {
          authorization: target.authorizations[number % target.authorizations.length] ?? "",
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "content-length": Buffer.byteLength(body)
        }
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          resolve({ outcome: outcomeOf(response.statusCode, text), body: text })
        })
        response.on("error", lost)
      }
    )
    outgoing.on("timeout", () => outgoing.destroy())
    outgoing.on("error", lost)
    outgoing.end(body)
  })
