/** Dynamic client registration: the request, and the values that the server chooses (R42 to R45; RFC 7591, 2 and 3.2.1). */
import { Option, Result, Schema } from "effect"
import type { AuthMethod } from "./Client.ts"
import * as ClientText from "./ClientText.ts"
import { InvalidClientMetadata, InvalidRedirectUri } from "./OAuthError.ts"
import * as RedirectUri from "./RedirectUri.ts"

const maxRedirectUris = 50
/** Limit for all redirect URIs together: anyone may register, and registrations are stored. */
const maxCharacters = 8000

/** The name of an app that states none. */
const unnamed = "Unnamed app"

export interface Registration {
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly authMethod: AuthMethod
}

/** Other metadata is ignored; the answer has the server's value or leaves it out. */
const Request = Schema.Struct({
  redirect_uris: Schema.Array(Schema.String),
  client_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  token_endpoint_auth_method: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const decode = Schema.decodeUnknownOption(Request)

/** Decodes a parsed body. One redirect URI that may not be registered refuses the registration. */
export const read = (body: unknown): Result.Result<Registration, InvalidRedirectUri | InvalidClientMetadata> => {
  const request = Option.getOrUndefined(decode(body))
  if (request === undefined) {
    return Result.fail(
      new InvalidClientMetadata({
        message:
          "The body must be a JSON object with redirect_uris, an array of strings; client_name and token_endpoint_auth_method are strings."
      })
    )
  }
  const { client_name: name, redirect_uris: redirectUris, token_endpoint_auth_method: method } = request
  if (redirectUris.length === 0 || redirectUris.length > maxRedirectUris) {
    return refused(`redirect_uris must hold 1 to ${maxRedirectUris} addresses.`)
  }
  if (redirectUris.reduce((sum, { length }) => sum + length, 0) > maxCharacters) {
    return refused(`redirect_uris must hold at most ${maxCharacters} characters in all.`)
  }
  const wrong = redirectUris.findIndex((uri) => !RedirectUri.isRegistrable(uri))
  if (wrong !== -1) {
    return refused(
      `redirect_uris[${wrong}] is not allowed: use https, http on localhost, 127.0.0.1 or [::1], or a scheme of your own app with a dot in it (com.example.app), without fragment, user info or wildcard.`
    )
  }
  const cleaned = ClientText.clean(name ?? "")
  return Result.succeed({
    name: cleaned === "" ? unnamed : cleaned,
    redirectUris,
    authMethod: authMethodFor(method ?? undefined)
  })
}

const refused = (message: string) => Result.fail(new InvalidRedirectUri({ message }))

/**
 * Without a method, RFC 7591 (2) assumes `client_secret_basic`. A client that asks for an unsupported method is registered
 * without a secret.
 */
const authMethodFor = (asked: string | undefined): AuthMethod => {
  if (asked === undefined || asked === "") return "client_secret_basic"
  return asked === "client_secret_basic" || asked === "client_secret_post" ? asked : "none"
}
