/** The page that asks, and what becomes of the answer, over HTTP and the live services (R21, R23 to R31, S88 to S91). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Messages from "../../../src/domain/Messages.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ConsentRequests } from "../../../src/services/oauth/ConsentRequests.ts"
import * as ClientDocuments from "../../support/ClientDocuments.ts"
import * as Access from "../../support/Access.ts"
import * as Consent from "../../support/Consent.ts"
import * as DocumentServer from "../../support/DocumentServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import { Site } from "../../support/Site.ts"

const services = Site.layer({ config: Consent.config }).pipe(Layer.provideMerge(SetClock.layer("2026-03-01T12:00:00Z")))

const decisionPath = "/authorize/decision"

/** The fields of the page that asks, for whoever has the tab. */
const asked = (tab: Consent.Browser, address: string) =>
  Effect.map(tab.get(address), (page) => {
    assert.strictEqual(page.status, 200, Consent.headingOf(page.text))
    return { text: page.text, fields: Consent.fieldsOf(page.text, decisionPath) }
  })

/** The way back to a request that was not answered. */
const wayBack = (text: string, label: string): string | undefined =>
  Array.from(text.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)).flatMap(([, href = "", words]) =>
    words === label ? [Consent.unescape(href)] : []
  )[0]

const isOver = ({ headers, status, text }: Consent.Reply) => {
  assert.strictEqual(status, 400)
  assert.strictEqual(Consent.headingOf(text), "This request has expired")
  assert.isNull(headers.get("refresh"))
}

