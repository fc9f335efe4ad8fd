/** Two real PostgreSQL servers: a primary, and a standby that streams from it. For tests of the replica of searches. */
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Database from "../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedPostgresError } from "../../src/services/database/EmbeddedPostgresError.ts"
import { temporaryFolder } from "./PrivatePostgres.ts"
import { familyOf } from "./processes.ts"

/** Both have the same: a standby must not have fewer connections than its primary. */
const flags = [
  "fsync=off",
  "full_page_writes=off",
  "max_connections=100",
  "wal_keep_size=256MB",
  "wal_retrieve_retry_interval=100ms",
  // A search that is in the way of replay is cancelled at once.
  "max_standby_streaming_delay=0"
]

type On = StreamingPair["Service"]["onReplica"]

/** The test's own statements may be in the way of replay as well: cancelled, they are sent again. */
const onReplica =
  (on: On): On =>
  (effect) =>
    Effect.retry(on(effect), {
      times: 50,
      while: (error) => SqlError.isSqlError(error) && error.reason._tag === "SerializationError"
    })

export class StreamingPair extends Context.Service<
  StreamingPair,
  {
    readonly primary: EmbeddedPostgres["Service"]
    readonly replica: EmbeddedPostgres["Service"]
    /** As a machine that hangs: nothing of the replica runs, and its connections stay open. */
    readonly freeze: Effect.Effect<void>
    readonly thaw: Effect.Effect<void>
    /** Statements of the test's own, on a connection of their own. */
    onPrimary<A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Effect.Effect<A, E | SqlError.SqlError>
    onReplica<A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>): Effect.Effect<A, E | SqlError.SqlError>
  }
>()("test/support/StreamingPair") {
  /** `prepare` runs on the primary before it is copied; the copy is a whole server, made while the primary is stopped. */
  static readonly make = <E>(
    prepare: Effect.Effect<void, E, SqlClient.SqlClient> = Effect.void
  ): Effect.Effect<StreamingPair["Service"], E | EmbeddedPostgresError | SqlError.SqlError, Scope.Scope> =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const data = { primary: path.join(folder, "primary"), replica: path.join(folder, "replica") }
      const on =
        (server: EmbeddedPostgres["Service"]) =>
        <A, E2>(effect: Effect.Effect<A, E2, SqlClient.SqlClient>) =>
          Effect.provide(effect, Layer.fresh(Database.layer({ source: server.connection, maxConnections: 2 })))

      const primary = yield* EmbeddedPostgres.make({ dataFolder: data.primary, flags })
      yield* on(primary)(prepare)
      yield* primary.stop
      execFileSync("cp", ["-a", data.primary, data.replica])
      fs.writeFileSync(path.join(data.replica, "standby.signal"), "")
      yield* primary.start
      const replica = yield* EmbeddedPostgres.make({
        dataFolder: data.replica,
        flags: [...flags, `primary_conninfo=host=${primary.connection.host} user=postgres`]
      })

      const signal = (name: NodeJS.Signals) =>
        Effect.sync(() => {
          const postmaster = Number.parseInt(fs.readFileSync(path.join(data.replica, "postmaster.pid"), "utf8"), 10)
          // It comes first: what it might start otherwise would be missed.
          for (const processId of familyOf(postmaster)) {
            try {
              process.kill(processId, name)
            } catch {
              // It ended while we looked.
            }
          }
        })
      const thaw = signal("SIGCONT")
      yield* Effect.addFinalizer(() => Effect.ignoreCause(thaw))
      return {
        primary,
        replica,
        freeze: signal("SIGSTOP"),
        thaw,
        onPrimary: on(primary),
        onReplica: onReplica(on(replica))
      }
    })

  static readonly layer = <E>(prepare?: Effect.Effect<void, E, SqlClient.SqlClient>) =>
    Layer.effect(StreamingPair, StreamingPair.make(prepare))
}
