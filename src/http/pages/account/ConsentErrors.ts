/**
 * The pages of authorization requests that fail, and of answers that have no effect any more. What the app gets as an error is in
 * English (RFC 6749, 4.1.2.1).
 */
import * as DocumentProblem from "../../../domain/oauth/DocumentProblem.ts"
import type { AuthorizeError } from "../../../domain/oauth/OAuthError.ts"
import type { ClientMetadataFailure } from "../../../services/oauth/ClientMetadata.ts"
import type { ConsentRequest } from "../../../services/oauth/ConsentRequests.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { overviewPath, sections } from "../shared/Layout.ts"
import type { Page } from "../shared/Layout.ts"
import type { MessageKey } from "../../../domain/Messages.ts"
import { withoutPlace } from "../shared/Locale.ts"
import type { Locale } from "../shared/Locale.ts"
import { hostOf } from "../shared/ThirdParty.ts"
import type { SignedIn, Visitor } from "../shared/Visitors.ts"
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
  readonly heading: MessageKey
  readonly text: MessageKey
  /** By default, that nothing was given. */
  readonly effect?: MessageKey
}

const unreachablePages: Readonly<Record<Unreachable, UnreachablePage>> = {
  client_missing: { heading: "consent.clientMissing", text: "consent.clientMissingText" },
  client_unknown: { heading: "consent.clientUnknown", text: "consent.clientUnknownText" },
  redirect_refused: { heading: "consent.redirectRefused", text: "consent.redirectRefusedText" },
  too_long: { heading: "consent.unreadable", text: "consent.unreadableText" },
  not_get: { heading: "consent.notGet", text: "consent.notGetText" },
  over: { heading: "consent.over", text: "consent.overText", effect: "consent.nothingMore" },
  denied: { heading: "consent.over", text: "consent.deniedText" },
  allowed: { heading: "consent.over", text: "consent.allowedText", effect: "consent.nothingChanged" },
  lapsed: { heading: "consent.over", text: "consent.lapsedText", effect: "consent.nothingMore" }
}

/** `request` is the address of the authorization request, to try again after an outage or a rate limit. */
export const unreachable = (
  why: Unreachable,
  locale: Locale,
  { request, status = 400 }: { readonly request?: string | undefined; readonly status?: number | undefined } = {}
): Page => {
  const { text } = locale
  const page = unreachablePages[why]
  return {
    status,
    locale: withoutPlace(locale),
    heading: text(page.heading),
    body: html`<p>${text(page.text)}</p>
      <p>${text(page.effect ?? "consent.nothingGiven")}</p>
      ${why === "allowed" && html`<p><a href="${sections.integrations}">${text("consent.toIntegrations")}</a></p>`}
      ${request !== undefined && html`<p><a href="${request}">${text("consent.viewAgain")}</a></p>`}`
  }
}

const undocumentedTexts = (
  failure: ClientMetadataFailure,
  clientId: string,
  locale: Locale
): readonly [string, Html | string] => {
  const { text } = locale
  const url = URL.parse(clientId)
  const host = hostOf(url?.host ?? "")
  switch (failure._tag) {
    case "ClientMetadataOff":
      return [text("consent.documentsOff"), text("consent.documentsOffText")]
    case "ClientMetadataUnavailable":
      return [text("consent.unchecked"), locale.html("consent.uncheckedText", { host })]
    case "ClientMetadataRejected":
      return failure.reason === undefined || url === null
        ? [text("consent.badAddress"), text("consent.badAddressText")]
        : [
            text("consent.badDocument"),
            locale.html("consent.badDocumentText", {
              address: html`${host}<bdi>${url.pathname.slice(0, maxPathShown)}</bdi>`,
              reason: DocumentProblem.textOf(failure.reason, locale)
            })
          ]
  }
}

/** The client's metadata document cannot be used (R47 to R50). All causes of an unreachable document give the same page. */
export const undocumented = (failure: ClientMetadataFailure, clientId: string, locale: Locale): Page => {
  const [heading, text] = undocumentedTexts(failure, clientId, locale)
  return {
    status: 400,
    locale: withoutPlace(locale),
    heading,
    body: html`<p>${text}</p>
      <p>${locale.text("consent.nothingGiven")}</p>`
  }
}

/**
 * An authorization request with an error. The visitor may not have started it, so the browser is not redirected without a
 * click, and no program is opened (RFC 9700, 4.11.2). The link is the error response to the app.
 */
export const refused = (
  location: string,
  { client, error }: { readonly client: ConsentRequest["client"]; readonly error: AuthorizeError },
  locale: Locale
): Page => ({
  status: 400,
  locale: withoutPlace(locale),
  heading: locale.text("consent.refused"),
  body: html`
    <p lang="en">${error.message}</p>
    ${publisherOf(client.publisher, locale)}
    <p>${locale.text("consent.refusedText")}</p>
    <dl>
      <dt>${locale.text("consent.linkLeadsTo")}</dt>
      <dd>${destinationOf(location, locale)}</dd>
    </dl>
    <p><a href="${location}" rel="noreferrer">${locale.text("consent.backToApp")}</a></p>
  `
})

/** The rate limit of an address (R56). */
export const tooOften = (retryAfterSeconds: number, { locale }: Visitor): Page => ({
  status: 429,
  locale: withoutPlace(locale),
  heading: locale.text("consent.tooOften"),
  body: html`<p>${locale.text("consent.tooOftenText")}</p>`,
  headers: { "retry-after": String(retryAfterSeconds) }
})

/** The account has `most` connections, which is the maximum. */
export const tooMany = (most: number, visitor: SignedIn): Page => ({
  status: 403,
  heading: visitor.locale.text("consent.tooMany"),
  account: visitor,
  body: html`<p>${visitor.locale.text("consent.tooManyText", { most })}</p>
    <p><a href="${overviewPath}">${visitor.locale.text("consent.toDashboard")}</a></p>`
})
