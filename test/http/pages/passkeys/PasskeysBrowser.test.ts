/** Passkeys as people meet them, in Chromium with its virtual authenticator. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { Browser, checker, isAvailable, looks } from "../../../support/Browser.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { at, fill, goTo, press, signIn } from "../../../support/Steps.ts"
import * as VirtualAuthenticator from "../../../support/VirtualAuthenticator.ts"

const services = Layer.merge(Browser.layer, Site.layer())

const account = "/dashboard/account"

describe.skipIf(!isAvailable())("passkeys in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    const alert = (page: Page) =>
      Effect.promise(async () => {
        const shown = page.locator("form.passkey [role=alert]:not([hidden])")
        await shown.waitFor()
        return shown.innerText()
      })

    const status = (page: Page) => Effect.promise(() => page.getByRole("status").first().innerText())

    const addPasskey = Effect.fnUntraced(function* (page: Page, name: string, code?: string) {
      yield* goTo(page, account)
      yield* fill(page, { "Name of the passkey": name, ...(code === undefined ? {} : { Code: code }) })
      yield* press(page, "Add a passkey")
      assert.strictEqual(yield* status(page), "The passkey is added to your account.")
    })

    /** Presses a button that is not meant to leave the page. */
    const click = (page: Page, name: string) => Effect.promise(() => page.getByRole("button", { name }).click())

    it.effect.each(looks)("D77, D81, D82 from the first passkey to a lost one, at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const page = yield* (yield* Browser).open(look)
        const check = checker(page, look)
        const device = yield* VirtualAuthenticator.plug(page)
        yield* goTo(page, "/sign-in")
        yield* check("sign-in-passkeys")
        yield* signIn(page, who)
        yield* goTo(page, account)
        yield* check("passkeys-none")
        yield* addPasskey(page, "my laptop")
        assert.strictEqual(yield* device.count, 1)
        yield* check("passkeys-one")

        // Instead of the password.
        yield* press(page, "Sign out")
        yield* press(page, "Sign in with a passkey")
        assert.strictEqual(at(page), "/dashboard")

        // As a second step.
        yield* goTo(page, account)
        yield* press(page, "Turn on two-step verification")
        yield* check("recovery-codes")
        const codes = (yield* Effect.promise(() => page.locator("#codes").innerText())).split("\n")
        assert.lengthOf(codes, 10)
        yield* press(page, "Sign out")
        yield* goTo(page, "/sign-in?return_to=/dashboard/usage")
        yield* signIn(page, who)
        assert.strictEqual(at(page), "/sign-in/second-step?return_to=%2Fdashboard%2Fusage")
        yield* check("second-step")
        yield* press(page, "Use a passkey")
        assert.strictEqual(at(page), "/dashboard/usage")

        // The device is lost.
        yield* press(page, "Sign out")
        yield* device.clear
        yield* signIn(page, who)
        yield* fill(page, { "Recovery code": "0000" })
        yield* press(page, "Use the code")
        yield* check("second-step-wrong")
        yield* fill(page, { "Recovery code": codes[3] ?? "" })
        yield* press(page, "Use the code")
        yield* goTo(page, account)
        yield* check("passkeys-recovered")
        const shown = yield* Effect.promise(() => page.locator("main").innerText())
        assert.include(shown, "A recovery code was used to sign in.")
        assert.include(shown, "9 recovery codes")

        // A new device takes the place of the lost one.
        yield* addPasskey(page, "my new laptop")
        yield* press(page, "Remove: my laptop")
        assert.include(yield* status(page), "The passkey is removed from your account.")
        yield* press(page, "Turn off two-step verification")
        assert.include(yield* status(page), "Two-step verification is off.")
      })
    )

    it.effect.each(looks.filter(({ width }) => width === 1280))(
      "D84 an operator is led to a passkey, uses it, and then sees the accounts, $scheme",
      (look) =>
        Effect.gen(function* () {
          const site = yield* Site
          const who = yield* site.account()
          yield* Effect.flatMap(Accounts, (accounts) => accounts.setRole(who.email, "operator"))
          const page = yield* (yield* Browser).open(look)
          const check = checker(page, look)
          yield* VirtualAuthenticator.plug(page)
          yield* goTo(page, "/sign-in?return_to=/dashboard/operator")
          yield* signIn(page, who)
          assert.strictEqual(at(page), `${account}/confirm?return_to=%2Fdashboard%2Foperator`)
          yield* check("operator-without-passkey")
          yield* Effect.promise(() => page.getByRole("link", { name: "Add a passkey to your account first" }).click())
          yield* fill(page, { "Name of the passkey": "work laptop", Code: "wrong" })
          yield* press(page, "Add a passkey")
          const problem = yield* Effect.promise(() => page.getByRole("alert").first().innerText())
          assert.include(problem, "The code is wrong, was used, or has expired.")
          assert.strictEqual(yield* Effect.promise(() => page.getByRole("status").count()), 0)
          yield* check("operator-wrong-code")
          yield* addPasskey(page, "work laptop", yield* SiteVisitor.codeFor(who.email))
          yield* goTo(page, "/dashboard/operator")
          yield* check("operator-with-passkey")
          yield* press(page, "Confirm with a passkey")
          assert.strictEqual(at(page), "/dashboard/operator")
          assert.strictEqual(
            yield* Effect.promise(() => page.getByRole("heading", { level: 1 }).innerText()),
            "Accounts"
          )
        })
    )

    it.effect("what goes wrong is said beside the button, and the button works again", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const page = yield* (yield* Browser).open()
        const device = yield* VirtualAuthenticator.plug(page)
        yield* goTo(page, "/sign-in")
        yield* signIn(page, who)
        yield* addPasskey(page, "my laptop")
        yield* fill(page, { "Name of the passkey": "again" })
        yield* click(page, "Add a passkey")
        assert.strictEqual(yield* alert(page), "This device already has a passkey of your account.")
        yield* press(page, "Sign out")
        yield* device.recognizes(false)
        yield* click(page, "Sign in with a passkey")
        assert.strictEqual(
          yield* alert(page),
          "Nothing was sent: the request was canceled or took too long. Try again."
        )
        yield* device.recognizes(true)
        yield* press(page, "Sign in with a passkey")
        assert.strictEqual(at(page), "/dashboard")
        yield* press(page, "Sign out")
        yield* Effect.promise(() =>
          page.route("**/sign-in/passkey/challenge", (route) => route.fulfill({ status: 429, body: "" }))
        )
        yield* click(page, "Sign in with a passkey")
        assert.include(yield* alert(page), "That did not work.")
      })
    )

    it.effect("without scripts the password works as before, and a recovery code is a second step", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const browser = yield* Browser
        const scripted = yield* browser.open()
        yield* VirtualAuthenticator.plug(scripted)
        yield* goTo(scripted, "/sign-in")
        yield* signIn(scripted, who)
        yield* addPasskey(scripted, "my laptop")
        const page = yield* browser.open({ javaScript: false })
        yield* goTo(page, "/sign-in")
        assert.isFalse(yield* Effect.promise(() => page.getByText("Sign in with a passkey").isVisible()))
        yield* signIn(page, who)
        assert.strictEqual(at(page), "/dashboard")
        yield* goTo(page, account)
        assert.isTrue(yield* Effect.promise(() => page.getByText("Adding a passkey needs JavaScript").isVisible()))
        assert.isFalse(yield* Effect.promise(() => page.getByText("Turn on two-step verification").last().isVisible()))
        yield* goTo(scripted, account)
        yield* press(scripted, "Turn on two-step verification")
        const codes = (yield* Effect.promise(() => scripted.locator("#codes").innerText())).split("\n")
        yield* goTo(page, "/sign-in")
        yield* signIn(page, who)
        assert.strictEqual(at(page), "/sign-in/second-step")
        yield* fill(page, { "Recovery code": codes[0] ?? "" })
        yield* press(page, "Use the code")
        assert.strictEqual(at(page), "/dashboard")
      })
    )
  })
})
