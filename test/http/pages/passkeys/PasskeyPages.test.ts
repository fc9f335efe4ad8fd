/** Signing in with passkeys over HTTP: forms and their challenges, the second step, confirmations, and operators' pages. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { allowedBy, Authenticator } from "../../../support/Authenticator.ts"
import { seen } from "../../../support/Sameness.ts"
import { Site } from "../../../support/Site.ts"
import type { Answer } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"

const account = "/dashboard/account"
const operators = "/dashboard/operator"
const second = "/sign-in/second-step"

const location = ({ headers }: Answer) => headers.get("location")

layer(Site.layer(), { excludeTestServices: true })("passkeys", (it) => {
  const owner = Effect.gen(function* () {
    const site = yield* Site
    const who = yield* site.account()
    const visitor = yield* SiteVisitor.signedIn(who)
    return { ...who, visitor, authenticator: yield* SiteVisitor.addPasskey(visitor, "my laptop") }
  })

  /** Requires the second step; returns the recovery codes. */
  const requireSecond = Effect.fnUntraced(function* ({ authenticator, visitor }: Effect.Success<typeof owner>) {
    const options = yield* visitor.submit(`${account}/second-step/on/challenge`, {})
    const credential = authenticator.answer(options.text)
    const shown = yield* visitor.submit(`${account}/second-step/on`, { credential })
    assert.strictEqual(shown.status, 200)
    return Array.from(shown.text.matchAll(/[0-9a-z]{4}(?:-[0-9a-z]{4}){5}/gu), ([code]) => code)
  })

  const guest = Effect.gen(function* () {
    const visitor = yield* SiteVisitor.make
    yield* visitor.get("/sign-in")
    return visitor
  })

  /** The id of the session passkey, and the number of sessions. */
  const sessionsOf = Effect.fnUntraced(function* (email: string) {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ readonly passkey: boolean }>`
      SELECT s.passkey_id IS NOT NULL AS passkey FROM session s JOIN account a ON a.id = s.account_id
      WHERE a.email = ${email} ORDER BY s.id`
  })

  describe("the sign-in page", () => {
    it.effect("D77 has a form for passkeys that is hidden without scripts, and may ask this origin alone", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { headers, text } = yield* site.get("/sign-in")
        const [form = ""] = /<form[^>]*action="\/sign-in\/passkey"[^>]*>/u.exec(text) ?? []
        assert.match(form, /\shidden\s*>$/u)
        const policy = headers.get("content-security-policy") ?? ""
        assert.include(policy, "script-src 'self'; connect-src 'self';")
        const scripts = Array.from(text.matchAll(/<script[^>]*src="([^"]*)"/gu), ([, path = ""]) => path)
        assert.lengthOf(scripts, 1)
        assert.strictEqual((yield* site.get(scripts[0] ?? "")).status, 200)
        // An app that opened the page in a window still sees when that is closed.
        assert.isNull(headers.get("cross-origin-opener-policy"))
      })
    )

    it.effect("D77 signs in with a passkey, and continues where the visitor wanted to go", () =>
      Effect.gen(function* () {
        const { authenticator, email } = yield* owner
        const visitor = yield* guest
        const before = visitor.cookies.get("discovery")?.value
        const options = yield* visitor.submit("/sign-in/passkey/challenge", {})
        assert.strictEqual(options.headers.get("content-type"), "application/json")
        assert.strictEqual(options.headers.get("cache-control"), "no-store")
        const credential = authenticator.answer(options.text)
        const answer = yield* visitor.submit("/sign-in/passkey", { credential, return_to: "/dashboard/usage" })
        assert.deepStrictEqual([answer.status, location(answer)], [303, "/dashboard/usage"])
        assert.notStrictEqual(visitor.cookies.get("discovery")?.value, before)
        assert.include((yield* visitor.get("/dashboard")).text, email)
        assert.deepStrictEqual(yield* sessionsOf(email), [{ passkey: false }, { passkey: true }])
        const again = yield* visitor.submit("/sign-in/passkey", { credential })
        assert.strictEqual(again.status, 403)
      })
    )

    it.effect("D77 answers alike whatever is wrong with a passkey", () =>
      Effect.gen(function* () {
        const { authenticator } = yield* owner
        const refused = Effect.fnUntraced(function* (wrong: Parameters<typeof authenticator.answer>[1]) {
          const visitor = yield* guest
          const options = yield* visitor.submit("/sign-in/passkey/challenge", {})
          assert.deepStrictEqual(allowedBy(options.text), [])
          const credential = authenticator.answer(options.text, wrong)
          return seen(yield* visitor.submit("/sign-in/passkey", { credential, return_to: "//evil.test" }))
        })
        const unknown = yield* refused({ id: "A".repeat(43) })
        assert.strictEqual(unknown.status, 403)
        for (const wrong of [{ origin: "https://evil.test" }, { signCount: 1 }, { userHandle: "AAAA" }, { flags: 1 }]) {
          assert.deepStrictEqual(yield* refused(wrong), unknown)
        }
      })
    )

    it.effect("R29 gives no challenge to other sites, and takes no answer from them", () =>
      Effect.gen(function* () {
        const { authenticator } = yield* owner
        const visitor = yield* guest
        const options = yield* visitor.submit("/sign-in/passkey/challenge", {})
        const credential = authenticator.answer(options.text)
        const crossSite = { "sec-fetch-site": "cross-site" }
        for (const path of ["/sign-in/passkey/challenge", "/sign-in/passkey", `${second}/passkey`, second]) {
          const form = { credential, code: "x" }
          assert.strictEqual((yield* visitor.submit(path, form, crossSite)).status, 403, path)
          assert.strictEqual((yield* visitor.submit(path, { ...form, form_token: "x" })).status, 403, path)
        }
      })
    )

    it.effect("D63 reads no answer of more than 16,000 characters", () =>
      Effect.gen(function* () {
        const visitor = yield* guest
        const answer = yield* visitor.submit("/sign-in/passkey", { credential: "x".repeat(16_001) })
        assert.strictEqual(answer.status, 400)
      })
    )
  })

  describe("the second step", () => {
    it.effect("D81 follows a right password, and ends at the app that asked, without another way around", () =>
      Effect.gen(function* () {
        const who = yield* owner
        yield* requireSecond(who)
        const { authenticator, email, password } = who
        const visitor = yield* guest
        const before = visitor.cookies.get("discovery")?.value
        const wanted = "/authorize?client_id=x&state=y"
        const answer = yield* visitor.submit("/sign-in", { email, password, return_to: wanted })
        assert.deepStrictEqual(
          [answer.status, location(answer)],
          [303, `${second}?return_to=${encodeURIComponent(wanted)}`]
        )
        assert.notStrictEqual(
          visitor.cookies.get("discovery")?.value,
          before,
          "a cookie that was set before is of no use"
        )
        for (const path of ["/dashboard", account, `${account}/password`, "/dashboard/integrations"]) {
          assert.strictEqual((yield* visitor.get(path)).status, 303, path)
        }
        assert.lengthOf(yield* sessionsOf(email), 1)
        const page = yield* visitor.get(location(answer) ?? "")
        assert.strictEqual(page.status, 200)
        assert.notInclude(page.headers.get("content-security-policy") ?? "", "form-action")
        const options = yield* visitor.submit(`${second}/passkey/challenge`, {})
        const credential = authenticator.answer(options.text)
        const done = yield* visitor.submit(`${second}/passkey`, { credential, return_to: wanted })
        assert.deepStrictEqual([done.status, location(done)], [303, wanted])
        assert.include((yield* visitor.get("/dashboard")).text, email)
      })
    )

    it.effect("D81 is for nobody without a right password", () =>
      Effect.gen(function* () {
        const who = yield* owner
        yield* requireSecond(who)
        const visitor = yield* guest
        const unknown = yield* visitor.submit("/sign-in", { email: "nobody@discovery.test", password: "wrong" })
        const wrong = yield* visitor.submit("/sign-in", { email: who.email, password: "wrong" })
        const same = (answer: Answer) => ({ ...seen(answer), text: answer.text.replaceAll(/value="[^"]*"/gu, "") })
        assert.deepStrictEqual(same(wrong), same(unknown))
        assert.strictEqual(location(yield* visitor.get(second)), "/sign-in")
        const over = "/sign-in?done=step-over"
        assert.strictEqual(location(yield* visitor.submit(`${second}/passkey/challenge`, {})), over)
        assert.strictEqual(location(yield* visitor.submit(`${second}/passkey`, { credential: "x" })), over)
        assert.strictEqual(location(yield* visitor.submit(second, { code: "x" })), over)
      })
    )

    it.effect("D82 is a recovery code without scripts, once; the account page shows it", () =>
      Effect.gen(function* () {
        const who = yield* owner
        const [code = ""] = yield* requireSecond(who)
        const { email, password } = who
        const visitor = yield* guest
        yield* visitor.submit("/sign-in", { email, password })
        yield* visitor.get(second)
        const wrong = yield* visitor.submit(second, { code: "0000-0000" })
        assert.strictEqual(wrong.status, 403)
        assert.include(wrong.text, "not one of your recovery codes")
        const done = yield* visitor.submit(second, { code })
        assert.deepStrictEqual([done.status, location(done)], [303, "/dashboard"])
        const { text } = yield* visitor.get(account)
        assert.include(text, "A recovery code was used to sign in.")
        assert.include(text, "9 recovery codes")
        assert.notInclude(text, code)
        const other = yield* guest
        yield* other.submit("/sign-in", { email, password })
        yield* other.get(second)
        assert.strictEqual((yield* other.submit(second, { code })).status, 403)
      })
    )

    it.effect("D82 new codes replace the old ones; turning it off ends them all", () =>
      Effect.gen(function* () {
        const who = yield* owner
        const [old = ""] = yield* requireSecond(who)
        const shown = yield* who.visitor.submit(`${account}/second-step/codes`, {})
        const [fresh = ""] = /[0-9a-z]{4}(?:-[0-9a-z]{4}){5}/u.exec(shown.text) ?? []
        assert.notStrictEqual(fresh, "")
        assert.notInclude(shown.text, old)
        const off = yield* who.visitor.submit(`${account}/second-step/off`, {})
        assert.strictEqual(location(off), `${account}?done=step-off`)
        const visitor = yield* guest
        const { email, password } = who
        assert.strictEqual(location(yield* visitor.submit("/sign-in", { email, password })), "/dashboard")
        const again = yield* who.visitor.submit(`${account}/second-step/codes`, {})
        assert.strictEqual(location(again), `${account}#passkeys`)
      })
    )
  })

  describe("the account page", () => {
    it.effect("D80 lists passkeys with names as text, and keeps the last one while it is required", () =>
      Effect.gen(function* () {
        const who = yield* owner
        yield* SiteVisitor.addPasskey(who.visitor, "<b>bold</b>")
        yield* requireSecond(who)
        const { text } = yield* who.visitor.get(account)
        assert.include(text, "my laptop")
        assert.include(text, "&lt;b&gt;bold&lt;/b&gt;")
        const removals = (page: string) =>
          Array.from(page.matchAll(/action="(\/dashboard\/account\/passkeys\/\d+\/remove)"/gu), ([, path = ""]) => path)
        const [one = "", other = ""] = removals(text)
        assert.strictEqual(location(yield* who.visitor.submit(one, {})), `${account}?done=passkey-removed`)
        const left = yield* who.visitor.get(`${account}?done=passkey-removed`)
        assert.include(left.text, "The passkey is removed from your account.")
        assert.deepStrictEqual(removals(left.text), [])
        assert.strictEqual(location(yield* who.visitor.submit(other, {})), `${account}#passkeys`)
        assert.include((yield* who.visitor.get(account)).text, "&lt;b&gt;bold&lt;/b&gt;")
      })
    )

    it.effect("D80 asks for the password again after ten minutes, and changes nothing before", () =>
      Effect.gen(function* () {
        const { email, password, visitor } = yield* owner
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          UPDATE session SET confirmed_at = confirmed_at - interval '10 minutes'
          WHERE account_id = (SELECT id FROM account WHERE email = ${email})`
        const { text } = yield* visitor.get(account)
        assert.notInclude(text, "/remove")
        const confirm = "/dashboard/account/confirm?return_to=%2Fdashboard%2Faccount%23passkeys"
        assert.include(text, confirm)
        for (const path of ["/passkeys/1/remove", "/second-step/off", "/second-step/codes", "/passkeys/challenge"]) {
          assert.strictEqual(location(yield* visitor.submit(account + path, {})), confirm, path)
        }
        yield* visitor.get(confirm)
        const wrong = yield* visitor.submit("/dashboard/account/confirm", { password: "wrong" })
        assert.strictEqual(wrong.status, 403)
        assert.strictEqual((yield* visitor.submit("/dashboard/account/confirm", { password: "" })).status, 400)
        const right = yield* visitor.submit("/dashboard/account/confirm", { password, return_to: "https://evil.test" })
        assert.strictEqual(location(right), `${account}#passkeys`)
        assert.include((yield* visitor.get(account)).text, "/remove")
      })
    )
  })

  describe("operators' pages", () => {
    const operator = Effect.gen(function* () {
      const site = yield* Site
      const who = yield* site.account()
      yield* Effect.flatMap(Accounts, (accounts) => accounts.setRole(who.email, "operator"))
      const visitor = yield* SiteVisitor.signedIn(who)
      const addFirst = Effect.flatMap(SiteVisitor.codeFor(who.email), (code) =>
        SiteVisitor.addPasskey(visitor, "a key", code)
      )
      return { ...who, visitor, addFirst }
    })

    it.effect("D84 are not reached by a first passkey that the password alone adds: it needs a code", () =>
      Effect.gen(function* () {
        const { addFirst, email, visitor } = yield* operator
        const { text } = yield* visitor.get(account)
        assert.include(text, "An operator adds the first passkey with a code from the command line.")
        const code = yield* SiteVisitor.codeFor(email)
        for (const wrong of [{}, { code: "" }, { code: `${code}0` }]) {
          const challenge = yield* visitor.submit(`${account}/passkeys/challenge`, wrong)
          assert.strictEqual(location(challenge), `${account}?done=passkey-code`)
        }
        const asked = yield* visitor.submit(`${account}/passkeys/challenge`, { code })
        const site = yield* Site
        const credential = new Authenticator(site.url).create(asked.text)
        const added = yield* visitor.submit(`${account}/passkeys`, { name: "theirs", credential })
        assert.strictEqual(location(added), `${account}?done=passkey-code`)
        const shown = yield* visitor.get(`${account}?done=passkey-code`)
        assert.include(shown.text, "The code is wrong, was used, or has expired.")
        assert.notInclude(shown.text, "/remove")
        yield* addFirst
        assert.notInclude((yield* visitor.get(account)).text, 'name="code"')
      })
    )

    it.effect("D84 need a passkey in the session: an operator without one is led to add it", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const { addFirst, visitor } = yield* operator
        const other = yield* site.account()
        const { id, plan } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(other.email))
        const place = `${operators}/accounts/${id}/plan?to=pro`
        const shown = yield* visitor.get(place)
        assert.strictEqual(location(shown), `/dashboard/account/confirm?return_to=${encodeURIComponent(place)}`)
        const page = yield* visitor.get(location(shown) ?? "")
        assert.include(page.text, "Add a passkey to your account first")
        assert.notInclude(page.text, 'type="password"')
        const form = { from: plan, to: "pro" }
        const changed = yield* visitor.submit(`${operators}/accounts/${id}/plan`, form)
        assert.strictEqual(location(changed), `/dashboard/account/confirm?return_to=${encodeURIComponent(operators)}`)
        assert.strictEqual((yield* Effect.flatMap(Accounts, (accounts) => accounts.find(other.email))).plan, plan)
        const authenticator = yield* addFirst
        assert.strictEqual((yield* visitor.get(operators)).status, 303, "to have one is not to use it")
        const options = yield* visitor.submit("/dashboard/account/confirm/passkey/challenge", {})
        const credential = authenticator.answer(options.text)
        const confirmed = yield* visitor.submit("/dashboard/account/confirm/passkey", { credential, return_to: place })
        assert.strictEqual(location(confirmed), place)
        assert.strictEqual((yield* visitor.get(place)).status, 200)
      })
    )

    it.effect("D84 need it again when it is removed, and in another session", () =>
      Effect.gen(function* () {
        const { addFirst, email, password, visitor } = yield* operator
        const authenticator = yield* addFirst
        const there = yield* SiteVisitor.signedIn({ email, password })
        const options = yield* there.submit("/dashboard/account/confirm/passkey/challenge", {})
        yield* there.submit("/dashboard/account/confirm/passkey", { credential: authenticator.answer(options.text) })
        assert.strictEqual((yield* there.get(operators)).status, 200)
        assert.strictEqual((yield* visitor.get(operators)).status, 303)
        const { text } = yield* there.get(account)
        const paths = Array.from(text.matchAll(/action="(\/dashboard\/account\/passkeys\/\d+\/remove)"/gu))
        yield* there.submit(paths.at(-1)?.[1] ?? "", {})
        assert.strictEqual((yield* there.get(operators)).status, 303)
      })
    )

    it.effect("D84 are not reached by a passkey that the password alone adds beside another", () =>
      Effect.gen(function* () {
        const { addFirst, email, password } = yield* operator
        yield* addFirst
        const thief = yield* SiteVisitor.signedIn({ email, password })
        const shown = yield* thief.get(account)
        assert.notInclude(shown.text, `action="${account}/passkeys"`)
        assert.notInclude(shown.text, "/remove")
        const challenge = yield* thief.submit(`${account}/passkeys/challenge`, {})
        assert.include(location(challenge), "/dashboard/account/confirm")
        const page = yield* thief.get(location(challenge) ?? "")
        assert.include(page.text, "Confirm with a passkey")
        assert.notInclude(page.text, 'type="password"')
      })
    )

    it.effect("D84 stay unknown to customers, on the page that confirms as well", () =>
      Effect.gen(function* () {
        const { visitor } = yield* owner
        const plain = yield* visitor.get("/dashboard/account/confirm")
        const asked = yield* visitor.get(`/dashboard/account/confirm?return_to=${operators}`)
        const without = ({ text }: Answer) =>
          text.replaceAll(/<input type="hidden" name="(?:return_to|back)"[^>]*>\s*/gu, "")
        assert.strictEqual(without(asked).replaceAll(/\s+/gu, " "), without(plain).replaceAll(/\s+/gu, " "))
        assert.strictEqual((yield* visitor.get(operators)).status, 404)
      })
    )
  })

  it.effect("every passkey and recovery code that was looked at is in the log, without what is secret", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const who = yield* owner
      const [code = ""] = yield* requireSecond(who)
      const visitor = yield* guest
      yield* visitor.submit("/sign-in", { email: who.email, password: who.password })
      yield* visitor.get(second)
      const before = site.logs.length
      yield* visitor.submit(second, { code: "wrong" })
      yield* visitor.submit("/sign-in/passkey", { credential: "x" })
      yield* visitor.submit(second, { code })
      const other = yield* guest
      const options = yield* other.submit("/sign-in/passkey/challenge", {})
      yield* other.submit("/sign-in/passkey", { credential: who.authenticator.answer(options.text) })
      const lines = site.logs.slice(before).join("\n")
      for (const said of [
        "A recovery code was wrong",
        "A passkey was rejected",
        "A recovery code was right",
        "A passkey was verified"
      ]) {
        assert.include(lines, said)
      }
      for (const secret of [code, who.email, who.password]) assert.notInclude(lines, secret)
    })
  )

  // Last: it uses up what this address may ask for.
  it.effect("R56 challenges are limited for one address", () =>
    Effect.gen(function* () {
      const visitor = yield* guest
      const statuses = new Set<number>()
      for (let asked = 0; asked < 150; asked++) {
        statuses.add((yield* visitor.submit("/sign-in/passkey/challenge", {})).status)
      }
      assert.deepStrictEqual(statuses, new Set([200, 429]))
    })
  )
})
