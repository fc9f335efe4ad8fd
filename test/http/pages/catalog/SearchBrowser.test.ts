/** The Ads page and the Products page as people use them: without scripts, by keyboard, small and large (D48, D52). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import * as DemoPictures from "../../../../src/domain/catalog/PictureNames.ts"
import { adsPath } from "../../../../src/http/pages/catalog/AdsPage.ts"
import { productsPath } from "../../../../src/http/pages/catalog/ProductsPage.ts"
import { Browser, checker, isAvailable, overflow, picture, wideLooks } from "../../../support/Browser.ts"
import type { Look } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import { goTo, leave } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

const at = (page: Page) => {
  const { pathname, search } = new URL(page.url())
  return pathname + search
}

/** The window of a signed-in person, and its requests to other hosts and for pictures of the catalog. */
const open = Effect.fnUntraced(function* (look: Look = {}) {
  const site = yield* Site
  const who = yield* site.account()
  const page = yield* (yield* Browser).open(look)
  const asked: Array<{ readonly type: string; readonly referrer: string | undefined }> = []
  yield* Effect.promise(async () => {
    await page.route(
      (address) => address.origin !== site.url || DemoPictures.isPath(address.pathname),
      async (route) => {
        const request = route.request()
        asked.push({ type: request.resourceType(), referrer: (await request.allHeaders())["referer"] })
        await (new URL(request.url()).origin === site.url ? route.continue() : route.abort())
      }
    )
    await page.goto(`${site.url}/sign-in`)
    await page.getByLabel("E-mail address").fill(who.email)
    await page.getByLabel("Password").fill(who.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.waitForURL("**/dashboard")
  })
  return { page, asked }
})

/** The control of a value of a list; its label ends with a number. */
const choice = (page: Page, name: string, value: string) => page.locator(`[name="${name}"][value="${value}"]`)

/** Opens a group of filters. */
const group = (page: Page, title: string) =>
  page.locator("details.filter > summary", { hasText: new RegExp(`^${title}`, "u") })

const idsOn = (page: Page) =>
  Effect.promise(() => page.locator("[data-ad-id]").evaluateAll((all) => all.map((each) => each.dataset["adId"])))

const filtered =
  `${adsPath}?query=a&countries=US&countries=GB&countries=DE&languages=English&monthly_visits.min=1000` +
  "&media_types=video&media_types=image&status=active&ad_started_between.from=2020-01-01&sort_by=newest&page=2"

describe.skipIf(!isAvailable())("searches in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)(
      "pages pass axe and fit at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const { asked, page } = yield* open(look)
          const check = Effect.fnUntraced(function* (name: string, path: string) {
            yield* goTo(page, path)
            // The filters where they are collapsed, and the tool call.
            if (name === "ads-filtered") {
              yield* Effect.promise(() => page.locator(".tool-call > summary").click())
              if (look.width < 992) yield* Effect.promise(() => page.locator(".filters > summary").click())
            }
            yield* checker(page, look)(name)
          })
          yield* check("ads", adsPath)
          yield* check("ads-filtered", filtered)
          yield* check(
            "ads-empty",
            `${adsPath}?countries=AQ&apps=Unheard+Of&monthly_revenue.min=5&monthly_revenue.max=6`
          )
          yield* check(
            "ads-wrong",
            `${adsPath}?page=21&monthly_revenue.min=x&countries=UK&niches=Petz&ad_started_between.from=2026-02-31&utm=1`
          )
          yield* check("products", `${productsPath}?niches=Pets&sort_by=price`)
          assert.isAbove(asked.length, 0)
          for (const request of asked) assert.deepStrictEqual(request, { type: "image", referrer: undefined })
        }),
      600_000
    )

    it.effect.each(["de", "fr", "es"])("pages fit in the language %s", (language) =>
      Effect.gen(function* () {
        for (const width of [390, 992, 1280]) {
          const { page } = yield* open({ width })
          yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
          for (const path of [adsPath, filtered, `${adsPath}?countries=AQ`, `${adsPath}?page=x&countries=UK`]) {
            yield* goTo(page, path)
            assert.strictEqual(yield* Effect.promise(() => page.locator("html").getAttribute("lang")), language)
            yield* picture(page, `${language}-${path.length}-${width}`)
            assert.isAtMost(yield* overflow(page), 0, `${path} at ${width}`)
          }
        }
      })
    )

    it.effect.each([true, false])("a search is made, narrowed, widened and paged, scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const { page } = yield* open({ javaScript })
        yield* goTo(page, adsPath)
        yield* leave(page, async () => {
          await page.getByLabel("Search", { exact: true }).fill("a")
          await page.getByLabel("Sort by").selectOption("newest")
          await group(page, "Countries").click()
          await choice(page, "countries", "US").check()
          await choice(page, "countries", "DE").check()
          await group(page, "Store figures").click()
          await page.locator('[name="monthly_visits.min"]').fill("1")
          await group(page, "Domain endings").click()
          await page.locator('textarea[name="domains"]').fill(".com\n.de\n.us\n")
          // With scripts a filter applies when it is changed (D119).
          await page.getByRole("button", { name: javaScript ? "Search" : "Apply filters", exact: true }).click()
        })
        assert.strictEqual(
          at(page),
          `${adsPath}?query=a&countries=US&countries=DE&domains=.com&domains=.de&domains=.us&monthly_visits.min=1&sort_by=newest`
        )
        const first = yield* idsOn(page)
        assert.strictEqual(first.length, 12)
        // All input is kept.
        assert.isTrue(yield* Effect.promise(() => choice(page, "countries", "DE").isChecked()))
        assert.strictEqual(
          yield* Effect.promise(() => page.locator('textarea[name="domains"]').inputValue()),
          ".com\n.de\n.us"
        )

        yield* leave(page, () => page.getByRole("link", { name: "Next" }).click())
        assert.strictEqual(new URL(page.url()).searchParams.get("page"), "2")
        const second = yield* idsOn(page)
        assert.deepStrictEqual(
          first.filter((id) => second.includes(id)),
          []
        )
        yield* leave(page, () => page.getByRole("link", { name: "Previous" }).click())
        assert.deepStrictEqual(yield* idsOn(page), first)
        yield* leave(page, () => page.getByRole("link", { name: "Remove: Countries: Germany" }).click())
        assert.deepStrictEqual(new URL(page.url()).searchParams.getAll("countries"), ["US"])
        yield* leave(page, () => page.getByRole("link", { name: "Clear all" }).click())
        assert.strictEqual(at(page), `${adsPath}?sort_by=newest`)
      })
    )

    it.effect("a list is filtered while typing, in any case and without accents, and keeps what is chosen", () =>
      Effect.gen(function* () {
        const { page } = yield* open()
        yield* goTo(page, `${adsPath}?countries=FR`)
        const shown = async () => {
          const labels = await page.locator("#countries-list label:visible").allInnerTexts()
          return labels.map((label) => label.replace(/\s+[\d,]+$/u, ""))
        }
        const find = page.getByLabel("Find in this list: Countries")
        assert.strictEqual(yield* Effect.promise(async () => (await shown())[0]), "France")
        yield* Effect.promise(() => find.fill("CURACAO"))
        assert.deepStrictEqual(yield* Effect.promise(shown), ["Curaçao"])
        yield* Effect.promise(async () => {
          await page.getByRole("checkbox", { name: /^Curaçao \d/u }).check()
          await find.press("Enter")
          await find.fill("no country like it")
        })
        assert.deepStrictEqual(yield* Effect.promise(shown), [])
        assert.strictEqual(at(page), `${adsPath}?countries=FR`)
        yield* leave(page, () => page.getByRole("button", { name: "Search", exact: true }).click())
        assert.strictEqual(at(page), `${adsPath}?countries=FR&countries=CW`)
        // Without scripts, there is no field to filter the list.
        const plain = (yield* open({ javaScript: false })).page
        yield* goTo(plain, `${adsPath}?countries=FR`)
        assert.isFalse(yield* Effect.promise(() => plain.getByPlaceholder("Find in this list").first().isVisible()))
        assert.isFalse(yield* Effect.promise(() => plain.getByRole("button", { name: "Copy" }).isVisible()))
      })
    )

    it.effect("the keyboard alone searches, opens a group, chooses, and reaches the results", () =>
      Effect.gen(function* () {
        const { page } = yield* open()
        yield* goTo(page, productsPath)
        yield* leave(page, async () => {
          await page.getByLabel("Search", { exact: true }).focus()
          await page.keyboard.type("a")
          await group(page, "Pixels").focus()
          await page.keyboard.press("Enter")
          await page.keyboard.press("Tab")
          await page.keyboard.press("Space")
          await page.keyboard.press("Enter")
        })
        assert.strictEqual(at(page), `${productsPath}?query=a&pixels=Google`)
        yield* leave(page, async () => {
          await page.getByRole("link", { name: "Remove: Pixels: Google" }).focus()
          await page.keyboard.press("Enter")
        })
        assert.strictEqual(at(page), `${productsPath}?query=a`)
      })
    )

    it.effect("at 390 pixels the filters are collapsed, and the results are visible", () =>
      Effect.gen(function* () {
        const { page } = yield* open({ width: 390 })
        yield* goTo(page, `${adsPath}?countries=US`)
        const country = choice(page, "countries", "US")
        assert.isFalse(yield* Effect.promise(() => country.isVisible()))
        assert.isTrue(yield* Effect.promise(() => page.locator("[data-ad-id]").first().isVisible()))
        yield* Effect.promise(() => page.locator(".filters > summary").click())
        assert.isTrue(yield* Effect.promise(() => country.isVisible()))
        // Fields with errors are never hidden.
        yield* goTo(page, `${adsPath}?monthly_visits.min=x`)
        assert.isTrue(yield* Effect.promise(() => page.locator('[name="monthly_visits.min"]').isVisible()))
      })
    )

    it.effect("the tool call is copied unchanged", () =>
      Effect.gen(function* () {
        const { page } = yield* open()
        yield* goTo(page, filtered)
        yield* Effect.promise(() => page.context().grantPermissions(["clipboard-read", "clipboard-write"]))
        const copied = yield* Effect.promise(async () => {
          await page.getByText("Copy as tool call").click()
          await page.getByRole("button", { name: "Copy" }).click()
          await page.getByRole("button", { name: "Copied" }).waitFor()
          return page.evaluate(() => navigator.clipboard.readText())
        })
        assert.deepStrictEqual(JSON.parse(copied), {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "search_ads",
            arguments: {
              query: "a",
              countries: ["US", "GB", "DE"],
              languages: ["English"],
              monthly_visits: { min: 1000 },
              media_types: ["video", "image"],
              status: "active",
              ad_started_between: { from: "2020-01-01" },
              sort_by: "newest",
              page: 2,
              per_page: 12
            }
          }
        })
      })
    )
  })
})
