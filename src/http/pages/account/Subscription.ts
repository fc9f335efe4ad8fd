/** How a subscription stands, as every page shows it. */
import type { SubscriptionStatus } from "../../../domain/access/Account.ts"
import * as Plan from "../../../domain/access/Plan.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import { texts } from "./SubscriptionText.ts"

export const statusBadge = (status: SubscriptionStatus, { language }: Locale): Html =>
  html`<span class="badge ${status === "active" ? "good" : "bad"}">${texts[language].statuses[status]}</span>`

/** The way to billing, if it has an address (shared/OutwardLinks.ts). */
export const toBilling = (billing: string | undefined, { language }: Locale, look: "link" | "button" = "link") =>
  billing !== undefined &&
  html`<a href="${billing}" ${look === "button" && html`role="button"`}>${texts[language].toBilling}</a>`

/** What keeps the account from searching and from calling tools, if something does, and the way to fix it. */
export const subscriptionNotice = (
  subscription: Plan.Subscription,
  { billing, locale }: { readonly billing: string | undefined; readonly locale: Locale }
): Html | undefined => {
  if (Plan.mayCallTools(subscription)) return undefined
  const text = texts[locale.language]
  const { status } = subscription
  return html`<div class="notice" role="note">
    <p>${status === "active" ? text.upgrade : text.remedies[status]} ${toBilling(billing, locale)}</p>
  </div>`
}
