import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ToolSchema from "../../../src/services/tools/ToolSchema.ts"

describe("ToolSchema", () => {
  it("gives an argument its description in plain sight, and forbids other names", () => {
    const schema = Schema.Struct({
      text: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(9))).pipe(
        Schema.annotateKey({ description: "Some text." })
      )
    })
    assert.deepStrictEqual(ToolSchema.ofArguments(schema), {
      type: "object",
      properties: { text: { type: "string", minLength: 1, maxLength: 9, description: "Some text." } },
      additionalProperties: false
    })
  })

  it("lets answers grow", () => {
    const schema = Schema.Struct({ id: Schema.Int })
    assert.deepStrictEqual(ToolSchema.ofAnswer(schema), {
      type: "object",
      properties: { id: { type: "integer" } },
      required: ["id"]
    })
  })

  it("says without anyOf what may be null, and what may be text or a number", () => {
    const schema = Schema.Struct({
      text: Schema.NullOr(Schema.String).annotate({ description: "Some text." }),
      choice: Schema.NullOr(Schema.Literals(["a", "b"])),
      object: Schema.NullOr(Schema.Struct({ id: Schema.Int })),
      name: Schema.Union([Schema.String.check(Schema.isMinLength(1)), Schema.Int])
    })
    assert.deepStrictEqual(ToolSchema.ofAnswer(schema)["properties"], {
      text: { type: ["string", "null"], description: "Some text." },
      choice: { type: ["string", "null"], enum: ["a", "b", null] },
      object: { type: ["object", "null"], properties: { id: { type: "integer" } }, required: ["id"] },
      name: { type: "string" }
    })
  })

  it("leaves out patterns that only some validators can read", () => {
    const schema = Schema.Struct({ text: Schema.String.check(Schema.isPattern(/^\p{L}$/u)) })
    assert.deepStrictEqual(ToolSchema.ofArguments(schema).properties, { text: { type: "string" } })
  })

  interface Tree {
    readonly children: ReadonlyArray<Tree>
  }
  const Tree: Schema.Codec<Tree> = Schema.Struct({
    children: Schema.Array(Schema.suspend(() => Tree))
  }).annotate({ identifier: "Tree" })

  it.each<[keyword: string, schema: Schema.Constraint]>([
    ["allOf", Schema.String.check(Schema.isPattern(/^a/u), Schema.isPattern(/z$/u))],
    ["anyOf", Schema.Union([Schema.String, Schema.Boolean])],
    ["anyOf", Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })])],
    ["format", Schema.String.check(Schema.isPattern(/^a/u, { format: "date" }))],
    ["$ref", Tree],
    ["additionalProperties", Schema.Record(Schema.String, Schema.Int)],
    ["uniqueItems", Schema.Array(Schema.String).check(Schema.isUnique())]
  ])("refuses %s, which not every client takes", (keyword, schema) => {
    const make = () => ToolSchema.ofAnswer(Schema.Struct({ outer: Schema.Array(Schema.Struct({ inner: schema })) }))
    assert.throws(make, `not every client takes ${keyword}`)
  })

  it("refuses what is no object", () => {
    assert.throws(() => ToolSchema.ofArguments(Schema.String), /must be an object/)
  })
})
