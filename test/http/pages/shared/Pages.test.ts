/** The pages as whoever means ill meets them (R22, R28 to R30, R40, R56). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const passwordPath = "/dashboard/account/password"
const next = "seven blue otters"

const whole =
  "/authorize?response_type=code&client_id=https%3A%2F%2Fclaude.ai%2Foauth%2Fmcp-oauth-client-metadata" +
  "&redirect_uri=http%3A%2F%2Flocalhost%3A33418%2Fcallback%3Fa%3Db%26c%3Dd&resource=https%3A%2F%2Fdiscovery.test%2Fmcp" +
  `&code_challenge=${"A".repeat(43)}&code_challenge_method=S256&state=${encodeURIComponent(
    Array.from({ length: 1_500 }, (_, index) => String.fromCodePoint(0x20 + (index % 0x5f))).join("") + "é漢🦊\"'<>&+"
  )}`

const hidden = (answer: Answer, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`, "u")
    .exec(answer.text)?.[1]
    ?.replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

layer(Site.layer(), { excludeTestServices: true })("pages", (it) => {
  const location = (answer: Answer) => answer.headers.get("location")

  describe("D48 fields of forms", () => {
    it.effect("that the form does not have change nothing, and one of its own that comes twice is refused", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.signedIn(who)
        const fields = { current: who.password, next, again: next }
        const body = new URLSearchParams({ form_token: visitor.token(), ...fields })
        body.append("next", "six orange larks")
        const cookie = Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; ")
        const headers = { cookie, origin: "null", "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" }
        const twice = yield* Effect.promise(() => fetch(site.url + passwordPath, { method: "POST", headers, body }))
        assert.strictEqual(twice.status, 400)
        const answer = yield* visitor.submit(passwordPath, { ...fields, extension_id: "x", _charset_: "UTF-8" })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual((yield* SiteVisitor.signedIn({ ...who, password: next })).cookies.size, visitor.cookies.size)
      })
    )
  })

  describe("headers", () => {
    it.effect("R30 of every page, of errors and of redirects", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const answers = [
          yield* site.get("/sign-in"),
          yield* visitor.get("/dashboard"),
          yield* visitor.get(passwordPath),
          yield* visitor.submit(passwordPath, { current: "x", next, again: next }),
          yield* visitor.get("/dashboard/nowhere"),
          yield* site.post("/sign-in", { email: "a", password: "b" }, { "sec-fetch-site": "same-origin" }),
          yield* site.post(passwordPath, {}, { cookie: "discovery=x" }),
          yield* site.get("/dashboard")
        ]
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 403, 404, 403, 303, 303]
        )
        for (const { headers, status, text } of answers) {
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
          if (status === 303) continue
          assert.strictEqual(headers.get("cross-origin-resource-policy"), "same-origin")
          assert.strictEqual(headers.get("x-frame-options"), "DENY")
          // Only who is signed in gets our script; the sign-in page that of passkeys, which asks for challenges.
          const isSignedIn = text.includes("/sign-out")
          const isSignIn = text.includes('action="/sign-in"')
          const scripts = isSignIn ? " script-src 'self'; connect-src 'self';" : isSignedIn ? " script-src 'self';" : ""
          assert.strictEqual(text.includes("<script"), scripts !== "")
          assert.strictEqual(headers.get("cross-origin-opener-policy"), isSignedIn ? "same-origin" : null)
          assert.strictEqual(
            headers.get("content-security-policy"),
            `default-src 'none'; style-src 'self';${scripts} img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
          )
          assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        }
      })
    )

    it.effect("R30 form-action is left out where a form may end at another origin, and nothing else is", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { headers } = yield* site.get("/sign-in?return_to=/authorize")
        assert.strictEqual(
          headers.get("content-security-policy"),
          "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"
        )
      })
    )

    it.effect("R22 no page can be read by another origin", () =>
      Effect.gen(function* () {
        const site = yield* Site
        for (const path of ["/sign-in", "/sign-out", "/dashboard", passwordPath]) {
          for (const method of ["GET", "POST", "OPTIONS"]) {
            const response = yield* Effect.promise(() =>
              fetch(site.url + path, {
                method,
                redirect: "manual",
                headers: { origin: "https://evil.test", "access-control-request-method": "POST" }
              })
            )
            const names = Array.from(response.headers.keys()).filter((name) => name.startsWith("access-control"))
            assert.deepStrictEqual(names, [], `${method} ${path}`)
          }
        }
      })
    )

    it.effect("the style sheet is kept forever under its hash, compressed for who takes it", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { text } = yield* site.get("/sign-in")
        const path = /href="(\/assets\/style\.[0-9a-f]{12}\.css)"/u.exec(text)?.[1] ?? ""
        const plain = yield* site.get(path, { "accept-encoding": "identity" })
        assert.strictEqual(plain.status, 200)
        assert.strictEqual(plain.headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.strictEqual(plain.headers.get("content-type"), "text/css; charset=utf-8")
        assert.strictEqual(plain.headers.get("vary"), "accept-encoding")
        assert.isNull(plain.headers.get("content-encoding"))
        assert.include(plain.text, "--pico-font-family")
        const zipped = yield* site.get(path, { "accept-encoding": "br, gzip" })
        assert.strictEqual(zipped.headers.get("content-encoding"), "gzip")
        assert.strictEqual(zipped.text, plain.text)
        const refused = yield* site.get(path, { "accept-encoding": "gzip;q=0" })
        assert.isNull(refused.headers.get("content-encoding"))
        // Nothing comes from another origin, and no script is within the page.
        assert.notMatch(
          text,
          /(?:src|href)="(?![#/]|mailto:)|<script(?! type="module" src="\/assets\/)|<style| style=| on[a-z]+=/u
        )
        assert.notMatch(plain.text, /@import|url\((?!"?data:)/u)
      })
    )
  })

  describe("the session cookie", () => {
    it.effect("R29 is for this host and all its paths, not for scripts, and not for what other sites send", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const cookie = visitor.cookies.get("discovery")
        assert.match(cookie?.value ?? "", /^[A-Za-z0-9_-]{43}$/u)
        assert.sameMembers([...(cookie?.attributes ?? [])], ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"])
      })
    )

    it.effect("R29 is another one after signing in: one that was planted before is worth nothing", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.make
        const planted = "p".repeat(43)
        visitor.cookies.set("discovery", { value: planted, attributes: [] })
        yield* visitor.get("/sign-in")
        assert.strictEqual(visitor.cookies.get("discovery")?.value, planted)
        yield* visitor.submit("/sign-in", who)
        assert.notStrictEqual(visitor.cookies.get("discovery")?.value, planted)
        assert.strictEqual((yield* visitor.get("/dashboard")).status, 200)
        const thief = yield* site.get("/dashboard", { cookie: `discovery=${planted}` })
        assert.strictEqual(location(thief), "/sign-in?return_to=%2Fdashboard")
      })
    )

    it.effect("R29 is worth nothing after signing in again with it", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.signedIn(who)
        const { value } = visitor.cookies.get("discovery") ?? { value: "" }
        assert.strictEqual((yield* visitor.submit("/sign-in", who)).status, 303)
        assert.strictEqual((yield* visitor.get("/dashboard")).status, 200)
        assert.strictEqual((yield* site.get("/dashboard", { cookie: `discovery=${value}` })).status, 303)
      })
    )

    it.effect("is worth nothing after signing out", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const { value } = visitor.cookies.get("discovery") ?? { value: "" }
        const answer = yield* visitor.submit("/sign-out", {})
        assert.deepStrictEqual([answer.status, location(answer)], [303, "/sign-in"])
        assert.isFalse(visitor.cookies.has("discovery"))
        assert.strictEqual((yield* site.get("/dashboard", { cookie: `discovery=${value}` })).status, 303)
      })
    )
  })

  describe("R29 a form", () => {
    /** Sent with everything right but for what the case changes. */
    const cases: ReadonlyArray<
      readonly [
        what: string,
        change: (own: string) => { token?: string; headers?: Record<string, string> },
        ok: boolean
      ]
    > = [
      ["as a browser sends it", () => ({}), true],
      ["without Sec-Fetch-Site, from this origin", () => ({ headers: { "sec-fetch-site": "", origin: "own" } }), true],
      ["without Sec-Fetch-Site, from an origin that is not told", () => ({ headers: { "sec-fetch-site": "" } }), true],
      ["without a token", () => ({ token: "" }), false],
      ["with half a token", (own) => ({ token: own.slice(0, 20) }), false],
      ["with a token that is none", () => ({ token: "é\uFFFD" }), false],
      ["with a changed token", (own) => ({ token: `${own.startsWith("A") ? "B" : "A"}${own.slice(1)}` }), false],
      ["from another site", () => ({ headers: { "sec-fetch-site": "cross-site" } }), false],
      ["from another host of the site", () => ({ headers: { "sec-fetch-site": "same-site" } }), false],
      ["from no page", () => ({ headers: { "sec-fetch-site": "none" } }), false],
      ["from another origin", () => ({ headers: { "sec-fetch-site": "", origin: "https://evil.test" } }), false]
    ]

    const send = Effect.fnUntraced(function* (
      visitor: SiteVisitor.SiteVisitor,
      path: string,
      fields: Readonly<Record<string, string>>,
      { headers = {}, token }: { token?: string; headers?: Record<string, string> }
    ) {
      const site = yield* Site
      const cookie = Array.from(visitor.cookies, ([name, { value }]) => `${name}=${value}`).join("; ")
      const all: Record<string, string> = { cookie, origin: "null", "sec-fetch-site": "same-origin", ...headers }
      if (all["origin"] === "own") all["origin"] = site.url
      if (all["sec-fetch-site"] === "") delete all["sec-fetch-site"]
      return yield* site.post(path, { form_token: token ?? visitor.token(), ...fields }, all)
    })

    it.effect.each(cases)("to change the password, %s", ([, change, ok]) =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.signedIn(who)
        const fields = { current: who.password, next, again: next }
        const answer = yield* send(visitor, passwordPath, fields, change(visitor.token()))
        assert.strictEqual(answer.status, ok ? 200 : 403)
        if (!ok) assert.include(answer.text, "This page is out of date")
        yield* SiteVisitor.signedIn({ email: who.email, password: ok ? next : who.password })
      })
    )

    it.effect.each(cases)("to sign in, %s", ([, change, ok]) =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.make
        yield* visitor.get("/sign-in")
        const changed = change(visitor.token())
        const answer = yield* send(visitor, "/sign-in", who, changed)
        if (!ok && changed.headers !== undefined) {
          const outOfDate = `/sign-in?done=out-of-date&email=${encodeURIComponent(who.email)}`
          assert.deepStrictEqual([answer.status, location(answer)], [303, outOfDate])
          assert.deepStrictEqual(answer.headers.getSetCookie(), [])
          return
        }
        assert.strictEqual(answer.status, ok ? 303 : 403)
        assert.strictEqual(location(answer), ok ? "/dashboard" : null)
        if (!ok) {
          assert.include(answer.text, "This page had expired. Please sign in again.")
          assert.notInclude(answer.text, who.password)
        }
      })
    )

    it.effect("of another site, which is sent without the cookie, ends no session", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        for (const headers of [
          { origin: "https://evil.test", "sec-fetch-site": "cross-site" },
          { origin: "https://evil.test", "sec-fetch-site": "same-site" },
          { origin: "https://evil.test" }
        ]) {
          const answer = yield* site.post("/sign-in", { ...who, return_to: "/authorize?a=b" }, headers)
          const outOfDate = `done=out-of-date&email=${encodeURIComponent(who.email)}`
          assert.deepStrictEqual(
            [answer.status, location(answer), answer.headers.getSetCookie()],
            [303, `/sign-in?return_to=%2Fauthorize%3Fa%3Db&${outOfDate}`, []]
          )
        }
      })
    )

    it.effect.each(cases)("to sign out, %s", ([, change, ok]) =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const answer = yield* send(visitor, "/sign-out", {}, change(visitor.token()))
        assert.strictEqual(answer.status, ok ? 303 : 403)
        assert.strictEqual((yield* visitor.get("/dashboard")).status, ok ? 303 : 200)
      })
    )

    it.effect("R28 of one account does nothing for another, nor that of an earlier session of the same", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const [mine, theirs] = [yield* site.account(), yield* site.account()]
        const earlier = (yield* SiteVisitor.signedIn(mine)).token()
        const other = (yield* SiteVisitor.signedIn(theirs)).token()
        const visitor = yield* SiteVisitor.make
        yield* visitor.get("/sign-in")
        const guest = visitor.token()
        yield* visitor.submit("/sign-in", mine)
        for (const token of [earlier, other, guest]) {
          const fields = { current: mine.password, next, again: next }
          const answer = yield* send(visitor, passwordPath, fields, { token })
          assert.strictEqual(answer.status, 403)
          assert.include(answer.text, mine.email)
        }
        yield* SiteVisitor.signedIn(mine)
      })
    )

    it.effect(
      "to change something, of who is signed out meanwhile, leads to the sign-in and back, and does nothing",
      () =>
        Effect.gen(function* () {
          const site = yield* Site
          const who = yield* site.account()
          const visitor = yield* SiteVisitor.signedIn(who)
          const token = visitor.token()
          const { value } = visitor.cookies.get("discovery") ?? { value: "" }
          yield* visitor.submit("/sign-out", {})
          visitor.cookies.set("discovery", { value, attributes: [] })
          const late = yield* send(visitor, passwordPath, { current: who.password, next, again: next }, { token })
          assert.deepStrictEqual(
            [late.status, location(late)],
            [303, `/sign-in?return_to=${encodeURIComponent(passwordPath)}&done=ended-password`]
          )
          assert.include((yield* visitor.get(location(late) ?? "")).text, "was not carried out this time")
          const twice = yield* send(visitor, "/sign-out", { return_to: "/authorize?a=b" }, { token })
          assert.deepStrictEqual([twice.status, location(twice)], [303, "/sign-in?return_to=%2Fauthorize%3Fa%3Db"])
          yield* SiteVisitor.signedIn(who)
        })
    )

    it.effect("that is none, or lacks a field, is answered by a page", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const post = (body: BodyInit, type?: string) =>
          Effect.promise(() =>
            fetch(`${site.url}/sign-in`, {
              method: "POST",
              body,
              redirect: "manual",
              headers: type === undefined ? {} : { "content-type": type }
            })
          )
        const urlencoded = "application/x-www-form-urlencoded"
        const multipart = new FormData()
        multipart.set("email", "a")
        const answers = [
          yield* post("{}", "application/json"),
          yield* post(multipart),
          yield* post("email=a", urlencoded),
          yield* post("", urlencoded),
          yield* post("email=a&email=b&password=c", urlencoded),
          yield* post(`email=a&password=${"x".repeat(1001)}`, urlencoded),
          yield* post(`email=a&password=${"x".repeat(300_000)}`, urlencoded),
          yield* post(`email=a&password=b${"&x".repeat(99)}`, urlencoded)
        ]
        for (const answer of answers) {
          assert.strictEqual(answer.status, 400)
          assert.include(yield* Effect.promise(() => answer.text()), "This form could not be read")
        }
      })
    )
  })

  describe("return_to", () => {
    const hostile = [
      "https://evil.test/",
      "//evil.test",
      "/\\evil.test",
      "\\/evil.test",
      "/\t/evil.test",
      "\t//evil.test",
      "/\n/evil.test",
      " //evil.test",
      "javascript:alert(1)",
      "/a\\b",
      "/é",
      "dashboard",
      "",
      `/${"a".repeat(8_192)}`
    ]

    it.effect("R29 leads to this service only", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        for (const place of hostile) {
          const visitor = yield* SiteVisitor.make
          const shown = yield* visitor.get(`/sign-in?return_to=${encodeURIComponent(place)}`)
          assert.isUndefined(hidden(shown, "return_to"), JSON.stringify(place))
          const answer = yield* visitor.submit("/sign-in", { ...who, return_to: place })
          assert.strictEqual(location(answer), "/dashboard", JSON.stringify(place))
          const again = yield* visitor.get(`/sign-in?return_to=${encodeURIComponent(place)}`)
          assert.strictEqual(location(again), "/dashboard", JSON.stringify(place))
          yield* visitor.get("/dashboard")
          const out = yield* visitor.submit("/sign-out", { return_to: place })
          assert.strictEqual(location(out), "/sign-in", JSON.stringify(place))
        }
      })
    )

    it.effect("keeps a whole request to connect, byte for byte, through failures and a switch of account", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const [one, other] = [yield* site.account(), yield* site.account()]
        const visitor = yield* SiteVisitor.make
        const shown = yield* visitor.get(`/sign-in?return_to=${encodeURIComponent(whole)}`)
        assert.strictEqual(hidden(shown, "return_to"), whole)
        assert.include(shown.text, "To connect an app, sign in")
        const failed = yield* visitor.submit("/sign-in", { ...one, password: "no", return_to: whole })
        assert.strictEqual(hidden(failed, "return_to"), whole)
        const first = yield* visitor.submit("/sign-in", { ...one, return_to: whole })
        assert.strictEqual(location(first), whole)
        // Who is signed in already goes on at once.
        assert.strictEqual(location(yield* visitor.get(`/sign-in?return_to=${encodeURIComponent(whole)}`)), whole)
        yield* visitor.get("/dashboard")
        const out = yield* visitor.submit("/sign-out", { return_to: whole })
        assert.strictEqual(location(out), `/sign-in?return_to=${encodeURIComponent(whole)}`)
        yield* visitor.get(location(out) ?? "")
        const second = yield* visitor.submit("/sign-in", { ...other, return_to: whole })
        assert.strictEqual(location(second), whole)
        assert.include((yield* visitor.get("/dashboard")).text, other.email)
      })
    )

    it.effect("D11 is where a page was asked for by someone who is not signed in", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const answer = yield* site.get(`${passwordPath}?a=b&c=%2F`)
        assert.strictEqual(location(answer), `/sign-in?return_to=${encodeURIComponent(`${passwordPath}?a=b&c=%2F`)}`)
      })
    )
  })

  describe("signing in", () => {
    it.effect("R56 gives the same page for an unknown address and for a wrong password", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { email } = yield* site.account()
        const visitor = yield* SiteVisitor.make
        yield* visitor.get("/sign-in")
        const known = yield* visitor.submit("/sign-in", { email, password: "wrong" })
        const unknown = yield* visitor.submit("/sign-in", { email: `x${email}`, password: "wrong" })
        assert.strictEqual(known.status, 403)
        assert.strictEqual(unknown.status, 403)
        assert.strictEqual(unknown.text.replace(`x${email}`, email), known.text)
        assert.include(known.text, "The e-mail address or the password is wrong.")
      })
    )

    it.effect("R56 is refused after 10 failures with 429 and the time to wait, for any claimed address", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.make
        yield* visitor.get("/sign-in")
        for (let tried = 0; tried < 10; tried++) {
          const forwarded = { "x-forwarded-for": `198.51.100.${tried}`, forwarded: `for=198.51.100.${tried}` }
          const answer = yield* visitor.submit("/sign-in", { ...who, password: "wrong" }, forwarded)
          assert.strictEqual(answer.status, 403)
        }
        const answer = yield* visitor.submit("/sign-in", who, { "x-forwarded-for": "198.51.100.99" })
        assert.strictEqual(answer.status, 429)
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-5]?\d$|^60$/u)
        assert.include(answer.text, "Too many sign-in attempts. Try again in a minute.")
      })
    )

    it.effect("with an empty field says which, and is no attempt", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.make
        yield* visitor.get("/sign-in")
        for (let tried = 0; tried < 40; tried++) {
          const answer = yield* visitor.submit("/sign-in", { email: who.email, password: "" })
          assert.strictEqual(answer.status, 400)
          assert.include(answer.text, `<a href="#password">Enter your password.</a>`)
          assert.match(answer.text, /id="password"[^>]*aria-describedby="password-error"[^>]*aria-invalid="true"/u)
        }
        assert.strictEqual((yield* visitor.submit("/sign-in", who)).status, 303)
      })
    )

    it.effect("shows what was typed as text, and never the password", () =>
      Effect.gen(function* () {
        const visitor = yield* SiteVisitor.make
        yield* visitor.get("/sign-in")
        const email = `"><script>alert('1')</script>&amp;`
        const { text } = yield* visitor.submit("/sign-in", { email, password: "a-password-of-mine" })
        assert.include(text, `value="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;"`)
        assert.notInclude(text, "<script>")
        assert.notInclude(text, "a-password-of-mine")
      })
    )

    it.effect("names its fields for browsers and password managers", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { text } = yield* site.get("/sign-in")
        assert.match(text, /id="email"[^>]*type="email"[^>]*autocomplete="username"/u)
        assert.match(text, /id="password"[^>]*type="password"[^>]*autocomplete="current-password"/u)
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const page = yield* visitor.get(passwordPath)
        assert.lengthOf(page.text.match(/autocomplete="new-password"/gu) ?? [], 2)
        assert.lengthOf(page.text.match(/autocomplete="current-password"/gu) ?? [], 1)
        assert.lengthOf(page.text.match(/autocomplete="username"/gu) ?? [], 1)
      })
    )
  })

  describe("a new password", () => {
    it.effect("is refused where it stands in the form, and nothing is changed", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.signedIn(who)
        const cases = [
          [{ current: "wrong", next, again: next }, 403, "#current", "The current password is wrong."],
          [{ current: who.password, next, again: `${next}!` }, 400, "#again", "The passwords don’t match."],
          [{ current: who.password, next: "short", again: "short" }, 400, "#next", "at least 12 characters"],
          [{ current: "", next: "", again: "" }, 400, "#current", "Enter your current password."]
        ] as const
        for (const [fields, status, field, message] of cases) {
          const answer = yield* visitor.submit(passwordPath, fields)
          assert.strictEqual(answer.status, status)
          assert.include(answer.text, `<a href="${field}">`)
          assert.include(answer.text, message)
        }
        yield* SiteVisitor.signedIn(who)
      })
    )
  })

  it.effect("R40 nothing that is secret is logged", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const who = yield* site.account()
      const visitor = yield* SiteVisitor.signedIn(who)
      yield* visitor.submit(passwordPath, { current: who.password, next, again: next })
      const secrets = [who.password, next, visitor.token(), visitor.cookies.get("discovery")?.value ?? ""]
      for (const secret of secrets) {
        assert.isAbove(secret.length, 10)
        assert.isFalse(site.logs.some((line) => line.includes(secret)))
      }
    })
  )
})

