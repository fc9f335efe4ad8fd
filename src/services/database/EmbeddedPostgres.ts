/**
 * A PostgreSQL from npm, for the demo, tests and trials.
 *
 * It listens only on a Unix socket in a private folder, keeps its data between starts, and ends with this process. After a
 * crash it is started again, a few times a minute at most.
 */
import { PgConnection } from "@effect/sql-pg"
import { Clock, Context, Duration, Effect, Layer, Option, Result, Schedule, Semaphore } from "effect"
import type { Scope } from "effect"
import * as path from "node:path"
import * as WholeFile from "../WholeFile.ts"
import * as DataFolder from "./DataFolder.ts"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import * as PostgresBinaries from "./PostgresBinaries.ts"
import * as PostgresProcess from "./PostgresProcess.ts"
import * as RuntimeFolder from "./RuntimeFolder.ts"

export interface EmbeddedPostgresOptions {
  readonly dataFolder: string
  /** Settings of the server, such as `fsync=off`. */
  readonly flags?: ReadonlyArray<string>
}

/** `host` is the folder of the server's Unix socket. The same after restarts. */
export interface EmbeddedConnection {
  readonly host: string
  readonly username: string
  readonly database: string
}

/** Includes the recovery after a crash; a usual start takes a fraction of a second. */
const startSeconds = 90
/** A fast shutdown writes one checkpoint. */
const stopSeconds = 20

export class EmbeddedPostgres extends Context.Service<
  EmbeddedPostgres,
  {
    readonly connection: EmbeddedConnection
    /** Starts the server if it is not running; returns when it answers queries. */
    readonly start: Effect.Effect<void, EmbeddedPostgresError>
    /** A fast shutdown: rolls back open transactions. The server stays down until {@link start}. */
    readonly stop: Effect.Effect<void>
    /** SIGKILL, for tests of crashes. The server stays down until {@link start}. */
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
    const nextRestart = crashRestarts()
    let running: PostgresProcess.PostgresProcess | undefined
    /** False after `stop` and `kill`, so that the end is not taken for a crash. */
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
              message: `PostgreSQL did not answer within ${startSeconds} seconds on ${dataFolder}. Start again; the recovery continues where it stopped.`
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
      yield* Effect.logError(`The embedded PostgreSQL exited with code ${exitCode} and is being restarted`, {
        data_folder: dataFolder,
        output: yield* launched.output
      })
      yield* startAgain
    })

    /** Waits without the semaphore, so that `stop` and `start` are not delayed. */
    const startAgain: Effect.Effect<void> = Effect.gen(function* () {
      for (;;) {
        const delay = yield* nextRestart
        if (Option.isNone(delay)) {
          return yield* Effect.logError(
            `The embedded PostgreSQL is not restarted: it did not stay up in ${maxRestarts} starts within a minute. ` +
              `Fix what the lines above report, then restart this process.`,
            { data_folder: dataFolder }
          )
        }
        yield* Effect.sleep(delay.value)
        const started = yield* oneAtATime(
          Effect.suspend(() => (isWanted ? Effect.result(startNow) : Effect.succeed(Result.void)))
        )
        if (Result.isSuccess(started)) return
        yield* Effect.logError("The embedded PostgreSQL could not be restarted", started.failure)
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
      kill: oneAtATime(killNow)
    }
  })

  static readonly layer = (options: EmbeddedPostgresOptions): Layer.Layer<EmbeddedPostgres, EmbeddedPostgresError> =>
    Layer.effect(EmbeddedPostgres, EmbeddedPostgres.make(options))
}

/** Connects until the server accepts queries: while it starts or recovers, it refuses connections. */
const answers = (connection: EmbeddedConnection): Effect.Effect<void> =>
  PgConnection.make({ ...connection, connectTimeout: "5 seconds" }).pipe(
    Effect.asVoid,
    Effect.scoped,
    Effect.retry(Schedule.spaced("10 millis")),
    // Retried without end; the caller has a timeout.
    Effect.orDie
  )

/** Temporary causes: the shared memory of a killed server, or a lock file that is being written. */
const passing = /pre-existing shared memory block|lock file "postmaster.pid" is empty/

const refusal = (dataFolder: string, output: string): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    message: output.includes('lock file "postmaster.pid" already exists')
      ? `Another server already uses the data folder ${dataFolder}. Stop it first, or give this one another data folder.`
      : `PostgreSQL ended while starting on ${dataFolder}: ${output}`
  })

const restartWindowMillis = 60_000
const maxRestarts = 5
const firstRestartDelayMillis = 250

/** Counts one more start, and gives the wait before it; none when there were too many in the last minute. */
const crashRestarts = (): Effect.Effect<Option.Option<Duration.Duration>> => {
  let times: ReadonlyArray<number> = []
  return Effect.map(Clock.currentTimeMillis, (now) => {
    times = times.filter((time) => now - time < restartWindowMillis)
    if (times.length >= maxRestarts) return Option.none()
    // The first one does not wait: every query fails until then.
    const delay = times.length === 0 ? 0 : firstRestartDelayMillis * 2 ** (times.length - 1)
    times = [...times, now]
    return Option.some(Duration.millis(delay))
  })
}

const maxLockBytes = 4_096
/** The line of postmaster.pid that names the folder of the Unix socket (PostgreSQL, src/include/utils/pidfile.h). */
const socketLine = 5

/** The connection to the server that another process of this service runs on the folder, if one answers there. */
export const findRunning = (dataFolder: string): Effect.Effect<Option.Option<EmbeddedConnection>> =>
  Effect.gen(function* () {
    const lock = yield* WholeFile.text(path.join(dataFolder, "postmaster.pid"), maxLockBytes)
    const host = lock.split("\n")[socketLine - 1]?.trim()
    if (host === undefined || !path.isAbsolute(host)) return Option.none()
    const connection = { host, username: "postgres", database: "postgres" }
    yield* Effect.scoped(PgConnection.make({ ...connection, connectTimeout: "2 seconds" }))
    return Option.some(connection)
    // Without a readable lock or an answer there is no server to share.
  }).pipe(Effect.orElseSucceed(() => Option.none()))
