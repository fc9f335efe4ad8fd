/** Whether a form was sent by the page that it belongs to (R29): the browser says so, and the form proves it. */
import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../../../Config.ts"
import { CsrfTokens } from "../../../services/access/CsrfTokens.ts"
import type { RequestHeaders } from "../../RequestHeaders.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Visitor } from "./Visitors.ts"

/** The name of the field in every form. */
export const field = "form_token"

/** To be put into every form. */
export const hidden = (visitor: Visitor): Html =>
  html`<input type="hidden" name="${field}" value="${visitor.formToken}" />`

/**
 * A page that tells nobody its address has `Origin: null` in its own forms, so that Origin can only refuse, and
 * Sec-Fetch-Site counts first. Browsers before 2023 and plain HTTP other than loopback have no Sec-Fetch-Site.
 */
const isFromHere = (headers: RequestHeaders, baseUrl: string): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const origin = headers["origin"]
  return origin === undefined || origin === "null" || origin === baseUrl
}

export class Csrf extends Context.Service<
  Csrf,
  {
    /** Whether a form with this token was shown to this visitor, by a page of this service, and sent by that page. */
    isOwn(visitor: Visitor, headers: RequestHeaders, token: string): Effect.Effect<boolean>
  }
>()("discovery/http/pages/Csrf") {
  static readonly layer = Layer.effect(
    Csrf,
    Effect.gen(function* () {
      const { baseUrl } = yield* AppConfig
      const tokens = yield* CsrfTokens
      return {
        isOwn: ({ secret, session }, headers, token) =>
          isFromHere(headers, baseUrl)
            ? tokens.isOf({ secret, accountId: session?.accountId }, token)
            : Effect.succeed(false)
      }
    })
  )
}
