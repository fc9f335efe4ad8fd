/** The pages of sign-up, password reset, change of e-mail address and closing, over HTTP, with mails over a real SMTP server. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import type { AppSettings } from "../../../../src/Config.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { SignInAttempts } from "../../../../src/services/limits/SignInAttempts.ts"
import { Mailer } from "../../../../src/services/mail/Mailer.ts"
import * as Consent from "../../../support/Consent.ts"
import * as Integrations from "../../../support/Integrations.ts"
import { linkOf, MailServer } from "../../../support/MailServer.ts"
import { seen } from "../../../support/Sameness.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const spans: Array<Tracer.NativeSpan> = []
const tracer = Layer.succeed(
  Tracer.Tracer,
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
)

const services = (config: Partial<AppSettings> = {}) =>
  Layer.unwrap(
    Effect.map(MailServer, ({ url }) =>
      Site.layer({ config: { ...Consent.config, logLevel: "All", smtpUrl: Option.some(url), ...config } })
    )
  ).pipe(Layer.provideMerge(MailServer.layer), Layer.provideMerge(tracer))

const password = "nine green whales"
const next = "seven blue otters"

let people = 0
const newEmail = () => `customer${++people}@discovery.test`

/** The form with this action, filled in and sent. */
const send = Effect.fnUntraced(function* (
  tab: Consent.Browser,
  page: string,
  action: string,
  fields: Readonly<Record<string, string>>
) {
  const { text } = yield* tab.get(page)
  return yield* tab.post(action, { ...Consent.fieldsOf(text, action), ...fields })
})

/** The page that says to look into the mails of an address. */
const sentTo = (path: string, email: string) => `${path}?done=sent&email=${encodeURIComponent(email)}`

/** Without the address that was asked for, which its owner is told again. */
const seenOf = (answer: Answer, email: string): unknown =>
  JSON.parse(JSON.stringify(seen(answer)).replaceAll(encodeURIComponent(email), "ADDRESS").replaceAll(email, "ADDRESS"))

const leadsTo = ({ headers, status, text }: Answer, location: string) => {
  assert.strictEqual(status, 303, Consent.headingOf(text))
  assert.strictEqual(headers.get("location"), location)
}

