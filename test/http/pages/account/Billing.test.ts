/** The page Billing: from the plan to the pages of Stripe and back. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { AccountClosing } from "../../../../src/services/accounts/AccountClosing.ts"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { Sessions } from "../../../../src/services/sessions/Sessions.ts"
import { SignIn } from "../../../../src/services/sessions/SignIn.ts"
import { checkUnchecked } from "../../../../src/services/billing/BillingUpkeep.ts"
import * as Messages from "../../../../src/domain/Messages.ts"
import { customerIdOf, hold, standing, stripe } from "../../../support/BillingAccounts.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { StripeDouble } from "../../../support/StripeDouble.ts"

const path = "/dashboard/billing"

const Services = Layer.unwrap(
  Effect.map(StripeDouble, ({ settings }) =>
    Site.layer({ config: { ...settings, billingUrl: "https://discovery.test/dashboard/billing" } })
  )
).pipe(Layer.provideMerge(StripeDouble.layer))

layer(Services, { excludeTestServices: true })("the page Billing", (it) => {
  /** Signed in, with a form of the page. */
  const open = Effect.fnUntraced(function* (options: Parameters<Site["Service"]["account"]>[0] = { plan: "starter" }) {
    const site = yield* Site
    const who = yield* site.account(options)
    const visitor = yield* SiteVisitor.signedIn(who)
    const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
    yield* visitor.get(path)
    return { visitor, email: who.email, id }
  })

  it.effect("offers the paid plans with their credits, and leads to the page to pay at, by POST alone", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { email, visitor } = yield* open()
      const { status, text } = yield* visitor.get(path)
      assert.strictEqual(status, 200)
      assert.include(text, "2,000 credits a month")
      assert.include(text, "10,000 credits a month")
      assert.include(text, "Subscribe to Growth")
      assert.notInclude(text, "Manage the subscription")
      const to = yield* visitor.submit(`${path}/checkout`, { plan: "pro" })
      assert.strictEqual(to.status, 303)
      assert.match(to.headers.get("location") ?? "", new RegExp(`^${double.url}/c/pay/cs_`, "u"))
      assert.strictEqual(to.headers.get("referrer-policy"), "no-referrer")
      assert.strictEqual((yield* visitor.get(`${path}/checkout`)).status, 404)
      assert.strictEqual(yield* standing(email), "starter active")
    })
  )

  it.effect("takes no form of another site, without its token, or for a plan that is not sold", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { visitor } = yield* open()
      const calls = double.calls.length
      const foreign = yield* visitor.submit(`${path}/checkout`, { plan: "pro" }, { "sec-fetch-site": "cross-site" })
      const without = yield* visitor.submit(`${path}/checkout`, { plan: "pro", form_token: "" })
      const portal = yield* visitor.submit(`${path}/portal`, { form_token: "" })
      const starter = yield* visitor.submit(`${path}/checkout`, { plan: "starter" })
      assert.deepStrictEqual(
        [foreign, without, portal, starter].map(({ status }) => status),
        [403, 403, 403, 400]
      )
      assert.lengthOf(double.calls, calls)
      const site = yield* Site
      const nobody = yield* site.post(`${path}/checkout`, { plan: "pro" })
      assert.deepStrictEqual(
        [nobody.status, nobody.headers.get("location")],
        [303, "/sign-in?return_to=%2Fdashboard%2Fbilling&done=ended"]
      )
    })
  )

  it.effect("after a payment the plan is active at once, although no event has arrived", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { email, id, visitor } = yield* open()
      yield* visitor.submit(`${path}/checkout`, { plan: "growth" })
      double.subscribe((yield* customerIdOf(id)) ?? "")
      const back = yield* visitor.get(`${path}/return?from=checkout`)
      assert.deepStrictEqual([back.status, back.headers.get("location")], [303, `${path}?done=paid`])
      assert.strictEqual(yield* standing(email), "growth active")
      const { text } = yield* visitor.get(`${path}?done=paid`)
      assert.include(text, "Your plan is active.")
      assert.notInclude(text, "Subscribe to")
      assert.include(text, "Manage the subscription")
      const portal = yield* visitor.submit(`${path}/portal`, {})
      assert.match(portal.headers.get("location") ?? "", /\/p\/bps_/u)
    })
  )

  it.effect("says so when the payment is not confirmed, or Stripe does not answer", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { id, visitor } = yield* open()
      yield* visitor.submit(`${path}/checkout`, { plan: "growth" })
      double.subscribe((yield* customerIdOf(id)) ?? "", { status: "incomplete" })
      double.faults.all = "error"
      const back = yield* visitor.get(`${path}/return?from=checkout`)
      const refused = yield* visitor.submit(`${path}/checkout`, { plan: "growth" })
      double.faults.all = undefined
      assert.strictEqual(back.status, 303)
      assert.include((yield* visitor.get(`${path}?done=paid`)).text, "Stripe has not confirmed the payment yet.")
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "Stripe, which handles payments, is not reachable right now")
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.notInclude(refused.text, "ada@example.com")
    })
  )

  it.effect("is where every page and every tool leads who cannot call tools", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const { email, id, visitor } = yield* open({ plan: "growth" })
      const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "a key"))
      yield* Effect.flatMap(Accounts, (accounts) => accounts.setStatus(email, "unpaid"))
      for (const place of ["", "/account", "/usage", "/integrations", "/ads"]) {
        const { text } = yield* visitor.get(`/dashboard${place}`)
        assert.include(text, `href="${path}"`, place)
      }
      const answer = yield* Effect.promise(async () => {
        const response = await fetch(`${site.url}/mcp`, {
          method: "POST",
          headers: { authorization: `Bearer ${Redacted.value(secret)}`, "content-type": "application/json" },
          body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_ads","arguments":{}}}`
        })
        return response.text()
      })
      assert.include(answer, "pay the open invoice at https://discovery.test/dashboard/billing")
    })
  )

  it.effect("leaves an account alone that an operator has given a plan", () =>
    Effect.gen(function* () {
      const { email, visitor } = yield* open({ plan: "pro" })
      const { text } = yield* visitor.get(path)
      assert.include(text, "Subscribe to Pro")
      const portal = yield* visitor.submit(`${path}/portal`, {})
      assert.deepStrictEqual([portal.status, portal.headers.get("location")], [303, path])
      const back = yield* visitor.get(`${path}/return?from=portal`)
      assert.strictEqual(back.headers.get("location"), path)
      assert.strictEqual(yield* standing(email), "pro active")
    })
  )

  it.effect("is left after a payment even for who has come back too often", () =>
    Effect.gen(function* () {
      const { visitor } = yield* open()
      for (let times = 0; times < 20; times++) yield* visitor.submit(`${path}/portal`, {})
      assert.strictEqual((yield* visitor.submit(`${path}/portal`, {})).status, 429)
      const back = yield* visitor.get(`${path}/return?from=checkout`)
      assert.deepStrictEqual([back.status, back.headers.get("location")], [303, `${path}?done=paid`])
    })
  )

  describe("and a closed account", () => {
    const paying = Effect.gen(function* () {
      const double = yield* StripeDouble
      const { email, id, visitor } = yield* open()
      yield* visitor.submit(`${path}/checkout`, { plan: "growth" })
      const customer = (yield* customerIdOf(id)) ?? ""
      const subscription = double.subscribe(customer)
      yield* visitor.get(`${path}/return?from=checkout`)
      const close = (current: string) => visitor.submit("/dashboard/account/close", { current })
      return { close, customer, double, email, id, subscription }
    })
    const password = "nine green whales"

    it.effect(
      "D89 its subscription and its page to pay at end in Stripe; what Stripe says about it is about nobody",
      () =>
        Effect.gen(function* () {
          const { close, customer, double, subscription } = yield* paying
          assert.strictEqual((yield* close(password)).status, 303)
          assert.strictEqual(subscription.status, "canceled")
          assert.strictEqual(double.sessions.find((session) => session.customer === customer)?.status, "expired")
          const { body, signature } = double.event({ customer, type: "customer.subscription.deleted" })
          const billing = yield* stripe
          assert.strictEqual(yield* billing.receive(body, signature), "other_customer")
        })
    )

    it.effect("D89 they end later if Stripe does not answer; the account is closed at once", () =>
      Effect.gen(function* () {
        const { close, double, email, id, subscription } = yield* paying
        double.faults.all = "error"
        const closed = yield* close(password)
        double.faults.all = undefined
        assert.deepStrictEqual([closed.status, subscription.status], [303, "active"])
        assert.strictEqual((yield* Effect.flip(standing(email)))._tag, "AccountNotFound")
        const { logs } = yield* Site
        assert.isTrue(logs.some((line) => line.includes("The subscription of a closed account could not be ended")))
        yield* checkUnchecked(yield* stripe)
        assert.strictEqual(subscription.status, "canceled")
        assert.isUndefined(yield* customerIdOf(id))
      })
    )

    it.effect("D89 a request that is refused ends nothing", () =>
      Effect.gen(function* () {
        const { close, double, email, subscription } = yield* paying
        const calls = double.calls.length
        assert.strictEqual((yield* close("wrong")).status, 403)
        // The session ends after the page was asked for.
        const signIn = yield* SignIn
        const closing = yield* AccountClosing
        const attempt = { email, password: Redacted.make(password), address: "2001:db8::1" }
        const { session } = yield* signIn.signIn(attempt)
        yield* Effect.flatMap(Sessions, (sessions) => sessions.end(session.accountId, session.id))
        const late = closing.close({ session, password: attempt.password })
        assert.strictEqual((yield* Effect.flip(late))._tag, "SignInRejected")
        assert.strictEqual(subscription.status, "active")
        assert.lengthOf(double.calls, calls)
        assert.strictEqual(yield* standing(email), "growth active")
      })
    )

    it.effect("D89 they end although the browser leaves meanwhile", () =>
      Effect.gen(function* () {
        const { close, subscription } = yield* paying
        const held = yield* hold("GET", "/v1/checkout/sessions")
        const browser = yield* Effect.forkChild(close(password))
        yield* held.asked
        yield* Fiber.interrupt(browser)
        yield* held.release
        yield* Effect.sync(() => subscription.status).pipe(
          Effect.filterOrFail((status) => status === "canceled"),
          Effect.retry({ schedule: Schedule.spaced("20 millis") })
        )
      })
    )
  })

  it.effect("is named to operators as what changed the account", () =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const site = yield* Site
      const { id, visitor } = yield* open()
      yield* visitor.submit(`${path}/checkout`, { plan: "growth" })
      double.subscribe((yield* customerIdOf(id)) ?? "")
      yield* visitor.get(`${path}/return?from=checkout`)
      const who = yield* site.account()
      yield* Effect.flatMap(Accounts, (accounts) => accounts.setRole(who.email, "operator"))
      const operator = yield* SiteVisitor.withPasskey(who)
      const { text } = yield* operator.get(`/dashboard/operator/accounts/${id}`)
      assert.match(text, /Plan\s*: from Starter to Growth\s*<\/td>\s*<td[^>]*>billing<\/td>/u)
    })
  )

  it.effect.each(Messages.languages)("D51 speaks %s, and Stripe is asked to as well", (language) =>
    Effect.gen(function* () {
      const double = yield* StripeDouble
      const { id, visitor } = yield* open()
      const headers = { "accept-language": language }
      const { text } = Messages.of(language)
      const offered = yield* visitor.get(path, headers)
      assert.include(offered.text, text("billing.heading"))
      assert.include(offered.text, text("billing.choose"))
      yield* visitor.submit(`${path}/checkout`, { plan: "growth" }, headers)
      assert.strictEqual(double.calls.at(-1)?.params.get("locale"), language)
      double.subscribe((yield* customerIdOf(id)) ?? "", { status: "past_due" })
      yield* visitor.get(`${path}/return?from=checkout`)
      const managed = yield* visitor.get(path, headers)
      assert.include(managed.text, text("billing.manageAbout"))
      assert.include(managed.text, text("subscription.remedies.unpaid"))
    })
  )
})

describe("without Stripe", () => {
  layer(Site.layer(), { excludeTestServices: true })((it) => {
    it.effect("there is no such page, and links lead to BILLING_URL", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const visitor = yield* SiteVisitor.signedIn(yield* site.account({ status: "unpaid" }))
        assert.strictEqual((yield* visitor.get(path)).status, 404)
        assert.strictEqual((yield* visitor.submit(`${path}/checkout`, { plan: "pro" })).status, 404)
        assert.include((yield* visitor.get("/dashboard")).text, 'href="https://billing.test/plans"')
      })
    )
  })
})
