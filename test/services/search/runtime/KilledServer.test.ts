/** kill -9 of the server at any moment of the life of its index: what the next one answers from is what the records say. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { loadCatalog } from "../../../oracle/loadCatalog.ts"
import { change, randomChange } from "../../../oracle/changes.ts"
import { generate } from "../../../oracle/NaiveCatalog.ts"
import * as Random from "../../../oracle/Random.ts"
import { temporaryFolder } from "../../../support/PrivatePostgres.ts"
import * as Scrape from "../../../support/Scrape.ts"
import * as ServerProcess from "../../../support/ServerProcess.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"

/** Transactions from the start of a process until it is killed: while it starts, builds, follows, merges deltas and saves. */
const moments = [20, 60, 100, 150, 250]
/** The same from the moment when a list has a delta that is merged into its base, by the merge thread. */
const momentsOfMerge = [0, 8, 32]

/** With half of the stores in a delta, more rows than are merged without that thread (LocalIndex.ts). */
const productsAStore = 400
const addProducts = change((sql) =>
  Effect.gen(function* () {
    yield* sql`INSERT INTO product (shop_id, key, title, price)
      SELECT id, 'many ' || number, 'Title ' || number, number FROM shop, generate_series(1, ${productsAStore}::int) number`
    const stores = yield* sql<{ id: number }>`SELECT id FROM shop`
    return { items: stores.map(({ id }) => id) }
  })
)
const changeHalf = change((sql) =>
  Effect.gen(function* () {
    const stores = yield* sql<{ id: number }>`SELECT id FROM shop ORDER BY id`
    const half = stores.map(({ id }) => id).slice(stores.length / 2)
    yield* sql`UPDATE product SET price = price + 1 WHERE shop_id = ANY(${half}::int[])`
    return { items: half }
  })
)

/** Waits until a gauge of the server has such a value. */
const gauge = (port: number, name: string, isWanted: (value: number) => boolean) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text())).pipe(
    Effect.map((text) => Scrape.parse(text).find((sample) => sample.name === name)?.value ?? Number.NaN),
    Effect.filterOrFail(isWanted),
    Effect.retry({ schedule: Schedule.spaced("5 millis"), times: 6_000 })
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
          const [port, metrics] = [yield* ServerProcess.freePort, yield* ServerProcess.freePort]
          const ports = { PORT: String(port), METRICS_PORT: String(metrics) }
          return { port, metrics, server: yield* ServerProcess.start({ ...environment, ...ports }) }
        })

        const randomChanges = (changes: number) =>
          Effect.forEach(Array.from({ length: changes }), () => randomChange(random), { discard: true })
        /** Until the server shows a list with a large delta: the merge begins next. */
        const beginMerge = Effect.fnUntraced(function* ({
          metrics,
          port
        }: {
          readonly metrics: number
          readonly port: number
        }) {
          yield* ServerProcess.ready(port)
          const [catalog] = yield* (yield* SqlClient.SqlClient)<{ version: number }>`SELECT version FROM catalog`
          yield* changeHalf
          yield* gauge(metrics, "discovery_index_version", (version) => version > (catalog?.version ?? 0))
        })

        for (const changes of moments) {
          const running = Effect.andThen(start, Effect.never)
          // The end of the scope kills the process.
          yield* Effect.scoped(Effect.raceFirst(running, randomChanges(changes)))
        }

        yield* addProducts
        for (const changes of momentsOfMerge) {
          yield* Effect.scoped(Effect.andThen(Effect.flatMap(start, beginMerge), randomChanges(changes)))
        }

        const { metrics, port, server } = yield* start
        yield* beginMerge({ metrics, port })
        // The merge ends: one segment is left of the base and its deltas.
        yield* gauge(metrics, "discovery_index_segments", (segments) => segments === 1)
        assert.strictEqual(yield* server.end("SIGTERM"), 0)
        const { code, err, out } = yield* ServerProcess.command(environment, "catalog", "verify")
        assert.strictEqual(code, 0, out + err)
      }).pipe(Effect.scoped),
    { timeout: 600_000 }
  )
})
