/** Where a sign-in continues: only ever an address of this service (R29). */
import { Option, Schema } from "effect"
import { anyLength } from "../../shared/QueryParameters.ts"

/** Room for a request to `/authorize` with a long `state`, within the 16 KiB of request headers. */
const maxCharacters = 8_192

/**
 * A path with its query. The second character is neither a slash nor a backslash, and control characters are refused:
 * browsers drop them and read a backslash as a slash, so `/\t/evil.example` would be another host.
 */
export const ReturnTo = Schema.String.check(
  Schema.isMaxLength(maxCharacters),
  Schema.isPattern(/^\/(?![/\\])[\u0021-\u005b\u005d-\u007e]*$/u)
)

const decode = Schema.decodeUnknownOption(ReturnTo)

/** `undefined` for any other value. A manipulated link then leads to the default page. */
export const parse = (text: unknown): string | undefined => Option.getOrUndefined(decode(text))

const withReturn = (path: string) => (returnTo: string | undefined) =>
  returnTo === undefined ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`

/** The address of the sign-in page that continues at `returnTo`. */
export const signInPath = withReturn("/sign-in")

/** The address of the second step after a right password. */
export const secondStepPath = withReturn("/sign-in/second-step")

/** The address of the page that verifies the password or a passkey again. */
export const confirmPath = withReturn("/dashboard/account/confirm")

/** The address of the sign-up page that continues at `returnTo`. */
export const signUpPath = withReturn("/sign-up")

/** With the field `return_to`, the visitor can sign in as another account and continue there. */
export const signOutPath = "/sign-out"

/** The parameter of the address. Another value than {@link parse} takes is not refused: it leads to the default page. */
export const field = { return_to: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(anyLength))) }