layer(services(), { excludeTestServices: true, timeout: "10 minutes" })("self-service pages", (it) => {
  const askSignUp = (tab: Consent.Browser, email: string, page = "/sign-up") =>
    send(tab, page, "/sign-up", { email, password })

  const signedUp = Effect.fnUntraced(function* (tab: Consent.Browser, email: string, page?: string) {
    const server = yield* MailServer
    leadsTo(yield* askSignUp(tab, email, page), sentTo("/sign-up", email))
    return linkOf(yield* server.mailTo(email))
  })

  describe("sign-up", () => {
    it.effect("D85 leads by a mail and its form to the sign-in; opening the link changes nothing", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const sql = yield* SqlClient.SqlClient
        const tab = yield* Consent.browser
        const email = newEmail()
        const link = yield* signedUp(tab, email)
        // A program that checks mails, without a cookie, and again and again.
        const site = yield* Site
        const rows = sql`SELECT to_jsonb(l)::text AS row FROM account_link l ORDER BY hash`
        const before = yield* rows
        for (let opened = 0; opened < 5; opened++) {
          const page = yield* site.get(link)
          assert.strictEqual(page.status, 200)
          assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(page.headers.get("cache-control"), "no-store")
          assert.notInclude(page.text, "<script")
          // Another browser than the one that asked.
          assert.include(page.text, 'name="password"')
        }
        assert.deepStrictEqual(yield* rows, before)
        assert.strictEqual((yield* Effect.flip(accounts.find(email)))._tag, "AccountNotFound")

        assert.notInclude((yield* tab.get(link)).text, 'name="password"')
        const confirmation = Consent.fieldsOf((yield* tab.get(link)).text, "/sign-up/confirm")
        // A double click sends two.
        const both = yield* Effect.all(
          [1, 2].map(() => tab.post("/sign-up/confirm", confirmation)),
          {
            concurrency: "unbounded"
          }
        )
        assert.sameMembers(
          both.map(({ headers, text }) => headers.get("location") ?? Consent.headingOf(text)),
          ["/sign-in?done=confirmed", "Your account was created with this link"]
        )
        assert.include((yield* tab.get("/sign-in?done=confirmed")).text, "your account is ready")
        leadsTo(yield* tab.signIn({ email, password }), "/dashboard")
        const again = yield* tab.get(link)
        assert.strictEqual(again.status, 410)
        assert.strictEqual(Consent.headingOf(again.text), "Your account was created with this link")
        assert.include(again.text, '<a href="/sign-in">Sign in</a>')
      })
    )

    it.effect("D86 of an address with an account answers byte for byte as of one without", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const { email } = yield* site.account()
        const unknown = newEmail()
        const answers = yield* Effect.forEach([email, unknown], (of) =>
          Effect.gen(function* () {
            const tab = yield* Consent.browser
            const answer = yield* askSignUp(tab, of)
            const sent = yield* tab.get(sentTo("/sign-up", of))
            assert.include(sent.text, `<strong><bdi>${of}</bdi></strong>`)
            return [seenOf(answer, of), seenOf(sent, of)]
          })
        )
        assert.deepStrictEqual(answers[0], answers[1])
        assert.strictEqual(linkOf(yield* server.mailTo(email)), "/sign-in")
        assert.match(linkOf(yield* server.mailTo(unknown)), /^\/sign-up\/confirm\?token=/u)
      })
    )

    it.effect("from an app that asks for access leads back to the consent page", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const client = yield* Consent.app({ name: "Shop Helper" })
        const tab = yield* Consent.browser
        const email = newEmail()
        const request = Consent.request(client.id)
        const toSignIn = (yield* tab.get(request)).headers.get("location") ?? ""
        const [, toSignUp = ""] = /href="(\/sign-up\?return_to=[^"]*)"/u.exec((yield* tab.get(toSignIn)).text) ?? []
        assert.include((yield* tab.get(Consent.unescape(toSignUp))).text, "Afterwards you return to the app.")
        const link = yield* signedUp(tab, email, Consent.unescape(toSignUp))
        const confirmed = yield* send(tab, link, "/sign-up/confirm", {})
        const back = confirmed.headers.get("location") ?? ""
        assert.strictEqual(back, `/sign-in?return_to=${encodeURIComponent(request)}&done=confirmed`)
        leadsTo(yield* send(tab, back, "/sign-in", { email, password }), request)
        yield* accounts.setPlan(email, "growth")
        assert.strictEqual(Consent.headingOf((yield* tab.get(request)).text), "Connect Shop Helper")
      })
    )

    it.effect("D85 in another browser needs the password that was chosen, and leads to no app", () =>
      Effect.gen(function* () {
        const tab = yield* Consent.browser
        const email = newEmail()
        const link = yield* signedUp(tab, email, "/sign-up?return_to=%2Fauthorize%3Fx")
        const other = yield* Consent.browser
        const confirm = (fields: Readonly<Record<string, string>>) => send(other, link, "/sign-up/confirm", fields)
        assert.strictEqual((yield* confirm({})).status, 400)
        assert.strictEqual((yield* confirm({ password: "x" })).status, 403)
        leadsTo(yield* confirm({ password }), "/sign-in?done=confirmed")
      })
    )

    it.effect.each([
      [{ email: "", password: "" }, "Enter your e-mail address."],
      [{ email: "ada", password }, "Enter an e-mail address such as"],
      [{ email: "ada@discovery.test", password: "short" }, "at least 12 characters"],
      [{ email: "ada@discovery.test", password: "passwordpassword" }, "too easy to guess"],
      [{ email: "ada@discovery.test", password: "football2026!" }, "very common, so attackers try it first"],
      [{ email: "lovelace@discovery.test", password: "lovelace-1815" }, "too similar to your e-mail address"]
    ] as const)("says what is wrong: %j", ([fields, message]) =>
      Effect.gen(function* () {
        const tab = yield* Consent.browser
        const answer = yield* send(tab, "/sign-up", "/sign-up", fields)
        assert.strictEqual(answer.status, 400)
        assert.include(answer.text, message)
        assert.include(answer.text, "<title>Error: Create an account")
        assert.notInclude(answer.text, `value="${fields.password || password}"`)
      })
    )

    it.effect("R29 by the form of another site, or without its token, does nothing", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tab = yield* Consent.browser
        const email = newEmail()
        const page = yield* tab.get("/sign-up")
        const fields = { ...Consent.fieldsOf(page.text, "/sign-up"), email, password }
        const foreign = yield* tab.post("/sign-up", fields, { "sec-fetch-site": "cross-site" })
        leadsTo(foreign, `/sign-up?done=out-of-date&email=${encodeURIComponent(email)}`)
        const stale = yield* tab.post("/sign-up", { ...fields, form_token: "" })
        assert.strictEqual(stale.status, 403)
        assert.isEmpty(yield* sql`SELECT FROM account_link WHERE email = ${email}`)
        const link = yield* signedUp(tab, email)
        const confirmation = Consent.fieldsOf((yield* tab.get(link)).text, "/sign-up/confirm")
        for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
          assert.strictEqual((yield* tab.post("/sign-up/confirm", confirmation, headers)).status, 403)
        }
        leadsTo(yield* tab.post("/sign-up/confirm", confirmation), "/sign-in?done=confirmed")
      })
    )

    it.effect.each(["/sign-in", "/sign-up", "/reset-password"])(
      "of a browser that does not say where it comes from, the form of %s that is out of date comes back with the address",
      (path) =>
        Effect.gen(function* () {
          const tab = yield* Consent.browser
          const stale = yield* tab.post(path, { email: " Ada@Example.com ", password, return_to: "/dashboard" }, {})
          // It may have come from another site, so it sets no cookie.
          assert.isEmpty(stale.headers.getSetCookie())
          const back = stale.headers.get("location") ?? ""
          assert.isTrue(back.startsWith(path), back)
          const { text } = yield* tab.get(back)
          assert.include(text, "This page had expired.")
          assert.include(text, 'value="Ada@example.com"')
          // Nothing that may be a password gets into an address.
          const other = yield* tab.post(path, { email: password, password }, {})
          assert.strictEqual(other.headers.get("location"), `${path}?done=out-of-date`)
        })
    )

    it.effect("D86 too many mails are refused with the time to wait", () =>
      Effect.gen(function* () {
        const tab = yield* Consent.browser
        const email = newEmail()
        for (let asked = 0; asked < 4; asked++) leadsTo(yield* askSignUp(tab, email), sentTo("/sign-up", email))
        const { headers, status, text } = yield* askSignUp(tab, email)
        assert.strictEqual(status, 429)
        assert.match(headers.get("retry-after") ?? "", /^\d+$/u)
        assert.include(text, "Too many e-mails were requested. Try again in 15 minutes.")
        const reset = send(tab, "/reset-password", "/reset-password", { email })
        for (let asked = 0; asked < 4; asked++) leadsTo(yield* reset, sentTo("/reset-password", email))
        assert.strictEqual((yield* reset).status, 429)
      })
    )
  })

  describe("D87 a password reset", () => {
    it.effect("answers alike for every address, sets the password, and ends every session", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const who = yield* site.account()
        const signedIn = yield* SiteVisitor.signedIn(who)
        const [tab, other] = [yield* Consent.browser, yield* Consent.browser]
        const known = yield* send(tab, "/reset-password", "/reset-password", { email: who.email })
        const nobody = newEmail()
        const unknown = yield* send(other, "/reset-password", "/reset-password", { email: nobody })
        assert.deepStrictEqual(seenOf(known, who.email), seenOf(unknown, nobody))
        leadsTo(known, sentTo("/reset-password", who.email))
        const sent = yield* tab.get(sentTo("/reset-password", who.email))
        assert.deepStrictEqual(
          seenOf(sent, who.email),
          seenOf(yield* other.get(sentTo("/reset-password", nobody)), nobody)
        )
        const link = linkOf(yield* server.mailTo(who.email))
        const page = yield* tab.get(link)
        assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
        const set = (fields: Readonly<Record<string, string>>) => send(tab, link, "/reset-password/new", fields)
        assert.include((yield* set({ next, again: "x" })).text, "The passwords don’t match.")
        assert.include((yield* set({ next: "short", again: "short" })).text, "at least 12 characters")
        assert.strictEqual((yield* signedIn.get("/dashboard")).status, 200)
        const done = yield* set({ next, again: next })
        leadsTo(done, "/sign-in?done=reset")
        // Not signed in.
        leadsTo(yield* tab.get("/dashboard"), "/sign-in?return_to=%2Fdashboard")
        leadsTo(yield* signedIn.get("/dashboard"), "/sign-in?return_to=%2Fdashboard")
        assert.strictEqual((yield* tab.signIn(who)).status, 403)
        leadsTo(yield* tab.signIn({ email: who.email, password: next }), "/dashboard")
        const again = yield* tab.get(link)
        assert.strictEqual(again.status, 410)
        assert.strictEqual(Consent.headingOf(again.text), "A new password was set with this link")
        assert.include(again.text, '<a href="/sign-in">Sign in with the new password</a>')
        assert.match((yield* server.mailTo(who.email, 1)).subject ?? "", /was changed/u)
      })
    )

    it.effect("with too many attempts says when to try again, and its link works then", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const sql = yield* SqlClient.SqlClient
        const attempts = yield* SignInAttempts
        const who = yield* site.account()
        const tab = yield* Consent.browser
        yield* send(tab, "/reset-password", "/reset-password", { email: who.email })
        const link = linkOf(yield* server.mailTo(who.email))
        // As of requests that were given up while their password was hashed.
        for (let given = 0; given < 10; given++) yield* attempts.take({ email: who.email, link: "reset" })
        const set = send(tab, link, "/reset-password/new", { next, again: next })
        const refused = yield* set
        assert.strictEqual(refused.status, 429)
        assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/u)
        assert.include(refused.text, "Too many sign-in attempts. Try again in a minute.")
        yield* sql`DELETE FROM sign_in_attempt`
        leadsTo(yield* set, "/sign-in?done=reset")
      }).pipe(Effect.provide(SignInAttempts.layer))
    )

    it.effect("D85 has one link: the newest", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const who = yield* site.account()
        const tab = yield* Consent.browser
        const ask = send(tab, "/reset-password", "/reset-password", { email: who.email })
        yield* ask
        const older = linkOf(yield* server.mailTo(who.email))
        yield* ask
        const newer = linkOf(yield* server.mailTo(who.email, 1))
        assert.strictEqual((yield* tab.get(older)).status, 410)
        assert.strictEqual((yield* tab.get(newer)).status, 200)
      })
    )
  })

  describe("D88 a change of e-mail address", () => {
    it.effect("by the password and the link, for the account itself", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const who = yield* site.account()
        const to = newEmail()
        const path = "/dashboard/account/email"
        const visitor = yield* SiteVisitor.signedIn(who)
        yield* visitor.get(path)
        assert.strictEqual((yield* visitor.submit(path, { email: who.email, current: password })).status, 400)
        assert.strictEqual((yield* visitor.submit(path, { email: "x", current: password })).status, 400)
        assert.strictEqual((yield* visitor.submit(path, { email: to, current: "" })).status, 400)
        assert.strictEqual((yield* visitor.submit(path, { email: to, current: "x" })).status, 403)
        leadsTo(yield* visitor.submit(path, { email: to, current: password }), "/dashboard/account?done=email-asked")
        const link = linkOf(yield* server.mailTo(to))
        // Signed out, it leads to the sign-in and back; to another account it is no link.
        const location = (yield* site.get(link)).headers.get("location")
        assert.strictEqual(location, `/sign-in?return_to=${encodeURIComponent(link)}`)
        const other = yield* SiteVisitor.signedIn(yield* site.account())
        assert.strictEqual((yield* other.get(link)).status, 410)
        assert.include((yield* visitor.get(link)).text, `From now on, you sign in with ${to}.`)
        const token = new URL(link, site.url).searchParams.get("token") ?? ""
        assert.strictEqual((yield* other.submit(`${path}/confirm`, { token })).status, 410)
        leadsTo(yield* visitor.submit(`${path}/confirm`, { token }), "/dashboard/account?done=email-changed")
        assert.include((yield* visitor.get("/dashboard/account")).text, `<dd>${to}</dd>`)
        assert.match((yield* server.mailTo(who.email)).subject ?? "", /was changed/u)
        const again = yield* visitor.submit(`${path}/confirm`, { token })
        assert.strictEqual(again.status, 410)
        assert.strictEqual(Consent.headingOf(again.text), "The address was confirmed with this link")
        assert.include(again.text, '<a href="/dashboard/account">Go to your account</a>')
      })
    )

    it.effect("D86 to an address with an account answers as to one without", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const { email: taken } = yield* site.account()
        const visitor = yield* SiteVisitor.signedIn(yield* site.account())
        const ask = (email: string) =>
          Effect.map(visitor.submit("/dashboard/account/email", { email, current: password }), seen)
        assert.deepStrictEqual(yield* ask(taken), yield* ask(newEmail()))
        assert.match((yield* server.mailTo(taken)).subject ?? "", /already/u)
      })
    )
  })

  describe("D89 closing", () => {
    it.effect("by the password ends the session, keys and apps, and frees the address", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const who = yield* site.account()
        const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
        const key = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "a key"))
        const access = yield* Integrations.connect(id, { name: "An app" })
        const secret = Redacted.value(key.secret)
        assert.deepStrictEqual([yield* Integrations.call(secret), yield* Integrations.call(access)], [200, 200])
        const path = "/dashboard/account/close"
        const visitor = yield* SiteVisitor.signedIn(who)
        const elsewhere = yield* SiteVisitor.signedIn(who)
        yield* visitor.get(path)
        assert.strictEqual((yield* visitor.submit(path, { current: "" })).status, 400)
        assert.strictEqual((yield* visitor.submit(path, { current: "x" })).status, 403)
        assert.strictEqual(
          (yield* visitor.submit(path, { current: password }, { "sec-fetch-site": "cross-site" })).status,
          403
        )
        leadsTo(yield* visitor.submit(path, { current: password }), "/sign-in?done=closed")
        assert.isFalse(visitor.cookies.has("discovery"))
        assert.include((yield* visitor.get("/sign-in?done=closed")).text, "Your account is closed.")
        assert.strictEqual((yield* elsewhere.get("/dashboard")).status, 303)
        assert.deepStrictEqual([yield* Integrations.call(secret), yield* Integrations.call(access)], [401, 401])
        assert.match((yield* server.mailTo(who.email)).subject ?? "", /is closed/u)
        const tab = yield* Consent.browser
        assert.strictEqual((yield* tab.signIn(who)).status, 403)
        leadsTo(yield* askSignUp(tab, who.email), sentTo("/sign-up", who.email))
        const link = linkOf(yield* server.mailTo(who.email, 1))
        leadsTo(yield* send(tab, link, "/sign-up/confirm", {}), "/sign-in?done=confirmed")
        leadsTo(yield* tab.signIn(who), "/dashboard")
      })
    )

    it.effect("of an account leaves operators nothing to find or to change", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const accounts = yield* Accounts
        const who = yield* site.account({ email: `leaving.person.${++people}@discovery.test` })
        const boss = yield* site.account()
        yield* accounts.setRole(boss.email, "operator")
        const { id } = yield* accounts.find(who.email)
        const visitor = yield* SiteVisitor.signedIn(who)
        yield* visitor.get("/dashboard/account/close")
        yield* visitor.submit("/dashboard/account/close", { current: password })
        const operator = yield* SiteVisitor.withPasskey(boss)
        assert.notInclude((yield* operator.get("/dashboard/operator?email=leaving.person")).text, who.email)
        const page = yield* operator.get(`/dashboard/operator/accounts/${id}`)
        assert.include(page.text, `closed account ${id}`)
        assert.notInclude(page.text, who.email)
      })
    )
  })

  it.effect("R40 no link, password or address of a mail is in the log or the traces", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const server = yield* MailServer
      const tab = yield* Consent.browser
      const email = `somebody.private${++people}@discovery.test`
      const link = yield* signedUp(tab, email)
      yield* send(tab, link, "/sign-up/confirm", {})
      yield* send(tab, "/reset-password", "/reset-password", { email })
      const reset = linkOf(yield* server.mailTo(email, 1))
      yield* send(tab, reset, "/reset-password/new", { next, again: next })
      yield* Effect.flatMap(Mailer, ({ settled }) => settled)
      const traced = spans.map(({ attributes, events, name, status }) =>
        JSON.stringify(
          [
            name,
            Object.fromEntries(attributes),
            events,
            status._tag === "Ended" && status.exit._tag === "Failure" ? String(status.exit.cause) : ""
          ],
          (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)
        )
      )
      assert.isTrue(traced.some((each) => each.includes("/sign-up/confirm")))
      const written = [...site.logs, ...traced].join("\n")
      for (const address of [link, reset]) {
        const token = new URL(address, site.url).searchParams.get("token") ?? ""
        assert.lengthOf(token, 43)
        assert.notInclude(written, token)
      }
      for (const secret of [password, next, "somebody.private"]) assert.notInclude(written, secret)
    })
  )

  it.effect("a signed-in visitor of the sign-up goes on to the dashboard", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const visitor = yield* SiteVisitor.signedIn(yield* site.account())
      leadsTo(yield* visitor.get("/sign-up"), "/dashboard")
    })
  )
})

