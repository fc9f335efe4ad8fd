/** A server on loopback whose responses the test sets, and that records its requests. */
import { Effect, Latch } from "effect"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo, Socket } from "node:net"

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

export interface DocumentServer {
  readonly port: number
  /** Such as `http://127.0.0.1:34567`. */
  readonly origin: string
  /** Responds to all further requests. */
  answer: Handler
  readonly requests: ReadonlyArray<http.IncomingMessage>
  /** Number of open connections, with or without a request. */
  readonly connections: () => number
  /** Waits until it has received `count` requests. */
  readonly asked: (count: number) => Effect.Effect<void>
  /** Waits until all connections are closed. */
  readonly deserted: Effect.Effect<void>
}

/** Without `tls`, plain HTTP. Ends with the scope, with all its connections. */
export const make = Effect.fnUntraced(function* (
  options: { readonly tls?: { readonly cert: string; readonly key: string } } = {}
) {
  const { tls } = options
  const requests: Array<http.IncomingMessage> = []
  const open = new Set<Socket>()
  let connections = 0
  const changed = Latch.makeUnsafe(false)
  const until = (condition: () => boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (condition()) return Effect.void
      changed.closeUnsafe()
      return Effect.flatMap(changed.await, () => until(condition))
    })

  const listener: Handler = (request, response) => {
    requests.push(request)
    changed.openUnsafe()
    document.answer(request, response)
  }
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener)
  server.on("connection", (socket: Socket) => {
    connections++
    open.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      open.delete(socket)
      changed.openUnsafe()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of open) socket.destroy()
      })
  )
  const { port } = server.address() as AddressInfo
  const document: DocumentServer = {
    port,
    origin: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    answer: (_, response) => void response.writeHead(404).end(),
    requests,
    connections: () => connections,
    asked: (count) => until(() => requests.length >= count),
    deserted: until(() => open.size === 0)
  }
  return document
})

/** A JSON response; `headers` override everything. */
export const json =
  (body: unknown, headers: http.OutgoingHttpHeaders = {}): Handler =>
  (_, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers })
    response.end(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body))
  }
