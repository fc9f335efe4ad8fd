/** What an app asks for when it registers itself, and what it gets (R42 to R45; RFC 7591, 2 and 3.2.1). */
import { Option, Result, Schema } from "effect"
import type { AuthMethod } from "./Client.ts"
import * as ClientText from "./ClientText.ts"
import { InvalidClientMetadata, InvalidRedirectUri } from "./OAuthError.ts"
import * as RedirectUri from "./RedirectUri.ts"

const maxRedirectUris = 50
/** Of all of them together: anyone may register, and what they send is kept. */
const maxCharacters = 8000

/** For an app that does not say what it is called. */
const unnamed = "Unnamed app"

export interface Registration {
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly authMethod: AuthMethod
}

/** What is asked for beside these is not looked at: it is replaced or left out. */
const Request = Schema.Struct({
  redirect_uris: Schema.Array(Schema.String),
  client_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  token_endpoint_auth_method: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const decode = Schema.decodeUnknownOption(Request)

/** From the body of the request, parsed. One address that may not be registered refuses the whole. */
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
    return Result.fail(
      new InvalidRedirectUri({ message: `redirect_uris must hold 1 to ${maxRedirectUris} addresses.` })
    )
  }
  if (redirectUris.reduce((sum, { length }) => sum + length, 0) > maxCharacters) {
    return Result.fail(
      new InvalidRedirectUri({ message: `redirect_uris must hold at most ${maxCharacters} characters in all.` })
    )
  }
  const wrong = redirectUris.findIndex((uri) => !RedirectUri.isRegistrable(uri))
  if (wrong !== -1) {
    return Result.fail(
      new InvalidRedirectUri({
        message: `redirect_uris[${wrong}] is not allowed: use https, http on localhost, 127.0.0.1 or [::1], or a scheme of your own app with a dot in it (com.example.app), without fragment, user info or wildcard.`
      })
    )
  }
  const cleaned = ClientText.clean(name ?? "")
  return Result.succeed({
    name: cleaned === "" ? unnamed : cleaned,
    redirectUris,
    authMethod: authMethodFor(method ?? undefined)
  })
}

/** RFC 7591, 2: without one, a secret in the header. One that needs more than we have becomes a client without a secret. */
const authMethodFor = (asked: string | undefined): AuthMethod => {
  if (asked === undefined || asked === "") return "client_secret_basic"
  return asked === "client_secret_basic" || asked === "client_secret_post" ? asked : "none"
}
