/** The parameters of a request, from a query or a form (R16; OAuth 2.1, 3.1): at most one of each name. */
import { Result } from "effect"
import { InvalidRequest } from "./OAuthError.ts"

export interface Parameters {
  /** An empty parameter counts as absent, and so does one that is repeated. */
  readonly get: (name: string) => string | undefined
  /** The one parameter that may be repeated (RFC 8707, 2). */
  readonly resources: ReadonlyArray<string>
  /** The names that are sent more than once, empty ones not counted. */
  readonly repeated: ReadonlySet<string>
}

const repeatable = "resource"

export const read = (text: string): Parameters => {
  const values = new Map<string, string | undefined>()
  const resources: Array<string> = []
  const repeated = new Set<string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (value === "") continue
    if (name === repeatable) {
      resources.push(value)
    } else if (values.has(name)) {
      repeated.add(name)
      values.set(name, undefined)
    } else {
      values.set(name, value)
    }
  }
  return { get: (name) => values.get(name), resources, repeated }
}

/** Nobody could tell which of two values counts. */
export const unrepeated = (parameters: Parameters): Result.Result<Parameters, InvalidRequest> =>
  parameters.repeated.size === 0
    ? Result.succeed(parameters)
    : Result.fail(new InvalidRequest({ message: "A parameter is sent more than once; only resource may be." }))
