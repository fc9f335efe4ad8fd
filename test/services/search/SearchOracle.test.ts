/**
 * The searches for ads and products against the naive one, on catalogs and arguments at random: every page of every case,
 * read from a database. Seeds are fixed, so a failure comes again; `ORACLE_SEED` and `ORACLE_CASES` look further, and
 * index/SearchOracle.test.ts has more cases for the index alone.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { argumentDecoder } from "../../../src/domain/ArgumentDecoder.ts"
import { englishOf } from "../../../src/domain/ArgumentIssue.ts"
import type { FoundAd } from "../../../src/domain/catalog/AdItem.ts"
import type { FoundProduct } from "../../../src/domain/catalog/ProductItem.ts"
import * as AdQuery from "../../../src/domain/search/AdQuery.ts"
import * as Page from "../../../src/domain/search/Page.ts"
import * as ProductQuery from "../../../src/domain/search/ProductQuery.ts"
import { AdSearch, ProductSearch } from "../../../src/services/search/Searches.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import { shrink, walkPages } from "../../oracle/walkPages.ts"
import type { Expected, PageOf } from "../../oracle/walkPages.ts"
import * as Searches from "../../support/Searches.ts"
import { SetClock } from "../../support/SetClock.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerCatalog = Number(process.env["ORACLE_CASES"] ?? 30)
const catalogSizes = [30, 80, 150]

const services = Searches.layer.pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T23:59:59Z`))
)

const decodeAds = Schema.decodeUnknownEffect(AdQuery.AdQuery)
const decodeProducts = Schema.decodeUnknownEffect(ProductQuery.ProductQuery)

/** Nobody: an account that tracks nothing. */
const accountId = 0 as AccountId

const differs = (what: string, got: object, want: object): string | undefined =>
  Object.entries(want).flatMap(([key, value]) =>
    JSON.stringify(Reflect.get(got, key)) === JSON.stringify(value)
      ? []
      : [`${what}.${key} is ${JSON.stringify(Reflect.get(got, key))}, not ${JSON.stringify(value)}`]
  )[0]

const checkAd = (catalog: NaiveCatalog.NaiveCatalog, query: AdQuery.AdQuery) => {
  const stores = NaiveSearch.storesOf(catalog)
  const ads = new Map(catalog.ads.map((ad) => [ad.id, ad]))
  return (found: FoundAd): string | undefined => {
    const ad = ads.get(found.id)
    const store = ad?.shop_id === null || ad === undefined ? undefined : stores.get(ad.shop_id)
    return ad === undefined
      ? `ad ${found.id} does not exist`
      : differs(`ad ${ad.id}`, found, {
          ad_archive_id: ad.ad_archive_id,
          page_name: ad.page_name,
          status: ad.is_active ? "active" : "inactive",
          media_type: ad.media_type,
          headline: ad.headline,
          ad_text: ad.ad_text,
          cta: ad.cta,
          landing_url: ad.landing_url,
          image_url: ad.image_url,
          ad_library_url: ad.ad_library_url,
          started_at: ad.started_on,
          last_seen_at: ad.last_seen_on,
          is_partnership: ad.is_partnership,
          shop:
            store === undefined
              ? null
              : {
                  id: store.id,
                  name: store.name,
                  domain: store.domain,
                  country: store.country,
                  active_ads: store.activeAds,
                  ...NaiveSearch.changeShown(query, store)
                }
        })
  }
}

const checkProduct = (catalog: NaiveCatalog.NaiveCatalog) => {
  const stores = NaiveSearch.storesOf(catalog)
  const products = new Map(catalog.products.map((product) => [product.id, product]))
  return (found: FoundProduct): string | undefined => {
    const product = products.get(found.id)
    const store = product === undefined ? undefined : stores.get(product.shop_id)
    return product === undefined || store === undefined
      ? `product ${found.id} does not exist`
      : differs(`product ${product.id}`, found, {
          title: product.title,
          url: product.url,
          image_url: product.image_url,
          price: product.price,
          currency: store.currency,
          created_at: product.created_at,
          shop: {
            id: store.id,
            name: store.name,
            domain: store.domain,
            country: store.country,
            estimated_monthly_revenue: store.monthly_revenue,
            estimated_monthly_orders: store.monthly_orders,
            monthly_visits: store.visits,
            traffic_growth_pct: NaiveSearch.shown(store.growth),
            active_ads: store.activeAds,
            is_tracked: false
          }
        })
  }
}

