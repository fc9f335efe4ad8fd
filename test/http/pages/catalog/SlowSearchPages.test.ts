/** What the search pages say when a search takes too long, or the database cannot be reached. */
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { AccountId } from "../../../../src/domain/access/Account.ts"
import { adsPath } from "../../../../src/http/pages/catalog/AdsPage.ts"
import { Sessions } from "../../../../src/services/sessions/Sessions.ts"
import { Browser, checker, isAvailable, looks } from "../../../support/Browser.ts"
import * as FakeAccess from "../../../support/FakeAccess.ts"
import * as FakeOAuth from "../../../support/FakeOAuth.ts"
import { baseUrl, TestServer } from "../../../support/TestServer.ts"
import * as ToolErrorMessages from "../../../../src/domain/ToolErrorMessages.ts"

const startedAt = DateTime.makeUnsafe("2026-03-15T12:00:00Z")

const signedIn = Layer.mock(Sessions, {
  current: () =>
    Effect.succeedSome({
      id: 1,
      accountId: AccountId.make(1),
      email: "visitor@discovery.test",
      plan: "growth",
      status: "active",
      role: "customer",
      device: { browser: null, system: null },
      startedAt,
      lastUsedAt: startedAt,
      passkeyId: null,
      confirmedAt: startedAt
    })
})

const access = Layer.mergeAll(
  FakeAccess.credentials({}),
  FakeAccess.ledger({ charges: [] }),
  FakeOAuth.unused,
  FakeAccess.nobodySignedIn,
  FakeAccess.unvisited
).pipe((others) => Layer.merge(others, signedIn))

/** A search for `down` finds the database unavailable; all others take too long. */
const server = TestServer.layer({
  access,
  search: ({ query }) => Effect.fail(query === "down" ? FakeAccess.down() : ToolErrorMessages.tooSlow("in English"))
})

const cookie = `__Host-discovery=${"s".repeat(43)}`

layer(server, { excludeTestServices: true })("search pages of a slow database", (it) => {
  const view = (query: string, language = "en") =>
    Effect.flatMap(TestServer, (server) =>
      server.send({
        method: "GET",
        path: `${adsPath}?${query}`,
        headers: { cookie, "accept-language": language }
      })
    )

  it.effect("keep what was typed, and say how to ask for less", () =>
    Effect.gen(function* () {
      const { status, text } = yield* view("query=lamp&countries=US&page=3")
      assert.strictEqual(status, 503)
      assert.include(text, "took too long and was stopped")
      assert.include(text, "One common word has too many hits")
      assert.include(text, "Narrow the filters on the store")
      assert.include(text, "earlier page")
      assert.match(text, /name="query"[^>]*value="lamp"/u)
      assert.match(text, /value="US" +checked/u)
      assert.include(text, `href="${adsPath}?query=lamp"`)
      assert.notInclude(text, "in English")
      const { text: german } = yield* view("sort_by=newest", "de")
      assert.include(german, "Grenzen Sie die Shops ein")
      assert.notInclude(german, "früheren Seite")
    })
  )

  it.effect("say so when the data cannot be reached", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* view("query=down")
      assert.strictEqual(status, 503)
      assert.strictEqual(headers.get("retry-after"), "1")
      assert.notInclude(text, "secret of the database")
    })
  )
})

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(Layer.merge(Browser.layer, server), { excludeTestServices: true })((it) => {
    it.effect.each(looks)(
      "a search that took too long and one without data pass axe and fit at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const { url } = yield* TestServer
          const page = yield* (yield* Browser).open(look)
          yield* Effect.promise(() =>
            page.route(`${baseUrl}/**`, async (route) => {
              const { pathname, search } = new URL(route.request().url())
              const answer = await fetch(url + pathname + search, { headers: { cookie } })
              // The body is no longer compressed.
              const {
                "content-encoding": _,
                "content-length": _length,
                ...headers
              } = Object.fromEntries(answer.headers)
              const body = Buffer.from(await answer.arrayBuffer())
              await route.fulfill({ status: answer.status, headers, body })
            })
          )
          for (const [name, query, heading] of [
            ["too-slow", "query=lamp&countries=US&page=3", "Ads"],
            ["not-reachable", "query=down", "The service is not reachable right now"]
          ] as const) {
            const answer = yield* Effect.promise(() => page.goto(`${baseUrl}${adsPath}?${query}`))
            assert.strictEqual(answer?.status(), 503)
            assert.strictEqual(yield* Effect.promise(() => page.locator("h1").innerText()), heading)
            yield* checker(page, look)(name)
          }
        })
    )
  })
})
