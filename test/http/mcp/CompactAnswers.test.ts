/** D69: compact answers of the live service, compared with the complete ones call by call. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { costs } from "../../../src/domain/access/Credit.ts"
import { adSorts } from "../../../src/domain/search/AdQuery.ts"
import { productSorts } from "../../../src/domain/search/ProductQuery.ts"
import { shopSorts } from "../../../src/domain/search/ShopQuery.ts"
import type { ToolName } from "../../../src/services/tools/ToolDefinition.ts"
import * as Random from "../../oracle/Random.ts"
import * as Access from "../../support/Access.ts"
import * as CompactReader from "../../support/CompactReader.ts"
import * as LiveServer from "../../support/LiveServer.ts"
import * as Messages from "../../support/Messages.ts"

const random = Random.make(7)
const words = ["", "lamp", "ring", "shop", "new", "a"]
const search = (sorts: ReadonlyArray<string>) => () => ({
  ...(random.chance(0.5) ? { query: random.pick(words.slice(1)) } : {}),
  ...(random.chance(0.3) ? { countries: random.some(["US", "FR", "DE", "IT"], 1, 3) } : {}),
  ...(random.chance(0.3) ? { active_ads: { min: random.int(0, 20) } } : {}),
  sort_by: random.pick(sorts),
  page: random.int(1, 3),
  per_page: random.int(1, 26)
})
const id = () => random.int(1, 80)
const argumentsOf: Readonly<Record<ToolName, () => object>> = {
  get_usage: () => ({}),
  list_filter_options: () => ({ kind: random.pick(["niches", "themes", "apps"]), query: random.pick(words) }),
  search_shops: search(shopSorts),
  search_ads: search(adSorts),
  search_products: search(productSorts),
  get_shop: () => ({ shop_id: id() }),
  get_product: () => ({ product_id: id() }),
  market_overview: () => ({
    group_by: random.pick(["niche", "country", "theme"]),
    filters: random.pick(["", "countries=US"])
  })
}

const isToolName = (name: string): name is ToolName => Object.hasOwn(costs, name)

const Results = Schema.Array(
  Schema.Struct({
    result: Schema.Struct({
      content: Schema.Array(Schema.Struct({ text: Schema.String })),
      structuredContent: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  })
)

const resultsOf = (json: unknown) => Schema.decodeUnknownSync(Results)(json).map(({ result }) => result)

/** Removes the id of the request, the only difference between two errors. */
const nameless = (text: string | undefined) => text?.replace(/"request_id":"[^"]*"/u, "")

/** Calls by an account that tracks every store. Its credits are enough for one batch. */
const asked = Effect.fnUntraced(function* (calls: ReadonlyArray<unknown>, query: string) {
  const { caller, secret } = yield* Access.subscriber()
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO tracked_shop (account_id, shop_id, kind) SELECT ${caller.accountId}::int, id, 'tracked' FROM shop`
  return yield* LiveServer.post(secret, calls, query)
})

layer(LiveServer.layer, { excludeTestServices: true })("compact answers", (it) => {
  it.effect.each(Object.keys(argumentsOf).filter(isToolName))("of %s have every value and the same charge", (tool) =>
    Effect.gen(function* () {
      let results = 0
      for (let batch = 0; batch < 10; batch++) {
        const calls = Array.from({ length: 20 }, (_, index) => Messages.call(tool, argumentsOf[tool](), index))
        const whole = yield* asked(calls, "")
        const compact = yield* asked(calls, "?format=compact")
        assert.strictEqual(compact.headers.get("x-credits-cost"), whole.headers.get("x-credits-cost"))
        const [wholes, compacts] = [resultsOf(whole.json), resultsOf(compact.json)]
        for (const [index, { content, structuredContent }] of wholes.entries()) {
          assert.isUndefined(compacts[index]?.structuredContent)
          const text = compacts[index]?.content[0]?.text ?? ""
          if (structuredContent === undefined) {
            assert.strictEqual(nameless(text), nameless(content[0]?.text))
          } else {
            CompactReader.assertSame(text, structuredContent)
            results++
          }
        }
      }
      assert.isAbove(results, 10)
    })
  )
})
