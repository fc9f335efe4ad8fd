/** The search by ClickHouse as a service: versions, what is sent over the network, and faults of the engine, which are typed and whole. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import type { Query } from "../../../../src/domain/search/CatalogQuery.ts"
import { ClickHouse } from "../../../../src/services/search/clickhouse/ClickHouse.ts"
import { answersOf } from "../../../../src/services/search/clickhouse/EngineAnswers.ts"
import type { EngineCatalog } from "../../../../src/services/search/clickhouse/EngineCatalog.ts"
import type { SearchFailure } from "../../../../src/services/limits/SearchPermits.ts"
import { cluster } from "../../../clickhouse/Messages.ts"
import type { Fault } from "../../../clickhouse/Messages.ts"
import * as loadEngine from "../../../oracle/loadEngine.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../../../support/ClickHouseServer.ts"
import { ClickHouseServer as Server } from "../../../support/ClickHouseServer.ts"
import * as Engines from "../../../support/Engines.ts"

const old = NaiveCatalog.generate(1, 10)
const young = NaiveCatalog.generate(2, 25)

const all = (subject: Query["subject"]): Query => ({
  subject,
  stores: [],
  words: [],
  order: { _tag: "ByStore", figures: ["active_ads", "visits"], isDescending: true },
  offset: 0,
  limit: 500
})

const ids = (items: ReadonlyArray<{ readonly id: number }>) => items.map(({ id }) => id).sort((a, b) => a - b)

const exception = (code: number, name: string): Fault => ({ kind: "exception", code, name })

const faults: ReadonlyArray<readonly [what: string, fault: Fault, tag: "SearchTimeout" | "ServiceUnavailable"]> = [
  ["is away", { kind: "closed" }, "ServiceUnavailable"],
  ["has lost a shard", exception(279, "ALL_CONNECTION_TRIES_FAILED"), "ServiceUnavailable"],
  ["has no memory left", exception(241, "MEMORY_LIMIT_EXCEEDED"), "ServiceUnavailable"],
  ["is read-only", exception(242, "TABLE_IS_READ_ONLY"), "ServiceUnavailable"],
  ["refuses the user", exception(516, "AUTHENTICATION_FAILED"), "ServiceUnavailable"],
  ["has no such table", exception(60, "UNKNOWN_TABLE"), "ServiceUnavailable"],
  ["is too slow", exception(159, "TIMEOUT_EXCEEDED"), "SearchTimeout"],
  ["breaks off", { kind: "cut", endsWell: false }, "ServiceUnavailable"],
  ["ends its answer early", { kind: "cut", endsWell: true }, "ServiceUnavailable"],
  [
    "fails after rows",
    { kind: "late exception", code: 241, name: "MEMORY_LIMIT_EXCEEDED", isMarked: true, isCut: false },
    "ServiceUnavailable"
  ]
]

/** What stands outside of the text that is sent to each shard. */
const outsideOfShards = (sql: string): string => {
  const mark = `cluster('${cluster}', view(`
  const start = sql.indexOf(mark)
  if (start === -1) return sql
  let depth = 1
  let end = start + mark.length
  for (; depth > 0 && end < sql.length; end++) depth += Number(sql[end] === "(") - Number(sql[end] === ")")
  return sql.slice(0, start) + outsideOfShards(sql.slice(end))
}

