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

  it("keeps what contradicts apart", () => {
    const schema = Schema.Struct({ text: Schema.String.check(Schema.isPattern(/^a/u), Schema.isPattern(/z$/u)) })
    assert.deepStrictEqual(ToolSchema.ofArguments(schema).properties, {
      text: { type: "string", pattern: "^a", allOf: [{ pattern: "z$" }] }
    })
  })

  it("leaves out patterns that only some validators can read", () => {
    const schema = Schema.Struct({ text: Schema.String.check(Schema.isPattern(/^\p{L}$/u)) })
    assert.deepStrictEqual(ToolSchema.ofArguments(schema).properties, { text: { type: "string" } })
  })

  it("keeps references valid", () => {
    interface Tree {
      readonly children: ReadonlyArray<Tree>
    }
    const Tree: Schema.Codec<Tree> = Schema.Struct({
      children: Schema.Array(Schema.suspend(() => Tree))
    }).annotate({ identifier: "Tree" })
    const schema = ToolSchema.ofAnswer(Schema.Struct({ root: Tree }))
    assert.deepStrictEqual(schema.properties, { root: { $ref: "#/$defs/Tree" } })
    assert.hasAllKeys(schema["$defs"], ["Tree"])
  })

  it("refuses what is no object", () => {
    assert.throws(() => ToolSchema.ofArguments(Schema.String), /must be an object/)
  })
})
