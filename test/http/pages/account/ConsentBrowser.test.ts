/** The consent page as people meet it: by keyboard, without scripts, small and large, light and dark (D52, R24 to R31). */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { Browser, checker, isAvailable, looks, overflow, picture } from "../../../support/Browser.ts"
import * as ClientDocuments from "../../../support/ClientDocuments.ts"
import * as Consent from "../../../support/Consent.ts"
import * as DocumentServer from "../../../support/DocumentServer.ts"
import { Site } from "../../../support/Site.ts"
import { goTo, press } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Site.layer())

const page =
  (text: string): DocumentServer.Handler =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end(`<title>App</title><h1>${text}</h1>`)

const signIn = Effect.fnUntraced(function* (tab: Page, who: { readonly email: string; readonly password: string }) {
  yield* Effect.promise(() => tab.getByLabel("E-mail address").fill(who.email))
  yield* Effect.promise(() => tab.getByLabel("Password").fill(who.password))
  yield* press(tab, "Sign in")
})

const heading = (tab: Page) => Effect.promise(() => tab.innerText("h1"))

/** A web app, and the address that it is answered at. */
const webApp = Effect.gen(function* () {
  const server = yield* DocumentServer.make()
  server.answer = page("The app")
  const redirectUri = `${server.origin}/callback`
  const client = yield* Consent.app({ name: "Shop Helper", redirectUris: [redirectUri] })
  return { server, redirectUri, client, path: Consent.request(client.id, { redirect_uri: redirectUri }) }
})

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect("the keyboard alone is enough from the app's link back to the app, and every stop is seen", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const app = yield* webApp
        const tab = yield* (yield* Browser).open()
        yield* goTo(tab, app.path)
        yield* Effect.promise(async () => {
          await tab.locator("#email:focus").waitFor()
          await tab.keyboard.type(who.email)
          await tab.keyboard.press("Tab")
          await tab.keyboard.type(who.password)
          await tab.keyboard.press("Enter")
          await tab.waitForURL("**/authorize?**")
        })
        const stops: Array<string> = []
        for (let stop = 0; stop < 4; stop++) {
          yield* Effect.promise(() => tab.keyboard.press("Tab"))
          const { name, shown } = yield* Effect.promise(() =>
            tab.evaluate(() => {
              const element = document.activeElement ?? document.body
              const { boxShadow, outlineStyle } = getComputedStyle(element)
              return {
                name: element.textContent?.trim() ?? "",
                shown: outlineStyle !== "none" || boxShadow !== "none"
              }
            })
          )
          stops.push(name)
          assert.isTrue(shown, name)
        }
        assert.deepStrictEqual(stops, ["Skip to the content", "Use another account", "Allow access", "Deny"])
        yield* Effect.promise(async () => {
          await tab.keyboard.press("Shift+Tab")
          await tab.keyboard.press("Enter")
          await tab.waitForURL(`${app.redirectUri}?**`)
        })
        assert.match(new URL(tab.url()).searchParams.get("code") ?? "", /^dac_/)
      })
    )

    it.effect.each(["Allow access", "Deny"])("without scripts: %s", (button) =>
      Effect.gen(function* () {
        const site = yield* Site
        const app = yield* webApp
        const tab = yield* (yield* Browser).open({ javaScript: false })
        yield* goTo(tab, app.path)
        yield* signIn(tab, yield* site.account())
        assert.strictEqual(yield* heading(tab), "Connect Shop Helper")
        yield* Effect.promise(() => tab.getByRole("button", { name: button }).click())
        yield* Effect.promise(() => tab.waitForURL(`${app.redirectUri}?**`))
        assert.strictEqual(yield* heading(tab), "The app")
        const { searchParams } = new URL(tab.url())
        assert.strictEqual(searchParams.has("code"), button === "Allow access")
        assert.strictEqual(searchParams.get("error"), button === "Deny" ? "access_denied" : null)
      })
    )

    it.effect(
      "R30 the click also works for an app that hands on to another address, and nobody is told where it was",
      () =>
        Effect.gen(function* () {
          const site = yield* Site
          const app = yield* webApp
          const other = yield* DocumentServer.make()
          other.answer = page("Elsewhere")
          app.server.answer = (_, response) => void response.writeHead(302, { location: `${other.origin}/final` }).end()
          const tab = yield* (yield* Browser).open()
          yield* goTo(tab, app.path)
          yield* signIn(tab, yield* site.account())
          yield* Effect.promise(() => tab.getByRole("button", { name: "Allow access" }).click())
          yield* Effect.promise(() => tab.waitForURL(`${other.origin}/final`))
          for (const { headers } of [...app.server.requests, ...other.requests]) assert.isUndefined(headers.referer)
        })
    )

    it.effect("R19 a sign-in that ends in a refusal stays here, and its link reaches the app", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const app = yield* webApp
        const tab = yield* (yield* Browser).open()
        // The request becomes a refused one while the user signs in.
        const bad = Consent.request(app.client.id, { redirect_uri: app.redirectUri, response_type: "token" })
        yield* goTo(tab, `/sign-in?return_to=${encodeURIComponent(bad)}`)
        yield* signIn(tab, who)
        assert.strictEqual(yield* heading(tab), "The app's request cannot be granted")
        assert.lengthOf(app.server.requests, 0)
        yield* Effect.promise(() => tab.getByRole("link", { name: "Back to the app" }).click())
        yield* Effect.promise(() => tab.waitForURL(`${app.redirectUri}?**`))
        assert.strictEqual(new URL(tab.url()).searchParams.get("error"), "unsupported_response_type")
      })
    )

    it.effect("an app with a scheme of its own is handed on to by a page that stays, with a link", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const redirectUri = "cursor://anysphere.cursor-mcp/oauth/callback"
        const client = yield* Consent.app({ name: "Cursor", redirectUris: [redirectUri] })
        const tab = yield* (yield* Browser).open()
        yield* goTo(tab, Consent.request(client.id, { redirect_uri: redirectUri }))
        yield* signIn(tab, yield* site.account())
        yield* press(tab, "Allow access")
        assert.strictEqual(yield* heading(tab), "Access allowed")
        const href = yield* Effect.promise(() => tab.getByRole("link", { name: "Continue" }).getAttribute("href"))
        assert.isTrue(href?.startsWith(`${redirectUri}?code=dac_`))
      })
    )

    it.effect("R24, R28 another account takes over the request; the page of the first does nothing for it", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const [one, other] = [yield* site.account(), yield* site.account()]
        const app = yield* webApp
        const first = yield* (yield* Browser).open()
        yield* goTo(first, app.path)
        yield* signIn(first, one)
        const second = yield* Effect.promise(() => first.context().newPage())
        yield* goTo(second, app.path)
        yield* press(second, "Use another account")
        assert.strictEqual(yield* heading(second), "Sign in")
        yield* signIn(second, other)
        assert.strictEqual(yield* heading(second), "Connect Shop Helper")
        const text = yield* Effect.promise(() => second.innerText("main"))
        assert.include(text, other.email)
        assert.notInclude(text, one.email)

        yield* press(first, "Allow access")
        assert.strictEqual(yield* heading(first), "This page is out of date")
        assert.lengthOf(app.server.requests, 0)

        yield* Effect.promise(() => second.getByRole("button", { name: "Allow access" }).click())
        yield* Effect.promise(() => second.waitForURL(`${app.redirectUri}?code=**`))
      })
    )

    it.effect("R30 no page of another origin can frame it", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const app = yield* webApp
        const tab = yield* (yield* Browser).open()
        yield* goTo(tab, app.path)
        yield* signIn(tab, yield* site.account())
        app.server.answer = (_, response) =>
          void response
            .writeHead(200, { "content-type": "text/html" })
            .end(
              `<title>Evil</title><iframe src="${site.url}${Consent.unescape(app.path).replaceAll("&", "&amp;")}"></iframe>`
            )
        yield* Effect.promise(() => tab.goto(`${app.server.origin}/evil`))
        const inside = yield* Effect.promise(async () => {
          const frame = tab.frames()[1]
          return frame === undefined ? "" : await frame.evaluate(() => document.body.innerText).catch(() => "")
        })
        assert.notInclude(inside, "Allow access")
      })
    )

    it.effect("what keeps an account from going on is read without scrolling, at 1280 x 720 pixels", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const email = `${"somebody.with.a.long.name".repeat(2)}@a-rather-long-domain.discovery.test`
        const who = yield* site.account({ email, status: "unpaid" })
        const height = 720
        const tab = yield* (yield* Browser).open({ width: 1280 })
        yield* Effect.promise(() => tab.setViewportSize({ width: 1280, height }))
        // With all that the page can show besides: a long name, no publisher, a warning.
        const redirectUri = "http://localhost:8787/callback"
        const client = yield* Consent.app({ name: "W".repeat(100), redirectUris: [redirectUri] })
        yield* goTo(tab, Consent.request(client.id, { redirect_uri: redirectUri }))
        yield* signIn(tab, who)
        yield* picture(tab, "consent-unpaid-720")
        assert.isTrue(yield* Effect.promise(() => tab.getByText("any program can ask for it").isVisible()))
        for (const place of [
          tab.getByText("an account needs an active Growth or Pro subscription"),
          tab.getByRole("link", { name: "Upgrade or fix billing" })
        ]) {
          const box = yield* Effect.promise(() => place.boundingBox())
          assert.isAtMost((box?.y ?? Infinity) + (box?.height ?? 0), height)
        }
      })
    )

    it.effect.each(looks)("pages pass axe, fit and show all content at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const accounts = yield* Accounts
        const email = `${"somebody.with.a.long.name".repeat(2)}.${look.width}.${look.scheme}@a-rather-long-domain.discovery.test`
        const who = yield* site.account({ email })
        const tab = yield* (yield* Browser).open(look)
        const check = checker(tab, look)
        const open = Effect.fnUntraced(function* (name: string, redirectUri: string) {
          const client = yield* Consent.app({ name, redirectUris: [redirectUri] })
          yield* goTo(tab, Consent.request(client.id, { redirect_uri: redirectUri }))
        })

        yield* open("Claude", "https://claude.ai/api/mcp/auth_callback")
        yield* signIn(tab, who)
        yield* check("consent-web")
        yield* open("MCP Inspector", "http://localhost:6274/oauth/callback")
        yield* check("consent-local")
        yield* open("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback")
        yield* check("consent-scheme")

        const server = yield* DocumentServer.make()
        const clientId = `${server.origin}/client.json`
        server.answer = DocumentServer.json(ClientDocuments.documentOf(clientId, { client_name: "Claude Code" }))
        yield* goTo(tab, Consent.request(clientId, { redirect_uri: "http://127.0.0.1:51234/callback" }))
        yield* check("consent-document")

        // Hostile: long, look-alike, right to left, and with words of its own.
        const host = `accounts.google.com.sign-in.${"very-long-part-of-a-name.".repeat(6)}evil.example`
        yield* open("W".repeat(100), `https://${host}/callback`)
        yield* check("consent-long")
        const box = yield* Effect.promise(() => tab.locator("dd .host strong").boundingBox())
        assert.strictEqual(yield* Effect.promise(() => tab.locator("dd .host").innerText()), host)
        // The end of it, which says whose it is, is within the window.
        assert.isAtMost((box?.x ?? 9999) + (box?.width ?? 9999), look.width)
        yield* open("مساعد التسوق (verified by Discovery) שלום", "https://app.example/callback")
        yield* check("consent-bidi")
        assert.isTrue((yield* heading(tab)).startsWith("Connect "))
        // "Connect" stays on the left of whatever the app calls itself.
        const places = yield* Effect.promise(() =>
          tab.evaluate(() => {
            const heading = document.querySelector("h1")
            const range = document.createRange()
            range.setStart(heading?.firstChild ?? document, 0)
            range.setEnd(heading?.firstChild ?? document, "Connect".length)
            return { heading: heading?.getBoundingClientRect().left, connect: range.getBoundingClientRect().left }
          })
        )
        assert.strictEqual(places.connect, places.heading)

        yield* accounts.setStatus(email, "unpaid").pipe(Effect.orDie)
        yield* open("Claude", "http://localhost:8787/callback")
        yield* check("consent-unpaid")
        yield* accounts.setStatus(email, "active").pipe(Effect.orDie)

        yield* goTo(tab, Consent.request(`doc_${"a".repeat(43)}`))
        yield* check("consent-unknown-app")
        const { id } = yield* Consent.app()
        yield* goTo(tab, Consent.request(id, { response_type: "token" }))
        yield* check("consent-refused")
        yield* goTo(tab, Consent.request(id))
        yield* Effect.orDie((yield* SqlClient.SqlClient)`DELETE FROM consent_request`)
        yield* press(tab, "Deny")
        yield* check("consent-over")
        yield* Effect.promise(() => tab.getByRole("link", { name: "View the request again" }).click())
        yield* Effect.promise(() => tab.getByRole("button", { name: "Deny" }).waitFor())
        yield* open("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback")
        yield* press(tab, "Allow access")
        yield* check("consent-allowed")
      })
    )

    it.effect.each([320, 1920])("the page fits at %i pixels", (width) =>
      Effect.gen(function* () {
        const site = yield* Site
        const tab = yield* (yield* Browser).open({ width })
        const redirectUri = `https://${"long-name.".repeat(20)}evil.example/callback`
        const client = yield* Consent.app({ name: "ab".repeat(50), redirectUris: [redirectUri] })
        yield* goTo(tab, Consent.request(client.id, { redirect_uri: redirectUri }))
        yield* signIn(tab, yield* site.account({ email: `${"somebody".repeat(7)}@${"far".repeat(15)}.${width}.test` }))
        assert.isAtMost(yield* overflow(tab), 0)
        yield* picture(tab, `consent-${width}`)
      })
    )
  })
})
