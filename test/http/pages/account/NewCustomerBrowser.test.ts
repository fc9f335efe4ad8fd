/**
 * A new customer's whole way, in each language: an app asks for access, its user signs up, confirms, subscribes, and comes back
 * after the loss of the password.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { catalogs, languages } from "../../../../src/domain/Messages.ts"
import { Browser, isAvailable } from "../../../support/Browser.ts"
import { makers } from "../../../support/ConnectingApps.ts"
import * as DocumentServer from "../../../support/DocumentServer.ts"
import { linkOf, MailServer } from "../../../support/MailServer.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, leave, reader } from "../../../support/Steps.ts"
import { StripeDouble } from "../../../support/StripeDouble.ts"

const services = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* MailServer
    const { settings } = yield* StripeDouble
    return Site.layer({ config: { ...settings, smtpUrl: Option.some(url) } })
  })
).pipe(Layer.provideMerge(Layer.mergeAll(Browser.layer, MailServer.layer, StripeDouble.layer)))

const password = "nine green whales"
const next = "seven blue otters"

describe.skipIf(!isAvailable())("a new customer", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(languages)("comes by an app, signs up, subscribes, and calls: %s", (language) =>
      Effect.gen(function* () {
        const site = yield* Site
        const server = yield* MailServer
        const page = yield* (yield* Browser).open()
        yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
        const { follow, isAt, signUp } = reader(page, language)
        const email = `grace.${language}@discovery.test`
        const allow = catalogs[language]["consent.allow"]

        // The app asks for access; its user has no account.
        const program = yield* DocumentServer.make()
        program.answer = (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("Done")
        const redirectUri = `${program.origin}/callback`
        const make = makers["official SDK, version 2"] ?? assert.fail("no such app")
        const app = make({ name: "Agent", redirectUri })
        const asked = yield* Effect.promise(() => app.begin(`${site.url}/mcp`))
        yield* Effect.promise(() => page.goto(asked.href))
        yield* follow("signIn.toSignUp")
        yield* signUp(email, password)
        // The link leads back to what the app asked for, which takes a plan.
        const pressNamed = (name: string) => leave(page, () => page.getByRole("button", { name, exact: true }).click())
        assert.isFalse(yield* Effect.promise(() => page.getByRole("button", { name: allow }).isVisible()))
        yield* goTo(page, "/dashboard/billing")
        yield* pressNamed(catalogs[language]["billing.subscribe"].replace("{plan}", "Pro"))
        yield* pressNamed("Pay")
        assert.strictEqual(at(page), "/dashboard/billing?done=paid")
        yield* Effect.promise(() => page.goto(asked.href))
        yield* Effect.promise(() => page.getByRole("button", { name: allow }).click())
        yield* Effect.promise(() => page.waitForURL(`${redirectUri}**`))
        yield* Effect.promise(() => app.finish(new URL(page.url())))
        const call = Effect.promise(() => app.call("search_shops", { per_page: 1 }))
        assert.strictEqual((yield* call)?.isError ?? false, false)

        // Another browser, without the password.
        const other = yield* (yield* Browser).open()
        yield* Effect.promise(() => other.setExtraHTTPHeaders({ "accept-language": language }))
        const elsewhere = reader(other, language)
        yield* goTo(other, "/sign-in")
        yield* elsewhere.follow("signIn.forgotten")
        yield* elsewhere.enter({ "signIn.email": email })
        yield* elsewhere.press("reset.submit")
        yield* goTo(other, linkOf(yield* server.mailTo(email, 1)))
        yield* elsewhere.enter({ "password.next": next, "password.again": next })
        yield* elsewhere.press("reset.newSubmit")
        yield* elsewhere.enter({ "signIn.email": email, "signIn.password": next })
        yield* elsewhere.press("signIn.submit")
        assert.strictEqual(at(other), "/dashboard")
        // The session of the first browser has ended; the app goes on.
        yield* goTo(page, "/dashboard/account")
        yield* isAt("signIn.heading")
        assert.strictEqual((yield* call)?.isError ?? false, false)
      })
    )
  })
})
