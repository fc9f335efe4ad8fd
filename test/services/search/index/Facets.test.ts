/** Facets against the naive search: each value's count is the total of the same search with that value alone. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ctas, languages, mediaTypes, pixels, socialNetworks } from "../../../../src/domain/catalog/Enumerations.ts"
import * as AdQuery from "../../../../src/domain/search/AdQuery.ts"
import * as ProductQuery from "../../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../../src/domain/search/ShopQuery.ts"
import { facets } from "../../../../src/services/search/index/Facets.ts"
import type { Facets } from "../../../../src/domain/search/CatalogAnswer.ts"
import { defaultTuning } from "../../../../src/services/search/index/Run.ts"
import { merge } from "../../../../src/services/search/index/Merge.ts"
import type { Filter } from "../../../../src/domain/search/CatalogQuery.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { countsOf } from "../../../../src/services/search/FilterCounts.ts"
import * as Queries from "../../../../src/services/search/Queries.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import { matcher } from "../../../oracle/NaiveText.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { nameCodes, segmentOf } from "../../../oracle/segments.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const cases = Number(process.env["ORACLE_CASES"] ?? 30)

const catalog = NaiveCatalog.generate(seed * 1_000, 40)
const spellings = new Spellings()
const isOdd = (id: number) => id % 4 === 1 || id % 2 === 0
const halves = [segmentOf(catalog, spellings, isOdd), segmentOf(catalog, spellings, (id) => !isOdd(id))]
const names = nameCodes(catalog, spellings)
const lists = [halves, [merge(halves)]]
const tunings = [defaultTuning, { ...defaultTuning, fewHits: 0 }]

const leaders = {
  theme: spellings.theme.leaders,
  app: spellings.app.leaders,
  extension: spellings.extension.leaders
}

type Args = Record<string, unknown>

const storeValues: Readonly<Record<string, ReadonlyArray<string>>> = {
  niches: catalog.niches.map(({ name }) => name),
  countries: NaiveCatalog.countries,
  currencies: NaiveCatalog.currencies,
  themes: NaiveCatalog.themes,
  apps: NaiveCatalog.apps,
  domains: NaiveCatalog.extensions,
  languages: languages.slice(0, 6),
  pixels: pixels.slice(0, 4),
  social_networks: socialNetworks.slice(0, 4)
}

const prove = (
  makeArguments: (index: number) => Args,
  values: Readonly<Record<string, ReadonlyArray<string>>>,
  toFilter: (args: Args) => Filter,
  total: (args: Args) => number,
  checkMore: (found: Facets, args: Args) => void = () => {}
) => {
  for (let number = 0; number < cases; number++) {
    const args = makeArguments(number * 7)
    if (typeof args["query"] === "string" && matcher(args["query"]) === undefined) continue
    for (const [at, list] of lists.entries()) {
      const tuning = tunings[(number + at) % tunings.length]
      const found = facets(list, toFilter(args), leaders, { check: () => {} }, tuning)
      const counts = countsOf(found, names)
      for (const [argument, all] of Object.entries(values)) {
        for (const value of all) {
          const context = `${JSON.stringify(args)}: ${argument} ${value}`
          assert.strictEqual(counts(argument, value), total({ ...args, [argument]: [value] }), context)
        }
      }
      checkMore(found, args)
    }
  }
}

describe("facets", () => {
  it("of ads count what each value would leave", () => {
    const decode = Schema.decodeUnknownSync(AdQuery.AdQuery)
    const total = (args: Args) => NaiveSearch.searchAds(catalog, decode(args)).total
    prove(
      generators(Random.make(seed), catalog).ad,
      { ...storeValues, media_types: mediaTypes, ctas: ctas.slice(0, 5) },
      (args) => Queries.fromAdQuery(decode(args), names, NaiveCatalog.today),
      total,
      (found, args) => {
        assert.strictEqual(found.flags?.status[0], total({ ...args, status: "active" }), JSON.stringify(args))
        assert.strictEqual(
          found.flags?.partnership[0],
          total({ ...args, partnership_only: true }),
          JSON.stringify(args)
        )
        const asksDays = typeof args["active_days"] === "object" && Object.keys(args["active_days"] ?? {}).length > 0
        const inactive = asksDays ? 0 : total({ ...args, status: "inactive" })
        assert.strictEqual(found.flags?.status[1], inactive, JSON.stringify(args))
      }
    )
  }, 240_000)

  it("of products count what each value would leave", () => {
    const decode = Schema.decodeUnknownSync(ProductQuery.ProductQuery)
    prove(
      generators(Random.make(seed + 1), catalog).product,
      storeValues,
      (args) => Queries.fromProductQuery(decode(args), names),
      (args) => NaiveSearch.searchProducts(catalog, decode(args)).total
    )
  }, 240_000)

  it("of stores count what each value would leave", () => {
    const decode = Schema.decodeUnknownSync(ShopQuery.ShopQuery)
    prove(
      generators(Random.make(seed + 2), catalog).shop,
      storeValues,
      (args) => Queries.fromShopQuery(decode(args), names),
      (args) => NaiveSearch.searchShops(catalog, decode(args)).total
    )
  }, 240_000)
})
