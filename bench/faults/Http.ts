/** Requests as a client on the internet sends them: over connections that are kept, with a limit on the wait. */
import { Agent, request } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Request {
  readonly method?: "GET" | "POST"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A client with one connection. `undefined` is no answer: refused, cut, or not there in time. */
export interface Client {
  readonly send: (request: Request) => Promise<Answer | undefined>
  readonly close: () => void
}

const attemptMillis = 10_000

export const client = (port: number): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    send: ({ body, headers = {}, method = "POST", path }) =>
      new Promise((resolve) => {
        const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
        const outgoing = request(
          { agent, host: "127.0.0.1", port, path, method, headers: { ...headers, ...length } },
          (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk: Buffer) => chunks.push(chunk))
            response.on("end", () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                text: Buffer.concat(chunks).toString("utf8")
              })
            )
            response.on("error", () => resolve(undefined))
          }
        )
        const late = setTimeout(() => outgoing.destroy(), attemptMillis)
        outgoing.on("close", () => {
          clearTimeout(late)
          resolve(undefined)
        })
        outgoing.on("error", () => resolve(undefined))
        outgoing.end(body)
      }),
    close: () => agent.destroy()
  }
}

/** For how long a client repeats a request; after that it has failed. */
export const patienceMillis = 20_000
const firstPauseMillis = 50
const longestPauseMillis = 1_000

/**
 * Repeats a request as docs/errors.md and OAuth say: at once when there was no answer, then less and less often; after the time that
 * the answer names; not at all once `judge` has what it wants. Gives `undefined` when the client's patience has ended.
 */
export const repeated = async <A>(
  attempt: () => Promise<Answer | undefined>,
  judge: (answer: Answer | undefined) => A | undefined,
  patience = patienceMillis
): Promise<A | undefined> => {
  const until = performance.now() + patience
  let pause = firstPauseMillis
  for (;;) {
    const answer = await attempt()
    const verdict = judge(answer)
    if (verdict !== undefined) return verdict
    const named = Number(answer?.headers["retry-after"]) * 1000
    const millis = answer !== undefined && named > 0 ? named : pause
    pause = Math.min(2 * pause, longestPauseMillis)
    if (performance.now() + millis > until) return undefined
    await sleep(millis)
  }
}
