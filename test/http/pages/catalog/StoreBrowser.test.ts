/** The pages of stores, ads and products as people use them: by keyboard, without scripts, small and large, light and dark (D49, D52). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page, Response } from "playwright-core"
import {
  Browser,
  checker,
  isAvailable,
  looks,
  overflow,
  picture,
  violations,
  wideLooks
} from "../../../support/Browser.ts"
import { SqlClient } from "effect/sql"
import { Site } from "../../../support/Site.ts"
import { goTo } from "../../../support/Steps.ts"
import * as StoreRecords from "../../../support/StoreRecords.ts"

const services = Layer.merge(Browser.layer, Site.layer())

/** A red square. */
const image = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#b5482f"/></svg>'
)

/** Records requests to other hosts: images are answered, all else is refused. */
const watched = Effect.fnUntraced(function* (page: Page) {
  const { url } = yield* Site
  const requests: Array<{ readonly url: string; readonly referrer: string | undefined; readonly type: string }> = []
  yield* Effect.promise(() =>
    page.route(
      (address) => address.origin !== url,
      async (route) => {
        const request = route.request()
        requests.push({
          url: request.url(),
          referrer: (await request.allHeaders())["referer"],
          type: request.resourceType()
        })
        await (request.url().includes("broken")
          ? route.abort()
          : route.fulfill({ contentType: "image/svg+xml", body: image }))
      }
    )
  )
  return requests
})

type Who = { readonly email: string; readonly password: string }

const signIn = Effect.fnUntraced(function* (page: Page, path: string, account?: Who) {
  const who = account ?? (yield* (yield* Site).account())
  yield* goTo(page, `/sign-in?return_to=${encodeURIComponent(path)}`)
  yield* Effect.promise(async () => {
    await page.getByLabel("E-mail address").fill(who.email)
    await page.getByLabel("Password").fill(who.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.waitForURL(`**${path}`)
  })
})

const details = {
  description_html: "<p>Aus Eiche, von Hand geölt.</p><p>Mit Leuchtmittel.</p>",
  vendor: "Nordlicht",
  product_type: "Lampen",
  tags: ["Licht"],
  options: [{ name: "Farbe", values: ["Eiche", "Nussbaum"] }],
  variants: ["Eiche", "Nussbaum"].map((title, at) => ({
    id: null,
    title,
    sku: `L-${at}`,
    price: 31.9 + at,
    compare_at_price: at === 0 ? 39.9 : null,
    is_available: at === 0 ? true : null,
    options: [title]
  })),
  images: [0, 1, 2].map((at) => ({ url: `https://cdn.test/d${at}.svg`, width: 400, height: 400 }))
}

/** A store with all data and a history, and its newest product and ad. The product has an image that cannot be loaded. */
const wholeRecords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* StoreRecords.addNiche(1, "Home and garden")
  yield* StoreRecords.addNiche(2, "Lighting", 1)
  const id = yield* StoreRecords.addStore({
    ...StoreRecords.everyColumn,
    niche_id: 2,
    languages: ["German", "English", "Norwegian"],
    pixels: ["TikTok", "Facebook", "Google"],
    social_networks: ["Instagram", "Pinterest"],
    apps: Array.from({ length: 31 }, (_, index) => `App ${index + 1}`)
  })
  yield* StoreRecords.addTraffic(id, StoreRecords.twoYears)
  const ids = { product: 0, ad: 0 }
  for (let index = 0; index < 13; index++) {
    ids.product = yield* StoreRecords.addProduct(id, {
      title:
        index === 10 ? "Stehlampe aus Eiche mit einem sehr langen Namen, der umbrochen werden muss" : `Lampe ${index}`,
      url: index === 9 ? null : `https://store.test/products/${index}`,
      image_url: index === 11 ? null : `https://cdn.test/${index === 12 ? "broken" : index}.svg`,
      price: 19.9 + index,
      created_at: index === 8 ? null : `2026-02-${String(10 + index)}T10:00:00Z`
    })
    ids.ad = yield* StoreRecords.addAd(id, {
      page_name: index === 11 ? "N".repeat(90) : "Nordlicht",
      media_type: index % 2 === 0 ? "video" : "carousel",
      headline: index % 3 === 0 ? null : "Warmes Licht für lange Abende",
      ad_text:
        index === 12
          ? "מנורות בעבודת יד, עכשיו ב-20% הנחה."
          : "Unsere Lampen werden in Handarbeit gefertigt.\n\nJetzt mit 20 % Rabatt auf alle Stehlampen, nur für kurze Zeit und nur solange der Vorrat reicht.\nVersand in ganz Europa.",
      cta: index === 10 ? null : "Shop Now",
      image_url: index === 0 ? "http://plain.test/ad.svg" : `https://cdn.test/ad${index}.svg`,
      ad_library_url: `https://library.test/?id=${index}`,
      landing_url: index === 9 ? null : "https://store.test/",
      started_on: `2026-01-${String(10 + index)}`,
      is_partnership: index === 11
    })
  }
  yield* StoreRecords.addHistory(id, ids.product)
  yield* sql`
    UPDATE product SET details = ${JSON.stringify(details)}::jsonb WHERE id = ${ids.product}`
  yield* StoreRecords.derive
  return { id, ...ids }
}).pipe(Effect.cached, Effect.runSync)

