import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { amount } from "../../../src/services/import/formats/Foreign.ts"

describe("an amount", () => {
  it.each([
    ["Rs. 500", 500],
    ["Rs.500", 500],
    ["kr. 500", 500],
    ["kr. 500,-", 500],
    ["Rs.1,299", 1299],
    ["Rs. 1,299.00", 1299],
    ["Fr.1'299", 1299],
    ["Fr. 49.90", 49.9],
    ["Fr. -49.90", -49.9],
    ["Kr. 1.299,00", 1299],
    ["S/.1,299.50", 1299.5],
    ["S/. 50", 50],
    ["K.D. 1.250", 1.25],
    ["\u062F.\u0625.\u200F 1,299.00", 1299],
    ["500 kr.", 500],
    [".5", 0.5],
    ["$.50", 0.5],
    ["EUR .5", 0.5]
  ])("%s is %d", (written, expected) => {
    assert.strictEqual(amount(written), expected)
  })

  it("has the decimal sign that is named, after an abbreviation too", () => {
    assert.strictEqual(amount("Rs.1.299", ","), 1299)
    assert.strictEqual(amount("Rs.1,299", ","), 1.299)
  })

  const Written = Schema.TemplateLiteral([
    Schema.Literals(["", "-", "+"]),
    Schema.Literals(["0", "5", "500", "1299", "1,299", "1.299", "1'299", "1 299", "1,234,567"]),
    Schema.Literals(["", ".5", ",5", ".00", ",00", ".125", ",125"])
  ])
  const Prefix = Schema.Literals([
    "Rs.",
    "Rs. ",
    "kr.",
    "Fr. ",
    "SFr.",
    "S/.",
    "B/. ",
    "USD ",
    "USD $",
    "R$",
    "\u20AC "
  ])

  it.prop("is the same with a sign, a name or an abbreviation before it", [Prefix, Written], ([prefix, written]) => {
    assert.strictEqual(amount(prefix + written), amount(written))
  })
})
