import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isOther } from "../../../src/services/import/formats/Currency.ts"
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
    ["EUR .5", 0.5],
    ["1.58095e+03", 1580.95],
    ["1,58E+03", 1580],
    ["2e2", 200],
    ["5.0E-1", 0.5],
    ["USD 1.5E+3", 1500],
    ["1.5E+3 EUR", 1500],
    ["7.0", 7],
    ["1.299,-", 1299],
    ["1.299,- \u20AC", 1299],
    ["\u20AC 1.299,\u2013", 1299],
    ["1,299.-", 1299],
    ["CHF 49.-", 49],
    ["1.234.567", 1234567],
    ["1.234.567 kr", 1234567],
    ["1.234.567,89", 1234567.89],
    ["1,234,567.89", 1234567.89],
    ["12,34,567.50", 1234567.5],
    ["(5.00)", -5],
    ["($1,299.00)", -1299],
    ["$(5)", -5],
    ["5.00 (incl. VAT)", 5]
  ])("%s is %d", (written, expected) => {
    assert.strictEqual(amount(written), expected)
  })

  it.each(["1,2,3", "1.2.3", "1,23,4", "12,34", "1.234.56", "1,2345,678", "1234.567.890", "1,234,56", "1.299,-5"])(
    "%s is none, or has decimals",
    (written) => {
      assert.strictEqual(amount(written), written === "12,34" ? 12.34 : null)
    }
  )

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

describe("the currency of an amount", () => {
  it.each([
    ["USD $51,707.53", ["EUR", "CAD"], ["USD", "usd"]],
    ["USD51,707.53", ["EUR"], ["USD"]],
    ["51,707.53 USD", ["EUR"], ["USD"]],
    ["51,707.53USD ", ["EUR"], ["USD"]],
    ["$1.2M USD", ["EUR"], ["USD"]],
    ["1 234,50 \u20AC", ["USD", "GBP"], ["EUR"]],
    ["\u20AC 1.234,50", ["USD"], ["EUR"]],
    ["49 z\u0142", ["EUR"], ["PLN"]],
    ["\u00A3500", ["EUR", "USD"], ["GBP", "EGP"]],
    ["\u00A55,000", ["EUR"], ["JPY", "CNY"]],
    ["CAD 5 \u20AC", ["EUR"], ["CAD"]],
    ["US$51,707.53", ["EUR", "CAD"], ["USD"]],
    ["R$ 1.234,50", ["EUR", "USD"], ["BRL"]],
    ["1,234 C$", ["EUR", "USD"], ["CAD"]],
    ["S$5", ["USD"], ["SGD"]],
    ["AR$ 500", [], ["ARS"]],
    ["51,707.53 usd", ["EUR"], ["USD"]],
    ["eur 500", ["USD"], ["EUR"]],
    ["TBD", [], ["EUR"]],
    ["500 TTC", [], ["EUR"]],
    ["$500", [], ["USD", "CAD", "EUR"]],
    ["500 kr", [], ["SEK", "DKK"]],
    ["500", [], ["EUR"]]
  ] as const)("%s is not in %j, and may be in %j", (written, others, own) => {
    for (const currency of others) assert.isTrue(isOther(currency, written))
    for (const currency of own) assert.isFalse(isOther(currency, written))
  })
})
