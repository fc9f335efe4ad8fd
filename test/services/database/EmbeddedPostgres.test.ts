import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import * as path from "node:path"
import * as Database from "../../../src/services/database/Database.ts"
import { type EmbeddedConnection, EmbeddedPostgres } from "../../../src/services/database/EmbeddedPostgres.ts"
import * as RuntimeFolder from "../../../src/services/database/RuntimeFolder.ts"
import { temporaryFolder } from "../../support/PrivatePostgres.ts"
import { allGone, familyOf } from "../../support/processes.ts"

const isRoot = process.geteuid?.() === 0
const nobody = 65_534

const withSql = <A, E>(connection: EmbeddedConnection, use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(Effect.provide(Database.layer({ source: connection })))

const write = (connection: EmbeddedConnection, value: string) =>
  withSql(connection, (sql) => sql`CREATE TABLE kept AS SELECT ${value}::text AS value`)

const read = (connection: EmbeddedConnection) =>
  withSql(connection, (sql) => Effect.map(sql`SELECT value FROM kept`, (rows) => rows[0]?.value))

const start = (dataFolder: string) => EmbeddedPostgres.make({ dataFolder, flags: ["fsync=off"] })

const Held = Schema.fromJsonString(
  Schema.Struct({
    host: Schema.optionalKey(Schema.String),
    username: Schema.optionalKey(Schema.String),
    database: Schema.optionalKey(Schema.String),
    refused: Schema.optionalKey(Schema.String)
  })
)

/** Another process that holds a server, in a process group of its own as in a terminal. */
const hold = (dataFolder: string, uid?: number) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [path.resolve("test/support/holdPostgres.ts"), dataFolder], {
          stdio: ["ignore", "pipe", "inherit"],
          detached: true,
          ...(uid === undefined ? {} : { uid, gid: uid })
        })
      ),
      (running) => Effect.sync(() => running.kill("SIGKILL"))
    )
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    const closed = yield* Effect.forkScoped(
      Effect.callback<void>((resume) => void child.once("close", () => resume(Effect.void))),
      { startImmediately: true }
    )
    yield* Effect.callback<void>((resume) => void child.stdout.once("data", () => resume(Effect.void)))
    const [line = ""] = said.split("\n")
    const processId = child.pid ?? assert.fail("not started")
    return {
      ...(yield* Schema.decodeEffect(Held)(line)),
      processId,
      /** Signals the process, or as a terminal does its whole group, and waits for its end; returns what it said. */
      signal: (signal: NodeJS.Signals, to: "process" | "group" = "process") =>
        Effect.sync(() => process.kill(to === "group" ? -processId : processId, signal)).pipe(
          Effect.andThen(Fiber.join(closed)),
          Effect.map(() => said)
        )
    }
  })

