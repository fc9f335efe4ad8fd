/**
 * What a client's configuration asks for in the address of the endpoint (D69): `/mcp?tools=search_ads,get_usage` for some of
 * the tools, `/mcp?format=compact` for answers as text with each name once. Other parameters mean nothing.
 */
import { Result } from "effect"
import { costs } from "../access/Credit.ts"
import { echo } from "../ArgumentDecoder.ts"
import { nearest } from "../search/Nearest.ts"

export interface View {
  /** `undefined` for all. */
  readonly tools: ReadonlySet<string> | undefined
  readonly isCompact: boolean
}

export const whole: View = { tools: undefined, isCompact: false }

const names = Object.keys(costs)

/** The view of a query, or what is wrong with it. */
export const read = (query: string): Result.Result<View, string> => {
  if (query === "") return Result.succeed(whole)
  const parameters = new URLSearchParams(query)
  for (const name of ["tools", "format"]) {
    if (parameters.getAll(name).length > 1) return Result.fail(`the address has \`${name}\` more than once`)
  }
  const format = parameters.get("format")
  if (format !== null && format !== "compact") {
    return Result.fail(`format=${echo(format)} is unknown; the only format is compact`)
  }
  const list = parameters.get("tools")
  if (list === null) return Result.succeed({ tools: undefined, isCompact: format === "compact" })
  const tools = list.split(",").map((name) => name.trim())
  const unknown = tools.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const near = nearest(unknown, names)
    const suggestion = near === undefined ? "" : ` Did you mean \`${near}\`?`
    return Result.fail(
      `the address names the tool \`${echo(unknown)}\`, which there is not.${suggestion} The tools are ${names.join(", ")}`
    )
  }
  return Result.succeed({ tools: new Set(tools), isCompact: format === "compact" })
}

/** Of a query (RFC 3986, 3.4), without quotation marks and backslashes, so that a header may carry it in quotes. */
const form = /^[A-Za-z0-9._~!$&()*+,;=:@%/?-]{1,500}$/u

/** Whether the metadata of the endpoint names its address with this query: one that the endpoint answers, without a credential. */
export const isNamed = (query: string): boolean =>
  form.test(query) && !holdsCredential(query) && Result.isSuccess(read(query))

/** Parameters that hold a credential: that of RFC 6750, 2.3, and the usual names of keys. */
const credentials = /(?:^|[?&])(?:access_token|token|api_key|apikey|key)=/iu

/** Whether a query, with or without the question mark, seems to hold a credential. */
export const holdsCredential = (query: string): boolean => credentials.test(query)
