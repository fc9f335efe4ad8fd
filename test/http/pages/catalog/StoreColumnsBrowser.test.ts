/** D119 the table of stores in a browser: heads that sort, columns that are chosen and kept, and nothing that is cut. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { languages } from "../../../../src/domain/Messages.ts"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { Browser, isAvailable, overflow, picture, violations } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { at, enterAs, goTo, leave } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

const open = Effect.fnUntraced(function* (javaScript = true) {
  const visitor = yield* Effect.flatMap(Site, (site) => Effect.flatMap(site.account(), SiteVisitor.signedIn))
  const page = yield* (yield* Browser).open({ javaScript })
  yield* enterAs(page, visitor)
  return page
})

const heads = (page: Page) => Effect.promise(() => page.locator(".stores thead th").allInnerTexts())

/** Texts that are beyond their cell, and a table that is wider than its place without a way to see the rest. */
const cut = (page: Page) =>
  page.evaluate(() => {
    const slack = 1
    const found: Array<string> = []
    for (const cell of document.querySelectorAll<HTMLElement>(".stores :is(th, td)")) {
      if (cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + slack) found.push(cell.innerText)
    }
    const place = document.querySelector<HTMLElement>(".table")
    if (place === null) return ["no table"]
    const windowWidth = document.documentElement.clientWidth
    if (place.getBoundingClientRect().right > windowWidth + slack) found.push("the table is beyond the window")
    if (place.scrollWidth <= place.clientWidth + slack) return found
    const canFocus = place.tabIndex === 0 && place.role === "region" && place.ariaLabel !== null
    if (!canFocus || getComputedStyle(place).overflowX !== "auto") found.push("the table does not scroll")
    place.scrollLeft = place.scrollWidth
    const edges = place.getBoundingClientRect()
    const row = Array.from(document.querySelectorAll(".stores tbody tr:first-child > *"), (cell) =>
      cell.getBoundingClientRect()
    )
    if ((row.at(-1)?.right ?? Infinity) > edges.right + slack) found.push("the last column is never in sight")
    if ((row[0]?.left ?? -Infinity) < edges.left - slack) found.push("the names scroll away")
    return found
  })

describe.skipIf(!isAvailable())("the table of stores in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each([true, false])("D119 heads sort, first the highest, then the other way, scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const page = yield* open(javaScript)
        yield* goTo(page, `${sections.stores}?query=a&page=1`)
        const head = page.getByRole("columnheader", { name: "Revenue a month" })
        const sorted = () => Effect.promise(() => head.getAttribute("aria-sort"))
        assert.isNull(yield* sorted())
        yield* leave(page, () => head.getByRole("link").click())
        assert.strictEqual(at(page), `${sections.stores}?query=a&sort_by=revenue`)
        assert.strictEqual(yield* sorted(), "descending")
        yield* leave(page, async () => {
          await head.getByRole("link").focus()
          await page.keyboard.press("Enter")
        })
        assert.strictEqual(at(page), `${sections.stores}?query=a&sort_by=revenue&sort_order=asc`)
        assert.strictEqual(yield* sorted(), "ascending")
        assert.strictEqual(yield* Effect.promise(() => page.locator("[aria-sort]").count()), 1)
        yield* leave(page, () => head.getByRole("link").click())
        assert.strictEqual(at(page), `${sections.stores}?query=a&sort_by=revenue`)
      })
    )

    it.effect.each([true, false])("D119 columns are chosen and kept, scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const page = yield* open(javaScript)
        const search = `${sections.stores}?query=a&sort_by=revenue`
        yield* goTo(page, search)
        const usual = ["Store", "Country", "Visits a month", "Growth", "Revenue a month", "Running ads"]
        assert.deepStrictEqual(yield* heads(page), usual)
        const choose = (...changed: ReadonlyArray<string>) =>
          leave(page, async () => {
            await page.locator(".columns > summary").click()
            for (const name of changed) await page.locator(".columns").getByLabel(name, { exact: true }).click()
            await page.getByRole("button", { name: "Show these columns" }).click()
          })
        yield* choose("Country", "Growth", "Average price")
        assert.strictEqual(at(page), search)
        const chosen = ["Store", "Visits a month", "Revenue a month", "Running ads", "Average price"]
        assert.deepStrictEqual(yield* heads(page), chosen)
        // In every search, and where the browser comes back.
        yield* goTo(page, `${sections.stores}?sort_by=newest`)
        assert.deepStrictEqual(yield* heads(page), chosen)
        yield* choose("Visits a month", "Revenue a month", "Running ads", "Average price")
        assert.deepStrictEqual(yield* heads(page), ["Store"])
        const cookie = (yield* Effect.promise(() => page.context().cookies())).find(
          ({ name }) => name === "discovery-columns"
        )
        assert.deepInclude(cookie, { value: "", httpOnly: true, sameSite: "Lax", path: sections.stores })
        // A column that does not exist is refused as any other part of an address is.
        yield* goTo(page, `${search}&columns=shoes`)
        assert.include(yield* Effect.promise(() => page.locator(".problems").innerText()), "columns")
      })
    )

    it.effect("D119 no part of a table with all columns is cut, in any language, at any width", () =>
      Effect.gen(function* () {
        const page = yield* open()
        const all = ["country", "visits", "growth", "revenue", "orders", "active_ads", "products_count"]
        const more = ["avg_price", "rating", "reviews", "created"]
        const problems: Array<string> = []
        for (const columns of [[], [...all, ...more]]) {
          const { url } = yield* Site
          if (columns.length > 0) {
            const value = columns.join(".")
            yield* Effect.promise(() => page.context().addCookies([{ name: "discovery-columns", value, url }]))
          }
          for (const language of languages) {
            yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
            yield* goTo(page, `${sections.stores}?sort_by=revenue`)
            assert.lengthOf(yield* heads(page), columns.length === 0 ? 6 : 12)
            for (const width of [390, 768, 1280, 1920]) {
              yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
              yield* picture(page, `columns-${columns.length}-${language}-${width}`)
              const found = yield* Effect.promise(() => cut(page))
              problems.push(...found.map((text) => `${language} ${width} ${columns.length}: ${text}`))
              if ((yield* overflow(page)) > 0) problems.push(`${language} ${width}: the page is too wide`)
            }
          }
        }
        assert.deepStrictEqual(problems, [])
        yield* Effect.promise(() => page.locator(".columns > summary").click())
        assert.deepStrictEqual(yield* violations(page), [])
      })
    )
  })
})
