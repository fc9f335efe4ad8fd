/**
 * PostgreSQL with a synchronous standby behind a virtual address, as a manager of a cluster runs it: it promotes the standby
 * when the primary is gone, moves the address, and makes a new standby of the old primary's place. While there is no standby, commits do
 * not wait for one.
 */
import { Effect, Exit, Schedule, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Database from "../../src/services/database/Database.ts"
import { EmbeddedPostgres } from "../../src/services/database/EmbeddedPostgres.ts"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import { rowOf } from "../../src/services/database/Rows.ts"
import { familyOf } from "../../test/support/processes.ts"
import * as Relay from "./Relay.ts"
import { inTime } from "./Servers.ts"

/** A PostgreSQL of the cluster. */
interface Member {
  readonly disk: Disk
  readonly postgres: EmbeddedPostgres["Service"]
  readonly scope: Scope.Closeable
}

interface Disk {
  readonly folder: string
  readonly data: string
}

const settings = [
  "max_connections=120",
  "shared_buffers=32MB",
  "max_wal_size=96MB",
  "wal_keep_size=64MB",
  "wal_sender_timeout=10s",
  "wal_receiver_timeout=10s",
  // The default of 5 seconds is what commits would wait for after a restart of the primary.
  "wal_retrieve_retry_interval=200ms",
  "logging_collector=on",
  "log_filename=postgres.log"
]
/** Holds a cluster of the demo data three times. */
const diskMegabytes = 512
const socketName = ".s.PGSQL.5432"
/** Between the death of the primary and the promotion: what a manager that looks twice a second needs. */
const noticing = "1 second"
const standbyName = "standby"

const decodePosition = rowOf(Schema.Struct({ lsn: Schema.String }))

/** Runs a program to its end; gives its exit code. */
const run = (command: string, args: ReadonlyArray<string>): Promise<number> =>
  new Promise((resolve) => {
    execFile(command, args, (error) => resolve(error === null ? 0 : typeof error.code === "number" ? error.code : 1))
  })

const poll = Schedule.spaced("50 millis")

const signal = (ids: ReadonlyArray<number>, name: NodeJS.Signals) => {
  for (const id of ids) {
    try {
      process.kill(id, name)
    } catch {
      // It has ended.
    }
  }
}

/** As a superuser, past the virtual address, over a connection of its own. */
const on = <A, E>(connection: EmbeddedConnection, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  effect.pipe(
    Effect.provide(Database.layer({ source: connection, maxConnections: 1, statementTimeoutMillis: 120_000 })),
    Effect.scoped
  )

/** A file system of its own where that is permitted, so that it can be filled. */
const mountDisk = (folder: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await fs.mkdir(folder, { recursive: true })
      const code = await run("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "tmpfs", folder])
      return code === 0
    }),
    (isMounted) => (isMounted ? Effect.promise(() => run("umount", ["-l", folder])) : Effect.void)
  )

export type Cluster = Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function* (folder: string) {
  const outer = yield* Effect.scope
  const disks: ReadonlyArray<Disk> = ["a", "b"].map((name) => {
    const disk = path.join(folder, `disk-${name}`)
    return { folder: disk, data: path.join(disk, "data") }
  })
  const mounted = yield* Effect.forEach(disks, (disk) => mountDisk(disk.folder))

  const start = Effect.fnUntraced(function* (disk: Disk, flags: ReadonlyArray<string>) {
    const scope = yield* Scope.fork(outer)
    const postgres = yield* EmbeddedPostgres.make({ dataFolder: disk.data, flags: [...settings, ...flags] }).pipe(
      Scope.provide(scope),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    return { disk, postgres, scope }
  })

  const [first, second] = disks
  if (first === undefined || second === undefined) return yield* Effect.die(new Error("there are two disks"))
  let primary: Member = yield* start(first, [])
  let standby: Member | undefined
  /** Where the virtual address leads to; nowhere while the database fails over. */
  let isReachable = true
  const relay = yield* Relay.make(() =>
    isReachable
      ? [{ name: primary.disk.data, address: { path: path.join(primary.postgres.connection.host, socketName) } }]
      : []
  )

  const onPrimary = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>, database = "postgres") =>
    Effect.suspend(() => on({ ...primary.postgres.connection, database }, effect))

  /** Commits wait for the standby, or do not. Those that wait already go on when they no longer have to. */
  const synchronous = (isSo: boolean) =>
    onPrimary(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(`ALTER SYSTEM SET synchronous_standby_names = '${isSo ? standbyName : ""}'`)
        yield* sql`SELECT pg_reload_conf()`
      })
    )

  const position = onPrimary(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return yield* decodePosition(sql`SELECT pg_current_wal_lsn()::text AS lsn`)
    })
  )
  /** Whether the standby has written everything up to this position. One that is frozen still counts as streaming. */
  const hasWritten = (lsn: string) =>
    onPrimary(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND flush_lsn >= ${lsn}::text::pg_lsn`
        return rows.length > 0
      })
    )
  const untilStreaming = Effect.flatMap(position, ({ lsn }) =>
    Effect.repeat(hasWritten(lsn), { schedule: poll, until: (is) => is })
  ).pipe(inTime("the standby did not stream"))
  /** The manager finds out that the standby is gone, and lets commits go on without it. */
  const dropStandby = Effect.andThen(Effect.sleep(noticing), synchronous(false))
  /** The standby has caught up, and commits wait for it again. */
  const readmitStandby = Effect.andThen(untilStreaming, synchronous(true))

  /** A copy of the running primary, as a base backup makes it. */
  const copyTo = (disk: Disk) =>
    onPrimary(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const from = primary.disk.data
        yield* Effect.promise(() => fs.rm(disk.data, { recursive: true, force: true }))
        yield* sql`SELECT pg_backup_start('faults', true)::text`
        // Files that vanish meanwhile are those that the log makes again.
        yield* Effect.promise(() => run("cp", ["-a", from, disk.data]))
        const [label] = yield* sql<{ labelfile: string }>`SELECT labelfile FROM pg_backup_stop(false)`
        yield* Effect.promise(async () => {
          for (const name of ["postmaster.pid", "postmaster.opts", "pg_wal"]) {
            await fs.rm(path.join(disk.data, name), { recursive: true, force: true })
          }
          await fs.mkdir(path.join(disk.data, "pg_wal"), { mode: 0o700 })
          await fs.writeFile(path.join(disk.data, "backup_label"), label?.labelfile ?? "")
          await fs.writeFile(path.join(disk.data, "standby.signal"), "")
          await fs.writeFile(path.join(disk.data, "postgresql.auto.conf"), "")
          // Root's PostgreSQL may run as another user.
          const { gid, uid } = await fs.stat(from)
          await run("chown", ["-R", `${uid}:${gid}`, disk.data])
        })
      })
    )

  const addStandby = (disk: Disk) =>
    Effect.gen(function* () {
      yield* copyTo(disk)
      const { host, username } = primary.postgres.connection
      standby = yield* start(disk, [`primary_conninfo=host=${host} user=${username} application_name=${standbyName}`])
      yield* readmitStandby
    })

  const postmaster = (member: Member) =>
    Effect.promise(async () =>
      Number.parseInt(await fs.readFile(path.join(member.disk.data, "postmaster.pid"), "utf8"), 10)
    )
  /** The postmaster and all its processes stand still, as those of a machine that hangs. Gives what lets them go on. */
  const freeze = (member: Member) =>
    Effect.map(postmaster(member), (id) => {
      const family = familyOf(id)
      signal(family, "SIGSTOP")
      return Effect.sync(() => signal(family, "SIGCONT"))
    })

  /** The old primary must be gone, so that nothing writes to it any more. */
  const promote = Effect.gen(function* () {
    const next = standby
    if (next === undefined) return yield* Effect.die(new Error("there is no standby"))
    yield* on(
      next.postgres.connection,
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT pg_promote(true, 60)`)
    )
    const old = primary
    primary = next
    standby = undefined
    isReachable = true
    return old
  })

  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${relay.port}/${database}`
  const ballast = () => path.join(primary.disk.folder, "ballast")

  return {
    port: relay.port,
    url: urlOf("postgres"),
    urlOf,
    relay,
    /** What both have logged since they were made. */
    logs: () => disks.map(({ data }) => path.join(data, "log", "postgres.log")),
    /** Whether disks can be filled. */
    hasOwnDisks: mounted.every(Boolean),
    onPrimary,
    addFirstStandby: addStandby(second),
    killPrimary: Effect.suspend(() => primary.postgres.kill),
    stopPrimary: Effect.suspend(() => primary.postgres.stop),
    startPrimary: Effect.suspend(() => primary.postgres.start),
    freezePrimary: Effect.suspend(() => freeze(primary)),
    /** One process of a connection; PostgreSQL then ends all others and recovers. */
    killBackend: onPrimary(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ pid: number }>`
          SELECT pid FROM pg_stat_activity WHERE application_name = 'discovery' AND pid <> pg_backend_pid()
          ORDER BY pid LIMIT 1`
        if (row !== undefined) signal([row.pid], "SIGKILL")
      })
    ),
    /** The primary dies, and the manager promotes the standby. */
    failOver: Effect.gen(function* () {
      yield* primary.postgres.kill
      isReachable = false
      relay.cut()
      yield* Effect.sleep(noticing)
      return yield* promote
    }),
    /** The primary hangs: the manager ends it first. */
    failOverFrozen: Effect.gen(function* () {
      const family = familyOf(yield* postmaster(primary))
      signal(family, "SIGSTOP")
      yield* Effect.sleep(noticing)
      isReachable = false
      relay.cut()
      yield* primary.postgres.kill
      signal(family, "SIGKILL")
      return yield* promote
    }),
    /** Planned: the primary ends in order, and has sent everything to the standby by then. */
    switchOver: Effect.gen(function* () {
      yield* primary.postgres.stop
      isReachable = false
      relay.cut()
      return yield* promote
    }),
    /** In the place of the old primary. */
    replace: (old: Member) =>
      Effect.gen(function* () {
        yield* Scope.close(old.scope, Exit.void)
        yield* addStandby(old.disk)
      }),
    killStandby: Effect.suspend(() => Effect.andThen(standby?.postgres.kill ?? Effect.void, dropStandby)),
    startStandby: Effect.suspend(() => Effect.andThen(standby?.postgres.start ?? Effect.void, readmitStandby)),
    /** It is not dead: its connection to the primary stays, and commits wait until the manager no longer counts on it. */
    freezeStandby: Effect.suspend(() => (standby === undefined ? Effect.succeed(Effect.void) : freeze(standby))),
    dropStandby,
    readmitStandby,
    /** In order, as at an update. The manager looks after its time whether the standby is back. */
    restartStandby: Effect.suspend(() => {
      const { start, stop } = standby?.postgres ?? { start: Effect.void, stop: Effect.void }
      const watched = Effect.gen(function* () {
        const { lsn } = yield* position
        yield* Effect.sleep(noticing)
        if (!(yield* hasWritten(lsn))) yield* synchronous(false)
      })
      return Effect.all([Effect.andThen(stop, start), watched], { concurrency: 2, discard: true })
    }),
    fillDisk: Effect.promise(async () => {
      const file = await fs.open(ballast(), "w")
      try {
        const megabyte = Buffer.alloc(1 << 20, 1)
        for (let written = 0; written < diskMegabytes; written++) await file.write(megabyte)
      } catch {
        // The disk is full.
      } finally {
        await file.close()
      }
    }),
    freeDisk: Effect.promise(() => fs.rm(ballast(), { force: true }))
  }
})
