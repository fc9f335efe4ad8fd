/** The listening socket, with a limit on everything that a client can hold up, and an end that drains. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Duration } from "effect"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import type { Server } from "node:http"
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

/**
 * Node's response with two habits changed.
 *
 * `strictContentLength`, which the adapter asks for, has Node count every body against its Content-Length on a slower way
 * of writing; here the length is always computed from the body itself. `shouldKeepAlive` ends once the server has closed
 * its door: otherwise a drain waits for connections on which nothing will ever come.
 */
const responseClass = (isOpen: () => boolean) => {
  const keepsAlive = new WeakMap<ServerResponse, boolean>()
  class DrainingResponse extends ServerResponse {
    static {
      Object.defineProperties(DrainingResponse.prototype, {
        strictContentLength: { get: () => false, set: () => {} },
        shouldKeepAlive: {
          get(this: ServerResponse) {
            return keepsAlive.get(this) === true && isOpen()
          },
          set(this: ServerResponse, value: boolean) {
            keepsAlive.set(this, value)
          }
        }
      })
    }
  }
  return DrainingResponse
}

const maxConnections = 10_000

/**
 * A connection on which nothing moves for this long while a call is under way is closed: a client that does not read its
 * answers would have them held for ever. Longer than any call may take.
 */
const stalledTimeoutMillis = 60_000

/** How long a call may take to end after the process was asked to stop; then it is interrupted. */
const defaultDrainTimeout = "20 seconds"

export const layerWith = (options: { readonly drainTimeout: Duration.Input; readonly stalledTimeoutMillis?: number }) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const { host, port } = yield* AppConfig
      const server: Server = createServer({ ...limits, ServerResponse: responseClass(() => server.listening) })
      server.maxConnections = maxConnections
      server.timeout = options.stalledTimeoutMillis ?? stalledTimeoutMillis
      const http = yield* NodeHttpServer.make(() => server, {
        host,
        port,
        gracefulShutdownTimeout: options.drainTimeout
      })
      // Runs after the drain and before the socket is closed for good, which waits for every connection.
      yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
      return http
    })
  )

export const layer = layerWith({ drainTimeout: defaultDrainTimeout })
