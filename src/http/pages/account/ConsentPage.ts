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
import * as Locale from "../shared/Locale.ts"
import type { Links } from "../shared/OutwardLinks.ts"
import { signOutPath } from "../shared/ReturnTo.ts"
import { hostOf, quoted } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

export const decisionPath = "/authorize/decision"

const idleDays = refreshTokenSeconds / 86_400

/** These pages are in English only (D51), with the wording of S88 to S91. */
const nameOf = (name: string): Html => quoted(name, Locale.of(undefined))

/** The publisher of the app. Only the host of the metadata document is verified. */
export const publisherOf = (host: string | undefined): Html =>
  host === undefined
    ? html`<p>This app chose its own name. Discovery has not verified who publishes it.</p>`
    : html`<p>Verified publisher: ${hostOf(host)}</p>`

export const destinationOf = (uri: string): Html => {
  const destination = RedirectUri.destination(uri)
  return RedirectUri.isOwnScheme(uri)
    ? html`the app on this device that opens <bdi class="host"><strong>${destination}</strong></bdi> addresses`
    : hostOf(destination)
}

const onThisDevice = html`
  <div class="warning" role="note">
    <p>
      <strong>Continue only if you just started this connection.</strong> The access goes to a program on this device,
      and any program can ask for it.
    </p>
  </div>
`

const wayOut = ({ billing, support }: Links): Html => {
  if (billing !== undefined) return html`<a href="${billing}">Upgrade or fix billing</a>`
  return support === undefined
    ? html`Ask the people who run this server for access`
    : html`<a href="${support}">Contact support for access</a>`
}

/** `url` repeats the request. Reloading would not, because the page may answer a form. */
const upgradePrompt = ({ session }: SignedIn, links: Links, url: string): Html => html`
  <div class="notice" role="note">
    <p>
      To connect an app, an account needs an active Growth or Pro subscription. This account's is
      ${Plan.titles[session.plan]}${session.status !== "active" && `, ${session.status}`}.
    </p>
    <p>${wayOut(links)}, then <a href="${url}">come back to this request</a>.</p>
  </div>
`

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
  const takesPlaceHere = RedirectUri.isLoopback(request.redirectUri) || RedirectUri.isOwnScheme(request.redirectUri)
  return {
    // The wording of S88, so without quotation marks.
    title: `Connect ${client.name}`,
    heading: html`Connect <bdi>${client.name}</bdi>`,
    // Obstacles come first, so that they are visible without scrolling.
    body: html`
      ${!mayAllow && upgradePrompt(visitor, links, url)} ${publisherOf(client.publisher)}
      <dl>
        <dt>You are sent back to</dt>
        <dd>${destinationOf(request.redirectUri)}</dd>
        <dt>Your account</dt>
        <dd>
          ${visitor.session.email}
          ${quietForm(visitor, signOutPath, "Use another account", undefined, { return_to: url })}
        </dd>
      </dl>
      <h2>What this app may do</h2>
      <ul>
        <li>Search shops, products and ads, with the credits of your plan</li>
        <li>Change nothing in your account, your stores or your billing</li>
      </ul>
      ${takesPlaceHere && onThisDevice}
      <form method="post" action="${decisionPath}">
        ${Csrf.hidden(visitor, { request: Redacted.value(secret), url })}
        <div class="actions">
          ${mayAllow && choice("allow", "Allow access", "")} ${choice("deny", "Deny", "secondary")}
        </div>
      </form>
      ${
        mayAllow &&
        html`<p class="aside">
          You can end the connection at any time in your dashboard. It ends by itself after ${idleDays} days without
          use, and after ${maxDays} days in any case.
        </p>`
      }
    `
  }
}

/**
 * Forwards to the app after the decision. A page with a `Refresh` header instead of a redirect: browsers apply the form's
 * policy to the whole chain of redirects, and would silently block an app that redirects to another address (R30).
 */
export const forward = (
  location: string,
  { allowed, client }: { readonly client: ConsentRequest["client"]; readonly allowed: boolean }
): Page => ({
  heading: allowed ? "Access allowed" : "Access denied",
  body: html`
    <p role="status">You are being sent back to ${nameOf(client.name)}.</p>
    <p><a href="${location}">Continue</a> if nothing happens. You can close this page afterwards.</p>
  `,
  headers: { refresh: `0;url=${location}` }
})

/** The answer to a form that is sent again after the app has used its code. */
export const connected = ({ client }: ConsentRequest): Page => ({
  heading: "Access allowed",
  body: html`<p role="status">
    You allowed access, and ${nameOf(client.name)} is connected. Go back to the app; you can close this page.
  </p>`
})
