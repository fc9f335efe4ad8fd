/** The HTTP server: limits on what a client can hold up, and a shutdown that drains. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Duration } from "effect"
import { Context, Effect, Layer, Scheduler, Scope } from "effect"
import { HttpServer, HttpServerError } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { IncomingMessage, Server } from "node:http"
import { createServer, ServerResponse } from "node:http"
import { createServer as createNetServer } from "node:net"
import type { AppSettings } from "../Config.ts"
import { AppConfig } from "../Config.ts"
import * as Metrics from "../services/metrics/Metrics.ts"
import * as Outage from "./shared/Outage.ts"
import * as PeerConnections from "./PeerConnections.ts"

const limits = {
  /** For a whole request; a body is at most 256 KiB. */
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  /** Longer than load balancers usually keep an idle connection, so that they do not use one that was just closed. */
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16 * 1024,
  /**
   * Requests for an upgrade are answered as plain HTTP (RFC 9110, 7.8). Node's timeouts and shutdown do not cover upgraded
   * connections.
   */
  shouldUpgradeCallback: () => false
}

/**
 * Node's response with two changes.
 *
 * `strictContentLength`, which the adapter asks for, makes Node count every body against its Content-Length, which is
 * slower; here the length is always computed from the body itself. `shouldKeepAlive` ends once the server listens
 * no longer: otherwise a drain waits for idle connections.
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
 * A connection without traffic for this long during a call is closed, so that a client that does not read its answers
 * cannot keep them in memory. Longer than any call may take.
 */
const stalledTimeoutMillis = 60_000

/** How long calls may go on after the process was asked to stop; then they are interrupted. */
export const defaultDrainTimeout = "20 seconds"

export const make = (
  config: Pick<AppSettings, "trustedProxies">,
  options: {
    readonly stalledTimeoutMillis?: number
    readonly onRefused?: (remoteAddress: string | undefined) => void
  } = {}
): Server => {
  const server: Server = createServer({ ...limits, ServerResponse: responseClass(() => server.listening) })
  server.maxConnections = maxConnections
  server.timeout = options.stalledTimeoutMillis ?? stalledTimeoutMillis
  const peers = PeerConnections.make(config)
  // First, so that nothing is read from a refused connection.
  server.prependListener("connection", (socket) => {
    const { remoteAddress } = socket
    const leave = peers.enter(remoteAddress)
    if (leave !== undefined) return void socket.once("close", leave)
    socket.destroy()
    options.onRefused?.(remoteAddress)
  })
  return server
}

/**
 * How many services a request can add to its context before Effect copies the context, with all services of the process. A request adds
 * some fifteen; Effect's default is 8.
 */
const maxAdded = 32

type Serve = Parameters<typeof HttpServer.make>[0]["serve"]

/**
 * Serves as the adapter does, with a scope for each of the requests that run. The adapter has the fibers of all requests in the
 * `Map` of one scope. V8 keeps what such a map had when it was last rehashed, which are answers of calls that ended long ago, until
 * the next collection of the whole heap (decision 9).
 */
const serveApart = (server: Server, http: HttpServer.HttpServer["Service"]): Serve =>
  Effect.fnUntraced(function* (app, middleware) {
    // Both end after the drain, which is the adapter's.
    const all = Scope.forkUnsafe(yield* Effect.scope, "parallel")
    yield* Effect.addFinalizer(() => Effect.sync(() => server.off("request", answer)))
    yield* middleware === undefined ? http.serve(app) : http.serve(app, middleware)

    // A handler runs its requests with the scheduler of the effect that made it, and `runSync` would give it a synchronous one.
    const scheduler = yield* Scheduler.Scheduler
    const makeHandler = Effect.suspend(() =>
      NodeHttpServer.makeHandler<HttpServerRequest.HttpServerRequest | Scope.Scope, unknown>(app, {
        middleware,
        scope: Scope.forkUnsafe(all, "parallel")
      })
    ).pipe(Effect.provideService(Scheduler.Scheduler, scheduler))
    const services = yield* Effect.context()
    const run = Effect.runSyncWith(Context.makeUnsafe(services.mapUnsafe, { maxDepth: maxAdded }))
    /** As many as requests have run at once. */
    const idle: Array<(request: IncomingMessage, response: ServerResponse) => void> = []
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      const handle = idle.pop() ?? run(makeHandler)
      response.once("close", () => idle.push(handle))
      handle(request, response)
    }
    server.removeAllListeners("request")
    server.on("request", answer)
  })

export const layerWith = (options: { readonly drainTimeout: Duration.Input; readonly stalledTimeoutMillis?: number }) =>
  Layer.effect(
    HttpServer.HttpServer,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const { host, httpThreads, port } = config
      const run = Effect.runForkWith(yield* Effect.context())
      const log = Outage.logger(
        "Connections of a peer that has as many as it may are closed. If it is your proxy, name it in TRUSTED_PROXIES",
        "Warn"
      )
      const server = make(config, {
        ...options,
        onRefused: (remoteAddress) =>
          void run(
            Effect.andThen(
              Metrics.refused.add({ limit: "connections" }),
              log(new Error(`${remoteAddress ?? "An unknown peer"} has too many`))
            )
          )
      })
      const http = yield* NodeHttpServer.make(() => server, {
        host,
        port,
        // The kernel distributes connections over the threads that listen (HttpThreads).
        reusePort: httpThreads > 1,
        gracefulShutdownTimeout: options.drainTimeout
      })
      // Runs after the drain and before the socket is closed for good, which waits for every connection.
      yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
      return HttpServer.make({ address: http.address, serve: serveApart(server, http) })
    })
  )

/** Fails if the address is in use. */
export const checkFree = (address: { readonly host: string; readonly port: number }) =>
  Effect.callback<void, HttpServerError.ServeError>((resume) => {
    const probe = createNetServer()
    probe.once("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
    probe.listen(address, () => probe.close(() => resume(Effect.void)))
  })

/**
 * Several servers of one user could listen on one port, as the threads of one do. An abstract socket of Linux has one owner, and ends with
 * its process.
 */
const lockAddress = ({ host, port }: { readonly host: string; readonly port: number }) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createNetServer>, HttpServerError.ServeError>((resume) => {
      const lock = createNetServer((socket) => socket.destroy())
      const refuse = (cause: Error) =>
        resume(Effect.fail(new HttpServerError.ServeError({ cause: Object.assign(cause, { address: host, port }) })))
      lock.once("error", refuse)
      lock.listen(`\0discovery ${host} ${port}`, () => resume(Effect.succeed(lock)))
    }),
    (lock) => Effect.sync(() => lock.close())
  )

/** Before the start does any work: fails if the address is in use, and keeps it from other servers for the length of the scope. */
export const claimAddress: Effect.Effect<void, HttpServerError.ServeError, AppConfig | Scope.Scope> = Effect.flatMap(
  AppConfig,
  (config) => Effect.andThen(checkFree(config), config.httpThreads > 1 ? lockAddress(config) : Effect.void)
)

export const layer = layerWith({ drainTimeout: defaultDrainTimeout })
