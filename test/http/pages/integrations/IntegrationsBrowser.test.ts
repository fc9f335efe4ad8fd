/** Keys and apps as people manage them: by keyboard, without scripts, small and large, light and dark (D50, D52). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { Page } from "playwright-core"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { ConnectedApps } from "../../../../src/services/oauth/ConnectedApps.ts"
import { Browser, checker, isAvailable, overflow, picture, violations, wideLooks } from "../../../support/Browser.ts"
import * as Integrations from "../../../support/Integrations.ts"
import { Site } from "../../../support/Site.ts"
import { goTo, leave } from "../../../support/Steps.ts"

const path = "/dashboard/integrations"

const services = Layer.merge(Browser.layer, Site.layer())

const follow = (tab: Page, role: "button" | "link", name: string | RegExp) =>
  leave(tab, () => tab.getByRole(role, { name }).click())

const enter = (tab: Page) => leave(tab, () => tab.keyboard.press("Enter"))

const signedIn = Effect.fnUntraced(function* (
  tab: Page,
  options: Parameters<Site["Service"]["account"]>[0] = {},
  returnTo = path
) {
  const who = yield* Effect.flatMap(Site, (site) => site.account(options))
  yield* goTo(tab, `/sign-in?return_to=${returnTo}`)
  yield* Effect.promise(() => tab.locator("#email").fill(who.email))
  yield* Effect.promise(() => tab.locator("#password").fill(who.password))
  yield* enter(tab)
  const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
  return { ...who, id }
})

/** Presses Tab up to the control with this name; each control on the way shows that it has the focus. */
const tabTo = Effect.fnUntraced(function* (tab: Page, name: string) {
  for (let stop = 0; stop < 40; stop++) {
    yield* Effect.promise(() => tab.keyboard.press("Tab"))
    const at = yield* Effect.promise(() =>
      tab.evaluate(() => {
        const element = document.activeElement ?? document.body
        const { boxShadow, outlineStyle } = getComputedStyle(element)
        const label = document.querySelector(`label[for="${element.id}"]`) ?? element
        return {
          name: label.textContent?.trim() ?? "",
          shown: outlineStyle !== "none" || boxShadow !== "none"
        }
      })
    )
    assert.isTrue(at.shown, at.name)
    if (at.name === name) return
  }
  return yield* Effect.die(new Error(`the keyboard does not come to ${name}`))
})

