/** `compare_markets` (D66): its filters are those of `search_shops`, in an object or the JSON of one. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { englishOf } from "../../../src/domain/ArgumentIssue.ts"
import type { ArgumentIssue } from "../../../src/domain/ArgumentIssue.ts"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { filterOf, groupings } from "../../../src/domain/search/MarketQuery.ts"
import { ShopFilter } from "../../../src/domain/search/ShopQuery.ts"
import { MarketSearch } from "../../../src/services/search/MarketSearch.ts"
import { ShopSearch } from "../../../src/services/search/Searches.ts"
import { Vocabulary } from "../../../src/services/search/Vocabulary.ts"
import * as MarketOverviewTool from "../../../src/services/tools/CompareMarkets.ts"
import * as ToolDefinition from "../../../src/services/tools/ToolDefinition.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import { marketOverview } from "../../oracle/NaiveMarket.ts"
import * as Searches from "../../support/Searches.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(MarketSearch.layer, Vocabulary.layer).pipe(
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const catalog = NaiveCatalog.generate(77, 60)
const accountId = AccountId.make(1)
const decode = Schema.decodeUnknownEffect(ShopFilter)

const call = Effect.fnUntraced(function* (args: ToolDefinition.RawArguments) {
  const tool = yield* MarketOverviewTool.make
  const prepared = yield* ToolDefinition.prepare(tool, tool.decode(args))
  return Result.isFailure(prepared) ? prepared.failure.issues : yield* prepared.success.run({ accountId })
})

layer(services, { excludeTestServices: true })("compare_markets", (it) => {
  it.effect("finds what the scan of all records finds, and of each group as many stores as its search", () =>
    Effect.gen(function* () {
      yield* loadCatalog(catalog)
      yield* indexed
      const search = yield* ShopSearch
      const filters = { monthly_visits: { min: 1 }, countries: ["US", "DE", "gb"] }
      const args = yield* decode(filters)
      for (const group_by of groupings) {
        const expected = marketOverview(catalog, { ...args, group_by, limit: 50 })
        assert.deepStrictEqual(yield* call({ group_by, limit: 50, filters }), expected)
        const text = JSON.stringify({ ...filters, query: null })
        assert.deepStrictEqual(yield* call({ group_by, limit: 50, filters: text }), expected)
        for (const { stores, value } of expected.results) {
          if (value === null) continue
          const query = yield* decode({ ...args, [filterOf[group_by]]: [value] })
          const { pagination } = yield* search.search(query, accountId)
          assert.strictEqual(pagination.total, stores, `${group_by} ${value}`)
        }
      }
    })
  )

  it.effect(
    "D99 counts the stores that match share_of too, in an object or the JSON of one, and orders by their share",
    () =>
      Effect.gen(function* () {
        const share_of = { pixels: ["TikTok", "Facebook", "Google"] }
        const args = { group_by: "language", sort_by: "matching_pct", prices: true } as const
        const expected = marketOverview(catalog, { ...args, share_of: yield* decode(share_of) })
        assert.deepStrictEqual(yield* call({ ...args, share_of }), expected)
        assert.deepStrictEqual(yield* call({ ...args, share_of: JSON.stringify(share_of) }), expected)
        const shares = expected.results.flatMap(({ matching_pct, value }) =>
          value === null ? [] : [matching_pct ?? 0]
        )
        assert.deepStrictEqual(
          shares,
          shares.toSorted((one, other) => other - one)
        )
        assert.isAbove(expected.total.matching ?? 0, 0)
        // All stores match filters that ask for nothing, in every group.
        const all = marketOverview(catalog, { group_by: "country", share_of: {} })
        assert.isTrue(all.results.every(({ matching, stores }) => matching === stores))
        assert.deepStrictEqual(yield* call({ group_by: "country", share_of: {} }), all)
      })
  )

  it.effect("D99 warns of what share_of does not find or understand", () =>
    Effect.gen(function* () {
      const share_of = { apps: ["No such app"], shop_ids: [2_147_483_647], query: "lamp -red" }
      const answer = yield* call({ group_by: "niche", share_of })
      const told = "warnings" in answer ? String(answer.warnings) : ""
      for (const part of ["No such app", "2147483647", "-red"]) assert.include(told, part)
    })
  )

  it.effect.each<[object, string]>([
    [{ share_of: { countries: ["Narnia"] } }, "share_of.countries.0 unknown_country"],
    [{ share_of: '{"niches":["Petz"]}' }, "share_of.niches.0 unknown_niche"],
    [{ share_of: "TikTok" }, "share_of not_object_like"],
    [{ sort_by: "matching_pct" }, "sort_by needs_share_of"]
  ])("D99 refuses %j", ([args, issue]) =>
    Effect.gen(function* () {
      const found = yield* call({ group_by: "niche", ...args })
      assert(Array.isArray(found))
      assert.deepStrictEqual(
        found.map(({ code, path }: ArgumentIssue) => `${path} ${code}`),
        [issue]
      )
    })
  )

  it.effect.each<[object, ReadonlyArray<readonly [path: string, code: string]>]>([
    [{ countries: ["Narnia"] }, [["filters.countries.0", "unknown_country"]]],
    [{ niches: ["Dogs", "Petz"] }, [["filters.niches.1", "unknown_niche"]]],
    [{ monthly_visits: { min: 9, max: 1 } }, [["filters.monthly_visits.min", "min_above_max"]]],
    [
      { sort_by: "stores", languages: ["Klingon"], themes: ["No theme"] },
      [
        ["filters.sort_by", "unknown_argument"],
        ["filters.languages.0", "value_not_among"],
        ["filters.themes.0", "unknown_theme"]
      ]
    ],
    // Only the filters as a whole are read from JSON.
    [{ monthly_visits: '{"min":1}' }, [["filters.monthly_visits", "not_object_of"]]],
    [{ countries: '["US"]' }, [["filters.countries", "not_list"]]]
  ])("says what is wrong with %j, also in JSON", ([filters, issues]) =>
    Effect.gen(function* () {
      for (const sent of [filters, JSON.stringify(filters)]) {
        const found = yield* call({ group_by: "niche", filters: sent })
        assert(Array.isArray(found))
        assert.deepStrictEqual(
          found.map(({ code, path }: ArgumentIssue) => `${path} ${code}`),
          issues.map((issue) => issue.join(" "))
        )
      }
    })
  )

  it.effect("says which name the filters in JSON have twice", () =>
    Effect.gen(function* () {
      const found = yield* call({ group_by: "niche", filters: '{"countries":["US"],"countries":["DE"]}' })
      assert(Array.isArray(found))
      assert.deepStrictEqual(
        found.map(({ code, params, path }: ArgumentIssue) => [path, code, params["name"]]),
        [["filters", "repeated_name", "countries"]]
      )
    })
  )

  it.effect.each([
    "US",
    "",
    " ",
    "niche=",
    "countries: DE",
    "countries=US&countries=DE",
    "niches=Beauty & Skincare",
    "all stores in Germany",
    "null",
    "true",
    "5",
    '"{}"',
    '["US"]',
    '{"countries":["US"]',
    `${"[".repeat(100)}${"]".repeat(100)}`,
    5,
    true,
    ["US"],
    [{ countries: ["US"] }]
  ])("refuses %j as filters, and shows their form", (filters) =>
    Effect.gen(function* () {
      const found = yield* call({ group_by: "niche", filters })
      assert(Array.isArray(found))
      const [issue, ...others]: ReadonlyArray<ArgumentIssue> = found
      assert.isEmpty(others)
      assert.deepInclude(issue, { path: "filters", code: "not_object_like" })
      const [, example = ""] = /`(.*)`/u.exec(issue === undefined ? "" : englishOf(issue)) ?? []
      // The form is one that works.
      const answer = yield* call({ group_by: "niche", filters: example })
      assert.isFalse(Array.isArray(answer), example)
      assert.deepStrictEqual(yield* call({ group_by: "niche", filters: JSON.parse(example) }), answer)
    })
  )
})
