/** Logs to standard error, and, where a collector is configured, traces, metrics and logs over OTLP. */
import { Effect, Layer, Logger, Option, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { hostname } from "node:os"
import { isMainThread, threadId } from "node:worker_threads"
import { AppConfig } from "../Config.ts"
import type { AppSettings } from "../Config.ts"
import * as LogLines from "./LogLines.ts"

/** Machine-readable formats go to standard error, so that the output of a command can be piped. */
const loggers = {
  pretty: Logger.consolePretty(),
  logfmt: LogLines.toStandardError(LogLines.logfmt),
  json: LogLines.toStandardError(LogLines.json)
} as const

export const formatOf = ({ logFormat }: Pick<AppSettings, "logFormat">): keyof typeof loggers =>
  Option.getOrElse(logFormat, () => (process.stderr.isTTY ? "pretty" : "json"))

/** Distinguishes what several threads of a process export, because a collector adds up nothing that has the same resource. */
const ofThread = isMainThread
  ? {}
  : { attributes: { "service.instance.id": `${hostname()} ${process.pid} ${threadId}` } }

export const layer = Layer.unwrap(
  Effect.map(AppConfig, (config) => {
    const logs = Layer.merge(
      Logger.layer([loggers[formatOf(config)]]),
      Layer.succeed(References.MinimumLogLevel, config.logLevel)
    )
    return Option.match(config.otlpEndpoint, {
      onNone: () => logs,
      onSome: (baseUrl) =>
        // Adds a logger to the existing ones, so it must be on top of them.
        Otlp.layer({ baseUrl, resource: { serviceName: "discovery", ...ofThread }, shutdownTimeout: "2 seconds" }).pipe(
          Layer.provide(OtlpSerialization.layerJson),
          Layer.provide(FetchHttpClient.layer),
          Layer.provideMerge(logs)
        )
    })
  })
)
