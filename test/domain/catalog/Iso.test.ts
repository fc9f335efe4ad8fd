import { assert, describe, it } from "@effect/vitest"
import { countryCodes, currencyCodes } from "../../../src/domain/catalog/Iso.ts"

/** Withdrawn from ISO 4217. */
const withdrawn = ["ANG", "CUC", "HRK", "SLL", "ZWL"]

describe("countries", () => {
  it("are the 249 of ISO 3166-1, and XK", () => {
    assert.strictEqual(countryCodes.size, 250)
    for (const code of ["XK", "SH", "GB", "AX", "BQ", "SS"]) assert.isTrue(countryCodes.has(code), code)
    for (const code of ["AC", "TA", "UK", "EU", "AN", "XX"]) assert.isFalse(countryCodes.has(code), code)
  })
})

describe("currencies", () => {
  it("are all current ones, also those that are no country's first choice", () => {
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
