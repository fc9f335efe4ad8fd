/** A closed loop of plain calls over connections that are kept alive; every answer is read and checked. */
import { Agent, request } from "node:http"
import type { Peer } from "./Peer.ts"

/** What calls are sent to; whoever started it stops it. */
type Callee = Omit<Peer, "stop">

export interface Sample {
  readonly calls: number
  /** Of the server alone. */
  readonly cpuMicrosPerCall: number
  /** Of its PostgreSQL, if it has one. */
  readonly databaseMicrosPerCall: number
  readonly callsPerSecond: number
}

const headers = (authorization: string, body: string) => ({
  authorization,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "content-length": Buffer.byteLength(body)
})

const call = (peer: Callee, agent: Agent, authorization: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      {
        agent,
        host: "127.0.0.1",
        port: peer.port,
        path: "/mcp",
        method: "POST",
        headers: headers(authorization, body)
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          if (response.statusCode === 200 && text.includes('"structuredContent"')) resolve()
          else reject(new Error(`${peer.name} answered ${response.statusCode}: ${text.slice(0, 300)}`))
        })
        response.on("error", reject)
      }
    )
    outgoing.on("error", reject)
    outgoing.end(body)
  })

/** Of the accounts of a peer, of which each calls in one round of so many. */
const groups = 4

/**
 * Sends `bodies` round robin, `calls` in all, `concurrency` at a time; the CPU of the server and of its PostgreSQL is measured around it. In each round another
 * group of accounts calls, one account after the other.
 */
export const run = async (
  peer: Callee,
  options: {
    readonly bodies: ReadonlyArray<string>
    readonly calls: number
    readonly concurrency: number
    readonly round: number
  }
): Promise<Sample> => {
  const inGroup = peer.authorizations.length / groups
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency })
  let next = 0
  const worker = async () => {
    for (let index = next++; index < options.calls; index = next++) {
      const account = Math.floor(((options.round % groups) + index / options.calls) * inGroup)
      const body = options.bodies[index % options.bodies.length] ?? ""
      await call(peer, agent, peer.authorizations[account] ?? "Bearer none", body)
    }
  }
  const cpuBefore = await peer.cpuMicros()
  const databaseBefore = peer.databaseMicros()
  const before = performance.now()
  await Promise.all(Array.from({ length: options.concurrency }, worker))
  const seconds = (performance.now() - before) / 1000
  const cpu = (await peer.cpuMicros()) - cpuBefore
  const database = peer.databaseMicros() - databaseBefore
  agent.destroy()
  return {
    calls: options.calls,
    cpuMicrosPerCall: cpu / options.calls,
    databaseMicrosPerCall: database / options.calls,
    callsPerSecond: options.calls / seconds
  }
}
