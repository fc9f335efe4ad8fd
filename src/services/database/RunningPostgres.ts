/** Finds the embedded server that another process of this service already runs on a data folder. */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { EmbeddedConnection } from "./EmbeddedPostgres.ts"

/** The line of postmaster.pid that names the folder of the Unix socket (PostgreSQL, src/include/utils/pidfile.h). */
const socketLine = 5

/** The connection to that server, if one answers there. */
export const find = (dataFolder: string): Effect.Effect<Option.Option<EmbeddedConnection>> =>
  Effect.gen(function* () {
    const lock = yield* Effect.tryPromise(() => fs.readFile(path.join(dataFolder, "postmaster.pid"), "utf8"))
    const host = lock.split("\n")[socketLine - 1]?.trim()
    if (host === undefined || !path.isAbsolute(host)) return Option.none()
    const connection = { host, username: "postgres", database: "postgres" }
    yield* Effect.scoped(PgConnection.make({ ...connection, connectTimeout: "2 seconds" }))
    return Option.some(connection)
    // No lock, one that cannot be read, or nobody who answers: all mean that no server can be shared.
  }).pipe(Effect.orElseSucceed(() => Option.none()))
