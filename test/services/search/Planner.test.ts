import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Schema } from "effect"
import { AdQuery } from "../../../src/domain/search/AdQuery.ts"
import { ProductQuery } from "../../../src/domain/search/ProductQuery.ts"
import * as Names from "../../../src/services/search/Names.ts"
import * as Plan from "../../../src/services/search/Plan.ts"
import * as Planner from "../../../src/services/search/Planner.ts"
import * as SearchRequest from "../../../src/services/search/SearchRequest.ts"

const noNames = Names.make([], [])
const products = (query: ProductQuery) => Result.getOrThrow(SearchRequest.fromProductQuery(query, noNames))
const ads = (query: AdQuery) => Result.getOrThrow(SearchRequest.fromAdQuery(query, noNames, "2026-03-15"))

const big: Planner.Facts = { stores: 200_000, holders: 185_000, items: 5_000_000 }
const withText = (hits: number, candidates: number): Planner.Facts => ({ ...big, text: { hits, candidates } })
const withStores = (matchingStores: number): Planner.Facts => ({ ...big, matchingStores })
const us = { countries: ["US"] }
const anyDays = { ad_started_between: { from: "2025-01-01" } }

const told = (plan: Plan.CountPlan | Plan.PagePlan): string =>
  "access" in plan ? `${plan._tag} by ${plan.access}` : plan._tag

