/** Saved searches and exports over HTTP: the same ids as the tools, exactly the new results, and their limits (D67, D68). */
import { assert, layer } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect, Fiber, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AdQuery } from "../../../../src/domain/search/AdQuery.ts"
import { ProductQuery } from "../../../../src/domain/search/ProductQuery.ts"
import { ShopQuery } from "../../../../src/domain/search/ShopQuery.ts"
import { maxSavedSearches, searchKinds } from "../../../../src/domain/search/SavedSearch.ts"
import type { SearchSubject } from "../../../../src/domain/search/SavedSearch.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { SavedSearches } from "../../../../src/services/accounts/SavedSearches.ts"
import { NewResults } from "../../../../src/services/search/NewResults.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import * as Messages from "../../../support/Messages.ts"
import { running, runs, eventually } from "../../../support/RunningQueries.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { stampAndIndex } from "../../../support/Stamps.ts"
import * as StoreRecords from "../../../support/StoreRecords.ts"

const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const casesPerSubject = 12
const catalog = NaiveCatalog.generate(seed * 1_000 + 9, 60)

const viewsPerDay = 5_000

const services = Catalogs.naive(catalog).pipe(
  Layer.provideMerge(Site.layer({ config: { rateLimitPerMinute: 0, pageViewsPerDay: viewsPerDay } })),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

const tools = { ads: "search_ads", products: "search_products", stores: "search_shops" } as const
const subjects = ["ads", "products", "stores"] as const
const searches = "/dashboard/searches"

const decodeAnswer = Schema.decodeUnknownSync(
  Schema.Struct({
    result: Schema.Struct({
      structuredContent: Schema.Struct({
        results: Schema.Array(Schema.Struct({ id: Schema.Int })),
        pagination: Schema.Struct({ has_more: Schema.Boolean })
      })
    })
  })
)
const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ id: Schema.Int })))

/** A customer with a browser and a key. Time passes before each page view. */
const customer = Effect.gen(function* () {
  const site = yield* Site
  const clock = yield* SetClock
  const who = yield* site.account({ plan: "pro" })
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
  const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "test"))
  const visitor = yield* SiteVisitor.signedIn(who)
  const view = (path: string) => Effect.andThen(clock.advance(1_000), visitor.get(path))

  /** The ids of all pages, as an agent reads them. */
  const idsOfTool = Effect.fnUntraced(function* (subject: SearchSubject, args: object) {
    const ids: Array<number> = []
    for (let page = 1; ; page++) {
      const body = JSON.stringify(Messages.call(tools[subject], { ...args, page, per_page: 25 }))
      const answer = yield* Effect.promise(async () => {
        const response = await fetch(`${site.url}/mcp`, {
          method: "POST",
          headers: { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" },
          body
        })
        return response.json()
      })
      const { pagination, results } = decodeAnswer(answer).result.structuredContent
      ids.push(...results.map(({ id }) => id))
      if (!pagination.has_more) return ids
    }
  })

  return { accountId: id, visitor, view, idsOfTool }
}).pipe(Effect.orDie)

/** Valid arguments of the tool. */
const casesOf = (subject: SearchSubject, count: number) => {
  const make = generators(Random.make(seed + 3), catalog)
  const argumentsOf = { ads: make.ad, products: make.product, stores: make.shop }[subject]
  const kind = searchKinds[subject]
  return Array.from({ length: count }, (_, index) => {
    const args = argumentsOf(index * 5)
    return { args, query: kind.canonical(kind.address.toAddress({ ...args, per_page: undefined })) }
  }).flatMap(({ args, query }) => (Option.isSome(query) ? [{ args, query: query.value }] : []))
}

const idsOfCsv = ({ text }: Answer) => {
  const rows: ReadonlyArray<ReadonlyArray<string>> = parse(text, { bom: true })
  return rows.slice(1).map(([id]) => Number(id))
}

const idsOfNdjson = ({ text }: Answer) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => decodeLine(line).id)

/** What is new in each saved search, by its name. */
const newsOf = ({ text }: Answer) =>
  Object.fromEntries(
    Array.from(
      text.matchAll(/<li data-saved-id.*?<bdi>(.*?)<\/bdi>.*?<\/span>\s*<span[^>]*>(.*?)<\/span>/gsu),
      (found) => [found[1], found[2]?.trim()]
    )
  )

