/** The one scope, and what becomes of the others that clients ask for (R15, R37). */
import { Result } from "effect"
import { InvalidScope } from "./OAuthError.ts"

/** The only scope there is (S3, S92). */
export const scope = "discovery:read"

const wordsOf = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(" ").filter((word) => word !== "")

/** Of an authorization request: more than the one scope is narrowed to it, and the token response says so. */
export const grant = (asked: string | undefined): Result.Result<typeof scope, InvalidScope> => {
  const words = wordsOf(asked)
  return words.length === 0 || words.includes(scope) ? Result.succeed(scope) : refused
}

/** Of a refresh, which can only get what was granted (RFC 6749, 6). */
export const refresh = (asked: string | undefined): Result.Result<typeof scope, InvalidScope> =>
  wordsOf(asked).every((word) => word === scope) ? Result.succeed(scope) : refused

const refused = Result.fail(new InvalidScope({ message: `The only scope is ${scope}.` }))