describe("Planner", () => {
  it.each([
    ["no filter", products({}), big, "Totals"],
    ["empty filters", products({ countries: [], price: {} }), big, "Totals"],
    ["any status", ads({ status: "all" }), big, "Totals"],
    ["a store filter", products(us), big, "AddUpStores"],
    ["prices", products({ price: { min: 5 } }), big, "AddUpStores"],
    ["running ads of some days", ads({ active_days: { min: 5 } }), big, "AddUpStores"],
    ["one medium", ads({ media_types: ["video"], ctas: ["Shop Now"] }), big, "AddUpStores"],
    ["calls to action of any medium", ads({ ctas: ["Shop Now"] }), big, "AddUpStores"],
    [
      "flags in too many ranges",
      ads({ partnership_only: true, ctas: ["Shop Now", "Buy Now", "Download"], ...anyDays }),
      big,
      "CountItems by scan"
    ],
    ["a rare word", products({ query: "desk" }), withText(100, 5_000_000), "CountItems by index"],
    ["a word in few stores", products({ ...us, query: "desk" }), withText(500_000, 1_000), "CountItems by scan"],
    ["a word in nearly all", products({ query: "desk" }), withText(4_950_000, 5_000_000), "CountItems by whole"]
  ])("counts with %s", (_, request, facts, plan) => {
    assert.strictEqual(told(Planner.chooseCount(request, facts)), plan)
  })

  it.each([
    ["relevance, all", products({}), 5_000_000, big, "WalkItems"],
    ["relevance, most", products(us), 3_000_000, big, "WalkItems"],
    ["relevance, few", products(us), 200, big, "GatherItems by scan"],
    [
      "price, page 20, some",
      products({ ...us, sort_by: "price", page: 20, per_page: 25 }),
      10_000,
      big,
      "GatherItems by scan"
    ],
    ["a figure of the store, few", products({ ...us, sort_by: "revenue" }), 200, big, "GatherItems by scan"],
    ["a figure of the store, most", products({ ...us, sort_by: "revenue" }), 3_000_000, big, "WalkStores"],
    ["one ad a store, few", ads(us), 200, big, "GatherItems by scan"],
    ["one ad a store, most", ads(us), 3_000_000, big, "WalkStores"],
    ["relevance, page 20, some", products({ ...us, page: 20, per_page: 25 }), 50_000, big, "ProbeItems"],
    ["relevance, a range of a figure", products({ monthly_visits: { max: 900 } }), 500_000, big, "SortStores"],
    [
      "relevance, prices, a range of a figure",
      products({ monthly_visits: { max: 900 }, price: { min: 5 } }),
      1_700_000,
      big,
      "ProbeItems"
    ],
    [
      "oldest products of the youngest stores",
      products({ shop_created_between: { from: "2025-01-01" }, sort_by: "newest", sort_order: "asc" }),
      800_000,
      big,
      "ProbeItems"
    ],
    ["price, of one currency", products({ currencies: ["EUR"], sort_by: "price" }), 2_000, big, "GatherItems by scan"],
    [
      "a figure of the store, with a common word",
      ads({ query: "the", sort_by: "revenue" }),
      900_000,
      withText(900_000, 5_000_000),
      "GatherStores by index"
    ],
    [
      "a figure of the store, with a rare word",
      ads({ query: "desk", sort_by: "revenue" }),
      40,
      withText(40, 5_000_000),
      "GatherItems by index"
    ],
    ["one ad a store, with a rare word", ads({ query: "desk" }), 40, withText(40, 5_000_000), "GatherItems by index"],
    [
      "one ad a store, with a common word",
      ads({ query: "the" }),
      900_000,
      withText(900_000, 5_000_000),
      "GatherItems by index"
    ],
    [
      "newest, with a common word",
      ads({ query: "the", sort_by: "newest" }),
      900_000,
      withText(900_000, 5_000_000),
      "WalkItems"
    ],
    [
      "a common word in few stores",
      products({ ...us, query: "the" }),
      400,
      withText(900_000, 1_000),
      "GatherItems by scan"
    ]
  ])("pages by %s", (_, request, total, facts, plan) => {
    assert.strictEqual(told(Planner.choosePage(request, { total, stores: Math.round(total / 25) }, facts)), plan)
  })

  const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000_000 }))

  it.each([
    ["most stores", products(us), withStores(90_000), "counted first"],
    [
      "stores under a bound, highest first",
      products({ monthly_visits: { max: 900 }, sort_by: "revenue" }),
      withStores(60_000),
      "counted first"
    ],
    [
      "few stores under a bound, highest first",
      products({ monthly_visits: { max: 900 }, sort_by: "revenue" }),
      withStores(2_000),
      "SortStores"
    ],
    [
      "few stores under a bound of the order's own figure",
      products({ monthly_revenue: { max: 900 }, sort_by: "revenue" }),
      withStores(2_000),
      "counted first"
    ],
    [
      "stores under a bound, by relevance",
      products({ monthly_visits: { max: 900 } }),
      withStores(60_000),
      "SortStores"
    ],
    ["few stores", products(us), withStores(400), "SortStores"],
    [
      "stores over a bound, highest first",
      products({ monthly_visits: { min: 900 }, sort_by: "revenue" }),
      withStores(140_000),
      "counted first"
    ],
    [
      "a common word, newest first",
      ads({ query: "the", sort_by: "newest" }),
      withText(900_000, 5_000_000),
      "counted first"
    ],
    [
      "a rare word, newest first",
      ads({ query: "desk", sort_by: "newest" }),
      withText(40, 5_000_000),
      "GatherItems by index"
    ],
    ["a common word, one ad a store", ads({ query: "the" }), withText(900_000, 5_000_000), "GatherItems by index"],
    ["a common word in few stores", ads({ ...us, query: "the" }), withText(900_000, 1_000), "GatherItems by scan"]
  ])("%s: gathered at once, or counted before", (_, request, facts, plan) => {
    assert.strictEqual(
      Option.match(Planner.chooseAtOnce(request, facts), { onNone: () => "counted first", onSome: told }),
      plan
    )
  })

  it.effect.prop(
    "whatever is asked and known, a valid plan is chosen",
    [AdQuery, ProductQuery, Schema.Boolean, Count, Count, Count, Count],
    ([adQuery, productQuery, hasWords, total, stores, hits, candidates]) =>
      Effect.sync(() => {
        const known = { niches: [], themes: [], query: "desk tray" }
        for (const request of [ads({ ...adQuery, ...known }), products({ ...productQuery, ...known })]) {
          const asked = hasWords ? request : { ...request, words: [] }
          const facts = hasWords ? withText(hits, candidates) : big
          assert.include(Plan.validCounts(asked).map(told), told(Planner.chooseCount(asked, facts)))
          assert.include(Plan.validPages(asked).map(told), told(Planner.choosePage(asked, { total, stores }, facts)))
        }
      }),
    { arbitrary: { runs: 300 } }
  )

  const Any = Schema.Literals([0, 1, 30, 5_000_000])
  const AnyFacts = Schema.Struct({
    stores: Any,
    holders: Any,
    items: Any,
    matchingStores: Any,
    hits: Any,
    candidates: Any
  })

  it.effect.prop(
    "of an empty catalogue and of wrong estimates too, at once or counted first",
    [AdQuery, ProductQuery, Schema.Boolean, AnyFacts, Any, Any],
    ([adQuery, productQuery, hasWords, { candidates, hits, matchingStores, ...counts }, total, stores]) =>
      Effect.sync(() => {
        const known = { niches: [], themes: [], query: "desk tray" }
        for (const request of [ads({ ...adQuery, ...known }), products({ ...productQuery, ...known })]) {
          const asked = hasWords ? request : { ...request, words: [] }
          const facts = hasWords ? { ...counts, text: { hits, candidates } } : { ...counts, matchingStores }
          assert.include(Plan.validCounts(asked).map(told), told(Planner.chooseCount(asked, facts)))
          const pages = Plan.validPages(asked).map(told)
          assert.include(pages, told(Planner.choosePage(asked, { total, stores }, facts)))
          const atOnce = Planner.chooseAtOnce(asked, facts)
          if (Option.isSome(atOnce)) assert.include(pages, told(atOnce.value))
        }
      }),
    { arbitrary: { runs: 300 } }
  )
})
