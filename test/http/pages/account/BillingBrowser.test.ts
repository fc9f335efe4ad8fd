/** From the account to the page to pay at and back, as people do it. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { standing } from "../../../support/BillingAccounts.ts"
import { Browser, checker, isAvailable, wideLooks } from "../../../support/Browser.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, leave, press, signIn } from "../../../support/Steps.ts"
import { StripeDouble } from "../../../support/StripeDouble.ts"

const Services = Layer.unwrap(Effect.map(StripeDouble, ({ settings }) => Site.layer({ config: settings }))).pipe(
  Layer.provideMerge(Layer.merge(Browser.layer, StripeDouble.layer))
)

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(Services, { excludeTestServices: true })((it) => {
    it.effect.each([{ javaScript: true }, { javaScript: false }])(
      "a new customer subscribes, manages and cancels: %j",
      (look) =>
        Effect.gen(function* () {
          const site = yield* Site
          const double = yield* StripeDouble
          const who = yield* site.account({ plan: "starter" })
          const page = yield* (yield* Browser).open(look)
          yield* goTo(page, "/sign-in?return_to=/dashboard")
          yield* signIn(page, who)
          yield* leave(page, () => page.getByRole("link", { name: "Go to billing" }).click())
          assert.strictEqual(at(page), "/dashboard/billing")
          yield* press(page, "Subscribe to Pro")
          assert.isTrue(page.url().startsWith(`${double.url}/c/pay/`))
          // Back without paying: nothing has changed.
          yield* leave(page, () => page.getByRole("link", { name: "Back" }).click())
          assert.strictEqual(at(page), "/dashboard/billing")
          assert.strictEqual(yield* standing(who.email), "starter active")
          yield* press(page, "Subscribe to Pro")
          yield* press(page, "Pay")
          assert.strictEqual(at(page), "/dashboard/billing?done=paid")
          assert.strictEqual(yield* Effect.promise(() => page.getByRole("status").innerText()), "Your plan is active.")
          assert.strictEqual(yield* standing(who.email), "pro active")
          yield* press(page, "Go to Stripe")
          assert.isTrue(page.url().startsWith(`${double.url}/p/`))
          yield* press(page, "Cancel the subscription")
          assert.strictEqual(at(page), "/dashboard/billing")
          assert.strictEqual(yield* standing(who.email), "pro canceled")
          assert.isTrue(
            yield* Effect.promise(() => page.getByRole("button", { name: "Subscribe to Growth" }).isVisible())
          )
        })
    )

    it.effect.each(wideLooks)("the page passes axe and fits at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account({ plan: "starter" })
        const page = yield* (yield* Browser).open(look)
        const check = checker(page, look)
        yield* goTo(page, "/sign-in?return_to=/dashboard/billing")
        yield* signIn(page, who)
        yield* check("billing")
        yield* press(page, "Subscribe to Growth")
        yield* press(page, "Pay")
        yield* check("billing-paid")
      })
    )
  })
})
