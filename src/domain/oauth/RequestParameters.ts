/** Parameters of a query or a form (R16; OAuth 2.1, 3.1): at most one value for each name. */
import { Result } from "effect"
import { InvalidRequest } from "./OAuthError.ts"

export interface Parameters {
  /** `undefined` if the parameter is absent, empty or repeated. */
  readonly get: (name: string) => string | undefined
  /** The one parameter that may be repeated (RFC 8707, 2). */
  readonly resources: ReadonlyArray<string>
  /** Names with more than one value that is not empty. */
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

/** Fails if a parameter is repeated, because either value could be the one that was meant. */
export const unrepeated = (parameters: Parameters): Result.Result<Parameters, InvalidRequest> =>
  parameters.repeated.size === 0
    ? Result.succeed(parameters)
    : Result.fail(
        new InvalidRequest({ message: "A parameter was sent more than once. Only resource may be repeated." })
      )