describe("EmbeddedPostgres", () => {
  it.live("keeps its data between starts, and is gone in between", () =>
    Effect.gen(function* () {
      const folder = path.join(yield* temporaryFolder, "a", "data")
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const postgres = yield* start(folder)
          yield* write(postgres.connection, "from the first start")
          return postgres.connection
        })
      )
      assert.isFalse(fs.existsSync(first.host))
      assert.isFalse(fs.existsSync(path.join(folder, "postmaster.pid")))
      const second = yield* start(folder)
      assert.strictEqual(yield* read(second.connection), "from the first start")
    })
  )

  it.live("keeps committed data over a stop, a restart and a kill, at the same address", () =>
    Effect.gen(function* () {
      const postgres = yield* start(path.join(yield* temporaryFolder, "data"))
      yield* write(postgres.connection, "committed")
      yield* postgres.stop
      yield* postgres.stop
      assert.strictEqual((yield* Effect.flip(read(postgres.connection)))._tag, "SqlError")
      yield* postgres.start
      yield* postgres.start
      yield* Effect.andThen(postgres.stop, postgres.start)
      yield* postgres.kill
      yield* postgres.start
      assert.strictEqual(yield* read(postgres.connection), "committed")
    })
  )

  it.live("starts again after a kill, although a query of before still runs", () =>
    Effect.gen(function* () {
      const postgres = yield* start(path.join(yield* temporaryFolder, "data"))
      // It waits for nothing, so it does not notice that its server has gone, and holds on to the server's memory.
      yield* Effect.forkScoped(
        withSql(postgres.connection, (sql) => sql`SELECT count(*) FROM generate_series(1, 5000000) /* busy */`)
      )
      yield* withSql(postgres.connection, (sql) =>
        sql`SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%busy */'`.pipe(
          Effect.filterOrFail((rows) => rows.length > 0),
          Effect.retry({ schedule: Schedule.spaced("5 millis") })
        )
      )
      yield* postgres.kill
      yield* postgres.start
      yield* write(postgres.connection, "started")
    })
  )

  const processIdOf = (folder: string) => {
    const [processId = "", ...more] = fs.readFileSync(path.join(folder, "postmaster.pid"), "utf8").split("\n")
    // PostgreSQL creates the file before it writes it.
    assert.isNotEmpty(more)
    return Number(processId)
  }
  /** What a crash or the out-of-memory killer does. */
  const killFromOutside = (folder: string) => Effect.sync(() => process.kill(processIdOf(folder), "SIGKILL"))
  const soon = { schedule: Schedule.spaced("50 millis") }
  const withLogs = <A, E, R>(use: (logs: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
    const logs: Array<string> = []
    return Effect.provide(use(logs), Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
  }

  it.live("is started again on the same data and address when it dies, each time, and says so", () =>
    withLogs((logs) =>
      Effect.gen(function* () {
        const folder = path.join(yield* temporaryFolder, "data")
        const postgres = yield* start(folder)
        yield* write(postgres.connection, "committed")
        for (const times of [1, 2]) {
          const before = processIdOf(folder)
          yield* killFromOutside(folder)
          // A process of the dead server may still answer on a connection made before.
          const isAnother = Effect.try(() => assert.notStrictEqual(processIdOf(folder), before))
          yield* Effect.retry(isAnother, soon)
          assert.strictEqual(yield* Effect.retry(read(postgres.connection), soon), "committed")
          // Its output is told with it; what it says last may not be written yet when it is killed soon after its start.
          const told = logs.filter((line) => line.includes("is being restarted"))
          assert.lengthOf(told, times)
          for (const line of told) assert.include(line, "starting PostgreSQL")
          // Waits for the end of the restart: one that dies before is a start that failed, and is told in other words.
          yield* postgres.start
        }
      })
    )
  )

  it.live("stays down after a stop and after a kill by its handle, also when it was started again before", () =>
    withLogs((logs) =>
      Effect.gen(function* () {
        const folder = path.join(yield* temporaryFolder, "data")
        const postgres = yield* start(folder)
        yield* write(postgres.connection, "committed")
        yield* killFromOutside(folder)
        yield* Effect.retry(read(postgres.connection), soon)
        const said = logs.length
        for (const end of [postgres.stop, postgres.kill]) {
          yield* postgres.start
          yield* end
          assert.strictEqual((yield* Effect.flip(read(postgres.connection)))._tag, "SqlError")
        }
        assert.strictEqual(logs.length, said)
      })
    )
  )

  it.live("gives up after a few failed starts and logs the cause; its handle can start it after the correction", () =>
    withLogs((logs) =>
      Effect.gen(function* () {
        const folder = path.join(yield* temporaryFolder, "data")
        const postgres = yield* start(folder)
        yield* write(postgres.connection, "committed")
        fs.renameSync(path.join(folder, "PG_VERSION"), path.join(folder, "moved"))
        yield* killFromOutside(folder)
        const hasGivenUp = Effect.try(() => assert.isTrue(logs.some((line) => line.includes("is not restarted"))))
        yield* Effect.retry(hasGivenUp, soon)
        const failed = logs.filter((line) => line.includes("could not be restarted"))
        assert.lengthOf(failed, 5)
        assert.include(failed[0], "PG_VERSION")
        fs.renameSync(path.join(folder, "moved"), path.join(folder, "PG_VERSION"))
        yield* postgres.start
        assert.strictEqual(yield* read(postgres.connection), "committed")
      })
    )
  )

  it.live("listens on a socket that only this user can reach, and nowhere else", () =>
    Effect.gen(function* () {
      const postgres = yield* start(path.join(yield* temporaryFolder, "data"))
      assert.strictEqual(fs.statSync(postgres.connection.host).mode & 0o777, 0o700)
      assert.isAtMost(Buffer.byteLength(path.join(postgres.connection.host, ".s.PGSQL.5432")), 103)
      const addresses = yield* withSql(postgres.connection, (sql) => sql`SHOW listen_addresses`)
      assert.deepStrictEqual(addresses, [{ listen_addresses: "" }])
    })
  )

  it.live("compares letters in the same way on every machine", () =>
    Effect.gen(function* () {
      const postgres = yield* start(path.join(yield* temporaryFolder, "data"))
      const rows = yield* withSql(
        postgres.connection,
        (sql) => sql`SELECT lower('ÀÖЖ') AS folded, 'É' ~* '^é$' AS matches, 'Z' < 'a' AS ordered`
      )
      assert.deepStrictEqual(rows, [{ folded: "àöж", matches: true, ordered: true }])
    })
  )

  for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
    it.live(`leaves no process and no folder behind when its process gets ${signal}`, () =>
      Effect.gen(function* () {
        const folder = path.join(yield* temporaryFolder, "data")
        const held = yield* hold(folder)
        const socketFolder = held.host ?? assert.fail(held.refused)
        const family = familyOf(held.processId)
        // This process, the shell with its watcher, PostgreSQL and its own processes.
        assert.isAbove(family.length, 6)
        yield* write({ host: socketFolder, username: "postgres", database: "postgres" }, "kept")
        yield* held.signal(signal)
        yield* allGone(family)
        assert.isFalse(fs.existsSync(socketFolder))
        assert.isFalse(fs.existsSync(path.join(folder, "postmaster.pid")))
        assert.strictEqual(yield* read((yield* start(folder)).connection), "kept")
      })
    )
  }

  it.live("answers queries until its process has drained, also when Ctrl-C reaches the whole group", () =>
    Effect.gen(function* () {
      const held = yield* hold(path.join(yield* temporaryFolder, "data"))
      assert.include(yield* held.signal("SIGINT", "group"), `{"drained":true}`)
    })
  )

  it.live("refuses a second server on the same data, in this process and in another", () =>
    Effect.gen(function* () {
      const folder = path.join(yield* temporaryFolder, "data")
      const first = yield* start(folder)
      yield* write(first.connection, "first")
      const refused = yield* Effect.flip(start(folder))
      assert.match(refused.message, /Another server already uses the data folder .*\. Stop it first/)
      assert.strictEqual((yield* hold(folder)).refused, refused.message)
      assert.strictEqual(yield* read(first.connection), "first")
    })
  )

  it.live("completes one of two concurrent first starts", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryFolder
      const folder = path.join(parent, "data")
      const results = yield* Effect.all([Effect.result(start(folder)), Effect.result(start(folder))], {
        concurrency: 2
      })
      const tags = results.map((result) => result._tag)
      assert.sameMembers(tags, ["Success", "Failure"])
      assert.deepStrictEqual(fs.readdirSync(parent), ["data"])
      const loser = results.find((result) => result._tag === "Failure")
      if (loser?._tag === "Failure") assert.match(loser.failure.message, /Another server already uses the data folder/)
      const winner = results.find((result) => result._tag === "Success")
      if (winner?._tag === "Success") yield* write(winner.success.connection, "whole")
    })
  )

  it.live("clears away what a killed first start has left, but not what a running one is making", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryFolder
      const abandoned = path.join(parent, "data.init-999999999-abcdef")
      // In a container, the process that was killed had the id of this one.
      const ofSameId = path.join(parent, `data.init-${process.pid}-abcdef`)
      const running = path.join(parent, `data.init-${process.ppid}-abcdef`)
      for (const draft of [abandoned, ofSameId, running]) {
        fs.mkdirSync(draft)
        fs.writeFileSync(path.join(draft, "PG_VERSION"), "18\n")
      }
      const postgres = yield* start(path.join(parent, "data"))
      yield* write(postgres.connection, "fresh")
      assert.sameMembers(fs.readdirSync(parent), ["data", path.basename(running)])
    })
  )

  it.live("clears away the socket's folder of a start that was killed with its PostgreSQL, and no other", () =>
    Effect.gen(function* () {
      const make = RuntimeFolder.make({ _tag: "Self" })
      const own = yield* make
      const temporary = path.dirname(own)
      // No process has this id.
      const gone = 999_999_999
      const folderOf = (name: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const folder = path.join(temporary, name)
            fs.mkdirSync(folder)
            return folder
          }),
          (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
        )
      const abandoned = yield* folderOf(`discovery-${gone}-aBc123`)
      fs.writeFileSync(path.join(abandoned, ".s.PGSQL.5432.lock"), `${gone}\n`)
      const ofSameId = yield* folderOf(`discovery-${process.pid}-aBc123`)
      const ofRunning = yield* folderOf(`discovery-${process.ppid}-aBc123`)
      const ofOthers = yield* folderOf(`discovery-${gone}-aBc123-of-others`)
      const listened = yield* folderOf(`discovery-${gone}-dEf456`)
      const listener = createServer()
      yield* Effect.acquireRelease(
        Effect.promise(
          () => new Promise<void>((resolve) => void listener.listen(path.join(listened, ".s.PGSQL.5432"), resolve))
        ),
        () => Effect.sync(() => listener.close())
      )
      // Also not where a folder of this name only leads to.
      const link = path.join(temporary, `discovery-${gone}-gHi789`)
      yield* Effect.acquireRelease(
        Effect.sync(() => fs.symlinkSync(ofOthers, link)),
        () => Effect.sync(() => fs.rmSync(link, { force: true }))
      )

      yield* make
      for (const gone of [abandoned, ofSameId]) assert.isFalse(fs.existsSync(gone), gone)
      for (const kept of [own, ofRunning, ofOthers, listened, link]) assert.isTrue(fs.existsSync(kept), kept)
    })
  )

  it.live("leaves nothing of a first start that is interrupted", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryFolder
      const starting = yield* Effect.forkChild(Effect.scoped(start(path.join(parent, "data"))))
      const isMaking = Effect.sync(() => fs.readdirSync(parent).some((name) => name.startsWith("data.init-")))
      yield* Effect.repeat(isMaking, { until: (is) => is })
      yield* Fiber.interrupt(starting)
      assert.deepStrictEqual(fs.readdirSync(parent), [])
    })
  )

  it.live.skipIf(process.platform !== "linux")(
    "ignores the lock of a killed server whose id another program has now",
    () =>
      Effect.gen(function* () {
        const folder = path.join(yield* temporaryFolder, "data")
        const postgres = yield* start(folder)
        yield* write(postgres.connection, "kept")
        const lock = fs.readFileSync(path.join(folder, "postmaster.pid"), "utf8")
        yield* postgres.kill
        const other = yield* Effect.acquireRelease(
          Effect.sync(() => spawn("sleep", ["60"])),
          (sleeping) => Effect.sync(() => sleeping.kill("SIGKILL"))
        )
        fs.writeFileSync(path.join(folder, "postmaster.pid"), lock.replace(/^\d+/, String(other.pid)))
        yield* postgres.start
        assert.strictEqual(yield* read(postgres.connection), "kept")
      })
  )

  const unfit: ReadonlyArray<readonly [what: string, make: (folder: string) => void, message: RegExp]> = [
    ["is a file", (folder) => fs.writeFileSync(folder, ""), /is a file, but should be the data folder/],
    [
      "holds other files",
      (folder) => {
        fs.mkdirSync(folder)
        fs.writeFileSync(path.join(folder, "notes.txt"), "")
      },
      /holds files that are not PostgreSQL's\. Move them away/
    ],
    [
      "was written by another version",
      (folder) => {
        fs.mkdirSync(folder)
        fs.writeFileSync(path.join(folder, "PG_VERSION"), "16\n")
      },
      /was written by PostgreSQL 16, but this is 18/
    ]
  ]
  for (const [what, make, message] of unfit) {
    it.live(`refuses a data folder that ${what}, and leaves it as it is`, () =>
      Effect.gen(function* () {
        const folder = path.join(yield* temporaryFolder, "data")
        make(folder)
        const before = fs.statSync(folder).mtimeMs
        assert.match((yield* Effect.flip(start(folder))).message, message)
        assert.strictEqual(fs.statSync(folder).mtimeMs, before)
      })
    )
  }

  it.live("uses a data folder that exists and is empty", () =>
    Effect.gen(function* () {
      const postgres = yield* start(yield* temporaryFolder)
      yield* write(postgres.connection, "here")
    })
  )

  it.live("says what is wrong with a setting", () =>
    Effect.gen(function* () {
      const dataFolder = path.join(yield* temporaryFolder, "data")
      const refused = yield* Effect.flip(EmbeddedPostgres.make({ dataFolder, flags: ["work_mem=much"] }))
      assert.match(refused.message, /ended while starting .*invalid value for parameter "work_mem"/s)
    })
  )

  describe.runIf(isRoot)("as root", () => {
    it.live("runs on another user's data as that user", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        fs.chownSync(folder, nobody, nobody)
        const first = yield* Effect.scoped(
          Effect.gen(function* () {
            const postgres = yield* start(folder)
            yield* write(postgres.connection, "theirs")
            return postgres
          })
        )
        assert.isFalse(fs.existsSync(first.connection.host))
        assert.strictEqual(fs.statSync(path.join(folder, "PG_VERSION")).uid, nobody)
        assert.strictEqual(yield* read((yield* start(folder)).connection), "theirs")
      })
    )

    it.live("refuses another user's data with an error that says what to do", () =>
      Effect.gen(function* () {
        const parent = yield* temporaryFolder
        fs.chmodSync(parent, 0o755)
        const folder = path.join(parent, "data")
        yield* Effect.scoped(start(folder))
        const held = yield* hold(folder, nobody - 1)
        const owner = fs.statSync(folder).uid === 0 ? "root" : "the user with uid 65534"
        assert.include(held.refused, `belongs to ${owner}, but this process runs as uid 65533. Start as that user`)
      })
    )

    it.live("runs as an ordinary user", () =>
      Effect.gen(function* () {
        const parent = yield* temporaryFolder
        fs.chownSync(parent, nobody, nobody)
        const held = yield* hold(path.join(parent, "data"), nobody)
        assert.isUndefined(held.refused)
        const family = familyOf(held.processId)
        yield* held.signal("SIGTERM")
        yield* allGone(family)
      })
    )
  })
})
