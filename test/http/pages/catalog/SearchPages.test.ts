/** The Ads page and the Products page over HTTP: the same results as the tools, free, and safe for any address (S5, D48). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { gzipSync } from "node:zlib"
import { perPage, searchKinds } from "../../../../src/domain/search/SavedSearch.ts"
import { adsPath } from "../../../../src/http/pages/catalog/AdsPage.ts"
import { places } from "../../../../src/http/pages/catalog/FilterForm.ts"
import { storesPath } from "../../../../src/http/pages/catalog/StorePaths.ts"
import { productsPath } from "../../../../src/http/pages/catalog/ProductsPage.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { viewsPerMinute } from "../../../../src/services/limits/PageRateLimit.ts"
import * as NaiveCatalog from "../../../oracle/NaiveCatalog.ts"
import * as NaiveSearch from "../../../oracle/NaiveSearch.ts"
import * as Random from "../../../oracle/Random.ts"
import { generators } from "../../../oracle/RandomArguments.ts"
import { books } from "../../../support/Access.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import * as Messages from "../../../support/Messages.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const setsPerPage = 200
const seed = Number(process.env["ORACLE_SEED"] ?? 1)
const catalog = NaiveCatalog.generate(seed * 1_000 + 7, 60)

const services = Catalogs.naive(catalog).pipe(
  Layer.provideMerge(Site.layer()),
  Layer.provideMerge(SetClock.layer(`${NaiveCatalog.today}T12:00:00Z`))
)

const pages = {
  ads: { path: adsPath, tool: "search_ads", address: searchKinds.ads.address },
  products: { path: productsPath, tool: "search_products", address: searchKinds.products.address },
  stores: { path: storesPath, tool: "search_shops", address: searchKinds.stores.address }
} as const

const plain = (html: string): string =>
  html
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

/** The page for these cookies and this language, after the redirect to the address that can be shared. */
const read = Effect.fnUntraced(function* (visitor: SiteVisitor.SiteVisitor, path: string, language: string) {
  const site = yield* Site
  const headers = {
    cookie: Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; "),
    "accept-language": language
  }
  const answer = yield* site.get(path, headers)
  return answer.status === 303 ? yield* site.get(answer.headers.get("location") ?? "", headers) : answer
})

const idsOf = ({ text }: Answer) =>
  Array.from(text.matchAll(/data-(?:ad|product|shop)-id="(\d+)"/gu), ([, id]) => Number(id))

/** The messages of the summary before the form, without the names of the fields. */
const problemsOf = ({ text }: Answer) => {
  const [, summary = ""] = /<div class="problems"[^>]*>(.*?)<\/div>/su.exec(text) ?? []
  return Array.from(summary.matchAll(/<p>(.*?)<\/p>/gsu), ([, line = ""]) => plain(line.replaceAll(/<[^>]*>/gu, "")))
}

const toolCallOf = ({ text }: Answer) => plain(/<pre id="tool-call"[^>]*>(.*?)<\/pre>/su.exec(text)?.[1] ?? "")

interface Envelope {
  readonly results: ReadonlyArray<{ readonly id: number }>
  readonly pagination: { readonly has_more: boolean; readonly total: number }
}

interface ToolAnswer {
  readonly envelope: Envelope | undefined
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

/** A customer with a browser and a key. */
const customer = Effect.gen(function* () {
  const site = yield* Site
  const clock = yield* SetClock
  const who = yield* site.account({ plan: "pro" })
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
  const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "test"))
  const visitor = yield* SiteVisitor.signedIn(who)

  /** The page, also if its address redirects; time passes before each page view. */
  const view = Effect.fnUntraced(function* (path: string) {
    yield* clock.advance(1_000)
    const answer = yield* visitor.get(path)
    return answer.status === 303 ? yield* visitor.get(answer.headers.get("location") ?? "") : answer
  })

