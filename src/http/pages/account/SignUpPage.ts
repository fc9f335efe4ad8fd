/**
 * `/sign-up`: an account by e-mail address and password. The answer is the same whether the address has an account.
 * `/sign-up/confirm`, where the mail leads: its form makes the account and leads to the sign-in.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import type { LinkOver } from "../../../services/accounts/AccountLinks.ts"
import { SignUp } from "../../../services/accounts/SignUp.ts"
import * as ClientAddress from "../../shared/ClientAddress.ts"
import { FormRejected, PageNotFound } from "../shared/ErrorPage.ts"
import { emailField, field, problemOf, refusal, tooMany } from "../shared/Fields.ts"
import {
  doneField,
  emailField as emailParameter,
  emailOf,
  flashNotice,
  sentTo,
  withDone
} from "../shared/FlashNotice.ts"
import * as FormPage from "../shared/FormPage.ts"
import { html } from "../shared/Html.ts"
import { Layout, overviewPath, toDocumentation } from "../shared/Layout.ts"
import { orGoOn, PageRoutes, reads, readsAll, seeOther } from "../shared/PageRoutes.ts"
import type { Reads } from "../shared/PageRoutes.ts"
import { plansPath } from "../shared/OutwardLinks.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { isSignedIn, Visitors } from "../shared/Visitors.ts"
import type { Visitor } from "../shared/Visitors.ts"
import * as MailLink from "./MailLink.ts"
import { chosenPasswordField, Secret, weaknessText } from "./PasswordPage.ts"
import { Credentials, emptyFields, isOf } from "./SignInPage.ts"

const path = "/sign-up"
const confirmPath = `${path}/confirm` as const

const Query = Schema.Struct({ ...ReturnTo.field, ...doneField(["sent", "out-of-date"]), ...emailParameter })

const Confirmation = Schema.Struct({ token: MailLink.Token, password: Schema.optionalKey(Secret) })

interface Asked {
  readonly email: string
  readonly returnTo: string | undefined
  readonly isOutOfDate: boolean
}

const contextOf = ({ email, return_to }: Credentials): Asked => ({
  email: email.trim(),
  returnTo: ReturnTo.parse(return_to),
  isOutOfDate: false
})

interface Confirmed {
  readonly token: Redacted.Redacted
  readonly email: string
  readonly needsPassword: boolean
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const signUp = yield* SignUp
    const { guestPage, page } = yield* Layout
    const config = yield* AppConfig
    const addressOf = ClientAddress.of(config)
    /** As an address that does not exist. */
    const closed = config.signUp === "closed" ? Effect.fail(new PageNotFound()) : Effect.void

    const over = (error: LinkOver, { locale }: Visitor) =>
      Effect.succeed(
        page(MailLink.over(locale, error, { purpose: "sign_up", again: path, next: ReturnTo.signInPath(undefined) }))
      )

    const asking = FormPage.ofGuest(Credentials, {
      action: path,
      page: (visitor, parts) => guestPage(visitor, { heading: visitor.locale.text("signUp.heading"), ...parts }),
      body: (form, { locale }, { isOutOfDate, returnTo }: Asked) => html`
        ${returnTo?.startsWith("/authorize?") && html`<p>${locale.text("signUp.toConnect")}</p>`}
        <p>
          ${locale.html("plans.newAccount", { plans: html`<a href="${plansPath}">${locale.text("plans.link")}</a>` })}
        </p>
        ${isOutOfDate && flashNotice(locale.text("signUp.outOfDate"))} ${form}
        <p><a href="${ReturnTo.signInPath(returnTo)}">${locale.text("signUp.toSignIn")}</a></p>
        <p class="aside">${toDocumentation(locale)}</p>
      `,
      hidden: ({ returnTo }) => ({ return_to: returnTo }),
      fields: ({ locale }, { refused }, { email, isOutOfDate }) => [
        emailField(locale, refused, {
          value: email,
          hint: locale.text("signUp.emailHint"),
          autofocus: refused === undefined && !isOutOfDate
        }),
        chosenPasswordField("password", locale.text("signIn.password"), refused, locale)
      ],
      button: ({ text }) => text("signUp.submit"),
      problems: (form, { locale }) => emptyFields(form, locale),
      submit: ({ email, password, return_to }, { secret: browser }, request) =>
        Effect.as(
          signUp.ask({
            email: email.trim(),
            returnTo: ReturnTo.parse(return_to),
            password,
            address: addressOf(request),
            browser
          }),
          // The cookie is what the browser is known by when it opens the link.
          visitors.remember(browser)(seeOther(sentTo(path, email)))
        ),
      errors: {
        EmailRefused: MailLink.badEmail,
        PasswordRefused: ({ weakness }, locale) =>
          refusal(400, { field: "password", message: weaknessText(weakness, locale) }),
        TooManyAttempts: (error, locale) => tooMany(error, "mailLink.tooMany", locale)
      }
    })

    const confirming = FormPage.ofGuest(Confirmation, {
      action: confirmPath,
      page: (visitor, parts) => guestPage(visitor, { heading: visitor.locale.text("signUp.confirm"), ...parts }),
      body: (form, { locale }, { email }: Confirmed) => html`
        <p>${locale.text("signUp.confirmAbout", { email })}</p>
        ${form}
      `,
      hidden: ({ token }) => ({ token: Redacted.value(token) }),
      fields: ({ locale: { text } }, { refused }, { email, needsPassword }) => html`
        <input type="text" name="username" autocomplete="username" value="${email}" hidden />
        ${
          needsPassword &&
          field({
            name: "password",
            label: text("signIn.password"),
            type: "password",
            autocomplete: "current-password",
            hint: text("signUp.passwordWhy"),
            error: problemOf(refused, "password")
          })
        }
      `,
      button: ({ text }) => text("signUp.confirmSubmit"),
      submit: ({ password, token: secret }, visitor, request) =>
        signUp.confirm({ secret, browser: visitor.secret, password, address: addressOf(request) }).pipe(
          Effect.map(({ returnTo }) => seeOther(withDone(ReturnTo.signInPath(returnTo), "confirmed"))),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
        ),
      errors: {
        PasswordNeeded: (_, { text }) => refusal(400, { field: "password", message: text("signIn.noPassword") }),
        SignInRejected: (_, { text }) => refusal(403, { field: "password", message: text("signUp.wrong") }),
        TooManyAttempts: (error, locale) => tooMany(error, "signIn.tooMany", locale)
      }
    })

    // Before a query is read: one that is refused would reveal the page.
    const ifOpen = (show: Reads<Visitor>): Reads<Visitor> =>
      config.signUp === "closed" ? readsAll(() => Effect.fail(new PageNotFound())) : show

    yield* routes.page(
      path,
      ifOpen(
        reads(Query, (visitor, { done, email, return_to }) => {
          const returnTo = ReturnTo.parse(return_to)
          if (isSignedIn(visitor)) return Effect.succeed(seeOther(returnTo ?? overviewPath))
          return Effect.succeed(
            done === "sent"
              ? page(MailLink.sent(visitor.locale, "signUp", emailOf(email), path))
              : asking.show(visitor, { returnTo, email: emailOf(email) ?? "", isOutOfDate: done !== undefined })
          )
        })
      )
    )

    const rejected = orGoOn(
      isOf,
      FormPage.outOfDate(asking, {
        message: "signUp.outOfDate",
        contextOf,
        pathOf: ({ return_to }: Credentials) => ReturnTo.signUpPath(ReturnTo.parse(return_to))
      })
    )

    yield* routes.form(
      path,
      Credentials,
      (form, visitor, request) =>
        Effect.andThen(closed, asking.submit(form, visitor, request, Effect.succeed(contextOf(form)))),
      (form, visitor, request) => Effect.andThen(closed, rejected(form, visitor, request))
    )

    yield* routes.page(
      confirmPath,
      ifOpen(
        reads(MailLink.Link, (visitor, query) => {
          const token = MailLink.tokenOf(query)
          return signUp.read({ secret: token, browser: visitor.secret }).pipe(
            Effect.map((link) => confirming.show(visitor, { token, ...link })),
            Effect.catchTag("LinkOver", (error) => over(error, visitor))
          )
        })
      )
    )

    yield* routes.form(
      confirmPath,
      Confirmation,
      (form, visitor, request) =>
        closed.pipe(
          Effect.andThen(signUp.read({ secret: form.token, browser: visitor.secret })),
          Effect.flatMap((link) =>
            confirming.submit(form, visitor, request, Effect.succeed({ token: form.token, ...link }))
          ),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
        ),
      // Perhaps sent again, by who has signed in meanwhile.
      ({ token }, visitor) =>
        closed.pipe(
          Effect.andThen(signUp.read({ secret: token, browser: visitor.secret })),
          Effect.andThen(Effect.fail(new FormRejected())),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
        )
    )
  })
)
