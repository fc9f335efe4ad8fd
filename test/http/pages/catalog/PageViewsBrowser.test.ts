/** What people see above the limits of page views. Time stands still here, so that the limits do not renew. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { adsPath } from "../../../../src/http/pages/catalog/AdsPage.ts"
import { viewsPerMinute } from "../../../../src/services/limits/PageRateLimit.ts"
import { Browser, checker, isAvailable, looks, overflow, picture, violations } from "../../../support/Browser.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import { goTo, press, signIn } from "../../../support/Steps.ts"

const viewsPerDay = 1_234

const services = Layer.merge(Browser.layer, Site.layer({ config: { pageViewsPerDay: viewsPerDay } })).pipe(
  Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z"))
)

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect("an account beyond the page rate limit gets a notice, and can continue a moment later", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const page = yield* (yield* Browser).open({ width: 390 })
        yield* goTo(page, "/sign-in")
        yield* Effect.promise(() => page.locator("#email").fill(who.email))
        yield* Effect.promise(() => page.locator("#password").fill(who.password))
        yield* press(page, "Sign in")
        yield* Effect.forEach(
          Array.from({ length: viewsPerMinute }),
          () => Effect.promise(() => page.request.get(site.url + adsPath)),
          { concurrency: 4, discard: true }
        )
        yield* goTo(page, adsPath)
        assert.strictEqual(
          yield* Effect.promise(() => page.locator("h1").innerText()),
          "Too many pages in a short time"
        )
        yield* picture(page, "too-many-views-390")
        assert.deepStrictEqual(yield* violations(page), [])
        assert.isAtMost(yield* overflow(page), 0)
        yield* Effect.flatMap(SetClock, (clock) => clock.advance(500))
        yield* goTo(page, adsPath)
        assert.strictEqual(yield* Effect.promise(() => page.locator("h1").innerText()), "Ads")
      })
    )

    it.effect.each(looks)("the page of a used-up day passes axe and fits at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const who = yield* (yield* Site).account()
        const page = yield* (yield* Browser).open(look)
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          INSERT INTO page_view (account_id, day, views)
          SELECT id, '2026-03-10', ${viewsPerDay} FROM account WHERE email = ${who.email}`
        yield* goTo(page, `/sign-in?return_to=${adsPath}`)
        yield* signIn(page, who)
        assert.strictEqual(
          yield* Effect.promise(() => page.locator("h1").innerText()),
          "You’ve reached today’s page limit"
        )
        yield* checker(page, look)("used-up")
      })
    )
  })
})
