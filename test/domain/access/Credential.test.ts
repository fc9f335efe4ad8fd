import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { crc32 } from "node:zlib"
import * as Credential from "../../../src/domain/access/Credential.ts"

const Entropy = Schema.Uint8Array.check(Schema.isMinLength(48), Schema.isMaxLength(48))
const Position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 46 }))
const Character = Schema.String.check(Schema.isPattern(/^[\x20-\x7e]$/))

describe("a credential", () => {
  it.prop("S98 is a prefix of 4 characters and 43 of base62", [Entropy], ([entropy]) => {
    assert.match(Credential.make("api_key", entropy), /^dsk_[0-9A-Za-z]{43}$/)
    assert.match(Credential.make("access_token", entropy), /^dat_[0-9A-Za-z]{43}$/)
  })

  it.prop("is recognized by its prefix and checksum", [Entropy], ([entropy]) => {
    assert.deepStrictEqual(Credential.kindOf(Credential.make("api_key", entropy)), Option.some("api_key"))
    assert.deepStrictEqual(Credential.kindOf(Credential.make("access_token", entropy)), Option.some("access_token"))
  })

  it.prop("D2 ends in the CRC32 of its random part", [Entropy], ([entropy]) => {
    const secret = Credential.make("api_key", entropy)
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    const checksum = Array.from(secret.slice(41)).reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
    assert.strictEqual(checksum, crc32(secret.slice(4, 41)))
  })

  it.prop(
    "is refused with any one character changed",
    [Entropy, Position, Character],
    ([entropy, position, character]) => {
      const secret = Credential.make("api_key", entropy)
      const mistyped = secret.slice(0, position) + character + secret.slice(position + 1)
      if (mistyped !== secret) assert.deepStrictEqual(Credential.kindOf(mistyped), Option.none())
    }
  )

  it.prop("rejects any other text", [Schema.String], ([text]) => {
    assert.deepStrictEqual(Credential.kindOf(text), Option.none())
    assert.deepStrictEqual(Credential.kindOf(`dsk_${text}`), Option.none())
  })

  it("is refused with the prefix of another kind, blanks or more characters", () => {
    const secret = Credential.make("api_key", new Uint8Array(48).fill(7))
    for (const wrong of [`${secret} `, ` ${secret}`, `${secret}\n`, `${secret}a`, secret.replace("dsk_", "drt_"), ""]) {
      assert.deepStrictEqual(Credential.kindOf(wrong), Option.none(), JSON.stringify(wrong))
    }
  })

  it("uses 220 bits of the entropy: secrets differ where the entropy does", () => {
    const secrets = new Set(
      Array.from({ length: 220 }, (_, bit) => {
        const entropy = new Uint8Array(48)
        entropy[47 - (bit >> 3)] = 1 << (bit & 7)
        return Credential.make("api_key", entropy)
      })
    )
    assert.strictEqual(secrets.size, 220)
  })

  it("S99 shows no more than its prefix and last four characters", () => {
    const secret = Credential.make("api_key", new Uint8Array(48).fill(9))
    assert.strictEqual(Credential.mask("api_key", Credential.lastFour(secret)), `dsk_…${secret.slice(-4)}`)
  })
})
