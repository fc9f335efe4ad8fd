/** The pages of stores and of their items: third-party text, who may see them, and what their forms change (D12, D49, D93, D112, D116). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { numberFigures } from "../../../../src/domain/catalog/Figures.ts"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { viewsPerMinute } from "../../../../src/services/limits/PageRateLimit.ts"
import { maxTrackedShops, TrackedShops } from "../../../../src/services/accounts/TrackedShops.ts"
import { ProductReader } from "../../../../src/services/search/ProductReader.ts"
import { dashboardUrl } from "../../../../src/domain/catalog/DashboardUrl.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import * as StoreRecords from "../../../support/StoreRecords.ts"

const path = (id: number | string) => `/dashboard/shops/${id}`

const visit = Effect.gen(function* () {
  const site = yield* Site
  const who = yield* site.account()
  const visitor = yield* SiteVisitor.signedIn(who)
  const { id } = yield* Effect.orDie((yield* Accounts).find(who.email))
  return { visitor, id, who }
})

/** Requests a page with this preferred language. */
const inLanguage = Effect.fnUntraced(function* (visitor: SiteVisitor.SiteVisitor, language: string, path: string) {
  const cookie = Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; ")
  return yield* (yield* Site).get(path, { cookie, "accept-language": language })
})

/** The text that people read, without markup and with single spaces. */
const read = ({ text }: Answer) =>
  text
    .replace(/^.*<main/su, "<main")
    .replaceAll(/<[^>]*>/gu, " ")
    .replaceAll(/\s+/gu, " ")

const location = (answer: Answer) => answer.headers.get("location")

const hrefs = ({ text }: Answer) =>
  Array.from(text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>/gu), ([tag, to = ""]) => ({ tag, to }))

/** A page without the parts that differ between requests. */
const settled = ({ status, text }: Answer) => ({
  status,
  text: text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "-").replaceAll(/name="(?:form_token|back)" value="[^"]*"/gu, "")
})

