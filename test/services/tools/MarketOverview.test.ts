/** `market_overview` (D66): its filters are those of `search_shops`, in one text. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import type { ArgumentIssue } from "../../../src/domain/ArgumentIssue.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { filterOf, groupings } from "../../../src/domain/search/MarketOverview.ts"
import * as SearchAddress from "../../../src/domain/search/SearchAddress.ts"
import { ShopFilter } from "../../../src/domain/search/ShopQuery.ts"
import { MarketOverview } from "../../../src/services/search/MarketOverview.ts"
import { ShopSearch } from "../../../src/services/search/Searches.ts"
import { Vocabulary } from "../../../src/services/search/Vocabulary.ts"
import * as MarketOverviewTool from "../../../src/services/tools/MarketOverview.ts"
import * as ToolDefinition from "../../../src/services/tools/ToolDefinition.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import { marketOverview } from "../../oracle/NaiveMarket.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(MarketOverview.layer, Vocabulary.layer).pipe(
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const catalog = NaiveCatalog.generate(77, 60)
const accountId = AccountId.make(1)
const decode = Schema.decodeUnknownEffect(ShopFilter)
const address = SearchAddress.make(ShopFilter)

const call = Effect.fnUntraced(function* (args: ToolDefinition.RawArguments) {
  const tool = yield* MarketOverviewTool.make
  const prepared = yield* ToolDefinition.prepare(tool, tool.decode(args))
  return Result.isFailure(prepared) ? prepared.failure.issues : yield* prepared.success.run({ accountId })
})

layer(services, { excludeTestServices: true })("market_overview", (it) => {
  it.effect("finds what the scan of all records finds, and of each group as many stores as its search", () =>
    Effect.gen(function* () {
      yield* loadCatalog(catalog)
      yield* indexed
      const search = yield* ShopSearch
      const filters = "monthly_visits.min=1&countries=US&countries=DE&countries=gb"
      const args = yield* decode(address.toArguments(SearchAddress.parse(filters)))
      for (const group_by of groupings) {
        const expected = marketOverview(catalog, { ...args, group_by, limit: 50 })
        assert.deepStrictEqual(yield* call({ group_by, limit: 50, filters }), expected)
        for (const { stores, value } of expected.results) {
          const query = yield* decode({ ...args, [filterOf[group_by]]: [value] })
          const { pagination } = yield* search.search(query, accountId)
          assert.strictEqual(pagination.total, stores, `${group_by} ${value}`)
        }
      }
    })
  )

  it.effect.each<[string, ReadonlyArray<readonly [path: string, code: string]>]>([
    ["countries=Narnia", [["filters.countries.0", "unknown_country"]]],
    ["niches=Dogs&niches=Petz", [["filters.niches.1", "unknown_niche"]]],
    ["monthly_visits.min=9&monthly_visits.max=1", [["filters.monthly_visits.min", "min_above_max"]]],
    [
      "sort_by=stores&languages=Klingon",
      [
        ["filters.sort_by", "unknown_argument"],
        ["filters.languages.0", "value_not_among"]
      ]
    ],
    ["x".repeat(2_001), [["filters", "too_long"]]]
  ])("says what is wrong with %s", ([filters, issues]) =>
    Effect.gen(function* () {
      const found = yield* call({ group_by: "niche", filters })
      assert(Array.isArray(found))
      assert.deepStrictEqual(
        found.slice(0, issues.length).map(({ code, path }: ArgumentIssue) => `${path} ${code}`),
        issues.map((issue) => issue.join(" "))
      )
    })
  )
})
