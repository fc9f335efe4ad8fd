/**
 * `/authorize` (S83, R6): the authorization endpoint (S86 to S92, R10 to R31). It always asks for consent, also for an
 * app that was approved before (R23). Errors are sent to the app only after its redirect URI is verified (R10, R19),
 * and without a click only to a web site of the app's publisher.
 */
import { Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { mayCallTools } from "../../domain/access/Plan.ts"
import type { OAuthClient } from "../../domain/oauth/Client.ts"
import * as AuthorizationRequest from "../../domain/oauth/AuthorizationRequest.ts"
import { AccessDenied } from "../../domain/oauth/OAuthError.ts"
import type { AuthorizeError } from "../../domain/oauth/OAuthError.ts"
import * as Parameters from "../../domain/oauth/RequestParameters.ts"
import * as RedirectUri from "../../domain/oauth/RedirectUri.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { Clients } from "../../services/oauth/Clients.ts"
import { ConsentRequests, Decision } from "../../services/oauth/ConsentRequests.ts"
import type { Answer, ConsentRequest, Found } from "../../services/oauth/ConsentRequests.ts"
import { EndpointRate } from "../../services/limits/EndpointRate.ts"
import { codeOf, Grants } from "../../services/oauth/Grants.ts"
import * as ClientAddress from "../shared/ClientAddress.ts"
import * as ConsentErrors from "../pages/account/ConsentErrors.ts"
import * as ConsentPage from "../pages/account/ConsentPage.ts"
import { Layout } from "../pages/shared/Layout.ts"
import { FormRejected } from "../pages/shared/ErrorPage.ts"
import * as OutwardLinks from "../pages/shared/OutwardLinks.ts"
import { PageRoutes, readsAll, seeOther } from "../pages/shared/PageRoutes.ts"
import { queryOf } from "../shared/QueryParameters.ts"
import * as ReturnTo from "../pages/shared/ReturnTo.ts"
import { isSignedIn } from "../pages/shared/Visitors.ts"
import type { SignedIn, Visitor } from "../pages/shared/Visitors.ts"
import * as OAuthReply from "./OAuthReply.ts"

export const path = "/authorize"

const DecisionForm = Schema.Struct({
  request: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(100))),
  decision: Decision,
  /** The request's path and query, to continue after a sign-in. */
  url: Schema.String
})
type DecisionForm = typeof DecisionForm.Type

type PageResponse = Effect.Effect<HttpServerResponse.HttpServerResponse, ServiceUnavailable>

/**
 * The path and query, to continue after a sign-in. `undefined` if it is too long or was not sent by a browser: a backslash
 * is the only invalid character that browsers leave in a query.
 */