const asksNothing = (args: Record<string, unknown>): boolean =>
  typeof args["query"] === "string" && matcher(args["query"]) === undefined

/** A query of punctuation alone has to be refused. */
const refusal = (schema: Schema.ConstraintDecoder<unknown>, args: Record<string, unknown>) =>
  Result.match(argumentDecoder(schema)(args).result, {
    onSuccess: () => "a query without words was accepted",
    onFailure: (issues) =>
      issues.some(({ code }) => code === "no_words")
        ? undefined
        : `refused for another reason: ${issues.map(englishOf).join("; ")}`
  })

const adFailure = Effect.fnUntraced(function* (catalog: NaiveCatalog.NaiveCatalog, args: Record<string, unknown>) {
  const adSearch = yield* AdSearch
  if (asksNothing(args)) return refusal(AdQuery.AdQuery, args)
  const query = yield* decodeAds(args)
  const answer = NaiveSearch.searchAds(catalog, query)
  const expected: Expected = {
    ids: answer.items.map((ad) => ad.id),
    total: answer.total,
    // S72, D102.
    mode: (query.sort_by ?? "recommended") === "recommended" && query.without_shop !== true ? "grouped_by_shop" : "flat"
  }
  return yield* walkPages(
    query.per_page ?? 10,
    expected,
    (page) =>
      Effect.map(adSearch.search({ ...query, page }), ({ ads, pagination }): PageOf<FoundAd> => ({
        items: ads,
        pagination
      })),
    checkAd(catalog, query)
  )
})

const productFailure = Effect.fnUntraced(function* (catalog: NaiveCatalog.NaiveCatalog, args: Record<string, unknown>) {
  const productSearch = yield* ProductSearch
  if (asksNothing(args)) return refusal(ProductQuery.ProductQuery, args)
  const query = yield* decodeProducts(args)
  const answer = NaiveSearch.searchProducts(catalog, query)
  return yield* walkPages(
    query.per_page ?? 10,
    { ids: answer.items.map((product) => product.id), total: answer.total },
    (page) =>
      Effect.map(
        productSearch.search({ ...query, page }, accountId),
        ({ products, pagination }): PageOf<FoundProduct> => ({
          items: products,
          pagination
        })
      ),
    checkProduct(catalog)
  )
})

/** Runs the cases and fails with the first that is wrong, made as small as it can be. */
const prove = Effect.fnUntraced(function* <E, R>(
  makeArguments: (index: number) => Record<string, unknown>,
  failure: (args: Record<string, unknown>) => Effect.Effect<string | undefined, E, R>
) {
  for (let index = 0; index < casesPerCatalog; index++) {
    const args = makeArguments(index)
    const wrong = yield* failure(args)
    if (wrong === undefined) continue
    const smallest = yield* shrink(args, failure)
    assert.fail(`case ${index}: ${JSON.stringify(smallest)}: ${yield* failure(smallest)}`)
  }
})

for (const [index, size] of catalogSizes.entries()) {
  const catalogSeed = seed * 1_000 + index
  const catalog = NaiveCatalog.generate(catalogSeed, size)

  layer(services, { excludeTestServices: true })(`catalog ${catalogSeed} of ${size} stores`, (it) => {
    const load = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const loaded = yield* sql`SELECT 1 FROM shop LIMIT 1`
      if (loaded.length > 0) return
      yield* loadCatalog(catalog)
      yield* indexed
    })

    it.effect(
      `${casesPerCatalog} searches for ads`,
      () =>
        Effect.gen(function* () {
          yield* load
          const { ad } = generators(Random.make(catalogSeed + 1), catalog)
          yield* prove(ad, (args) => adFailure(catalog, args))
        }),
      600_000
    )

    it.effect(
      `${casesPerCatalog} searches for products`,
      () =>
        Effect.gen(function* () {
          yield* load
          const { product } = generators(Random.make(catalogSeed + 2), catalog)
          yield* prove(product, (args) => productFailure(catalog, args))
        }),
      600_000
    )

    it.effect("no page beyond the 20th can be asked for, and the 20th says so", () =>
      Effect.gen(function* () {
        yield* load
        const productSearch = yield* ProductSearch
        const { pagination } = yield* productSearch.search({ page: Page.lastPage, per_page: 1 }, accountId)
        assert.deepInclude(pagination, { page: 20, has_more: false, total: catalog.products.length })
        assert.isAbove(pagination.total, 20)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(decodeAds({ page: Page.lastPage + 1 }))))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(decodeProducts({ page: Page.lastPage + 1 }))))
      })
    )
  })
}
