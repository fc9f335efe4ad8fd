/** Where a sign-in goes on: an address of this service, never another's (R29). */
import { Option, Schema } from "effect"
import { paramsOf } from "./Query.ts"

/** A whole request to `/authorize` with a long `state` fits, within the 16 KiB that a request's headers may have. */
const maxCharacters = 8_192

/**
 * A path with its query. The second character is neither a slash nor a backslash, and there are no control characters:
 * browsers drop them, and read a backslash as a slash, so that `/\t/evil.example` would be another host.
 */
export const ReturnTo = Schema.String.check(
  Schema.isMaxLength(maxCharacters),
  Schema.isPattern(/^\/(?![/\\])[\u0021-\u005b\u005d-\u007e]*$/u)
)

const decode = Schema.decodeUnknownOption(ReturnTo)

/** `undefined` for whatever is no such address: a link that someone tampered with leads to the ordinary place. */
export const parse = (text: unknown): string | undefined => Option.getOrUndefined(decode(text))

const withReturn = (path: string) => (returnTo: string | undefined) =>
  returnTo === undefined ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`

/** The address of the sign-in that goes on at `returnTo`. */
export const signInPath = withReturn("/sign-in")

/** Of an address with a query, as a request has it. */
export const ofQuery = (url: string): string | undefined => parse(paramsOf(url).get("return_to"))
