/** What an account sees when its pages of the day are used up, and which pages stay available. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const limit = 1_234

const services = Site.layer({ config: { pageViewsPerDay: limit } }).pipe(
  Layer.provideMerge(SetClock.layer("2026-03-10T22:30:00Z"))
)

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("the page views of a day", (it) => {
  const usedUp = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const who = yield* (yield* Site).account()
    const visitor = yield* SiteVisitor.signedIn(who)
    yield* sql`
      INSERT INTO page_view (account_id, day, views)
      SELECT id, '2026-03-10', ${limit - 1} FROM account WHERE email = ${who.email}`
    return visitor
  })

  it.effect("D48 when they are used up, the pages of the catalog say so, and when they renew, in every language", () =>
    Effect.gen(function* () {
      const visitor = yield* usedUp
      assert.strictEqual((yield* visitor.get("/dashboard/ads")).status, 200)
      const said = {
        en: ["Today’s pages are used up", "1,234 pages", "Mar 11, 2026"],
        de: ["Die Seiten für heute sind aufgebraucht", "1.234 Seiten", "11.03.2026"],
        fr: ["Les pages d’aujourd’hui sont épuisées", "1\u202f234 pages", "11 mars 2026"],
        es: ["Las páginas de hoy se han agotado", "1234 páginas", "11 mar 2026"]
      }
      for (const [language, texts] of Object.entries(said)) {
        for (const path of ["/dashboard/ads", "/dashboard/products", "/dashboard/shops", "/dashboard/shops/1"]) {
          const answer = yield* visitor.get(path, { "accept-language": language })
          assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [429, "5400"])
          for (const text of texts) assert.include(answer.text, text, path)
          assert.include(answer.text, `datetime="2026-03-11T00:00:00.000Z"`)
        }
      }
      yield* Effect.flatMap(SetClock, (clock) => clock.advance(5_400_000))
      assert.strictEqual((yield* visitor.get("/dashboard/ads")).status, 200)
    })
  )

  it.effect("other pages stay available", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(SetClock, (clock) => clock.set("2026-03-10T22:30:00Z"))
      const visitor = yield* usedUp
      yield* visitor.get("/dashboard/ads")
      assert.strictEqual((yield* visitor.get("/dashboard/ads")).status, 429)
      for (const path of ["/dashboard", "/dashboard/usage", "/dashboard/integrations", "/dashboard/account"]) {
        assert.strictEqual((yield* visitor.get(path)).status, 200, path)
      }
    })
  )
})
