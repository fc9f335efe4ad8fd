/** The pages of authorization requests that fail, and of answers that have no effect any more. They are in English only (D51). */
import type { AuthorizeError } from "../../../domain/oauth/OAuthError.ts"
import type { ClientMetadataFailure } from "../../../services/oauth/ClientMetadata.ts"
import type { ConsentRequest } from "../../../services/oauth/ConsentRequests.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { overviewPath, sections } from "../shared/Layout.ts"
import type { Page } from "../shared/Layout.ts"
import * as Locale from "../shared/Locale.ts"
import { hostOf } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { destinationOf, publisherOf } from "./ConsentPage.ts"

/** Limit for the path of a client id. */
const maxPathShown = 200

/** The app cannot be answered, because the redirect URI of its request is not verified, or the answer has no effect any more. */
export type Unreachable =
  | "client_missing"
  | "client_unknown"
  | "redirect_refused"
  | "too_long"
  | "not_get"
  | "over"
  | "allowed"
  | "denied"
  | "lapsed"

interface UnreachablePage {
  readonly heading: string
  readonly text: string
  /** By default, that nothing was given. */
  readonly effect?: string
}

const unreachablePages: Readonly<Record<Unreachable, UnreachablePage>> = {
  client_missing: {
    heading: "The app did not identify itself",
    text: "Its request has no client_id, or several. Start again in the app; if this keeps happening, contact its developer."
  },
  client_unknown: {
    heading: "This app is not known here",
    text: "It may have been registered long ago and never used. Remove the connection to Discovery in the app, and add it again."
  },
  redirect_refused: {
    heading: "The app asked to be answered at an unknown address",
    text: "The address is not among those that it has registered, so nothing was sent there. Start again in the app; if this keeps happening, remove the connection to Discovery there, and add it again."
  },
  too_long: {
    heading: "The app's request cannot be read",
    text: "It is too long, or contains invalid characters. Start again in the app; if this keeps happening, contact its developer."
  },
  not_get: {
    heading: "This page opens from an app",
    text: "Apps open it with a link. Start again in the app; if this keeps happening, contact its developer."
  },
  over: {
    heading: "This request has expired",
    text: "It was already answered, is older than 15 minutes, or belongs to another sign-in. Start again in the app.",
    effect: "Nothing more was given to the app."
  },
  denied: {
    heading: "This request has expired",
    text: "You already denied access. To allow it, start again in the app."
  },
  allowed: {
    heading: "This request has expired",
    text: "You already allowed access. To end it, revoke the app on the Integrations page.",
    effect: "Nothing was changed."
  },
  lapsed: {
    heading: "This request has expired",
    text: "You already allowed access, but the app did not use it within a minute, or the connection has ended since. Start again in the app.",
    effect: "Nothing more was given to the app."
  }
}

/** `request` is the address of the authorization request, to try again after an outage or a rate limit. */
export const unreachable = (
  why: Unreachable,
  { request, status = 400 }: { readonly request?: string | undefined; readonly status?: number | undefined } = {}
): Page => ({
  status,
  heading: unreachablePages[why].heading,
  body: html`<p>${unreachablePages[why].text}</p>
    <p>${unreachablePages[why].effect ?? "Nothing was given to the app."}</p>
    ${why === "allowed" && html`<p><a href="${sections.integrations}">Go to Integrations</a></p>`}
    ${request !== undefined && html`<p><a href="${request}">View the request again</a></p>`}`
})

const undocumentedTexts = (failure: ClientMetadataFailure, clientId: string): readonly [string, Html] => {
  const url = URL.parse(clientId)
  const host = hostOf(url?.host ?? "")
  switch (failure._tag) {
    case "ClientMetadataOff":
      return [
        "This server does not read documents about apps",
        html`The app says who it is by the address of a document. The operator of this server has turned those off: an
        app has to register itself. Remove the connection to Discovery in the app, and add it again; if this keeps
        happening, contact the support of this server.`
      ]
    case "ClientMetadataUnavailable":
      return [
        "The app could not be checked",
        html`This server could not reach ${host}, where the document about the app should be, or has asked there too
        often just now. Try again in a few minutes; if this keeps happening, contact the support of this server.`
      ]
    case "ClientMetadataRejected":
      return failure.reason === undefined || url === null
        ? [
            "The app's address is wrong",
            html`Its client_id should be the address of a document: an https address on the internet, with a path, as a
            browser writes it. Contact its developer.`
          ]
        : [
            "The app's document is wrong",
            html`The document at ${host}<bdi>${url.pathname.slice(0, maxPathShown)}</bdi> is wrong: ${failure.reason}.
              Contact the developer of the app.`
          ]
  }
}

/** The client's metadata document cannot be used (R47 to R50). All causes of an unreachable document give the same page. */
export const undocumented = (failure: ClientMetadataFailure, clientId: string): Page => {
  const [heading, text] = undocumentedTexts(failure, clientId)
  return {
    status: 400,
    heading,
    body: html`<p>${text}</p>
      <p>Nothing was given to the app.</p>`
  }
}

/**
 * An authorization request with an error. The visitor may not have started it, so the browser is not redirected without a
 * click, and no program is opened (RFC 9700, 4.11.2). The link is the error response to the app.
 */
export const refused = (
  location: string,
  { client, error }: { readonly client: ConsentRequest["client"]; readonly error: AuthorizeError }
): Page => ({
  status: 400,
  heading: "The app's request cannot be granted",
  body: html`
    <p>${error.message}</p>
    ${publisherOf(client.publisher)}
    <p>Nothing was given to the app. If you just started this connection, you can tell the app what went wrong.</p>
    <dl>
      <dt>The link leads to</dt>
      <dd>${destinationOf(location)}</dd>
    </dl>
    <p><a href="${location}" rel="noreferrer">Back to the app</a></p>
  `
})

/** The rate limit of an address (R56). */
export const tooOften = (retryAfterSeconds: number): Page => ({
  status: 429,
  heading: "Too many requests from your network",
  body: html`<p>Wait a minute, then reload this page.</p>`,
  headers: { "retry-after": String(retryAfterSeconds) }
})

/** The account has the maximum number of connections. */
export const tooMany = (message: string, visitor: SignedIn): Page => ({
  status: 403,
  heading: "Too many connected apps",
  account: visitor,
  locale: Locale.of(undefined),
  body: html`<p>${message}</p>
    <p><a href="${overviewPath}">Go to the dashboard</a></p>`
})
