/**
 * The rule of `http/mcp/Understood.test.ts` for addresses (D48, D101): a page or a file of a search refuses its address with a sentence
 * that names the parameter, or every name and value of the address is in the search that it leads to, and the results are
 * those of the naive search. Addresses of valid searches are changed at random.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { english } from "../../../../src/domain/Messages.ts"
import { AdQuery } from "../../../../src/domain/search/AdQuery.ts"
import { perPage } from "../../../../src/domain/search/SavedSearch.ts"
import { MarketQuery } from "../../../../src/domain/search/MarketQuery.ts"
import { ProductQuery } from "../../../../src/domain/search/ProductQuery.ts"
import { ShopFilter, ShopQuery } from "../../../../src/domain/search/ShopQuery.ts"
import * as SearchAddress from "../../../../src/domain/search/SearchAddress.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { marketOverview } from "../../../oracle/NaiveMarket.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import { matcher } from "../../../oracle/NaiveText.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { changePairs } from "../../../oracle/WrongArguments.ts"
import type { Json, Pairs } from "../../../oracle/WrongArguments.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerPage = Number(process.env["ORACLE_CASES"] ?? 40)

const random = Random.make(seed * 1_000 + 41)
const catalog = NaiveCatalog.generate(seed * 1_000 + 40, 40)
const make = generators(random, catalog)

const services = Catalogs.naive(catalog).pipe(
  Layer.provideMerge(Site.layer({ config: { pageViewsPerDay: 0 } })),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

const { query: _, query_any: _phrases, ...marketFields } = MarketQuery.fields

const filtersOf = (index: number): Json =>
  Object.fromEntries(
    Object.entries(make.shop(index)).filter(([name]) => name in ShopFilter.fields && name in marketFields)
  )

const onPage = (args: Json): Json => ({ ...args, ...(random.chance(0.2) ? { page: 2 } : {}) })

const wholeFile = ({ page: _page, per_page: _size, ...args }: Json): Json => args

/** Names and values as the address of a valid search has them, by code that is none of the server's. */
const pairsOf = (args: Json): Pairs =>
  Object.entries(args).flatMap(([name, value]): Pairs => {
    if (Array.isArray(value)) return value.map((entry) => [name, String(entry)] as const)
    if (typeof value !== "object" || value === null) return [[name, String(value)]]
    return Object.entries(value).map(([part, bound]) => [`${name}.${part}`, String(bound)] as const)
  })

interface Kind {
  readonly path: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly validOf: (index: number) => Json
  readonly expected: (args: Json) => ReadonlyArray<string>
}

const idsIn = (args: Json, items: ReadonlyArray<{ readonly id: number }>, defaultSize = 10): ReadonlyArray<string> => {
  const { page = 1, per_page: size = defaultSize } = args as { readonly page?: number; readonly per_page?: number }
  return items.slice((page - 1) * size, page * size).map(({ id }) => String(id))
}

const ofAll = { page: 1, per_page: 500 }

const kinds: Readonly<Record<string, Kind>> = {
  ads: {
    path: sections.ads,
    fields: AdQuery.fields,
    validOf: (index) => onPage(make.ad(index)),
    expected: (args) => idsIn(args, NaiveSearch.searchAds(catalog, args).items, perPage.ads)
  },
  products: {
    path: sections.products,
    fields: ProductQuery.fields,
    validOf: (index) => onPage(make.product(index)),
    expected: (args) => idsIn(args, NaiveSearch.searchProducts(catalog, args).items, perPage.products)
  },
  stores: {
    path: sections.stores,
    fields: ShopQuery.fields,
    validOf: (index) => onPage(make.shop(index)),
    expected: (args) => idsIn(args, NaiveSearch.searchShops(catalog, args).items)
  },
  market: {
    path: sections.market,
    fields: marketFields,
    validOf: (index) => ({
      ...filtersOf(index),
      group_by: random.pick(["niche", "country", "app", "currency"]),
      ...(random.chance(0.3) ? { niche_level: 2 } : {}),
      ...(random.chance(0.3) ? { limit: 5 } : {})
    }),
    expected: (args) =>
      marketOverview(catalog, Object.assign({ group_by: "niche" as const }, args)).results.map(
        ({ value }) => value ?? ""
      )
  },
  "ads as a file": {
    path: `${sections.ads}/export.ndjson`,
    fields: AdQuery.fields,
    validOf: (index) => wholeFile(make.ad(index)),
    expected: (args) => idsIn(ofAll, NaiveSearch.searchAds(catalog, args).items)
  },
  "products as a file": {
    path: `${sections.products}/export.ndjson`,
    fields: ProductQuery.fields,
    validOf: (index) => wholeFile(make.product(index)),
    expected: (args) => idsIn(ofAll, NaiveSearch.searchProducts(catalog, args).items)
  },
  "stores as a file": {
    path: `${sections.stores}/export.ndjson`,
    fields: ShopQuery.fields,
    validOf: (index) => wholeFile(make.shop(index)),
    expected: (args) => idsIn(ofAll, NaiveSearch.searchShops(catalog, args).items)
  }
}

const codes = new Set(["countries", "currencies"])
const texts = new Set(["query", "status", "sort_by", "sort_order", "change_over", "group_by"])
const numbers = /^(?:page|per_page|limit|niche_level|.*\.(?:min|max))$/u

