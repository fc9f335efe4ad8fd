/** The listening socket, with a limit on everything that a client can hold up, and an end that drains. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { createServer, ServerResponse } from "node:http"
import { AppConfig } from "../Config.ts"

const limits = {
  /** To receive a whole request; a body is at most 256 KiB. */
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  /** Longer than the usual load balancer keeps an idle connection, so that it never meets one that was just closed. */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024
}

class LeanResponse extends ServerResponse {
  static {
    Object.defineProperty(LeanResponse.prototype, "strictContentLength", { get: () => false, set: () => {} })
  }
}

const maxConnections = 10_000

/** A call may take this long to end after the process was asked to stop. */
const drainTimeout = "20 seconds"

export const layer = Layer.effect(
  HttpServer.HttpServer,
  Effect.gen(function* () {
    const { host, port } = yield* AppConfig
    const server = createServer({ ...limits, ServerResponse: LeanResponse })
    server.maxConnections = maxConnections
    const http = yield* NodeHttpServer.make(() => server, { host, port, gracefulShutdownTimeout: drainTimeout })
    // Runs after the drain and before the socket is closed for good, which waits for every connection.
    yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
    return http
  })
)
