/** `/token`: exchanges a code or a refresh token for tokens (R32 to R39; RFC 6749, 4.1.3, 5 and 6). */
import { Effect, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import * as ClientFamily from "../../domain/oauth/ClientFamily.ts"
import { UnsupportedGrantType } from "../../domain/oauth/OAuthError.ts"
import type { TokenError } from "../../domain/oauth/OAuthError.ts"
import type { Parameters } from "../../domain/oauth/RequestParameters.ts"
import * as TokenOutcome from "../../domain/oauth/TokenOutcome.ts"
import * as Metrics from "../../services/metrics/Metrics.ts"
import { Clients } from "../../services/oauth/Clients.ts"
import { Grants } from "../../services/oauth/Grants.ts"
import type { Tokens } from "../../services/oauth/GrantTokens.ts"
import * as Endpoints from "./Endpoints.ts"
import * as FormRequest from "./FormRequest.ts"

const reply = ({ accessToken, expiresInSeconds, refreshToken, scope }: Tokens) =>
  HttpServerResponse.jsonUnsafe({
    access_token: Redacted.value(accessToken),
    token_type: "Bearer",
    expires_in: expiresInSeconds,
    refresh_token: Redacted.value(refreshToken),
    scope
  })

const countIssued = (grantType: string | undefined, client: ClientFamily.ClientKind, { isRepeat }: Tokens) =>
  grantType === "authorization_code"
    ? Metrics.connections.add(client)
    : Metrics.refreshes.add({ ...client, outcome: isRepeat ? "repeated" : "rotated" })

/** Requests of another type are answered and not counted: no app loses a connection by them. */
const countRefused = (grantType: string | undefined, client: ClientFamily.ClientKind, error: TokenError) => {
  if (grantType === "authorization_code") return Metrics.codesRefused.add({ reason: TokenOutcome.ofRefusedCode(error) })
  if (grantType !== "refresh_token") return Effect.void
  const reason = TokenOutcome.signInReasonOf(error)
  const { client_family } = client
  return Effect.andThen(
    Metrics.refreshes.add({ ...client, outcome: TokenOutcome.ofRefusedRefresh(error) }),
    reason === undefined ? Effect.void : Metrics.signInsForced.add({ client_family, reason })
  )
}

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const clients = yield* Clients
    const grants = yield* Grants

    const tokensFor = Effect.fnUntraced(function* (
      parameters: Parameters,
      clientId: string
    ): Effect.fn.Return<Tokens, TokenError> {
      const { get, resources } = parameters
      switch (get("grant_type")) {
        case "authorization_code":
          return yield* grants.exchangeCode({
            clientId,
            code: Redacted.make(yield* FormRequest.required(parameters, "code")),
            verifier: Redacted.make(yield* FormRequest.required(parameters, "code_verifier")),
            redirectUri: get("redirect_uri"),
            resources
          })
        case "refresh_token":
          return yield* grants.refresh({
            clientId,
            refreshToken: Redacted.make(yield* FormRequest.required(parameters, "refresh_token")),
            resources
          })
        default:
          yield* FormRequest.required(parameters, "grant_type")
          return yield* new UnsupportedGrantType({
            message: "grant_type must be authorization_code or refresh_token."
          })
      }
    })

    const answer = Effect.fn("Token.answer")(function* (
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, TokenError> {
      const parameters = yield* FormRequest.read(request)
      const grantType = parameters.get("grant_type")
      const client = yield* FormRequest.authenticate(request, parameters, clients).pipe(
        Effect.tapError((error) => countRefused(grantType, ClientFamily.unknown, error))
      )
      const kind = ClientFamily.kindOf(client)
      const tokens = yield* tokensFor(parameters, client.id).pipe(
        Effect.tapError((error) => countRefused(grantType, kind, error))
      )
      yield* countIssued(grantType, kind, tokens)
      return reply(tokens)
    })

    return Endpoints.add("token", answer)
  })
)
