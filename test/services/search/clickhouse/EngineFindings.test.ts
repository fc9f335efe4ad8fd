/**
 * What ClickHouse counts besides searches, against the index in memory and the naive answers, on one node and on two shards: facets,
 * overviews of markets, groups of ads, and figures of stores.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { pixels } from "../../../../src/domain/catalog/Enumerations.ts"
import { AdGroupArguments, adGroupings } from "../../../../src/domain/search/AdGroupQuery.ts"
import * as AdQuery from "../../../../src/domain/search/AdQuery.ts"
import type { Facets, VocabularyCounts } from "../../../../src/domain/search/CatalogAnswer.ts"
import { spellingKinds } from "../../../../src/domain/search/CatalogQuery.ts"
import type { Filter } from "../../../../src/domain/search/CatalogQuery.ts"
import { figureSorts, groupings, MarketArguments, marketSorts } from "../../../../src/domain/search/MarketQuery.ts"
import type { MarketQuery } from "../../../../src/domain/search/MarketQuery.ts"
import * as ProductQuery from "../../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../../src/domain/search/ShopQuery.ts"
import { adGroups } from "../../../../src/services/search/index/AdGroups.ts"
import { facets } from "../../../../src/services/search/index/Facets.ts"
import { Spellings } from "../../../../src/services/search/index/IndexedRecords.ts"
import { countVocabulary } from "../../../../src/services/search/index/NameCounts.ts"
import { overview } from "../../../../src/services/search/index/Overview.ts"
import { record } from "../../../../src/services/search/index/Segment.ts"
import * as MarketSearch from "../../../../src/services/search/MarketSearch.ts"
import * as Names from "../../../../src/services/search/Names.ts"
import * as Queries from "../../../../src/services/search/Queries.ts"
import type { NameCodes } from "../../../../src/services/search/Queries.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { adComparison, marketOverview } from "../../../oracle/NaiveMarket.ts"
import { matcher } from "../../../oracle/NaiveText.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { nameCodes, segmentOf } from "../../../oracle/segments.ts"
import * as ClickHousePackage from "../../../support/ClickHousePackage.ts"
import * as Engines from "../../../support/Engines.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const cases = Number(process.env["ORACLE_CASES"] ?? 60)

const catalog = NaiveCatalog.generate(seed * 1_000 + 1, 80)
const spellings = new Spellings()
const list = [segmentOf(catalog, spellings)]
const codes = nameCodes(catalog, spellings)
const leaders = record(spellingKinds, (kind) => spellings[kind].leaders)
const vocabulary = countVocabulary(list, spellings)
const niches = catalog.niches.map(({ id, name, parent_id }) => ({ id, name, parentId: parent_id }))
const cancel = { check: () => {} }

type Args = Record<string, unknown>

const decode = {
  ad: Schema.decodeUnknownSync(AdQuery.AdQuery),
  product: Schema.decodeUnknownSync(ProductQuery.ProductQuery),
  shop: Schema.decodeUnknownSync(ShopQuery.ShopQuery),
  market: Schema.decodeUnknownSync(MarketArguments),
  groups: Schema.decodeUnknownSync(AdGroupArguments)
}

const hasWords = ({ query }: Args): boolean => typeof query !== "string" || matcher(query) !== undefined

const byText = ([a]: readonly [string, number], [b]: readonly [string, number]) => (a < b ? -1 : Number(a > b))

/** Ids of spellings differ between engines, names do not. */
const named = (found: Facets, { app, extension, theme }: VocabularyCounts) => {
  const names = { app, extension, theme }
  const text = (kind: keyof typeof names) => {
    const byId = new Map(names[kind].map(({ id, name }) => [id, name]))
    return new Map(Array.from(found.codes[kind], ([id, count]) => [byId.get(id) ?? "", count] as const).sort(byText))
  }
  const sorted = (counts: ReadonlyMap<number, number>) => new Map(Array.from(counts).sort(([a], [b]) => a - b))
  return {
    ...found,
    codes: {
      app: text("app"),
      theme: text("theme"),
      extension: text("extension"),
      niche: sorted(found.codes.niche),
      country: sorted(found.codes.country),
      currency: sorted(found.codes.currency)
    }
  }
}

const byName = ({ niches, ...counts }: VocabularyCounts) => ({
  ...record(spellingKinds, (kind) =>
    counts[kind].map(({ folded, ids, name, stores }) => ({ folded, spellings: ids.length, name, stores }))
  ),
  niches: new Map(Array.from(niches).sort(([a], [b]) => a - b)),
  items: [counts.stores, counts.products, counts.ads]
})