/** Codes that were issued so far. */
const codes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT FROM oauth_code`).length
})

/** Whatever happens in it gives nobody a code. */
const givesNothing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* codes
    const result = yield* effect
    assert.strictEqual(yield* codes, before)
    return result
  })

layer(services, { excludeTestServices: true })("consent", (it) => {
  // S88, S89
  describe("R24 the page says", () => {
    it.effect(
      "what the app is called, where it leads, whose account it is, what the app may do, and for how long",
      () =>
        Effect.gen(function* () {
          const client = yield* Consent.app({
            name: "Shop Helper",
            redirectUris: ["https://helper.example:8443/back?x=1"]
          })
          const tab = yield* Consent.somebody
          const { text } = yield* asked(
            tab,
            Consent.request(client.id, { redirect_uri: "https://helper.example:8443/back?x=1" })
          )
          assert.strictEqual(Consent.headingOf(text), "Connect Shop Helper")
          assert.include(text, "<title>Connect Shop Helper · Discovery</title>")
          const words = Consent.textOf(text)
          assert.include(words, "You are sent back to helper.example:8443 Your account")
          assert.include(words, `Your account ${tab.who.email} Use another account`)
          assert.include(words, "Search shops, products and ads")
          assert.include(words, "Change nothing in your account, your stores or your billing")
          assert.include(words, "Allow access Deny")
          assert.include(words, "It ends by itself after 30 days without use, and after 365 days in any case.")
        })
    )

    it.effect.each(Messages.languages)("D51 all of it in %s, as well as what follows", (language) =>
      Effect.gen(function* () {
        const headers = { "accept-language": language }
        const { text } = Messages.of(language)
        const client = yield* Consent.app({ name: "Shop Helper" })
        const tab = yield* Consent.signedIn()
        const address = Consent.request(client.id)
        const own = (page: string, keys: ReadonlyArray<Messages.MessageKey>) => {
          assert.include(page, `<html lang="${language}"`)
          const words = Consent.textOf(page)
          for (const key of keys) {
            assert.include(words, text(key))
            const inEnglish = Messages.of("en").text(key)
            if (inEnglish !== text(key)) assert.notInclude(words, inEnglish)
          }
        }
        const page = yield* tab.get(address, headers)
        assert.strictEqual(Consent.headingOf(page.text), text("consent.connect", { name: "Shop Helper" }))
        own(page.text, [
          "consent.unverified",
          "consent.sentBackTo",
          "consent.account",
          "consent.otherAccount",
          "consent.may",
          "consent.maySearch",
          "consent.mayNotChange",
          "consent.onlyIfYours",
          "consent.onThisDevice",
          "consent.allow",
          "consent.deny"
        ])
        const form = { ...Consent.fieldsOf(page.text, decisionPath), decision: "deny" }
        const sameOrigin = { origin: "null", "sec-fetch-site": "same-origin", ...headers }
        own((yield* tab.post(decisionPath, form, sameOrigin)).text, ["consent.denied"])
        const late = yield* tab.post(decisionPath, { ...form, decision: "allow" }, sameOrigin)
        own(late.text, ["consent.over", "consent.deniedText", "consent.nothingGiven", "consent.viewAgain"])
        const refused = yield* tab.get(Consent.request(client.id, { response_type: "token" }), headers)
        own(refused.text, ["consent.refused", "consent.refusedText", "consent.linkLeadsTo", "consent.backToApp"])
        const unknown = yield* tab.get(Consent.request("nobody"), headers)
        own(unknown.text, ["consent.clientUnknown", "consent.clientUnknownText", "consent.nothingGiven"])
        const starter = yield* Consent.signedIn({ plan: "starter" })
        own((yield* starter.get(address, headers)).text, ["integrations.connectUpgrade"])
      })
    )

    it.effect.each<readonly [string, string]>([
      ["http://127.0.0.1:8787/callback", "127.0.0.1:8787"],
      ["http://[::1]:8787/callback", "[::1]:8787"],
      ["https://app.example/callback", "app.example"],
      ["https://accounts.bank.example.evil.example/callback", "accounts.bank.example.evil.example"],
      ["https://xn--pple-43d.example/callback", "xn--pple-43d.example"],
      ["https://2130706433/callback", "127.0.0.1"],
      ["cursor://anysphere.cursor-mcp/oauth/callback", "the app on this device that opens cursor: addresses"],
      [`https://${"a-long-name.".repeat(15)}example/callback`, `${"a-long-name.".repeat(15)}example`]
    ])("of %s where it leads, in full", ([redirectUri, shown]) =>
      Effect.gen(function* () {
        const client = yield* Consent.app({ redirectUris: [redirectUri] })
        const { text } = yield* asked(
          yield* Consent.somebody,
          Consent.request(client.id, { redirect_uri: redirectUri })
        )
        assert.include(Consent.textOf(text), `You are sent back to ${shown} Your account`)
      })
    )

    it.effect("in bold the part of a host that says whose it is", () =>
      Effect.gen(function* () {
        const redirectUri = "https://accounts.bank.com.evil.example:444/callback"
        const client = yield* Consent.app({ redirectUris: [redirectUri] })
        const { text } = yield* asked(
          yield* Consent.somebody,
          Consent.request(client.id, { redirect_uri: redirectUri })
        )
        assert.include(text, `<bdi class="host">accounts.bank.com.<strong>evil.example</strong>:444</bdi>`)
      })
    )

    it.effect("and another account can continue with the request", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const client = yield* Consent.app()
        const { challenge, verifier } = Consent.proof()
        const address = Consent.request(client.id, { code_challenge: challenge, state: "🦈\u0000 + &" })
        const tab = yield* Consent.signedIn()
        const other = yield* site.account()
        const { text } = yield* asked(tab, address)
        const out = yield* tab.post("/sign-out", Consent.fieldsOf(text, "/sign-out"))
        const signIn = new URL(out.headers.get("location") ?? "", site.url)
        assert.strictEqual(signIn.pathname, "/sign-in")
        assert.strictEqual(signIn.searchParams.get("return_to"), address)
        const back = yield* tab.signIn(other, signIn.searchParams.get("return_to") ?? "")
        assert.strictEqual(back.headers.get("location"), address)
        const again = yield* asked(tab, address)
        assert.include(again.text, other.email)
        assert.notInclude(again.text, tab.who.email)
        const to = Consent.forwardedTo(yield* tab.post(decisionPath, { ...again.fields, decision: "allow" }))
        assert.strictEqual(to.searchParams.get("state"), "🦈\u0000 + &")
        yield* Consent.exchange(client.id, to.searchParams.get("code") ?? "", verifier)
        assert.lengthOf(yield* Consent.apps(other.email), 1)
        assert.lengthOf(yield* Consent.apps(tab.who.email), 0)
      })
    )
  })

  // S89
  describe("R25 who publishes the app", () => {
    it.effect("is unknown for a registered app, regardless of its metadata", () =>
      Effect.gen(function* () {
        const { client_id: id } = yield* Consent.register({
          client_name: "Claude, verified by Discovery",
          client_uri: "https://claude.ai",
          logo_uri: "https://claude.ai/logo.png",
          tos_uri: "https://claude.ai/tos",
          publisher: "claude.ai",
          redirect_uris: [Consent.redirectUri]
        })
        const { text } = yield* asked(yield* Consent.somebody, Consent.request(id))
        assert.include(
          Consent.textOf(text),
          "This app chose its own name. Discovery has not verified who publishes it."
        )
        assert.notInclude(text, "Verified publisher")
        assert.notInclude(text, "claude.ai")
      })
    )

    it.effect("is the host of a document's address, and nothing that the document says", () =>
      Effect.gen(function* () {
        const server = yield* DocumentServer.make()
        const clientId = `${server.origin}/client.json`
        server.answer = DocumentServer.json(
          ClientDocuments.documentOf(clientId, {
            client_name: "Claude",
            client_uri: "https://claude.ai",
            logo_uri: "https://claude.ai/logo.png",
            redirect_uris: ["https://claude.ai/callback"]
          })
        )
        const { text } = yield* asked(
          yield* Consent.somebody,
          Consent.request(clientId, { redirect_uri: "https://claude.ai/callback" })
        )
        assert.strictEqual(Consent.headingOf(text), "Connect Claude")
        assert.include(Consent.textOf(text), `Verified publisher: 127.0.0.1:${server.port} `)
        assert.notInclude(text, "chose its own name")
        // R31
        assert.notInclude(text, "logo.png")
      })
    )
  })

  // S90
  describe("R26 the user is warned", () => {
    const warning = "Continue only if you just started this connection."

    it.effect.each([
      "http://localhost:8787/callback",
      "http://127.0.0.1:1/callback",
      "http://[::1]/callback",
      "https://localhost/callback",
      "https://127.1/callback",
      "https://app.localhost/callback",
      "https://0.0.0.0/callback",
      "https://[::ffff:127.0.0.1]/callback",
      "cursor://anysphere.cursor-mcp/oauth/callback"
    ])("when a program on the device takes the answer: %s", (redirectUri) =>
      Effect.gen(function* () {
        const client = yield* Consent.app({ redirectUris: [redirectUri] })
        const { text } = yield* asked(
          yield* Consent.somebody,
          Consent.request(client.id, { redirect_uri: redirectUri })
        )
        assert.include(Consent.textOf(text), warning)
      })
    )

    it.effect("also of an app with a document, which cannot prove which program listens", () =>
      Effect.gen(function* () {
        const server = yield* DocumentServer.make()
        const clientId = `${server.origin}/client.json`
        server.answer = DocumentServer.json(ClientDocuments.documentOf(clientId))
        const address = Consent.request(clientId, { redirect_uri: "http://127.0.0.1:51000/callback" })
        const { text } = yield* asked(yield* Consent.somebody, address)
        assert.include(text, "Verified publisher")
        assert.include(Consent.textOf(text), warning)
      })
    )

    it.effect.each([
      "https://app.example/callback",
      "https://localhost.example/callback",
      "https://app.example/localhost"
    ])("and not when it is a web site: %s", (redirectUri) =>
      Effect.gen(function* () {
        const client = yield* Consent.app({ redirectUris: [redirectUri] })
        const { text } = yield* asked(
          yield* Consent.somebody,
          Consent.request(client.id, { redirect_uri: redirectUri })
        )
        assert.notInclude(Consent.textOf(text), warning)
      })
    )
  })

  // S91
  describe("R27 without an active Growth or Pro subscription nothing can be allowed", () => {
    it.effect.each([
      { plan: "starter", status: "active", says: "This account's is Starter. Upgrade" },
      { plan: "growth", status: "paused", says: "This account's is Growth, paused." },
      { plan: "pro", status: "unpaid", says: "This account's is Pro, unpaid." },
      { plan: "starter", status: "canceled", says: "This account's is Starter, canceled." }
    ] as const)("$plan, $status: an upgrade or billing prompt instead, and a way to deny", ({ plan, says, status }) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn({ plan, status })
        const address = Consent.request(client.id)
        const { fields, text } = yield* asked(tab, address)
        assert.notInclude(text, "Allow access")
        assert.strictEqual(wayBack(text, "come back to this request"), address)
        assert.include(Consent.textOf(text), says)
        assert.include(text, `<a href="https://billing.test/plans">Upgrade or fix billing</a>`)
        const forced = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }))
        assert.strictEqual(forced.status, 403)
        assert.include(Consent.textOf(forced.text), says)
        assert.strictEqual(wayBack(forced.text, "come back to this request"), address)
        const again = Consent.fieldsOf(forced.text, decisionPath)
        const denied = Consent.forwardedTo(yield* tab.post(decisionPath, { ...again, decision: "deny" }))
        assert.strictEqual(denied.searchParams.get("error"), "access_denied")
      })
    )

    it.effect.each([{ plan: "growth" }, { plan: "pro" }] as const)("$plan may allow", ({ plan }) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn({ plan })
        Consent.forwardedTo(yield* tab.decide(Consent.request(client.id), "allow"))
      })
    )

    it.effect("a downgrade between the page and the answer counts, and so does the upgrade after it", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const { fields } = yield* asked(tab, Consent.request(client.id))
        yield* accounts.setPlan(tab.who.email, "starter")
        const refused = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }))
        assert.strictEqual(refused.status, 403)
        assert.include(refused.text, "Upgrade or fix billing")
        yield* accounts.setPlan(tab.who.email, "pro")
        // The page that told so is still good for a decision, made with the button that it did not have.
        const again = Consent.fieldsOf(refused.text, decisionPath)
        Consent.forwardedTo(yield* tab.post(decisionPath, { ...again, decision: "allow" }))
      })
    )
  })

  it.effect("R23 an app that was approved before is not approved silently again", () =>
    Effect.gen(function* () {
      for (const redirectUri of [Consent.redirectUri, "https://app.example/callback", "cursor://a.b/callback"]) {
        const client = yield* Consent.app({ redirectUris: [redirectUri] })
        const tab = yield* Consent.somebody
        const { challenge, verifier } = Consent.proof()
        const address = Consent.request(client.id, { redirect_uri: redirectUri, code_challenge: challenge })
        const to = Consent.forwardedTo(yield* tab.decide(address, "allow"))
        yield* Consent.exchange(client.id, to.searchParams.get("code") ?? "", verifier)
        for (const prompt of [undefined, "none", "consent"]) {
          const { text } = yield* givesNothing(
            asked(tab, Consent.request(client.id, { redirect_uri: redirectUri, prompt }))
          )
          assert.include(text, "Allow access")
        }
      }
    })
  )

  describe("R28 the decision", () => {
    it.effect("a denial is sent to the app, and creates no connection", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const answer = yield* givesNothing(tab.decide(Consent.request(client.id), "deny"))
        const to = Consent.forwardedTo(answer)
        assert.strictEqual(to.origin + to.pathname, Consent.redirectUri)
        assert.deepStrictEqual(Object.fromEntries(to.searchParams), {
          error: "access_denied",
          error_description: "The user did not allow access.",
          state: "st-1",
          iss: url
        })
        assert.strictEqual(Consent.headingOf(answer.text), "Access denied")
        assert.lengthOf(yield* Consent.apps(tab.who.email), 0)
      })
    )

    const both = ["allow", "deny"] as const

    it.effect.each(both)("sent again gets the same answer; the other one has no effect: %s", (decision) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.somebody
        const { fields } = yield* asked(tab, Consent.request(client.id))
        const first = Consent.forwardedTo(yield* tab.post(decisionPath, { ...fields, decision }))
        for (const again of [...both, ...both]) {
          const answer = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: again }))
          if (again === decision) {
            assert.strictEqual(Consent.forwardedTo(answer).href, first.href)
          } else {
            isOver(answer)
            const said =
              decision === "allow"
                ? "You already allowed access. To end it, revoke the app on the Integrations page. Nothing was changed."
                : "You already denied access. To allow it, start again in the app. Nothing was given to the app."
            assert.include(Consent.textOf(answer.text), said)
          }
        }
      })
    )

    it.effect("sent at the same time by a double click gives one connection, whose app works", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const { challenge, verifier } = Consent.proof()
        const { fields } = yield* asked(tab, Consent.request(client.id, { code_challenge: challenge }))
        const before = yield* codes
        const answers = yield* Effect.all(
          Array.from({ length: 12 }, () => tab.post(decisionPath, { ...fields, decision: "allow" })),
          { concurrency: "unbounded" }
        )
        const [to, ...others] = [...new Set(answers.map((answer) => Consent.forwardedTo(answer).href))]
        assert.deepStrictEqual(others, [])
        assert.strictEqual(yield* codes, before + 1)
        const code = new URL(to ?? "").searchParams.get("code") ?? ""
        const { json } = yield* Consent.exchange(client.id, code, verifier)
        assert.strictEqual(yield* Consent.call(json), 200)
        // A second use of the code would end the connection.
        const late = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }))
        assert.strictEqual(late.status, 200)
        assert.isNull(late.headers.get("refresh"))
        assert.notInclude(late.text, code)
        assert.include(Consent.textOf(late.text), "Access allowed You allowed access, and “A test's app” is connected.")
        assert.strictEqual(yield* Consent.call(json), 200)
        assert.lengthOf(yield* Consent.apps(tab.who.email), 1)
      })
    )

    it.effect("of both kinds at the same time is one of them", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const { fields } = yield* asked(tab, Consent.request(client.id))
        const answers = yield* Effect.all(
          Array.from({ length: 12 }, (_, index) =>
            tab.post(decisionPath, { ...fields, decision: both[index % 2] ?? "deny" })
          ),
          { concurrency: "unbounded" }
        )
        const told = answers.filter(({ status }) => status === 200)
        assert.lengthOf(told, 6)
        assert.lengthOf([...new Set(told.map((answer) => Consent.forwardedTo(answer).href))], 1)
        for (const answer of answers.filter(({ status }) => status !== 200)) isOver(answer)
      })
    )

    it.effect("whose code was not exchanged in time, or whose connection has ended, says so and gives nothing", () =>
      Effect.gen(function* () {
        const [clock, sql] = [yield* SetClock, yield* SqlClient.SqlClient]
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const address = Consent.request(client.id)
        for (const end of [clock.advance(60_000), sql`DELETE FROM oauth_grant`]) {
          const { fields } = yield* asked(tab, address)
          Consent.forwardedTo(yield* tab.post(decisionPath, { ...fields, decision: "allow" }))
          yield* end
          const late = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }))
          isOver(late)
          assert.include(Consent.textOf(late.text), "the app did not use it within a minute")
          assert.strictEqual(wayBack(late.text, "View the request again"), address)
        }
      })
    )

    it.effect("is over after 15 minutes", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const first = yield* asked(tab, Consent.request(client.id))
        const second = yield* asked(tab, Consent.request(client.id))
        yield* clock.advance(15 * 60_000 - 1)
        Consent.forwardedTo(yield* tab.post(decisionPath, { ...first.fields, decision: "allow" }))
        yield* clock.advance(1)
        isOver(yield* givesNothing(tab.post(decisionPath, { ...second.fields, decision: "allow" })))
      })
    )

    it.effect("that an outage has lost can be sent again; the page of what is over leads back to the request", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const address = Consent.request(client.id)
        const { fields } = yield* asked(tab, address)
        yield* sql`ALTER TABLE oauth_code RENAME TO oauth_code_away`
        const down = yield* tab
          .post(decisionPath, { ...fields, decision: "allow" })
          .pipe(Effect.ensuring(Effect.orDie(sql`ALTER TABLE oauth_code_away RENAME TO oauth_code`)))
        assert.strictEqual(down.status, 503)
        Consent.forwardedTo(yield* tab.post(decisionPath, { ...fields, decision: "allow" }))
        const late = yield* tab.post(decisionPath, { ...fields, request: "A".repeat(43), decision: "allow" })
        isOver(late)
        const back = wayBack(late.text, "View the request again")
        assert.strictEqual(back, address)
        Consent.forwardedTo(yield* tab.decide(back ?? "", "allow"))
        // What is no address of ours is no link.
        for (const url of ["https://evil.example/", "//evil.example", "/dashboard", "/authorize\\evil", ""]) {
          const other = yield* tab.post(decisionPath, { ...fields, request: "", url, decision: "allow" })
          isOver(other)
          const link = wayBack(other.text, "View the request again")
          assert.strictEqual(link, url.startsWith("/authorize") ? "/authorize%5Cevil" : undefined, url)
        }
      })
    )

    it.effect("of another sign-in of the same account is not this one's", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const other = yield* Consent.browser
        yield* other.signIn(tab.who)
        const mine = yield* asked(tab, Consent.request(client.id))
        const theirs = yield* asked(other, Consent.request(client.id))
        // With a form token of its own, so that only the request is foreign.
        isOver(
          yield* givesNothing(
            other.post(decisionPath, { ...theirs.fields, request: mine.fields["request"] ?? "", decision: "allow" })
          )
        )
        // It was not used up by that.
        Consent.forwardedTo(yield* tab.post(decisionPath, { ...mine.fields, decision: "allow" }))
      })
    )

    it.effect("of another account is not this one's, although the same browser has switched", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const { fields } = yield* asked(tab, Consent.request(client.id))
        const other = yield* site.account()
        yield* tab.signOut
        yield* tab.signIn(other)
        const rejected = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }))
        assert.strictEqual(rejected.status, 403)
        assert.strictEqual(Consent.headingOf(rejected.text), "This page is out of date")
        assert.include(rejected.text, other.email)
        // Nor with a form token of the other account.
        const own = yield* asked(tab, Consent.request(client.id))
        isOver(
          yield* givesNothing(
            tab.post(decisionPath, { ...own.fields, request: fields["request"] ?? "", decision: "allow" })
          )
        )
        assert.lengthOf(yield* Consent.apps(other.email), 0)
      })
    )

    it.effect("of someone who has signed out meanwhile is asked again after the next sign-in", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const address = Consent.request(client.id)
        const { fields } = yield* asked(tab, address)
        yield* tab.signOut
        const answer = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }))
        assert.strictEqual(answer.status, 303)
        assert.strictEqual(answer.headers.get("location"), `/sign-in?return_to=${encodeURIComponent(address)}`)
        const back = yield* tab.signIn(tab.who, address)
        Consent.forwardedTo(yield* tab.decide(back.headers.get("location") ?? "", "allow"))
      })
    )

    it.effect.each<Readonly<Record<string, string>>>([
      { request: "" },
      { request: "x" },
      { request: "x".repeat(101) },
      { request: "A".repeat(43) },
      { request: "\0".repeat(43) },
      { decision: "" },
      { decision: "Allow" },
      { decision: "allow deny" },
      { url: "https://evil.example/" }
    ])("cannot be made up: %j", (changes) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.somebody
        const { fields } = yield* asked(tab, Consent.request(client.id))
        const send = tab.post(decisionPath, { ...fields, decision: "allow", ...changes })
        if ("url" in changes) {
          // It is not what the app is answered by.
          assert.strictEqual(Consent.forwardedTo(yield* send).origin, "http://localhost:8787")
        } else {
          assert.strictEqual((yield* givesNothing(send)).status, 400)
        }
      })
    )

    it.effect("waits on at most 20 pages of a session, of which the oldest is given up", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const client = yield* Consent.app()
        const tab = yield* Consent.signedIn()
        const first = yield* asked(tab, Consent.request(client.id))
        yield* clock.advance(1000)
        const second = yield* asked(tab, Consent.request(client.id))
        for (let page = 0; page < 19; page++) {
          yield* clock.advance(1000)
          yield* asked(tab, Consent.request(client.id))
        }
        isOver(yield* tab.post(decisionPath, { ...first.fields, decision: "allow" }))
        Consent.forwardedTo(yield* tab.post(decisionPath, { ...second.fields, decision: "allow" }))
      })
    )
  })

  it.effect("a request leaves nothing behind when its time or its session is over", () =>
    Effect.gen(function* () {
      const [clock, sql, requests] = [yield* SetClock, yield* SqlClient.SqlClient, yield* ConsentRequests]
      const waiting = Effect.map(sql`SELECT FROM consent_request`, (rows) => rows.length)
      const client = yield* Consent.app()
      const [tab, other] = [yield* Consent.signedIn(), yield* Consent.signedIn()]
      yield* asked(tab, Consent.request(client.id))
      yield* clock.advance(15 * 60_000)
      yield* asked(other, Consent.request(client.id))
      assert.strictEqual(yield* waiting, 1)
      yield* other.signOut
      assert.strictEqual(yield* waiting, 0)
      // A session that ends while its page is made.
      const secret = yield* requests.open(2_147_483_647, {
        client,
        request: { redirectUri: Consent.redirectUri, state: undefined, challenge: "", resource: "" },
        url: "/authorize?"
      })
      assert.strictEqual(yield* waiting, 0)
      assert.isTrue(Option.isNone(yield* requests.find({ sessionId: 2_147_483_647, secret })))
    })
  )

  it.effect("a request in a session that is just ending waits for its end, and leads to the sign-in", () =>
    Effect.gen(function* () {
      const [sql, requests] = [yield* SqlClient.SqlClient, yield* ConsentRequests]
      const client = yield* Consent.app()
      yield* Consent.signedIn()
      const [session] = yield* sql<{ id: number }>`SELECT id FROM session ORDER BY id DESC LIMIT 1`
      const sessionId = session?.id ?? assert.fail()
      const ending = yield* Access.hold((other) => other`DELETE FROM session WHERE id = ${sessionId}`)
      const opening = requests.open(sessionId, {
        client,
        request: { redirectUri: Consent.redirectUri, state: undefined, challenge: "", resource: "" },
        url: "/authorize?"
      })
      const secret = yield* Access.afterWaiting(ending, opening)
      assert.isTrue(Option.isNone(yield* requests.find({ sessionId, secret })))
    })
  )

  describe("R29 a decision that another site sends does nothing", () => {
    it.effect.each<readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
      ["with everything but the form token", { form_token: "" }, { "sec-fetch-site": "same-origin" }],
      ["with a wrong form token", { form_token: "A".repeat(43) }, { "sec-fetch-site": "same-origin" }],
      ["from another site", {}, { "sec-fetch-site": "cross-site" }],
      ["from another host of the same domain", {}, { "sec-fetch-site": "same-site" }],
      ["from the address bar", {}, { "sec-fetch-site": "none" }],
      ["by an old browser, with the origin of another site", {}, { origin: "https://evil.example" }]
    ])("%s", ([, changes, headers]) =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.somebody
        const { fields } = yield* asked(tab, Consent.request(client.id))
        const answer = yield* givesNothing(
          tab.post(decisionPath, { ...fields, decision: "allow", ...changes }, headers)
        )
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(Consent.headingOf(answer.text), "This page is out of date")
        // The request is still there for who was asked.
        Consent.forwardedTo(yield* tab.post(decisionPath, { ...fields, decision: "allow" }))
      })
    )

    it.effect("with a form token of another session", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const [victim, attacker] = [yield* Consent.signedIn(), yield* Consent.signedIn()]
        const mine = yield* asked(attacker, Consent.request(client.id))
        const answer = yield* givesNothing(victim.post(decisionPath, { ...mine.fields, decision: "allow" }))
        assert.strictEqual(answer.status, 403)
      })
    )

    it.effect("as anything but a form, or by a link", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const client = yield* Consent.app()
        const tab = yield* Consent.somebody
        const { fields } = yield* asked(tab, Consent.request(client.id))
        const form = new URLSearchParams({ ...fields, decision: "allow" })
        for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
          const status = yield* givesNothing(
            Effect.promise(async () => {
              const answer = await fetch(site.url + decisionPath, {
                method: "POST",
                headers: { cookie: tab.cookie(), "content-type": type, "sec-fetch-site": "same-origin" },
                body: String(form)
              })
              return answer.status
            })
          )
          assert.strictEqual(status, 400, type)
        }
        isOver(yield* givesNothing(tab.get(`${decisionPath}?${form}`)))
      })
    )

    it.effect("a visitor without a session is not asked, and the sign-in leads back to this request only", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.browser
        const address = Consent.request(client.id, { state: "/\\evil.example" })
        const answer = yield* tab.get(address)
        assert.strictEqual(answer.status, 303)
        assert.strictEqual(answer.headers.get("location"), `/sign-in?return_to=${encodeURIComponent(address)}`)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        // A return_to of another's making.
        for (const url of ["https://evil.example/", "//evil.example", "/\\evil.example", "/dashboard", ""]) {
          const sent = yield* tab.post(decisionPath, { request: "x", decision: "allow", form_token: "x", url })
          assert.strictEqual(sent.headers.get("location"), "/sign-in", url)
        }
      })
    )
  })

  describe("R30 the pages", () => {
    it.effect("allow no framing, send no referrer, run no script, and are not cached", () =>
      Effect.gen(function* () {
        const client = yield* Consent.app()
        const tab = yield* Consent.somebody
        const guest = yield* Consent.browser
        const pages = [
          yield* tab.get(Consent.request(client.id)),
          yield* tab.decide(Consent.request(client.id), "allow"),
          yield* tab.decide(Consent.request(client.id), "deny"),
          yield* tab.get(Consent.request("unknown")),
          yield* tab.get(decisionPath),
          yield* guest.get(`/sign-in?return_to=${encodeURIComponent(Consent.request(client.id))}`)
        ]
        // A passkey needs a script; without one people sign in by password.
        const passkeysScript = /<script type="module" src="\/assets\/passkeys\.\w+\.js"><\/script>/u
        for (const { headers, text } of pages) {
          const policy = headers.get("content-security-policy") ?? ""
          assert.include(policy, "default-src 'none'")
          assert.include(policy, "frame-ancestors 'none'")
          assert.include(policy, "base-uri 'none'")
          assert.notInclude(policy, "unsafe")
          assert.strictEqual(headers.get("x-frame-options"), "DENY")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          const isSignIn = text.includes("<title>Sign in")
          assert.notInclude(isSignIn ? text.replace(passkeysScript, "") : text, "<script")
          assert.notMatch(text, /(?:src|href)="(?!\/|https:\/\/billing\.test|http:\/\/localhost:8787|mailto:|#)/)
        }
      })
    )

    it.effect("hand on by a page with a link and a refresh, and no form of them is kept from ending elsewhere", () =>
      Effect.gen(function* () {
        const tab = yield* Consent.somebody
        for (const redirectUri of [Consent.redirectUri, "https://claude.ai/api/mcp/auth_callback", "cursor://a.b/c"]) {
          const client = yield* Consent.app({ redirectUris: [redirectUri] })
          const answer = yield* tab.decide(Consent.request(client.id, { redirect_uri: redirectUri }), "allow")
          assert.strictEqual(answer.status, 200)
          assert.isNull(answer.headers.get("location"))
          assert.isTrue(Consent.forwardedTo(answer).href.startsWith(`${redirectUri}?code=`))
        }
        const guest = yield* Consent.browser
        const signIn = yield* guest.get(`/sign-in?return_to=${encodeURIComponent("/authorize?client_id=x")}`)
        assert.notInclude(signIn.headers.get("content-security-policy") ?? "", "form-action")
      })
    )
  })

  describe("R31 names that apps give themselves", () => {
    const shown = (name: string) =>
      Effect.gen(function* () {
        const { client_id: id } = yield* Consent.register({ client_name: name, redirect_uris: [Consent.redirectUri] })
        const tab = yield* Consent.somebody
        const { text } = yield* asked(tab, Consent.request(id))
        const answered = yield* tab.decide(Consent.request(id), "deny")
        return { text, heading: Consent.headingOf(text), forwarded: answered.text }
      })

    it.effect.each([
      ["markup", `<script>alert(1)</script>`, "<script>alert(1)</script>"],
      ["an attribute's end", `"><img src=x onerror=alert(1)>`, `"><img src=x onerror=alert(1)>`],
      ["entities", "&lt;b&gt;&#60;", "&lt;b&gt;&#60;"],
      ["a change of direction", "\u202Emoc.elpmaxe\u202C \u2066x\u2069", "moc.elpmaxe x"],
      ["U+0000 and other controls", "Sh\u0000op\u0007 \u001b[31mHelper\u009b", "Shop [31mHelper"],
      ["lines of its own", "Shop\n\nVerified publisher:\r\nbank.example", "Shop Verified publisher: bank.example"],
      ["invisible text", "S\u200Bh\u2060o\uFEFFp\u{E0041}", "Shop"],
      ["nothing that is seen", "\u200B\u202E ", "Unnamed app"],
      ["too much", "x".repeat(5_000), "x".repeat(100)]
    ] as const)("with %s are text of one line", ([, name, expected]) =>
      Effect.map(shown(name), ({ forwarded, heading, text }) => {
        assert.strictEqual(heading, `Connect ${expected}`)
        for (const page of [text, forwarded]) {
          assert.notMatch(page, /<script|<img src=x/)
          assert.notMatch(page, /(?!\n)\p{Cc}|[\u200B\u202A-\u202E\u2066-\u2069]/u)
        }
        // In a direction of its own, so that it cannot reorder what stands around it.
        assert.match(text, /<h1>Connect <bdi>[^<]*<\/bdi><\/h1>/)
      })
    )
  })

  describe("R21 the code", () => {
    it.effect("is for this app, this address, this verifier and this account, and works once", () =>
      Effect.gen(function* () {
        const [client, other] = [yield* Consent.app(), yield* Consent.app()]
        const { challenge, verifier } = Consent.proof()
        const tab = yield* Consent.signedIn()
        const to = Consent.forwardedTo(
          yield* tab.decide(Consent.request(client.id, { code_challenge: challenge }), "allow")
        )
        const code = to.searchParams.get("code") ?? ""
        // With 220 random bits.
        assert.match(code, /^dac_[0-9A-Za-z]{43}$/)
        const attempts: ReadonlyArray<readonly [string, string, Readonly<Record<string, string>>, string]> = [
          [client.id, Consent.proof().verifier, {}, "invalid_grant"],
          [client.id, challenge, {}, "invalid_grant"],
          [other.id, verifier, {}, "invalid_grant"],
          [client.id, verifier, { redirect_uri: "http://localhost:8788/callback" }, "invalid_grant"],
          [client.id, verifier, { resource: "https://other.example/mcp" }, "invalid_target"],
          [client.id, verifier, { code_verifier: "" }, "invalid_request"],
          [client.id, verifier, { code: "" }, "invalid_request"],
          [`doc_${"a".repeat(43)}`, verifier, {}, "invalid_client"]
        ]
        for (const [clientId, proof, changes, error] of attempts) {
          const refused = yield* Consent.exchange(clientId, code, proof, changes)
          assert.strictEqual(refused.json["error"], error, refused.text)
        }
        const given = yield* Consent.exchange(client.id, code, verifier, { redirect_uri: Consent.redirectUri })
        assert.strictEqual(given.status, 200, given.text)
        assert.strictEqual(yield* Consent.call(given.json), 200)
        const replayed = yield* Consent.exchange(client.id, code, verifier, { redirect_uri: Consent.redirectUri })
        assert.strictEqual(replayed.json["error"], "invalid_grant")
        // What the first use gave is dead.
        assert.strictEqual(yield* Consent.call(given.json), 401)
        assert.lengthOf(yield* Consent.apps(tab.who.email), 0)
      })
    )

    it.effect("is over after 60 seconds", () =>
      Effect.gen(function* () {
        const clock = yield* SetClock
        const client = yield* Consent.app()
        const { challenge, verifier } = Consent.proof()
        const tab = yield* Consent.somebody
        const address = Consent.request(client.id, { code_challenge: challenge })
        const to = Consent.forwardedTo(yield* tab.decide(address, "allow"))
        yield* clock.advance(60_000)
        const late = yield* Consent.exchange(client.id, to.searchParams.get("code") ?? "", verifier)
        assert.strictEqual(late.json["error"], "invalid_grant")
      })
    )
  })

  it.effect("an account with the maximum number of apps gets a page that says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* Consent.app()
      const tab = yield* Consent.signedIn()
      yield* sql`
        INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at)
        SELECT id, ${client.id}, 'x', 'x', now(), now(), 'infinity', 'infinity'
        FROM account, generate_series(1, 200) WHERE email = ${tab.who.email}`
      const answer = yield* givesNothing(tab.decide(Consent.request(client.id), "allow"))
      assert.strictEqual(answer.status, 403)
      assert.strictEqual(Consent.headingOf(answer.text), "Too many connected apps")
      const says = "The account has 200 connected apps, which is the maximum. Revoke one of them first."
      assert.include(Consent.textOf(answer.text), `${says} Go to the dashboard`)
      // D51
      for (const language of Messages.languages.filter((each) => each !== "en")) {
        const { fields } = yield* asked(tab, Consent.request(client.id))
        const headers = { origin: "null", "sec-fetch-site": "same-origin", "accept-language": language }
        const page = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }, headers))
        const { text } = Messages.of(language)
        assert.strictEqual(Consent.headingOf(page.text), text("consent.tooMany"))
        const words = Consent.textOf(page.text)
        assert.include(words, `${text("consent.tooManyText", { most: 200 })} ${text("consent.toDashboard")}`)
        assert.notInclude(words, says)
        assert.notInclude(page.text, '<p lang="en"')
      }
    })
  )

  it.effect("an app that is deleted between the page and the answer gets nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* Consent.app()
      const tab = yield* Consent.somebody
      const { fields } = yield* asked(tab, Consent.request(client.id))
      yield* sql`DELETE FROM oauth_client WHERE id = ${client.id}`
      const answer = yield* givesNothing(tab.post(decisionPath, { ...fields, decision: "allow" }))
      assert.strictEqual(Consent.headingOf(answer.text), "This app is not known here")
    })
  )
})
