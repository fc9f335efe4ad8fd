/**
 * `GET /metrics` for Prometheus, on an address of its own (Config, `METRICS_PORT`, `METRICS_HOST`). It needs no credential and
 * has no TLS: what it shows is about the service, never about an account.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpServerError } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { createServer } from "node:http"
import { AppConfig } from "../Config.ts"
import * as ThreadMetrics from "../services/metrics/ThreadMetrics.ts"
import * as Server from "./Server.ts"

const path = "/metrics"

/** A scraper has one or two connections, and a request of a few hundred bytes without a body. */
const limits = {
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 8 * 1024,
  /** As in Server: upgraded connections would stay without a timeout, until there are `maxConnections` of them. */
  shouldUpgradeCallback: () => false
}
export const maxConnections = 20

/** The metrics cannot be served on their address. */
export class MetricsServerError extends Schema.TaggedError<MetricsServerError>()("MetricsServerError", {
  cause: Schema.Defect()
}) {}

const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const plain = (status: number, text: string, others: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(text, { status, headers: { ...headers, ...others } })

const scrape = Effect.map(ThreadMetrics.ofProcess(PrometheusMetrics.format()), (text) =>
  HttpServerResponse.text(text, { headers, contentType: "text/plain; version=0.0.4; charset=utf-8" })
)

const answer = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
  if (url.split("?", 1)[0] !== path) return Effect.succeed(plain(404, `There is nothing but ${path} here.\n`))
  return method === "GET" ? scrape : Effect.succeed(plain(405, "Use GET.\n", { allow: "GET" }))
})

const failed = ({ cause }: HttpServerError.ServeError) => new MetricsServerError({ cause })

const addressOf = Effect.map(AppConfig, ({ metricsHost: host, metricsPort }) =>
  Option.map(metricsPort, (port) => ({ host, port }))
)

/** Fails if the address is in use, before the start does any work. */
export const checkAddress = Effect.flatMap(
  addressOf,
  Option.match({
    onNone: () => Effect.void,
    onSome: (address) => Effect.mapError(Server.checkFree(address), failed)
  })
)

/** Nothing without `METRICS_PORT`. */
export const layer = Layer.unwrap(
  Effect.map(
    addressOf,
    Option.match({
      onNone: () => Layer.empty,
      onSome: (address) =>
        Layer.effectDiscard(
          Effect.gen(function* () {
            const make = () => Object.assign(createServer(limits), { maxConnections })
            const server = yield* NodeHttpServer.make(make, { ...address, gracefulShutdownTimeout: "1 second" }).pipe(
              Effect.mapError(failed)
            )
            yield* server.serve(answer)
          })
        )
    })
  )
)
