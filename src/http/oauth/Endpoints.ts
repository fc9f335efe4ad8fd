/** What `/token`, `/register` and `/revoke` share: POST only, a rate limit by address, CORS for any origin, JSON errors. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"
import type { RegistrationError, RevocationError, TokenError } from "../../domain/oauth/OAuthError.ts"
import { InvalidRequest } from "../../domain/oauth/OAuthError.ts"
import * as Availability from "../../services/database/Availability.ts"
import { EndpointRate } from "../../services/limits/EndpointRate.ts"
import * as ClientAddress from "../shared/ClientAddress.ts"
import * as Outage from "../shared/Outage.ts"
import { RequestId } from "../shared/RequestId.ts"
import * as Cors from "../shared/Cors.ts"
import * as OAuthReply from "./OAuthReply.ts"

const preflight = Cors.preflight("POST, OPTIONS")

const notPost = Cors.add(
  OAuthReply.failure(new InvalidRequest({ message: "Use POST." })).pipe(
    HttpServerResponse.setStatus(405),
    HttpServerResponse.setHeader("allow", "POST")
  )
)

const invalidValue = new InvalidRequest({ message: "A parameter has a value that is not allowed." })

export const add = (
  endpoint: "token" | "register" | "revoke",
  answer: (
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, TokenError | RegistrationError | RevocationError>
) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const addressOf = ClientAddress.of(yield* AppConfig)
      const rate = yield* EndpointRate
      const path = `/${endpoint}` as const
      const logOutage = Outage.logger(`${path} cannot do its work`)

      const answered = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.flatMap(RequestId, (requestId) =>
          Effect.andThen(rate.take(endpoint, addressOf(request)), answer(request)).pipe(
            Effect.catch((error) => {
              const failure = OAuthReply.failure(error)
              return error._tag === "ServiceUnavailable"
                ? Effect.as(logOutage(error.cause ?? error, requestId), failure)
                : Effect.succeed(failure)
            }),
            Effect.catchCause((cause) =>
              Effect.flatMap(Availability.isRefusedValue(cause), (isUnfit) =>
                isUnfit ? Effect.succeed(OAuthReply.failure(invalidValue)) : Effect.failCause(cause)
              )
            ),
            Effect.map(Cors.add),
            Effect.annotateLogs("request_id", requestId)
          )
        )

      yield* router.add("*", path, (request) => {
        if (request.method === "POST") return answered(request)
        return Effect.succeed(request.method === "OPTIONS" ? preflight : notPost)
      })
    })
  )
