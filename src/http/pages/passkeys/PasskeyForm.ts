/** A form that a passkey answers: shared/passkeys.js asks the server for a challenge and the browser for its answer. */
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import * as Device from "../../../domain/access/Device.ts"
import { TooManyRequests } from "../../../domain/oauth/OAuthError.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import type { CodeRejected, SignedIn, Visit } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import type { VerificationError } from "../../../services/sessions/passkeys/Passkeys.ts"
import { maxCredentialCharacters } from "../../../services/sessions/passkeys/WebAuthn.ts"
import type { Options } from "../../../services/sessions/passkeys/WebAuthn.ts"
import { EndpointRate } from "../../../services/limits/EndpointRate.ts"
import * as ClientAddress from "../../shared/ClientAddress.ts"
import * as Csrf from "../shared/Csrf.ts"
import { refusal, tooMany } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { overviewPath } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { seeOther } from "../shared/PageRoutes.ts"
import * as SessionCookie from "../shared/SessionCookie.ts"
import { Visitors } from "../shared/Visitors.ts"
import type { Visitor } from "../shared/Visitors.ts"

export const Answer = Schema.Struct({
  credential: Schema.String.check(Schema.isMaxLength(maxCredentialCharacters)),
  return_to: Schema.optionalKey(Schema.String)
})

/** Where the script asks for the challenge of a form, with its fields. The challenge needs none of them. */
export const challengePath = <Path extends `/${string}`>(action: Path) => `${action}/challenge` as const

export const passkeyForm = (options: {
  readonly visitor: Visitor
  readonly action: `/${string}`
  readonly kind: "create" | "get"
  readonly label: string
  readonly look?: string
  readonly returnTo?: string | undefined
  readonly fields?: Html
}): Html => {
  const { action, fields, kind, label, look = "", returnTo, visitor } = options
  const { text } = visitor.locale
  return html`<form
    method="post"
    action="${action}"
    class="passkey"
    data-passkey="${kind}"
    data-challenge="${challengePath(action)}"
    data-canceled="${text("passkeyForm.canceled")}"
    data-known="${text("passkeyForm.known")}"
    data-failed="${text("passkeyForm.failed")}"
    hidden
  >
    ${Csrf.hidden(visitor, { return_to: returnTo, credential: "" })} ${fields}
    <button type="submit" class="${look}">${label}</button>
    <p class="error" role="alert" hidden></p>
  </form>`
}

/** An attempt that failed, which the page says beside its form. */
export type Failed = Exclude<VerificationError, ServiceUnavailable> | CodeRejected

export const refusalOf = (error: Failed, locale: Locale): Refusal => {
  switch (error._tag) {
    case "PasskeyRejected":
      return refusal(403, { message: locale.text("passkeyForm.rejected") })
    case "ChallengeExpired":
      return refusal(403, { message: locale.text("passkeyForm.expired") })
    case "CodeRejected":
      return refusal(403, { field: "code", message: locale.text("secondStep.wrongCode") })
    case "TooManyAttempts":
      return tooMany(error, "signIn.tooMany", locale)
  }
}

const isTooMany = (error: unknown): error is TooManyRequests => error instanceof TooManyRequests

/** What the routes to sign in share, and those of the other forms. */
export const tools = Effect.gen(function* () {
  const config = yield* AppConfig
  const rate = yield* EndpointRate
  const visitors = yield* Visitors
  const addressOf = ClientAddress.of(config)
  const browserCookie = SessionCookie.ofBrowser(config)
  return {
    /** The answer that ends a sign-in. */
    entered: ({ browser, secret }: SignedIn, returnTo: string | undefined) =>
      seeOther(returnTo ?? overviewPath).pipe(visitors.remember(secret), browserCookie.set(browser)),
    visitOf: (visitor: Visitor, request: HttpServerRequest.HttpServerRequest): Visit => ({
      owner: visitor.secret,
      address: addressOf(request),
      browser: browserCookie.read(request),
      device: Device.of(request.headers["user-agent"])
    }),
    /** The answer to the script; limited, because every challenge is stored. */
    challenge: <E, R>(request: HttpServerRequest.HttpServerRequest, options: Effect.Effect<Options, E, R>) =>
      Effect.andThen(rate.take("passkey", addressOf(request)), options).pipe(
        Effect.map((json) => HttpServerResponse.jsonUnsafe(json)),
        Effect.catchIf(isTooMany, ({ retryAfterSeconds }) =>
          Effect.succeed(
            HttpServerResponse.empty({ status: 429, headers: { "retry-after": String(retryAfterSeconds) } })
          )
        )
      )
  }
})
