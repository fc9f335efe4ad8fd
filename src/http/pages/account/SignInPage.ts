/** `/sign-in`: e-mail address and password, then a redirect to the page that required it. `/sign-out` ends the session. */
import { Effect, Layer, Redacted, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import * as Device from "../../../domain/access/Device.ts"
import { Sessions } from "../../../services/access/Sessions.ts"
import { SignIn } from "../../../services/access/SignIn.ts"
import { WebAuthn } from "../../../services/access/passkeys/WebAuthn.ts"
import * as ClientAddress from "../../ClientAddress.ts"
import * as Csrf from "../shared/Csrf.ts"
import { FormRejected } from "../shared/ErrorPage.ts"
import { emailField, field, problemOf, problemSummary, refusal, tooMany } from "../shared/Fields.ts"
import type { Problem, Refusal } from "../shared/Fields.ts"
import { doneField, emailField as emailParameter, emailOf, outOfDate, said } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import { Layout, overviewPath, toDocumentation } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as PasskeySignInPages from "../passkeys/PasskeySignInPages.ts"
import * as MailLink from "./MailLink.ts"
import { Secret } from "./PasswordPage.ts"
import { resetPath } from "./ResetPage.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import * as SessionCookie from "../shared/SessionCookie.ts"
import { isSignedIn, Visitors } from "../shared/Visitors.ts"
import type { Visitor } from "../shared/Visitors.ts"

const path = "/sign-in"

/** What led here. */
const dones = ["confirmed", "reset", "closed", "out-of-date"] as const

const Query = Schema.Struct({ ...ReturnTo.field, ...doneField(dones), ...emailParameter })

/** Of the forms to sign in and to sign up. */
export const Credentials = Schema.Struct({
  email: MailLink.Email,
  password: Secret,
  return_to: Schema.optionalKey(Schema.String)
})
export type Credentials = typeof Credentials.Type

const Departure = Schema.Struct({ return_to: Schema.optionalKey(Schema.String) })
type Departure = typeof Departure.Type

interface Shown {
  readonly returnTo: string | undefined
  readonly email?: string | undefined
  readonly done?: (typeof dones)[number] | undefined
}

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
    const { guestPage } = yield* Layout
    const config = yield* AppConfig
    // Without a session the dashboard cannot help, so only a configured support address is linked.
    const { support } = OutwardLinks.of(config)
    const addressOf = ClientAddress.of(config)
    const browserCookie = SessionCookie.ofBrowser(config)

    const show = (visitor: Visitor, { done, email = "", returnTo }: Shown, refused?: Refusal) => {
      const { text } = visitor.locale
      const autofocus = refused === undefined && done === undefined
      return guestPage(visitor, {
        heading: text("signIn.heading"),
        refused,
        // The sign-in may continue at an app through redirects, which `form-action` would block.
        policy: { formsLeave: returnTo !== undefined },
        passkeys: isAvailable,
        body: html`
          ${returnTo?.startsWith("/authorize?") && html`<p>${text("signIn.toConnect")}</p>`}
          ${problemSummary(refused?.problems)}
          ${done !== undefined && said(text(done === "out-of-date" ? "signIn.outOfDate" : `signIn.done.${done}`))}
          <form method="post" action="${path}">
            ${Csrf.hidden(visitor, { return_to: returnTo })}
            ${emailField(visitor.locale, refused, { value: email, autofocus })}
            ${field({
              name: "password",
              label: text("signIn.password"),
              type: "password",
              autocomplete: "current-password",
              error: problemOf(refused, "password")
            })}
            <button type="submit">${text("signIn.submit")}</button>
          </form>
          ${isAvailable && PasskeySignInPages.section(visitor, returnTo)}
          <p><a href="${resetPath}">${text("signIn.forgotten")}</a></p>
          ${
            config.signUp === "open" &&
            html`<p><a href="${ReturnTo.signUpPath(returnTo)}">${text("signIn.toSignUp")}</a></p>`
          }
          <p class="aside">
            ${toDocumentation(visitor.locale)}
            ${support !== undefined && html`· <a href="${support}">${text("signIn.help")}</a>`}
          </p>
        `
      })
    }

    const submit = Effect.fnUntraced(function* (
      form: Credentials,
      visitor: Visitor,
      request: HttpServerRequest.HttpServerRequest
    ) {
      const { locale } = visitor
      const shown = { returnTo: ReturnTo.parse(form.return_to), email: form.email.trim() }
      const refused = (answer: Refusal) => Effect.succeed(show(visitor, shown, answer))
      const problems = emptyFields(form, locale)
      if (problems.length > 0) return yield* refused(refusal(400, ...problems))
      const device = Device.of(request.headers["user-agent"])
      const attempt = {
        email: form.email,
        password: form.password,
        address: addressOf(request),
        browser: browserCookie.read(request),
        device
      }
      return yield* signIn.signIn(attempt, visitor.secret).pipe(
        Effect.map(({ browser, secret }) =>
          seeOther(shown.returnTo ?? overviewPath).pipe(visitors.remember(secret), browserCookie.set(browser))
        ),
        Effect.catchTags({
          SecondStepNeeded: ({ secret }) =>
            Effect.succeed(seeOther(ReturnTo.secondStepPath(shown.returnTo)).pipe(visitors.remember(secret))),
          SignInRejected: () => refused(refusal(403, { message: locale.text("signIn.wrong") })),
          TooManyAttempts: (error) => refused(tooMany(error, "signIn.tooMany", locale))
        })
      )
    })

    yield* routes.page(
      path,
      reads(Query, (visitor, { done, email, return_to }) => {
        const returnTo = ReturnTo.parse(return_to)
        return Effect.succeed(
          isSignedIn(visitor)
            ? seeOther(returnTo ?? overviewPath)
            : show(visitor, { returnTo, done, email: emailOf(email) })
        )
      })
    )

    yield* routes.form(path, Credentials, submit, (form, visitor, request) => {
      const returnTo = ReturnTo.parse(form.return_to)
      // A form from another site arrives without the cookie. Setting a new cookie would end an existing session.
      return Effect.succeed(
        request.headers["sec-fetch-site"] === "same-origin"
          ? show(
              visitor,
              { returnTo, email: form.email },
              refusal(403, { message: visitor.locale.text("signIn.outOfDate") })
            )
          : seeOther(outOfDate(ReturnTo.signInPath(returnTo), form.email))
      )
    })

    const toSignIn = (form: Departure) => seeOther(ReturnTo.signInPath(ReturnTo.parse(form.return_to)))

    yield* routes.form(
      ReturnTo.signOutPath,
      Departure,
      (form, { session }) =>
        Effect.as(
          session === undefined ? Effect.void : sessions.end(session.accountId, session.id),
          visitors.forget(toSignIn(form))
        ), // If the session has ended already, the visitor is signed out as requested.
      (form, { session }) => (session === undefined ? Effect.succeed(toSignIn(form)) : Effect.fail(new FormRejected()))
    )
  })
)