describe.skipIf(!ClickHousePackage.isAvailable)("searches by ClickHouse", () => {
  layer(ClickHouseServer.both, { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect(
      "are not ready before something is published, then see one version, and later the next",
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const engine = yield* ClickHouse
            yield* loadEngine.createTables(engine, 1, cluster)
            const search = yield* Engines.serviceOf(undefined)
            yield* search.awaitVersion(1)
            assert.strictEqual((yield* Effect.flip(search.current))._tag, "ServiceUnavailable")
            assert.isFalse((yield* search.status).isReady)
            assert.strictEqual((yield* Effect.flip(search.search(all("ads"))))._tag, "ServiceUnavailable")

            yield* loadEngine.load(engine, old, { generation: 1, from: 1, until: 2 })
            yield* loadEngine.load(engine, young, { generation: 1, from: 2 })
            yield* loadEngine.publish(engine, old, 1, 1)
            const both = [search, yield* Engines.serviceOf(cluster)]
            const before = yield* Effect.forEach(both, (one) =>
              Effect.retry(Effect.andThen(one.awaitVersion(1), one.current), { times: 20 })
            )
            for (const subject of ["stores", "products", "ads"] as const) {
              for (const one of both) {
                const { answer, catalog } = yield* one.search(all(subject))
                assert.strictEqual(catalog.version, 1)
                assert.deepStrictEqual(ids(answer.page), ids(subject === "stores" ? old.shops : old[subject]))
              }
            }
            yield* loadEngine.publish(engine, young, 1, 2)
            for (const [at, one] of both.entries()) {
              for (let tries = 0; tries < 20; tries++) yield* one.awaitVersion(2)
              const status = yield* one.status
              assert.deepStrictEqual([status.version, status.isReady, status.isAnswering], [Option.some(2), true, true])
              for (const subject of ["stores", "products", "ads"] as const) {
                const found = yield* one.search(all(subject))
                assert.deepStrictEqual(ids(found.answer.page), ids(subject === "stores" ? young.shops : young[subject]))
                // A search that began before still sees its version.
                const { place } = before[at] as EngineCatalog
                const { answer } = yield* answersOf(engine, place).search(all(subject))
                assert.deepStrictEqual(ids(answer.page), ids(subject === "stores" ? old.shops : old[subject]))
              }
            }
          })
        ),
      60_000
    )

    it.effect(
      "ask each shard for all that it can do alone",
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const server = yield* Server
            const search = yield* Engines.serviceOf(cluster)
            yield* Effect.retry(Effect.andThen(search.awaitVersion(2), search.current), { times: 20 })
            const first = server.seen.length
            for (const subject of ["stores", "products", "ads"] as const) {
              yield* search.search({ ...all(subject), stores: [{ _tag: "AnyId", ids: [1, 3] }] })
              yield* search.facets(all(subject))
            }
            yield* search.search({ ...all("ads"), order: { _tag: "Grouped" } })
            yield* search.search({ ...all("products"), order: { _tag: "ByItem", column: "score", isDescending: true } })
            yield* search.figures([1, 3])
            yield* search.storeIds({ subject: "stores", stores: [], words: [], limit: 5 })
            const asked = server.seen.slice(first).filter(({ sql }) => !sql.includes("FROM catalog_state"))
            assert.isAbove(asked.length, 15)
            for (const { settings, sql } of asked) {
              // A replica that is behind would give a part.
              assert.strictEqual(settings["select_sequential_consistency"], "1")
              assert.include(sql, `cluster('${cluster}', view(`)
              assert.notMatch(outsideOfShards(sql), /(?:store|product|ad)_\d|JOIN| IN |LIMIT 1 BY|uniq/u, sql)
            }
          })
        ),
      60_000
    )

    for (const [what, fault, tag] of faults) {
      it.effect(
        `fail as ${tag} when the engine ${what}, and answer again`,
        () =>
          Effect.scoped(
            Effect.gen(function* () {
              const server = yield* Server
              const search = yield* Engines.serviceOf(undefined)
              yield* Effect.retry(Effect.andThen(search.awaitVersion(2), search.current), { times: 20 })
              const hint = () => "narrow it"
              const asked: ReadonlyArray<Effect.Effect<unknown, SearchFailure>> = [
                search.search(all("ads"), hint),
                search.overview(
                  {
                    ...all("stores"),
                    subject: "stores",
                    grouping: { _tag: "App" },
                    hasPrices: true,
                    order: "stores",
                    limit: 5
                  },
                  hint
                ),
                search.adGroups({ ...all("ads"), subject: "ads", grouping: { _tag: "Flag", flag: "cta" } }, hint),
                search.facets(all("ads")),
                search.figures([1])
              ]
              yield* server.during(fault)(
                Effect.forEach(asked, (one) =>
                  Effect.gen(function* () {
                    const error = yield* Effect.flip(one)
                    assert.strictEqual(error._tag, tag)
                    if (error._tag === "SearchTimeout") assert.match(error.hint, /narrow it|Try again/u)
                  })
                )
              )
              for (const one of asked) assert.isTrue(Exit.isSuccess(yield* Effect.exit(one)))
            })
          ),
        60_000
      )
    }
  })
})