const addressOf = (url: string): string | undefined => {
  const address = ReturnTo.parse(url.replaceAll("\\", "%5C"))
  return address?.startsWith(path) === true ? address : undefined
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* AppConfig
    const { baseUrl, connectionMaxDays: maxDays, mcpUrl } = config
    const links = OutwardLinks.of(config)
    const callerOf = ClientAddress.of(config)
    const rate = yield* EndpointRate
    const clients = yield* Clients
    const consents = yield* ConsentRequests
    const grants = yield* Grants
    const routes = yield* PageRoutes
    const { page } = yield* Layout

    const unreachable = (why: ConsentErrors.Unreachable, { locale }: Visitor, status?: number) =>
      page(ConsentErrors.unreachable(why, locale, { status }))

    /** A redirect to the app. `iss` lets a client of several servers detect a mix-up (RFC 9207; R20). */
    const answerTo = (
      { redirectUri, state }: AuthorizationRequest.ReturnAddress,
      parameters: Readonly<Record<string, string>>
    ) => RedirectUri.withParameters(redirectUri, { ...parameters, state, iss: baseUrl })

    const refusalTo = (address: AuthorizationRequest.ReturnAddress, error: AuthorizeError) =>
      answerTo(address, OAuthReply.codes(error))

    /**
     * The answer to a request with an error. Anyone may register any redirect URI. To prevent open redirects and the start
     * of local programs, also after a sign-in, browsers are redirected automatically only to addresses with the
     * registrable domain of the app's metadata document (RFC 9700, 4.11.2): a document may list addresses of any host. In
     * all other cases a page asks first.
     */
    const refuse = (
      address: AuthorizationRequest.ReturnAddress,
      error: AuthorizeError,
      client: OAuthClient,
      { locale }: Visitor
    ) => {
      const location = refusalTo(address, error)
      const isOwnSite = client.publisher !== undefined && RedirectUri.isSiteOf(client.publisher, location)
      return isOwnSite ? seeOther(location) : page(ConsentErrors.refused(location, { client, error }, locale))
    }

    const ask = (asked: ConsentRequest, visitor: SignedIn, status = 200): PageResponse =>
      Effect.map(consents.open(visitor.session.id, asked), (secret) =>
        page({
          ...ConsentPage.consent({ asked, maxDays, secret, visitor, links }),
          status
        })
      )

    const judge = (url: string, visitor: Visitor, caller: string): PageResponse =>
      Effect.gen(function* () {
        const parameters = Parameters.read(queryOf(url))
        const clientId = parameters.get("client_id")
        if (clientId === undefined) return unreachable("client_missing", visitor)
        const client = yield* Effect.result(clients.find(clientId, caller))
        if (Result.isFailure(client)) {
          if (client.failure._tag === "ServiceUnavailable") return yield* client.failure
          if (client.failure._tag === "UnknownClient") return unreachable("client_unknown", visitor)
          return page(ConsentErrors.undocumented(client.failure, clientId, visitor.locale))
        }
        const address = AuthorizationRequest.returnAddress(parameters, client.success)
        if (address === undefined) return unreachable("redirect_refused", visitor)
        const request = AuthorizationRequest.read(parameters, address, mcpUrl)
        if (Result.isFailure(request)) return refuse(address, request.failure, client.success, visitor)
        if (!isSignedIn(visitor)) return seeOther(ReturnTo.signInPath(url))
        return yield* ask({ client: client.success, request: request.success, url }, visitor)
      })

    const receive = (visitor: Visitor, request: HttpServerRequest.HttpServerRequest): PageResponse => {
      const url = addressOf(request.url)
      if (url === undefined) return Effect.succeed(unreachable("too_long", visitor))
      const caller = callerOf(request)
      return rate.take("authorize", caller).pipe(
        Effect.andThen(judge(url, visitor, caller)),
        Effect.catchTag("TooManyRequests", (error) =>
          Effect.succeed(page(ConsentErrors.tooOften(error.retryAfterSeconds, visitor)))
        )
      )
    }

    const forward = (location: string, { client }: ConsentRequest, allowed: boolean, { locale }: Visitor) =>
      page(ConsentPage.forward(location, { client, allowed }, locale))

    const toApp = ({ asked }: Found, code: Redacted.Redacted, visitor: Visitor) =>
      forward(answerTo(asked.request, { code: Redacted.value(code) }), asked, true, visitor)

    const over = (why: ConsentErrors.Unreachable, url: string, { locale }: Visitor) =>
      page(ConsentErrors.unreachable(why, locale, { request: addressOf(url) }))

    /** A form that was sent twice gets the same code, unless the app has used it: a second use would end the connection (R21). */
    const allowedBefore = (found: Found, answer: Answer, visitor: Visitor): PageResponse => {
      const code = codeOf(answer)
      return Effect.map(grants.codeState(code), (state) => {
        switch (state) {
          case "unused":
            return toApp(found, code, visitor)
          case "used":
            return page(ConsentPage.connected(found.asked, visitor.locale))
          case "over":
            return over("lapsed", found.asked.url, visitor)
        }
      })
    }

    const approve = (found: Found, answer: Answer, visitor: SignedIn): PageResponse => {
      const { client, request } = found.asked
      // Checked again: the plan may have changed since the page was displayed.
      if (!mayCallTools(visitor.session)) return ask(found.asked, visitor, 403)
      return grants.approve({ accountId: visitor.session.accountId, client, ...request, answers: answer }).pipe(
        Effect.map(({ code }) => toApp(found, code, visitor)),
        Effect.catchTags({
          // By a request at the same time.
          AlreadyDecided: () => allow(answer, visitor, found.asked.url),
          UnknownClient: () => Effect.succeed(unreachable("client_unknown", visitor)),
          TooManyConnections: ({ most }) => Effect.succeed(page(ConsentErrors.tooMany(most, visitor)))
        })
      )
    }

    const allow = (answer: Answer, visitor: SignedIn, url: string): PageResponse =>
      Effect.flatMap(
        consents.find(answer),
        Option.match({
          onNone: () => Effect.succeed(over("over", url, visitor)),
          onSome: (found) => {
            if (found.decision === undefined) return approve(found, answer, visitor)
            return found.decision === "allow"
              ? allowedBefore(found, answer, visitor)
              : Effect.succeed(over("denied", found.asked.url, visitor))
          }
        })
      )

    const deny = (answer: Answer, visitor: Visitor, url: string): PageResponse =>
      Effect.map(
        consents.deny(answer),
        Option.match({
          onNone: () => over("over", url, visitor),
          onSome: ({ asked, decision }) =>
            decision === "allow"
              ? unreachable("allowed", visitor)
              : forward(
                  refusalTo(asked.request, new AccessDenied({ message: "The user did not allow access." })),
                  asked,
                  false,
                  visitor
                )
        })
      )

    const decide = (form: DecisionForm, visitor: SignedIn): PageResponse => {
      const answer = { sessionId: visitor.session.id, secret: form.request }
      return form.decision === "allow" ? allow(answer, visitor, form.url) : deny(answer, visitor, form.url)
    }

    /**
     * The consent request belongs to another session. A visitor who is signed out signs in and is asked again; a visitor
     * with another session gets an error.
     */
    const notOwn = (
      { url }: DecisionForm,
      visitor: Visitor
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, FormRejected> =>
      isSignedIn(visitor)
        ? Effect.fail(new FormRejected())
        : Effect.succeed(seeOther(ReturnTo.signInPath(addressOf(url))))

    // RFC 6749, 3.1: parameters that are not known are ignored.
    yield* routes.page(path, readsAll(receive))
    // A GET route also answers HEAD, unless there is a route for all methods.
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
      yield* routes.page(
        path,
        readsAll((visitor) =>
          Effect.succeed(HttpServerResponse.setHeader(unreachable("not_get", visitor, 405), "allow", "GET, HEAD"))
        ),
        method
      )
    }
    // For a tab that is reopened after it displayed the answer to the form.
    yield* routes.page(
      ConsentPage.decisionPath,
      readsAll((visitor) => Effect.succeed(unreachable("over", visitor)))
    )
    yield* routes.form(
      ConsentPage.decisionPath,
      DecisionForm,
      (form, visitor) => (isSignedIn(visitor) ? decide(form, visitor) : notOwn(form, visitor)),
      notOwn
    )
  })
)
