/** The pages as people meet them: by keyboard, without scripts, small and large, light and dark (D52, R30). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Layer } from "effect"
import { Browser, checker, isAvailable, looks, overflow, picture } from "../../../support/Browser.ts"
import { Site } from "../../../support/Site.ts"
import { at, fill, goTo, hasFocus, press, signIn } from "../../../support/Steps.ts"

/** As `/authorize` does with a request that it refuses: back to the app at once, at another origin. */
const hop = HttpRouter.add("GET", "/hop", (request) =>
  Effect.succeed(
    HttpServerResponse.redirect(`http://127.0.0.1:${request.headers["host"]?.split(":")[1]}/health/live?error=denied`)
  )
)

const services = Layer.merge(Browser.layer, Site.layer({ routes: hop }))

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect("the keyboard alone is enough to sign in, move on, and sign out", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const page = yield* (yield* Browser).open()
        yield* goTo(page, "/dashboard")
        assert.strictEqual(at(page), "/sign-in?return_to=%2Fdashboard")
        yield* hasFocus(page, "#email")
        yield* Effect.promise(async () => {
          await page.keyboard.type(who.email)
          await page.keyboard.press("Tab")
          await page.keyboard.type(who.password)
          await page.keyboard.press("Enter")
          await page.waitForURL("**/dashboard")
        })
        // The first stop of a page leads past its head.
        yield* Effect.promise(() => page.keyboard.press("Tab"))
        assert.isTrue(yield* Effect.promise(() => page.getByRole("link", { name: "Skip to the content" }).isVisible()))
        yield* Effect.promise(() => page.keyboard.press("Enter"))
        yield* hasFocus(page, "main")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Sign out" }).focus()
          await page.keyboard.press("Enter")
          await page.waitForURL("**/sign-in")
        })
        yield* goTo(page, "/dashboard")
        assert.strictEqual(at(page), "/sign-in?return_to=%2Fdashboard")
      })
    )

    it.effect("every control shows that it has the focus", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const page = yield* (yield* Browser).open()
        yield* goTo(page, "/sign-in?return_to=/dashboard/account/password")
        yield* signIn(page, who)
        const stops: Array<string> = []
        for (let stop = 0; stop < 17; stop++) {
          yield* Effect.promise(() => page.keyboard.press("Tab"))
          const { name, shown } = yield* Effect.promise(() =>
            page.evaluate(() => {
              const element = document.activeElement
              if (element === null) return { name: "", shown: false }
              const { boxShadow, outlineStyle } = getComputedStyle(element)
              return {
                name: element.textContent?.trim() || element.id,
                shown: outlineStyle !== "none" || boxShadow !== "none"
              }
            })
          )
          stops.push(name)
          assert.isTrue(shown, name)
        }
        assert.deepStrictEqual(stops, [
          "Skip to the content",
          "Discovery",
          "Ads",
          "Products",
          "Stores",
          "Market",
          "Changes",
          "Searches",
          "Boards",
          "Integrations",
          "Usage",
          "Account",
          "Sign out",
          "current",
          "next",
          "again",
          "Change password"
        ])
      })
    )

    it.effect("without scripts, a failed sign-in says so where the focus is, and the next one goes on", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const page = yield* (yield* Browser).open({ javaScript: false })
        yield* goTo(page, "/dashboard/account/password")
        yield* signIn(page, { ...who, password: "nine green wales" })
        assert.strictEqual(yield* Effect.promise(() => page.title()), "Error: Sign in · Discovery")
        assert.strictEqual(
          yield* Effect.promise(() => page.locator(":focus").innerText()),
          "The e-mail address or the password is wrong."
        )
        assert.strictEqual(yield* Effect.promise(() => page.getByLabel("E-mail address").inputValue()), who.email)
        yield* signIn(page, who)
        assert.strictEqual(at(page), "/dashboard/account/password")
      })
    )

    it.effect("R30 a sign-in that ends at another origin is not stopped by the policy of its own page", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const page = yield* (yield* Browser).open()
        yield* goTo(page, "/sign-in?return_to=/hop")
        yield* signIn(page, who)
        assert.strictEqual(new URL(page.url()).host, new URL(site.url).host.replace("localhost", "127.0.0.1"))
        assert.strictEqual(at(page), "/health/live?error=denied")
      })
    )

    it.effect("R28 a form that was shown to one account does nothing for the next one in the same browser", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const [one, other] = [yield* site.account(), yield* site.account()]
        const first = yield* (yield* Browser).open()
        yield* goTo(first, "/sign-in?return_to=/dashboard/account/password")
        yield* signIn(first, one)
        const second = yield* Effect.promise(() => first.context().newPage())
        yield* goTo(second, "/dashboard")
        yield* press(second, "Sign out")
        yield* signIn(second, other)
        assert.include(yield* Effect.promise(() => second.innerText("footer")), other.email)

        yield* fill(first, {
          "Current password": other.password,
          "New password": "seven blue otters",
          "Confirm new password": "seven blue otters"
        })
        yield* press(first, "Change password")
        assert.strictEqual(yield* Effect.promise(() => first.innerText("h1")), "This page is out of date")
        assert.include(yield* Effect.promise(() => first.innerText("footer")), other.email)

        yield* goTo(second, "/dashboard")
        yield* press(second, "Sign out")
        yield* signIn(second, other)
        assert.strictEqual(at(second), "/dashboard")
      })
    )

    it.effect("a new password signs every other browser out, and this one goes on", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const browser = yield* Browser
        const [here, there] = [yield* browser.open(), yield* browser.open()]
        for (const page of [here, there]) {
          yield* goTo(page, "/sign-in?return_to=/dashboard/account/password")
          yield* signIn(page, who)
        }
        yield* fill(here, {
          "Current password": who.password,
          "New password": "seven blue otters",
          "Confirm new password": "seven blue otters"
        })
        yield* press(here, "Change password")
        assert.strictEqual(yield* Effect.promise(() => here.innerText("h1")), "Your password has been changed")
        yield* goTo(here, "/dashboard")
        assert.strictEqual(at(here), "/dashboard")
        yield* goTo(there, "/dashboard")
        assert.strictEqual(at(there), "/sign-in?return_to=%2Fdashboard")
        yield* signIn(there, who)
        assert.include(yield* Effect.promise(() => there.innerText("main")), "is wrong")
        yield* signIn(there, { ...who, password: "seven blue otters" })
        assert.strictEqual(at(there), "/dashboard")
      })
    )

    it.effect.each(looks)("pages pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const email = `${"somebody.with.a.long.name".repeat(2)}.${look.width}.${look.scheme}@a-rather-long-domain.discovery.test`
        const who = yield* site.account({ email, status: "unpaid" })
        const page = yield* (yield* Browser).open(look)
        const check = checker(page, look)
        yield* goTo(page, "/sign-in")
        yield* check("sign-in")
        yield* goTo(page, "/sign-in?return_to=/authorize?client_id=doc_1")
        yield* signIn(page, { email, password: "wrong" })
        yield* check("sign-in-rejected")
        yield* goTo(page, "/sign-in")
        yield* signIn(page, who)
        yield* check("dashboard")
        yield* goTo(page, "/dashboard/account/password")
        yield* check("password")
        yield* fill(page, {
          "Current password": who.password,
          "New password": "seven blue otters",
          "Confirm new password": "seven blue others"
        })
        yield* press(page, "Change password")
        yield* check("password-rejected")
        yield* goTo(page, "/dashboard/nowhere")
        yield* check("not-found")
      })
    )

    it.effect.each([320, 1920])("pages fit at %i pixels", (width) =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account({ email: `${"somebody".repeat(7)}@${"far".repeat(15)}.${width}.test` })
        const page = yield* (yield* Browser).open({ width })
        for (const path of ["/sign-in", "/dashboard", "/dashboard/account/password", "/dashboard/nowhere"]) {
          yield* goTo(page, path)
          assert.isAtMost(yield* overflow(page), 0, path)
          yield* picture(page, `${path.replaceAll("/", "-")}-${width}`)
          if (path === "/sign-in") yield* signIn(page, who)
        }
      })
    )
  })
})
