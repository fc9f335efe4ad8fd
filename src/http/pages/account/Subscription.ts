/** The state of a subscription, as all pages display it. */
import type { SubscriptionStatus } from "../../../domain/access/Account.ts"
import * as Plan from "../../../domain/access/Plan.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { plansPath } from "../shared/OutwardLinks.ts"
import type { Links } from "../shared/OutwardLinks.ts"

export const statusBadge = (status: SubscriptionStatus, { text }: Locale): Html =>
  html`<span class="badge ${status === "active" ? "good" : "bad"}">${text(`subscription.statuses.${status}`)}</span>`

/** Where an account gets access: at billing, from the support, or, if neither is configured, from whoever runs the server. */
export const wayOut = ({ billing, support }: Links, { text }: Locale, look: "link" | "button" = "link"): Html => {
  const href = billing ?? support
  if (href === undefined) return html`${text("subscription.askOperator")}`
  const label = text(billing === undefined ? "subscription.toSupport" : "subscription.toBilling")
  return html`<a href="${href}" ${look === "button" && html`role="button"`}>${label}</a>`
}

/** What prevents the account from searching and calling tools, if anything, and how to fix it. */
export const subscriptionNotice = (
  subscription: Plan.Subscription,
  /** No links on the page that is the way out itself. */
  { links, locale }: { readonly links: Links | undefined; readonly locale: Locale }
): Html | undefined => {
  if (Plan.mayCallTools(subscription)) return undefined
  const { text } = locale
  const { status } = subscription
  return html`<div class="notice" role="note">
    <p>
      ${status === "active" ? text("subscription.upgrade") : text(`subscription.remedies.${status}`)}
      ${links !== undefined && html`${wayOut(links, locale)} <a href="${plansPath}">${text("plans.link")}</a>`}
    </p>
  </div>`
}
