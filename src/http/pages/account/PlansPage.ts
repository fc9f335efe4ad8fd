/**
 * `/plans` (D118): for anyone, what each plan has and costs, from the settings, and how to get one: from Stripe, at the operator's
 * billing page, or by asking the support.
 */
import { Effect, Layer, Option } from "effect"
import { AppConfig, billingPath } from "../../../Config.ts"
import { plans } from "../../../domain/access/Account.ts"
import type { Plan } from "../../../domain/access/Account.ts"
import { titles } from "../../../domain/access/Plan.ts"
import type { Price } from "../../../domain/access/Price.ts"
import type { PaidPlan } from "../../../domain/access/StripeSubscription.ts"
import { Billing } from "../../../services/billing/Billing.ts"
import { documentationPath } from "../../shared/DocumentationPaths.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { plansPath } from "../shared/OutwardLinks.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { isSignedIn } from "../shared/Visitors.ts"
import type { Visitor } from "../shared/Visitors.ts"
import { wayOut } from "./Subscription.ts"

type Prices = Readonly<Partial<Record<PaidPlan, Price>>>

const priceText = ({ amount, count, currency, interval }: Price, { money, text }: Locale): string =>
  text(`plans.each.${interval}`, { price: money(amount, currency), count })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const { page } = yield* Layout
    const { stripe } = yield* Billing
    const config = yield* AppConfig
    const links = OutwardLinks.of(config)
    const prices: Effect.Effect<Prices> = Option.match(stripe, {
      onNone: () => Effect.succeed({}),
      onSome: (billing) => billing.prices
    })
    const credits: Readonly<Record<Plan, number>> = {
      starter: 0,
      growth: config.planCreditsGrowth,
      pro: config.planCreditsPro
    }
    const withoutPrice = Option.isSome(stripe) ? "plans.priceLater" : "plans.priceAsked"

    const offer = (plan: Plan, found: Prices, { locale, session }: Visitor): Html => {
      const { text } = locale
      const price = plan === "starter" ? undefined : found[plan]
      return html`<section class="panel" aria-labelledby="plan-${plan}">
        <h2 id="plan-${plan}">
          ${titles[plan]} ${session?.plan === plan && html`<span class="badge good">${text("plans.yours")}</span>`}
        </h2>
        <p class="plan-price">
          ${plan === "starter" ? text("plans.free") : price === undefined ? text(withoutPrice) : priceText(price, locale)}
        </p>
        <ul>
          ${
            plan === "starter"
              ? html`<li>${text("plans.account")}</li>
                  <li>${text("plans.noSearches")}</li>`
              : html`<li>${text("plans.credits", { credits: credits[plan] })}</li>
                  <li>${text("plans.pages")}</li>
                  <li>${text("plans.agents")}</li>`
          }
        </ul>
      </section>`
    }

    /** How to get a plan. */
    const next = (visitor: Visitor): Html => {
      const { text } = visitor.locale
      const help = links.support !== undefined && links.billing !== undefined
      const about = html`${
        help && html`<p class="aside"><a href="${links.support}">${text("subscription.toSupport")}</a></p>`
      }`
      const isAsked = links.billing === undefined && links.support === undefined
      const ways = (look: "link" | "button") => (isAsked ? text("plans.ask") : wayOut(links, visitor.locale, look))
      if (isSignedIn(visitor))
        return html`<p>${ways("button")}</p>
          ${about}`
      const afterwards = Option.isSome(stripe) ? billingPath : plansPath
      const way =
        config.signUp === "open"
          ? html`<a href="${ReturnTo.signUpPath(afterwards)}" role="button">${text("signUp.heading")}</a>`
          : html`<a href="${ReturnTo.signInPath(afterwards)}" role="button">${text("error.signIn")}</a>`
      // Stripe sells to accounts; other ways need none.
      return html`<p>${way}</p>
        ${Option.isNone(stripe) && html`<p>${ways("link")}</p>`} ${about}`
    }

    yield* routes.page(plansPath, (visitor) =>
      Effect.map(prices, (found) => {
        const { locale } = visitor
        const { text } = locale
        return page({
          heading: text("plans.heading"),
          width: "wide",
          ...(isSignedIn(visitor)
            ? { account: visitor }
            : {
                locale,
                ways: {
                  name: "Discovery",
                  home: documentationPath,
                  links: [
                    { href: plansPath, label: text("plans.link") },
                    { href: documentationPath, label: text("layout.documentation") }
                  ],
                  current: plansPath,
                  out: { href: ReturnTo.signInPath(undefined), label: text("error.signIn") }
                }
              }),
          body: html`
            <p>${text("plans.about")}</p>
            <div class="plans">${plans.map((plan) => offer(plan, found, visitor))}</div>
            <p class="aside">${text("plans.costs")}</p>
            ${next(visitor)}
          `
        })
      })
    )
  })
)