layer(services({ signUp: "closed" }), { excludeTestServices: true, timeout: "10 minutes" })(
  "with SIGN_UP=closed",
  (it) => {
    it.effect("D85 there is no sign-up, no way to it, and no link of before", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const tab = yield* Consent.browser
        const signIn = yield* tab.get("/sign-in")
        assert.notInclude(signIn.text, "/sign-up")
        assert.include(signIn.text, "/reset-password")
        const token = Consent.fieldsOf(signIn.text, "/sign-in")["form_token"] ?? ""
        const nowhere = seen(yield* tab.get("/dashboard/nowhere"))
        for (const path of ["/sign-up", "/sign-up?done=sent", `/sign-up/confirm?token=${"A".repeat(43)}`]) {
          const answer = yield* tab.get(path)
          assert.strictEqual(answer.status, 404, path)
          assert.deepStrictEqual(seen(answer), nowhere)
        }
        const asked = yield* tab.post("/sign-up", { form_token: token, email: newEmail(), password })
        assert.strictEqual(asked.status, 404)
        const confirmed = yield* tab.post("/sign-up/confirm", { form_token: token, token: "A".repeat(43) })
        assert.strictEqual(confirmed.status, 404)
        const who = yield* site.account()
        leadsTo(
          yield* send(tab, "/reset-password", "/reset-password", { email: who.email }),
          sentTo("/reset-password", who.email)
        )
      })
    )
  }
)
