/** CSRF protection of forms (R29): the origin that the browser reports, and the token in the form. */
import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../../../Config.ts"
import { CsrfTokens } from "../../../services/sessions/CsrfTokens.ts"
import type { RequestHeaders } from "../../shared/RequestHeaders.ts"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"
import type { Visitor } from "./Visitors.ts"

/** The name of the token's field. */
export const field = "form_token"

/** The hidden field that every form contains, and those of this one; `undefined` is left out. */
export const hidden = (
  visitor: Visitor,
  more: Readonly<Record<string, string | number | undefined>> = {}
): ReadonlyArray<Html> =>
  Object.entries({ [field]: visitor.formToken, ...more }).flatMap(([name, value]) =>
    value === undefined ? [] : [html` <input type="hidden" name="${name}" value="${value}" />`]
  )

/**
 * Forms of a page with `Referrer-Policy: no-referrer` send `Origin: null`, so `Origin` can only refuse. `Sec-Fetch-Site`
 * is checked first; browsers before 2023 and plain HTTP other than loopback do not send it.
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
    /** Whether the form was sent from a page of this service and `token` was issued to this visitor. */
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
