/** JSON Schema of a tool's arguments and answers, in the form that clients and their models read best. */
import { Schema } from "effect"

/** JSON Schema 2020-12 with `type: "object"` at the root (protocol.md 25). */
export interface ObjectSchema extends Readonly<Record<string, unknown>> {
  readonly type: "object"
}

/** Arguments: names that are not listed are forbidden. */
export const ofArguments = (schema: Schema.Constraint): ObjectSchema =>
  toObjectSchema(Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }))

/** Answers: a later version may add fields. */
export const ofAnswer = (schema: Schema.Constraint): ObjectSchema => toObjectSchema(Schema.toJsonSchemaDocument(schema))

const toObjectSchema = (document: {
  readonly schema: unknown
  readonly definitions: Readonly<Record<string, unknown>>
}): ObjectSchema => {
  const root = simplify(document.schema)
  if (!isNode(root) || root["type"] !== "object") throw new TypeError("a tool's schema must be an object")
  return {
    type: "object",
    // Some clients want `properties`, also where there are none.
    properties: {},
    ...root,
    ...(Object.keys(document.definitions).length === 0 ? {} : { $defs: simplify(document.definitions) })
  }
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const simplify = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(simplify)
  if (!isNode(value)) return value
  const node: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (!isNoise(key, inner)) node[key] = simplify(inner)
  }
  return lift(node)
}

/** True of every number or object anyway, or unreadable for validators whose regular expressions know no `\p{...}`. */
const isNoise = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (key === "additionalProperties" && value === true) ||
  (key === "pattern" && typeof value === "string" && value.includes("\\p{"))

/**
 * `allOf` of fragments that say different things becomes one schema: models overlook a description inside `allOf`.
 * Fragments that contradict a key that is there already stay.
 */
const lift = (node: Record<string, unknown>): Node => {
  const { allOf, ...rest } = node
  if (!Array.isArray(allOf)) return node
  const lifted: Record<string, unknown> = { ...rest }
  const left: Array<unknown> = []
  for (const fragment of allOf) {
    if (isNode(fragment) && Object.keys(fragment).every((key) => !(key in lifted))) Object.assign(lifted, fragment)
    else left.push(fragment)
  }
  return left.length === 0 ? lifted : { ...lifted, allOf: left }
}
