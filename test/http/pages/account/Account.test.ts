/** The account's page: who is signed in and where, and the end of sessions elsewhere. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { request } from "node:http"
import type { IncomingMessage } from "node:http"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ActivityLog } from "../../../../src/services/credits/ActivityLog.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const path = "/dashboard/account"

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"
const safari =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"

/** The addresses of the forms that end one session. */
const ends = ({ text }: Answer): ReadonlyArray<string> =>
  Array.from(text.matchAll(/action="(\/dashboard\/account\/sessions\/\d+\/end)"/gu), ([, action = ""]) => action)

const names = ({ text }: Answer): ReadonlyArray<string> =>
  Array.from(text.matchAll(/<li>\s*<div>\s*<strong>([^<]*)<\/strong>/gu), ([, name = ""]) => name)

layer(Site.layer(), { excludeTestServices: true, timeout: "10 minutes" })("the account's page", (it) => {
  const isSignedIn = (visitor: SiteVisitor.SiteVisitor) =>
    Effect.map(visitor.get("/dashboard"), ({ status }) => status === 200)

  it.effect("shows the signed-in account, its plan, and the links to billing and help", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const who = yield* site.account({ plan: "pro", status: "unpaid" })
      const visitor = yield* SiteVisitor.signedIn(who)
      const { text } = yield* visitor.get(path)
      assert.include(text, `<dd>${who.email}</dd>`)
      assert.include(text, "<dd>Pro</dd>")
      assert.include(text, "unpaid")
      assert.include(text, "An invoice is open.")
      assert.include(text, 'href="https://billing.test/plans"')
      assert.include(text, 'href="mailto:support@discovery.test"')
      assert.include(text, 'href="/dashboard/account/password"')
    })
  )

  it.effect("a form is not taken if its session ends before its body arrives", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const sql = yield* SqlClient.SqlClient
      const who = yield* site.account()
      const visitor = yield* SiteVisitor.signedIn(who)
      const body = new URLSearchParams({ form_token: visitor.token() }).toString()
      const held = request(`${site.url}${path}/sessions/end-others`, {
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "content-length": body.length,
          cookie: Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; "),
          origin: "null",
          "sec-fetch-site": "same-origin",
          expect: "100-continue"
        }
      })
      // `once` reports an error only while it waits.
      held.on("error", () => {})
      // The server asks for the body.
      yield* Effect.promise(() => once(held, "continue"))
      yield* sql`DELETE FROM session WHERE account_id = (SELECT id FROM account WHERE email = ${who.email})`
      held.end(body)
      const [answer] = yield* Effect.promise<ReadonlyArray<IncomingMessage>>(() => once(held, "response"))
      answer?.resume()
      assert.deepStrictEqual([answer?.statusCode, answer?.headers.location?.split("?")[0]], [303, "/sign-in"])
    })
  )

  describe("the list of sessions", () => {
    it.effect("names each by its browser and system, and marks this one, which has no way to end it", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const here = yield* SiteVisitor.signedIn(who, { "user-agent": firefox })
        yield* SiteVisitor.signedIn(who, { "user-agent": safari })
        const page = yield* here.get(path)
        assert.sameMembers([...names(page)], ["Firefox on Linux", "Safari on macOS"])
        assert.match(page.text, /Firefox on Linux<\/strong>\s*<span class="badge good">This browser<\/span>/u)
        assert.lengthOf(ends(page), 1)
        assert.include(page.text, 'aria-label="Sign out: Safari on macOS"')
        assert.lengthOf(page.text.match(/Signed in: <time datetime=/gu) ?? [], 2)
        assert.lengthOf(page.text.match(/Last used: <time datetime=/gu) ?? [], 2)
      })
    )

    it.effect("has nothing of a browser's own words", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const sql = yield* SqlClient.SqlClient
        const who = yield* site.account()
        const words = `<script>alert(1)</script> trustworthy-bank ${"x".repeat(5000)}`
        const visitor = yield* SiteVisitor.signedIn(who, { "user-agent": words })
        const page = yield* visitor.get(path)
        assert.deepStrictEqual(names(page), ["Unknown browser"])
        assert.notInclude(page.text, "trustworthy")
        const rows = yield* sql`SELECT to_jsonb(s)::text AS row FROM session s`
        assert.notInclude(JSON.stringify(rows), "trustworthy")
      })
    )

    it.effect("says so where there is no other, and offers nothing to end", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const page = yield* visitor.get(path)
        assert.include(page.text, "You are not signed in anywhere else.")
        assert.notInclude(page.text, "sessions/")
      })
    )
  })

  describe("ending", () => {
    const three = Effect.gen(function* () {
      const site = yield* Site
      const who = yield* site.account()
      return {
        who,
        here: yield* SiteVisitor.signedIn(who),
        there: yield* SiteVisitor.signedIn(who, { "user-agent": firefox }),
        elsewhere: yield* SiteVisitor.signedIn(who, { "user-agent": safari })
      }
    })

    it.effect("one elsewhere takes effect at its next request, leaves the others, and says so", () =>
      Effect.gen(function* () {
        const { elsewhere, here, there } = yield* three
        const page = yield* here.get(path)
        // The list has the one used last first.
        const end = /action="([^"]*)"(?:(?!<\/form>).)*Firefox on Linux/su.exec(page.text)?.[1] ?? ""
        const answer = yield* here.submit(end, {})
        assert.deepStrictEqual(
          [answer.status, answer.headers.get("location")],
          [303, "/dashboard/account?done=session-ended"]
        )
        assert.isFalse(yield* isSignedIn(there))
        assert.isTrue(yield* isSignedIn(elsewhere))
        const after = yield* here.get("/dashboard/account?done=session-ended")
        assert.match(after.text, /role="status">That browser has been signed out\./u)
        assert.lengthOf(names(after), 2)
        // Twice is no error.
        assert.strictEqual((yield* here.submit(end, {})).status, 303)
      })
    )

    it.effect("all others ends neither this session nor those of other accounts", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { elsewhere, here, there } = yield* three
        const anotherAccount = yield* SiteVisitor.signedIn(yield* site.account())
        yield* here.get(path)
        const answer = yield* here.submit("/dashboard/account/sessions/end-others", {})
        assert.deepStrictEqual(
          [answer.status, answer.headers.get("location")],
          [303, "/dashboard/account?done=others-ended"]
        )
        assert.isTrue(yield* isSignedIn(here))
        assert.isFalse(yield* isSignedIn(there))
        assert.isFalse(yield* isSignedIn(elsewhere))
        assert.isTrue(yield* isSignedIn(anotherAccount))
        assert.include(
          (yield* here.get("/dashboard/account?done=others-ended")).text,
          "All other browsers have been signed out"
        )
      })
    )

    it.effect("of others needs the password or a passkey of the last ten minutes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { here, there, who } = yield* three
        const [end = ""] = ends(yield* here.get(path))
        yield* sql`
          UPDATE session SET confirmed_at = confirmed_at - interval '10 minutes'
          WHERE account_id = (SELECT id FROM account WHERE email = ${who.email})`
        const confirm = "/dashboard/account/confirm"
        for (const form of [end, "/dashboard/account/sessions/end-others"]) {
          const answer = yield* here.submit(form, {})
          assert.strictEqual(answer.headers.get("location"), `${confirm}?return_to=%2Fdashboard%2Faccount%23sessions`)
        }
        assert.lengthOf(ends(yield* here.get(path)), 2)
        yield* here.get(confirm)
        yield* here.submit(confirm, { password: who.password })
        yield* here.get(path)
        yield* here.submit("/dashboard/account/sessions/end-others", {})
        assert.isFalse(yield* isSignedIn(there))
      })
    )

    it.effect("one another concurrently leaves at most one of both signed in, without an error", () =>
      Effect.gen(function* () {
        const { here, there } = yield* three
        const answers = yield* Effect.all(
          [here, there].map((visitor) => visitor.submit("/dashboard/account/sessions/end-others", {})),
          { concurrency: "unbounded" }
        )
        for (const { status } of answers) assert.strictEqual(status, 303)
        const left = [yield* isSignedIn(here), yield* isSignedIn(there)].filter((is) => is)
        assert.isAtMost(left.length, 1)
      })
    )

    it.effect("one's own, which no page offers, is signing out", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { who, here, there } = yield* three
        // Any of the three is this visitor's own, to one of them.
        const rows = yield* sql<{ readonly id: number }>`
          SELECT s.id FROM session s JOIN account a ON a.id = s.account_id WHERE a.email = ${who.email} ORDER BY s.id`
        const answer = yield* here.submit(`/dashboard/account/sessions/${rows[0]?.id}/end`, {})
        assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/sign-in"])
        assert.isFalse(here.cookies.has("discovery"))
        assert.isTrue(yield* isSignedIn(there))
      })
    )

    it.effect("R29 by the form of another site, without a token, or with another's, does nothing", () =>
      Effect.gen(function* () {
        const { elsewhere, here, there } = yield* three
        const [end = ""] = ends(yield* here.get(path))
        for (const form of [end, "/dashboard/account/sessions/end-others"]) {
          for (const answer of [
            yield* here.submit(form, {}, { "sec-fetch-site": "cross-site" }),
            yield* here.submit(form, { form_token: "" }),
            yield* here.submit(form, { form_token: there.token() })
          ]) {
            assert.strictEqual(answer.status, 403)
          }
        }
        assert.isTrue(yield* isSignedIn(there))
        assert.isTrue(yield* isSignedIn(elsewhere))
      })
    )

    it.effect("by who is signed out meanwhile leads to the sign-in, and back to the page", () =>
      Effect.gen(function* () {
        const { here, there } = yield* three
        const [end = ""] = ends(yield* here.get(path))
        const { value } = here.cookies.get("discovery") ?? { value: "" }
        yield* here.submit("/sign-out", {})
        here.cookies.set("discovery", { value, attributes: [] })
        const answer = yield* here.submit(end, {})
        assert.strictEqual(answer.headers.get("location"), "/sign-in?return_to=%2Fdashboard%2Faccount&done=ended")
        assert.isTrue(yield* isSignedIn(there))
      })
    )
  })

  it.effect("says what was done in its own words only", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account())
      for (const done of ["<b>x</b>", "toString", "__proto__", "constructor", "", "session-ended x"]) {
        const { status, text } = yield* visitor.get(`${path}?done=${encodeURIComponent(done)}`)
        assert.strictEqual(status, done === "" ? 200 : 400)
        assert.notInclude(text, 'role="status"')
        assert.notInclude(text, "<b>")
      }
    })
  )

  it.effect("R56 too many wrong passwords have an error message of their own", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account())
      const form = { current: "wrong", next: "seven blue otters", again: "seven blue otters" }
      for (let tried = 0; tried < 10; tried++) {
        assert.strictEqual((yield* visitor.submit(`${path}/password`, form)).status, 403)
      }
      const { headers, status, text } = yield* visitor.submit(`${path}/password`, form)
      assert.strictEqual(status, 429)
      assert.match(headers.get("retry-after") ?? "", /^\d+$/u)
      assert.include(text, "Too many wrong passwords. Try again in a minute.")
      assert.notInclude(text, "sign in")
    })
  )
})

