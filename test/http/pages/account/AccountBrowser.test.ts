/** The overview, the account's page and the operators' as people meet them. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Accounts } from "../../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../../src/services/credentials/ApiKeys.ts"
import { Browser, checker, isAvailable, wideLooks } from "../../../support/Browser.ts"
import { Site } from "../../../support/Site.ts"
import * as SiteVisitor from "../../../support/SiteVisitor.ts"
import { at, enterAs, fill, goTo, press, signIn } from "../../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Site.layer())

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"
const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    const operator = Effect.gen(function* () {
      const site = yield* Site
      const accounts = yield* Accounts
      const who = yield* site.account({ plan: "pro" })
      yield* accounts.setRole(who.email, "operator")
      return { ...who, visitor: yield* SiteVisitor.withPasskey(who) }
    })

    it.effect.each(wideLooks)("the overview and the account pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account({
          email: `somebody.with.a.long.name.${look.width}.${look.scheme}@discovery.test`
        })
        const page = yield* (yield* Browser).open(look)
        const check = checker(page, look)
        yield* goTo(page, "/sign-in")
        yield* signIn(page, who)
        yield* check("overview-new")
        yield* goTo(page, "/dashboard/account")
        yield* check("account-alone")
        yield* SiteVisitor.signedIn(who, { "user-agent": firefox })
        yield* SiteVisitor.signedIn(who, { "user-agent": iphone })
        yield* goTo(page, "/dashboard/account?done=session-ended")
        yield* check("account")
        yield* Effect.flatMap(Accounts, (accounts) => accounts.setStatus(who.email, "unpaid"))
        yield* goTo(page, "/dashboard")
        yield* check("overview-unpaid")
        yield* goTo(page, "/dashboard/nowhere")
        yield* check("not-found")
      })
    )

    it.effect.each(wideLooks)("the operators' pages pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const accounts = yield* Accounts
        const keys = yield* ApiKeys
        const who = yield* operator
        const customer = yield* site.account({
          email: `customer.${look.width}.${look.scheme}@a-rather-long-domain.test`
        })
        const { id } = yield* accounts.find(customer.email)
        yield* keys.create(id, "nightly job")
        yield* accounts.grant(customer.email, 500)
        yield* accounts.setPlan(customer.email, "pro")
        yield* site.account({ plan: "starter" })
        yield* site.account({ status: "paused" })
        const page = yield* (yield* Browser).open(look)
        const check = checker(page, look)
        yield* enterAs(page, who.visitor)
        yield* goTo(page, "/dashboard/operator")
        yield* check("operator")
        yield* goTo(page, "/dashboard/operator?email=nobody-has-this")
        yield* check("operator-none")
        yield* goTo(page, `/dashboard/operator/accounts/${id}`)
        yield* check("operator-account")
        yield* goTo(page, `/dashboard/operator/accounts/${id}/plan?to=starter`)
        yield* check("operator-plan")
        yield* press(page, "Change the plan")
        assert.strictEqual(at(page), `/dashboard/operator/accounts/${id}?done=plan`)
        yield* check("operator-changed")
      })
    )

    it.effect("the keyboard alone is enough to end a session elsewhere", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account()
        const there = yield* SiteVisitor.signedIn(who, { "user-agent": firefox })
        const page = yield* (yield* Browser).open()
        yield* goTo(page, "/sign-in?return_to=/dashboard/account")
        yield* signIn(page, who)
        const stops: Array<string> = []
        for (let stop = 0; stop < 20 && stops.at(-1) !== "Sign out: Firefox on Linux"; stop++) {
          yield* Effect.promise(() => page.keyboard.press("Tab"))
          const { name, shown } = yield* Effect.promise(() =>
            page.evaluate(() => {
              const element = document.activeElement
              if (element === null) return { name: "", shown: false }
              const { boxShadow, outlineStyle } = getComputedStyle(element)
              return {
                name: element.getAttribute("aria-label") ?? element.textContent.trim(),
                shown: outlineStyle !== "none" || boxShadow !== "none"
              }
            })
          )
          assert.isTrue(shown, name)
          stops.push(name)
        }
        assert.deepStrictEqual(stops.slice(-6), [
          "Billing",
          "Get help",
          "Change your password",
          // The field for its name.
          "",
          "Add a passkey",
          "Sign out: Firefox on Linux"
        ])
        yield* Effect.promise(async () => {
          await page.keyboard.press("Enter")
          await page.waitForURL("**/dashboard/account?done=session-ended")
        })
        assert.strictEqual(
          yield* Effect.promise(() => page.getByRole("status").innerText()),
          "That browser has been signed out."
        )
        assert.strictEqual((yield* there.get("/dashboard")).status, 303)
      })
    )

    it.effect("without scripts, an operator finds an account and changes its plan, and a session ends elsewhere", () =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* operator
        const customer = yield* site.account({ email: "only.this.one@scriptless.test" })
        const there = yield* SiteVisitor.signedIn(who)
        const page = yield* (yield* Browser).open({ javaScript: false })
        yield* enterAs(page, who.visitor)
        yield* goTo(page, "/dashboard/operator")
        yield* fill(page, { "E-mail address": "ONLY.this" })
        yield* press(page, "Show")
        assert.strictEqual(at(page), "/dashboard/operator?email=ONLY.this&plan=&status=&role=")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: customer.email }).click()
          await page.getByLabel("New plan", { exact: true }).selectOption("pro")
        })
        yield* press(page, "Continue: New plan")
        yield* press(page, "Change the plan")
        assert.strictEqual(yield* Effect.promise(() => page.getByRole("status").innerText()), "The plan is changed.")
        const { plan } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(customer.email))
        assert.strictEqual(plan, "pro")
        yield* goTo(page, "/dashboard/account")
        yield* press(page, "Sign out all others")
        assert.strictEqual((yield* there.get("/dashboard")).status, 303)
        // What only a script could do is not shown.
        yield* goTo(page, "/dashboard")
        assert.isFalse(yield* Effect.promise(() => page.locator("[data-copy]").isVisible()))
      })
    )
  })
})
