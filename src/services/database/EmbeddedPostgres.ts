/**
 * A real PostgreSQL without anything to install: for the demo, for tests, for trying the service out.
 *
 * It listens on a Unix socket in a private folder only, keeps its data between starts, and goes when this process goes.
 * When it ends by itself it is logged and started again, a few times a minute at most (CrashRestarts).
 */
import { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Result, Schedule, Semaphore } from "effect"
import type { Scope } from "effect"
import * as path from "node:path"
import * as CrashRestarts from "./CrashRestarts.ts"
import * as DataFolder from "./DataFolder.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import * as PostgresProcess from "./PostgresProcess.ts"
import * as RuntimeFolder from "./RuntimeFolder.ts"

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
    /** A fast shutdown: open transactions are rolled back, connections closed. It stays down until it is started. */
    readonly stop: Effect.Effect<void>
    readonly restart: Effect.Effect<void, EmbeddedPostgresError>
    /** SIGKILL: what a crash or the out-of-memory killer does; but it stays down until it is started. */
    readonly kill: Effect.Effect<void>
  }
>()("discovery/database/EmbeddedPostgres") {
  static readonly make = Effect.fn("EmbeddedPostgres.make")(function* (
    options: EmbeddedPostgresOptions
  ): Effect.fn.Return<EmbeddedPostgres["Service"], EmbeddedPostgresError, Scope.Scope> {
    const dataFolder = path.resolve(options.dataFolder)
    const { runAs, isNew } = yield* DataFolder.inspect(dataFolder)
    const runtimeFolder = yield* RuntimeFolder.make(runAs)
    const native = yield* PostgresBinaries.usable(runtimeFolder, DataFolder.userIds(runAs))

    if (isNew) yield* DataFolder.initialize({ folder: dataFolder, native, runAs, runtimeFolder })

    const connection: EmbeddedConnection = { host: runtimeFolder, username: "postgres", database: "postgres" }
    const settings = ["listen_addresses=", `unix_socket_directories=${runtimeFolder}`, ...(options.flags ?? [])]
    const command = DataFolder.commandFor(runAs, [
      path.join(native, "bin", "postgres"),
      "-D",
      DataFolder.pathFor(runAs, dataFolder),
      ...settings.flatMap((setting) => ["-c", setting])
    ])

    const scope = yield* Effect.scope
    const restarts = CrashRestarts.make()
    let running: PostgresProcess.PostgresProcess | undefined
    /** Not after a stop or a kill by the handle: what ends then was meant to. */
    let isWanted = false
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
        Effect.onError(() => endNow)
      )
      isWanted = true
      yield* Effect.forkIn(watch(launched), scope)
    })

    const startNow = startOnce.pipe(
      Effect.retry({
        while: (error) => passing.test(error.message),
        schedule: Schedule.spaced("50 millis"),
        times: 200
      })
    )

    const watch = Effect.fnUntraced(function* (launched: PostgresProcess.PostgresProcess) {
      const exitCode = yield* launched.exited
      if (!isWanted) return
      yield* Effect.logError(`The embedded PostgreSQL ended by itself with code ${exitCode}; it is started again`, {
        data_folder: dataFolder,
        output: yield* launched.output
      })
      yield* startAgain
    })

    /** Waits without the turn, so that the handle is not kept waiting and may stop or start it meanwhile. */
    const startAgain: Effect.Effect<void> = Effect.gen(function* () {
      for (;;) {
        const delay = yield* restarts.next
        if (Option.isNone(delay)) {
          return yield* Effect.logError(
            `The embedded PostgreSQL is not started again: it did not stay up in ${CrashRestarts.maxRestarts} starts within a minute. ` +
              `Fix what the lines above report, then restart this process.`,
            { data_folder: dataFolder }
          )
        }
        yield* Effect.sleep(delay.value)
        const started = yield* oneAtATime(
          Effect.suspend(() => (isWanted ? Effect.result(startNow) : Effect.succeed(Result.void)))
        )
        if (Result.isSuccess(started)) return
        yield* Effect.logError("The embedded PostgreSQL could not be started again", started.failure)
      }
    })

    const endNow = Effect.suspend(() => running?.stop(`${stopSeconds} seconds`) ?? Effect.void)
    const unwanted = Effect.sync(() => void (isWanted = false))
    const stopNow = Effect.andThen(unwanted, endNow)
    const killNow = Effect.andThen(
      unwanted,
      Effect.suspend(() => running?.kill ?? Effect.void)
    )

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
