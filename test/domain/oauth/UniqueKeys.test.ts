import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { hasUniqueKeys } from "../../../src/domain/oauth/UniqueKeys.ts"

describe("R50 names of members", () => {
  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"b":{"c":1,"c":1}}',
    '[{"a":1},{"b":[{"x":0,"y":0,"x":0}]}]',
    '{"a":1,"\\u0061":2}',
    '{ "a" : 1 , "a" : 1 }',
    '{"":1,"":2}',
    '{"a\\"b":1,"a\\"b":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{},"b":[],"a":0}'
  ])("%s names one twice", (json) => {
    assert.isFalse(hasUniqueKeys(json))
  })

  it.each([
    "{}",
    "[]",
    "1",
    '"a"',
    '{"a":1,"A":2}',
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a":"{\\"b\\":1}","b":"}"}',
    '{"a":["b","b","a"],"b":":"}'
  ])("%s does not", (json) => {
    assert.isTrue(hasUniqueKeys(json))
  })

  it.prop("what JSON.stringify writes never does, with a repeated member it does", [Schema.Json], ([value]) => {
    const json = JSON.stringify(value)
    assert.isTrue(hasUniqueKeys(json))
    assert.isTrue(hasUniqueKeys(`[${json},${json}]`))
    assert.isFalse(hasUniqueKeys(`{"b":${json},"a":${json},"b":${json}}`))
  })

  it("reads the deepest that fits into a document", () => {
    assert.isTrue(hasUniqueKeys("[".repeat(8192) + "]".repeat(8192)))
  })
})
