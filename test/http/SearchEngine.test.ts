/** D109 The live server with ClickHouse: the same answers as with the index in memory, and what happens while it is away. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ToolErrorPayload } from "../../src/domain/ToolError.ts"
import { CatalogSearch } from "../../src/services/search/CatalogSearch.ts"
import * as Metrics from "../../src/services/metrics/Metrics.ts"
import { change } from "../oracle/changes.ts"
import * as Access from "../support/Access.ts"
import * as ClickHousePackage from "../support/ClickHousePackage.ts"
import * as ClickHouseServer from "../support/ClickHouseServer.ts"
import * as LiveServer from "../support/LiveServer.ts"
import * as Messages from "../support/Messages.ts"
import { stampAndIndex } from "../support/Stamps.ts"

/** Each tool that asks for the catalog, in several ways. */
const calls: ReadonlyArray<readonly [tool: string, args: object]> = [
  ["search_ads", {}],
  ["search_ads", { query: "free shipping", status: "active", sort_by: "newest", per_page: 25 }],
  ["search_ads", { countries: ["US", "DE"], sort_by: "reach", page: 2 }],
  ["search_products", { query: "shirts", price: { min: 10, max: 80 } }],
  ["search_products", { sort_by: "price", sort_order: "asc", pixels: ["Facebook"] }],
  ["search_shops", { active_ads: { min: 2 }, sort_by: "traffic_growth" }],
  ["search_shops", { query: "zzzz no such store", countries: ["US"] }],
  ["search_shops", { apps: ["No Such App"], monthly_revenue: { min: 1 } }],
  ["get_shop", { shop_id: 1 }],
  ["compare_markets", { group_by: "country", prices: true }],
  ["compare_markets", { group_by: "niche", sort_by: "median_visits", share_of: { pixels: ["TikTok"] } }],
  ["compare_ads", { group_by: "cta" }],
  ["list_changes", { since: "2000-01-01", filters: { countries: ["US"], apps: ["No Such App"] } }],
  ["list_filter_options", { kind: "themes" }],
  ["list_filter_options", { kind: "niches", query: "beauty" }]
]

const Answer = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    content: Schema.Array(Schema.Struct({ text: Schema.String })),
    structuredContent: Schema.optionalKey(Schema.Unknown)
  })
})

const call = Effect.fnUntraced(function* (secret: Parameters<typeof LiveServer.post>[0], tool: string, args: object) {
  const { json } = yield* LiveServer.post(secret, Messages.call(tool, args))
  return Schema.decodeUnknownSync(Answer)(json).result
})

const Health = Schema.Struct({
  index: Schema.Struct({ version: Schema.Int, lag_versions: Schema.Int, lag_seconds: Schema.Finite })
})

const ready = Effect.flatMap(LiveServer.url, (url) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/health/ready`)
    return Schema.decodeUnknownSync(Health)(await response.json())
  })
)

/** What it says then, or after ten seconds. */
const readyWhen = (until: (health: typeof Health.Type) => boolean) =>
  Effect.repeat(ready, { until, schedule: Schedule.spaced("100 millis"), times: 100 })

const byEngine = Layer.unwrap(
  Effect.map(ClickHouseServer.ClickHouseServer, ({ settings }) =>
    LiveServer.searchedBy({ searchEngine: "clickhouse", clickhouse: Option.some(settings) })
  )
).pipe(Layer.provideMerge(ClickHouseServer.layer))

describe.skipIf(!ClickHousePackage.isAvailable)("D109 a server that searches by ClickHouse", () => {
  layer(byEngine, { excludeTestServices: true, timeout: "3 minutes" })("beside one with the index in memory", (it) => {
    it.effect(
      "answers every tool as that one does",
      () =>
        Effect.gen(function* () {
          const { secret } = yield* Access.subscriber()
          // Shares nothing with this server: a layer that both have would be built once, with its engine.
          const memory = yield* Layer.build(Layer.fresh(LiveServer.layer))
          const isOfEngine = Effect.map(
            Effect.flatMap(CatalogSearch, ({ current }) => current),
            (catalog) => "place" in catalog
          )
          assert.deepStrictEqual([yield* isOfEngine, yield* Effect.provide(isOfEngine, memory)], [true, false])
          const { secret: other } = yield* Effect.provide(Access.subscriber(), memory)
          for (const [tool, args] of calls) {
            const answer = yield* call(secret, tool, args)
            const expected = yield* Effect.provide(call(other, tool, args), memory)
            assert.notProperty(answer, "isError", `${tool} ${JSON.stringify(args)}`)
            assert.deepStrictEqual(answer, expected, `${tool} ${JSON.stringify(args)}`)
          }
        }),
      180_000
    )

    it.effect("sees what is changed, and only then", () =>
      Effect.gen(function* () {
        const { secret } = yield* Access.subscriber()
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE shop SET name = 'Quetzalcoatlus Outfitters' WHERE id = 3`
        yield* stampAndIndex
        const { structuredContent } = yield* call(secret, "search_shops", { query: "quetzalcoatlus" })
        assert.deepNestedInclude(structuredContent, { "results[0].id": 3, "pagination.total": 1 })
      })
    )

    it.effect("D56 /health/ready says how many versions the records are ahead of ClickHouse, and for how long", () =>
      Effect.gen(function* () {
        const engine = yield* ClickHouseServer.ClickHouseServer
        const sql = yield* SqlClient.SqlClient
        const { index: before } = yield* ready
        assert.deepStrictEqual([before.lag_versions, before.lag_seconds], [0, 0])
        yield* engine.during({ kind: "exception", code: 242, name: "TABLE_IS_READ_ONLY" })(
          Effect.gen(function* () {
            for (const id of [4, 5]) {
              yield* change((each) => Effect.as(each`UPDATE shop SET name = 'Ahead' WHERE id = ${id}`, { items: [id] }))
            }
            yield* sql`UPDATE catalog_version SET committed_at = committed_at - interval '90 seconds'
              WHERE version = (SELECT version - 1 FROM catalog)`
            const { index } = yield* readyWhen(({ index }) => index.lag_versions > 0 && index.lag_seconds >= 90)
            assert.strictEqual(index.lag_versions, 2)
            assert.strictEqual(index.version, before.version)
            assert.strictEqual(yield* Metrics.indexLagVersions.value({}), 2)
            assert.isAtLeast(yield* Metrics.indexLagSeconds.value({}), 90)
          })
        )
        const { index } = yield* readyWhen(({ index }) => index.lag_versions === 0)
        assert.deepStrictEqual([index.version, index.lag_seconds], [before.version + 2, 0])
      })
    )

    it.effect("without it, searches are unavailable and free, and the rest works", () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* Access.subscriber()
        const engine = yield* ClickHouseServer.ClickHouseServer
        yield* engine.during({ kind: "closed" })(
          Effect.gen(function* () {
            const { content, isError } = yield* call(secret, "search_ads", {})
            assert.isTrue(isError)
            const { error } = Schema.decodeUnknownSync(Schema.fromJsonString(ToolErrorPayload))(content[1]?.text)
            assert.strictEqual(error.code, "service_unavailable")
            assert.notProperty(yield* call(secret, "get_usage", {}), "isError")
          })
        )
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 0)
        assert.notProperty(yield* call(secret, "search_ads", {}), "isError")
      })
    )
  })
})