  const post = Effect.fnUntraced(function* (body: string): Effect.fn.Return<ToolAnswer> {
    const text = yield* Effect.promise(async () => {
      const response = await fetch(`${site.url}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" },
        body
      })
      return response.text()
    })
    const { result } = JSON.parse(text)
    return result.isError === true
      ? { envelope: undefined, issues: JSON.parse(result.content[1].text).error.issues ?? [] }
      : { envelope: result.structuredContent, issues: [] }
  })

  return { accountId: id, visitor, view, post }
})

/** Makes arguments invalid, in one of many ways. */
const spoiled = (random: Random.Random, args: Record<string, unknown>): Record<string, unknown> => ({
  ...args,
  ...random.pick<Record<string, unknown>>([
    { page: 21 },
    { per_page: 0 },
    { query: "!!!" },
    { query: "a".repeat(201) },
    { niches: ["Pets", "Petz"] },
    { niches: [1_000_000] },
    { themes: ["Dwan"] },
    { countries: ["US", "UK"] },
    { currencies: ["XXY"] },
    { languages: ["Klingon"] },
    { domains: ["com"] },
    { sort_by: "best" },
    { monthly_visits: { min: 5, max: 3 } },
    { monthly_visits: { min: -1 } },
    { shop_created_between: { from: "2026-02-31" } },
    { shop_created_between: { from: "2026-02-03", to: "2026-01-01" }, niches: ["Nothing"], page: 0 },
    { color: "red" }
  ])
})

layer(services, { excludeTestServices: true })("search pages", (it) => {
  it.effect("show the date of the data once an import has ended", () =>
    Effect.gen(function* () {
      const { view, post } = yield* customer
      const sql = yield* SqlClient.SqlClient
      const clock = yield* SetClock
      assert.notInclude((yield* view(adsPath)).text, "Data as of")
      yield* sql`WITH added AS (INSERT INTO source (name) VALUES ('test') RETURNING id)
        INSERT INTO import (source_id, as_of, finished_at) SELECT id, '2026-06-30', now() FROM added`
      yield* clock.advance(60_000)
      assert.match((yield* view(adsPath)).text, /Data as of [^<]*\b30\b[^<]*2026\./u)
      assert.isDefined((yield* post(JSON.stringify(Messages.call("search_ads")))).envelope)
    })
  )

  const languages = ["en", "de", "fr", "es"] as const
  const noticeOf = ({ text }: Answer) =>
    Array.from(
      /<div class="(?:notice|aside remarks)" role="note">(.*?)<\/div>/su
        .exec(text)?.[1]
        ?.matchAll(/<p dir="auto">(.*?)<\/p>/gsu) ?? []
    ).map(([, line = ""]) => plain(line))

  it.effect("D90 say what they leave out, in the visitor's language", () =>
    Effect.gen(function* () {
      const { visitor } = yield* customer
      const unknown = {
        en: "No store has the app “Klavio”: it matches nothing. Known names that are close: “Klaviyo”.",
        de: "Kein Shop hat die App „Klavio“; dazu gibt es keine Treffer. Ähnliche bekannte Namen: „Klaviyo“.",
        fr: "Aucune boutique n’a l’application «\u00a0Klavio\u00a0» : elle ne donne aucun résultat. Noms connus proches : «\u00a0Klaviyo\u00a0».",
        es: "Ninguna tienda tiene la aplicación «Klavio»: no da ningún resultado. Nombres conocidos parecidos: «Klaviyo»."
      }
      const money = {
        en: /without conversion/u,
        de: /ohne Umrechnung/u,
        fr: /sans conversion/u,
        es: /sin convertirlos/u
      }
      for (const language of languages) {
        for (const path of [adsPath, productsPath, storesPath, "/dashboard/market"]) {
          assert.deepStrictEqual(
            // Which spelling of the name is the most frequent one depends on the catalog.
            noticeOf(yield* read(visitor, `${path}?apps=Klavio`, language)).map((line) =>
              line.replace("KLAVIYO", "Klaviyo")
            ),
            [unknown[language]],
            path
          )
          const compared = noticeOf(yield* read(visitor, `${path}?monthly_revenue.min=0`, language)).join(" ")
          assert.match(compared, money[language], path)
          assert.match(compared, /USD.*\bEUR\b|EUR.*\bUSD\b/u, path)
          const one = yield* read(visitor, `${path}?monthly_revenue.min=0&currencies=USD`, language)
          assert.deepStrictEqual(noticeOf(one), [], path)
        }
      }
    })
  )

  it.effect("D90 say which argument does nothing beside another, in the visitor's language", () =>
    Effect.gen(function* () {
      const { visitor } = yield* customer
      const said = {
        en: [
          "“Order” has no effect while “Sort by” is “Newest”. It is for “Reach”, “Store revenue”, “Store traffic”, “Traffic growth”, “Change in running ads”, “Change in visits”, and “Change in average price”.",
          "“Niche level” has no effect while “Group by” is “Country”. It is for “Niche”."
        ],
        de: [
          "„Reihenfolge“ hat keine Wirkung, wenn unter „Sortieren nach“ „Neueste“ gewählt ist. Die Angabe gilt nur für „Reichweite“, „Umsatz des Shops“, „Besuche des Shops“, „Wachstum der Besuche“, „Veränderung der laufenden Anzeigen“, „Veränderung der Besuche“ und „Veränderung des Durchschnittspreises“.",
          "„Nischenebene“ hat keine Wirkung, wenn unter „Gruppieren nach“ „Land“ gewählt ist. Die Angabe gilt nur für „Nische“."
        ],
        fr: [
          "«\u00a0Ordre\u00a0» n’a aucun effet lorsque «\u00a0Trier par\u00a0» est réglé sur «\u00a0Plus récents\u00a0». Le premier ne s’applique qu’à «\u00a0Portée\u00a0», «\u00a0Chiffre d’affaires\u00a0», «\u00a0Trafic de la boutique\u00a0», «\u00a0Croissance du trafic\u00a0», «\u00a0Évolution des publicités en cours\u00a0», «\u00a0Évolution des visites\u00a0» et «\u00a0Évolution du prix moyen\u00a0».",
          "«\u00a0Niveau de niche\u00a0» n’a aucun effet lorsque «\u00a0Regrouper par\u00a0» est réglé sur «\u00a0Pays\u00a0». Le premier ne s’applique qu’à «\u00a0Niche\u00a0»."
        ],
        es: [
          "«Orden» no tiene efecto cuando en «Ordenar por» se elige «Más recientes». Solo se aplica a «Alcance», «Ingresos de la tienda», «Tráfico de la tienda», «Crecimiento del tráfico», «Variación de anuncios en curso», «Variación de visitas» y «Variación del precio medio».",
          "«Nivel de nicho» no tiene efecto cuando en «Agrupar por» se elige «País». Solo se aplica a «Nicho»."
        ]
      } as const
      for (const language of languages) {
        const [ads, market] = said[language]
        for (const [address, sentence] of [
          [`${adsPath}?sort_by=newest&sort_order=asc`, ads],
          ["/dashboard/market?group_by=country&niche_level=2", market]
        ] as const) {
          assert.deepStrictEqual(noticeOf(yield* read(visitor, address, language)), [sentence], address)
        }
        for (const address of [`${adsPath}?sort_by=newest`, "/dashboard/market?niche_level=2"]) {
          assert.deepStrictEqual(noticeOf(yield* read(visitor, address, language)), [], address)
        }
      }
    })
  )

  it.effect("D90 say what is no operator, in the visitor's language", () =>
    Effect.gen(function* () {
      const { visitor } = yield* customer
      const said = {
        en: "The search has no operators. Searched as words: “-red”.",
        de: "Die Suche kennt keine Operatoren. Als Wörter gesucht: „-red“.",
        fr: "La recherche n’a pas d’opérateurs. Cherché mot à mot : «\u00a0-red\u00a0».",
        es: "La búsqueda no tiene operadores. Se busca como palabras: «-red»."
      } as const
      for (const language of languages) {
        const address = `${adsPath}?query=lamp+-red`
        assert.deepStrictEqual(noticeOf(yield* read(visitor, address, language)), [said[language]], address)
      }
    })
  )

  it.effect("D42 say of ads without a store how to see them, also where there are no others", () =>
    Effect.gen(function* () {
      const { visitor } = yield* customer
      const searches = catalog.ads.flatMap(({ headline, page_name, shop_id, started_on: day }) =>
        [page_name, headline ?? page_name].flatMap((query) =>
          shop_id === null ? [{ query, ad_started_between: { from: day, to: day } }] : []
        )
      )
      const search =
        searches.find((search) => {
          const { items, total } = NaiveSearch.searchAds(catalog, search)
          return items.length === 0 && total > 0
        }) ?? assert.fail("every ad without a store is found with others")
      const address = `${adsPath}?${pages.ads.address.toAddress(search)}`
      const ways = {
        en: "Sort by “Newest”",
        de: "Sortieren Sie nach „Neueste“",
        fr: "Triez par",
        es: "Ordene por «Más recientes»"
      }
      for (const language of languages) {
        const grouped = yield* read(visitor, address, language)
        assert.include(noticeOf(grouped).join(" "), ways[language])
        assert.deepStrictEqual(idsOf(grouped), [])
      }
      const grouped = yield* read(visitor, address, "en")
      assert.notInclude(grouped.text, "past the last result")
      assert.notInclude(grouped.text, "No ads match all of these filters")
      const newest = yield* read(visitor, `${address}&sort_by=newest`, "en")
      assert.deepStrictEqual(noticeOf(newest), [])
      assert.isAbove(idsOf(newest).length, 0)
    })
  )

  it.effect("D120 the change that orders stores and ads is shown, with its sign and its unit", () =>
    Effect.gen(function* () {
      const { view, visitor } = yield* customer
      for (const [path, query, name, written] of [
        [storesPath, "sort_by=ads_change&change_over=7d", "Change in running ads", "+1,000"],
        [storesPath, "sort_by=visits_change&sort_order=asc", "Change in visits", "-50"],
        [adsPath, "sort_by=price_change&change_over=90d", "Change in average price", "+1,000%"],
        [adsPath, "sort_by=price_change&sort_order=asc", "Change in average price", "-50%"]
      ] as const) {
        const { text } = yield* view(`${path}?${query}`)
        assert.match(text, new RegExp(`<(?:th|dt)[^>]*>(?:\\s|<[^>]*>)*${name}`, "u"), query)
        assert.include(text, `>${written}<`, query)
        const span = query.includes("7d") ? "7d" : query.includes("90d") ? "90d" : "30d"
        assert.match(text, new RegExp(`<option value="${span}"\\s+selected>`, "u"), query)
      }
      const { text } = yield* read(visitor, `${storesPath}?sort_by=traffic&change_over=7d`, "en")
      assert.include(plain(text), "“Change over” has no effect while “Sort by” is “Store traffic”.")
    })
  )

  it.effect("D119 recommended ads are those of their stores that run longest", () =>
    Effect.gen(function* () {
      const { view } = yield* customer
      let newer = 0
      for (const filter of ["", "&media_types=image&media_types=carousel", "&status=inactive"]) {
        const matches = ({ is_active, media_type }: (typeof catalog.ads)[number]) =>
          filter === "" || (filter === "&status=inactive" ? !is_active : ["image", "carousel"].includes(media_type))
        for (const id of idsOf(yield* view(`${adsPath}?per_page=25${filter}`))) {
          const shown = catalog.ads.find((ad) => ad.id === id) ?? assert.fail(`no ad ${id}`)
          const others = catalog.ads.filter((ad) => ad.shop_id === shown.shop_id && matches(ad))
          const running = others.filter((ad) => ad.is_active)
          const days = (running.length > 0 ? running : others).map((ad) => ad.started_on).toSorted()
          assert.strictEqual(shown.started_on, running.length > 0 ? days[0] : days.at(-1), `${id} of ${filter}`)
          if (running.some((ad) => ad.started_on > shown.started_on)) newer++
        }
      }
      assert.isAbove(newer, 10)
    })
  )

  for (const subject of ["ads", "products", "stores"] as const) {
    const { address, path, tool } = pages[subject]
    it.effect(
      `${subject}: ${setsPerPage} sets of filters give the ids of ${tool} in its order, or are refused as there`,
      () =>
        Effect.gen(function* () {
          const { view, post } = yield* customer
          const random = Random.make(seed)
          const make = generators(Random.make(seed + 1), catalog)
          const argumentsOf = { ads: make.ad, products: make.product, stores: make.shop }[subject]
          let [found, refused] = [0, 0]
          for (let index = 0; index < setsPerPage; index++) {
            // Every kind of set: each filter alone, and filters together.
            const good = { ...argumentsOf(index * 3), ...(random.chance(0.3) ? { page: random.int(1, 3) } : {}) }
            const args: Record<string, unknown> = random.chance(0.15) ? spoiled(random, good) : good
            if (subject === "ads" && random.chance(0.02))
              Object.assign(args, { status: "inactive", active_days: { min: 1 } })
            // Without a search, the page of stores shows the tracked ones.
            if (subject === "stores" && Object.keys(address.canonical({ ...args, page: undefined })).length === 0)
              continue
            const unknown = "color" in args ? "&color=red" : ""
            const href = `${path}?${address.toAddress(args)}${unknown}`
            const page = yield* view(href)
            // A page has another number of results by default (D119).
            const answer = yield* post(JSON.stringify(Messages.call(tool, { per_page: perPage[subject], ...args })))
            const where = `${index}: ${JSON.stringify(args)}`
            if (answer.envelope === undefined) {
              refused++
              assert.isAbove(answer.issues.length, 0, where)
              assert.strictEqual(page.status, 400, where)
              const problems = problemsOf(page).slice(1)
              assert.strictEqual(problems.length, answer.issues.length, where)
              for (const [at, { message }] of answer.issues.entries()) {
                // Pages name both fields of bounds, and tools the one.
                const [, from, to] = / \((.*) > (.*)\)$/u.exec(message) ?? []
                const said = from === undefined ? message : `“From” (${from}) must not be above “to” (${to}).`
                assert.isTrue(problems[at]?.endsWith(`: ${said}`), `${where}: ${problems[at]} is not ${said}`)
              }
              continue
            }
            assert.strictEqual(page.status, 200, `${where}: ${problemsOf(page).join()}`)
            const { pagination, results } = answer.envelope
            found += results.length
            assert.deepStrictEqual(
              idsOf(page),
              results.map(({ id }) => id),
              where
            )
            assert.strictEqual(page.text.includes('rel="next"'), pagination.has_more && results.length > 0, where)
            // The message on the page makes the same search.
            if (index % 10 === 0) assert.deepStrictEqual(yield* post(toolCallOf(page)), answer, where)
          }
          assert.isAbove(found, setsPerPage)
          assert.isAbove(refused, 10)
        }),
      600_000
    )

    it.effect(`${subject}: the page has a field for every argument`, () =>
      Effect.gen(function* () {
        const { view } = yield* customer
        // The span of a change is asked for beside an order by one (D120).
        const { text } = yield* view(`${path}?query=r${subject === "products" ? "" : "&sort_by=ads_change"}`)
        for (const [name, kind] of address.kinds) {
          const fields = kind._tag === "Parts" ? Object.keys(kind.parts).map((part) => `${name}.${part}`) : [name]
          for (const field of fields) {
            if (places[name as keyof typeof places] === "links") assert.include(text, `&amp;${name}=2`)
            else assert.include(text, ` name="${field}"`)
          }
        }
      })
    )
  }

  it.effect("viewing a page costs no credits and is no call", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const { accountId, view } = yield* customer
      yield* view("/dashboard")
      const [before, logged] = [yield* books(accountId), site.logs.length]
      for (const path of [adsPath, productsPath, `${adsPath}?query=red`, `${adsPath}?page=0`]) yield* view(path)
      assert.deepStrictEqual(yield* books(accountId), before)
      assert.notInclude(site.logs.slice(logged).join("\n"), "tools/call")
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`SELECT FROM credit_entry WHERE account_id = ${accountId} AND kind = 'charge'`,
        []
      )
    })
  )

  it.effect("each account has its own page rate limit; beyond it the page shows when to return", () =>
    Effect.gen(function* () {
      const clock = yield* SetClock
      const one = yield* customer
      const other = yield* customer
      for (let count = 0; count < viewsPerMinute; count++) {
        // Invalid searches read the database as well, so they count.
        const { status } = yield* one.visitor.get(count % 2 === 0 ? `${adsPath}?niches=Petz` : productsPath)
        assert.strictEqual(status, count % 2 === 0 ? 400 : 200)
      }
      const refused = yield* one.visitor.get(adsPath)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "1")
      assert.deepStrictEqual(idsOf(refused), [])
      assert.strictEqual((yield* one.visitor.get(productsPath)).status, 429)
      assert.strictEqual((yield* other.visitor.get(adsPath)).status, 200)
      yield* clock.advance(500)
      assert.strictEqual((yield* one.visitor.get(adsPath)).status, 200)
      assert.strictEqual((yield* one.visitor.get(adsPath)).status, 429)
    })
  )

  it.effect(
    "a page that is requested as an image, as a store's could be, is not found and counts as no page view",
    () =>
      Effect.gen(function* () {
        const { visitor } = yield* customer
        const image = { "sec-fetch-dest": "image", "sec-fetch-mode": "no-cors", "sec-fetch-site": "same-origin" }
        for (let count = 0; count <= viewsPerMinute; count++) {
          assert.strictEqual((yield* visitor.get(adsPath, image)).status, 404)
        }
        assert.strictEqual((yield* visitor.get(adsPath, { "sec-fetch-dest": "document" })).status, 200)
      })
  )

  describe("addresses", () => {
    it.effect("of a form redirect to the one that can be shared, which does not redirect", () =>
      Effect.gen(function* () {
        const { visitor } = yield* customer
        const written: ReadonlyArray<readonly [sent: string, shared: string]> = [
          ["", ""],
          ["?", ""],
          ["?query=&status=all&sort_by=recommended&sort_order=desc&per_page=12&page=1&apps=&monthly_visits.min=", ""],
          ["?per_page=10", "?per_page=10"],
          ["?page=2&countries=de&countries=DE&query=", "?countries=DE&page=2"],
          ["?apps=Loox%0D%0AKlaviyo", "?apps=Loox&apps=Klaviyo"],
          ["?monthly_visits.max=1e3&monthly_visits.min=%2B5", "?monthly_visits.min=5&monthly_visits.max=1000"],
          ["?partnership_only=false", ""]
        ]
        for (const [sent, shared] of written) {
          const { headers, status } = yield* visitor.get(adsPath + sent)
          if (sent === shared || sent === "?") {
            assert.strictEqual(status, 200, sent)
            continue
          }
          assert.strictEqual(status, 303, sent)
          const location = headers.get("location") ?? ""
          assert.strictEqual(location, adsPath + shared)
          assert.strictEqual((yield* visitor.get(location)).status, 200, location)
        }
        // As browsers encode it.
        assert.strictEqual((yield* visitor.get(`${adsPath}?query=it%27s+%22red%22`)).status, 200)
        assert.strictEqual((yield* visitor.get(`${adsPath}?query=it's%20%22red%22`)).status, 200)
      })
    )

    it.effect("with errors have them reported at their fields, with all input kept", () =>
      Effect.gen(function* () {
        const { view } = yield* customer
        const typed =
          "query=red+lamp&niches=Petz&countries=ZZ&countries=US&monthly_visits.min=many&monthly_visits.max=7" +
          "&shop_created_between.from=2026-02-31&status=on&per_page=99&apps=Loox&utm_source=mail&page=two"
        const answer = yield* view(`${adsPath}?${typed}`)
        assert.strictEqual(answer.status, 400)
        assert.include(answer.text, "<title>Error: Ads")
        const paths = Array.from(answer.text.matchAll(/data-issue="([^"]*)"/gu), ([, path = ""]) => path)
        assert.sameMembers(paths, [
          "niches.0",
          "countries.0",
          "monthly_visits.min",
          "shop_created_between.from",
          "status",
          "per_page"
        ])
        assert.deepStrictEqual(
          problemsOf(answer).filter((line) => /^(?:utm|Page)/u.test(line)),
          ["utm_source: is not a known argument", "Page: must be a number"]
        )
        const [summary = ""] = /<div class="problems".*?<\/div>/su.exec(answer.text) ?? []
        const targets = Array.from(summary.matchAll(/href="#([^"]*)"/gu), ([, target = ""]) => target)
        assert.strictEqual(targets.length, paths.length)
        for (const target of targets) assert.include(answer.text, ` id="${target}"`)
        for (const field of [
          /name="query"[^>]*value="red lamp"/u,
          /name="niches"[^>]*>\s*Petz<\/textarea/u,
          /name="countries" value="ZZ" +checked/u,
          /name="countries" value="US" +checked/u,
          /value="many"/u,
          /value="7"/u,
          /type="text" id="shop_created_between.from"[^>]*value="2026-02-31"/u,
          /<option value="on" +selected/u,
          /<option value="99" +selected/u,
          />Loox<|value="Loox" +checked/u
        ]) {
          assert.match(answer.text, field)
        }
      })
    )

    it.effect("of an attacker get a page without any of their markup", () =>
      Effect.gen(function* () {
        const { view } = yield* customer
        const script = '"><script>alert(1)</script>'
        const hostile = [
          ...[
            "query",
            "niches",
            "apps",
            "domains",
            "countries",
            "monthly_visits.min",
            "status",
            "page",
            "per_page"
          ].map((name) => `${name}=${encodeURIComponent(script)}`),
          `${encodeURIComponent(script)}=1`,
          "__proto__=1&constructor=1&toString=1&hasOwnProperty.min=1",
          "monthly_visits.__proto__=1&monthly_visits.constructor=1",
          "=&==&&&=1&%00=%00",
          "query=%&niches=%zz&apps=%c3%28",
          "query=%ED%A0%80&apps=%00%01&niches=%E2%80%AE",
          "page=9999999999999999999999&per_page=-1&page=NaN",
          Array.from({ length: 600 }, () => "countries=ZZ").join("&"),
          Array.from({ length: 900 }, (_, index) => `a${index}=`).join("&"),
          "a=".repeat(900),
          Array.from({ length: 300 }, (_, index) => `b${index}=1`).join("&")
        ]
        for (const path of [adsPath, productsPath, storesPath]) {
          for (const query of hostile) {
            const answer = yield* view(`${path}?${query}`)
            assert.oneOf(answer.status, [200, 400], query.slice(0, 80))
            assert.notInclude(answer.text, "<script>alert")
            assert.isBelow(answer.text.length, 250_000, query.slice(0, 80))
            assert.notMatch(answer.text, / on[a-z]+=|style=/u)
          }
        }
      })
    )

    it.effect("that are too long get an explanation, with what was typed", () =>
      Effect.gen(function* () {
        const { view, visitor } = yield* customer
        const long = `${adsPath}?query=red&${Array.from({ length: 90 }, () => `apps=${"x".repeat(90)}`).join("&")}`
        assert.isAbove(long.length, 8_000)
        const answer = yield* view(long)
        assert.strictEqual(answer.status, 414)
        assert.match(problemsOf(answer).join(), /address of this search has 8,\d{3} characters; the limit is 8,000/u)
        assert.match(answer.text, /name="query"[^>]*value="red"/u)
        assert.deepStrictEqual(idsOf(answer), [])
        const fits = `${adsPath}?${Array.from({ length: 45 }, (_, index) => `apps=${index}${"x".repeat(88)}`).join("&")}`
        const found = yield* view(fits)
        assert.strictEqual(found.status, 200)
        assert.include(found.text, "45 selected")
        assert.isBelow(found.text.length, 250_000)
        // After signing in, a visitor returns to the search.
        const site = yield* Site
        const away = yield* site.get(fits)
        assert.strictEqual(away.headers.get("location"), `/sign-in?return_to=${encodeURIComponent(fits)}`)
        assert.strictEqual((yield* visitor.get("/dashboard/ads/")).status, 200)
      })
    )
  })

