/** The Market page as people use it: without scripts, by keyboard, small and large (D52, D66). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sections } from "../../../../src/http/pages/shared/Layout.ts"
import { Browser, checker, isAvailable, overflow, wideLooks } from "../../../support/Browser.ts"
import type { Look } from "../../../support/Browser.ts"
import * as Catalogs from "../../../support/Catalogs.ts"
import { Site } from "../../../support/Site.ts"
import { goTo, leave } from "../../../support/Steps.ts"

const path = sections.market

/** So many filters that the groups have buttons instead of links. */
const manyFilters = new URLSearchParams(
  [".com", ".de", ".co.uk", ".fr", ...Array.from({ length: 45 }, (_, index) => `.${"long".repeat(14)}${index}`)].map(
    (ending) => ["domains", ending]
  )
).toString()

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogs.demo("tiny"), Site.layer()))

const open = Effect.fnUntraced(function* (look: Look = {}) {
  const site = yield* Site
  const who = yield* site.account()
  const page = yield* (yield* Browser).open(look)
  yield* Effect.promise(async () => {
    await page.goto(`${site.url}/sign-in`)
    await page.getByLabel("E-mail address").fill(who.email)
    await page.getByLabel("Password").fill(who.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.waitForURL("**/dashboard")
  })
  return page
})

describe.skipIf(!isAvailable())("the market in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(wideLooks)(
      "passes axe and fits at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const page = yield* open(look)
          for (const [name, query] of [
            ["market", ""],
            ["market-apps", "?group_by=app&sort_by=median_growth&limit=50&countries=US&countries=DE"],
            ["market-buttons", `?group_by=country&${manyFilters}`],
            ["market-none", "?countries=AQ"],
            ["market-wrong", "?group_by=color&limit=99&countries=UK"]
          ] as const) {
            yield* goTo(page, path + query)
            yield* checker(page, look)(name)
          }
        }),
      600_000
    )

    it.effect("leads from a group to its stores and their ads, in every language", () =>
      Effect.gen(function* () {
        const page = yield* open({ javaScript: false, width: 390 })
        yield* goTo(page, path)
        yield* leave(page, async () => {
          await page.locator(".choices > summary").click()
          await page.getByLabel("Group by").selectOption("country")
          await page.getByLabel("Sort by").selectOption("active_ads")
          await page.getByRole("button", { name: "Show" }).click()
        })
        assert.include(page.url(), `${path}?group_by=country&sort_by=active_ads`)
        const first = page.locator("tr[data-group]").first()
        const stores = first.locator('td a[href^="/dashboard/shops?"]')
        const storeCount = yield* Effect.promise(() => stores.innerText())
        yield* leave(page, () => stores.click())
        assert.match(page.url(), /\/dashboard\/shops\?countries=[A-Z]{2}$/)
        assert.include(yield* Effect.promise(() => page.locator(".total").innerText()), `${storeCount} stores`)
        yield* Effect.promise(() => page.goBack())
        const ads = first.locator('td a[href^="/dashboard/ads?"]')
        const count = yield* Effect.promise(() => ads.innerText())
        yield* leave(page, () => ads.click())
        assert.match(page.url(), /\/dashboard\/ads\?countries=[A-Z]{2}&status=active$/)
        assert.include(yield* Effect.promise(() => page.locator(".total").innerText()), `${count} ads`)
        yield* goTo(page, `${path}?group_by=country&${manyFilters}`)
        for (const [name, subject] of [
          ["stores", "shops"],
          ["ads", "ads"]
        ] as const) {
          const button = page.locator(`tr[data-group="US"] button[form="to-${name}"]`)
          const number = yield* Effect.promise(() => button.innerText())
          yield* leave(page, () => button.click())
          assert.match(page.url(), new RegExp(`/dashboard/${subject}\\?countries=US&domains=`, "u"))
          assert.include(yield* Effect.promise(() => page.locator(".total").innerText()), `${number} ${name}`)
          yield* Effect.promise(() => page.goBack())
        }
        for (const language of ["de", "fr", "es"]) {
          yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
          yield* goTo(page, path)
          assert.isAtMost(yield* overflow(page), 0, language)
        }
      })
    )
  })
})
