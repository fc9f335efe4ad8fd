import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { argumentDecoder } from "../../../src/domain/ArgumentDecoder.ts"
import { englishOf } from "../../../src/domain/ArgumentIssue.ts"
import { AdQuery, conflicts } from "../../../src/domain/search/AdQuery.ts"
import { ProductQuery } from "../../../src/domain/search/ProductQuery.ts"
import { languages } from "../../../src/domain/catalog/Enumerations.ts"
import * as ToolSchema from "../../../src/services/tools/ToolSchema.ts"
import { foldedBy, normalizedBy } from "../../support/Work.ts"

type Raw = Readonly<Record<string, unknown>>

const ads = argumentDecoder(AdQuery)
const products = argumentDecoder(ProductQuery)
const decodeAds = (input: Raw) => ads(input).result
const decodeProducts = (input: Raw) => products(input).result

/** What the arguments are, as clients are told. */
const AdQuerySchema = Object.entries(ToolSchema.ofArguments(AdQuery).properties ?? {}).map(([name, schema]) => ({
  name,
  ...Schema.decodeUnknownSync(
    Schema.Struct({ type: Schema.optionalKey(Schema.String), maxItems: Schema.optionalKey(Schema.Int) })
  )(schema)
}))

const issues = (input: Raw) => {
  const result = decodeAds(input)
  return Result.isFailure(result)
    ? Object.fromEntries(result.failure.map((issue) => [issue.path, englishOf(issue)]))
    : {}
}

