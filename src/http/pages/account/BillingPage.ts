/**
 * `/dashboard/billing`, with Stripe: the account's plan, and the forms that lead to Stripe's pages to pay at and to manage the
 * subscription. Stripe returns the customer to `/dashboard/billing/return`.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { AppConfig, billingPath } from "../../../Config.ts"
import * as Plan from "../../../domain/access/Plan.ts"
import type { PaidPlan } from "../../../domain/access/StripeSubscription.ts"
import { Billing } from "../../../services/billing/Billing.ts"
import { returnPath } from "../../../services/billing/StripeApi.ts"
import { buttonForm } from "../shared/ButtonForm.ts"
import { doneField, doneNotice, withDone } from "../shared/FlashNotice.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, overviewPath } from "../shared/Layout.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { statusBadge, subscriptionNotice } from "./Subscription.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const checkoutPath = `${billingPath}/checkout` as const
const portalPath = `${billingPath}/portal` as const

const flashNotices = ["paid"] as const

const Query = Schema.Struct(doneField(flashNotices))

/** Which page of Stripe the visitor returns from. */
const Return = Schema.Struct({ from: Schema.optionalKey(Schema.Literals(["checkout", "portal"])) })

const paidPlans = ["growth", "pro"] as const satisfies ReadonlyArray<PaidPlan>
const Order = Schema.Struct({ plan: Schema.Literals(paidPlans) })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { stripe } = yield* Billing
    if (Option.isNone(stripe)) return
    const billing = stripe.value
    const config = yield* AppConfig
    const routes = yield* PageRoutes
    const { page } = yield* Layout
    const credits: Readonly<Record<PaidPlan, number>> = { growth: config.planCreditsGrowth, pro: config.planCreditsPro }

    const offer = (plan: PaidPlan, visitor: SignedIn): Html => {
      const { text } = visitor.locale
      const title = Plan.titles[plan]
      return html`<section class="panel" aria-labelledby="${plan}">
        <h2 id="${plan}">${title}</h2>
        <p>${text("billing.credits", { credits: credits[plan] })}</p>
        ${buttonForm(visitor, checkoutPath, text("billing.subscribe", { plan: title }), { look: "", fields: { plan } })}
      </section>`
    }

    const manage = (visitor: SignedIn, isRunning: boolean): Html => {
      const { text } = visitor.locale
      return html`<section class="panel" aria-labelledby="manage">
        <h2 id="manage">${text("billing.manage")}</h2>
        <p>${text(isRunning ? "billing.manageAbout" : "billing.invoicesAbout")}</p>
        ${buttonForm(visitor, portalPath, text("billing.toPortal"), { look: isRunning ? "" : "secondary outline" })}
      </section>`
    }

    yield* routes.signedInPage(
      billingPath,
      reads(Query, (visitor, { done }) =>
        Effect.map(billing.overview(visitor.session.accountId), ({ isCustomer, isRunning }) => {
          const { locale, session } = visitor
          const { text } = locale
          return page({
            heading: text("billing.heading"),
            account: visitor,
            section: "account",
            // Both forms lead to pages of Stripe.
            policy: { formsLeave: true },
            body: html`
              ${doneNotice(done, flashNotices, () => text(Plan.mayCallTools(session) ? "billing.active" : "billing.pending"))}
              ${
                done === "paid" &&
                Plan.mayCallTools(session) &&
                html`<p><a href="${overviewPath}" role="button">${text("billing.toOverview")}</a></p>`
              }
              ${subscriptionNotice(session, { links: undefined, locale })}
              <dl class="figures who-is">
                ${fact(text("account.plan"), Plan.titles[session.plan])}
                ${fact(text("account.status"), statusBadge(session.status, locale))}
              </dl>
              ${!isRunning && html`<p>${text("billing.choose")}</p>`}
              ${!isRunning && paidPlans.map((plan) => offer(plan, visitor))} ${isCustomer && manage(visitor, isRunning)}
            `
          })
        })
      )
    )

    yield* routes.signedInForm(checkoutPath, billingPath, Order, ({ plan }, { locale, session }) =>
      Effect.map(
        billing.checkout({ accountId: session.accountId, email: session.email, language: locale.language }, plan),
        (page) => seeOther(page ?? billingPath)
      )
    )

    yield* routes.signedInForm(portalPath, billingPath, NoFields, (_, { locale, session }) =>
      Effect.map(billing.portal({ accountId: session.accountId, language: locale.language }), (portal) =>
        seeOther(portal ?? billingPath)
      )
    )

    // A link of Stripe's page, so no form: it only asks Stripe what the account has, which changes nothing by itself.
    yield* routes.signedInPage(
      returnPath,
      reads(Return, ({ session }, { from }) =>
        billing.returned(session.accountId).pipe(
          // The event comes in any case.
          Effect.catchTag(["BillingUnavailable", "RateLimited"], () => Effect.void),
          Effect.as(seeOther(from === "checkout" ? withDone(billingPath, "paid") : billingPath))
        )
      )
    )
  })
)
