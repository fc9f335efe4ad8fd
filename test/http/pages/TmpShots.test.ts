import { describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Browser } from "../../support/Browser.ts"
import * as Catalogues from "../../support/Catalogues.ts"
import { Site } from "../../support/Site.ts"
const services = Layer.merge(Browser.layer, Layer.provideMerge(Catalogues.demo("demo"), Site.layer()))
const paths: Record<string,string> = {
  ads: "/dashboard/ads",
  filtered: "/dashboard/ads?query=a&countries=US&countries=GB&countries=DE&languages=English&monthly_visits.min=1000&status=active&media_types=video&media_types=image&ad_started_between.from=2020-01-01&sort_by=newest&per_page=25&page=2",
  wrong: "/dashboard/ads?page=21&monthly_revenue.min=x&countries=UK&niches=Petz&ad_started_between.from=2026-02-31&utm=1&active_days.min=5&active_days.max=2",
  products: "/dashboard/products?niches=Pets&sort_by=price",
  empty: "/dashboard/ads?apps=Unheard+Of&countries=AQ&monthly_revenue.min=5&monthly_revenue.max=6"
}
describe("shots", () => {
  layer(services, { excludeTestServices: true, timeout: "240 seconds" })((it) => {
    it.effect("x", () => Effect.gen(function* () {
      const site = yield* Site
      const who = yield* site.account()
      for (const [width, scheme] of [[1280, "light"], [390, "light"], [1920, "dark"]] as const) {
        const page = yield* (yield* Browser).open({ width, scheme })
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width, height: width === 390 ? 1400 : 1300 })
          await page.goto(site.url + "/sign-in")
          await page.getByLabel("E-mail address").fill(who.email)
          await page.getByLabel("Password").fill(who.password)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.waitForURL("**/dashboard")
          for (const [name, path] of Object.entries(paths)) {
            const t = performance.now()
            const r = await page.goto(site.url + path)
            console.log(name, r?.status(), Math.round(performance.now() - t), (await r?.text())?.length)
            await page.screenshot({ path: `/tmp/work/searches/shots/w-${name}-${width}.png` })
            if (width===390) { await page.locator("summary").first().click(); await page.screenshot({ path: `/tmp/work/searches/shots/w-${name}-${width}-open.png` }) }
            if (name === "filtered") { await page.evaluate(() => document.querySelector(".tool-call")?.setAttribute("open","")); await page.evaluate(() => window.scrollTo(0, 1e6)); await page.screenshot({ path: `/tmp/work/searches/shots/w-${name}-${width}-end.png` }) }
          }
        })
      }
    }), 240_000)
  })
})
