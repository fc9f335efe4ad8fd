/** The consent page (S88 to S91, R24 to R27), and what follows a decision. ConsentErrors has the pages of requests that fail. */
import { Redacted } from "effect"
import * as Plan from "../../../domain/access/Plan.ts"
import { refreshTokenSeconds } from "../../../domain/oauth/Grant.ts"
import * as RedirectUri from "../../../domain/oauth/RedirectUri.ts"
import type { ConsentRequest } from "../../../services/oauth/ConsentRequests.ts"
import { quietForm } from "../shared/ButtonForm.ts"
import * as Csrf from "../shared/Csrf.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Page } from "../shared/Layout.ts"
import { withoutPlace } from "../shared/Locale.ts"
import type { Locale } from "../shared/Locale.ts"
import type { Links } from "../shared/OutwardLinks.ts"
import { signOutPath } from "../shared/ReturnTo.ts"
import { hostOf, quoted } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

export const decisionPath = "/authorize/decision"

const idleDays = refreshTokenSeconds / 86_400

/** The publisher of the app. Only the host of the metadata document is verified. */
export const publisherOf = (host: string | undefined, locale: Locale): Html =>
  html`<p>
    ${host === undefined ? locale.text("consent.unverified") : locale.html("consent.publisher", { host: hostOf(host) })}
  </p>`

export const destinationOf = (uri: string, locale: Locale): Html => {
  const destination = RedirectUri.destination(uri)
  return RedirectUri.isOwnScheme(uri)
    ? locale.html("consent.ownScheme", { scheme: html`<bdi class="host"><strong>${destination}</strong></bdi>` })
    : hostOf(destination)
}

const onThisDevice = ({ text }: Locale): Html => html`
  <div class="warning" role="note">
    <p><strong>${text("consent.onlyIfYours")}</strong> ${text("consent.onThisDevice")}</p>
  </div>
`

const link =
  (href: string) =>
  (content: ReadonlyArray<Html | string>): Html =>
    html`<a href="${href}">${content}</a>`

const wayOut = ({ billing, support }: Links, back: ReturnType<typeof link>, locale: Locale): Html => {
  if (billing !== undefined) return locale.html("consent.toBilling", { way: link(billing), back })
  return support === undefined
    ? locale.html("consent.toOperator", { back })
    : locale.html("consent.toSupport", { way: link(support), back })
}

/** `url` repeats the request. Reloading would not, because the page may answer a form. */
const upgradePrompt = ({ locale, session }: SignedIn, links: Links, url: string): Html => {
  const { text } = locale
  const plan = Plan.titles[session.plan]
  const standing =
    session.status === "active"
      ? text("consent.standing", { plan })
      : text("consent.ended", { plan, status: text(`subscription.statuses.${session.status}`) })
  return html`
    <div class="notice" role="note">
      <p>${text("integrations.connectUpgrade")} ${standing}</p>
      <p>${wayOut(links, link(url), locale)}</p>
    </div>
  `
}

const choice = (value: "allow" | "deny", label: string, look: string): Html =>
  html`<button type="submit" name="decision" value="${value}" class="${look}">${label}</button>`

export const consent = (options: {
  readonly asked: ConsentRequest
  /** The secret of the form; see ConsentRequests. */
  readonly secret: Redacted.Redacted
  readonly visitor: SignedIn
  /** Where an account that cannot approve an app gets access. */
  readonly links: Links
  /** How long a connection may last (`CONNECTION_MAX_DAYS`). */
  readonly maxDays: number
}): Page => {
  const { asked, links, maxDays, secret, visitor } = options
  const mayAllow = Plan.mayCallTools(visitor.session)
  const { client, request, url } = asked
  const { locale } = visitor
  const { text } = locale
  const takesPlaceHere = RedirectUri.isLoopback(request.redirectUri) || RedirectUri.isOwnScheme(request.redirectUri)
  return {
    locale,
    // The wording of S88, so without quotation marks.
    title: text("consent.connect", { name: client.name }),
    heading: locale.html("consent.connect", { name: html`<bdi>${client.name}</bdi>` }),
    // Obstacles come first, so that they are visible without scrolling.
    body: html`
      ${!mayAllow && upgradePrompt(visitor, links, url)} ${publisherOf(client.publisher, locale)}
      <dl>
        <dt>${text("consent.sentBackTo")}</dt>
        <dd>${destinationOf(request.redirectUri, locale)}</dd>
        <dt>${text("consent.account")}</dt>
        <dd>
          ${visitor.session.email}
          ${quietForm(visitor, signOutPath, text("consent.otherAccount"), undefined, { return_to: url })}
        </dd>
      </dl>
      <h2>${text("consent.may")}</h2>
      <ul>
        <li>${text("consent.maySearch")}</li>
        <li>${text("consent.mayNotChange")}</li>
      </ul>
      ${takesPlaceHere && onThisDevice(locale)}
      <form method="post" action="${decisionPath}">
        ${Csrf.hidden(visitor, { request: Redacted.value(secret), url })}
        <div class="actions">
          ${mayAllow && choice("allow", text("consent.allow"), "")} ${choice("deny", text("consent.deny"), "secondary")}
        </div>
      </form>
      ${mayAllow && html`<p class="aside">${text("consent.end", { idle: idleDays, most: maxDays })}</p>`}
    `
  }
}

/**
 * Forwards to the app after the decision. A page with a `Refresh` header instead of a redirect: browsers apply the form's
 * policy to the whole chain of redirects, and would silently block an app that redirects to another address (R30).
 */
export const forward = (
  location: string,
  { allowed, client }: { readonly client: ConsentRequest["client"]; readonly allowed: boolean },
  locale: Locale
): Page => ({
  locale: withoutPlace(locale),
  heading: locale.text(allowed ? "consent.allowed" : "consent.denied"),
  body: html`
    <p role="status">${locale.html("consent.leaving", { name: quoted(client.name, locale) })}</p>
    <p>${locale.html("consent.continue", { link: link(location) })}</p>
  `,
  headers: { refresh: `0;url=${location}` }
})

/** The answer to a form that is sent again after the app has used its code. */
export const connected = ({ client }: ConsentRequest, locale: Locale): Page => ({
  locale: withoutPlace(locale),
  heading: locale.text("consent.allowed"),
  body: html`<p role="status">${locale.html("consent.connected", { name: quoted(client.name, locale) })}</p>`
})
