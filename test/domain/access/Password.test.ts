import { assert, describe, it } from "@effect/vitest"
import { problem } from "../../../src/domain/access/Password.ts"

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
    assert.include(problem("ab cd ef ".repeat(30), email) ?? "", "at most 256")
    assert.isUndefined(problem("ab cd ef ".repeat(28), email))
  })

  it("that is common is refused", () => {
    const guessable = [
      "passwordpassword",
      "PasswordPassword1!",
      "qwertyuiopasdfgh",
      "administrator2024",
      "aaaaaaaaaaaaaaaa",
      "121212121212",
      "314159265358979",
      "ada.lovelace@example.com",
      "ada.lovelace12"
    ]
    for (const password of guessable) assert.include(problem(password, email) ?? "", "easy to guess", password)
  })
})
