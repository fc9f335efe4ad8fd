/** `/revoke`: a client revokes one of its tokens (R53; RFC 7009). */
import { Effect, Layer, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { RevocationError } from "../../domain/oauth/OAuthError.ts"
import { Clients } from "../../services/oauth/Clients.ts"
import { Grants } from "../../services/oauth/Grants.ts"
import * as Endpoints from "./Endpoints.ts"
import * as FormRequest from "./FormRequest.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const clients = yield* Clients
    const grants = yield* Grants

    /** The answer is the same for unknown, expired and other clients' tokens. */
    const answer = Effect.fn("Revoke.answer")(function* (
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, RevocationError> {
      const parameters = yield* FormRequest.read(request)
      const client = yield* FormRequest.authenticate(request, parameters, clients)
      yield* grants.revokeToken(client.id, Redacted.make(yield* FormRequest.required(parameters, "token")))
      return HttpServerResponse.empty({ status: 200 })
    })

    return Endpoints.add("revoke", answer)
  })
)
