/** The pages of stores as people meet them: by keyboard, without scripts, small and large, light and dark (issue 5, 3). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { Browser, isAvailable, overflow, picture, violations } from "../../support/Browser.ts"
import { Site } from "../../support/Site.ts"
import * as StoreRecords from "../../support/StoreRecords.ts"

const services = Layer.merge(Browser.layer, Site.layer())

/** Red, and as wide as it is high. */
const image = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#b5482f"/></svg>'
)

/** What leaves the browser for any other place than the service: images are answered, everything else is refused. */
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

const goTo = (page: Page, path: string) =>
  Effect.flatMap(Site, ({ url }) => Effect.promise(() => page.goto(url + path)))

const signIn = Effect.fnUntraced(function* (page: Page, path: string) {
  const site = yield* Site
  const who = yield* site.account()
  yield* goTo(page, `/sign-in?return_to=${encodeURIComponent(path)}`)
  yield* Effect.promise(async () => {
    await page.getByLabel("E-mail address").fill(who.email)
    await page.getByLabel("Password").fill(who.password)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.waitForURL(`**${path}`)
  })
  return who
})

/** A store with everything on record. */
const wholeStore = Effect.gen(function* () {
  const first = yield* Effect.orDie(StoreRecords.addNiche(1, "Home and garden").pipe(Effect.ignore))
  void first
  const id = yield* StoreRecords.addStore({
    name: "Nordlicht Lampen",
    country: "DE",
    currency: "EUR",
    languages: ["German", "English"],
    pixels: ["TikTok", "Facebook", "Google"],
    social_networks: ["Instagram", "Pinterest"],
    apps: Array.from({ length: 31 }, (_, index) => `App ${index + 1}`),
    theme: "Dawn",
    created_on: "2019-05-04",
    monthly_revenue: 184_250.4,
    monthly_orders: 2_310,
    products_count: 412,
    trustpilot_rating: 4.3,
    trustpilot_reviews: 1_204
  })
  yield* StoreRecords.addTraffic(
    id,
    Object.fromEntries(
      Array.from({ length: 24 }, (_, month) => [
        `${2024 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`,
        40_000 + Math.round(30_000 * Math.sin(month / 3)) + month * 2_000
      ])
    )
  )
  for (let index = 0; index < 13; index++) {
    yield* StoreRecords.addProduct(id, {
      title:
        index === 1 ? "Stehlampe aus Eiche mit einem sehr langen Namen, der umbrochen werden muss" : `Lampe ${index}`,
      url: `https://store.test/products/${index}`,
      image_url: index === 0 ? "https://cdn.test/broken.jpg" : index === 2 ? null : `https://cdn.test/${index}.jpg`,
      price: 19.9 + index,
      created_at: `2026-02-${String(10 + index)}T10:00:00Z`
    })
    yield* StoreRecords.addAd(id, {
      page_name: "Nordlicht",
      media_type: index % 2 === 0 ? "video" : "carousel",
      headline: index % 3 === 0 ? null : "Warmes Licht für lange Abende",
      ad_text:
        index === 0
          ? "Kurz."
          : "Unsere Lampen werden in Handarbeit gefertigt.\n\nJetzt mit 20 % Rabatt auf alle Stehlampen, nur für kurze Zeit und nur solange der Vorrat reicht.\nVersand in ganz Europa.",
      cta: "Shop Now",
      image_url: `https://cdn.test/ad${index}.jpg`,
      ad_library_url: `https://library.test/?id=${index}`,
      landing_url: "https://store.test/",
      started_on: `2026-01-${String(10 + index)}`,
      is_partnership: index === 3
    })
  }
  yield* StoreRecords.derive
  return id
})

describe.skipIf(!isAvailable())("stores in a browser", () => {
  layer(services, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("pictures", () =>
      Effect.gen(function* () {
        const id = yield* wholeStore
        for (const width of [390, 1280, 1920]) {
          for (const scheme of ["light", "dark"] as const) {
            const page = yield* (yield* Browser).open({ width, scheme })
            yield* watched(page)
            yield* signIn(page, `/dashboard/shops/${id}`)
            yield* Effect.promise(() =>
              page.evaluate(async () => {
                for (const each of document.images) {
                  each.scrollIntoView()
                  await each.decode().catch(() => {})
                }
                scrollTo(0, 0)
              })
            )
            yield* picture(page, `store-${width}-${scheme}`)
            console.log(width, scheme, yield* violations(page), yield* overflow(page))
            yield* Effect.promise(() => page.getByRole("button", { name: "Track this store" }).click())
            yield* Effect.promise(() => page.waitForURL("**?done=tracked"))
            yield* goTo(page, `/dashboard/shops`)
            yield* picture(page, `stores-${width}-${scheme}`)
            console.log(width, scheme, yield* violations(page), yield* overflow(page))
          }
        }
        assert.isTrue(true)
      })
    )
  })
})
