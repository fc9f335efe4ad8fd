/** The Market page over HTTP: the figures of `compare_markets`, links to what they count, and its weight (D66). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { gzipSync } from "node:zlib"
import { AdQuery } from "../../../../src/domain/search/AdQuery.ts"
import * as Market from "../../../../src/domain/search/MarketQuery.ts"
import type { MarketGroup } from "../../../../src/domain/search/MarketQuery.ts"
import { searchKinds } from "../../../../src/domain/search/SavedSearch.ts"
import * as SearchAddress from "../../../../src/domain/search/SearchAddress.ts"
import { ShopQuery } from "../../../../src/domain/search/ShopQuery.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import { marketOverview } from "../../../oracle/NaiveMarket.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerGrouping = 8
const catalog = NaiveCatalog.generate(seed * 1_000 + 11, 60)

const address = SearchAddress.make(Market.MarketQuery)
const decode = Schema.decodeUnknownSync(Market.MarketQuery)
const decodeAds = Schema.decodeUnknownSync(AdQuery)
const decodeShops = Schema.decodeUnknownSync(ShopQuery)

const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll("\u00a0", " ")
    .trim()

const attribute = (html: string, name: string): string =>
  plain(new RegExp(` ${name}="([^"]*)"`, "u").exec(html)?.[1] ?? assert.fail(`${name}: ${html}`))

/** The address to which a cell leads: that of a link, or what a browser sends for a button of a form. */
const targetOf = (cell: string, page: string) => {
  if (cell.includes("<a ")) return { kind: "link", href: attribute(cell, "href") }
  if (!cell.includes("<button ")) return undefined
  const id = attribute(cell, "form")
  const [, form = "", inputs = ""] =
    new RegExp(`(<form id="${id}"[^>]*>)(.*?)</form>`, "su").exec(page) ?? assert.fail(`no form ${id}`)
  const pairs = Array.from(inputs.matchAll(/<input [^>]*>/gu), ([input]): [string, string] => [
    attribute(input, "name"),
    attribute(input, "value")
  ])
  pairs.push([attribute(cell, "name"), attribute(cell, "value").replaceAll("\n", "\r\n")])
  return { kind: "button", href: `${attribute(form, "action")}?${new URLSearchParams(pairs).toString()}` }
}

/** The groups of a page in their order. */
const groupsOf = (page: string) =>
  Array.from(page.matchAll(/<tr data-group="([^"]*)">(.*?)<\/tr>/gsu), ([, value = "", row = ""]) => {
    const cells = Array.from(row.matchAll(/<td[^>]*>(.*?)<\/td>/gsu), ([, cell = ""]) => cell)
    return {
      value: plain(value),
      name: plain(/<th [^>]*>(.*?)<\/th>/su.exec(row)?.[1] ?? assert.fail(row)),
      labels: cells.slice(0, 2).flatMap((cell) => (cell.includes("aria-label") ? [attribute(cell, "aria-label")] : [])),
      bar: Number(attribute(row, "width").replace("%", "")),
      figures: cells.map(plain),
      stores: targetOf(cells[0] ?? "", page),
      ads: targetOf(cells[1] ?? "", page)
    }
  })

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 2 })
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 })

const money = (value: number, currency: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency, maximumFractionDigits: 0 }).format(value)

/** What the page shows of a group. */
const figuresOf = ({
  active_ads,
  median_growth,
  median_visits,
  products,
  revenue,
  share_pct,
  ...group
}: MarketGroup) => {
  const known = (value: number | null, write: (value: number) => string) =>
    value === null ? "Not known" : write(value)
  const [first] = revenue
  return [
    `${number.format(group.stores)} ${percent.format(share_pct / 100)}`,
    number.format(active_ads),
    compact.format(group.visits),
    known(median_visits, (value) => compact.format(value)),
    known(median_growth, (value) => `${value > 0 ? "+" : ""}${percent.format(value / 100)}`),
    first === undefined
      ? "Not known"
      : `${money(first.median, first.currency)} (${first.stores} ${first.stores === 1 ? "store" : "stores"})`,
    compact.format(products)
  ]
}

/** How many items the search at an address has. */
const totalOf = (href: string): number => {
  const [path, query = ""] = href.split("?")
  const pairs = SearchAddress.parse(query)
  if (path === sections.ads) {
    return NaiveSearch.searchAds(catalog, decodeAds(searchKinds.ads.address.toArguments(pairs))).total
  }
  assert.strictEqual(path, sections.stores)
  return NaiveSearch.searchShops(catalog, decodeShops(searchKinds.stores.address.toArguments(pairs))).total
}

/** So many values that the links of a page would be long. */
const manyDomains = [
  ...NaiveCatalog.extensions,
  ...Array.from({ length: 45 }, (_, index) => `.${"long".repeat(14)}${index}`)
]

