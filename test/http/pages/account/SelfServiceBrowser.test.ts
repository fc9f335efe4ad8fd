/** A customer's whole way in a browser, in each language: sign up, confirm, forget the password, come back, and leave. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { catalogs, languages } from "../../../../src/domain/Messages.ts"
import { Browser, checker, isAvailable, looks } from "../../../support/Browser.ts"
import { linkOf, MailServer } from "../../../support/MailServer.ts"
import { Site } from "../../../support/Site.ts"
import { at, goTo, reader } from "../../../support/Steps.ts"

const services = Layer.merge(
  Browser.layer,
  Layer.unwrap(Effect.map(MailServer, ({ url }) => Site.layer({ config: { smtpUrl: Option.some(url) } }))).pipe(
    Layer.provideMerge(MailServer.layer)
  )
)

const password = "nine green whales"
const next = "seven blue otters"

describe.skipIf(!isAvailable())("in a browser", () => {
  layer(services, { excludeTestServices: true })((it) => {
    it.effect.each(languages)(
      "D85, D87, D89 from the sign-up to the closing of the account, without scripts: %s",
      (language) =>
        Effect.gen(function* () {
          const server = yield* MailServer
          const email = `ada.${language}@discovery.test`
          const page = yield* (yield* Browser).open({ javaScript: false })
          yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
          const { enter, follow, isAt, isTold, press } = reader(page, language)

          yield* goTo(page, "/sign-in")
          yield* follow("signIn.toSignUp")
          yield* enter({ "signIn.email": email, "signIn.password": password })
          yield* press("signUp.submit")
          yield* isTold("mailLink.sentTo.signUp", email)
          const confirmation = yield* server.mailTo(email)
          assert.strictEqual(confirmation.subject, catalogs[language]["mail.subject.confirm"])
          yield* goTo(page, linkOf(confirmation))
          yield* isAt("signUp.confirm")
          yield* press("signUp.confirmSubmit")
          yield* isTold("signIn.done.confirmed")
          yield* enter({ "signIn.email": email, "signIn.password": password })
          yield* press("signIn.submit")
          assert.strictEqual(at(page), "/dashboard")
          yield* press("layout.signOut")

          yield* follow("signIn.forgotten")
          yield* enter({ "signIn.email": email })
          yield* press("reset.submit")
          yield* isTold("mailLink.sentTo.reset", email)
          const reset = yield* server.mailTo(email, 1)
          assert.strictEqual(reset.subject, catalogs[language]["mail.subject.reset"])
          yield* goTo(page, linkOf(reset))
          yield* enter({ "password.next": next, "password.again": next })
          yield* press("reset.newSubmit")
          yield* isTold("signIn.done.reset")
          // Mails are sent at once: one that is not waited for may arrive after the next.
          const told = yield* server.mailTo(email, 2)
          assert.strictEqual(told.subject, catalogs[language]["mail.subject.passwordSet"])
          yield* enter({ "signIn.email": email, "signIn.password": next })
          yield* press("signIn.submit")
          assert.strictEqual(at(page), "/dashboard")

          yield* goTo(page, "/dashboard/account")
          yield* follow("account.close")
          yield* isAt("closing.heading")
          yield* enter({ "emailChange.password": next })
          yield* press("closing.submit")
          yield* isTold("signIn.done.closed")
          yield* enter({ "signIn.email": email, "signIn.password": next })
          yield* press("signIn.submit")
          assert.strictEqual(
            yield* Effect.promise(() => page.getByRole("alert").innerText()),
            catalogs[language]["signIn.wrong"]
          )
          assert.strictEqual((yield* server.mailTo(email, 3)).subject, catalogs[language]["mail.subject.closed"])
        })
    )

    it.effect.each(looks)(
      "D88 the pages pass axe and fit at $width pixels, $scheme, and an address is changed",
      (look) =>
        Effect.gen(function* () {
          const site = yield* Site
          const server = yield* MailServer
          const name = `somebody.with.a.long.name.${look.width}.${look.scheme}`
          const page = yield* (yield* Browser).open(look)
          const check = checker(page, look)
          const { enter, isTold, press } = reader(page, "en")
          yield* goTo(page, "/sign-up?return_to=/authorize?x")
          yield* check("sign-up")
          yield* enter({ "signIn.email": `${name}@discovery.test`, "signIn.password": "passwordpassword" })
          yield* press("signUp.submit")
          yield* check("sign-up-error")
          yield* enter({ "signIn.password": password })
          yield* press("signUp.submit")
          yield* check("sign-up-sent")
          const link = linkOf(yield* server.mailTo(`${name}@discovery.test`))
          yield* goTo(page, link)
          yield* check("sign-up-confirm")
          const other = yield* (yield* Browser).open(look)
          yield* goTo(other, link)
          yield* checker(other, look)("sign-up-confirm-elsewhere")
          yield* press("signUp.confirmSubmit")
          yield* check("sign-in-confirmed")
          yield* goTo(page, link)
          yield* check("link-over")
          yield* goTo(page, "/reset-password")
          yield* check("reset")
          yield* enter({ "signIn.email": `${name}@discovery.test` })
          yield* press("reset.submit")
          yield* check("reset-sent")
          yield* goTo(page, linkOf(yield* server.mailTo(`${name}@discovery.test`, 1)))
          yield* check("reset-new")

          const who = yield* site.account()
          yield* goTo(page, "/sign-in?return_to=/dashboard/account/email")
          yield* enter({ "signIn.email": who.email, "signIn.password": who.password })
          yield* press("signIn.submit")
          yield* check("email")
          const to = `other.${name}@discovery.test`
          yield* enter({ "emailChange.next": to, "emailChange.password": who.password })
          yield* press("emailChange.submit")
          yield* isTold("account.done.email-asked")
          yield* goTo(page, linkOf(yield* server.mailTo(to)))
          yield* check("email-confirm")
          yield* press("emailChange.confirmSubmit")
          yield* isTold("account.done.email-changed")
          yield* check("account-email-changed")
          yield* goTo(page, "/dashboard/account/close")
          yield* check("close")
        })
    )
  })
})
