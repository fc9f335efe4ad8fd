/**
 * D90: what the searches warn of, over a database and its index. The counts are compared with a scan of all records, and with
 * what all pages together have.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { AccountId } from "../../../src/domain/access/Account.ts"
import type { AdItem } from "../../../src/domain/catalog/AdItem.ts"
import * as DemoPages from "../../../src/domain/catalog/DemoPages.ts"
import { movingSorts } from "../../../src/domain/catalog/Movers.ts"
import * as AdQuery from "../../../src/domain/search/AdQuery.ts"
import * as Market from "../../../src/domain/search/MarketQuery.ts"
import { lastPage, maxPerPage } from "../../../src/domain/search/Page.ts"
import type { AdPagination } from "../../../src/domain/search/Page.ts"
import * as ProductQuery from "../../../src/domain/search/ProductQuery.ts"
import * as ShopQuery from "../../../src/domain/search/ShopQuery.ts"
import type { ToolError } from "../../../src/domain/ToolError.ts"
import * as Warnings from "../../../src/domain/search/Warnings.ts"
import { MarketSearch } from "../../../src/services/search/MarketSearch.ts"
import * as MarketOverviewTool from "../../../src/services/tools/CompareMarkets.ts"
import * as CompareAds from "../../../src/services/tools/CompareAds.ts"
import * as ListFilterOptions from "../../../src/services/tools/ListFilterOptions.ts"
import * as SearchAds from "../../../src/services/tools/SearchAds.ts"
import * as SearchProducts from "../../../src/services/tools/SearchProducts.ts"
import * as SearchShops from "../../../src/services/tools/SearchShops.ts"
import * as ToolDefinition from "../../../src/services/tools/ToolDefinition.ts"
import { AppConfig } from "../../../src/Config.ts"
import { loadCatalog } from "../../oracle/loadCatalog.ts"
import * as NaiveCatalog from "../../oracle/NaiveCatalog.ts"
import * as NaiveFindings from "../../oracle/NaiveFindings.ts"
import * as NaiveSearch from "../../oracle/NaiveSearch.ts"
import { matcher } from "../../oracle/NaiveText.ts"
import * as Random from "../../oracle/Random.ts"
import { generators } from "../../oracle/RandomArguments.ts"
import * as Searches from "../../support/Searches.ts"
import { SetClock } from "../../support/SetClock.ts"
import { indexed } from "../../support/Stamps.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const catalog = NaiveCatalog.generate(78, 60)
const cases = 40

const services = Layer.effectDiscard(Effect.andThen(loadCatalog(catalog), indexed)).pipe(
  Layer.provideMerge(MarketSearch.layer),
  Layer.provideMerge(Searches.layer),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(AppConfig.layerOf({ baseUrl: "https://discovery.test" })),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T23:59:59Z`))
)

const accountId = AccountId.make(1)

/** What is the same in the answers of all searches. */
interface Answer {
  readonly results: ReadonlyArray<object>
  readonly warnings?: ReadonlyArray<string>
}

const prepare = <Call extends ToolDefinition.PreparedCall<object, ToolError, ToolDefinition.Asker>>(
  tool: ToolDefinition.RunnableTool<Call>,
  args: object
) => ToolDefinition.prepare(tool, tool.decode({ ...args }))

const answer = Effect.fnUntraced(function* <A extends object, E extends ToolError, Query>(
  tool: ToolDefinition.RunnableTool<ToolDefinition.PreparedCall<A, E, ToolDefinition.Asker, Query>>,
  args: object
) {
  const prepared = yield* prepare(tool, args)
  const { run } = Result.getOrThrowWith(prepared, ({ issues }) => new Error(JSON.stringify(issues)))
  return yield* run({ accountId })
})

const searches = ["ads", "products", "stores", "market"] as const
type Name = (typeof searches)[number]

const call = Effect.fnUntraced(function* (name: Name, args: object) {
  const found: Answer =
    name === "ads"
      ? yield* answer(yield* SearchAds.make, args)
      : name === "products"
        ? yield* answer(yield* SearchProducts.make, args)
        : name === "stores"
          ? yield* answer(yield* SearchShops.make, args)
          : yield* answer(yield* MarketOverviewTool.make, args)
  return found
})

