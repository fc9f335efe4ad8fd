import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { decoder } from "../../../src/domain/ArgumentIssues.ts"
import { AdQuery, conflicts } from "../../../src/domain/search/AdQuery.ts"
import { ProductQuery } from "../../../src/domain/search/ProductQuery.ts"

const decodeAds = decoder(AdQuery)
const decodeProducts = decoder(ProductQuery)

const issues = (input: unknown) => {
  const result = decodeAds(input)
  return Result.isFailure(result) ? Object.fromEntries(result.failure.map(({ message, path }) => [path, message])) : {}
}

describe("arguments of search_ads", () => {
  it("are all optional", () => {
    assert.deepStrictEqual(decodeAds({}), Result.succeed({}))
    assert.deepStrictEqual(decodeProducts({}), Result.succeed({}))
  })

  it("report every issue at once, with its path and the nearest value", () => {
    const found = issues({
      query: "",
      niches: ["ok", -1, {}],
      countries: ["us", "UK", "XX"],
      ctas: ["Shop now", 3],
      monthly_revenue: { min: -1, max: 5, maximum: 9 },
      active_days: { min: 3, max: 1 },
      trustpilot_rating: { min: 6 },
      shop_created_between: { from: "2026-02-30", to: "soon" },
      ad_started_between: { from: "2026-02-02", to: "2026-02-01" },
      domains: ["com"],
      sort_by: "best",
      partnership_only: "yes",
      page: 21,
      per_page: 26,
      country: ["US"]
    })
    assert.deepStrictEqual(Object.keys(found).sort(), [
      "active_days.min",
      "ad_started_between.from",
      "countries.1",
      "countries.2",
      "country",
      "ctas.0",
      "ctas.1",
      "domains.0",
      "monthly_revenue.maximum",
      "monthly_revenue.min",
      "niches.1",
      "niches.2",
      "page",
      "partnership_only",
      "per_page",
      "query",
      "shop_created_between.from",
      "shop_created_between.to",
      "sort_by",
      "trustpilot_rating.min"
    ])
    assert.include(found["ctas.0"], "did you mean `Shop Now`?")
    assert.include(found["country"], "did you mean `countries`?")
    assert.include(found["countries.1"], "did you mean `GB`?")
    assert.include(found["shop_created_between.from"], "does not exist")
    assert.include(found["page"], "between 1 and 20")
  })

  it("take codes in either case", () => {
    assert.deepStrictEqual(
      decodeAds({ countries: ["us"], currencies: ["eUr"] }),
      Result.succeed({ countries: ["US"], currencies: ["EUR"] })
    )
  })

  it("take only ASCII letters for a code, whatever their upper case would be", () => {
    // In upper case these would be SS, FI, IN and SEK.
    assert.hasAllKeys(issues({ countries: ["ß", "ﬁ", "ın"], currencies: ["ſek"] }), [
      "countries.0",
      "countries.1",
      "countries.2",
      "currencies.0"
    ])
  })

  it("take a member of a vocabulary several times, in up to 50 entries", () => {
    const videos = (length: number) => Array.from({ length }, () => "video")
    assert.deepStrictEqual(issues({ media_types: videos(6), pixels: [] }), {})
    assert.deepStrictEqual(issues({ media_types: videos(50) }), {})
    assert.hasAllKeys(issues({ media_types: videos(51) }), ["media_types"])
  })

  it("take negative bounds only in traffic_growth_pct", () => {
    assert.deepStrictEqual(issues({ traffic_growth_pct: { min: -50, max: -1 } }), {})
    assert.hasAllKeys(issues({ monthly_visits: { min: -1 } }), ["monthly_visits.min"])
  })

  it("count the characters of a query as code points, 1 to 200", () => {
    assert.deepStrictEqual(issues({ query: "😀".repeat(200) }), {})
    assert.hasAllKeys(issues({ query: "😀".repeat(201) }), ["query"])
  })

  it("refuse a query in which nothing can be found, together with whatever else is wrong", () => {
    assert.hasAllKeys(issues({ query: " !?", page: 99 }), ["query", "page"])
    assert.deepStrictEqual(issues({ query: "🔥" }), {})
    assert.hasAllKeys(issues({ query: "" }), ["query"])
  })

  it("take leap days that exist, and no others", () => {
    assert.deepStrictEqual(issues({ ad_started_between: { from: "2024-02-29" } }), {})
    for (const date of ["2023-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "2026-1-1", "20260101"]) {
      assert.hasAllKeys(issues({ ad_started_between: { from: date } }), ["ad_started_between.from"])
    }
  })

  it("refuse what PostgreSQL could not store", () => {
    assert.hasAllKeys(issues({ niches: ["a\u0000"], apps: ["\uD800"] }), ["niches.0", "apps.0"])
  })

  it("conflict in active_days with status inactive, but not in an empty range", () => {
    assert.deepStrictEqual(
      conflicts({ status: "inactive", active_days: { min: 1 } }).map(({ path }) => path),
      ["active_days"]
    )
    assert.lengthOf(conflicts({ status: "inactive", active_days: { min: -1 } }), 1)
    assert.deepStrictEqual(conflicts({ status: "inactive", active_days: {} }), [])
    assert.deepStrictEqual(conflicts({ status: "inactive", active_days: null }), [])
    assert.deepStrictEqual(conflicts({ status: "active", active_days: { min: 1 } }), [])
    assert.deepStrictEqual(conflicts({ status: "inactive", active_days: "x" }), [])
  })

  it.effect.prop("never make the decoder throw, and every failure says what and where", [Schema.Json], ([json]) =>
    Effect.sync(() => {
      const result = decodeAds(json)
      if (Result.isFailure(result)) assert.isNotEmpty(result.failure)
    })
  )

  it.effect.prop(
    "survive a round trip",
    [AdQuery],
    ([query]) =>
      Effect.gen(function* () {
        const encoded = yield* Schema.encodeEffect(AdQuery)(query)
        assert.deepStrictEqual(decodeAds(encoded), Result.succeed(query))
      }),
    { arbitrary: { runs: 50 } }
  )
})
