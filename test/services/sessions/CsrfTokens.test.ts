import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { AccountId } from "../../../src/domain/access/Account.ts"
import { CsrfTokens } from "../../../src/services/sessions/CsrfTokens.ts"

const accountId = Schema.decodeSync(AccountId)

layer(CsrfTokens.layer.pipe(Layer.provide(NodeCrypto.layer)))("R28, R29 a form's token", (it) => {
  it.effect("is of one cookie and one account", () =>
    Effect.gen(function* () {
      const tokens = yield* CsrfTokens
      const [one, other] = [Redacted.make("a".repeat(43)), Redacted.make("b".repeat(43))]
      const owners = [
        { secret: one, accountId: accountId(1) },
        { secret: one, accountId: accountId(2) },
        { secret: one, accountId: undefined },
        { secret: other, accountId: accountId(1) }
      ]
      for (const [at, owner] of owners.entries()) {
        const token = yield* tokens.of(owner)
        const accepted = yield* Effect.forEach(owners, (each) => tokens.isOf(each, token))
        assert.deepStrictEqual(
          accepted,
          owners.map((_, index) => index === at)
        )
        assert.isFalse(token.includes("a".repeat(8)))
      }
    })
  )

  it.effect("of a guest is bound to a secret of this browser", () =>
    Effect.gen(function* () {
      const tokens = yield* CsrfTokens
      const secrets = yield* Effect.forEach(Array.from({ length: 100 }), () => tokens.guestSecret)
      const texts = secrets.map((secret) => Redacted.value(secret))
      assert.strictEqual(new Set(texts).size, 100)
      for (const text of texts) assert.match(text, /^[A-Za-z0-9_-]{43}$/u)
    })
  )
})