describe.skipIf(!ClickHousePackage.isAvailable)("ClickHouse counts as the index does", () => {
  layer(Engines.layer(catalog), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    const proveFacets = Effect.fnUntraced(function* (
      makeArguments: (index: number) => Args,
      toFilter: (args: Args, names: NameCodes) => Filter
    ) {
      for (let number = 0; number < cases / 2; number++) {
        const args = makeArguments(number * 5)
        if (!hasWords(args)) continue
        const expected = named(facets(list, toFilter(args, codes), leaders, cancel), vocabulary)
        for (const { catalog, search, where } of yield* Engines.Engines) {
          const { answer } = yield* search.facets(toFilter(args, Names.of(catalog)))
          assert.deepStrictEqual(named(answer, catalog.vocabulary), expected, `${where}: ${JSON.stringify(args)}`)
        }
      }
    })

    it.effect(
      "facets of ads",
      () =>
        proveFacets(generators(Random.make(seed), catalog).ad, (args, names) =>
          Queries.adFilter(decode.ad(args), names, NaiveCatalog.today)
        ),
      120_000
    )
    it.effect(
      "facets of products",
      () =>
        proveFacets(generators(Random.make(seed + 1), catalog).product, (args, names) => {
          const {
            limit: _limit,
            offset: _offset,
            order: _order,
            ...filter
          } = Queries.fromProductQuery(decode.product(args), names)
          return filter
        }),
      120_000
    )
    it.effect(
      "facets of stores",
      () =>
        proveFacets(generators(Random.make(seed + 2), catalog).shop, (args, names) =>
          Queries.storeFilter(decode.shop(args), names)
        ),
      120_000
    )

    it.effect(
      "overviews of markets",
      () =>
        Effect.gen(function* () {
          const random = Random.make(seed + 4)
          const { shop } = generators(random, catalog)
          const drawn = (index: number): Args => {
            const {
              page: _page,
              per_page: _size,
              sort_by: _sort,
              sort_order: _order,
              change_over: _span,
              ...filters
            } = shop(index)
            return filters
          }
          for (let number = 0; number < cases; number++) {
            const filters = drawn(number % 2 === 0 ? number : 500 + number)
            const share = drawn(random.int(0, 10_000))
            if (!hasWords(filters) || !hasWords(share)) continue
            const sorts = number % 2 === 0 ? marketSorts : figureSorts
            const { filters: found, ...asked } = decode.market({
              filters,
              group_by: groupings[number % groupings.length],
              niche_level: random.int(1, 3),
              sort_by: sorts[(number >> 1) % sorts.length],
              prices: random.chance(0.5),
              ...(number % 2 === 0 ? { share_of: share } : {}),
              limit: random.pick([1, 2, 3, 20, 50])
            })
            const query: MarketQuery = { ...asked, ...found }
            const wanted = marketOverview(catalog, query)
            const inMemory = overview(list, MarketSearch.toQuery(query, codes, niches), leaders, cancel)
            for (const { catalog, search, where } of yield* Engines.Engines) {
              const context = `${where}: ${JSON.stringify(query)}`
              const { answer } = yield* search.overview(MarketSearch.toQuery(query, Names.of(catalog), catalog.niches))
              assert.deepStrictEqual(MarketSearch.toAnswer(query, answer, catalog), wanted, context)
              const { groups, ...others } = answer
              const { groups: expected, ...expectedOthers } = inMemory
              assert.deepStrictEqual(others, expectedOthers, context)
              const sameGroups = (all: typeof groups) =>
                all.map(({ group: _group, ...each }) => JSON.stringify(each)).sort()
              assert.deepStrictEqual(sameGroups(groups), sameGroups(expected), context)
            }
          }
        }),
      180_000
    )

    it.effect(
      "groups without a known median are behind those whose median is 0 or below",
      () =>
        Effect.gen(function* () {
          let told = 0
          for (const pixel of pixels) {
            for (const [group_by, sort_by] of [
              ["language", "median_visits"],
              ["theme", "median_growth"]
            ] as const) {
              const { filters, ...asked } = decode.market({
                filters: { pixels: [pixel] },
                group_by,
                sort_by,
                limit: 50
              })
              const query: MarketQuery = { ...asked, ...filters }
              const wanted = marketOverview(catalog, query)
              const medians = wanted.results.map((group) => group[sort_by])
              if (
                !medians.some((median) => median === null) ||
                medians.every((median) => median === null || median > 0)
              )
                continue
              if (told++ >= 6) continue
              for (const { catalog, search, where } of yield* Engines.Engines) {
                const { answer } = yield* search.overview(
                  MarketSearch.toQuery(query, Names.of(catalog), catalog.niches)
                )
                assert.deepStrictEqual(
                  MarketSearch.toAnswer(query, answer, catalog),
                  wanted,
                  `${where}: ${pixel} ${group_by}`
                )
              }
            }
          }
          assert.isAbove(told, 0)
        }),
      120_000
    )

    it.effect(
      "groups of ads",
      () =>
        Effect.gen(function* () {
          const { ad } = generators(Random.make(seed + 9), catalog)
          for (let number = 0; number < cases; number++) {
            const drawn = ad(number % 2 === 0 ? number : 500 + number)
            const filters = Object.fromEntries(
              Object.entries(drawn).filter(([name]) => name in AdQuery.AdFilter.fields)
            )
            if (!hasWords(filters)) continue
            const { filters: found, ...asked } = decode.groups({
              filters,
              group_by: adGroupings[number % adGroupings.length],
              niche_level: 1 + (number % 3),
              limit: 50
            })
            const query = { ...asked, ...found }
            const inMemory = adGroups(list, MarketSearch.toAdQuery(query, codes, niches, NaiveCatalog.today), cancel)
            for (const { catalog: named, search, where } of yield* Engines.Engines) {
              const context = `${where}: ${JSON.stringify(query)}`
              const { answer } = yield* search.adGroups(
                MarketSearch.toAdQuery(query, Names.of(named), niches, NaiveCatalog.today)
              )
              assert.deepStrictEqual(
                MarketSearch.toAdAnswer(query, answer, named),
                adComparison(catalog, query),
                context
              )
              const sorted = (all: typeof answer.groups) => all.toSorted((one, other) => one.group - other.group)
              assert.deepStrictEqual(
                { ...answer, groups: sorted(answer.groups) },
                { ...inMemory, groups: sorted(inMemory.groups) },
                context
              )
            }
          }
        }),
      180_000
    )

    it.effect(
      "names, highest ids, and the stores that have figures",
      () =>
        Effect.gen(function* () {
          const ids = catalog.shops.map(({ id }) => id)
          const highest = (items: ReadonlyArray<{ readonly id: number }>) => Math.max(...items.map(({ id }) => id))
          for (const { catalog: found, search, where } of yield* Engines.Engines) {
            assert.deepStrictEqual(byName(found.vocabulary), byName(vocabulary), where)
            assert.deepStrictEqual(found.niches, niches)
            assert.deepStrictEqual(found.highestIds, {
              stores: highest(catalog.shops),
              products: highest(catalog.products),
              ads: highest(catalog.ads)
            })
            const { figures } = yield* search.figures([...ids, ...ids.map((id) => -id), 2_000_000_000])
            assert.sameMembers(Array.from(figures.keys()), ids, where)
          }
        }),
      60_000
    )
  })
})

