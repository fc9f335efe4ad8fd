/** `compare_ads` (D100): its filters are those of `search_ads`, as JSON or as an object. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import type { ArgumentIssue } from "../../../src/domain/ArgumentIssue.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { adGroupings } from "../../../src/domain/search/AdGroupQuery.ts"
import { AdSearch } from "../../../src/services/search/Searches.ts"
import { MarketSearch } from "../../../src/services/search/MarketSearch.ts"
import { Vocabulary } from "../../../src/services/search/Vocabulary.ts"
import * as CompareAds from "../../../src/services/tools/CompareAds.ts"
import * as ToolDefinition from "../../../src/services/tools/ToolDefinition.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import { adComparison } from "../../oracle/NaiveMarket.ts"
import * as Searches from "../../support/Searches.ts"
import { SetClock } from "../../support/SetClock.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalog = NaiveCatalog.generate(79, 60)
const accountId = AccountId.make(1)

const services = Layer.effectDiscard(Effect.andThen(loadCatalog(catalog), indexed)).pipe(
  Layer.provideMerge(Layer.mergeAll(MarketSearch.layer, Vocabulary.layer)),
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

const call = Effect.fnUntraced(function* (args: ToolDefinition.RawArguments) {
  const tool = yield* CompareAds.make
  const prepared = yield* ToolDefinition.prepare(tool, tool.decode(args))
  return Result.isFailure(prepared) ? prepared.failure.issues : yield* prepared.success.run({ accountId })
})

/** The argument of `search_ads` that takes the values of a grouping. */
const filterOf = {
  cta: "ctas",
  media_type: "media_types",
  status: "status",
  country: "countries",
  niche: "niches"
} as const

layer(services, { excludeTestServices: true })("compare_ads", (it) => {
  it.effect("D100 counts what the scan of all ads counts, and of each group as many ads as its search", () =>
    Effect.gen(function* () {
      const search = yield* AdSearch
      const filters = { status: "active", media_types: ["video", "image"] } as const
      for (const group_by of adGroupings) {
        const asked = group_by === "status" ? { media_types: filters.media_types } : filters
        const expected = adComparison(catalog, { ...asked, group_by, limit: 50 })
        for (const sent of [asked, JSON.stringify(asked)]) {
          assert.deepStrictEqual(yield* call({ group_by, limit: 50, filters: sent }), expected)
        }
        assert.isNotEmpty(expected.results)
        for (const { ads, value } of expected.results) {
          if (value === null || group_by === "media_type") continue
          const own = { [filterOf[group_by]]: group_by === "status" ? value : [value] }
          const { pagination } = yield* search.search({ ...asked, ...own, sort_by: "newest" })
          assert.strictEqual(pagination.total, ads, `${group_by} ${value}`)
        }
      }
    })
  )

  it.effect.each<[unknown, string]>([
    [{ countries: ["Narnia"] }, "filters.countries.0 unknown_country"],
    ['{"niches":["Petz"]}', "filters.niches.0 unknown_niche"],
    [{ status: "inactive", active_days: { min: 3 } }, "filters.active_days only_running_ads"],
    [{ without_shop: true, countries: ["US"] }, "filters.countries not_without_shop"],
    ['{"sort_by":"newest"}', "filters.sort_by unknown_argument"],
    ["active", "filters not_object_like"]
  ])("D100 refuses %j as search_ads does", ([filters, issue]) =>
    Effect.gen(function* () {
      const found = yield* call({ group_by: "cta", filters })
      assert(Array.isArray(found))
      assert.deepStrictEqual(
        found.map(({ code, path }: ArgumentIssue) => `${path} ${code}`),
        [issue]
      )
    })
  )

  it.effect("D90, D93 warns of what the filters do not find", () =>
    Effect.gen(function* () {
      const answer = yield* call({ group_by: "status", niche_level: 2, filters: { shop_ids: [2_147_483_647] } })
      assert.deepNestedInclude(answer, { total: { ads: 0, stores: 0 } })
      const told = "warnings" in answer ? String(answer.warnings) : ""
      assert.include(told, "2147483647")
      assert.include(told, "niche_level has no effect")
    })
  )
})
