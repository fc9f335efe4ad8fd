/** Every bound that a tool's schema states: the argument is taken at the bound, and refused one beyond it, by its name. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { ToolRegistry } from "../../../src/services/tools/ToolRegistry.ts"
import type { RunnableTool } from "../../../src/services/tools/ToolDefinition.ts"
import { examples, registry } from "../../support/Documents.ts"

/** A part of a JSON Schema, as far as it is used here. */
interface Node {
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly required?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

interface Bound {
  readonly keyword: string
  /** The name of the argument, or of a member of it. */
  readonly path: string
  readonly at: unknown
  readonly beyond: unknown
}

/** Values that a rule other than the bounds demands. */
const samples: Readonly<Record<string, unknown>> = { countries: "DE", currencies: "EUR", domains: ".com" }

const sample = (node: Node, name: string): unknown =>
  samples[name] ?? node.enum?.[0] ?? (node.type === "string" ? "a" : 1)

const boundsOf = (node: Node, path: string): ReadonlyArray<Bound> => {
  const name = path.split(".").at(-1) ?? ""
  const bound = (keyword: keyof Node, at: (value: number) => unknown, step: 1 | -1): ReadonlyArray<Bound> => {
    const value = node[keyword]
    return typeof value === "number" ? [{ keyword, path, at: at(value), beyond: at(value + step) }] : []
  }
  const text = (length: number) => "a".repeat(length)
  const list = (length: number) => Array.from({ length }, () => sample(node.items ?? {}, name))
  return [
    ...bound("minimum", (value) => value, -1),
    ...bound("maximum", (value) => value, 1),
    ...bound("minLength", text, -1),
    ...bound("maxLength", text, 1),
    ...bound("minItems", list, -1),
    ...bound("maxItems", list, 1),
    ...Object.entries(node.properties ?? {}).flatMap(([inner, of]) =>
      boundsOf(of, path === "" ? inner : `${path}.${inner}`)
    )
  ]
}

const member = ([name = "", ...rest]: ReadonlyArray<string>, value: unknown): Readonly<Record<string, unknown>> => ({
  [name]: rest.length === 0 ? value : member(rest, value)
})

/** The names of the arguments that are wrong, with the required ones of the example and this one. */
const problems = ({ decode, name, schemas }: RunnableTool, path: string, value: unknown): ReadonlyArray<string> => {
  const { required = [] }: Node = schemas.arguments
  const others = Object.fromEntries(required.map((each) => [each, examples[name][each]]))
  const { result } = decode({ ...others, ...member(path.split("."), value) })
  return Result.isSuccess(result) ? [] : result.failure.issues.map((issue) => issue.path)
}

describe("bounds of arguments", () => {
  it.effect("are taken, and one beyond is refused by its name", () =>
    Effect.gen(function* () {
      const { tools } = yield* ToolRegistry
      const wrong: Array<string> = []
      let count = 0
      for (const tool of tools) {
        for (const { at, beyond, keyword, path } of boundsOf(tool.schemas.arguments, "")) {
          count++
          const label = `${tool.name} ${path} ${keyword}`
          const taken = problems(tool, path, at)
          const refused = problems(tool, path, beyond)
          if (taken.length > 0) wrong.push(`${label} is refused at the bound: ${taken.join()}`)
          if (!refused.some((name) => name === path || name.startsWith(`${path}.`))) {
            wrong.push(`${label} is taken beyond the bound`)
          }
        }
      }
      assert.deepStrictEqual(wrong, [])
      assert.isAbove(count, 100)
    }).pipe(Effect.provide(registry))
  )
})
