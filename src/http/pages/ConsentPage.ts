/** The page on which a person lets an app in, or not (seed, OAuth 4 to 6; oauth.md 24 to 27), and those around it. */
import type { Redacted } from "effect"
import { Redacted as Secret } from "effect"
import type { PlanUpgradeRequired } from "../../domain/ToolError.ts"
import * as RedirectUri from "../../domain/oauth/RedirectUri.ts"
import type { ConsentRequest } from "../../services/oauth/ConsentRequests.ts"
import * as Csrf from "./Csrf.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Page } from "./Layout.ts"
import { signOutForm } from "./SignOutForm.ts"
import type { SignedIn } from "./Visitors.ts"

export const decisionPath = "/authorize/decision"

/** Who stands behind the app. Only the host of a document's address is known for certain. */
const publisher = (host: string | undefined): Html =>
  host === undefined
    ? html`<p>This app chose its own name. Discovery has not verified who publishes it.</p>`
    : html`<p>
        Verified publisher: <strong><bdi>${host}</bdi></strong>
      </p>`

const onThisDevice = html`
  <div class="warning" role="note">
    <p>
      <strong>This app runs on your own device.</strong> Any program on it can ask like this. Continue only if you just
      started this connection.
    </p>
  </div>
`

const decision = (value: "allow" | "deny", label: string): Html =>
  html`<button type="submit" name="decision" value="${value}" class="${value === "deny" ? "secondary" : ""}">
    ${label}
  </button>`

export const consent = (options: {
  readonly asked: ConsentRequest
  /** Of the form; see ConsentRequests. */
  readonly secret: Redacted.Redacted
  readonly visitor: SignedIn
  /** Why this account cannot let an app in, if it cannot. */
  readonly upgrade: PlanUpgradeRequired | undefined
}): Page => {
  const { asked, secret, upgrade, visitor } = options
  const { client, request, url } = asked
  return {
    heading: `Connect ${client.name}`,
    body: html`
      ${publisher(client.publisher)}
      <dl>
        <dt>You are sent back to</dt>
        <dd><bdi>${RedirectUri.destination(request.redirectUri)}</bdi></dd>
        <dt>Your account</dt>
        <dd>
          ${visitor.session.email}
          ${signOutForm({ visitor, label: "Use another account", look: "quiet", returnTo: url })}
        </dd>
      </dl>
      <h2>What this app may do</h2>
      <ul>
        <li>Search shops, products and ads, with the credits of your plan</li>
        <li>Change nothing in your account, your stores or your billing</li>
      </ul>
      ${RedirectUri.isLoopback(request.redirectUri) && onThisDevice}
      ${
        upgrade !== undefined &&
        html`<div class="notice">
          <p>${upgrade.message}</p>
          <p><a href="${upgrade.upgradeUrl}">Upgrade or fix billing</a></p>
        </div>`
      }
      <form method="post" action="${decisionPath}">
        ${Csrf.hidden(visitor)}
        <input type="hidden" name="request" value="${Secret.value(secret)}" />
        <div class="choices">
          ${upgrade === undefined && decision("allow", "Allow access")} ${decision("deny", "Deny")}
        </div>
      </form>
    `
  }
}

/**
 * On the way back to the app. A page and no redirect: browsers apply a form's policy to all redirects after it, and the
 * click would do nothing for an app that hands on to another address (oauth.md 30). The header does what a `meta` would.
 */
export const forward = (location: string, appName: string): Page => ({
  heading: "Back to the app",
  body: html`
    <p role="status">You are being sent back to <bdi>${appName}</bdi>.</p>
    <p><a href="${location}">Continue</a> if nothing happens. You can close this page afterwards.</p>
  `,
  headers: { refresh: `0;url=${location}` }
})

/** Why a request cannot even be answered to the app: nobody knows where that is. */
export type Stranded = "client_missing" | "client_unknown" | "client_unreadable" | "redirect_refused" | "over"

const strandings: Readonly<Record<Stranded, { readonly heading: string; readonly text: string }>> = {
  client_missing: {
    heading: "The app did not say who it is",
    text: "Its request has no client_id, or several. Start again in the app; if it stays, tell its makers."
  },
  client_unknown: {
    heading: "This app is not known here",
    text: "It may have been registered long ago and not been used. Remove the connection to Discovery in the app, and add it again."
  },
  client_unreadable: {
    heading: "The app could not be checked",
    text: "Its address does not describe an app as it should. Try again in a few minutes; if it stays, tell its makers."
  },
  redirect_refused: {
    heading: "The app asked to be answered at an unknown address",
    text: "The address is not among those that it has registered, so nothing was sent there. Start again in the app."
  },
  over: {
    heading: "This request is over",
    text: "It was answered already, is older than 15 minutes, or was asked of another sign-in. Start again in the app."
  }
}

export const stranded = (why: Stranded): Page => ({
  status: 400,
  heading: strandings[why].heading,
  body: html`<p>${strandings[why].text}</p>
    <p>Nothing was given to the app.</p>`
})

/** The account cannot have another connection. */
export const tooMany = (message: string, visitor: SignedIn): Page => ({
  status: 403,
  heading: "Too many connected apps",
  account: visitor,
  body: html`<p>${message}</p>
    <p><a href="/dashboard/integrations">To your connected apps</a></p>`
})