const naive = Catalogs.naive(catalog).pipe(
  Layer.provideMerge(Site.layer()),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

layer(naive, { excludeTestServices: true })("the market", (it) => {
  for (const [place, group_by] of Market.groupings.entries()) {
    const filter = Market.filterOf[group_by]

    /** Values of the grouping's own filter, such as niches above and below those of the level. */
    const chosen = (random: Random.Random): ReadonlyArray<string | number> => {
      if (group_by === "niche") {
        return random.some(catalog.niches, 1, 4).map(({ id, name }) => (random.chance(0.5) ? id : name.toUpperCase()))
      }
      const { results } = marketOverview(catalog, decode({ group_by, limit: 50 }))
      const values = results.flatMap(({ value }) => (value === null ? [] : [value]))
      return random.some(values, 1, Math.min(3, values.length))
    }

    it.effect(`by ${group_by}, of ${casesPerGrouping} sets of filters: figures, bars and links`, () =>
      Effect.gen(function* () {
        const site = yield* Site
        const clock = yield* SetClock
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const view = Effect.fnUntraced(function* (path: string) {
          yield* clock.advance(1_000)
          const answer = yield* visitor.get(path)
          return answer.status === 303 ? yield* visitor.get(answer.headers.get("location") ?? "") : answer
        })
        const random = Random.make(seed * 100 + place)
        const { shop } = generators(random, catalog)
        const seen = { link: 0, button: 0, none: 0 }
        for (let found = 0, index = 0; found < casesPerGrouping; index++) {
          const {
            page: _,
            per_page: _size,
            query: _words,
            query_any: _phrases,
            sort_by: _sort,
            sort_order: _order,
            change_over: _span,
            ...drawn
          } = shop(index * 7)
          const query = decode({
            ...drawn,
            ...(index % 4 === 1 ? { domains: manyDomains } : {}),
            ...(index % 4 > 1 ? { [filter]: chosen(random) } : {}),
            group_by,
            niche_level: random.int(1, 3),
            sort_by: Market.figureSorts[(place + index) % Market.figureSorts.length],
            limit: random.pick([3, 20, 50])
          })
          const expected = marketOverview(catalog, query).results
          // Few filters leave nothing.
          if (expected.length === 0 && index < 5 * casesPerGrouping) continue
          found++
          const where = JSON.stringify(query)
          const { status, text } = yield* view(`${sections.market}?${address.toAddress(address.canonical(query))}`)
          assert.strictEqual(status, 200, where)
          const groups = groupsOf(text)
          assert.deepStrictEqual(
            groups.map(({ figures, value }) => [value, ...figures]),
            expected.map((group) => [group.value ?? "", ...figuresOf(group)]),
            where
          )
          const order = query.sort_by ?? "stores"
          const most = Math.max(0, ...expected.map((group) => group[order] ?? 0))
          const asked = query[filter]?.map((value) => String(value).toLowerCase()) ?? []
          const overlap = ["language", "app", "pixel", "social_network"].includes(group_by)
          for (const [at, { ads, bar, labels, name, stores, value }] of groups.entries()) {
            for (const label of labels) assert.isTrue(label.endsWith(`: ${name}`), `${label}: ${name}`)
            const group = expected[at] ?? assert.fail(where)
            const width = most === 0 ? 0 : (100 * Math.max(0, group[order] ?? 0)) / most
            assert.closeTo(bar, width, 0.01, `${where}: ${value}`)
            // No search finds the stores that have no value.
            if (group.value === null) {
              assert.match(name, /^No /u, where)
              assert.deepStrictEqual([stores, ads], [undefined, undefined], where)
              continue
            }
            const isSelectable = !overlap || asked.length === 0 || asked.includes(value.toLowerCase())
            for (const [target, count] of [
              [stores, group.stores],
              [ads, group.active_ads]
            ] as const) {
              assert.strictEqual(target !== undefined, isSelectable && count > 0, `${where}: ${value}`)
              if (target !== undefined) assert.strictEqual(totalOf(target.href), count, `${where}: ${target.href}`)
              seen[target?.kind === undefined ? "none" : target.kind === "link" ? "link" : "button"]++
            }
          }
          // The pages that the first group leads to show the same totals.
          const [first] = groups
          for (const target of [first?.stores, first?.ads]) {
            if (target === undefined) continue
            const [, total = ""] = /class="total" role="status">([\d,]+) /u.exec((yield* view(target.href)).text) ?? []
            assert.strictEqual(Number(total.replaceAll(",", "")), totalOf(target.href), target.href)
          }
        }
        assert.isAbove(seen.link, 10)
        if (group_by !== "domain") assert.isAbove(seen.button, 0)
      })
    )
  }
})

/** Six filters that leave nearly all stores, with as many values as people may choose. */
const sixFilters = new URLSearchParams([
  ..."US GB DE FR CA AU NL ES IT SE PL BE AT CH DK NO FI IE PT NZ JP KR BR MX IN"
    .split(" ")
    .map((code): [string, string] => ["countries", code]),
  ..."English French Spanish German Italian Portuguese Dutch Polish Norwegian Swedish Danish Finnish Japanese"
    .split(" ")
    .map((language): [string, string] => ["languages", language]),
  ...[".com", ".de", ".co.uk", ".fr", ".shop"].map((ending): [string, string] => ["domains", ending]),
  ["products_count.min", "0"],
  ["active_ads.min", "0"],
  ["shop_created_between.from", "1990-01-01"]
]).toString()

layer(Layer.provideMerge(Catalogs.demo("demo"), Site.layer()), { excludeTestServices: true })("the market", (it) => {
  it.effect("weighs at most 150 kB with 50 groups and six filters, in every language", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account())
      for (const query of ["", "&active_ads.min=0&products_count.min=0", `&${sixFilters}`]) {
        for (const language of ["en", "de", "fr", "es"]) {
          const path = `${sections.market}?group_by=app&limit=50&sort_by=median_growth${query}`
          const headers = { "accept-language": language }
          const first = yield* visitor.get(path, headers)
          const page = first.status === 303 ? yield* visitor.get(first.headers.get("location") ?? "", headers) : first
          assert.strictEqual(page.status, 200)
          assert.include([50, 51], groupsOf(page.text).length)
          const assets = Array.from(page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/gu), ([, asset = ""]) => asset)
          assert.lengthOf(assets, 2)
          let bytes = Buffer.byteLength(page.text)
          for (const asset of assets) bytes += gzipSync((yield* site.get(asset)).text).length
          assert.isAtMost(bytes, 150_000, `${language} ${path}`)
        }
      }
    })
  )
})
