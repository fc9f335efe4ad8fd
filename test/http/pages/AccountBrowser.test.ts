/** The overview, the account's page and the operators' as people meet them. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Accounts } from "../../../src/services/access/Accounts.ts"
import { ApiKeys } from "../../../src/services/access/ApiKeys.ts"
import { Browser, isAvailable, looks, overflow, picture, violations } from "../../support/Browser.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"
import { at, goTo, press, signIn } from "../../support/Steps.ts"

const services = Layer.merge(Browser.layer, Site.layer())

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"
const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    const operator = Effect.gen(function* () {
      const site = yield* Site
      const accounts = yield* Accounts
      const who = yield* site.account({ plan: "pro" })
      yield* accounts.setRole(who.email, "operator")
      return who
    })

    const sights = [...looks, { width: 1920, scheme: "light" as const }]

    it.effect.each(sights)("the overview and the account pass axe and fit at $width pixels, $scheme", (look) =>
      Effect.gen(function* () {
        const site = yield* Site
        const who = yield* site.account({
          email: `somebody.with.a.long.name.${look.width}.${look.scheme}@discovery.test`
        })
        const page = yield* (yield* Browser).open(look)
        const check = Effect.fnUntraced(function* (name: string) {
          yield* picture(page, `${name}-${look.width}-${look.scheme}`)
          assert.deepStrictEqual(yield* violations(page), [], name)
          assert.isAtMost(yield* overflow(page), 0, name)
        })
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

    it.effect.each(sights)("the operators' pages pass axe and fit at $width pixels, $scheme", (look) =>
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
        const check = Effect.fnUntraced(function* (name: string) {
          yield* picture(page, `${name}-${look.width}-${look.scheme}`)
          assert.deepStrictEqual(yield* violations(page), [], name)
          assert.isAtMost(yield* overflow(page), 0, name)
        })
        yield* goTo(page, "/sign-in?return_to=/dashboard/operator")
        yield* signIn(page, who)
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
  })
})
