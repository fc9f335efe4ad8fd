/** kill -9 of the server at any moment of the life of its index: what the next one answers from is what the records say. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import { randomChange } from "../../../oracle/changes.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import * as Random from "../../../oracle/Random.ts"
import { temporaryFolder } from "../../../support/PrivatePostgres.ts"
import * as ServerProcess from "../../../support/ServerProcess.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"

/** Transactions from the start of a process until it is killed: while it starts, builds, follows, merges and saves. */
const moments = [20, 60, 100, 150, 250]

const isReady = (port: number) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health/ready`)).pipe(
    Effect.flatMap(({ status }) => (status === 200 ? Effect.void : Effect.fail("not yet"))),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3_000 })
  )

layer(TestDatabase.layer, { excludeTestServices: true })("a server that is killed", (it) => {
  it.effect(
    "leaves nothing from which the next one would answer wrongly",
    () =>
      Effect.gen(function* () {
        yield* loadCatalog(generate(9, 150))
        const { connection } = yield* TestDatabase
        const random = Random.make(9)
        const environment = { DATABASE_URL: ServerProcess.urlOf(connection), INDEX_DIR: yield* temporaryFolder }
        const start = Effect.gen(function* () {
          const port = yield* ServerProcess.freePort
          return { port, server: yield* ServerProcess.start({ ...environment, PORT: String(port) }) }
        })

        for (const changes of moments) {
          const running = Effect.andThen(start, Effect.never)
          const changing = Effect.forEach(Array.from({ length: changes }), () => randomChange(random), {
            discard: true
          })
          // The end of the scope kills the process.
          yield* Effect.scoped(Effect.raceFirst(running, changing))
        }

        const { port, server } = yield* start
        yield* isReady(port)
        assert.strictEqual(yield* server.end("SIGTERM"), 0)
        const { code, err, out } = yield* ServerProcess.command(environment, "catalog", "verify")
        assert.strictEqual(code, 0, out + err)
      }).pipe(Effect.scoped),
    { timeout: 600_000 }
  )
})
