/**
 * A real PostgreSQL without anything to install: for the demo, for tests, for trying the service out.
 *
 * It listens on a Unix socket in a private folder only, keeps its data between starts, and goes when this process goes.
 */
import { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Schedule, Semaphore } from "effect"
import type { Scope } from "effect"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as DataFolder from "./DataFolder.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import * as PostgresProcess from "./PostgresProcess.ts"

export interface EmbeddedPostgresOptions {
  /** Where the data is kept between starts. */
  readonly dataFolder: string
  /** Settings of the server, such as `fsync=off`. */
  readonly flags?: ReadonlyArray<string>
}

/** How to reach the server: `host` is the folder of its Unix socket. Stays the same over restarts. */
export interface EmbeddedConnection {
  readonly host: string
  readonly username: string
  readonly database: string
}

/** A Unix socket's path has at most 103 bytes on every system that we run on. */
const maxSocketPathBytes = 103
const socketName = ".s.PGSQL.5432"
/** Generous, because after a crash recovery replays the log first; a usual start takes a fraction of a second. */
const startSeconds = 90
/** A fast shutdown writes one checkpoint. */
const stopSeconds = 20

export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    readonly connection: EmbeddedConnection
    /** Starts the server if it is not running; returns when it answers queries. */
    readonly start: Effect.Effect<void, EmbeddedPostgresError>
    /** A fast shutdown: open transactions are rolled back, connections closed. */
    readonly stop: Effect.Effect<void>
    readonly restart: Effect.Effect<void, EmbeddedPostgresError>
    /** SIGKILL: what a crash or the out-of-memory killer does. */
    readonly kill: Effect.Effect<void>
  }
>()("discovery/database/EmbeddedPostgres") {
  static readonly make = Effect.fn("EmbeddedPostgres.make")(function* (
    options: EmbeddedPostgresOptions
  ): Effect.fn.Return<EmbeddedPostgres["Service"], EmbeddedPostgresError, Scope.Scope> {
    const dataFolder = path.resolve(options.dataFolder)
    const { runAs, isNew } = yield* DataFolder.inspect(dataFolder)
    const runtimeFolder = yield* Effect.acquireRelease(makeRuntimeFolder(runAs), (folder) =>
      Effect.promise(() => fs.rm(folder, { recursive: true, force: true }).catch(() => undefined))
    )
    const native = yield* PostgresBinaries.usable(runtimeFolder, DataFolder.userIds(runAs))

    if (isNew) yield* DataFolder.initialise({ folder: dataFolder, native, runAs, runtimeFolder })

    const connection: EmbeddedConnection = { host: runtimeFolder, username: "postgres", database: "postgres" }
    const settings = ["listen_addresses=", `unix_socket_directories=${runtimeFolder}`, ...(options.flags ?? [])]
    const command = DataFolder.commandFor(runAs, [
      path.join(native, "bin", "postgres"),
      "-D",
      DataFolder.pathFor(runAs, dataFolder),
      ...settings.flatMap((setting) => ["-c", setting])
    ])

    let running: PostgresProcess.PostgresProcess | undefined
    const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)

    const startOnce = Effect.gen(function* () {
      if (running !== undefined && (yield* running.isRunning)) return
      yield* DataFolder.removeStaleLock(dataFolder)
      const launched = yield* PostgresProcess.launch({
        command,
        folder: runtimeFolder,
        workingFolder: dataFolder,
        user: DataFolder.userIds(runAs)
      })
      running = launched
      const ended = Effect.flatMap(launched.exited, () =>
        Effect.flatMap(launched.output, (output) => Effect.fail(refusal(dataFolder, output)))
      )
      yield* Effect.raceFirst(answers(connection), ended).pipe(
        Effect.timeoutOrElse({
          duration: `${startSeconds} seconds`,
          orElse: () =>
            new EmbeddedPostgresError({
              message: `PostgreSQL did not answer within ${startSeconds} seconds on ${dataFolder}. Start again; its recovery goes on where it stopped.`
            })
        }),
        Effect.onError(() => stopNow)
      )
    })

    const startNow = startOnce.pipe(
      Effect.retry({
        while: (error) => passing.test(error.message),
        schedule: Schedule.spaced("50 millis"),
        times: 200
      })
    )

    const stopNow = Effect.suspend(() => running?.stop(`${stopSeconds} seconds`) ?? Effect.void)
    const killNow = Effect.suspend(() => running?.kill ?? Effect.void)

    yield* Effect.addFinalizer(() => oneAtATime(stopNow))
    yield* oneAtATime(startNow)

    return {
      connection,
      start: oneAtATime(startNow),
      stop: oneAtATime(stopNow),
      restart: oneAtATime(Effect.andThen(stopNow, startNow)),
      kill: oneAtATime(killNow)
    }
  })

  static readonly layer = (options: EmbeddedPostgresOptions): Layer.Layer<EmbeddedPostgres, EmbeddedPostgresError> =>
    Layer.effect(EmbeddedPostgres, EmbeddedPostgres.make(options))
}

const makeRuntimeFolder = (runAs: DataFolder.RunAs): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => {
      const longest = maxSocketPathBytes - `/discovery-XXXXXX/${socketName}`.length
      const base = Buffer.byteLength(os.tmpdir()) <= longest ? os.tmpdir() : "/tmp"
      const folder = await fs.mkdtemp(path.join(base, "discovery-"))
      if (runAs._tag === "User") await fs.chown(folder, runAs.uid, runAs.gid)
      return folder
    },
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `No folder for PostgreSQL's socket can be made in ${os.tmpdir()}. Set TMPDIR to a folder that this user can write to.`,
        cause
      })
  })

/** Connects until the server takes queries: while it starts or recovers it accepts connections only to refuse them. */
const answers = (connection: EmbeddedConnection): Effect.Effect<void> =>
  PgConnection.make({ ...connection, connectTimeout: "5 seconds" }).pipe(
    Effect.asVoid,
    Effect.scoped,
    Effect.retry(Schedule.spaced("10 millis")),
    // Retried without end; the caller bounds it.
    Effect.orDie
  )

/** The memory of a server that was killed; the lock of one that is just writing it. Both pass within moments. */
const passing = /pre-existing shared memory block|lock file "postmaster.pid" is empty/

const refusal = (dataFolder: string, output: string): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    message: output.includes('lock file "postmaster.pid" already exists')
      ? `Another server already uses the data folder ${dataFolder}. Stop it first, or give this one another data folder.`
      : `PostgreSQL ended while starting on ${dataFolder}: ${output}`
  })
