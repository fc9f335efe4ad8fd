/** What an account sees when its pages of the day are used up, and which pages stay available. */
import { assert, layer, vi } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const limit = 1_234

const services = Site.layer({ config: { pageViewsPerDay: limit } }).pipe(
  Layer.provideMerge(SetClock.layer("2026-03-10T22:30:00Z"))
)

const catalogPages = [
  "/dashboard/ads",
  "/dashboard/products",
  "/dashboard/shops",
  "/dashboard/shops/1",
  "/dashboard/market"
]

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
        en: ["You’ve reached today’s page limit", "1,234 pages", "Mar 11, 2026"],
        de: ["Das Tageslimit für Seiten ist erreicht", "1.234 Seiten", "11.03.2026"],
        fr: ["Vous avez atteint la limite de pages d’aujourd’hui", "1\u202f234 pages", "11 mars 2026"],
        es: ["Ha alcanzado el límite de páginas de hoy", "1234 páginas", "11 mar 2026"]
      }
      for (const [language, texts] of Object.entries(said)) {
        for (const path of catalogPages) {
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

  /** What is only there when the address has been decoded. */
  const word = "Zzyzxø"
  const elsewhere = [
    `/dashboard/ads?query=${word}&countries=us`,
    `/dashboard/products?query=${word}&countries=us`,
    `/dashboard/shops?query=${word}&countries=us`,
    "/dashboard/market?countries=us"
  ]
  const refusedExports = ["ads", "products", "shops"].map(
    (pages) => `/dashboard/${pages}/export.csv?query=${word}&countries=nowhere`
  )

  it.effect("an account without the plan is refused before its address is read, whatever the address", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      const customer = yield* SiteVisitor.signedIn(yield* site.account())
      const spy = vi.spyOn(String.prototype, "normalize")
      try {
        const isRead = () => spy.mock.contexts.some((text) => String(text).includes(word))
        const answered: Array<string> = []
        for (const path of [...elsewhere, ...refusedExports]) {
          spy.mockClear()
          const { status, text } = yield* starter.get(path)
          const prompt = text.includes("https://billing.test/plans") ? "the upgrade prompt" : "no prompt"
          answered.push(`${path}: ${status}, ${prompt}, ${isRead() ? "read" : "not read"}`)
        }
        assert.deepStrictEqual(
          answered,
          [...elsewhere, ...refusedExports].map((path) => `${path}: 403, the upgrade prompt, not read`)
        )
        // The measure itself: the address of an account that has the plan is read.
        assert.strictEqual((yield* customer.get(elsewhere[0] ?? "")).status, 303)
        assert.isTrue(isRead())
      } finally {
        spy.mockRestore()
      }
    })
  )

  it.effect("a redirect is not one of them: the page that it leads to counts once", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(SetClock, (clock) => clock.set("2026-03-10T22:30:00Z"))
      const sql = yield* SqlClient.SqlClient
      const who = yield* (yield* Site).account()
      const visitor = yield* SiteVisitor.signedIn(who)
      const views = Effect.map(
        sql<{ readonly views: number }>`
          SELECT v.views FROM page_view v JOIN account a ON a.id = v.account_id WHERE a.email = ${who.email}`,
        ([row]) => row?.views ?? 0
      )
      for (const [index, path] of elsewhere.entries()) {
        const redirect = yield* visitor.get(path)
        assert.deepStrictEqual([redirect.status, yield* views], [303, index], path)
        assert.strictEqual((yield* visitor.get(redirect.headers.get("location") ?? "")).status, 200, path)
        assert.strictEqual(yield* views, index + 1, path)
      }
      for (const path of refusedExports) assert.strictEqual((yield* visitor.get(path)).status, 303, path)
      assert.strictEqual(yield* views, elsewhere.length)
    })
  )
})
