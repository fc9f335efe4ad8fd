/**
 * The way of a new customer from the sign-up to the first alert (D113, D121), in each language: a plan, a search, saving it, an import
 * that brings a new result, the mail, what its link opens, and the end of all alerts without a sign-in.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Messages from "../../../../src/domain/Messages.ts"
import * as AlertRound from "../../../../src/services/alerts/AlertRound.ts"
import { Mailer } from "../../../../src/services/mail/Mailer.ts"
import { Browser, isAvailable, picture } from "../../../support/Browser.ts"
import * as FileImports from "../../../support/FileImports.ts"
import { linkOf, MailServer } from "../../../support/MailServer.ts"
import { SetClock } from "../../../support/SetClock.ts"
import { Site } from "../../../support/Site.ts"
import { indexed } from "../../../support/Stamps.ts"
import { at, goTo, leave, reader } from "../../../support/Steps.ts"
import { StripeDouble } from "../../../support/StripeDouble.ts"

const day = 86_400_000

const services = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* MailServer
    const { settings } = yield* StripeDouble
    return Site.layer({ config: { ...settings, smtpUrl: Option.some(url) } })
  })
).pipe(
  Layer.provideMerge(Layer.mergeAll(Browser.layer, MailServer.layer, StripeDouble.layer, NodeServices.layer)),
  // Stripe signs with its own clock.
  Layer.provideMerge(SetClock.layer(new Date().toISOString()))
)

const password = "nine green whales"

describe.skipIf(!isAvailable())("a new customer", () => {
  layer(services, { excludeTestServices: true })((it) => {
    /** A file of a later day than the last, with the products of a store. */
    let days = 0
    const deliver = Effect.fnUntraced(function* (source: string, titles: ReadonlyArray<string>) {
      const shop = `${source}.example.com`
      const store = { type: "shop", domain: shop, name: `Store ${source}`, country: "DE", currency: "EUR" }
      const products = titles.map((title, key) => ({ type: "product", shop, key: `${key}`, title, price: 12 + key }))
      const lines = [store, ...products].map((record) => JSON.stringify(record)).join("\n")
      const asOf = new Date(Date.UTC(2026, 0, ++days)).toISOString().slice(0, 10)
      const { rejects } = yield* FileImports.run({ "catalog.ndjson": lines }, { source, asOf })
      assert.deepStrictEqual(rejects, [])
      yield* indexed
    })

    it.effect.each(Messages.languages)(
      "signs up, saves a search, gets its first alert, and turns alerts off: %s",
      (language) =>
        Effect.gen(function* () {
          const server = yield* MailServer
          const clock = yield* SetClock
          const sql = yield* SqlClient.SqlClient
          const { text } = Messages.of(language)
          const open = Effect.gen(function* () {
            const page = yield* (yield* Browser).open({ width: language === "de" ? 390 : 1280 })
            yield* Effect.promise(() => page.setExtraHTTPHeaders({ "accept-language": language }))
            return page
          })
          const page = yield* open
          const { enter, follow, isAt, isTold, press, signUp } = reader(page, language)
          const pressNamed = (name: string) =>
            leave(page, () => page.getByRole("button", { name, exact: true }).click())
          const shows = (words: string) =>
            Effect.map(
              Effect.promise(() => page.locator("main").innerText()),
              (shown) => assert.include(shown, words)
            )
          const email = `ada.${language}@discovery.test`
          const word = `finch${language}`
          yield* deliver(language, [`${word} cage`])

          // Without an account she looks at the plans first.
          yield* goTo(page, "/plans")
          yield* press("signUp.heading")
          yield* signUp(email, password)
          yield* picture(page, `first-alert-signed-in-${language}`)
          // The link leads back to what she wanted: a plan.
          assert.strictEqual(at(page), "/dashboard/billing")
          yield* pressNamed(text("billing.subscribe", { plan: "Growth" }))
          yield* pressNamed("Pay")
          assert.strictEqual(at(page), "/dashboard/billing?done=paid")
          yield* picture(page, `first-alert-paid-${language}`)

          // The overview says what to do; she does it.
          yield* press("billing.toOverview")
          yield* picture(page, `first-alert-overview-${language}`)
          yield* shows(text("saved.empty"))
          yield* leave(page, () =>
            page
              .locator("#saved-searches ~ p")
              .getByRole("link", { name: text("layout.section.products"), exact: true })
              .click()
          )
          yield* Effect.promise(() => page.locator("#query").fill(word))
          yield* leave(page, () => page.keyboard.press("Enter"))
          assert.strictEqual(at(page), `/dashboard/products?query=${word}`)
          yield* shows(`${word} cage`)
          yield* Effect.promise(() => page.getByText(text("saved.save"), { exact: true }).click())
          yield* enter({ "saved.name": `All about ${word}` })
          yield* press("saved.button")
          yield* picture(page, `first-alert-saved-${language}`)
          yield* shows(text("saved.savedAs", { name: `All about ${word}` }))
          yield* follow("saved.headingAndAlerts")
          const named = { name: `All about ${word}` }
          yield* Effect.promise(() => page.getByLabel(text("saved.alertOf", named)).selectOption("daily"))
          yield* pressNamed(text("saved.setAlertOf", named))
          yield* isTold("saved.done.alert")
          yield* picture(page, `first-alert-on-${language}`)

          // The next import has a further product, which the overview counts, and the mail a day later.
          yield* deliver(language, [`${word} cage`, `${word} swing`])
          yield* goTo(page, "/dashboard")
          yield* shows(text("saved.new", { count: 1 }))
          yield* picture(page, `first-alert-news-${language}`)
          const round = Effect.andThen(
            AlertRound.round(),
            Effect.flatMap(Mailer, ({ settled }) => settled)
          )
          yield* round
          assert.lengthOf(server.allTo(email), 1)
          yield* clock.advance(day + 1_000)
          yield* round
          const mail = yield* server.mailTo(email, 1)
          assert.strictEqual(mail.subject, text("mail.subject.alerts", { count: 1 }))
          assert.include(mail.text, text("mail.alerts.results", { count: 1 }))

          // By then she is signed out. The link of the mail leads to the results, by the sign-in.
          yield* goTo(page, linkOf(mail))
          yield* isAt("signIn.heading")
          yield* enter({ "signIn.email": email, "signIn.password": password })
          yield* press("signIn.submit")
          assert.strictEqual(at(page), `/dashboard/products?query=${word}`)
          yield* shows(`${word} swing`)

          // In another browser, without an account, alerts end.
          const other = yield* open
          const elsewhere = reader(other, language)
          const [off = ""] = /^https?:\/\/\S+\/alerts\/unsubscribe\S+$/mu.exec(mail.text ?? "") ?? []
          assert.include(mail.html?.replaceAll("&amp;", "&"), `href="${off}"`)
          yield* Effect.promise(() => other.goto(off))
          yield* elsewhere.isAt("unsubscribe.heading")
          yield* elsewhere.press("unsubscribe.button")
          yield* elsewhere.isTold("unsubscribe.doneText")
          yield* picture(other, `first-alert-off-${language}`)
          yield* goTo(page, "/dashboard/searches")
          const chosen = () => page.getByLabel(text("saved.alertOf", named)).inputValue()
          assert.strictEqual(yield* Effect.promise(chosen), "off")
          yield* deliver(language, [`${word} cage`, `${word} swing`, `${word} seeds`])
          yield* clock.advance(2 * day)
          yield* round
          assert.lengthOf(server.allTo(email), 2)
          assert.isEmpty(yield* sql`SELECT FROM alert`)
        })
    )
  })
})
