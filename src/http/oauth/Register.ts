/** `/register`: dynamic client registration (R42 to R46; RFC 7591). A registration cannot be changed later. */
import { Effect, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { echoName } from "../../domain/ArgumentDecoder.ts"
import * as BoundedJson from "../../domain/BoundedJson.ts"
import type { RegistrationError } from "../../domain/oauth/OAuthError.ts"
import { InvalidClientMetadata } from "../../domain/oauth/OAuthError.ts"
import * as Registration from "../../domain/oauth/Registration.ts"
import { scope } from "../../domain/oauth/Scope.ts"
import { Clients } from "../../services/oauth/Clients.ts"
import type { RegisteredClient } from "../../services/oauth/Clients.ts"
import * as ClientAddress from "../shared/ClientAddress.ts"
import * as MediaType from "../shared/MediaType.ts"
import * as RequestHeaders from "../shared/RequestHeaders.ts"
import * as Endpoints from "./Endpoints.ts"
import * as FormRequest from "./FormRequest.ts"

/** All metadata of the client as registered, not as requested (RFC 7591, 3.2.1). */
const reply = ({ client, registeredAt, secret }: RegisteredClient) =>
  HttpServerResponse.jsonUnsafe(
    {
      client_id: client.id,
      client_id_issued_at: Math.floor(registeredAt / 1000),
      ...(secret === undefined ? {} : { client_secret: Redacted.value(secret), client_secret_expires_at: 0 }),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: client.authMethod,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope
    },
    { status: 201 }
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const clients = yield* Clients
    const addressOf = ClientAddress.of(yield* AppConfig)

    const answer = Effect.fn("Register.answer")(function* (
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, RegistrationError> {
      if (!MediaType.isJson(RequestHeaders.of(request)["content-type"])) {
        return yield* invalid("Send JSON: Content-Type: application/json.")
      }
      const body = yield* Effect.mapError(FormRequest.bodyOf(request), ({ message }) => invalid(message))
      const json = yield* Effect.mapError(Effect.fromResult(BoundedJson.parse(body)), (reason) =>
        invalid(unreadable(reason))
      )
      const registration = yield* Effect.fromResult(Registration.read(json))
      return reply(yield* clients.register(registration, addressOf(request)))
    })

    return Endpoints.add("register", answer)
  })
)

const unreadable = (reason: BoundedJson.Unreadable): string => {
  if (reason === "malformed") return "The body is not JSON."
  if (reason === "excessive") return `The body has ${BoundedJson.limits}.`
  return `An object of the body has the name \`${echoName(reason.repeated)}\` twice.`
}

const invalid = (message: string) => new InvalidClientMetadata({ message })