const wholeStore = Effect.map(wholeRecords, ({ id }) => id)

/** A store without data, with a name and a domain of the maximal length. */
const bareStore = Effect.gen(function* () {
  const domain = `${["a", "b", "c"].map((letter) => letter.repeat(60)).join(".")}.com`
  const id = yield* StoreRecords.addStore({ name: `Leer${"e".repeat(200)}`, domain })
  yield* StoreRecords.derive
  return id
}).pipe(Effect.cached, Effect.runSync)

/** Waits until all images are loaded or have failed: they are loaded when they become visible. */
const seeAll = (page: Page) =>
  Effect.promise(() =>
    page.evaluate(async () => {
      for (const image of document.images) {
        image.scrollIntoView()
        await image.decode().catch(() => undefined)
      }
      scrollTo(0, 0)
    })
  )

const press = (page: Page, button: string, then: string) =>
  Effect.promise(async () => {
    await page.getByRole("button", { name: button }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL(`**${then}`)
  })

const mainText = (page: Page) => Effect.promise(() => page.innerText("main"))

describe.skipIf(!isAvailable())("stores in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)("pages pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const [{ ad, id: whole, product }, bare] = [yield* wholeRecords, yield* bareStore]
        const page = yield* (yield* Browser).open(look)
        yield* watched(page)
        const check = (name: string) => Effect.andThen(seeAll(page), checker(page, look)(name))
        yield* signIn(page, "/dashboard/shops")
        yield* check("stores-empty")
        yield* goTo(page, `/dashboard/shops/${whole}`)
        yield* check("store")
        yield* press(page, "Track this store", "?done=tracked")
        yield* Effect.promise(async () => {
          for (const summary of await page.locator("main summary").all()) await summary.click()
        })
        yield* check("store-tracked")
        yield* goTo(page, `/dashboard/shops/${bare}`)
        yield* check("store-bare")
        yield* goTo(page, `/dashboard/ads/${ad}`)
        yield* check("ad")
        yield* goTo(page, `/dashboard/products/${product}`)
        yield* check("product-tracked")
        yield* goTo(page, `/dashboard/shops/${whole}`)
        yield* press(page, "Stop tracking", "?done=untracked")
        yield* goTo(page, `/dashboard/products/${product}`)
        yield* check("product")
        yield* goTo(page, `/dashboard/shops/${whole}`)
        yield* press(page, "Track this store", "?done=tracked")
        yield* goTo(page, `/dashboard/shops/${bare}`)
        yield* press(page, "Track this store", "?done=tracked")
        yield* goTo(page, "/dashboard/shops")
        yield* check("stores")
        yield* goTo(page, "/dashboard/shops?query=nordlicht")
        yield* check("stores-found")
        yield* goTo(page, "/dashboard/shops?countries=DE&monthly_visits.min=1&sort_by=traffic")
        yield* check("stores-filtered")
        yield* goTo(page, "/dashboard/shops?query=nowhere")
        yield* check("stores-not-found")
        yield* goTo(page, "/dashboard/shops?query=...")
        yield* check("stores-bad-query")
        yield* goTo(page, "/dashboard/shops/999999")
        yield* check("store-missing")
      })
    )

    it.effect("pages fit at 320 pixels, in German", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const page = yield* (yield* Browser).open({ width: 320 })
        yield* watched(page)
        yield* signIn(page, "/dashboard/shops")
        yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": "de-AT" }))
        for (const path of [`/${yield* wholeStore}`, `/${yield* bareStore}`, "", "?query=nordlicht"]) {
          yield* Effect.promise(() => page.goto(`${url}/dashboard/shops${path}`))
          assert.isAtMost(yield* overflow(page), 0, path)
          yield* picture(page, `german-${path.replaceAll(/\W/gu, "-")}`)
        }
      })
    )

    it.effect.each([true, false])(
      "what a figure means is shown on focus and on hover, with scripts: %s",
      (javaScript) =>
        Effect.gen(function* () {
          const page = yield* (yield* Browser).open({ javaScript, width: 390 })
          yield* watched(page)
          yield* signIn(page, `/dashboard/shops/${yield* wholeStore}`)
          const meaning = page.locator("#growth-meaning")
          const [term, other] = [page.getByText("Traffic growth", { exact: true }), page.getByText("Visits a month")]
          yield* Effect.promise(async () => {
            assert.isFalse(await meaning.isVisible())
            await term.focus()
            assert.isTrue(await meaning.isVisible())
            assert.include(await meaning.innerText(), "Sum of the monthly changes in visits")
            await other.focus()
            assert.isFalse(await meaning.isVisible())
            await term.hover()
            assert.isTrue(await meaning.isVisible())
          })
          assert.isAtMost(yield* overflow(page), 0)
          yield* picture(page, `meaning-${javaScript}`)
          // axe is a script.
          if (javaScript) assert.deepStrictEqual(yield* violations(page), [])
        })
    )

    it.effect("a visitor without the plan gets a link to billing", () =>
      Effect.gen(function* () {
        const site = yield* Site
        for (const look of looks) {
          const page = yield* (yield* Browser).open(look)
          yield* signIn(page, `/dashboard/shops/${yield* wholeStore}`, yield* site.account({ status: "unpaid" }))
          assert.strictEqual(yield* Effect.promise(() => page.innerText("h1")), "Choose a plan to see this")
          yield* picture(page, `upgrade-${look.width}-${look.scheme}`)
          assert.deepStrictEqual(yield* violations(page), [])
          assert.isAtMost(yield* overflow(page), 0)
        }
      })
    )

    it.effect.each([true, false])("the keyboard tracks a store and stops tracking it, with scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const id = yield* wholeStore
        const page = yield* (yield* Browser).open({ javaScript })
        yield* watched(page)
        yield* signIn(page, `/dashboard/shops/${id}`)
        yield* press(page, "Track this store", "?done=tracked")
        assert.strictEqual(
          yield* Effect.promise(() => page.getByRole("status").innerText()),
          "You track this store now. get_product works for its products at once."
        )
        yield* press(page, "Stop tracking", "?done=untracked")
        assert.include(yield* Effect.promise(() => page.getByRole("status").innerText()), "You no longer track")

        yield* press(page, "Track this store", "?done=tracked")
        yield* Effect.promise(async () => {
          await page.getByRole("navigation").getByRole("link", { name: "Stores" }).focus()
          await page.keyboard.press("Enter")
          await page.waitForURL("**/dashboard/shops")
          await page.getByLabel("Search", { exact: true }).fill("nordlicht-lampen.com")
          await page.keyboard.press("Enter")
          await page.waitForURL("**/dashboard/shops?query=nordlicht-lampen.com")
          await page.getByRole("link", { name: "Nordlicht Lampen" }).click()
          await page.waitForURL(`**/dashboard/shops/${id}`)
        })
        yield* goTo(page, "/dashboard/shops")
        assert.include(yield* mainText(page), "Nordlicht Lampen")
        yield* press(page, "Stop tracking Nordlicht Lampen", "/dashboard/shops?page=1&done=untracked")
        assert.include(yield* mainText(page), "You track no stores yet.")
      })
    )

    it.effect("requests to other hosts are only for visible images, over TLS and without a referrer", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const id = yield* wholeStore
        const page = yield* (yield* Browser).open()
        const errors: Array<string> = []
        page.on("pageerror", ({ message }) => void errors.push(message))
        const requests = yield* watched(page)
        yield* signIn(page, `/dashboard/shops/${id}`)
        yield* seeAll(page)
        assert.sameMembers(
          requests.map(({ url }) => url),
          [12, 10, 9, 7, 6, 5, 4, 3, 2, 1, 0]
            .map((index) => `https://cdn.test/${index === 12 ? "broken" : index}.svg`)
            .concat(Array.from({ length: 12 }, (_, index) => `https://cdn.test/ad${index + 1}.svg`))
        )
        for (const { referrer, type } of requests) assert.deepStrictEqual([referrer, type], [undefined, "image"])
        assert.deepStrictEqual(errors, [])
        // Nor does a link send a referrer.
        yield* Effect.promise(() => page.getByRole("link", { name: "nordlicht-lampen.com" }).click())
        yield* Effect.promise(() => page.waitForURL("https://nordlicht-lampen.com/"))
        assert.deepStrictEqual(
          requests.slice(-1).map(({ referrer, url }) => [url, referrer]),
          [["https://nordlicht-lampen.com/", undefined]]
        )
        assert.notStrictEqual(new URL(page.url()).origin, site.url)
      })
    )

    it.effect.each([true, false])("a broken image leaves the placeholder visible, with scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const id = yield* wholeStore
        const page = yield* (yield* Browser).open({ javaScript })
        yield* watched(page)
        yield* signIn(page, `/dashboard/shops/${id}`)
        yield* seeAll(page)
        /** Whether it looks as it would without its image. */
        const isBare = (place: number) =>
          Effect.promise(async () => {
            const picture = page.locator("[data-product-id] .picture").nth(place)
            await picture.scrollIntoViewIfNeeded()
            const { height, width, x, y } = (await picture.boundingBox()) ?? assert.fail()
            // The corners are excluded, because their edges are antialiased.
            const clip = { x: x + 12, y: y + 12, width: width - 24, height: height - 24 }
            const before = await page.screenshot({ clip })
            await picture.locator("img").evaluate((image) => image.remove())
            return before.equals(await page.screenshot({ clip }))
          })
        // The first one's image is broken, the third one's is not.
        assert.deepStrictEqual([yield* isBare(0), yield* isBare(2)], [true, false])
      })
    )

    it.effect("a page without its images weighs at most 150 KB", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const id = yield* wholeStore
        const page = yield* (yield* Browser).open()
        yield* watched(page)
        yield* signIn(page, "/dashboard/shops")
        const responses: Array<Response> = []
        const other = yield* Effect.promise(() => page.context().newPage())
        other.on("response", (response) => {
          if (response.url().startsWith(url)) responses.push(response)
        })
        yield* watched(other)
        yield* Effect.promise(() => other.goto(`${url}/dashboard/shops/${id}`, { waitUntil: "networkidle" }))
        let sum = 0
        for (const response of responses) {
          const { responseBodySize, responseHeadersSize } = yield* Effect.promise(() => response.request().sizes())
          sum += responseBodySize + responseHeadersSize
        }
        assert.isAbove(sum, 20_000)
        assert.isBelow(sum, 150_000)
      })
    )
  })
})
