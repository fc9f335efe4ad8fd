/** D100: groups of ads of the index against the naive ones: every grouping and filter, for one segment and for several. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { AdGroupArguments, adGroupings } from "../../../../src/domain/search/AdGroupQuery.ts"
import { AdFilter } from "../../../../src/domain/search/AdQuery.ts"
import { adGroups } from "../../../../src/services/search/index/AdGroups.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { countVocabulary } from "../../../../src/services/search/index/NameCounts.ts"
import { Canceled, defaultTuning } from "../../../../src/services/search/index/Run.ts"
import * as MarketSearch from "../../../../src/services/search/MarketSearch.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { adComparison } from "../../../oracle/NaiveMarket.ts"
import { matcher } from "../../../oracle/NaiveText.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { nameCodes, segmentations } from "../../../oracle/segments.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const cases = Number(process.env["ORACLE_CASES"] ?? 60)

const catalog = NaiveCatalog.generate(seed * 1_000 + 3, 90)
const spellings = new Spellings()
const lists = segmentations(catalog, spellings, Random.make(seed + 7))
const names = nameCodes(catalog, spellings)
const niches = catalog.niches.map(({ id, name, parent_id }) => ({ id, name, parentId: parent_id }))

const decode = ({ filters, ...asked }: { readonly filters: object; readonly [name: string]: unknown }) => {
  const { filters: found, ...others } = Schema.decodeUnknownSync(AdGroupArguments)({ ...asked, filters })
  return { ...others, ...found }
}

/** Hits of words are handled one by one, and as bitmaps. */
const tunings = [defaultTuning, { ...defaultTuning, fewHits: 0 }]

describe("groups of ads", () => {
  it(`${cases} filters, each with every grouping, in every split into segments`, () => {
    const { ad } = generators(Random.make(seed + 9), catalog)
    const random = Random.make(seed + 10)
    let found = 0
    for (let number = 0; number < cases; number++) {
      const drawn = ad(number < cases / 2 ? number : number * 7)
      const filters = Object.fromEntries(Object.entries(drawn).filter(([name]) => name in AdFilter.fields))
      if (typeof filters["query"] === "string" && matcher(filters["query"]) === undefined) continue
      for (const [at, group_by] of adGroupings.entries()) {
        const limit = random.pick([1, 2, 20, 50])
        const query = decode({ group_by, niche_level: random.int(1, 3), limit, filters })
        const expected = adComparison(catalog, query)
        const asked = MarketSearch.toAdQuery(query, names, niches, NaiveCatalog.today)
        found += expected.total.ads
        // What a partition of the ads counts adds up.
        const all = adComparison(catalog, { ...query, limit: 1_000 })
        assert.strictEqual(
          all.results.reduce((sum, { ads }) => sum + ads, 0),
          expected.total.ads
        )
        for (const [name, list] of Object.entries(lists)) {
          const tuning = tunings[(number + at) % tunings.length] ?? defaultTuning
          const groups = adGroups(list, asked, { check: () => {} }, tuning)
          const vocabulary = countVocabulary(list, spellings)
          const answer = MarketSearch.toAdAnswer(query, groups, { niches, vocabulary })
          assert.deepStrictEqual(answer, expected, `${name}: ${JSON.stringify(query)}`)
        }
      }
    }
    assert.isAbove(found, cases)
  }, 240_000)

  it("stops when it is canceled", () => {
    const asked = MarketSearch.toAdQuery(decode({ group_by: "cta", filters: {} }), names, niches, NaiveCatalog.today)
    for (const list of Object.values(lists)) {
      const check = () => {
        throw new Canceled()
      }
      assert.throws(() => adGroups(list, asked, { check }), Canceled)
    }
  })
})