const heading = (tab: Page) => Effect.promise(() => tab.innerText("h1"))
const text = (tab: Page, selector: string) => Effect.promise(() => tab.innerText(selector))

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect("a text that the browser does not let a page copy is selected, and the button says so", () =>
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open()
        yield* signedIn(tab)
        const address = yield* text(tab, "#mcp-url")
        const button = tab.locator('button[data-copy="mcp-url"]')
        for (const clipboard of ["denied", "missing"]) {
          yield* Effect.promise(() =>
            tab.evaluate((clipboard) => {
              getSelection()?.removeAllRanges()
              const refusing = { writeText: () => Promise.reject(new Error("denied")) }
              const value = clipboard === "denied" ? refusing : undefined
              Object.defineProperty(navigator, "clipboard", { value, configurable: true })
            }, clipboard)
          )
          yield* Effect.promise(() => button.click())
          yield* Effect.promise(() => tab.getByText("Could not copy: the text is selected").first().waitFor())
          assert.strictEqual(yield* Effect.promise(() => tab.evaluate(() => String(getSelection()))), address)
        }
      })
    )

    it.effect("the keyboard alone is enough to create a key, copy it, and revoke it", () =>
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open()
        yield* Effect.promise(() => tab.context().grantPermissions(["clipboard-read", "clipboard-write"]))
        yield* signedIn(tab)
        yield* tabTo(tab, "Name")
        yield* Effect.promise(() => tab.keyboard.type("nightly job"))
        yield* enter(tab)
        assert.strictEqual(yield* heading(tab), "Your new key")
        const secret = yield* text(tab, "#secret")
        assert.match(secret, /^dsk_[0-9A-Za-z]{43}$/)
        yield* tabTo(tab, "Copy")
        yield* Effect.promise(() => tab.keyboard.press("Enter"))
        yield* Effect.promise(() => tab.getByRole("button", { name: "Copied" }).waitFor())
        assert.strictEqual(yield* Effect.promise(() => tab.evaluate(() => navigator.clipboard.readText())), secret)
        assert.strictEqual(yield* Integrations.call(secret), 200)

        yield* tabTo(tab, "Back to Integrations")
        yield* enter(tab)
        assert.include(yield* text(tab, ".credentials"), "nightly job")
        yield* tabTo(tab, "Revoke")
        yield* enter(tab)
        assert.strictEqual(yield* heading(tab), "Revoke this key?")
        yield* tabTo(tab, "Revoke")
        yield* enter(tab)
        assert.strictEqual(
          yield* text(tab, "[role=status]"),
          "The key has been revoked. Calls with it are now refused."
        )
        assert.strictEqual(yield* Integrations.call(secret), 401)
      })
    )

    it.effect("the keyboard alone is enough to replace a key", () =>
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open()
        const { id } = yield* signedIn(tab)
        const old = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(id, "nightly job"))
        yield* goTo(tab, path)
        yield* tabTo(tab, "Replace")
        yield* enter(tab)
        assert.strictEqual(yield* heading(tab), "Replace this key")
        yield* tabTo(tab, "Name of the new key")
        // Radio buttons are one tab stop, at the chosen one; arrow keys move between them.
        yield* Effect.promise(() => tab.keyboard.press("Tab"))
        yield* Effect.promise(() => tab.keyboard.press("ArrowUp"))
        assert.isTrue(yield* Effect.promise(() => tab.getByRole("radio", { name: "in 1 hour" }).isChecked()))
        yield* tabTo(tab, "Replace key")
        yield* enter(tab)
        assert.strictEqual(yield* heading(tab), "Your new key")
        assert.include(yield* text(tab, "main"), "The old key “nightly job” works until")
        assert.strictEqual(yield* Integrations.call(yield* text(tab, "#secret")), 200)
        assert.strictEqual(yield* Integrations.call(Redacted.value(old.secret)), 200)
      })
    )

    it.effect("without scripts, keys are created, replaced and revoked, and apps revoked", () =>
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open({ javaScript: false })
        const { id } = yield* signedIn(tab)
        yield* Effect.promise(() => tab.getByLabel("Name").fill("job"))
        yield* follow(tab, "button", "Create key")
        const first = yield* text(tab, "#secret")
        // Controls that need scripts are not shown.
        assert.strictEqual(yield* Effect.promise(() => tab.getByRole("button", { name: "Copy" }).count()), 0)
        yield* follow(tab, "link", "Back to Integrations")
        yield* follow(tab, "link", "Replace job")
        yield* Effect.promise(() => tab.getByLabel("now", { exact: true }).check())
        yield* follow(tab, "button", "Replace key")
        const second = yield* text(tab, "#secret")
        assert.deepStrictEqual([yield* Integrations.call(first), yield* Integrations.call(second)], [401, 200])
        yield* follow(tab, "link", "Back to Integrations")
        yield* follow(tab, "link", "Revoke job")
        yield* follow(tab, "button", "Revoke")
        assert.strictEqual(yield* Integrations.call(second), 401)

        const token = yield* Integrations.connect(id, { name: "Shop Helper" })
        yield* goTo(tab, path)
        yield* follow(tab, "link", "Revoke Shop Helper")
        yield* follow(tab, "button", "Revoke")
        assert.include(yield* text(tab, "[role=status]"), "The app has been disconnected.")
        assert.strictEqual(yield* Integrations.call(token), 401)
        const apps = yield* ConnectedApps
        assert.deepStrictEqual(yield* apps.list(id), [])
      })
    )

    it.effect("a reload of the page with the key makes no second one", () =>
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open()
        const { id } = yield* signedIn(tab)
        yield* Effect.promise(() => tab.getByLabel("Name").fill("job"))
        yield* follow(tab, "button", "Create key")
        const secret = yield* text(tab, "#secret")
        yield* Effect.promise(() => tab.reload())
        assert.strictEqual(yield* heading(tab), "This key has already been created")
        assert.notInclude(yield* Effect.promise(() => tab.content()), secret.slice(8, 40))
        const keys = yield* ApiKeys
        assert.lengthOf(yield* keys.list(id), 1)
      })
    )

    it.effect("every text to be copied is copied unchanged", () =>
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open()
        yield* Effect.promise(() => tab.context().grantPermissions(["clipboard-read", "clipboard-write"]))
        yield* signedIn(tab)
        const check = Effect.fnUntraced(function* (count: number) {
          const texts = yield* Effect.promise(() => tab.locator(".copy pre").allTextContents())
          assert.lengthOf(texts, count)
          for (const [index, expected] of texts.entries()) {
            yield* Effect.promise(() => tab.locator(".copy button").nth(index).click())
            yield* Effect.promise(() => tab.locator(".copy button").nth(index).getByText("Copied").waitFor())
            assert.strictEqual(
              yield* Effect.promise(() => tab.evaluate(() => navigator.clipboard.readText())),
              expected
            )
          }
        })
        yield* check(4)
        yield* Effect.promise(() => tab.getByLabel("Name").fill("job"))
        yield* follow(tab, "button", "Create key")
        yield* check(5)
      })
    )

    it.effect.each(wideLooks)("the list passes axe and fits at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const [keys, accounts] = [yield* ApiKeys, yield* Accounts]
        const tab = yield* (yield* Browser).open(look)
        const check = checker(tab, look)
        const { email, id } = yield* signedIn(tab)
        yield* check("integrations-empty")
        yield* keys.create(id, "Nightly report on the build server")
        const { key: old } = yield* keys.create(id, "Laptop")
        yield* keys.replace(id, old.id, { ends: "in_24_hours" })
        yield* keys.create(id, "W".repeat(60))
        yield* keys.create(id, "שלום (verified) <b>x</b>")
        yield* Integrations.connect(id, { name: "Claude", publisher: "claude.ai" })
        yield* Integrations.connect(id, { name: "W".repeat(100) })
        const publisher = `${"very-long.".repeat(20)}test`
        yield* Integrations.connect(id, { name: "שלום (verified by Discovery) <script>", publisher })
        yield* goTo(tab, `${path}?done=key_revoked`)
        yield* check("integrations-list")
        yield* Effect.promise(() => tab.locator("#name").fill("x".repeat(61)))
        yield* follow(tab, "button", "Create key")
        yield* check("integrations-bad-name")
        yield* Effect.forEach([1, 2, 3, 4, 5], (index) => keys.create(id, `Key ${index}`))
        yield* goTo(tab, path)
        yield* check("integrations-full")
        yield* follow(tab, "link", "Replace Key 1")
        yield* check("integrations-replace-full")
        yield* accounts.setStatus(email, "unpaid")
        yield* goTo(tab, path)
        yield* check("integrations-unpaid")
      })
    )

    it.effect("after twenty keys in an hour, the page says when there can be another", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const tab = yield* (yield* Browser).open()
        const { id } = yield* signedIn(tab)
        yield* Effect.forEach(Array.from({ length: 20 }), () =>
          Effect.flatMap(keys.create(id, "job"), ({ key }) => keys.revoke(id, key.id))
        )
        yield* Effect.promise(() => tab.locator("#name").fill("One more"))
        yield* follow(tab, "button", "Create key")
        assert.match(
          yield* text(tab, ":focus"),
          /^20 keys were created within an hour, which is the limit\. Try again in (59|60) minutes\.$/u
        )
        assert.strictEqual(yield* Effect.promise(() => tab.locator("#name").inputValue()), "One more")
        assert.deepStrictEqual(yield* violations(tab), [])
        assert.deepStrictEqual(yield* keys.list(id), [])
      })
    )

    it.effect.each(wideLooks)("the pages of one key or app pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open(look)
        const check = checker(tab, look)
        const { id } = yield* signedIn(tab)
        yield* Effect.promise(() => tab.locator("#name").fill("Nightly report on the build server"))
        yield* follow(tab, "button", "Create key")
        yield* check("integrations-new-key")
        yield* follow(tab, "link", "Back to Integrations")
        yield* follow(tab, "link", /^Replace/)
        yield* check("integrations-replace")
        yield* follow(tab, "button", "Replace key")
        yield* check("integrations-replaced")
        yield* Effect.promise(() => tab.reload())
        yield* check("integrations-replaced-already")
        yield* Integrations.connect(id, { name: "Claude", publisher: "claude.ai" })
        yield* goTo(tab, path)
        yield* follow(tab, "link", "Revoke Claude")
        yield* check("integrations-revoke-app")
        yield* goTo(tab, path)
        yield* Effect.promise(() => tab.locator(".credentials a", { hasText: "Revoke" }).first().click())
        yield* check("integrations-revoke-key")
        yield* goTo(tab, `${path}/keys/2147483647/revoke`)
        yield* check("integrations-gone")
      })
    )

    // One locale for each language, whichever the region.
    it.effect.each([
      ["de-AT", "de"],
      ["fr-FR", "fr"],
      ["es-MX", "es"]
    ] as const)("the pages speak the language of %s, which is %s, and fit", ([locale, language]) =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const tab = yield* (yield* Browser).open({ width: 390 })
        yield* Effect.promise(() => tab.context().setExtraHTTPHeaders({ "accept-language": locale }))
        const { id } = yield* signedIn(tab)
        const check = Effect.fnUntraced(function* (name: string) {
          yield* picture(tab, `${name}-${locale}`)
          assert.strictEqual(yield* Effect.promise(() => tab.locator("html").getAttribute("lang")), language)
          assert.isAtMost(yield* overflow(tab), 0, name)
          assert.deepStrictEqual(yield* violations(tab), [], name)
        })
        yield* check("integrations-empty")
        const { key } = yield* keys.create(id, "CI")
        yield* goTo(tab, path)
        yield* check("integrations-list")
        yield* goTo(tab, `${path}/keys/${key.id}/replace`)
        yield* check("integrations-replace")
        yield* Effect.promise(() => tab.locator("main form:not(.quiet) button[type=submit]").click())
        yield* Effect.promise(() => tab.locator("#secret").waitFor())
        yield* check("integrations-replaced")
      })
    )
  })
})