layer(Site.layer(), { excludeTestServices: true, timeout: "10 minutes" })("the overview", (it) => {
  it.effect("shows a new account how to begin, and an account with calls its remaining credits", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* Accounts
      const who = yield* site.account()
      const { id } = yield* accounts.find(who.email)
      const visitor = yield* SiteVisitor.signedIn(who)
      const before = yield* sql`SELECT * FROM credit_period WHERE account_id = ${id}`
      const fresh = yield* visitor.get("/dashboard")
      assert.include(fresh.text, "Get started")
      // One step at a time: the address, and not yet what to ask.
      assert.include(fresh.text, `id="mcp-url"`)
      assert.notInclude(fresh.text, `id="prompt"`)
      assert.notInclude(fresh.text, "Last calls")
      assert.match(fresh.text, /<strong>2,000<\/strong>\s*<small>of 2,000<\/small>/u)
      assert.deepStrictEqual(yield* sql`SELECT * FROM credit_period WHERE account_id = ${id}`, before)
      yield* sql`UPDATE credit_period SET used = 1234 WHERE account_id = ${id}`
      const log = yield* ActivityLog
      for (const [index, tool] of [
        "get_usage",
        "search_ads",
        "search_ads",
        "get_shop",
        "search_shops",
        "search_products"
      ].entries()) {
        log.record({
          accountId: id,
          credential: { kind: "api_key", id: 1 },
          tool,
          outcome: index % 2 === 0 ? "ok" : "rate_limited",
          credits: 0,
          atMillis: (yield* Clock.currentTimeMillis) + index,
          durationMillis: 3,
          requestId: `request-${index}`
        })
      }
      yield* log.write
      const used = yield* visitor.get("/dashboard")
      // The last five, newest first.
      assert.deepStrictEqual(
        Array.from(used.text.matchAll(/<td[^>]*><code>([a-z_]+)<\/code><\/td>/gu), ([, tool]) => tool),
        ["search_products", "search_shops", "get_shop", "search_ads", "search_ads"]
      )
      assert.include(used.text, `<a href="/dashboard/usage">All calls and credits</a>`)
      assert.notInclude(used.text, "Get started")
      assert.match(used.text, /<strong>766<\/strong>\s*<small>of 2,000<\/small>/u)
    })
  )

  it.effect("of an account that never had a subscription has no credits, and the way to one", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      const { status, text } = yield* visitor.get("/dashboard")
      assert.strictEqual(status, 200)
      assert.include(text, "None with this plan")
      assert.include(text, "Choose Growth or Pro to use AI agents and searches.")
    })
  )
})

const own = "https://discovery.test"
const config = { baseUrl: own, billingUrl: `${own}/dashboard`, supportUrl: `${own}/dashboard` }

layer(Site.layer({ config }), { excludeTestServices: true, timeout: "10 minutes" })(
  "without billing and support",
  (it) => {
    it.effect("no page leads to what is not there", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account({ status: "unpaid" }))
        const pages = [yield* visitor.get("/dashboard"), yield* visitor.get(path), yield* site.get("/sign-in")]
        for (const { status, text } of pages) {
          assert.strictEqual(status, 200)
          assert.notInclude(text, "Billing")
          assert.notInclude(text, "billing</a>")
          assert.notInclude(text, "help</a>")
          assert.notInclude(text, `href="${own}`)
        }
        for (const place of ["usage", "integrations", "ads"]) {
          const { text } = yield* visitor.get(`/dashboard/${place}`)
          assert.include(text, 'lang="en"')
          assert.notInclude(text, "billing</a>", place)
          assert.notInclude(text, `href="${own}`, place)
        }
      })
    )
  }
)
