/** D119 the search pages as people use them: where results begin, quick filters, filters that apply themselves, and keys. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { languages } from "../../../../src/domain/Messages.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { Browser, isAvailable, overflow, picture } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { at, enterAs, goTo, leave } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

/** A signed-in person. */
const open = Effect.fnUntraced(function* (javaScript = true) {
  const visitor = yield* Effect.flatMap(Site, (site) => Effect.flatMap(site.account(), SiteVisitor.signedIn))
  const page = yield* (yield* Browser).open({ javaScript })
  page.setDefaultTimeout(15_000)
  yield* enterAs(page, visitor)
  return page
})

/** Where the first result begins, in pixels of the page. */
const firstResult = (page: Page) =>
  Effect.promise(() =>
    page
      .locator("[data-ad-id], [data-product-id], [data-shop-id], [data-group]")
      .first()
      .evaluate((result) => result.getBoundingClientRect().top + window.scrollY)
  )

/** Windows, and the pixel above which results begin. A window at twice its size has half as many pixels. */
const windows = [
  { width: 1280, height: 800, most: 300 },
  { width: 1920, height: 1080, most: 300 },
  { width: 390, height: 844, most: 844 },
  { width: 640, height: 360, most: 360 }
]

const searches = [
  sections.ads,
  `${sections.ads}?status=active`,
  `${sections.ads}?query=a&media_types=video`,
  sections.products,
  `${sections.products}?query=a`,
  `${sections.stores}?sort_by=revenue`,
  `${sections.stores}?traffic_growth_pct.min=10`,
  sections.market
]

