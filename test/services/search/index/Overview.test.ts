/**
 * D66, D99: overviews of the index against the naive ones: every grouping, filter and order, for one segment and for several, with
 * outdated copies of stores in them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { figureSorts, groupings, MarketArguments, marketSorts } from "../../../../src/domain/search/MarketQuery.ts"
import { Canceled, defaultTuning } from "../../../../src/services/search/index/Run.ts"
import { Medians } from "../../../../src/services/search/index/Medians.ts"
import { overview } from "../../../../src/services/search/index/Overview.ts"
import { quickselect } from "../../../../src/services/search/index/Quickselect.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import type { MarketQuery } from "../../../../src/domain/search/MarketQuery.ts"
import type { SegmentList } from "../../../../src/services/search/index/Segment.ts"
import { countVocabulary } from "../../../../src/services/search/index/NameCounts.ts"
import { currenciesOf } from "../../../../src/services/search/SearchRunner.ts"
import * as MarketOverview from "../../../../src/services/search/MarketSearch.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { currencies } from "../../../oracle/NaiveFindings.ts"
import { marketOverview } from "../../../oracle/NaiveMarket.ts"
import { matcher } from "../../../oracle/NaiveText.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { nameCodes, segmentations } from "../../../oracle/segments.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerCatalog = Number(process.env["ORACLE_CASES"] ?? 60)

/** Of the tool's arguments, with the filters beside the others. */
const decode = ({
  filters,
  ...asked
}: {
  readonly filters?: object
  readonly [name: string]: unknown
}): MarketQuery => {
  const { filters: found, ...others } = Schema.decodeUnknownSync(MarketArguments)({ ...asked, filters: filters ?? {} })
  return { ...others, ...found }
}
const uncancelled = { check: () => {} }

/** Medians of small groups take the way of large ones too. */
const tunings = [defaultTuning, { ...defaultTuning, fewValues: 0 }, { ...defaultTuning, fewValues: 5 }]

for (const [index, size] of [30, 120].entries()) {
  const catalogSeed = seed * 1_000 + index
  const catalog = NaiveCatalog.generate(catalogSeed, size)
  const spellings = new Spellings()
  const lists = segmentations(catalog, spellings, Random.make(catalogSeed + 7))
  const names = nameCodes(catalog, spellings)
  const leaders = {
    theme: spellings.theme.leaders,
    app: spellings.app.leaders,
    extension: spellings.extension.leaders
  }
  const niches = catalog.niches.map(({ id, name, parent_id }) => ({ id, name, parentId: parent_id }))

  const answer = (list: SegmentList, query: MarketQuery, tuning = defaultTuning) => {
    const found = overview(list, MarketOverview.toQuery(query, names, niches), leaders, uncancelled, tuning)
    const { group_by: _, limit: _limit, niche_level: _level, prices: _prices, share_of: _share, ...rest } = query
    const { sort_by: _sort, ...filters } = rest
    const wanted = currencies(catalog, { of: "stores", query: filters })
    assert.deepStrictEqual(currenciesOf(found), wanted, JSON.stringify(query))
    return MarketOverview.toAnswer(query, found, { niches, vocabulary: countVocabulary(list, spellings) })
  }

  describe(`catalog ${catalogSeed} of ${size} stores`, () => {
    it(`${casesPerCatalog} filters, each with every grouping`, () => {
      const random = Random.make(catalogSeed + 4)
      const { shop } = generators(random, catalog)
      let [combined, worded] = [0, 0]
      for (let number = 0; number < casesPerCatalog; number++) {
        // First each filter alone, then filters together and words.
        const drawn = shop(number < casesPerCatalog / 3 ? number : number * 7)
        const { page: _, per_page: _size, sort_by: _sort, sort_order: _order, change_over: _span, ...filters } = drawn
        if (typeof filters["query"] === "string" && matcher(filters["query"]) === undefined) continue
        /** The filters of another search, with words that are any. */
        const shareOf = (index: number) => {
          const { page: _p, per_page: _s, sort_by: _b, sort_order: _o, change_over: _c, ...others } = shop(index)
          const { query: words, ...share } = others
          return typeof words === "string" && matcher(words) !== undefined ? { ...share, query: words } : share
        }
        if (Object.keys(filters).length > 1) combined++
        if ("query" in filters) worded++
        for (const [at, group_by] of groupings.entries()) {
          const share = shareOf(random.int(0, 10_000))
          const hasShare = (number + at) % 2 === 0
          const sorts = hasShare ? marketSorts : figureSorts
          const query = decode({
            filters,
            group_by,
            niche_level: random.int(1, 4),
            sort_by: sorts[(number + at) % sorts.length],
            prices: random.chance(0.5),
            ...(hasShare ? { share_of: share } : {}),
            limit: random.pick([1, 2, 3, 20, 50])
          })
          const expected = marketOverview(catalog, query)
          const [name, list] = Object.entries(lists)[(number + at) % Object.keys(lists).length] ?? ["none", []]
          const tuning = tunings[(number + 2 * at) % tunings.length] ?? defaultTuning
          assert.deepStrictEqual(answer(list, query, tuning), expected, `${name}: ${JSON.stringify({ query, tuning })}`)
        }
      }
      assert.isAtLeast(combined, Math.floor(casesPerCatalog / 6))
      assert.isAtLeast(worded, Math.floor(casesPerCatalog / 6))
    }, 240_000)

    it("every order of every grouping, in every split into segments", () => {
      for (const group_by of groupings) {
        for (const sort_by of marketSorts) {
          const share = sort_by === "matching_pct" ? { share_of: { languages: ["English"] } } : {}
          const query = decode({ group_by, sort_by, limit: 4, ...share })
          const expected = marketOverview(catalog, query)
          for (const [name, list] of Object.entries(lists)) {
            for (const tuning of tunings) {
              const found = answer(list, query, tuning)
              assert.deepStrictEqual(found, expected, `${name}: ${JSON.stringify({ query, tuning })}`)
            }
          }
        }
      }
    })
  })

  it(`stops when it is canceled, catalog ${catalogSeed}`, () => {
    const query = MarketOverview.toQuery(decode({ group_by: "app", sort_by: "median_visits" }), names, niches)
    for (const list of Object.values(lists)) {
      let checks = 0
      const tuning = { ...defaultTuning, fewValues: 0 }
      overview(list, query, leaders, { check: () => void checks++ }, tuning)
      assert.isAbove(checks, list.length)
      // Wherever it is by then.
      for (let last = 1; last <= checks; last++) {
        let seen = 0
        const check = () => {
          if (++seen === last) throw new Canceled()
        }
        assert.throws(() => overview(list, query, leaders, { check }, tuning), Canceled)
      }
    }
  })
}