const markOn = ({ text }: Answer) => /name="mark" value="(\d+)"/u.exec(text)?.[1] ?? ""

layer(services, { excludeTestServices: true, timeout: "300 seconds" })("saved searches and exports", (it) => {
  for (const subject of subjects) {
    it.effect(`${subject}: a file has the ids of ${tools[subject]}, over all pages, in its order`, () =>
      Effect.gen(function* () {
        const { idsOfTool, view } = yield* customer
        const cases = [{ args: {}, query: "" }, ...casesOf(subject, casesPerSubject)]
        assert.isAbove(cases.length, casesPerSubject / 2)
        for (const { args, query } of cases) {
          const expected = yield* idsOfTool(subject, args)
          const path = `${sections[subject]}/export`
          assert.deepStrictEqual(idsOfCsv(yield* view(`${path}.csv?${query}`)), expected, query)
          assert.deepStrictEqual(idsOfNdjson(yield* view(`${path}.ndjson?${query}`)), expected, query)
        }
      })
    )
  }

  it.effect("new results of any search are those that match and are newer than the mark", () =>
    Effect.gen(function* () {
      const results = yield* NewResults
      const random = Random.make(seed + 4)
      const [ads, products, stores] = [casesOf("ads", 40), casesOf("products", 40), casesOf("stores", 40)]
      const expected = {
        ads: (args: object) =>
          NaiveSearch.searchAds(catalog, { ...decode.ads(args), sort_by: "newest" }).items.map(({ id }) => id),
        products: (args: object) =>
          NaiveSearch.searchProducts(catalog, decode.products(args)).items.map(({ id }) => id),
        stores: (args: object) => NaiveSearch.searchShops(catalog, decode.stores(args)).items.map(({ id }) => id)
      }
      let found = 0
      for (const [subject, cases] of Object.entries({ ads, products, stores })) {
        if (subject !== "ads" && subject !== "products" && subject !== "stores") continue
        for (const { args, query } of cases) {
          const ids = expected[subject](args)
          const mark = random.pick([0, random.int(0, 200), ids[0] ?? 7])
          const wanted = ids.filter((id) => id > mark).length
          if (wanted > 0 && wanted < ids.length) found++
          assert.deepStrictEqual(yield* results.count({ subject, query, mark }), Option.some(wanted), query)
        }
      }
      assert.isAbove(found, 10)
    })
  )

  it.effect("a search is saved, shows what is new, is viewed, renamed and removed", () =>
    Effect.gen(function* () {
      const { view, visitor } = yield* customer
      const shop = yield* StoreRecords.addStore({ name: "Zebrafinch", domain: "zebrafinch.com" })
      yield* StoreRecords.addAd(shop, { headline: "zebrafinch cage", key: "finch-1" })
      yield* StoreRecords.addProduct(shop, { title: "Zebrafinch cage", key: "finch-2" })
      yield* stampAndIndex
      const query = "query=zebrafinch"
      for (const subject of subjects) {
        const page = yield* view(`${sections[subject]}?${query}`)
        const form = {
          subject,
          query: `${query}&page=2&sort_order=desc`,
          name: `My ${subject} <b>`,
          mark: markOn(page)
        }
        const answer = yield* visitor.submit(searches, form)
        assert.strictEqual(answer.headers.get("location"), `${sections[subject]}?${query}`)
        const shown = yield* view(`${sections[subject]}?${query}`)
        assert.include(shown.text, `Saved as <bdi>My ${subject} &lt;b&gt;</bdi>`)
        assert.notInclude(shown.text, "Save this search")
      }
      const names = subjects.map((subject) => `My ${subject} &lt;b&gt;`)
      const nothing = Object.fromEntries(names.map((name) => [name, "Nothing new"]))
      assert.deepStrictEqual(newsOf(yield* view(searches)), nothing)

      const other = yield* StoreRecords.addStore({ name: "Zebrafinch two", domain: "zebrafinch-two.com" })
      yield* StoreRecords.addAd(other, { headline: "zebrafinch seeds", key: "finch-3" })
      yield* StoreRecords.addAd(shop, { headline: "zebrafinch swing", key: "finch-4" })
      yield* StoreRecords.addAd(shop, { headline: "parrot swing", page_name: "Parrots", key: "finch-5" })
      yield* StoreRecords.addProduct(shop, { title: "Zebrafinch swing", key: "finch-6" })
      yield* stampAndIndex
      const [ads = "", products = "", stores = ""] = names
      const found = newsOf(yield* view(searches))
      assert.deepStrictEqual(found, { [ads]: "3 new", [products]: "1 new", [stores]: "1 new" })

      yield* view(`${sections.ads}?${query}`)
      assert.strictEqual(newsOf(yield* view(searches))[ads], "Nothing new")
      assert.strictEqual(newsOf(yield* view(searches))[stores], "1 new")

      const list = yield* view(searches)
      const [id = ""] = Array.from(list.text.matchAll(/data-saved-id="(\d+)"/gu), ([, id]) => id)
      assert.include((yield* view(`${searches}/${id}/rename`)).text, 'value="My stores &lt;b&gt;"')
      for (const name of ["", "a".repeat(61), "\u202Egpj", "a\u200Bb", " padded "]) {
        const refused = yield* visitor.submit(`${searches}/${id}/rename`, { name })
        assert.strictEqual(refused.status, 400, JSON.stringify(name))
        assert.include(refused.text, "visible characters")
      }
      const renamed = yield* visitor.submit(`${searches}/${id}/rename`, { name: "Finches" })
      assert.strictEqual(renamed.headers.get("location"), `${searches}?done=renamed`)
      assert.property(newsOf(yield* view(searches)), "Finches")
      const removed = yield* visitor.submit(`${searches}/${id}/remove`, {})
      assert.strictEqual(removed.headers.get("location"), `${searches}?done=removed`)
      assert.notProperty(newsOf(yield* view(searches)), "Finches")
    })
  )

  it.effect("the overview has the last searches of the pages, as their addresses", () =>
    Effect.gen(function* () {
      const { accountId, view } = yield* customer
      const saved = yield* SavedSearches
      const other = yield* customer
      assert.notInclude((yield* view("/dashboard")).text, "Last searches")
      const shown = [
        "/dashboard/ads",
        "/dashboard/ads?query=a&countries=DE&page=2",
        "/dashboard/ads?countries=XX",
        "/dashboard/shops?query=%21%21",
        "/dashboard/shops",
        "/dashboard/products?query=%3Cb%3E&price.max=9",
        "/dashboard/ads?query=a&countries=DE",
        "/dashboard/shops?query=unheardofword",
        "/dashboard/products?query=%3Cb%3E&price.max=9&page=2"
      ]
      for (const path of shown) yield* view(path)
      yield* saved.recent(accountId).pipe(
        Effect.filterOrFail((kept) => kept.length === 3),
        eventually
      )
      const overview = yield* view("/dashboard")
      const part = /<h2 id="last-searches">[\s\S]*?<\/section>/u.exec(overview.text)?.[0] ?? ""
      assert.deepStrictEqual(
        Array.from(part.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/gu), ([, href = "", text]) => [
          href.replaceAll("&amp;", "&"),
          text
        ]),
        [
          ["/dashboard/shops?query=unheardofword", "“unheardofword”"],
          ["/dashboard/ads?query=a&countries=DE", "“a” · Countries: Germany"],
          ["/dashboard/products?query=%3Cb%3E&price.max=9", "“&lt;b&gt;” · Price: up to 9"]
        ]
      )
      assert.notInclude((yield* other.view("/dashboard")).text, "Last searches")
    })
  )

  it.effect("when the pages of the day are used up, saved searches can still be managed, without counts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, view, visitor } = yield* customer
      const views = Effect.map(
        sql<{ readonly views: number }>`SELECT views FROM page_view WHERE account_id = ${accountId}`,
        (rows) => rows[0]?.views ?? 0
      )
      yield* view(sections.ads)
      yield* visitor.submit(searches, { subject: "ads", query: "query=a", name: "A", mark: "0" })
      assert.strictEqual(yield* views, 1)
      const list = yield* view(searches)
      assert.deepStrictEqual(Object.keys(newsOf(list)), ["A"])
      assert.strictEqual(yield* views, 2)
      const [, id = ""] = /data-saved-id="(\d+)"/u.exec(list.text) ?? []
      yield* sql`UPDATE page_view SET views = ${viewsPerDay} WHERE account_id = ${accountId}`
      assert.strictEqual((yield* view(`${sections.ads}?query=a`)).status, 429)
      assert.strictEqual((yield* view(`${searches}/${id}/rename`)).status, 200)
      yield* visitor.submit(`${searches}/${id}/rename`, { name: "B" })
      const uncounted = yield* view(searches)
      assert.strictEqual(uncounted.status, 200)
      assert.include(uncounted.text, "<bdi>B</bdi>")
      assert.include(uncounted.text, "You’ve reached today’s page limit. New results are counted again from")
      assert.notMatch(uncounted.text, /\d new|Nothing new|Not counted/u)
      yield* visitor.submit(`${searches}/${id}/remove`, {})
      const none = yield* view(searches)
      assert.include(none.text, "You have no saved searches yet.")
      assert.include(none.text, `<a href="${sections.stores}">Stores</a>`)
      assert.strictEqual(yield* views, viewsPerDay)
    })
  )

  it.effect("a form that no page shows is refused, and so is a search above the limit", () =>
    Effect.gen(function* () {
      const { accountId, view, visitor } = yield* customer
      yield* view(sections.ads)
      const good = { subject: "ads", query: "query=a", name: "A", mark: "0" }
      for (const wrong of [
        { subject: "accounts" },
        { query: "query=%21%21" },
        { query: "color=red" },
        { query: "a".repeat(8_001) },
        { query: `niches=${"%00".repeat(50)}` },
        { mark: "-1" },
        { mark: "2147483648" },
        { mark: "1e3" }
      ]) {
        assert.strictEqual((yield* visitor.submit(searches, { ...good, ...wrong })).status, 400, JSON.stringify(wrong))
      }
      const unnamed = yield* visitor.submit(searches, { ...good, name: "" })
      assert.strictEqual(unnamed.status, 400)
      assert.include(unnamed.text, 'name="query" value="query=a"')
      assert.strictEqual((yield* visitor.submit(searches, { ...good, form_token: "x" })).status, 403)
      assert.deepStrictEqual(newsOf(yield* view(searches)), {})

      const saved = yield* SavedSearches
      for (let number = 0; number < maxSavedSearches; number++) {
        yield* saved.save(accountId, { subject: "ads", query: `query=${number}`, name: `No ${number}`, mark: 0 })
      }
      const full = yield* visitor.submit(searches, good)
      assert.strictEqual(full.headers.get("location"), `${searches}?done=full`)
      assert.include((yield* view(`${searches}?done=full`)).text, "You already have 50 saved searches")
      const last = yield* view(`${searches}?page=5`)
      assert.deepStrictEqual(
        Object.keys(newsOf(last)),
        Array.from({ length: 10 }, (_, at) => `No ${9 - at}`)
      )
      for (const page of ["0", "6", "x"]) {
        const { status, text } = yield* view(`${searches}?page=${page}`)
        assert.strictEqual(status, 400)
        assert.include(text, "<code>page</code>: ")
      }
    })
  )

  it.effect("a saved search with a name that no longer exists says which, in the list and where it leads", () =>
    Effect.gen(function* () {
      const { accountId, view } = yield* customer
      const saved = yield* SavedSearches
      const query = "query=a&color=red&monthly_visits.middle="
      for (const subject of subjects) {
        yield* saved.save(accountId, { subject, query, name: `Old ${subject}`, mark: 0 })
        yield* saved.remember(accountId, { subject, query })
      }
      const list = yield* view(searches)
      assert.deepStrictEqual(newsOf(list), {
        "Old stores": "No longer valid",
        "Old products": "No longer valid",
        "Old ads": "No longer valid"
      })
      const said = ["color: is not a known argument", "monthly_visits.middle: is not a known argument"]
      for (const { text } of [list, yield* view("/dashboard")]) {
        for (const sentence of said) assert.lengthOf(text.split(sentence), subjects.length + 1)
      }
      for (const subject of subjects) {
        for (const path of [sections[subject], `${sections[subject]}/export.csv`]) {
          const answer = yield* view(`${path}?${query}`)
          const page = answer.status === 303 ? yield* view(answer.headers.get("location") ?? "") : answer
          assert.strictEqual(page.status, 400)
          for (const sentence of said) assert.include(page.text, sentence)
        }
      }
    })
  )

  it.effect("a file has a safe name, counts as the pages that it would fill, and is refused like a page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, view, visitor } = yield* customer
      const views = Effect.map(
        sql<{ readonly views: number }>`SELECT views FROM page_view WHERE account_id = ${accountId}`,
        (rows) => rows[0]?.views ?? 0
      )
      const file = yield* view(`${sections.products}/export.csv`)
      assert.strictEqual(file.headers.get("content-type"), "text/csv; charset=utf-8; header=present")
      assert.strictEqual(
        file.headers.get("content-disposition"),
        `attachment; filename="discovery-products-${NaiveCatalog.today}.csv"`
      )
      assert.strictEqual(file.headers.get("cache-control"), "no-store")
      assert.strictEqual(file.headers.get("x-content-type-options"), "nosniff")
      const count = idsOfCsv(file).length
      assert.isAbove(count, 100)
      assert.strictEqual(yield* views, Math.ceil(count / 25))

      const refused = yield* view(`${sections.ads}/export.csv?niches=Nothing&query=%3Cb%3E`)
      assert.strictEqual(refused.headers.get("location"), `${sections.ads}?niches=Nothing&query=%3Cb%3E`)
      const wrong = yield* view(`${sections.ads}/export.ndjson?page=99`)
      assert.strictEqual(wrong.headers.get("location"), `${sections.ads}?page=99`)
      // A file has all pages.
      for (const name of ["page", "per_page"]) {
        const paged = yield* view(`${sections.ads}/export.csv?query=a&${name}=2`)
        assert.strictEqual(paged.status, 400)
        assert.include(paged.text, `<code>${name}</code>: is not a known argument`)
        assert.include(paged.text, `href="${sections.ads}/export.csv?query=a"`)
      }
      const smaller = yield* view(`${sections.ads}?sort_by=newest&per_page=5`)
      assert.include(smaller.text, `href="${sections.ads}/export.csv?sort_by=newest"`)
      const conflicting = "?status=inactive&active_days.min=3"
      const ended = yield* view(`${sections.ads}/export.csv${conflicting}`)
      assert.strictEqual(ended.headers.get("location"), `${sections.ads}${conflicting}`)

      yield* sql`UPDATE page_view SET views = ${viewsPerDay - 2} WHERE account_id = ${accountId}`
      assert.strictEqual((yield* view(`${sections.products}/export.csv`)).status, 429)
      assert.strictEqual((yield* view(`${sections.products}/export.csv?query=unheardofword`)).status, 200)
      assert.strictEqual(yield* views, viewsPerDay)

      const image = yield* visitor.get(`${sections.ads}/export.csv`, { "sec-fetch-dest": "image" })
      assert.strictEqual(image.status, 404)
      const starter = yield* SiteVisitor.signedIn(yield* (yield* Site).account({ plan: "starter" }))
      for (const path of [`${sections.ads}/export.csv`, searches]) {
        assert.strictEqual((yield* starter.get(path)).status, 403)
      }
      const guest = yield* (yield* Site).get(`${sections.ads}/export.csv?query=a`)
      assert.match(guest.headers.get("location") ?? "", /^\/sign-in\?return_to=/u)
    })
  )

  it.effect("the statement of an export is canceled when its client disconnects", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { visitor } = yield* customer
      const holder = yield* sql.reserve
      const hold = (statement: string) => holder.executeValuesUnprepared(statement, [])
      yield* hold("BEGIN")
      yield* hold("LOCK TABLE ad IN ACCESS EXCLUSIVE MODE")
      const leaving = yield* Effect.forkChild(visitor.get(`${sections.ads}/export.csv`))
      yield* runs("ad_library_url", 1)
      yield* Fiber.interrupt(leaving)
      yield* running("ad_library_url").pipe(
        Effect.filterOrFail((count) => count === 0),
        eventually
      )
      yield* hold("ROLLBACK")
    })
  )
})

const decode = {
  ads: Schema.decodeUnknownSync(AdQuery),
  products: Schema.decodeUnknownSync(ProductQuery),
  stores: Schema.decodeUnknownSync(ShopQuery)
}
