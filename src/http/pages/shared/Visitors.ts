/** The visitor of a page: the browser's cookie, and its session. */
import { Context, Effect, Layer, Option } from "effect"
import type { Redacted } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { CsrfTokens } from "../../../services/sessions/CsrfTokens.ts"
import { Sessions } from "../../../services/sessions/Sessions.ts"
import type { Session } from "../../../services/sessions/Sessions.ts"
import type * as Locale from "./Locale.ts"
import * as SessionCookie from "./SessionCookie.ts"

export interface Visitor {
  /** The secret in the cookie, or the new one that `guestPage` of Layout or {@link Visitors.remember} sets. */
  readonly secret: Redacted.Redacted
  /** The CSRF token of every form, bound to the cookie and the account (R28, R29). */
  readonly formToken: string
  /** `undefined` without a session. */
  readonly session: Session | undefined
  /** In the language that the visitor chose, or the browser prefers. */
  readonly locale: Locale.Locale
}

export interface SignedIn extends Visitor {
  readonly session: Session
}

export const isSignedIn = (visitor: Visitor): visitor is SignedIn => visitor.session !== undefined

type Respond = (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse

export class Visitors extends Context.Service<
  Visitors,
  {
    /** A visitor without a cookie gets a new secret. A response with a form must set it. */
    identify(
      request: HttpServerRequest.HttpServerRequest,
      locale: Locale.Locale
    ): Effect.Effect<Visitor, ServiceUnavailable>
    /** The visitor with a session that has just started, for a page in the same response. */
    as(
      started: { readonly session: Session; readonly secret: Redacted.Redacted },
      locale: Locale.Locale
    ): Effect.Effect<SignedIn>
    /** Sets the cookie. */
    remember(secret: Redacted.Redacted): Respond
    /** Deletes the cookie. */
    readonly forget: Respond
  }
>()("discovery/http/pages/Visitors") {
  static readonly layer = Layer.effect(
    Visitors,
    Effect.gen(function* () {
      const cookie = SessionCookie.of(yield* AppConfig)
      const sessions = yield* Sessions
      const tokens = yield* CsrfTokens

      const as = <S extends Session | undefined>(
        owner: { readonly session: S; readonly secret: Redacted.Redacted },
        locale: Locale.Locale
      ) =>
        Effect.map(tokens.of({ secret: owner.secret, accountId: owner.session?.accountId }), (formToken) => ({
          ...owner,
          formToken,
          locale
        }))

      const identify = Effect.fnUntraced(function* (
        request: HttpServerRequest.HttpServerRequest,
        locale: Locale.Locale
      ) {
        const given = cookie.read(request)
        const session = given === undefined ? undefined : Option.getOrUndefined(yield* sessions.current(given))
        const secret = given ?? (yield* tokens.guestSecret)
        return yield* as({ session, secret }, locale)
      })

      return { identify, as, remember: cookie.set, forget: cookie.clear }
    })
  )
}
