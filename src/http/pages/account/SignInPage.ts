/** `/sign-in`: e-mail address and password, then a redirect to the page that required it. `/sign-out` ends the session. */
import { Effect, Layer, Redacted, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import * as EmailAddress from "../../../domain/access/EmailAddress.ts"
import { Sessions } from "../../../services/sessions/Sessions.ts"
import type { Session } from "../../../services/sessions/Sessions.ts"
import { SignIn } from "../../../services/sessions/SignIn.ts"
import { WebAuthn } from "../../../services/sessions/passkeys/WebAuthn.ts"
import { FormRejected } from "../shared/ErrorPage.ts"
import { emailField, field, problemOf, refusal, tooMany } from "../shared/Fields.ts"
import type { Problem } from "../shared/Fields.ts"
import { doneField, emailField as emailParameter, emailOf, endings, flashNotice } from "../shared/FlashNotice.ts"
import type { Ending } from "../shared/FlashNotice.ts"
import * as FormPage from "../shared/FormPage.ts"
import { html } from "../shared/Html.ts"
import { Layout, overviewPath, toDocumentation } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { orGoOn, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { tools } from "../passkeys/PasskeyForm.ts"
import * as PasskeySignInPage from "../passkeys/PasskeySignInPage.ts"
import * as MailLink from "./MailLink.ts"
import { Secret } from "./PasswordPage.ts"
import { resetPath } from "./ResetPage.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { isSignedIn, Visitors } from "../shared/Visitors.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const path = "/sign-in"

/** What led here. */
const flashNotices = ["confirmed", "reset", "closed", "out-of-date", "step-over", ...endings] as const
type Done = (typeof flashNotices)[number]

const isEnding = (done: Done | undefined): done is Ending => endings.some((ending) => ending === done)

const Query = Schema.Struct({ ...ReturnTo.field, ...doneField(flashNotices), ...emailParameter })

/** Of the forms to sign in and to sign up. */
export const Credentials = Schema.Struct({
  email: MailLink.Email,
  password: Secret,
  return_to: Schema.optionalKey(Schema.String)
})
export type Credentials = typeof Credentials.Type

const SignOutForm = Schema.Struct({ return_to: Schema.optionalKey(Schema.String) })
type SignOutForm = typeof SignOutForm.Type

interface SignInView {
  readonly returnTo: string | undefined
  readonly email: string
  readonly done?: Done | undefined
}

const contextOf = ({ email, return_to }: Credentials): SignInView => ({
  email: email.trim(),
  returnTo: ReturnTo.parse(return_to)
})

/** Whether the form is of the account that is signed in. */
export const isOf = ({ email }: Credentials, session: Session): boolean =>
  EmailAddress.toLookUp(email).toLowerCase() === session.email.toLowerCase()

export const emptyFields = ({ email, password }: Credentials, locale: Locale): ReadonlyArray<Problem> => [
  ...(email.trim() === "" ? [{ field: "email", message: locale.text("signIn.noEmail") }] : []),
  ...(Redacted.value(password) === "" ? [{ field: "password", message: locale.text("signIn.noPassword") }] : [])
]

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const signIn = yield* SignIn
    const sessions = yield* Sessions
    const { isAvailable } = yield* WebAuthn
    const { guestPage, page } = yield* Layout
    const config = yield* AppConfig
    // Without a session the dashboard cannot help, so only a configured support address is linked.
    const { support } = OutwardLinks.of(config)
    const { entered, visitOf } = yield* tools

    const form = FormPage.ofGuest(Credentials, {
      action: path,
      page: (visitor, { body, refused }, { returnTo }: SignInView) =>
        guestPage(visitor, {
          heading: visitor.locale.text("signIn.heading"),
          refused,
          // The sign-in may continue at an app through redirects, which `form-action` would block.
          policy: { formsLeave: returnTo !== undefined },
          passkeys: isAvailable,
          body: html`
            ${returnTo?.startsWith("/authorize?") && html`<p>${visitor.locale.text("signIn.toConnect")}</p>`} ${body}
          `
        }),
      body: (form, visitor, { done, returnTo }) => {
        const { text } = visitor.locale
        return html`
          ${done !== undefined && flashNotice(text(done === "out-of-date" ? "signIn.outOfDate" : `signIn.done.${done}`))}
          ${form} ${isAvailable && PasskeySignInPage.section(visitor, returnTo)}
          <p><a href="${resetPath}">${text("signIn.forgotten")}</a></p>
          ${
            config.signUp === "open" &&
            html`<p><a href="${ReturnTo.signUpPath(returnTo)}">${text("signIn.toSignUp")}</a></p>`
          }
          <p class="aside">
            ${toDocumentation(visitor.locale)} · <a href="${OutwardLinks.plansPath}">${text("plans.link")}</a>
            ${support !== undefined && html`· <a href="${support}">${text("signIn.help")}</a>`}
          </p>
        `
      },
      hidden: ({ returnTo }) => ({ return_to: returnTo }),
      fields: ({ locale }, { refused }, { done, email }) => [
        emailField(locale, refused, { value: email, autofocus: refused === undefined && done === undefined }),
        field({
          name: "password",
          label: locale.text("signIn.password"),
          type: "password",
          autocomplete: "current-password",
          error: problemOf(refused, "password")
        })
      ],
      button: ({ text }) => text("signIn.submit"),
      problems: (form, { locale }) => emptyFields(form, locale),
      submit: ({ email, password, return_to }, visitor, request) => {
        const returnTo = ReturnTo.parse(return_to)
        const { owner, ...visit } = visitOf(visitor, request)
        return signIn.signIn({ email, password, ...visit }, owner).pipe(
          Effect.map((signedIn) => entered(signedIn, returnTo)),
          Effect.catchTag("SecondStepNeeded", ({ secret }) =>
            Effect.succeed(seeOther(ReturnTo.secondStepPath(returnTo)).pipe(visitors.remember(secret)))
          )
        )
      },
      errors: {
        SignInRejected: (_, { text }) => refusal(403, { message: text("signIn.wrong") }),
        TooManyAttempts: (error, locale) => tooMany(error, "signIn.tooMany", locale)
      }
    })

    /** To who has signed in again meanwhile: going on without a word would look as if the form had no effect. */
    const ended = (visitor: SignedIn, done: Ending, returnTo: string | undefined) => {
      const { text } = visitor.locale
      return page({
        heading: text("signIn.ended"),
        account: visitor,
        body: html`${flashNotice(text(`signIn.done.${done}`))}
          <p><a href="${returnTo ?? overviewPath}">${text("signIn.goOn")}</a></p>`
      })
    }

    yield* routes.page(
      path,
      reads(Query, (visitor, { done, email, return_to }) => {
        const returnTo = ReturnTo.parse(return_to)
        const answer = () => {
          if (!isSignedIn(visitor)) return form.show(visitor, { returnTo, done, email: emailOf(email) ?? "" })
          return isEnding(done) ? ended(visitor, done, returnTo) : seeOther(returnTo ?? overviewPath)
        }
        return Effect.sync(answer)
      })
    )

    const rejected = FormPage.outOfDate(form, {
      message: "signIn.outOfDate",
      contextOf,
      pathOf: ({ return_to }: Credentials) => ReturnTo.signInPath(ReturnTo.parse(return_to))
    })

    yield* routes.form(
      path,
      Credentials,
      (sent, visitor, request) => form.submit(sent, visitor, request, Effect.succeed(contextOf(sent))),
      orGoOn(isOf, rejected)
    )

    const toSignIn = (form: SignOutForm) => seeOther(ReturnTo.signInPath(ReturnTo.parse(form.return_to)))

    yield* routes.form(
      ReturnTo.signOutPath,
      SignOutForm,
      (form, { session }) =>
        Effect.as(
          session === undefined ? Effect.void : sessions.end(session.accountId, session.id),
          visitors.forget(toSignIn(form))
        ), // If the session has ended already, the visitor is signed out as requested.
      (form, { session }) => (session === undefined ? Effect.succeed(toSignIn(form)) : Effect.fail(new FormRejected()))
    )
  })
)
