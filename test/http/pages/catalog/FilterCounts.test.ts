/** The number beside each value of a filter: the total of the search with only that value in its list. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { AdQuery } from "../../../../src/domain/search/AdQuery.ts"
import { ProductQuery } from "../../../../src/domain/search/ProductQuery.ts"
import { searchKinds } from "../../../../src/domain/search/SavedSearch.ts"
import { ShopQuery } from "../../../../src/domain/search/ShopQuery.ts"
import * as ToolErrorMessages from "../../../../src/domain/ToolErrorMessages.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import * as Locale from "../../../../src/http/pages/shared/Locale.ts"
import { FilterCounts } from "../../../../src/services/search/FilterCounts.ts"
import * as Queries from "../../../../src/services/search/Queries.ts"
import { CatalogSearch } from "../../../../src/services/search/CatalogSearch.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const catalog = NaiveCatalog.generate(seed * 1_000 + 9, 60)

const services = Catalogs.naive(catalog).pipe(
  Layer.provideMerge(Site.layer()),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

const make = generators(Random.make(seed + 5), catalog)
const decode = {
  ads: Schema.decodeUnknownSync(AdQuery),
  products: Schema.decodeUnknownSync(ProductQuery),
  stores: Schema.decodeUnknownSync(ShopQuery)
}

const pages = {
  ads: {
    argumentsOf: make.ad,
    total: (args: object) => NaiveSearch.searchAds(catalog, decode.ads(args)).total
  },
  products: {
    argumentsOf: make.product,
    total: (args: object) => NaiveSearch.searchProducts(catalog, decode.products(args)).total
  },
  stores: {
    argumentsOf: make.shop,
    total: (args: object) => NaiveSearch.searchShops(catalog, decode.stores(args)).total
  }
} as const

const numberOf = (text: string) => Number(text.replaceAll(",", ""))

/** For each shown value, the arguments that choose it, and its number. */
const shown = (text: string) => [
  ...Array.from(
    text.matchAll(/<option value="(all|active|inactive)"[^>]*>[^<]*\(([\d,]+)\)</gu),
    ([, status = "", count = ""]) => ({ args: { status }, count: numberOf(count) })
  ),
  ...Array.from(
    text.matchAll(/<input type="checkbox"[^>]* name="(\w+)" value="([^"]*)"[^>]*>[^<]*<span>([\d,]+)<\/span>/gu),
    ([, name = "", value = "", count = ""]) => ({
      args: { [name]: name === "partnership_only" ? true : [value.replaceAll("&amp;", "&")] },
      count: numberOf(count)
    })
  )
]

layer(services, { excludeTestServices: true })("counts of filters", (it) => {
  for (const subject of ["ads", "products", "stores"] as const) {
    const { argumentsOf, total } = pages[subject]
    it.effect(`of ${subject} are totals of searches`, () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const { address, canonical } = searchKinds[subject]
        let [several, checked] = [0, 0]
        for (let index = 0; several < 4; index++) {
          const query = Option.getOrUndefined(canonical(address.toAddress(argumentsOf(index * 3))))
          if (query === undefined || query === "") continue
          const args = address.toArguments(Array.from(new URLSearchParams(query)))
          const { status, text } = yield* visitor.get(`${sections[subject]}?${query}`)
          assert.strictEqual(status, 200, query)
          const counts = shown(text)
          // Countries and currencies are hundreds without a result.
          const few = counts.filter(({ count }, place) => count > 0 || place % 25 === 0 || place < 3)
          for (const each of few) {
            assert.strictEqual(each.count, total({ ...args, ...each.args }), `${query}: ${JSON.stringify(each.args)}`)
          }
          assert.isAbove(counts.length, 300, query)
          const statuses = counts.filter((each) => "status" in each.args)
          assert.lengthOf(statuses, subject === "ads" ? 3 : 0, query)
          if (few.some(({ count }) => count > 0)) several++
          checked += few.length
        }
        assert.isAbove(checked, 150)
      })
    )
  }

  it.effect("D119 values are sorted by their counts, zeros last, and by name where these are equal", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account())
      const { text } = yield* visitor.get(`${sections.products}?monthly_visits.min=1`)
      const lists = Array.from(text.matchAll(/<div class="options" id="(\w+)-list">(.*?)<\/div>/gsu))
      assert.isAbove(lists.length, 5)
      for (const [, name = "", body = ""] of lists) {
        const values = Array.from(
          body.matchAll(/\/>([^<]*)<span>([\d,]+)<\/span>/gu),
          ([, label = "", count = ""]) => ({ label: label.trim().replaceAll("&amp;", "&"), count: numberOf(count) })
        )
        const { compare } = Locale.of("en")
        assert.isAbove(values.length, 1, name)
        assert.deepStrictEqual(
          values,
          values.toSorted((one, other) => other.count - one.count || compare(one.label, other.label)),
          name
        )
      }
    })
  )

  it.effect("are absent if they fail or take too long", () =>
    Effect.gen(function* () {
      const real = yield* CatalogSearch
      const broken = [
        Effect.fail(ToolErrorMessages.tooSlow()),
        Effect.fail(ToolErrorMessages.unavailable("busy")),
        Effect.die(new Error("a defect")),
        Effect.never
      ]
      for (const facets of broken) {
        const counts = yield* FilterCounts.pipe(
          Effect.flatMap((filterCounts) => filterCounts.of({}, Queries.storeFilter)),
          Effect.provide(
            Layer.provide(FilterCounts.layer, Layer.succeed(CatalogSearch, { ...real, facets: () => facets })),
            { local: true }
          )
        )
        assert.deepStrictEqual(counts, Option.none())
      }
    })
  )
})
