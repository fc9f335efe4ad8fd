/** The live server while its search index is being built: what it refuses, what works, and that it becomes ready. */
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ToolErrorPayload } from "../../src/domain/ToolError.ts"
import { CatalogSearch } from "../../src/services/search/CatalogSearch.ts"
import { loadCatalog } from "../oracle/loadCatalog.ts"
import { generate } from "../oracle/NaiveCatalog.ts"
import * as Access from "../support/Access.ts"
import * as LiveServer from "../support/LiveServer.ts"
import * as Messages from "../support/Messages.ts"
import { eventually } from "../support/RunningQueries.ts"
import { indexed } from "../support/Stamps.ts"

const generated = generate(4, 20)
/** Ads without a store are read before the stores, and would be progress. */
const catalog = { ...generated, ads: generated.ads.filter((ad) => ad.shop_id !== null) }
const rows = catalog.shops.length + catalog.products.length + catalog.ads.length

/** The traffic of stores, which only the index reads, is locked until the gate is opened: no page of stores can be read. */
class Gate extends Context.Service<Gate, { readonly open: Effect.Effect<unknown> }>()("test/http/IndexBuilding/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      yield* loadCatalog(catalog)
      const sql = yield* SqlClient.SqlClient
      const [locked, opened] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* sql`LOCK TABLE traffic_month IN ACCESS EXCLUSIVE MODE`.pipe(
        Effect.andThen(Deferred.succeed(locked, undefined)),
        Effect.andThen(Deferred.await(opened)),
        sql.withTransaction,
        Effect.forkScoped
      )
      yield* Deferred.await(locked)
      return { open: Deferred.succeed(opened, undefined) }
    })
  )
}

const get = (path: string) =>
  Effect.flatMap(LiveServer.url, (address) =>
    Effect.promise(async () => {
      const response = await fetch(`${address}${path}`)
      return { status: response.status, text: await response.text() }
    })
  )

const ready = Effect.map(get("/health/ready"), ({ status, text }): [number, unknown] => [status, JSON.parse(text)])

const content = (json: unknown) =>
  Schema.decodeUnknownSync(
    Schema.Struct({
      result: Schema.Struct({
        isError: Schema.optionalKey(Schema.Boolean),
        content: Schema.Array(Schema.Struct({ text: Schema.String }))
      })
    })
  )(json).result

const searches = {
  search_ads: {},
  search_products: { query: "desk" },
  search_shops: {},
  compare_markets: { group_by: "country" },
  compare_ads: { group_by: "country" }
}

layer(LiveServer.starting(Gate.layer.pipe(Layer.orDie)), { excludeTestServices: true })("the live server", (it) => {
  it.effect(
    "D56 while the index is built, refuses searches with the time to wait and answers everything else",
    () =>
      Effect.gen(function* () {
        const { caller, secret } = yield* Access.subscriber()
        const call = (tool: string, args: object = {}) => LiveServer.post(secret, Messages.call(tool, args))
        const progress = { phase: "building", done: 0, total: rows }
        const unready = { status: "unavailable", index: { version: null, lag_versions: 0, lag_seconds: 0, progress } }
        const { status } = yield* CatalogSearch
        yield* eventually(Effect.filterOrFail(status, ({ progress }) => progress.phase === "building"))
        assert.deepStrictEqual(yield* ready, [503, unready])

        for (const path of [
          "/health/live",
          "/sign-in",
          "/docs",
          "/.well-known/oauth-protected-resource/mcp",
          "/.well-known/oauth-authorization-server"
        ]) {
          assert.strictEqual((yield* get(path)).status, 200, path)
        }
        assert.notProperty(content((yield* call("get_usage")).json), "isError")

        for (const [tool, args] of Object.entries(searches)) {
          const { headers, json } = yield* call(tool, args)
          const { content: blocks, isError } = content(json)
          assert.isTrue(isError, tool)
          const { error } = Schema.decodeUnknownSync(Schema.fromJsonString(ToolErrorPayload))(blocks[1]?.text)
          assert.strictEqual(error.code, "service_unavailable")
          assert.include(error.message, "The search index is being built (0 %).")
          assert.strictEqual(error.retry_after_seconds, 5)
          assert.strictEqual(headers.get("retry-after"), "5")
        }
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 0)

        yield* (yield* Gate).open
        yield* indexed
        assert.strictEqual((yield* ready)[0], 200)
        for (const [tool, args] of Object.entries(searches)) {
          assert.notProperty(content((yield* call(tool, args)).json), "isError", tool)
        }
        assert.strictEqual((yield* Access.books(caller.accountId)).balance.used, 5)
      }),
    120_000
  )
})
