/** Reads the forms of `/token` and `/revoke`, and authenticates the clients that sent them (R16, R32, R33). */
import { Effect, Redacted, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Base64 } from "effect/encoding"
import * as ControlCharacters from "../../domain/ControlCharacters.ts"
import { InvalidRequest } from "../../domain/oauth/OAuthError.ts"
import * as Parameters from "../../domain/oauth/RequestParameters.ts"
import type { ClientCredentials, Clients } from "../../services/oauth/Clients.ts"
import { percentDecoded } from "../../domain/Utf8.ts"
import * as RequestBody from "../shared/RequestBody.ts"
import * as RequestHeaders from "../shared/RequestHeaders.ts"

/** Far more than any real request has. */
export const maxBodyBytes = 64 * 1024

const invalid = (message: string) => new InvalidRequest({ message })

/** The text of a body within {@link maxBodyBytes}, or why it cannot be read. */
export const bodyOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, InvalidRequest> =>
  request.text.pipe(
    RequestBody.atMost(maxBodyBytes),
    Effect.mapError((error) =>
      RequestBody.isTooLarge(error)
        ? invalid(`The body is larger than ${maxBodyBytes} bytes.`)
        : invalid("The body could not be read.")
    )
  )

const basicForm = /^basic[ \t]+([A-Za-z0-9+/]+={0,2})$/i

/**
 * The id and the secret of `Authorization: Basic`. RFC 6749, 2.3.1, form-encodes both, but real clients do not. Values
 * that this server issues are equal in both forms, so only ids that are addresses need decoding.
 */
const basicOf = (authorization: string | undefined): Result.Result<ClientCredentials["basic"], InvalidRequest> => {
  if (authorization === undefined || !/^basic\b/i.test(authorization.trim())) return Result.succeed(undefined)
  const encoded = basicForm.exec(authorization.trim())?.[1]
  const decoded = encoded === undefined ? undefined : Result.getOrUndefined(Base64.decodeString(encoded))
  const colon = decoded?.indexOf(":") ?? -1
  if (decoded === undefined || colon < 1 || ControlCharacters.isIn(percentDecoded(decoded)))
    return Result.fail(invalid("Authorization: Basic is malformed."))
  const secret = decoded.slice(colon + 1)
  return Result.succeed({
    id: percentDecoded(decoded.slice(0, colon)),
    secret: secret === "" ? undefined : Redacted.make(percentDecoded(secret))
  })
}

/** The parameters of a form. The query is ignored, because addresses are logged. */
export const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const { "content-type": type } = RequestHeaders.of(request)
  if (!RequestBody.isForm(type)) {
    return yield* invalid("Send a form: Content-Type: application/x-www-form-urlencoded.")
  }
  const body = yield* bodyOf(request)
  if (ControlCharacters.isInParameters(body)) return yield* invalid("A parameter has control characters.")
  return yield* Effect.fromResult(Parameters.unrepeated(Parameters.read(body)))
})

export const required = (parameters: Parameters.Parameters, name: string): Effect.Effect<string, InvalidRequest> => {
  const value = parameters.get(name)
  return value === undefined ? Effect.fail(invalid(`${name} is missing.`)) : Effect.succeed(value)
}

/** The client that has sent the form, authenticated. */
export const authenticate = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  parameters: Parameters.Parameters,
  clients: Clients["Service"]
) {
  const { authorization } = RequestHeaders.of(request)
  return yield* clients.authenticate({
    basic: yield* Effect.fromResult(basicOf(authorization)),
    id: parameters.get("client_id"),
    secret: redacted(parameters.get("client_secret"))
  })
})

const redacted = (text: string | undefined) => (text === undefined ? undefined : Redacted.make(text))
