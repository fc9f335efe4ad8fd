/** JSON Schema of arguments and results, restricted to what all clients and their models understand. */
import { Schema } from "effect"
import { maxInteger } from "../../domain/Scalars.ts"
import * as Arguments from "../../domain/search/Arguments.ts"

/** JSON Schema 2020-12 with `type: "object"` at the root and only {@link keywords}. */
export interface ObjectSchema extends Readonly<Record<string, unknown>> {
  readonly type: "object"
}

/** For arguments: unknown names are forbidden. */
export const ofArguments = (schema: Schema.Constraint): ObjectSchema =>
  toObjectSchema(Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }))

/** For results: later versions may add fields. */
export const ofAnswer = (schema: Schema.Constraint): ObjectSchema => toObjectSchema(Schema.toJsonSchemaDocument(schema))

/**
 * What agents read of the arguments, and pay for by the token (D64): without the limits that the tool's description says
 * once if it has the rules of the searches, and without what strict clients add by themselves.
 */
export const briefArguments = (
  schema: ObjectSchema,
  { asText = [], hasRules }: { readonly hasRules: boolean; readonly asText?: ReadonlyArray<string> | undefined }
): ObjectSchema => {
  const said = brief(
    schema,
    (keyword, value, node) => isNeverSaid(keyword, value, node) || (hasRules && isRuled(keyword, value))
  )
  const { properties } = said
  const each = Object.entries(isNode(properties) ? properties : {}).map(([name, property]) => {
    if (!isNode(property)) return [name, property]
    const { description } = property
    return [name, asText.includes(name) ? { type: "string", description } : property]
  })
  return { ...said, properties: Object.fromEntries(each) }
}

/**
 * What clients validate results with: types, and values where they are few. The meaning of a field is its name, or in
 * docs/tools.md, which has all values; what is required would name every field twice. Of the fields `withoutParts`, which
 * repeat others, the type alone.
 */
export const briefAnswer = (
  { properties, type }: ObjectSchema,
  withoutParts: ReadonlyArray<string> = []
): ObjectSchema =>
  brief(
    { type, properties },
    (keyword, value, _, name) =>
      keyword === "required" ||
      keyword === "description" ||
      // One value is what the name says.
      (keyword === "enum" && Array.isArray(value) && (value.length === 1 || value.length > 4)) ||
      (keyword === "properties" && withoutParts.includes(name))
  )

const toObjectSchema = (document: {
  readonly schema: unknown
  readonly definitions: Readonly<Record<string, unknown>>
}): ObjectSchema => {
  const root = simplify(document.schema)
  if (!isNode(root) || root["type"] !== "object") throw new TypeError("a tool's schema must be an object")
  // Some clients require `properties`, even if it is empty.
  const schema: ObjectSchema = { type: "object", properties: {}, ...root }
  refuseOthers(schema, "")
  return schema
}

/**
 * Keywords that OpenAI's strict mode, Gemini and a default Ajv accept, and that the converters of AI SDK, LangChain and
 * Genkit keep: no `format`, `anyOf`, `allOf`, `$ref`.
 */
const keywords: ReadonlySet<string> = new Set([
  "type",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems"
])

/** A schema with other keywords is a mistake of its author and fails the start of the server. */
const refuseOthers = (node: Node, path: string): void => {
  for (const [keyword, value] of Object.entries(node)) {
    if (!keywords.has(keyword)) throw new TypeError(`not every client takes ${keyword}, at "${path}"`)
    if (keyword === "additionalProperties" && value !== false) {
      throw new TypeError(`not every client takes additionalProperties with a schema, at "${path}"`)
    }
    if (keyword === "properties" && isNode(value)) {
      for (const [name, property] of Object.entries(value))
        if (isNode(property)) refuseOthers(property, `${path}.${name}`)
    }
    if (keyword === "items" && isNode(value)) refuseOthers(value, `${path}[]`)
  }
}

/** Without the keywords below the root that need not be said; `name` is that of the property, also of the items of an array. */
const brief = (
  schema: ObjectSchema,
  isLeftOut: (keyword: string, value: unknown, node: Node, name: string) => boolean
) => {
  const below = (value: unknown, name: string): unknown => {
    if (!isNode(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([keyword, inner]) => !isLeftOut(keyword, inner, value, name))
        .map(([keyword, inner]) => [
          keyword,
          keyword === "properties" ? each(inner) : keyword === "items" ? below(inner, name) : inner
        ])
    )
  }
  const each = (named: unknown): unknown =>
    isNode(named) ? Object.fromEntries(Object.entries(named).map(([name, inner]) => [name, below(inner, name)])) : named
  return { ...schema, properties: each(schema["properties"]) }
}

/** A pattern repeats what the description says of the form of a text. Ids come from answers, so that no model needs their bounds. */
const isNeverSaid = (keyword: string, value: unknown, node: Node): boolean =>
  keyword === "pattern" ||
  // As the instructions say of all tools.
  (keyword === "minimum" && value === 1) ||
  keyword === "additionalProperties" ||
  (node["maximum"] === maxInteger && (keyword === "minimum" || keyword === "maximum"))

const isRuled = (keyword: string, value: unknown): boolean =>
  Arguments.ruled.some(([name, limit]) => name === keyword && limit === value)

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

const simplify = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(simplify)
  if (!isNode(value)) return value
  const node: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (!isNoise(key, inner)) node[key] = simplify(inner)
  }
  return withoutUnion(lift(node))
}

/**
 * Redundant for every number or object, or invalid for validators whose regular expressions do not support `\p{...}`.
 */
const isNoise = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (key === "additionalProperties" && value === true) ||
  (key === "pattern" && typeof value === "string" && value.includes("\\p{"))

/**
 * Merges `allOf`: models overlook a description inside it. Fragments that contradict the schema stay, and are refused.
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

/**
 * Replaces `anyOf`. A nullable value gets both types. Text or a number becomes text: several converters drop such a
 * union, and models can write every number as text.
 */
const withoutUnion = (node: Node): Node => {
  const { anyOf, ...rest } = node
  if (!Array.isArray(anyOf)) return node
  const members = anyOf.filter(isNode)
  const others = members.filter(({ type }) => type !== "null")
  const [first] = others
  const isTextOrNumber =
    others.length === 2 && first?.["type"] === "string" && /^(?:integer|number)$/u.test(String(others[1]?.["type"]))
  if (first === undefined || members.length !== anyOf.length || (others.length > 1 && !isTextOrNumber)) return node
  const described = isTextOrNumber ? { type: "string" } : first
  if (others.length === members.length) return { ...described, ...rest }
  const values = described["enum"]
  return {
    ...described,
    type: [described["type"], "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...rest
  }
}
