import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as EmailAddress from "../../../src/domain/access/EmailAddress.ts"
import { spellings } from "../../support/MailSpellings.ts"

describe("D86 the one spelling of an address", () => {
  it.each([...spellings("ada", "bücher.example"), "ada@bu\u0308cher.example"])("%j is one of them", (text) => {
    assert.strictEqual(EmailAddress.canonical(text), "ada@xn--bcher-kva.example")
    assert.strictEqual(EmailAddress.mailable(text), "ada@xn--bcher-kva.example")
    assert.strictEqual(EmailAddress.toLookUp(text), "ada@xn--bcher-kva.example")
  })

  it.each([
    ["Ada.LOVELACE+x@Example.COM", "Ada.LOVELACE+x@example.com"],
    ["åda@example.com", "åda@example.com"],
    ["ａda@example.com", "ａda@example.com"],
    ["a@b@example.com.", "a@b@example.com"],
    ["@Bücher.example", "@xn--bcher-kva.example"],
    ["ada", "ada"],
    ["ada@", "ada@"]
  ])("of %j is %j: what is before the @ stays", (text, expected) => {
    assert.strictEqual(EmailAddress.canonical(text), expected)
  })

  it.each([
    "ada@%65xample.com",
    "ada@example.com/x",
    "ada@example.com:25",
    "ada@example.com?x",
    "ada@example.com\\x",
    "ada@exa％6dple.com",
    "ada@example．com／x",
    "ada@127.0.0.1",
    "ada@127.1",
    "ada@0x7f.1",
    "ada@2130706433",
    "ada@１２７.０.０.１",
    "ada@[::1]",
    "ada@example.com..",
    "ada@example..com",
    "ada@.example.com",
    "ada@-example.com",
    "ada@example-.com",
    "ada@exa mple.com",
    "ada@exam\u200dple.com",
    "ada@exam\u0000ple.com",
    "ada@℀.com",
    `ada@${"a".repeat(64)}.com`,
    "a\u0000da@example.com",
    "a\u200bda@example.com",
    "a\u202eda@example.com",
    "a\ud800da@example.com",
    "a\u00a0da@example.com",
    "ada\u0007@example.com"
  ])("%j is no address for mails, and no other one", (text) => {
    assert.isUndefined(EmailAddress.mailable(text))
  })

  it.prop("has one spelling itself, and only the characters of a host name after the @", [Schema.String], ([text]) => {
    for (const each of [text, `ada@${text}`, `ada@${text}.com`]) {
      const once = EmailAddress.canonical(each)
      assert.strictEqual(EmailAddress.canonical(once), once)
      const mailable = EmailAddress.mailable(each)
      if (mailable !== undefined) {
        assert.strictEqual(EmailAddress.mailable(mailable), mailable)
        assert.match(mailable, /@[a-z0-9.-]+$/)
      }
    }
  })
})

it("an address has at most 254 characters", () => {
  const label = "d".repeat(60)
  const address = (count: number) => `a@${`${label}.`.repeat(4)}`.padEnd(count - 4, "e") + ".com"
  assert.lengthOf(address(254), 254)
  assert.deepStrictEqual(
    [254, 255].map((count) => EmailAddress.isEmail(address(count))),
    [true, false]
  )
})
