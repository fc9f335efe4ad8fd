/**
 * `/reset-password`: a link for who has forgotten the password. The answer is the same whether the address has an account.
 * `/reset-password/new`, where the mail leads: its form sets a new password and leads to the sign-in.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AppConfig } from "../../../Config.ts"
import * as Device from "../../../domain/access/Device.ts"
import type { LinkOver } from "../../../services/accounts/AccountLinks.ts"
import { PasswordReset } from "../../../services/accounts/PasswordReset.ts"
import * as ClientAddress from "../../shared/ClientAddress.ts"
import * as Csrf from "../shared/Csrf.ts"
import { FormRejected } from "../shared/ErrorPage.ts"
import { emailField, problemSummary, refusal, tooMany } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import {
  doneField,
  emailField as emailParameter,
  emailOf,
  outOfDate,
  flashNotice,
  withDone
} from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import { PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import type { Visitor } from "../shared/Visitors.ts"
import * as MailLink from "./MailLink.ts"
import { NewPassword, newPasswordFields, newPasswordProblems, weaknessText } from "./PasswordPage.ts"

export const resetPath = "/reset-password"
const newPath = `${resetPath}/new` as const

const Query = Schema.Struct({ ...doneField(["sent", "out-of-date"]), ...emailParameter })

const Form = Schema.Struct({ email: MailLink.Email })

const NewForm = Schema.Struct({ token: MailLink.Token, ...NewPassword.fields })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const reset = yield* PasswordReset
    const { guestPage, page } = yield* Layout
    const addressOf = ClientAddress.of(yield* AppConfig)

    const show = (visitor: Visitor, email = "", refused?: Refusal, done?: "out-of-date") => {
      const { text } = visitor.locale
      return guestPage(visitor, {
        heading: text("reset.heading"),
        refused,
        body: html`
          ${problemSummary(refused?.problems)} ${done !== undefined && flashNotice(text("signUp.outOfDate"))}
          <p>${text("reset.about")}</p>
          <form method="post" action="${resetPath}">
            ${Csrf.hidden(visitor)} ${emailField(visitor.locale, refused, { value: email })}
            <button type="submit">${text("reset.submit")}</button>
          </form>
          <p><a href="${ReturnTo.signInPath(undefined)}">${text("reset.toSignIn")}</a></p>
        `
      })
    }

    const newPassword = (visitor: Visitor, token: Redacted.Redacted, email: string, refused?: Refusal) => {
      const { text } = visitor.locale
      return guestPage(visitor, {
        heading: text("reset.new"),
        refused,
        body: html`
          ${problemSummary(refused?.problems)}
          <p>${text("reset.newAbout", { email })}</p>
          <form method="post" action="${newPath}">
            ${Csrf.hidden(visitor, { token: Redacted.value(token) })}
            <input type="text" name="username" autocomplete="username" value="${email}" hidden />
            ${newPasswordFields(refused, visitor.locale)}
            <button type="submit">${text("reset.newSubmit")}</button>
          </form>
        `
      })
    }

    const over = (error: LinkOver, { locale }: Visitor) =>
      Effect.succeed(
        page(MailLink.over(locale, error, { purpose: "reset", again: resetPath, next: ReturnTo.signInPath(undefined) }))
      )

    yield* routes.page(
      resetPath,
      reads(Query, (visitor, { done, email }) =>
        Effect.sync(() =>
          done === "sent"
            ? page(MailLink.sent(visitor.locale, visitor.locale.text("reset.sent"), resetPath))
            : show(visitor, emailOf(email), undefined, done)
        )
      )
    )

    yield* routes.form(
      resetPath,
      Form,
      (form, visitor, request) => {
        const { locale } = visitor
        const email = form.email.trim()
        const refused = (answer: Refusal) => Effect.succeed(show(visitor, email, answer))
        return reset.ask({ email, address: addressOf(request) }).pipe(
          Effect.as(seeOther(withDone(resetPath, "sent"))),
          Effect.catchTags({
            EmailRefused: () => refused(refusal(400, { field: "email", message: locale.text("signUp.badEmail") })),
            TooManyAttempts: (error) => refused(tooMany(error, "mailLink.tooMany", locale))
          })
        )
      },
      (form, visitor, request) =>
        Effect.succeed(
          request.headers["sec-fetch-site"] === "same-origin"
            ? show(visitor, form.email.trim(), refusal(403, { message: visitor.locale.text("signUp.outOfDate") }))
            : seeOther(outOfDate(resetPath, form.email))
        )
    )

    yield* routes.page(
      newPath,
      reads(MailLink.Link, (visitor, query) => {
        const token = MailLink.tokenOf(query)
        return reset.read(token).pipe(
          Effect.map(({ email }) => newPassword(visitor, token, email)),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
        )
      })
    )

    yield* routes.form(
      newPath,
      NewForm,
      Effect.fnUntraced(
        function* (form: typeof NewForm.Type, visitor: Visitor, request: HttpServerRequest.HttpServerRequest) {
          const { locale } = visitor
          const { next, token } = form
          const { email } = yield* reset.read(token)
          const refused = (answer: Refusal) => Effect.succeed(newPassword(visitor, token, email, answer))
          const problems = newPasswordProblems(form, locale)
          if (problems.length > 0) return yield* refused(refusal(400, ...problems))
          return yield* reset.set({ secret: token, next, device: Device.of(request.headers["user-agent"]) }).pipe(
            // Not signed in: the account may ask for more than its password.
            Effect.as(seeOther(withDone(ReturnTo.signInPath(undefined), "reset"))),
            Effect.catchTags({
              PasswordRefused: ({ weakness }) =>
                refused(refusal(400, { field: "next", message: weaknessText(weakness, locale) })),
              TooManyAttempts: (error) => refused(tooMany(error, "signIn.tooMany", locale))
            })
          )
        },
        (answer, _, visitor) => Effect.catchTag(answer, "LinkOver", (error) => over(error, visitor))
      ),
      // Perhaps sent again, by who has signed in meanwhile.
      ({ token }, visitor) =>
        reset.read(token).pipe(
          Effect.andThen(Effect.fail(new FormRejected())),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
        )
    )
  })
)
