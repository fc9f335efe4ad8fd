/** Plans and prices for anyone, and what a new customer is told before a form is filled in (D118). */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { priceOf } from "../../../../src/domain/access/Price.ts"
import type { AppSettings } from "../../../../src/Config.ts"
import * as Consent from "../../../support/Consent.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { StripeDouble } from "../../../support/StripeDouble.ts"

const main = (text: string) => /<main[^]*<\/main>/u.exec(text)?.[0] ?? ""

const read = (text: string) => Consent.textOf(main(text)).replaceAll(/\s+/gu, " ")

const stripe = Layer.unwrap(Effect.map(StripeDouble, ({ settings }) => Site.layer({ config: settings }))).pipe(
  Layer.provideMerge(StripeDouble.layer)
)

describe("D118 a price of Stripe", () => {
  const recurring = { interval: "month", interval_count: 1 } as const
  const each = { interval: "month", count: 1 } as const
  it("is an amount in the unit of its currency, or none", () => {
    assert.deepStrictEqual(priceOf({ currency: "eur", unit_amount: 4900, recurring }), {
      amount: 49,
      currency: "EUR",
      ...each
    })
    assert.deepInclude(priceOf({ currency: "jpy", unit_amount: 4900, recurring }), { amount: 4900, currency: "JPY" })
    assert.deepInclude(priceOf({ currency: "kwd", unit_amount: 4900, recurring }), { amount: 4.9, currency: "KWD" })
    assert.isUndefined(priceOf({ currency: "eur", unit_amount: null, recurring }))
    assert.isUndefined(priceOf({ currency: "eur", unit_amount: 4900, recurring: null }))
  })
})

layer(stripe, { excludeTestServices: true })("D118 plans with Stripe", (it) => {
  it.effect("have their credits and the prices that Stripe tells, asked for once, and lead to the billing page", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const double = yield* StripeDouble
      const asked = () => double.calls.filter(({ path }) => path.startsWith("/v1/prices/")).length
      double.faults.all = "error"
      const without = read((yield* site.get("/plans")).text)
      double.faults.all = undefined
      assert.include(without, "You see the price before you pay.")
      assert.notInclude(without, "€")
      const before = asked()
      yield* site.get("/plans")
      assert.strictEqual(asked(), before)
    })
  )
})

layer(Layer.fresh(stripe), { excludeTestServices: true })("D118 plans whose prices Stripe tells", (it) => {
  it.effect("have them, and lead who is signed in to the billing page, and others to an account first", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const double = yield* StripeDouble
      const guest = yield* site.get("/plans", { "accept-language": "de" })
      for (const text of [
        "49,00 € im Monat",
        "199,50 € im Monat",
        "2.000 Credits im Monat",
        "10.000 Credits im Monat"
      ]) {
        assert.include(read(guest.text), text)
      }
      assert.include(guest.text, 'href="/sign-up?return_to=%2Fdashboard%2Fbilling"')
      const visitor = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      const own = yield* visitor.get("/plans")
      assert.match(main(own.text), /Starter\s+<span class="badge good">Your plan<\/span>/u)
      assert.include(main(own.text), 'href="/dashboard/billing"')
      assert.strictEqual(double.calls.filter(({ path }) => path.startsWith("/v1/prices/")).length, 2)
    })
  )
})

const ways: ReadonlyArray<{
  readonly name: string
  readonly config: (url: string) => Partial<AppSettings>
  readonly says: string
}> = [
  { name: "a billing page", config: () => ({}), says: 'href="https://billing.test/plans"' },
  {
    name: "only a support address",
    config: () => ({ baseUrl: "https://discovery.test", billingUrl: "https://discovery.test/dashboard" }),
    says: 'href="mailto:support@discovery.test"'
  },
  {
    name: "neither",
    config: () => ({
      baseUrl: "https://discovery.test",
      billingUrl: "https://discovery.test/dashboard",
      supportUrl: "https://discovery.test/dashboard"
    }),
    says: "To get a plan, ask whoever runs this server."
  }
]

describe.each(ways)("D118 plans with $name", ({ config, says }) => {
  layer(Site.layer({ config: config("") }), { excludeTestServices: true })((it) => {
    it.effect("say how to get one, and ask for no price that nobody has set", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const page = yield* site.get("/plans")
        assert.strictEqual(page.status, 200)
        assert.include(main(page.text), says)
        assert.include(read(page.text), "Price on request.")
      })
    )
  })
})

layer(Site.layer(), { excludeTestServices: true })("D118 a new customer", (it) => {
  it.effect("finds the plans from the sign-in, the sign-up, the documents and wherever a plan is missing", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      const pages = [
        yield* site.get("/sign-in"),
        yield* site.get("/sign-up"),
        yield* site.get("/docs"),
        yield* starter.get("/dashboard"),
        yield* starter.get("/dashboard/ads")
      ]
      for (const { text } of pages) assert.include(text, 'href="/plans"')
      const signUp = yield* site.get("/sign-up?return_to=/authorize?x")
      assert.include(read(signUp.text), "A new account is on Starter. Searches and AI agents need Growth or Pro")
    })
  )

  it.effect("without a plan meets no form that would refuse it after it was filled in", () =>
    Effect.gen(function* () {
      const site = yield* Site
      const starter = yield* SiteVisitor.signedIn(yield* site.account({ plan: "starter" }))
      // Forms of the account itself work without a plan.
      const own = /^\/(?:dashboard\/account|sign-out|language)/u
      const { routes } = site
      for (const route of routes.filter((each) => /^GET \/dashboard(?:\/[a-z-]+)*$/u.test(each))) {
        const path = route.slice("GET ".length)
        const { text } = yield* starter.get(path)
        const actions = Array.from(text.matchAll(/<form[^>]*action="([^"]*)"/gu), ([, action = ""]) => action)
        assert.deepStrictEqual(
          actions.filter((action) => !own.test(action)),
          [],
          path
        )
      }
    })
  )
})
