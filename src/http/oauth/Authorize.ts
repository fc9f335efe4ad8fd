/**
 * `/authorize`: from an app's request to a code for it (seed, OAuth 2 to 6; oauth.md 10 to 31). Always asks, also for an
 * app that was let in before (23). Errors go to the app only when it is certain where that is (10, 19).
 */
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { missing } from "../../domain/access/Plan.ts"
import * as AuthorizationRequest from "../../domain/oauth/AuthorizationRequest.ts"
import { AccessDenied } from "../../domain/oauth/OAuthError.ts"
import type { AuthorizeError } from "../../domain/oauth/OAuthError.ts"
import * as Parameters from "../../domain/oauth/Parameters.ts"
import * as RedirectUri from "../../domain/oauth/RedirectUri.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { Clients } from "../../services/oauth/Clients.ts"
import { ConsentRequests } from "../../services/oauth/ConsentRequests.ts"
import type { ConsentRequest } from "../../services/oauth/ConsentRequests.ts"
import { Grants } from "../../services/oauth/Grants.ts"
import * as ConsentPage from "../pages/ConsentPage.ts"
import { Layout } from "../pages/Layout.ts"
import { PageRoutes, seeOther } from "../pages/PageRoutes.ts"
import * as ReturnTo from "../pages/ReturnTo.ts"
import { isSignedIn } from "../pages/Visitors.ts"
import type { SignedIn, Visitor } from "../pages/Visitors.ts"
import * as OAuthReply from "./OAuthReply.ts"

export const path = "/authorize"

const Decision = Schema.Struct({
  request: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(100))),
  decision: Schema.Literals(["allow", "deny"])
})
type Decision = typeof Decision.Type

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, ServiceUnavailable>

const queryOf = (url: string): string => url.split("?").slice(1).join("?")

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { baseUrl, billingUrl, mcpUrl } = yield* AppConfig
    const clients = yield* Clients
    const consents = yield* ConsentRequests
    const grants = yield* Grants
    const routes = yield* PageRoutes
    const { page } = yield* Layout

    const stranded = (why: ConsentPage.Stranded) => page(ConsentPage.stranded(why))

    /** Every answer names who gives it, so that a client of several servers cannot mix them up (RFC 9207; oauth.md 20). */
    const answerTo = (
      { redirectUri, state }: AuthorizationRequest.ReturnAddress,
      parameters: Readonly<Record<string, string>>
    ) => RedirectUri.withParameters(redirectUri, { ...parameters, state, iss: baseUrl })

    const refusalTo = (address: AuthorizationRequest.ReturnAddress, error: AuthorizeError) =>
      answerTo(address, OAuthReply.codes(error))

    const ask = (asked: ConsentRequest, visitor: SignedIn, status = 200): Answer =>
      Effect.map(consents.open(visitor.session.id, asked), (secret) =>
        page({
          ...ConsentPage.consent({ asked, secret, visitor, upgrade: missing(visitor.session, billingUrl) }),
          status
        })
      )

    const receive = (visitor: Visitor, { url }: HttpServerRequest.HttpServerRequest): Answer =>
      Effect.gen(function* () {
        const parameters = Parameters.read(queryOf(url))
        const clientId = parameters.get("client_id")
        if (clientId === undefined) return stranded("client_missing")
        const client = yield* clients.find(clientId)
        const address = AuthorizationRequest.returnAddress(parameters, client)
        if (address === undefined) return stranded("redirect_refused")
        const request = AuthorizationRequest.read(parameters, address, mcpUrl)
        if (Result.isFailure(request)) return seeOther(refusalTo(address, request.failure))
        if (!isSignedIn(visitor)) return seeOther(ReturnTo.signInPath(ReturnTo.parse(url)))
        return yield* ask({ client, request: request.success, url }, visitor)
      }).pipe(
        Effect.catchTags({
          UnknownClient: () => Effect.succeed(stranded("client_unknown")),
          ClientMetadataUnavailable: () => Effect.succeed(stranded("client_unreadable"))
        })
      )

    const allow = (asked: ConsentRequest, visitor: SignedIn): Answer => {
      const { client, request } = asked
      // The plan may have changed since the page was shown.
      if (missing(visitor.session, billingUrl) !== undefined) return ask(asked, visitor, 403)
      return grants.approve({ accountId: visitor.session.accountId, client, ...request }).pipe(
        Effect.map(({ code }) =>
          page(ConsentPage.forward(answerTo(request, { code: Redacted.value(code) }), client.name))
        ),
        Effect.catchTags({
          UnknownClient: () => Effect.succeed(stranded("client_unknown")),
          TooManyConnections: ({ message }) => Effect.succeed(page(ConsentPage.tooMany(message, visitor)))
        })
      )
    }

    const decide = (form: Decision, visitor: SignedIn): Answer =>
      Effect.flatMap(
        consents.take(visitor.session.id, form.request),
        Option.match({
          onNone: () => Effect.succeed(stranded("over")),
          onSome: (asked) =>
            form.decision === "allow"
              ? allow(asked, visitor)
              : Effect.succeed(
                  page(
                    ConsentPage.forward(
                      refusalTo(asked.request, new AccessDenied({ message: "The user did not allow access." })),
                      asked.client.name
                    )
                  )
                )
        })
      )

    yield* router.add("GET", path, routes.page(receive))
    yield* router.add("POST", ConsentPage.decisionPath, routes.signedInForm("/dashboard", Decision, decide))
  })
)