describe.skipIf(!isAvailable())("the layout of searches in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect("D119 results begin at the top of a page in every language", () =>
      Effect.gen(function* () {
        const page = yield* open()
        const late: Array<string> = []
        for (const language of languages) {
          yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
          for (const search of searches) {
            yield* goTo(page, search)
            for (const { height, most, width } of windows) {
              yield* Effect.promise(() => page.setViewportSize({ width, height }))
              const top = yield* firstResult(page)
              yield* picture(page, `layout-${language}-${width}${search.replaceAll(/\W+/gu, "-")}`)
              if (top > most) late.push(`${language} ${width} ${search}: ${top}`)
              assert.isAtMost(yield* overflow(page), 0, `${language} ${width} ${search}`)
            }
          }
        }
        assert.deepStrictEqual(late, [])
      })
    )

    it.effect("D119 a page uses 1,600 pixels of a wide window, in full rows of cards", () =>
      Effect.gen(function* () {
        const page = yield* open()
        yield* Effect.promise(() => page.setViewportSize({ width: 1920, height: 1080 }))
        yield* goTo(page, sections.ads)
        const { columns, count, width } = yield* Effect.promise(() =>
          page.locator(".cards").evaluate((cards) => ({
            columns: getComputedStyle(cards).gridTemplateColumns.split(" ").length,
            count: cards.childElementCount,
            width: document.querySelector("main")?.getBoundingClientRect().width
          }))
        )
        assert.deepStrictEqual({ columns, count, width }, { columns: 4, count: 12, width: 1600 })
      })
    )

    it.effect.each([true, false])("D119 quick filters set a filter and take it away, scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const page = yield* open(javaScript)
        const quick = page.getByRole("navigation", { name: "Quick filters" })
        yield* goTo(page, `${sections.ads}?query=a&page=2`)
        yield* leave(page, () => quick.getByRole("link", { name: "Video" }).click())
        assert.strictEqual(at(page), `${sections.ads}?query=a&media_types=video`)
        yield* leave(page, () => quick.getByRole("link", { name: "Running" }).click())
        assert.strictEqual(at(page), `${sections.ads}?query=a&media_types=video&status=active`)
        yield* leave(page, () => quick.getByRole("link", { name: "Remove: Video" }).click())
        assert.strictEqual(at(page), `${sections.ads}?query=a&status=active`)
        // A filter in use is shown once.
        assert.strictEqual(yield* Effect.promise(() => page.locator(".chip", { hasText: "Running" }).count()), 1)
        yield* leave(page, () => quick.getByRole("link", { name: "New: 7 days" }).click())
        assert.match(at(page), /[?&]ad_started_between\.from=\d{4}-\d\d-\d\d$/u)
        yield* leave(page, () => page.getByRole("link", { name: "Clear all" }).click())
        assert.strictEqual(at(page), sections.ads)
      })
    )

    it.effect("D119 a filter applies when it is changed, and the focus, the place and the input stay", () =>
      Effect.gen(function* () {
        const page = yield* open()
        let asked = 0
        page.on("request", (request) => {
          // The address of the form redirects to the one that can be shared.
          if (request.resourceType() === "fetch" && request.redirectedFrom() === null) asked++
        })
        yield* goTo(page, `${sections.stores}?sort_by=revenue`)
        const settled = (search: string) =>
          Effect.promise(async () => {
            await page.waitForURL((url) => url.pathname + url.search === search)
            await page.locator(".results:not([data-state])").waitFor()
          })
        const total = () => page.locator(".total").innerText()
        const all = yield* Effect.promise(total)
        const min = page.locator('[name="monthly_visits.min"]')
        const place = yield* Effect.promise(async () => {
          await page.locator("details.filter > summary", { hasText: "Store figures" }).click()
          await min.scrollIntoViewIfNeeded()
          await min.focus()
          await page.keyboard.type("1000")
          const place = await page.evaluate(() => window.scrollY)
          await page.keyboard.press("Tab")
          await page.keyboard.type("90000")
          return place
        })
        yield* settled(`${sections.stores}?monthly_visits.min=1000&sort_by=revenue`)
        // One request for the field that was left; the one that is being typed in asks nothing.
        assert.strictEqual(asked, 1)
        const fewer = yield* Effect.promise(total)
        assert.notStrictEqual(fewer, all)
        const max = page.locator('[name="monthly_visits.max"]')
        assert.isTrue(yield* Effect.promise(() => max.evaluate((field) => field === document.activeElement)))
        assert.strictEqual(yield* Effect.promise(() => max.inputValue()), "90000")
        assert.strictEqual(yield* Effect.promise(() => page.evaluate(() => window.scrollY)), place)

        yield* Effect.promise(() => page.keyboard.press("Tab"))
        const both = `${sections.stores}?monthly_visits.min=1000&monthly_visits.max=90000&sort_by=revenue`
        yield* settled(both)
        const told = yield* Effect.promise(() => page.locator("form p[role=status]").innerText())
        assert.strictEqual(told, yield* Effect.promise(total))
        // The same page as by the address, with the same numbers.
        const numbers = () => page.locator(".filters .options label, .filters summary").allInnerTexts()
        const shown = (yield* Effect.promise(numbers)).toSorted()
        const here = yield* Effect.promise(total)
        yield* Effect.promise(() => page.reload())
        assert.strictEqual(at(page), both)
        assert.strictEqual(yield* Effect.promise(total), here)
        assert.deepStrictEqual((yield* Effect.promise(numbers)).toSorted(), shown)
        // Back through the searches.
        yield* Effect.promise(() => page.goBack())
        yield* settled(`${sections.stores}?monthly_visits.min=1000&sort_by=revenue`)
        assert.strictEqual(yield* Effect.promise(total), fewer)
      })
    )

    it.effect("D119 a filter that is refused leads to the page that says why", () =>
      Effect.gen(function* () {
        const page = yield* open()
        yield* goTo(page, `${sections.ads}?query=a`)
        yield* leave(page, async () => {
          await page.locator("details.filter > summary", { hasText: "Store figures" }).click()
          await page.locator('[name="monthly_visits.min"]').fill("many")
          await page.locator('[name="monthly_visits.max"]').focus()
        })
        assert.strictEqual(new URL(page.url()).searchParams.get("monthly_visits.min"), "many")
        yield* Effect.promise(() => page.locator(".problems").waitFor())
      })
    )

    it.effect("D119 the key / moves to the search, except where somebody types, and can be turned off", () =>
      Effect.gen(function* () {
        const page = yield* open()
        yield* goTo(page, sections.products)
        const search = page.getByLabel("Search", { exact: true })
        const hasFocus = () => search.evaluate((field) => field === document.activeElement)
        const key = page.getByRole("button", { name: "Shortcut / to the search field: on or off" })
        yield* Effect.promise(() => page.keyboard.press("/"))
        assert.isTrue(yield* Effect.promise(hasFocus))
        assert.strictEqual(yield* Effect.promise(() => search.getAttribute("aria-keyshortcuts")), "/")
        yield* Effect.promise(() => page.keyboard.type("a/b"))
        assert.strictEqual(yield* Effect.promise(() => search.inputValue()), "a/b")
        yield* Effect.promise(async () => {
          await key.click()
          await page.keyboard.press("/")
        })
        assert.isFalse(yield* Effect.promise(hasFocus))
        assert.strictEqual(yield* Effect.promise(() => key.getAttribute("aria-pressed")), "false")
        const plain = yield* open(false)
        yield* goTo(plain, sections.products)
        assert.isFalse(yield* Effect.promise(() => plain.locator("button[data-key]").isVisible()))
      })
    )
  })
})