layer(Site.layer({ config: { baseUrl: "https://discovery.test" } }), { excludeTestServices: true })(
  "over TLS",
  (it) => {
    it.effect("R29 the cookie is the host's own, and never sent without TLS", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { headers } = yield* site.get("/sign-in")
        const [pair = "", ...attributes] = (headers.getSetCookie()[0] ?? "").split("; ")
        assert.match(pair, /^__Host-discovery=[A-Za-z0-9_-]{43}$/u)
        assert.sameMembers(attributes, ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000", "Secure"])
      })
    )

    it.effect("R56 a browser is known by another one, set when a password was right and never else", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const visitor = yield* SiteVisitor.make
        const keptOf = () => visitor.cookies.get("__Host-discovery-browser")
        yield* visitor.get("/sign-in")
        for (const email of [who.email, "nobody@discovery.test"]) {
          assert.strictEqual((yield* visitor.submit("/sign-in", { email, password: "nine green wales" })).status, 403)
          assert.isUndefined(keptOf())
        }
        assert.strictEqual((yield* visitor.submit("/sign-in", who)).status, 303)
        const first = keptOf()
        assert.match(first?.value ?? "", /^[A-Za-z0-9_-]{43}$/u)
        assert.sameMembers(
          [...(first?.attributes ?? [])],
          ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=34560000", "Secure"]
        )
        // It stays after signing out, and opens nothing.
        yield* visitor.get("/dashboard/account/password")
        yield* visitor.submit("/sign-out", {})
        assert.deepStrictEqual(keptOf(), first)
        assert.strictEqual((yield* visitor.get("/dashboard")).status, 303)
        yield* visitor.get("/sign-in")
        yield* visitor.submit("/sign-in", who)
        assert.notStrictEqual(keptOf()?.value, first?.value)
      })
    )
  }
)