const strange = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&amp; \${7*7} {{7*7}}`

layer(Site.layer(), { excludeTestServices: true })("the pages of stores", (it) => {
  describe("a store", () => {
    it.effect("is shown where its dashboard_url leads, with every figure on record", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { visitor } = yield* visit
        yield* StoreRecords.addNiche(1, "Home")
        yield* StoreRecords.addNiche(2, "Lighting", 1)
        const id = yield* StoreRecords.addStore({
          ...StoreRecords.everyColumn,
          name: "Nordlicht",
          domain: "nordlicht.com",
          niche_id: 2,
          pixels: ["TikTok"],
          apps: Array.from({ length: 30 }, (_, index) => `Application ${index}`)
        })
        yield* StoreRecords.addTraffic(id, { "2025-11": 100, "2026-01": 112_345 })
        yield* StoreRecords.addProduct(id, { price: 12.5 })
        yield* StoreRecords.addAd(id)
        yield* StoreRecords.derive
        const answer = yield* visitor.get(dashboardUrl({ baseUrl: site.url })(id).slice(site.url.length))
        assert.strictEqual(answer.status, 200)
        const text = read(answer)
        for (const expected of [
          "Revenue a month €184,250 ",
          "Orders a month 2,310 ",
          "Visits a month 112,345 ",
          "Traffic growth +112,245% ",
          "Running ads 1 ",
          "Products 412 ",
          "Average price €12.50 ",
          "Trustpilot rating 4.3 of 5 ",
          "Trustpilot reviews 1,204 ",
          "Created May 4, 2019 ",
          "Country Germany ",
          "Currency Euro (EUR) ",
          "Languages German and English ",
          "Theme Dawn ",
          "Niche Home › Lighting ",
          "Application 23 6 more Application 24",
          "Pixels TikTok ",
          "Social networks Instagram ",
          // A missing month is shown as unknown between the others.
          "Nov 2025 100 Dec 2025 unknown Jan 2026 112,345"
        ]) {
          assert.include(text, expected)
        }
        assert.match(answer.text, /<title>Nordlicht · Discovery<\/title>/u)
        const policy = answer.headers.get("content-security-policy") ?? ""
        assert.include(policy, "img-src 'self' data: https:;")
        assert.include(policy, "default-src 'none'; style-src 'self'; script-src 'self';")
        assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
        assert.deepStrictEqual(
          hrefs(answer)
            .filter(({ to }) => to.includes("nordlicht.com/"))
            .map(({ tag }) => tag),
          [`<a href="https://nordlicht.com/" class="outward" rel="noopener noreferrer nofollow ugc">`]
        )
        for (const section of ["products", "ads"]) {
          assert.include(answer.text, `href="/dashboard/${section}?shop_ids=${id}&amp;sort_by=newest"`)
        }
      })
    )

    it.effect("D112 has its history, its changes, and all products and ads in pages of twelve", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        const id = yield* StoreRecords.addStore({ currency: "EUR", monthly_revenue: 2_000 })
        let product = 0
        for (let index = 0; index < 13; index++) {
          product = yield* StoreRecords.addProduct(id, { title: `Lamp ${index}`, price: 10 })
          yield* StoreRecords.addAd(id, { is_active: index < 5 })
        }
        yield* StoreRecords.addHistory(id, product)
        yield* StoreRecords.derive
        const first = yield* visitor.get(path(id))
        const text = read(first)
        assert.include(text, "Jan 5, 2026 €1,100")
        assert.include(text, "Running ads 5, unchanged since Jan 5, 2026")
        assert.include(text, "Price down Lamp 12 €20.00 to €15.00")
        assert.include(text, "Sum of the monthly changes in visits over all months on record")
        for (const list of ["13 products", "13 ads"]) assert.include(text, list)
        const shown = ({ text }: Answer) => [
          text.match(/data-product-id=/gu)?.length ?? 0,
          text.match(/data-ad-id=/gu)?.length ?? 0
        ]
        assert.deepStrictEqual(shown(first), [12, 12])
        assert.include(first.text, `href="${path(id)}?products=2#products"`)
        const second = yield* visitor.get(`${path(id)}?products=2`)
        assert.deepStrictEqual(shown(second), [1, 12])
        assert.include(second.text, `href="${path(id)}?products=2&amp;ads=2#ads"`)
        assert.deepStrictEqual(shown(yield* visitor.get(`${path(id)}?products=2&ads=2`)), [1, 1])
        assert.deepStrictEqual(shown(yield* visitor.get(`${path(id)}?ads=20`)), [12, 0])
        for (const wrong of ["products=0", "ads=21", "ads=x"]) {
          assert.strictEqual((yield* visitor.get(`${path(id)}?${wrong}`)).status, 400, wrong)
        }
      })
    )

    it.effect("D116 has ads and products with pages of their own, whose details need the store to be tracked", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id: account, visitor } = yield* visit
        const id = yield* StoreRecords.addStore({ name: "Lamps", currency: "EUR" })
        const product = yield* StoreRecords.addProduct(id, { title: strange, price: 10 })
        const ad = yield* StoreRecords.addAd(id, { page_name: strange, ad_text: strange })
        const storeless = yield* StoreRecords.addAd(null, { page_name: "Nobody" })
        yield* StoreRecords.addHistory(id, product)
        const details = {
          description_html: "<p>Made of oak</p>",
          vendor: "Lamps Ltd",
          product_type: null,
          tags: [],
          options: [],
          variants: [
            {
              id: null,
              title: "Oak",
              sku: "L-1",
              price: 10,
              compare_at_price: 14,
              is_available: false,
              options: ["Oak"]
            }
          ],
          images: []
        }
        yield* sql`UPDATE product SET details = ${JSON.stringify(details)}::jsonb WHERE id = ${product}`
        yield* StoreRecords.derive
        const [adAt, productAt] = [`/dashboard/ads/${ad}`, `/dashboard/products/${product}`]
        const store = yield* visitor.get(path(id))
        for (const address of [adAt, productAt]) {
          assert.include(store.text, `href="${address}"`)
          const page = yield* visitor.get(address)
          assert.strictEqual(page.status, 200)
          assert.include(page.text, `href="${path(id)}"`)
          assert.include(page.text, "&lt;script&gt;alert(1)&lt;/script&gt;")
          assert.notMatch(page.text, /<script(?! type="module" src="\/assets\/)|<img src=x|onerror=alert\(2\)>/u)
          const signedOut = yield* (yield* Site).get(address)
          assert.strictEqual(location(signedOut), `/sign-in?return_to=${encodeURIComponent(address)}`)
        }
        assert.include(read(yield* visitor.get(`/dashboard/ads/${storeless}`)), "The store of this ad is not known.")
        const untracked = read(yield* visitor.get(productAt))
        assert.include(untracked, "Track its store to see the description")
        for (const secret of ["Made of oak", "L-1", "Lamps Ltd"]) assert.notInclude(untracked, secret)
        yield* (yield* TrackedShops).track(account, id)
        const tracked = read(yield* visitor.get(productAt))
        for (const detail of [
          "Made of oak",
          "1 variant",
          "Oak L-1 €10.00 €14.00 Not available",
          "Feb 11, 2026 €10.00"
        ]) {
          assert.include(tracked, detail)
        }
        for (const missing of ["/dashboard/ads/999999", "/dashboard/products/999999", "/dashboard/ads/01"]) {
          assert.strictEqual((yield* visitor.get(missing)).status, 404, missing)
        }
      })
    )

    it.effect("without known figures says so in every language, and never shows an internal value", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        const id = yield* StoreRecords.addStore({ name: "…", domain: "nothing.com" })
        yield* StoreRecords.derive
        const unknown = { en: "Not known", de: "Nicht bekannt", fr: "Inconnu", es: "Se desconoce" }
        for (const [language, word] of Object.entries(unknown)) {
          const answer = yield* inLanguage(visitor, `${language}-CH, en;q=0.5`, path(id))
          assert.strictEqual(answer.status, 200)
          assert.include(answer.text, `<html lang="${language}">`)
          const text = read(answer)
          // The number of running ads is always known; day of creation, currency, languages, theme and niche are not.
          assert.strictEqual(text.split(word).length - 1, numberFigures.length - 1 + 5, text)
          assert.notMatch(text, /null|undefined|NaN|Infinity|-1|object|Invalid/u)
        }
        // A name without a letter or digit cannot be searched for.
        assert.notInclude((yield* visitor.get(path(id))).text, "/dashboard/ads?query=")
      })
    )

    it.effect("is shown in whatever numbers, days and currency its record has", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { visitor } = yield* visit
        const id = yield* StoreRecords.addStore({
          currency: "XTS",
          country: "XK",
          languages: ["Klingon"],
          created_on: "0001-01-01",
          monthly_revenue: 1e300,
          monthly_orders: 2_147_483_647,
          apps: Array.from({ length: 900 }, (_, index) => `${index} ${"🦊".repeat(20)}`)
        })
        yield* StoreRecords.addTraffic(id, { "1990-01": 1, "2026-01": 2_147_483_647 })
        yield* StoreRecords.addProduct(id, { price: 1e300 })
        yield* sql`UPDATE product SET created_at = '12345-06-07T00:00:00Z' WHERE shop_id = ${id}`
        yield* StoreRecords.addAd(id, { started_on: "9999-12-31", last_seen_on: "9999-12-31" })
        yield* StoreRecords.derive
        for (const language of ["en", "de", "fr", "es-419", "de-AT"]) {
          const answer = yield* inLanguage(visitor, language, path(id))
          assert.strictEqual(answer.status, 200, language)
          // The page stays below the limit of its size.
          assert.isBelow(answer.text.length, 110_000)
        }
      })
    )

    it.effect("shows third-party text as text of an unknown language, and never as markup", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        const id = yield* StoreRecords.addStore({ name: strange, theme: strange, apps: [strange] })
        yield* StoreRecords.addProduct(id, { title: strange })
        yield* StoreRecords.addAd(id, { page_name: strange, headline: strange, ad_text: strange.repeat(4) })
        yield* StoreRecords.derive
        yield* (yield* TrackedShops).track((yield* visit).id, id)
        const search = `/dashboard/shops?query=${encodeURIComponent(strange)}`
        for (const answer of [yield* visitor.get(path(id)), yield* visitor.get(search)]) {
          assert.strictEqual(answer.status, 200)
          assert.notMatch(answer.text, /<script(?! type="module" src="\/assets\/)|<img src=x|onerror=alert\(2\)>/u)
          assert.include(answer.text, "&lt;script&gt;alert(1)&lt;/script&gt;")
        }
        const { text } = yield* visitor.get(path(id))
        const shown = "&quot;&gt;&lt;script&gt;"
        for (const before of [
          /<bdi lang="" dir="auto">$/u,
          /class="headline" lang="" dir="auto">$/u,
          /<span lang="" dir="auto" class="wording">$/u
        ]) {
          assert.isTrue(
            text.split(shown).some((part) => before.test(part)),
            String(before)
          )
        }
      })
    )

    it.effect("links only to the web, without a referrer, and loads images over TLS only", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        const id = yield* StoreRecords.addStore()
        const bad = [
          "javascript:alert(1)",
          " JaVaScRiPt:alert(1)",
          "java\tscript:alert(1)",
          "data:text/html,<script>alert(1)</script>",
          "vbscript:x",
          "//evil.test/x",
          "/dashboard/shops",
          "https://good.test@evil.test/",
          "https://u:p@evil.test/",
          "ftp://evil.test/",
          "not an address"
        ]
        for (const url of bad) {
          yield* StoreRecords.addProduct(id, { url, image_url: url })
          yield* StoreRecords.addAd(id, { ad_library_url: url, landing_url: url, image_url: url })
        }
        yield* StoreRecords.addProduct(id, {
          url: 'https://good.test/?"onclick="alert(1)',
          image_url: "http://plain.test/1.jpg"
        })
        yield* StoreRecords.addAd(id, {
          ad_library_url: "http://good.test/library",
          landing_url: "https://good.test/landing",
          image_url: "https://good.test/1.jpg"
        })
        yield* StoreRecords.derive
        const answer = yield* visitor.get(path(id))
        assert.strictEqual(answer.text.match(/data-product-id=/gu)?.length, 12)
        assert.strictEqual(answer.text.match(/data-ad-id=/gu)?.length, 12)
        const outward = hrefs(answer).filter(({ to }) => !/^(?:#|\/(?!\/))/u.test(to))
        assert.sameMembers(
          outward.map(({ to }) => to).filter((to) => !to.startsWith("https://store-")),
          ["https://good.test/?%22onclick=%22alert(1)", "http://good.test/library", "https://good.test/landing"]
        )
        for (const { tag } of outward) assert.include(tag, 'rel="noopener noreferrer nofollow ugc"')
        const images = Array.from(answer.text.matchAll(/<img [^>]*>/gu), ([tag]) => tag).filter(
          (tag) => !tag.includes('"/icon')
        )
        assert.deepStrictEqual(
          images.map((tag) => /src="([^"]*)"/u.exec(tag)?.[1]),
          ["https://good.test/1.jpg"]
        )
        for (const tag of images) {
          assert.include(tag, 'loading="lazy"')
          assert.include(tag, 'referrerpolicy="no-referrer"')
        }
      })
    )

    it.effect("that does not exist, or cannot, is not found, for any account and method", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        const expected = settled(yield* visitor.get(path(999_999)))
        assert.strictEqual(expected.status, 404)
        const bad = [
          "0",
          "-1",
          "01",
          "1.0",
          "1e3",

          "abc",
          "2147483648",
          "99999999999",
          "9".repeat(90),
          "1%00",
          "1%2F",
          "%EF%BC%91"
        ]
        for (const id of bad) {
          assert.deepStrictEqual(settled(yield* visitor.get(path(id))), expected, id)
          for (const change of ["track", "untrack"]) {
            const answer = yield* visitor.submit(`${path(id)}/${change}`, {})
            assert.deepStrictEqual(settled(answer), expected, id)
          }
        }
        for (const change of ["track", "untrack"]) {
          assert.deepStrictEqual(settled(yield* visitor.submit(`${path(2_147_483_647)}/${change}`, {})), expected)
        }
      })
    )

    it.effect("costs no credits, within the page rate limit", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { visitor } = yield* visit
        const id = yield* StoreRecords.addStore()
        yield* StoreRecords.derive
        const entries = sql`SELECT count(*) FROM credit_entry`
        const before = yield* entries
        let views = 0
        let answer = yield* visitor.get(path(id))
        while (answer.status === 200 && views < 2 * viewsPerMinute) {
          views++
          answer = yield* visitor.get(path(id))
        }
        assert.isAtLeast(views, viewsPerMinute)
        assert.strictEqual(answer.status, 429)
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
        assert.deepStrictEqual(yield* entries, before)
      })
    )
  })

  describe("tracking", () => {
    it.effect("by the button of the store's page, so that get_product works, until it is ended", () =>
      Effect.gen(function* () {
        const { id: account, visitor } = yield* visit
        const products = yield* ProductReader
        const id = yield* StoreRecords.addStore({ name: "Tracked" })
        const product = yield* StoreRecords.addProduct(id)
        yield* StoreRecords.derive
        assert.include((yield* visitor.get(path(id))).text, `action="${path(id)}/track"`)
        assert.strictEqual((yield* Effect.flip(products.get(product, account)))._tag, "ShopNotTracked")

        const tracked = yield* visitor.submit(`${path(id)}/track`, {})
        assert.deepStrictEqual([tracked.status, location(tracked)], [303, `${path(id)}?done=tracked`])
        const after = yield* visitor.get(`${path(id)}?done=tracked`)
        assert.include(read(after), "You track this store now. get_product works for its products at once.")
        assert.include(after.text, `action="${path(id)}/untrack"`)
        assert.include(after.text, `<span class="badge good">Tracked</span>`)
        assert.strictEqual((yield* products.get(product, account)).id, product)

        const ended = yield* visitor.submit(`${path(id)}/untrack`, {})
        assert.deepStrictEqual([ended.status, location(ended)], [303, `${path(id)}?done=untracked`])
        assert.include(read(yield* visitor.get(`${path(id)}?done=untracked`)), "You no longer track this store.")
        assert.strictEqual((yield* Effect.flip(products.get(product, account)))._tag, "ShopNotTracked")
        // Results in the address that are not true any more, or never were, are not shown.
        for (const done of ["tracked", "own", "<b>", "", "tracked&done=untracked"]) {
          assert.notInclude((yield* visitor.get(`${path(id)}?done=${done}`)).text, 'role="status"')
        }
      })
    )

    it.effect("changes nothing about an own store, and says so", () =>
      Effect.gen(function* () {
        const { id: account, visitor } = yield* visit
        const id = yield* StoreRecords.addStore({ domain: "brand.com" })
        yield* StoreRecords.derive
        yield* (yield* TrackedShops).add(account, "brand.com", "own")
        const page = yield* visitor.get(path(id))
        assert.include(page.text, `<span class="badge good">Your own store</span>`)
        assert.notInclude(page.text, `action="${path(id)}`)
        for (const change of ["track", "untrack"]) {
          const answer = yield* visitor.submit(`${path(id)}/${change}`, {})
          assert.strictEqual(location(answer), `${path(id)}?done=own`)
          assert.include(read(yield* visitor.get(`${path(id)}?done=own`)), "Nothing was changed")
        }
        assert.deepStrictEqual(yield* (yield* TrackedShops).list(account), [
          { shopId: id, domain: "brand.com", kind: "own" }
        ])
      })
    )

    it.effect("is limited to 1,000 stores, and the page says what to do", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id: account, visitor } = yield* visit
        yield* sql`
          INSERT INTO shop (domain, domain_extension, name, country)
          SELECT 'full-' || n || '.com', '.com', 'Full', 'US' FROM generate_series(1, ${maxTrackedShops}::int) n`
        yield* sql`
          INSERT INTO tracked_shop (account_id, shop_id, kind)
          SELECT ${account}::int, id, 'tracked' FROM shop WHERE name = 'Full'`
        const id = yield* StoreRecords.addStore()
        yield* StoreRecords.derive
        const answer = yield* visitor.submit(`${path(id)}/track`, {})
        assert.strictEqual(location(answer), `${path(id)}?done=full`)
        const page = yield* visitor.get(`${path(id)}?done=full`)
        assert.match(page.text, /role="alert"[^]*you have 1,000 tracked and own stores[^]*href="\/dashboard\/shops"/u)
        assert.strictEqual((yield* (yield* TrackedShops).list(account)).length, maxTrackedShops)

        // The list has fifty stores per page; an address after the last page shows the last one.
        const last = yield* visitor.get("/dashboard/shops?page=20")
        assert.strictEqual(last.text.match(/data-shop-id=/gu)?.length, 50)
        assert.match(last.text, /aria-label="Page 20 of 20"\s+aria-current="page"/u)
        const removed = /data-shop-id="(\d+)"/u.exec(last.text)?.[1] ?? ""
        const untracked = yield* visitor.submit(`${path(removed)}/untrack`, { list_page: "20" })
        assert.strictEqual(location(untracked), "/dashboard/shops?page=20&done=untracked")
        const next = yield* visitor.get("/dashboard/shops?page=20&done=untracked")
        assert.strictEqual(next.text.match(/data-shop-id=/gu)?.length, 49)
        assert.include(next.text, 'role="status">You no longer track that store.')
        yield* sql`
          DELETE FROM tracked_shop WHERE account_id = ${account} AND shop_id NOT IN (
            SELECT shop_id FROM tracked_shop WHERE account_id = ${account} LIMIT 60
          )`
        assert.strictEqual(
          location(yield* visitor.get("/dashboard/shops?page=20&done=untracked")),
          "/dashboard/shops?page=2&done=untracked"
        )
      })
    )

    it.effect("of one account is not visible to another one, which cannot end it", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* visit, yield* visit]
        const id = yield* StoreRecords.addStore({ name: "Secret" })
        yield* StoreRecords.derive
        yield* other.visitor.get(path(id))
        const before = settled(yield* other.visitor.get(path(id)))
        yield* one.visitor.get(path(id))
        yield* one.visitor.submit(`${path(id)}/track`, {})
        assert.deepStrictEqual(settled(yield* other.visitor.get(path(id))), before)
        const list = yield* other.visitor.get("/dashboard/shops")
        assert.include(read(list), "You track no stores yet.")
        assert.notInclude(list.text, "Secret")
        assert.strictEqual((yield* other.visitor.submit(`${path(id)}/untrack`, {})).status, 303)
        assert.strictEqual((yield* (yield* TrackedShops).list(one.id)).length, 1)
        // Nor can the other account send a form of the first.
        const token = one.visitor.token()
        for (const forged of [{ form_token: token }, { form_token: "" }]) {
          const answer = yield* other.visitor.submit(`${path(id)}/track`, forged)
          assert.strictEqual(answer.status, 403)
        }
        const foreign = yield* other.visitor.submit(`${path(id)}/track`, {}, { "sec-fetch-site": "cross-site" })
        assert.strictEqual(foreign.status, 403)
        assert.deepStrictEqual(yield* (yield* TrackedShops).list(other.id), [])
      })
    )

    it.effect("needs a sign-in, which leads back to the store", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const guest = yield* SiteVisitor.make
        assert.strictEqual(location(yield* site.get(path(7))), `/sign-in?return_to=${encodeURIComponent(path(7))}`)
        for (const change of ["track", "untrack"]) {
          assert.strictEqual(
            location(yield* guest.submit(`${path(7)}/${change}`, {})),
            `/sign-in?return_to=${encodeURIComponent(path(7))}&done=ended`
          )
        }
        assert.strictEqual(
          location(yield* site.get("/dashboard/shops?query=a")),
          "/sign-in?return_to=%2Fdashboard%2Fshops%3Fquery%3Da"
        )
      })
    )

    it.effect("without a plan that has access, pages and forms only lead to billing", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const id = yield* StoreRecords.addStore({ name: "Behind the wall" })
        yield* StoreRecords.derive
        for (const lack of [
          { plan: "starter" },
          { status: "unpaid" },
          { status: "paused" },
          { status: "canceled" }
        ] as const) {
          const who = yield* site.account(lack)
          const visitor = yield* SiteVisitor.signedIn(who)
          const answers = [
            yield* visitor.get(path(id)),
            yield* visitor.get("/dashboard/shops"),
            yield* visitor.get("/dashboard/shops?query=wall"),
            yield* visitor.submit(`${path(id)}/track`, {}),
            // Nor does it reveal which stores exist.
            yield* visitor.get(path(999_999))
          ]
          for (const answer of answers) {
            assert.strictEqual(answer.status, 403)
            assert.include(answer.text, 'href="https://billing.test/plans"')
            assert.notInclude(answer.text, "Behind the wall")
          }
          const account = yield* (yield* Accounts).find(who.email)
          assert.deepStrictEqual(yield* (yield* TrackedShops).list(account.id), [])
        }
      })
    )
  })

  describe("the list of stores", () => {
    it.effect("says what it is for while it is empty, in every language", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        const empty = {
          en: "You track no stores yet.",
          de: "Sie beobachten noch keine Shops.",
          fr: "Vous ne suivez encore aucune boutique.",
          es: "Aún no sigue ninguna tienda."
        }
        for (const [language, text] of Object.entries(empty)) {
          const answer = yield* inLanguage(visitor, language, "/dashboard/shops")
          assert.strictEqual(answer.status, 200)
          assert.include(read(answer), text)
          assert.notInclude(answer.text, "undefined")
        }
        assert.include(
          (yield* visitor.get("/dashboard/shops")).headers.get("content-security-policy") ?? "",
          "img-src 'self' data:;"
        )
      })
    )

    it.effect("has own stores, which cannot be untracked there, and tracked ones, which can", () =>
      Effect.gen(function* () {
        const { id: account, visitor } = yield* visit
        const own = yield* StoreRecords.addStore({ domain: "mine.com", name: "Mine" })
        const followed = yield* StoreRecords.addStore({ domain: "theirs.com", name: strange })
        yield* StoreRecords.derive
        yield* (yield* TrackedShops).add(account, "mine.com", "own")
        yield* (yield* TrackedShops).track(account, followed)
        const answer = yield* visitor.get("/dashboard/shops")
        assert.deepStrictEqual(
          Array.from(answer.text.matchAll(/data-shop-id="(\d+)"/gu), ([, id]) => Number(id)),
          [own, followed]
        )
        assert.include(answer.text, `<a href="${path(own)}">`)
        assert.notInclude(answer.text, `action="${path(own)}/untrack"`)
        assert.include(answer.text, `action="${path(followed)}/untrack"`)
        assert.notMatch(
          answer.text,
          /<script(?! type="module" src="\/assets\/)|aria-label="[^"]*<|onerror=alert\(2\)>/u
        )
        assert.include(read(answer), "2 of at most 1,000")
        const odd = yield* visitor.submit(`${path(followed)}/untrack`, { list_page: "//evil.test" })
        assert.strictEqual(odd.status, 400)
        assert.strictEqual((yield* (yield* TrackedShops).list(account)).length, 2)
      })
    )

    it.effect("finds any store by the beginnings of the words of its name and domain", () =>
      Effect.gen(function* () {
        const { id: account, visitor } = yield* visit
        const ids: Array<number> = []
        for (let index = 0; index < 27; index++)
          ids.push(yield* StoreRecords.addStore({ name: `Zebra Crossing ${index}` }))
        const [first = 0] = ids
        const other = yield* StoreRecords.addStore({ name: "Other", domain: "quagga-shop.com" })
        yield* StoreRecords.derive
        yield* (yield* TrackedShops).track(account, first)
        const answer = yield* visitor.get("/dashboard/shops?query=zebr+cross&per_page=25")
        assert.include(read(answer), "27 stores")
        assert.strictEqual(answer.text.match(/data-shop-id=/gu)?.length, 25)
        const [, next = ""] = /rel="next" href="([^"]*)"/u.exec(answer.text) ?? []
        const second = yield* visitor.get(next.replaceAll("&amp;", "&"))
        assert.strictEqual(second.text.match(/data-shop-id=/gu)?.length, 2)
        assert.strictEqual(
          [answer, second].map(({ text }) => text.split('<span class="badge good">Tracked</span>').length - 1).join(""),
          first === Math.min(...ids) ? "10" : "01"
        )
        assert.include((yield* visitor.get("/dashboard/shops?query=quagga")).text, `href="${path(other)}"`)
        assert.include(
          read(yield* visitor.get("/dashboard/shops?query=nowhereatall")),
          "No stores match all of these filters"
        )
        for (const page of ["0", "x", "99", "2147483647"]) {
          assert.strictEqual((yield* visitor.get(`/dashboard/shops?query=zebra&page=${page}`)).status, 400, page)
          assert.strictEqual((yield* visitor.get(`/dashboard/shops?page=${page}`)).status, 400, page)
        }
      })
    )

    it.effect("says in the words of the fields that one bound exceeds the other", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        const answer = yield* visitor.get("/dashboard/shops?active_ads.min=50&active_ads.max=10")
        assert.strictEqual(answer.status, 400)
        assert.include(read(answer), "Running ads: “From” (50) must not be above “to” (10).")
      })
    )

    it.effect("says what a search needs, and keeps what was typed", () =>
      Effect.gen(function* () {
        const { visitor } = yield* visit
        for (const query of ["...", "a".repeat(201), `"'<>&`.repeat(41)]) {
          const answer = yield* visitor.get(`/dashboard/shops?query=${encodeURIComponent(query)}`)
          assert.strictEqual(answer.status, 400)
          assert.include(read(answer), "This search is not valid:")
          assert.include(answer.text, 'aria-describedby="query-error"')
        }
        assert.strictEqual((yield* visitor.get("/dashboard/shops?query=&page=3&niches=")).status, 303)
        assert.strictEqual((yield* visitor.get("/dashboard/shops?query=&sort_by=recommended")).status, 303)
        assert.strictEqual(
          (yield* visitor.get(`/dashboard/shops?query=${encodeURIComponent("a".repeat(200))}`)).status,
          200
        )
        assert.strictEqual((yield* visitor.get("/dashboard/shops?query=%ff%u")).status, 200)
        assert.strictEqual((yield* visitor.get("/dashboard/shops?query=%00")).status, 400)
      })
    )
  })
})