/** What an address says by D48 alone: arguments, without empty values and without repetitions of one value. */
const meant = (pairs: Pairs): Json => {
  const args: Record<string, unknown> = {}
  const lists: Record<string, Array<string | number>> = {}
  for (const [name, value] of pairs) {
    if (value === "") continue
    const [whole = "", part] = name.split(".")
    if (part !== undefined) args[whole] = { ...Object(args[whole]), [part]: numbers.test(name) ? Number(value) : value }
    else if (numbers.test(name)) args[name] = Number(value)
    else if (name === "partnership_only" || name === "without_shop") args[name] = value === "true"
    else if (texts.has(name)) args[name] = value
    else {
      const entries = value.split("\n").map((entry) => entry.trim())
      const list = (lists[name] ??= [])
      const entryOf = (text: string) => {
        if (name === "shop_ids") return Number(text)
        return codes.has(name) ? text.toUpperCase() : text
      }
      for (const entry of entries) if (entry !== "") list.push(entryOf(entry))
      if (list.length > 0) args[name] = list
    }
  }
  return args
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")

const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

/** Whether a sentence of the page is about the parameter, by its name or that of its field. */
const isNamed = ({ text }: Answer, parameter: string): boolean => {
  const label = english.textOr(`filter.names.${parameter.split(".")[0]}`, parameter)
  const names = [parameter === "" ? '""' : parameter, label].map((name) => escaped(html(name)))
  return new RegExp(`>(?:${names.join("|")})(?:</code>|\\.?[^<:]*)?: [^<]`, "u").test(text)
}

const Line = Schema.fromJsonString(Schema.Struct({ id: Schema.Int }))

const plain = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

const shownBy = ({ headers, text }: Answer): ReadonlyArray<string> =>
  headers.get("content-type")?.includes("ndjson") === true
    ? text
        .split("\n")
        .slice(0, -1)
        .map((line) => String(Schema.decodeUnknownSync(Line)(line).id))
    : Array.from(text.matchAll(/data-(?:ad-id|product-id|shop-id|group)="([^"]*)"/gu), ([, value = ""]) => plain(value))

const hasWords = ({ query }: Json) => typeof query !== "string" || matcher(query) !== undefined

layer(services, { excludeTestServices: true })("the addresses of searches", (it) => {
  const visiting = Effect.gen(function* () {
    const site = yield* Site
    const clock = yield* SetClock
    const visitor = yield* SiteVisitor.signedIn(yield* site.account({ plan: "pro" }))
    /** The last answer, and the address that it is of; time passes before each view. */
    return Effect.fnUntraced(function* (address: string) {
      let at = address
      for (let redirects = 0; redirects < 4; redirects++) {
        yield* clock.advance(1_000)
        const answer = yield* visitor.get(at)
        if (answer.status !== 303) return { answer, at }
        at = answer.headers.get("location") ?? assert.fail(address)
      }
      return assert.fail(`too many redirects of ${address}`)
    })
  }).pipe(Effect.orDie)
  const kept = Effect.runSync(Effect.cached(visiting))

  const prove = Effect.fnUntraced(function* (
    { expected, path }: Kind,
    { pairs, touched }: { readonly pairs: Pairs; readonly touched: ReadonlyArray<string> }
  ) {
    const address = `${path}?${new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()}`
    const { answer, at } = yield* (yield* kept)(address)
    if (answer.status === 400) {
      assert.isTrue(
        touched.some((name) => isNamed(answer, name)),
        `${address}: ${touched.join()}: ${answer.text.slice(answer.text.indexOf("<main"))}`
      )
      return "refused"
    }
    assert.strictEqual(answer.status, 200, address)
    const said = meant(pairs)
    // The address that is shown says the same, but for defaults and repeated entries.
    const [, query = ""] = at.split("?")
    const shown = meant(SearchAddress.parse(query))
    for (const [name, value] of Object.entries(said)) {
      const isDefault = !(name in shown)
      if (isDefault) assert.include(defaultValues, value as never, `${address}: ${name}`)
      else assert.deepStrictEqual(distinct(shown[name]), distinct(value), `${address}: ${name}`)
    }
    for (const name of Object.keys(shown)) assert.property(said, name, address)
    if (isList(path, shown)) return "answered"
    assert.deepStrictEqual(shownBy(answer), expected(said), address)
    return "answered"
  })

  it.effect.each(Object.keys(kinds))(
    "%s are refused by name, or understood as a whole",
    (name) =>
      Effect.gen(function* () {
        const kind = kinds[name] ?? assert.fail(name)
        const outcomes = { refused: 0, answered: 0 }
        for (let index = 0; index < casesPerPage; index++) {
          const args = kind.validOf(index)
          if (!hasWords(args)) continue
          const pairs = pairsOf(args)
          if (index % 4 === 0) assert.strictEqual(yield* prove(kind, { pairs, touched: [] }), "answered")
          outcomes[yield* prove(kind, changePairs(random, pairs, Object.keys(kind.fields)))]++
        }
        assert.isAtLeast(outcomes.refused, casesPerPage / 5)
        assert.isAtLeast(outcomes.answered, casesPerPage / 10)
      }),
    240_000
  )
})

/** What the absence of an argument means. */
const defaultValues = ["all", "recommended", "desc", "30d", "stores", "niche", 1, 10, 20, false]

const distinct = (value: unknown): unknown => (Array.isArray(value) ? Array.from(new Set(value.map(String))) : value)

/** D49: without a search, and defaults alone are none, the Stores page lists the stores that the account tracks. */
const isList = (path: string, shown: Json): boolean =>
  path === sections.stores && Object.keys(shown).every((name) => name === "page")
