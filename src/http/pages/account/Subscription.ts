/** The state of a subscription, as all pages display it. */
import type { SubscriptionStatus } from "../../../domain/access/Account.ts"
import * as Plan from "../../../domain/access/Plan.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

export const statusBadge = (status: SubscriptionStatus, { text }: Locale): Html =>
  html`<span class="badge ${status === "active" ? "good" : "bad"}">${text(`subscription.statuses.${status}`)}</span>`

/** The link to billing, if its address is configured (shared/OutwardLinks.ts). */
export const toBilling = (billing: string | undefined, { text }: Locale, look: "link" | "button" = "link") =>
  billing !== undefined &&
  html`<a href="${billing}" ${look === "button" && html`role="button"`}>${text("subscription.toBilling")}</a>`

/** What prevents the account from searching and calling tools, if anything, and how to fix it. */
export const subscriptionNotice = (
  subscription: Plan.Subscription,
  { billing, locale }: { readonly billing: string | undefined; readonly locale: Locale }
): Html | undefined => {
  if (Plan.mayCallTools(subscription)) return undefined
  const { text } = locale
  const { status } = subscription
  return html`<div class="notice" role="note">
    <p>
      ${status === "active" ? text("subscription.upgrade") : text(`subscription.remedies.${status}`)}
      ${toBilling(billing, locale)}
    </p>
  </div>`
}