/** Numbers that differ in their last digits only, so that three steps are needed to tell them apart; below 0, and -0. */
const near = [1_000, 1_000 + 1e-9, 1_000 + 3e-9, 1_000.000_001, 0, -0, -1_000, -1_000 - 2e-9, null]
const alike: NaiveCatalog.NaiveCatalog = {
  ...catalog,
  shops: catalog.shops.map((shop, index) => ({ ...shop, monthly_revenue: near[index % near.length] ?? null }))
}

describe.skipIf(!ClickHousePackage.isAvailable)("medians by ClickHouse", () => {
  layer(Engines.layer(alike), { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect(
      "are exact where values differ in their last digits",
      () =>
        Effect.gen(function* () {
          const known = new Spellings()
          const segments = [segmentOf(alike, known)]
          const names = nameCodes(alike, known)
          for (const group_by of groupings) {
            const { filters: _filters, ...asked } = decode.market({ group_by, sort_by: "median_growth", limit: 50 })
            const expected = overview(
              segments,
              MarketSearch.toQuery(asked, names, niches),
              record(spellingKinds, (kind) => known[kind].leaders),
              cancel
            )
            for (const { catalog, search, where } of yield* Engines.Engines) {
              const { answer } = yield* search.overview(MarketSearch.toQuery(asked, Names.of(catalog), catalog.niches))
              const withoutIds = (all: typeof answer.groups) =>
                all.map(({ group: _group, ...each }) => JSON.stringify(each)).sort()
              assert.deepStrictEqual(withoutIds(answer.groups), withoutIds(expected.groups), `${where}: ${group_by}`)
            }
          }
        }),
      180_000
    )
  })
})