  it.effect("active filters are links to the search without them", () =>
    Effect.gen(function* () {
      const { view } = yield* customer
      const { text } = yield* view(
        `${adsPath}?query=red&countries=US&countries=DE&monthly_visits.min=5&sort_by=newest&per_page=25&page=2`
      )
      const [, inUse = ""] = /<nav class="chips"[^>]*>(.*?)<\/nav>/su.exec(text) ?? []
      const chips = Array.from(
        inUse.matchAll(/<a href="([^"]*)" class="chip"[^>]*>([^<]*)</gu),
        ([, href = "", label = ""]) => [plain(label), plain(href)]
      )
      assert.deepStrictEqual(chips, [
        ["“red”", `${adsPath}?countries=US&countries=DE&monthly_visits.min=5&sort_by=newest&per_page=25`],
        [
          "Countries: United States",
          `${adsPath}?query=red&countries=DE&monthly_visits.min=5&sort_by=newest&per_page=25`
        ],
        ["Countries: Germany", `${adsPath}?query=red&countries=US&monthly_visits.min=5&sort_by=newest&per_page=25`],
        ["Visits a month: from 5", `${adsPath}?query=red&countries=US&countries=DE&sort_by=newest&per_page=25`]
      ])
      assert.include(text, `<a href="${adsPath}?sort_by=newest&amp;per_page=25">Clear all</a>`)
    })
  )

  it.effect("page links lead to the last page, and a page after it links back", () =>
    Effect.gen(function* () {
      const { view } = yield* customer
      const seen: Array<number> = []
      let next: string | undefined = `${productsPath}?per_page=25`
      let turned = 0
      while (next !== undefined) {
        const page: Answer = yield* view(next)
        seen.push(...idsOf(page))
        const [, href] = /rel="next" href="([^"]*)"/u.exec(page.text) ?? []
        next = href === undefined ? undefined : plain(href)
        turned++
      }
      const expected = Math.min(500, catalog.products.length)
      assert.strictEqual(turned, Math.ceil(expected / 25))
      assert.strictEqual(new Set(seen).size, expected)
      const past = yield* view(`${productsPath}?price.min=1000000&page=20`)
      assert.include(past.text, "past the last result")
      assert.include(past.text, `href="${productsPath}?price.min=1000000"`)
    })
  )

  it.effect("a search without results says possible reasons, and offers to remove each filter", () =>
    Effect.gen(function* () {
      const { view } = yield* customer
      const { text } = yield* view(`${adsPath}?apps=Unheard+Of&countries=AQ&shop_created_between.to=1971-01-01`)
      assert.include(text, "No ads match all of these filters")
      assert.include(text, "An app whose name is not known")
      assert.include(text, "The creation date is not known of every store")
      assert.include(
        text,
        `<a href="${adsPath}?countries=AQ&amp;shop_created_between.to=1971-01-01">Without Apps: Unheard Of`
      )
      assert.include(text, `<a href="${adsPath}?apps=Unheard+Of&amp;shop_created_between.to=1971-01-01">Without`)
    })
  )

  it.effect("is shown only to active Growth and Pro subscriptions", () =>
    Effect.gen(function* () {
      const site = yield* Site
      for (const options of [{ plan: "starter" }, { plan: "pro", status: "unpaid" }] as const) {
        const visitor = yield* SiteVisitor.signedIn(yield* site.account(options))
        for (const path of [adsPath, productsPath]) {
          const answer = yield* visitor.get(path)
          assert.strictEqual(answer.status, 403)
          assert.include(answer.text, "https://billing.test/plans")
          assert.deepStrictEqual(idsOf(answer), [])
        }
      }
    })
  )

  it.effect("is in the visitor's language, and sorts countries by it", () =>
    Effect.gen(function* () {
      const { visitor } = yield* customer
      const get = (path: string, language: string) => read(visitor, path, language)
      const german = (yield* get(`${adsPath}?countries=DE&ctas=Shop+Now&status=active`, "de-AT")).text
      for (const said of [
        "Anzeigen",
        "Länder: Deutschland",
        "Call-to-Action: Shop Now",
        "Status: Läuft",
        "Filter anwenden"
      ]) {
        assert.include(german, said)
      }
      assert.isBelow(german.indexOf(">Ägypten <"), german.indexOf(">Albanien <"))
      assert.include((yield* get(`${adsPath}?countries=UK`, "fr")).text, "Vouliez-vous dire « GB » ?")
      assert.include((yield* get(`${productsPath}?page=x`, "es")).text, "Página: debe ser un número")
    })
  )

  it.effect("weighs less than 150 KB with 25 results, all lists and many filters, in every language", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const { visitor } = yield* customer
      const searches = [
        `${adsPath}?sort_by=newest&per_page=25`,
        `${adsPath}?query=r&countries=US&countries=GB&countries=DE&countries=JP&countries=FR&monthly_visits.min=0&sort_by=newest&per_page=25`,
        `${productsPath}?per_page=25&page=2`,
        `${storesPath}?sort_by=active_ads&per_page=25`
      ]
      for (const language of ["en", "de", "fr", "es"]) {
        for (const path of searches) {
          const page = yield* read(visitor, path, language)
          assert.strictEqual(page.status, 200)
          if (!path.includes("query")) assert.strictEqual(idsOf(page).length, 25)
          const assets = Array.from(page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/gu), ([, asset = ""]) => asset)
          assert.strictEqual(assets.length, 2)
          let bytes = Buffer.byteLength(page.text)
          for (const asset of assets) bytes += gzipSync((yield* site.get(asset)).text).length
          assert.isBelow(bytes, 150_000, `${language} ${path}`)
        }
      }
    })
  )
})