const warningsOf = (name: Name, args: object) => Effect.map(call(name, args), ({ warnings = [] }) => warnings)

const adPages = Effect.fnUntraced(function* (args: object) {
  const tool = yield* SearchAds.make
  const ads: Array<AdItem> = []
  let pagination: AdPagination | undefined
  let warnings: ReadonlyArray<string> = []
  for (let page = 1; page <= lastPage; page++) {
    const found = yield* answer(tool, { ...args, page, per_page: maxPerPage })
    if (page > 1) assert.deepStrictEqual(found.warnings ?? [], warnings)
    warnings = found.warnings ?? []
    pagination = found.pagination
    ads.push(...found.results)
    if (!pagination.has_more) break
  }
  return { ads, warnings, pagination: pagination ?? assert.fail() }
})

const generate = (seed: number) => generators(Random.make(seed), catalog)
const hasWords = ({ query }: Record<string, unknown>) => typeof query !== "string" || matcher(query) !== undefined

layer(services, { excludeTestServices: true, timeout: "240 seconds" })("warnings", (it) => {
  it.effect("D42 all pages together have what the pagination says, and the warning counts what none has", () =>
    Effect.gen(function* () {
      const { ad } = generate(1)
      let warned = 0
      for (let index = 0; index < cases; index++) {
        const { sort_by: _, sort_order: _order, change_over: _span, without_shop: _without, ...filters } = ad(index)
        if (!hasWords(filters)) continue
        const told = JSON.stringify(filters)
        const grouped = yield* adPages(filters)
        const flat = yield* adPages({ ...filters, sort_by: "newest" })
        assert.strictEqual(flat.ads.length, flat.pagination.total, told)
        assert.strictEqual(grouped.pagination.total, flat.pagination.total, told)
        assert.strictEqual(grouped.ads.length, grouped.pagination.matching_shops, told)
        assert.strictEqual(new Set(grouped.ads.map((each) => each.shop?.id)).size, grouped.ads.length, told)
        const storeless = flat.ads.filter((each) => each.shop === null).length
        const found = grouped.warnings.filter((text) => text.includes("without a store"))
        const wanted = storeless === 0 ? [] : [Warnings.english({ _tag: "StorelessAds", ads: storeless })]
        assert.deepStrictEqual(found, wanted, told)
        assert.notInclude(flat.warnings.join(), "without a store", told)
        warned += found.length
      }
      assert.isAbove(warned, 5)
    })
  )

  it.effect("D102 without_shop pages over the ads without a store, also in the default order", () =>
    Effect.gen(function* () {
      const { ads, pagination, warnings } = yield* adPages({ without_shop: true })
      const wanted = NaiveSearch.searchAds(catalog, { without_shop: true }).items
      assert.deepStrictEqual(
        ads.map(({ id }) => id),
        wanted.map(({ id }) => id)
      )
      assert.isNotEmpty(wanted)
      assert.deepStrictEqual([pagination.mode, pagination.total, warnings], ["flat", wanted.length, []])
    })
  )

  it.effect("D104 say of an empty search how many results its words and its filters have alone", () =>
    Effect.gen(function* () {
      const { ad, product, shop } = generate(7)
      const naive = {
        ads: (args: object) => NaiveSearch.searchAds(catalog, { ...args, sort_by: "newest" }).total,
        products: (args: object) => NaiveSearch.searchProducts(catalog, args).total,
        stores: (args: object) => NaiveSearch.searchShops(catalog, args).total
      }
      const making = { ads: ad, products: product, stores: shop }
      let warned = 0
      for (let index = 0; index < 3 * cases; index++) {
        for (const name of ["ads", "products", "stores"] as const) {
          const {
            page: _,
            sort_by: _sort,
            sort_order: _order,
            change_over: _span,
            per_page: _size,
            ...args
          } = making[name](200 + index)
          if (!hasWords(args)) continue
          const { query, query_any, ...filters } = args
          const words = {
            ...(query === undefined ? {} : { query }),
            ...(Array.isArray(query_any) && query_any.length > 0 ? { query_any } : {})
          }
          const isEmpty = naive[name](args) === 0
          const hasFilters = Object.values(filters).some(
            (value) => value === true || (typeof value === "object" && value !== null && Object.keys(value).length > 0)
          )
          const isNarrowed = hasFilters || (filters["status"] ?? "all") !== "all"
          const expected =
            isEmpty && Object.keys(words).length > 0 && isNarrowed
              ? [
                  Warnings.english({
                    _tag: "NothingTogether",
                    words: naive[name](words),
                    filters: naive[name](filters)
                  })
                ]
              : []
          const found = (yield* warningsOf(name, args)).filter((text) => text.startsWith("Nothing matches"))
          assert.deepStrictEqual(found, expected, `${name} ${JSON.stringify(args)}`)
          warned += found.length
        }
      }
      assert.isAbove(warned, 10)
    })
  )

  it.effect("D93 name the ids that no store has, in each tool", () =>
    Effect.gen(function* () {
      const [shop] = catalog.shops
      const shop_ids = [2_147_483_647, shop?.id ?? 0, 2_147_483_647, 2_147_483_646]
      const wanted = "No store has these shop_ids, which match nothing: `2147483647` and `2147483646`."
      for (const name of ["ads", "products", "stores"] as const) {
        assert.include((yield* warningsOf(name, { shop_ids })).join(), wanted, name)
      }
      assert.include((yield* warningsOf("market", { group_by: "country", filters: { shop_ids } })).join(), wanted)
      assert.notInclude((yield* warningsOf("stores", { shop_ids: shop_ids.slice(1, 2) })).join(), "shop_ids")
    })
  )

  it.effect.each([
    ["lamp -red", "`-red` is"],
    ["lamp OR hat", "`OR` is"],
    ["site:lamp.com lamp*", "`site:lamp.com` and `lamp*` are"],
    ['a "desk lamp" +warm NOT red', '`+warm`, `NOT` and `"desk lamp"` are'],
    ["a:b c:d e:f g:h", "`a:b`, `c:d` and `e:f` are"]
  ])("D90 say of %j what is no operator here", ([query, parts]) =>
    Effect.gen(function* () {
      const sentence = `query has no operators: ${parts} searched as words, and every word must match.`
      for (const name of ["ads", "products", "stores"] as const) {
        assert.include(yield* warningsOf(name, { query }), sentence, name)
      }
      assert.include(yield* warningsOf("market", { group_by: "country", filters: { query } }), sentence)
    })
  )

  it.effect.each([
    "desk lamp",
    "t-shirt -20%",
    'screen 27"',
    "SALT AND PEPPER",
    "https://lamp.com/a",
    "or",
    "not and",
    "4:3"
  ])("D90 say nothing of the operators that %j has not", (query) =>
    Effect.map(warningsOf("products", { query }), (warnings) => assert.notInclude(warnings.join(), "operators"))
  )

  it.effect("say of each tool whose money is compared in several currencies, and of how many stores", () =>
    Effect.gen(function* () {
      const { ad, product, shop } = generate(2)
      const isMoney = (text: string) => text.includes("currencies without conversion")
      const expected = (asked: NaiveFindings.Asked) =>
        Warnings.of(
          asked.query,
          { unknown: [], storeless: 0, currencies: NaiveFindings.currencies(catalog, asked) },
          () => []
        )
          .map(Warnings.english)
          .filter(isMoney)
      let warned = 0
      const prove = Effect.fnUntraced(function* (name: Name, args: object, wanted: ReadonlyArray<string>) {
        assert.deepStrictEqual(
          (yield* warningsOf(name, args)).filter(isMoney),
          wanted,
          `${name} ${JSON.stringify(args)}`
        )
        warned += wanted.length
      })
      for (let index = 0; index < cases; index++) {
        for (const money of [{}, { sort_by: "revenue" }, { monthly_revenue: { min: 1_000 } }]) {
          const [ads, products, shops] = [{ ...ad(index), without_shop: false }, product(index), shop(index)].map(
            (args) => ({ ...args, ...money })
          )
          if (ads === undefined || products === undefined || shops === undefined) continue
          if (hasWords(ads)) {
            yield* prove("ads", ads, expected({ of: "ads", query: Schema.decodeUnknownSync(AdQuery.AdQuery)(ads) }))
          }
          if (hasWords(products)) {
            const query = Schema.decodeUnknownSync(ProductQuery.ProductQuery)(products)
            yield* prove("products", products, expected({ of: "products", query }))
          }
          if (!hasWords(shops)) continue
          const query = Schema.decodeUnknownSync(ShopQuery.ShopQuery)(shops)
          yield* prove("stores", shops, expected({ of: "stores", query }))
          const { page: _, per_page: _size, sort_by: _sort, sort_order: _order, change_over: _span, ...filters } = query
          const market = { group_by: "country", filters }
          yield* prove("market", market, expected({ of: "stores", query: filters }))
        }
      }
      assert.isAbove(warned, cases)
    })
  )

  it.effect("D90 one currency is compared without a warning", () =>
    Effect.gen(function* () {
      for (const currency of NaiveCatalog.currencies) {
        const args = { currencies: [currency], monthly_revenue: { min: 0 } }
        assert.deepStrictEqual(yield* warningsOf("ads", args), [])
        assert.deepStrictEqual(yield* warningsOf("products", { ...args, sort_by: "price" }), [])
        assert.deepStrictEqual(yield* warningsOf("stores", { ...args, sort_by: "revenue" }), [])
        assert.deepStrictEqual(yield* warningsOf("market", { group_by: "niche", filters: args }), [])
      }
    })
  )

  const ask = (name: Name, filters: object) => (name === "market" ? { group_by: "country", filters } : filters)

  it.effect("D106 an empty search for ads by the domain of a store names its id, with which its ads are found", () =>
    Effect.gen(function* () {
      let named = 0
      for (const { domain, id } of catalog.shops) {
        for (const query of [domain, `https://www.${domain}/products/a?b=c ads`]) {
          const { results, warnings = [] } = yield* call("ads", { query, status: "all" })
          if (results.length > 0) continue
          assert.deepStrictEqual(
            warnings.filter((each) => each.includes("domains of stores")),
            [
              `query does not search the domains of stores. \`${query.split(" ", 1)[0]}\` is the store with id ${id}: use shop_ids: [${id}] instead.`
            ]
          )
          const compared = yield* answer(yield* CompareAds.make, { group_by: "cta", filters: { query } })
          assert.deepStrictEqual(compared.warnings, warnings)
          named++
        }
        const wanted = catalog.ads.filter(({ shop_id }) => shop_id === id).length
        const { pagination } = yield* adPages({ shop_ids: [id], sort_by: "newest" })
        assert.strictEqual(pagination.total, wanted)
      }
      assert.isAbove(named, catalog.shops.length / 2)
    })
  )

  it.effect("D106 a domain is found in quotation marks, brackets, sentences and addresses of the demo data", () =>
    Effect.gen(function* () {
      const { domain, id } =
        catalog.shops.find((shop) => shop.domain_extension === ".com" && !shop.domain.startsWith("xn--")) ??
        assert.fail()
      const forms = `"D" 'D' “D” ‘D’ «D» „D“ (D) [D] <D> (“D”), 「D」。 D, D. D; D: D! D? D… D... site:D Site:"D" "site:D"`
      const written = ["`D`", ...forms.split(" ")].map((form) => form.replace("D", domain))
      for (const query of written) {
        assert.deepStrictEqual(Warnings.addresses([`ads of ${query} now`]), [domain], query)
        const warnings = yield* warningsOf("ads", { query: `zqxj ${query}` })
        assert.include(warnings, Warnings.english({ _tag: "StoresAt", stores: [{ address: domain, id }] }), query)
      }
      assert.deepStrictEqual(Warnings.addresses([written.join(" ")]), [domain])
      for (const address of [DemoPages.addressOf(domain), `shops.discovery.example/${domain}/products/lamp`]) {
        for (const query of [address, `site:${address}`, `<${address}>,`]) {
          const warnings = yield* warningsOf("ads", { query: `zqxj ${query}` })
          assert.include(warnings, Warnings.english({ _tag: "StoresAt", stores: [{ address, id }] }), query)
        }
      }
      assert.deepStrictEqual(Warnings.addresses(["(a.com) “b.com”, c.com; d.com."]), ["a.com", "b.com", "c.com"])
      const versions = Array.from({ length: 20 }, (_, at) => `(v${at}.0),`)
      assert.deepStrictEqual(Warnings.addresses([`${versions.slice(1).join(" ")} “a.com”`]), ["a.com"])
      assert.deepStrictEqual(Warnings.addresses([`${versions.join(" ")} “a.com”`]), [])
    })
  )

  it.effect("D106 words that only look like a domain are not looked up", () =>
    Effect.sync(() => {
      const words =
        'v2.0 e.g. (e.g. i.e., 3.5% “3.5%” 1.2.3 U.S. etc. ... … "." “” site: site:v2.0 -gymshark.com .com (.co.uk) co.uk ' +
        "192.168.0.1 node.js $9.99 9,99€. a..com shops.discovery.example shops.discovery.example/v2.0"
      for (const word of words.split(" ")) assert.deepStrictEqual(Warnings.addresses([word]), [], word)
    })
  )

  it.effect("D106 without a store at the domain, without a domain and with results there is no id", () =>
    Effect.gen(function* () {
      const [{ name } = assert.fail()] = catalog.shops
      for (const query of ["nowhere-at-all.com", "zqxj v1.2 readme.md", name]) {
        const warnings = yield* warningsOf("ads", { query })
        assert.notInclude(warnings.join(), "domains of stores", query)
      }
    })
  )

  it.effect("D106 with `shop_ids` beside the domain, of its store or another one, the id is named as well", () =>
    Effect.gen(function* () {
      const adsOf = (id: number) => catalog.ads.filter(({ shop_id }) => shop_id === id).length
      const [{ domain, id } = assert.fail(), other = assert.fail()] = catalog.shops.filter((shop) => adsOf(shop.id) > 0)
      for (const shop of [id, other.id]) {
        const args = { query: `zqxj ${domain}`, shop_ids: [shop] }
        assert.deepStrictEqual(yield* warningsOf("ads", args), [
          Warnings.english({ _tag: "StoresAt", stores: [{ address: domain, id }] }),
          Warnings.english({ _tag: "NothingTogether", words: 0, filters: adsOf(shop) })
        ])
      }
      const unknown = yield* warningsOf("ads", { query: `zqxj ${domain}`, shop_ids: [2_147_483_647] })
      assert.deepStrictEqual(unknown.slice(0, 2), [
        Warnings.english({ _tag: "StoresAt", stores: [{ address: domain, id }] }),
        Warnings.english({ _tag: "NothingTogether", words: 0, filters: 0 })
      ])
      assert.match(unknown[2] ?? "", /^No store has these shop_ids, which match nothing: `2147483647`/u)
      // What the warning says to do finds the ads of the store.
      const { pagination } = yield* adPages({ shop_ids: [id], sort_by: "newest" })
      assert.strictEqual(pagination.total, adsOf(id))
    })
  )

  it.effect("D106 a whole domain in `domains` is refused with the id of its store", () =>
    Effect.gen(function* () {
      const [{ domain, id } = assert.fail()] = catalog.shops
      const hintsOf = Effect.fnUntraced(function* <A extends object, E extends ToolError, Query>(
        tool: ToolDefinition.RunnableTool<ToolDefinition.PreparedCall<A, E, ToolDefinition.Asker, Query>>
      ) {
        const hints: Array<ReadonlyArray<string> | undefined> = []
        for (const domains of [[".com", domain], ["nowhere-at-all.com"], ["com"]]) {
          hints.push(Result.getOrThrow(Result.flip(yield* prepare(tool, { domains }))).hints)
        }
        return hints
      })
      const wanted = [
        [`\`${domain}\` is the store with id ${id}: use shop_ids: [${id}] instead.`],
        undefined,
        undefined
      ]
      assert.deepStrictEqual(yield* hintsOf(yield* SearchAds.make), wanted)
      assert.deepStrictEqual(yield* hintsOf(yield* SearchProducts.make), wanted)
      assert.deepStrictEqual(yield* hintsOf(yield* SearchShops.make), wanted)
    })
  )

  it.effect("D28, D106 an unknown niche and a whole domain have a hint each, once in all arguments of the call", () =>
    Effect.gen(function* () {
      const [{ domain, id } = assert.fail(), other = assert.fail()] = catalog.shops
      const lookUp = (kind: string) =>
        `Call list_filter_options with kind ${kind} to get valid names; a part of the name as query narrows the list.`
      const wrong = { niches: ["Petz"], domains: [domain] }
      const wanted = [lookUp('"niches"'), Warnings.byId([{ address: domain, id }])]
      const refused = (prepared: Effect.Success<ReturnType<typeof prepare>>) => Result.getOrThrow(Result.flip(prepared))
      assert.deepStrictEqual(refused(yield* prepare(yield* SearchAds.make, wrong)).hints, wanted)
      assert.deepStrictEqual(refused(yield* prepare(yield* SearchShops.make, wrong)).hints, wanted)
      const market = yield* MarketOverviewTool.make
      const group_by = "country"
      const twice = yield* prepare(market, { group_by, filters: wrong, share_of: wrong })
      assert.deepStrictEqual(refused(twice).hints, wanted)
      assert.strictEqual(refused(twice).issues.length, 4)
      const share_of = { themes: ["No theme"], domains: [other.domain] }
      assert.deepStrictEqual(refused(yield* prepare(market, { group_by, filters: wrong, share_of })).hints, [
        ...wanted,
        lookUp('"themes"'),
        Warnings.byId([{ address: other.domain, id: other.id }])
      ])
    })
  )

  it.effect("D46 an empty list of names says so, with the nearest ones", () =>
    Effect.gen(function* () {
      const tool = yield* ListFilterOptions.make
      const listed = (args: object) => answer(tool, args)
      assert.deepStrictEqual(yield* listed({ kind: "apps", query: "Klavio" }), {
        results: [],
        warnings: ["No name of kind apps has `Klavio` in it; nearest: `Klaviyo`."]
      })
      assert.deepStrictEqual(yield* listed({ kind: "apps", query: "Nothing Like It" }), {
        results: [],
        warnings: ["No name of kind apps has `Nothing Like It` in it."]
      })
      for (const [kind, query, nearest] of [
        ["niches", "Dog Bedz", ["Dog Beds"]],
        ["niches", "Deepr", ["Deep", "Deeper"]],
        ["niches", "eclars", ["ÉCLAIRS"]],
        ["themes", "Dawm", ["Dawn"]],
        ["themes", "Prestiege 7", ["Prestige"]]
      ] as const) {
        assert.deepStrictEqual(yield* listed({ kind, query }), {
          results: [],
          warnings: [
            `No name of kind ${kind} has \`${query}\` in it; nearest: ${nearest.map((name) => `\`${name}\``).join(", ")}.`
          ]
        })
        assert.deepStrictEqual(yield* listed({ kind, query: "Nothing Like It" }), {
          results: [],
          warnings: [`No name of kind ${kind} has \`Nothing Like It\` in it.`]
        })
      }
      for (const kind of ["niches", "themes", "apps"]) {
        const { results, warnings } = yield* listed({ kind, query: "e" })
        assert.strictEqual(warnings === undefined, results.length > 0, kind)
      }
    })
  )

  it.effect("D28 name an app and a domain extension that no store has, with the nearest ones", () =>
    Effect.gen(function* () {
      for (const name of searches) {
        const found = yield* call(name, ask(name, { apps: ["Klavio", "Nothing Like It"], domains: [".cm"] }))
        assert.deepStrictEqual(found.results, [], name)
        assert.deepStrictEqual(
          found.warnings,
          [
            'No store has these apps, which match nothing: `Klavio` (nearest: `Klaviyo`) and `Nothing Like It`. Look names up with list_filter_options, kind "apps" and a part of the name as query.',
            "No store has these domains, which match nothing: `.cm` (nearest: `.com`). compare_markets with group_by domain has the extensions of stores."
          ],
          name
        )
      }
    })
  )

  it.effect("D28 name the extensions below one that no store has", () =>
    Effect.gen(function* () {
      for (const name of searches) {
        const { warnings = [] } = yield* call(name, ask(name, { domains: [".uk"] }))
        assert.include(warnings[0], "`.uk` (nearest: `.co.uk`", name)
      }
    })
  )

  it.effect("D28 are there as well when other names of the list find something", () =>
    Effect.gen(function* () {
      for (const name of searches) {
        const some = yield* call(name, ask(name, { apps: ["Loox", "Luux"] }))
        const without = yield* call(name, ask(name, { apps: ["Loox"] }))
        assert.isUndefined(without.warnings)
        assert.match(some.warnings?.[0] ?? "", /`Luux`/u, name)
        assert.deepStrictEqual(some.results, without.results, name)
        assert.isAbove(some.results.length, 0)
      }
    })
  )

  it.effect("D90 name the arguments that do nothing beside the value of another one", () =>
    Effect.gen(function* () {
      const directed = new Set<string>(["reach", "revenue", "traffic", "traffic_growth", ...movingSorts])
      const idle = (found: ReadonlyArray<string>) => found.filter((text) => text.includes("no effect"))
      for (const sort_by of AdQuery.adSorts) {
        for (const sort_order of ["asc", "desc"]) {
          const found = yield* warningsOf("ads", { sort_by, sort_order })
          const isIdle = sort_order === "asc" && !directed.has(sort_by)
          const sentence = `sort_order has no effect with sort_by ${sort_by}: it is for sort_by reach, revenue, traffic, traffic_growth, ads_change, visits_change and price_change.`
          assert.deepStrictEqual(idle(found), isIdle ? [sentence] : [], `${sort_by} ${sort_order}`)
        }
      }
      for (const name of ["ads", "stores"] as const) {
        for (const change_over of ["7d", "30d"]) {
          for (const sort_by of ["newest", "price_change"]) {
            const isIdle = change_over === "7d" && sort_by === "newest"
            assert.deepStrictEqual(
              idle(yield* warningsOf(name, { sort_by, change_over })),
              isIdle
                ? [
                    "change_over has no effect with sort_by newest: it is for sort_by ads_change, visits_change and price_change."
                  ]
                : [],
              `D120 ${name} ${sort_by} ${change_over}`
            )
          }
        }
      }
      const [implied] = yield* warningsOf("ads", { sort_order: "asc" })
      assert.match(implied ?? "", /^sort_order has no effect with sort_by recommended/u)
      for (const name of ["products", "stores"] as const) {
        for (const sort_by of [undefined, "newest", "traffic"]) {
          const args = sort_by === undefined ? {} : { sort_by }
          assert.deepStrictEqual(idle(yield* warningsOf(name, { ...args, sort_order: "asc" })), [], name)
        }
      }
      for (const group_by of Market.groupings) {
        for (const niche_level of [1, 2]) {
          const found = yield* warningsOf("market", { group_by, niche_level })
          const isIdle = niche_level === 2 && group_by !== "niche"
          const sentence = `niche_level has no effect with group_by ${group_by}: it is for group_by niche.`
          assert.deepStrictEqual(idle(found), isIdle ? [sentence] : [], `${group_by} ${niche_level}`)
        }
      }
    })
  )

  it.effect("D28 blanks around names are left out, and invisible characters, in every list of names", () =>
    Effect.gen(function* () {
      const [niche = assert.fail()] = catalog.niches
      const lists = {
        apps: "Loox",
        themes: "Dawn",
        niches: niche.name,
        domains: ".com",
        countries: "us",
        currencies: "USD"
      }
      for (const [list, value] of Object.entries(lists)) {
        for (const name of searches) {
          const isName = list === "apps" || list === "themes" || list === "niches"
          const texts = [value, ` ${value}\u00a0 `, isName ? `\u202e${value}\u200b` : value]
          const [plain, spaced, invisible] = yield* Effect.forEach(texts, (text) =>
            call(name, ask(name, { [list]: [text] }))
          )
          assert.deepStrictEqual(spaced, plain, `${name} ${list}`)
          assert.deepStrictEqual(invisible, plain, `${name} ${list}`)
          assert.isAbove(plain?.results.length ?? 0, 0, `${name} ${list}`)
        }
      }
    })
  )
})
