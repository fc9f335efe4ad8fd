/** A search in an address is the search that was meant, and every argument of the tools has its place there (D48). */
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { AdQuery } from "../../../src/domain/search/AdQuery.ts"
import { ProductQuery } from "../../../src/domain/search/ProductQuery.ts"
import * as SearchAddress from "../../../src/domain/search/SearchAddress.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"

const catalog = NaiveCatalog.generate(7, 30)
const make = generators(Random.make(7), catalog)

const decoder = (schema: Schema.ConstraintDecoder<object>) =>
  Schema.decodeUnknownOption(schema, { onExcessProperty: "error" })

const ads = { address: SearchAddress.make(AdQuery), decode: decoder(AdQuery), argumentsOf: make.ad }
const products = {
  address: SearchAddress.make(ProductQuery),
  decode: decoder(ProductQuery),
  argumentsOf: make.product
}

const { address } = ads
const read = (query: string) => address.toArguments(SearchAddress.parse(query))

describe("SearchAddress", () => {
  // One that looked at each pair of digits would not be done within the time of a test.
  it("reads a long row of digits that is not a number as text", () => {
    const digits = `${"1".repeat(300_000)}x`
    assert.deepStrictEqual(read(`page=${digits}&monthly_visits.min=${digits}`), {
      page: digits,
      monthly_visits: { min: digits }
    })
  })

  it("has every argument of both tools", () => {
    assert.deepStrictEqual(Array.from(ads.address.kinds.keys()), Object.keys(AdQuery.fields))
    assert.deepStrictEqual(Array.from(products.address.kinds.keys()), Object.keys(ProductQuery.fields))
  })

  it.each([
    ["ads", ads],
    ["products", products]
  ])(
    "an address says what its arguments say, and is the only one that does: %s",
    (_, { address, argumentsOf, decode }) => {
      let compared = 0
      for (let index = 0; index < 2_000; index++) {
        const args = argumentsOf(index)
        const query = Option.getOrUndefined(decode(args))
        // Of words with nothing to look for, there is none.
        if (query === undefined) continue
        compared++
        const canonical = address.canonical(query)
        const written = address.toAddress(canonical)
        const back = address.toArguments(SearchAddress.parse(written))
        assert.deepStrictEqual(back, canonical, written)
        const again = Option.getOrThrow(decode(back))
        assert.strictEqual(address.toAddress(address.canonical(again)), written)
        // What was left out said nothing.
        for (const [name, value] of Object.entries(query)) {
          if (name in canonical) continue
          const isNothing = typeof value === "object" && Object.values(value).length === 0
          assert.isTrue(isNothing || ["all", "recommended", "desc", "30d", 1, 10, false].includes(value as never), name)
        }
      }
      assert.isAbove(compared, 1_800)
    }
  )

  it("reads shared URLs with arrays, ranges and dates", () => {
    assert.deepStrictEqual(
      read(
        "query=red+lamp&countries=US&countries=DE&monthly_revenue.min=1000&ad_started_between.from=2026-01-01" +
          "&status=active&sort_by=newest&page=2&partnership_only=true&traffic_growth_pct.max=-1.5e2"
      ),
      {
        query: "red lamp",
        countries: ["US", "DE"],
        monthly_revenue: { min: 1000 },
        ad_started_between: { from: "2026-01-01" },
        status: "active",
        sort_by: "newest",
        page: 2,
        partnership_only: true,
        traffic_growth_pct: { max: -150 }
      }
    )
  })

  it("ignores empty fields, and reads one entry per line", () => {
    assert.deepStrictEqual(read("query=&countries=&monthly_visits.min=&monthly_visits.max=&page="), {})
    assert.deepStrictEqual(read("apps=Loox%0D%0A+Klaviyo+%0A%0A&apps=Gorgias&themes=%20"), {
      apps: ["Loox", "Klaviyo", "Gorgias"],
      themes: []
    })
  })

  it("distinguishes the id of a niche from a name that looks like one", () => {
    const niches = [12, "12", "Pets", '"quoted"', '"', "007"]
    const written = address.toAddress({ niches })
    assert.strictEqual(
      written,
      "niches=12&niches=%2212%22&niches=Pets&niches=%22%22quoted%22%22&niches=%22%22%22&niches=%22007%22"
    )
    assert.deepStrictEqual(read(written), { niches })
    // Of themes and apps, all are names.
    assert.deepStrictEqual(read("apps=12&themes=%2212%22"), { apps: ["12"], themes: ['"12"'] })
  })

  it("keeps invalid values for the schema to reject", () => {
    const wrong: ReadonlyArray<readonly [query: string, args: object]> = [
      ["page=two", { page: "two" }],
      ["page=0x10", { page: "0x10" }],
      ["page=1&page=2", { page: ["1", "2"] }],
      ["monthly_visits=5&monthly_visits.min=6", { monthly_visits: "5" }],
      ["monthly_visits.min=6&monthly_visits=5", { monthly_visits: "5" }],
      ["monthly_visits.middle=5", { monthly_visits: { middle: "5" } }],
      ["monthly_visits.min=5&monthly_visits.min=6", { monthly_visits: { min: ["5", "6"] } }],
      ["partnership_only=yes", { partnership_only: "yes" }],
      ["country=US", { country: "US" }],
      ["query.min=1", { "query.min": "1" }],
      [".min=1", { ".min": "1" }],
      ["monthly_visits.=1", { "monthly_visits.": "1" }],
      ["shop_created_between.min=1", { shop_created_between: { min: "1" } }]
    ]
    for (const [query, args] of wrong) {
      assert.deepStrictEqual(read(query), args, query)
      assert.isTrue(Option.isNone(ads.decode(read(query))), query)
    }
    // The same twice is once.
    assert.deepStrictEqual(read("page=2&page=2&status=all&status=all"), { page: 2, status: "all" })
  })

  it("treats names such as __proto__ like others", () => {
    const args = read("__proto__=1&constructor=2&monthly_visits.__proto__=3&monthly_visits.toString=4&toString.min=5")
    assert.deepStrictEqual(Object.keys(args), ["__proto__", "constructor", "monthly_visits", "toString.min"])
    assert.deepStrictEqual(Object.keys(args["monthly_visits"] as object), ["__proto__", "toString"])
    assert.strictEqual(Object.getPrototypeOf(args), Object.prototype)
    assert.isTrue(Option.isNone(ads.decode(args)))
  })

  it.prop(
    "any text is read without harm, and gives the same again",
    [Schema.String, Schema.String],
    ([name, value]) => {
      const pairs = SearchAddress.parse(SearchAddress.toQuery([[name, value]]))
      const args = address.toArguments(pairs)
      assert.isAtMost(Object.keys(args).length, 1)
      const query = Option.getOrUndefined(ads.decode(args))
      if (query === undefined) return
      const canonical = address.canonical(query)
      assert.deepStrictEqual(address.toArguments(SearchAddress.parse(address.toAddress(canonical))), canonical)
    }
  )
})
