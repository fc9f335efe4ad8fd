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
import { FormRejected } from "../shared/ErrorPage.ts"
import { emailField, tooMany } from "../shared/Fields.ts"
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
import { Layout } from "../shared/Layout.ts"
import { PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import type { Visitor } from "../shared/Visitors.ts"
import * as MailLink from "./MailLink.ts"
import { NewPassword, newPasswordFields, newPasswordProblems, weakPassword } from "./PasswordPage.ts"

export const resetPath = "/reset-password"
const newPath = `${resetPath}/new` as const

const Query = Schema.Struct({ ...doneField(["sent", "out-of-date"]), ...emailParameter })

const Form = Schema.Struct({ email: MailLink.Email })

interface Asked {
  readonly email: string
  readonly isOutOfDate: boolean
}

const contextOf = ({ email }: typeof Form.Type): Asked => ({ email: email.trim(), isOutOfDate: false })

const NewForm = Schema.Struct({ token: MailLink.Token, ...NewPassword.fields })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const reset = yield* PasswordReset
    const { guestPage, page } = yield* Layout
    const addressOf = ClientAddress.of(yield* AppConfig)

    const over = (error: LinkOver, { locale }: Visitor) =>
      Effect.succeed(
        page(MailLink.over(locale, error, { purpose: "reset", again: resetPath, next: ReturnTo.signInPath(undefined) }))
      )

    const asking = FormPage.ofGuest(Form, {
      action: resetPath,
      page: (visitor, parts) => guestPage(visitor, { heading: visitor.locale.text("reset.heading"), ...parts }),
      body: (form, { locale: { text } }, { isOutOfDate }: Asked) => html`
        ${isOutOfDate && flashNotice(text("signUp.outOfDate"))}
        <p>${text("reset.about")}</p>
        ${form}
        <p><a href="${ReturnTo.signInPath(undefined)}">${text("reset.toSignIn")}</a></p>
      `,
      fields: ({ locale }, { refused }, { email }) => emailField(locale, refused, { value: email }),
      button: ({ text }) => text("reset.submit"),
      submit: ({ email }, _, request) =>
        Effect.as(reset.ask({ email: email.trim(), address: addressOf(request) }), seeOther(sentTo(resetPath, email))),
      errors: {
        EmailRefused: MailLink.badEmail,
        TooManyAttempts: (error, locale) => tooMany(error, "mailLink.tooMany", locale)
      }
    })

    const set = (
      { next, token }: typeof NewForm.Type,
      visitor: Visitor,
      request: HttpServerRequest.HttpServerRequest
    ) =>
      reset.set({ secret: token, next, device: Device.of(request.headers["user-agent"]) }).pipe(
        // Not signed in: the account may ask for more than its password.
        Effect.as(seeOther(withDone(ReturnTo.signInPath(undefined), "reset"))),
        Effect.catchTag("LinkOver", (error) => over(error, visitor))
      )

    const setting = FormPage.ofGuest(NewForm, {
      action: newPath,
      page: (visitor, parts) => guestPage(visitor, { heading: visitor.locale.text("reset.new"), ...parts }),
      body: (form, { locale }, { email }: { readonly token: Redacted.Redacted; readonly email: string }) => html`
        <p>${locale.text("reset.newAbout", { email })}</p>
        ${form}
      `,
      hidden: ({ token }) => ({ token: Redacted.value(token) }),
      fields: ({ locale }, { refused }, { email }) => [
        html`<input type="text" name="username" autocomplete="username" value="${email}" hidden />`,
        ...newPasswordFields(refused, locale)
      ],
      button: ({ text }) => text("reset.newSubmit"),
      problems: (form, { locale }) => newPasswordProblems(form, locale),
      submit: set,
      errors: {
        PasswordRefused: weakPassword,
        TooManyAttempts: (error, locale) => tooMany(error, "signIn.tooMany", locale)
      }
    })

    yield* routes.page(
      resetPath,
      reads(Query, (visitor, { done, email }) =>
        Effect.sync(() =>
          done === "sent"
            ? page(MailLink.sent(visitor.locale, "reset", emailOf(email), resetPath))
            : asking.show(visitor, { email: emailOf(email) ?? "", isOutOfDate: done !== undefined })
        )
      )
    )

    yield* routes.form(
      resetPath,
      Form,
      (form, visitor, request) => asking.submit(form, visitor, request, Effect.succeed(contextOf(form))),
      FormPage.outOfDate(asking, { message: "signUp.outOfDate", contextOf, pathOf: () => resetPath })
    )

    yield* routes.page(
      newPath,
      reads(MailLink.Link, (visitor, query) => {
        const token = MailLink.tokenOf(query)
        return reset.read(token).pipe(
          Effect.map(({ email }) => setting.show(visitor, { token, email })),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
        )
      })
    )

    yield* routes.form(
      newPath,
      NewForm,
      (form, visitor, request) =>
        reset.read(form.token).pipe(
          Effect.flatMap(({ email }) =>
            setting.submit(form, visitor, request, Effect.succeed({ token: form.token, email }))
          ),
          Effect.catchTag("LinkOver", (error) => over(error, visitor))
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
