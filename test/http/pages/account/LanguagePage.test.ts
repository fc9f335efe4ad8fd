/** The choice of a language: it is remembered, goes before that of the browser, and leads back to the page (D118). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { languages } from "../../../../src/domain/Messages.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const languageOf = ({ text }: Answer) => /<html lang="(\w+)">/u.exec(text)?.[1]

/** Where the switch of a page leads back to. */
const placeOf = ({ text }: Answer) =>
  /class="languages"[^]*?name="back" value="([^"]*)"/u.exec(text)?.[1]?.replaceAll("&amp;", "&")

const cookieName = "discovery-language"

layer(Site.layer(), { excludeTestServices: true })("D118 the choice of a language", (it) => {
  it.effect(
    "is remembered before and after the sign-in, whatever the browser prefers, and leads back to the page",
    () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        for (const language of languages) {
          const visitor = yield* SiteVisitor.make
          const other = language === "fr" ? "es" : "fr"
          const headers = { "accept-language": other }
          const page = yield* visitor.get("/sign-in?return_to=/dashboard/usage", headers)
          assert.strictEqual(languageOf(page), other)
          assert.strictEqual(placeOf(page), "/sign-in?return_to=/dashboard/usage")
          const chosen = yield* visitor.get(
            `/language?${new URLSearchParams({ back: placeOf(page) ?? "", to: language }).toString()}`,
            headers
          )
          assert.deepStrictEqual([chosen.status, chosen.headers.get("location")], [303, placeOf(page)])
          assert.sameMembers(Array.from(visitor.cookies.get(cookieName)?.attributes ?? []), [
            "HttpOnly",
            "Max-Age=31536000",
            "Path=/",
            "SameSite=Lax"
          ])
          const again = yield* visitor.get("/sign-in", headers)
          assert.strictEqual(languageOf(again), language)
          // The others can be chosen, and this one is.
          assert.deepStrictEqual(
            Array.from(again.text.matchAll(/name="to"\s+value="(\w+)"/gu), ([, to]) => to),
            languages.filter((each) => each !== language)
          )
          yield* visitor.submit("/sign-in", who, headers)
          assert.strictEqual(languageOf(yield* visitor.get("/dashboard", headers)), language)
          assert.strictEqual(languageOf(yield* visitor.get("/dashboard/no/where", headers)), language)
        }
      })
  )

  it.effect("leads to pages of this service alone, and takes no other language", () =>
    Effect.gen(function* () {
      const visitor = yield* SiteVisitor.make
      for (const elsewhere of ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)", ""]) {
        const query = new URLSearchParams({ to: "de", back: elsewhere })
        const answer = yield* visitor.get(`/language?${query.toString()}`)
        assert.strictEqual(answer.headers.get("location"), "/dashboard")
      }
      for (const query of ["", "?to=it", "?to=de&to=fr", "?to=de&x=1"]) {
        const answer = yield* visitor.get(`/language${query}`)
        assert.strictEqual(answer.status, 400)
        assert.isNull(answer.headers.get("set-cookie"))
      }
    })
  )

  it.effect("that no page has made is passed over", () =>
    Effect.gen(function* () {
      const site = yield* Site
      for (const value of ["it", "DE", "dee", "%00", ""]) {
        const page = yield* site.get("/sign-in", { cookie: `${cookieName}=${value}`, "accept-language": "es" })
        assert.strictEqual(languageOf(page), "es", value)
      }
    })
  )

  it.effect("of the answer to a form leads to the page of the form, or to the dashboard", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account())
      const refused = yield* visitor.submit("/dashboard/boards", { name: "" })
      assert.deepStrictEqual([refused.status, placeOf(refused)], [400, "/dashboard/boards"])
      const gone = yield* visitor.submit("/dashboard/boards/7/remove-gone", {})
      assert.deepStrictEqual([gone.status, placeOf(gone)], [404, "/dashboard"])
    })
  )
})
