/** Plans, the choice of a language and buttons of what cannot be undone, as people see and use them (D52, D118). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { Browser, checker, isAvailable, looks } from "../../../support/Browser.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, leave, signIn } from "../../../support/Steps.ts"
import { StripeDouble } from "../../../support/StripeDouble.ts"

const services = Layer.merge(
  Browser.layer,
  Layer.unwrap(Effect.map(StripeDouble, ({ settings }) => Site.layer({ config: settings }))).pipe(
    Layer.provideMerge(StripeDouble.layer)
  )
)

describe.skipIf(!isAvailable())("D118 in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(looks)(
      "plans, mails that are under way, and what cannot be undone pass axe and fit at $width pixels, $scheme",
      (look) =>
        Effect.gen(function* () {
          const site = yield* Site
          const keys = yield* ApiKeys
          const page = yield* (yield* Browser).open(look)
          const check = checker(page, look)
          for (const [path, name] of [
            ["/plans", "plans"],
            ["/sign-in", "plans-sign-in"],
            ["/sign-up", "plans-sign-up"],
            [`/sign-up?done=sent&email=${"a".repeat(60)}@discovery.test`, "plans-sent"]
          ] as const) {
            yield* goTo(page, path)
            yield* check(name)
          }
          const who = yield* site.account()
          const { id } = yield* Effect.orDie(Effect.flatMap(Accounts, (accounts) => accounts.find(who.email)))
          const { key } = yield* Effect.orDie(keys.create(id, "a key"))
          yield* goTo(page, "/sign-in")
          yield* signIn(page, who)
          for (const [path, name] of [
            ["/plans", "plans-own"],
            ["/dashboard/integrations", "danger-integrations"],
            [`/dashboard/integrations/keys/${key.id}/revoke`, "danger-revoke"],
            ["/dashboard/account", "danger-account"],
            ["/dashboard/account/close", "danger-close"]
          ] as const) {
            yield* goTo(page, path)
            yield* check(name)
          }
        }),
      600_000
    )

    it.effect.each([true, false])("the language is chosen by keyboard and stays, scripts: %s", (javaScript) =>
      Effect.gen(function* () {
        const page = yield* (yield* Browser).open({ javaScript })
        yield* goTo(page, "/sign-in?return_to=/plans")
        yield* Effect.promise(() => page.getByRole("button", { name: "Deutsch" }).focus())
        yield* leave(page, () => page.keyboard.press("Enter"))
        assert.strictEqual(at(page), "/sign-in?return_to=/plans")
        assert.strictEqual(yield* Effect.promise(() => page.locator("h1").innerText()), "Anmelden")
        yield* goTo(page, "/plans")
        assert.strictEqual(yield* Effect.promise(() => page.locator("h1").innerText()), "Tarife und Preise")
        yield* leave(page, () => page.getByRole("button", { name: "English" }).click())
        assert.strictEqual(yield* Effect.promise(() => page.locator("h1").innerText()), "Plans and prices")
      })
    )
  })
})
