/** `/token`: exchanges a code or a refresh token for tokens (R32 to R39; RFC 6749, 4.1.3, 5 and 6). */
import { Effect, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { InvalidRequest, UnsupportedGrantType } from "../../domain/oauth/OAuthError.ts"
import type { TokenError } from "../../domain/oauth/OAuthError.ts"
import type { Parameters } from "../../domain/oauth/Parameters.ts"
import { Clients } from "../../services/oauth/Clients.ts"
import { Grants } from "../../services/oauth/Grants.ts"
import type { Tokens } from "../../services/oauth/Grants.ts"
import * as Endpoints from "./Endpoints.ts"
import * as FormRequest from "./FormRequest.ts"

const required = (parameters: Parameters, name: string): Effect.Effect<string, InvalidRequest> => {
  const value = parameters.get(name)
  return value === undefined
    ? Effect.fail(new InvalidRequest({ message: `${name} is missing.` }))
    : Effect.succeed(value)
}

const reply = ({ accessToken, expiresInSeconds, refreshToken, scope }: Tokens) =>
  HttpServerResponse.jsonUnsafe({
    access_token: Redacted.value(accessToken),
    token_type: "Bearer",
    expires_in: expiresInSeconds,
    refresh_token: Redacted.value(refreshToken),
    scope
  })

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
            code: Redacted.make(yield* required(parameters, "code")),
            verifier: Redacted.make(yield* required(parameters, "code_verifier")),
            redirectUri: get("redirect_uri"),
            resources
          })
        case "refresh_token":
          return yield* grants.refresh({
            clientId,
            refreshToken: Redacted.make(yield* required(parameters, "refresh_token")),
            resources,
            scope: get("scope")
          })
        case undefined:
          return yield* new InvalidRequest({ message: "grant_type is missing." })
        default:
          return yield* new UnsupportedGrantType({
            message: "grant_type must be authorization_code or refresh_token."
          })
      }
    })

    const answer = Effect.fn("Token.answer")(function* (
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, TokenError> {
      const { clientId, parameters } = yield* FormRequest.read(request, clients)
      return reply(yield* tokensFor(parameters, clientId))
    })

    return Endpoints.add("/token", "token", answer)
  })
)