describe("arguments of search_ads", () => {
  it("S44 are all optional", () => {
    assert.deepStrictEqual(decodeAds({}), Result.succeed({}))
    assert.deepStrictEqual(decodeProducts({}), Result.succeed({}))
  })

  // D26, D27, S60, S69
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
    assert.strictEqual(found["countries.1"], "`UK` is not an ISO 3166-1 alpha-2 code; did you mean `GB`?")
    assert.strictEqual(found["countries.2"], "`XX` is not an ISO 3166-1 alpha-2 code")
    assert.include(found["shop_created_between.from"], "does not exist")
    assert.include(found["page"], "between 1 and 20")
  })

  it("S50, D27 take codes in either case", () => {
    assert.deepStrictEqual(
      decodeAds({ countries: ["us"], currencies: ["eUr"] }),
      Result.succeed({ countries: ["US"], currencies: ["EUR"] })
    )
  })

  it("accept only ASCII letters in a code, also where another letter has an ASCII upper case", () => {
    // In upper case these would be SS, FI, IN and SEK.
    assert.hasAllKeys(issues({ countries: ["ß", "ﬁ", "ın"], currencies: ["ſek"] }), [
      "countries.0",
      "countries.1",
      "countries.2",
      "currencies.0"
    ])
  })

  it("D26 take a member of a vocabulary several times, in up to 50 entries", () => {
    const videos = (length: number) => Array.from({ length }, () => "video")
    assert.deepStrictEqual(issues({ media_types: videos(6), pixels: [] }), {})
    assert.deepStrictEqual(issues({ media_types: videos(50) }), {})
    assert.hasAllKeys(issues({ media_types: videos(51) }), ["media_types"])
  })

  it("S57, S61 take negative bounds only in traffic_growth_pct", () => {
    assert.deepStrictEqual(issues({ traffic_growth_pct: { min: -50, max: -1 } }), {})
    assert.hasAllKeys(issues({ monthly_visits: { min: -1 } }), ["monthly_visits.min"])
  })

  it("D26 say of an integer that is too large for a number what its bounds are, and not that it is no integer", () => {
    for (const page of [2 ** 53, -(2 ** 53), 1e300]) {
      assert.deepStrictEqual(issues({ page }), { page: "must be a value between 1 and 20" })
    }
    assert.deepStrictEqual(issues({ page: 1.5 }), { page: "must be an integer" })
  })

  it("D28 refuse a name without a visible character", () => {
    assert.deepStrictEqual(issues({ apps: ["\u200b \u202e"] }), { "apps.0": "must not be empty; leave it out" })
  })

  it("S48 count the characters of a query as code points, 1 to 200", () => {
    assert.deepStrictEqual(issues({ query: "😀".repeat(200) }), {})
    assert.hasAllKeys(issues({ query: "😀".repeat(201) }), ["query"])
  })

  it("refuse a query without a searchable word, together with all other issues", () => {
    assert.hasAllKeys(issues({ query: " !?", page: 99 }), ["query", "page"])
    assert.deepStrictEqual(issues({ query: "🔥" }), {})
    assert.hasAllKeys(issues({ query: "" }), ["query"])
  })

  it("S62, D27 take leap days that exist, and no others", () => {
    assert.deepStrictEqual(issues({ ad_started_between: { from: "2024-02-29" } }), {})
    for (const date of ["2023-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "2026-1-1", "20260101"]) {
      assert.hasAllKeys(issues({ ad_started_between: { from: date } }), ["ad_started_between.from"])
    }
  })

  it("refuse what PostgreSQL could not store", () => {
    assert.hasAllKeys(issues({ niches: ["a\u0000"], apps: ["\uD800"] }), ["niches.0", "apps.0"])
  })

  it("D24 count null as absent, at the top and in a range, but not in a list", () => {
    const nothing = Object.fromEntries(Object.keys(AdQuery.fields).map((name) => [name, null]))
    assert.deepStrictEqual(ads(nothing), { args: {}, result: Result.succeed({}) })
    const range = { monthly_revenue: { min: 5, max: null }, shop_created_between: { from: null, to: null } }
    assert.deepStrictEqual(decodeAds(range), Result.succeed({ monthly_revenue: { min: 5 }, shop_created_between: {} }))
    assert.hasAllKeys(issues({ niches: ["Pets", null], languages: [null], nothing: null }), [
      "niches.1",
      "languages.0",
      "nothing"
    ])
  })

  it("D24 advise to leave an empty query out", () => {
    assert.deepStrictEqual(issues({ query: "" }), { query: "must not be empty; leave it out to search without words" })
  })

  describe("are bounded before they are decoded", () => {
    /** Counts how often a member is read. */
    const counting = (members: ReadonlyArray<unknown>) => {
      const seen = { members: 0 }
      const list = new Proxy(members, {
        get: (target, name) => {
          if (typeof name === "string" && /^\d+$/u.test(name)) seen.members++
          return Reflect.get(target, name)
        }
      })
      return { list, seen }
    }

    const lists = AdQuerySchema.filter(({ maxItems }) => maxItems !== undefined)

    it("there are lists, all with a bound", () => {
      assert.isAtLeast(lists.length, 11)
      assert.deepStrictEqual(
        AdQuerySchema.filter(({ maxItems, type }) => type === "array" && maxItems === undefined),
        []
      )
    })

    it.each(lists)("no member of $name is decoded when there are too many", ({ maxItems = 0, name }) => {
      for (const member of [1, "wrong", null, {}, "x".repeat(1_000)]) {
        const { list, seen } = counting(Array.from({ length: 100_000 }, () => member))
        assert.deepStrictEqual(issues({ [name]: list }), {
          [name]: `must be a value with a length of at most ${maxItems}`
        })
        assert.strictEqual(seen.members, 0)
      }
    })

    it("of thousands of unknown names, 50 are reported, the first few with the nearest known one", () => {
      const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`countrie${index}`, index]))
      const found = issues(many)
      assert.lengthOf(Object.keys(found), 50)
      assert.lengthOf(
        Object.values(found).filter((message) => message.includes("did you mean")),
        5
      )
      assert.isBelow(
        foldedBy(() => issues(many)),
        10 * Object.keys(AdQuery.fields).length
      )
    })

    it("of the greatest number of wrong values, 50 are reported, the first few with the nearest allowed one", () => {
      const wrong = Object.fromEntries(
        lists.map(({ maxItems = 0, name }) => [name, Array.from({ length: maxItems }, () => "French!".repeat(15))])
      )
      const args = { ...wrong, languages: Array.from({ length: 50 }, () => "Frenchh") }
      assert.lengthOf(Object.keys(issues(args)), 50)
      assert.isBelow(
        foldedBy(() => issues(args)),
        10 * languages.length
      )
    })

    it("no text is folded, or repeated, that is longer than a query may be", () => {
      const long = `a${"\u0344".repeat(65_000)}${"\u0316".repeat(65_000)}`
      const args = Object.fromEntries(AdQuerySchema.map(({ name, type }) => [name, type === "array" ? [long] : long]))
      assert.deepStrictEqual(
        normalizedBy(() => issues(args)),
        []
      )
      const found = issues(args)
      assert.strictEqual(found["query"], "must be a string with at most 200 characters")
      for (const message of Object.values(found)) assert.isBelow(message.length, 1_000)
    })
  })

  it("S74 conflict in active_days with status inactive, but not in an empty range", () => {
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

  it.effect.prop(
    "never make the decoder throw, and every failure says what and where",
    [Schema.Record(Schema.String, Schema.Json)],
    ([json]) =>
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
