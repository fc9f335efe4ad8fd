/** The Ads page and the Products page as people use them (issue 5, point 4). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { Browser, isAvailable, overflow, picture, violations } from "../../support/Browser.ts"
import * as Catalogues from "../../support/Catalogues.ts"
import { Site } from "../../support/Site.ts"

const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogues.demo("tiny"), Site.layer()))

const goTo = (page: Page, path: string) =>
  Effect.flatMap(Site, ({ url }) => Effect.promise(() => page.goto(url + path)))

const signedIn = Effect.fnUntraced(function* (page: Page) {
  const site = yield* Site
  const { email, password } = yield* site.account()
  yield* goTo(page, "/sign-in")
  yield* Effect.promise(async () => {
    await page.getByLabel("E-mail address").fill(email)
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL("**/dashboard")
  })
})

const looks = [390, 1280, 1920].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme })))

describe.skipIf(!isAvailable())("searches in a browser", () => {
  layer(services, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect.each(looks)(
      "pages pass axe and fit at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const page = yield* (yield* Browser).open(look)
          yield* signedIn(page)
          const check = Effect.fnUntraced(function* (name: string, path: string) {
            yield* goTo(page, path)
            yield* picture(page, `${name}-${look.width}-${look.scheme}`)
            assert.deepStrictEqual(yield* violations(page), [], name)
            assert.isAtMost(yield* overflow(page), 0, name)
          })
          yield* check("ads", "/dashboard/ads")
          yield* check(
            "ads-filtered",
            "/dashboard/ads?query=a&countries=US&countries=GB&countries=DE&languages=English&monthly_visits.min=1000&status=active&media_types=video&media_types=image&ad_started_between.from=2020-01-01&sort_by=newest&per_page=25&page=2"
          )
          yield* check(
            "ads-empty",
            "/dashboard/ads?apps=Unheard+Of&countries=AQ&monthly_revenue.min=5&monthly_revenue.max=6"
          )
          yield* check(
            "ads-wrong",
            "/dashboard/ads?page=21&monthly_revenue.min=x&countries=UK&niches=Petz&ad_started_between.from=2026-02-31&utm=1"
          )
          yield* check("products", "/dashboard/products?sort_by=price&per_page=25")
        }),
      240_000
    )
  })
})
