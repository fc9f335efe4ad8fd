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

/** Only these parameters, and characters that every header may carry. */
const form = /^(?:(?:tools|format)=[a-z_,%0-9A-F]*(?:&|$)){1,2}(?<!&)$/u

/** Whether a query is a view and nothing else, so that an address with it stands for the endpoint as well. */
export const isView = (query: string): boolean =>
  query.length <= 500 && form.test(query) && Result.isSuccess(read(query))
