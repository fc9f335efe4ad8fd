/** Pages where an account without access ends name the way to it, whatever is set up, and offer nothing that refuses. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Consent from "../../../support/Consent.ts"
import { Site } from "../../../support/Site.ts"

const baseUrl = "http://localhost"
const own = `${baseUrl}/dashboard`
const billing = "https://billing.test/plans"
const support = "https://support.test/"

const setups = [
  { name: "billing", billingUrl: billing, supportUrl: support, link: billing },
  { name: "support alone", billingUrl: own, supportUrl: support, link: support },
  { name: "neither", billingUrl: own, supportUrl: own, link: undefined }
]

/** What is said where there is no link. */
const asking = {
  en: "The operator of this server can change that. Please contact them.",
  de: "Der Betreiber dieses Servers kann das ändern. Bitte wenden Sie sich an ihn.",
  fr: "L’exploitant de ce serveur peut y remédier. Veuillez le contacter.",
  es: "El administrador de este servidor puede cambiarlo. Póngase en contacto con él."
}

const pages = [
  "/dashboard",
  "/dashboard/account",
  "/dashboard/usage",
  "/dashboard/integrations",
  "/dashboard/ads",
  "/dashboard/products",
  "/dashboard/shops",
  "/dashboard/market",
  "/dashboard/searches"
]

for (const { billingUrl, link, name, supportUrl } of setups) {
  const services = Site.layer({ config: { ...Consent.config, baseUrl, billingUrl, supportUrl } })
  layer(services, { excludeTestServices: true })(`with ${name}`, (it) => {
    it.effect.each([
      { plan: "starter", status: "active" },
      { plan: "growth", status: "unpaid" },
      { plan: "pro", status: "canceled" }
    ] as const)("$plan, $status: every page names the way out, and none a reason that is no reason", (account) =>
      Effect.gen(function* () {
        const tab = yield* Consent.signedIn(account)
        for (const path of pages) {
          for (const [language, said] of Object.entries(asking)) {
            const { text } = yield* tab.get(path, { "accept-language": language })
            const [, main = ""] = /<main[^>]*>(.*)<\/main>/su.exec(text) ?? []
            if (link === undefined) assert.include(Consent.textOf(main), said, path)
            else assert.include(main, `<a href="${link}"`, path)
            assert.notInclude(main, `action="/dashboard/integrations"`, path)
            assert.notInclude(main, 'id="mcp-url"', path)
          }
          const { text } = yield* tab.get(path)
          assert.notInclude(text, "subscription is active", path)
        }
        const client = yield* Consent.app()
        const consent = (yield* tab.get(Consent.request(client.id))).text
        const words = Consent.textOf(consent)
        assert.include(words, "then come back to this request.")
        if (link === undefined) assert.include(words, "Ask the people who run this server for access, then come back")
        else assert.include(consent, `<a href="${link}">`)
        assert.notInclude(words, ", active.")
        assert.notInclude(words, "Allow access")
      })
    )

    it.effect("an account with access is offered its first steps, and no way out", () =>
      Effect.gen(function* () {
        const tab = yield* Consent.signedIn()
        const { text } = yield* tab.get("/dashboard")
        assert.include(text, 'id="mcp-url"')
        assert.include(Consent.textOf(text), "Two steps, and your AI agent")
        assert.notInclude(Consent.textOf(text), asking.en)
      })
    )
  })
}
