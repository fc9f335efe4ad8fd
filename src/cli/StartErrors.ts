/** Explains in a line or two why a command could not start. */
import { Schema } from "effect"
import type { Config } from "effect"
import type { HttpServerError } from "effect/http"
import type { Migrator, SqlError } from "effect/sql"
import type { MetricsServerError } from "../http/MetricsServer.ts"
import type { DemoAccountsError } from "../services/accounts/DemoAccounts.ts"
import type { EmbeddedPostgresError } from "../services/database/EmbeddedPostgresError.ts"

export type StartError =
  | Config.ConfigError
  | DemoAccountsError
  | EmbeddedPostgresError
  | HttpServerError.ServeError
  | MetricsServerError
  | Migrator.MigrationError
  | SqlError.SqlError

/** What Node says of an address that it cannot listen on; without `port` for one that it cannot resolve. */
const isListenError = Schema.is(
  Schema.Struct({ code: Schema.String, address: Schema.optional(Schema.String), port: Schema.optional(Schema.Int) })
)

const address = (cause: unknown, port = "PORT", host = "HOST"): string => {
  if (!isListenError(cause)) return cause instanceof Error ? cause.message : String(cause)
  const at = cause.address?.includes(":") === true ? `[${cause.address}]` : (cause.address ?? host)
  const where = cause.port === undefined ? at : `${at}:${cause.port}`
  switch (cause.code) {
    case "EADDRINUSE":
      return `another program listens on ${where} already. Stop it, or set ${port} to another number.`
    case "EACCES":
      return `this user may not listen on ${where}. Set ${port} to a number above 1023.`
    case "EADDRNOTAVAIL":
      return `this machine does not have the address ${at}. Set ${host} to one of its own, or 0.0.0.0.`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `no address is known for ${host}. Set it to an address of this machine, or 0.0.0.0.`
    default:
      return cause instanceof Error ? cause.message : cause.code
  }
}

/**
 * The innermost cause says whether it was the host, the port, the role or the database. No message contains the URL.
 */
const reason = (error: Error): string =>
  error.cause instanceof Error && error.cause.message !== "" ? reason(error.cause) : error.message

export const explain = (error: StartError): string => {
  switch (error._tag) {
    case "ConfigError":
      // The message ends with the name of the variable in brackets.
      return `The configuration is wrong.\n${error.message.replace(/^SchemaError\(([\s\S]*)\)$/u, "$1")}`
    case "DemoAccountsError":
    case "EmbeddedPostgresError":
      return error.message
    case "ServeError":
      return `The server cannot listen: ${address(error.cause)}`
    case "MetricsServerError":
      return `The metrics cannot be served: ${address(error.cause, "METRICS_PORT", "METRICS_HOST")}`
    case "MigrationError":
      return `The database could not be brought to this version: ${error.message}`
    case "SqlError":
      return `The database cannot be used: ${reason(error)}. Check DATABASE_URL and that PostgreSQL answers there.`
  }
}