// Few different values, so that many are equal.
const Value = Schema.Union([Schema.Int.check(Schema.isBetween({ minimum: -3, maximum: 3 })), Schema.Finite])

describe("medians", () => {
  const Known = Schema.Array(Schema.NullOr(Value))
  const Few = Schema.Literals([0, 3, 1_000])

  it.prop("are those of the sorted known values", [Known, Known, Few], ([others, own, few]) => {
    const values = Float64Array.from([...others, ...own, ...own], (value) => value ?? Number.NaN)
    const positions = Uint32Array.from({ length: 2 * own.length }, (_, at) => others.length + at)
    const medians = new Medians(values, few, uncancelled)
    for (const some of [
      positions,
      positions.subarray(own.length),
      positions.subarray(0, 1),
      positions.subarray(0, 2)
    ]) {
      const sorted = Array.from(some, (position) => values[position] ?? Number.NaN)
        .filter((value) => !Number.isNaN(value))
        .sort((a, b) => a - b)
      const [lower, upper] = [sorted[(sorted.length - 1) >>> 1], sorted[sorted.length >>> 1]]
      const { known, median } = medians.of(some)
      assert.strictEqual(known, sorted.length)
      if (lower === undefined || upper === undefined) assert.isNaN(median)
      // One value is not halved and doubled, which could make it infinite.
      else assert.isTrue(median === (sorted.length % 2 === 1 ? upper : (lower + upper) / 2))
    }
  })
})

describe("quickselect", () => {
  const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))

  it.prop(
    "finds what a sort puts there, with none before it that is higher",
    [Schema.Array(Value), Place],
    ([all, at]) => {
      // More than a partition that is sorted has.
      const values = Float64Array.from([...all, ...all, ...all, 0, ...all, ...all, ...all])
      const sorted = values.toSorted()
      const place = at % values.length
      quickselect(values, place, uncancelled)
      assert.strictEqual(values[place], sorted[place])
      assert.isTrue(values.subarray(0, place).every((before) => before <= (values[place] ?? 0)))
    }
  )

  it("checks for cancellation regularly", () => {
    const values = Float64Array.from({ length: 200_000 }, (_, at) => (at * 7_919) % 200_003)
    let checks = 0
    quickselect(values, 100_000, { check: () => void checks++ })
    assert.isAbove(checks, 0)
  })
})
