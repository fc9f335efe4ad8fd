import { assert, describe, it } from "@effect/vitest"
import { commonPasswords, problem, serviceWords, weakness } from "../../../src/domain/access/Password.ts"

const email = "ada.lovelace@example.com"

describe("a new password", () => {
  it("D10 of 12 characters and more is accepted, in any script and without rules of composition", () => {
    const passwords = [
      "nine green whales",
      "correct horse battery",
      "дом у синего моря",
      "🦊🐢🐙🦉🐝🐍🦎🐬🐪🦔🐞🦋",
      "a".repeat(50) + "bcdefg hij"
    ]
    for (const password of passwords) assert.isUndefined(problem(password, email), password)
  })

  it("of fewer than 12 or more than 256 characters is refused; emoji count as one", () => {
    assert.include(problem("eleven char", email) ?? "", "at least 12")
    assert.include(problem("🦊🐢🐙🦉🐝🐍🦎🐬🐪🦔🐞", email) ?? "", "at least 12")
    const long = "🦊b cd ef ".repeat(40)
    const first = (count: number) =>
      Array.from(long)
        .slice(0, count - 6)
        .concat("x", "y", "z", "u", "v", "w")
        .join("")
    assert.include(problem(first(257), email) ?? "", "at most 256")
    assert.isUndefined(problem(first(256), email))
  })

  it.each([
    "aaaaaaaaaaaaaaaa",
    "121212121212",
    "314159265358979",
    "passwordpassword",
    "PasswordPassword1!",
    "abc123abc123",
    "nine mice nine mice "
  ])("that is no more than a few characters, digits, or one part again and again is refused: %s", (password) => {
    assert.strictEqual(weakness(password, email), "guessable")
  })

  it("that is among the 3,000 most common ones is refused", () => {
    const known = commonPasswords().trim().split("\n")
    const long = known.filter((each) => each.length >= 12)
    assert.isAtLeast(long.length, 10_000)
    // Every fiftieth, because each is looked for in all of them.
    for (const each of long.filter((_, index) => index % 50 === 0)) assert.isDefined(weakness(each, email), each)
    for (const each of ["1qaz2wsx3edc", "leavemealone", "Qwerty123456", "correcthorsebatterystaple"]) {
      assert.strictEqual(weakness(each, email), "common", each)
    }
  })

  it.each(["football2023!", "Iloveyou2024", "P@ssw0rd20222024", "l1verpool-2026"])(
    "that is a common one with digits and signs is refused: %s",
    (password) => {
      assert.strictEqual(weakness(password, email), "common")
    }
  )

  it.each([
    "ada.lovelace@example.com",
    "nine green whales ada.lovelace@example.com",
    "ada.lovelace12",
    "Lovelace-1815-12",
    "example-example",
    "Discovery2026!",
    "D1sc0very 123",
    "my discovery 2026"
  ])("ASVS 6.2.11 of words of the e-mail address or the service is refused: %s", (password) => {
    assert.strictEqual(weakness(password, email), "personal")
  })

  it("with such a word among others is accepted", () => {
    for (const word of ["lovelace", ...serviceWords]) assert.isUndefined(problem(`green ${word} whales`, email), word)
  })
})
