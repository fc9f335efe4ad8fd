/** The only scope, and how requests for other scopes are answered (R15, R37). */
import { Result } from "effect"
import { InvalidScope } from "./OAuthError.ts"

/** S3, S92. */
export const scope = "discovery:read"

const wordsOf = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split(" ").filter((word) => word !== "")

/** The scope of an authorization request. A longer list is narrowed to the one scope, and the token response says so. */
export const grant = (asked: string | undefined): Result.Result<typeof scope, InvalidScope> => {
  const words = wordsOf(asked)
  return words.length === 0 || words.includes(scope) ? Result.succeed(scope) : refused
}

/** The scope of a refresh, which cannot exceed what was granted (RFC 6749, 6). */
export const refresh = (asked: string | undefined): Result.Result<typeof scope, InvalidScope> =>
  wordsOf(asked).every((word) => word === scope) ? Result.succeed(scope) : refused

const refused = Result.fail(new InvalidScope({ message: `The only scope is ${scope}.` }))
