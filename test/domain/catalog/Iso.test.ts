import { assert, describe, it } from "@effect/vitest"
import { countryCodeOf, countryCodes, currencyCodeOf, currencyCodes } from "../../../src/domain/catalog/Iso.ts"

/** Withdrawn from ISO 4217. */
const withdrawn = ["ANG", "CUC", "HRK", "SLL", "ZWL"]

describe("countries", () => {
  it("S50 are the 249 of ISO 3166-1, and XK", () => {
    assert.strictEqual(countryCodes.size, 250)
    for (const code of ["XK", "SH", "GB", "AX", "BQ", "SS"]) assert.isTrue(countryCodes.has(code), code)
    for (const code of ["AC", "TA", "UK", "EU", "AN", "XX"]) assert.isFalse(countryCodes.has(code), code)
  })
})

describe("currencies", () => {
  it("are all current ones, also those that are not the main currency of a country", () => {
    for (const code of [
      "VED",
      "VES",
      "COU",
      "MXV",
      "UYW",
      "UYI",
      "CLF",
      "CHE",
      "BOV",
      "USN",
      "XDR",
      "XSU",
      "XUA",
      "XCG",
      "ZWG",
      "SLE"
    ])
      assert.isTrue(currencyCodes.has(code), code)
    for (const code of withdrawn) assert.isFalse(currencyCodes.has(code), code)
  })
})

describe("the suggested code", () => {
  it.each<[string, string | undefined]>([
    ["USA", "US"],
    ["United States", "US"],
    ["united  states of america", "US"],
    ["U.S.A.", "US"],
    ["UK", "GB"],
    ["England", "GB"],
    ["GBR", "GB"],
    ["Deutschland", "DE"],
    ["Allemagne", "DE"],
    ["Espana", "ES"],
    ["Nowhere", undefined],
    ["", undefined],
    [`USA${" ".repeat(60)}`, undefined]
  ])("by %j, of a country, is %s", (name, code) => {
    assert.strictEqual(countryCodeOf(name), code)
  })

  it.each<[string, string | undefined]>([
    ["dollar", "USD"],
    ["$", "USD"],
    ["€", "EUR"],
    ["Euro", "EUR"],
    ["£", "GBP"],
    ["Swiss franc", "CHF"],
    ["US Dollar", "USD"],
    ["shells", undefined]
  ])("by %j, of a currency, is %s", (name, code) => {
    assert.strictEqual(currencyCodeOf(name), code)
  })
})
