/** `/dashboard/account/close`: closes the account, by its password. */
import { Effect, Layer, Schema } from "effect"
import { AccountClosing } from "../../../services/accounts/AccountClosing.ts"
import { ownPassword, tooMany } from "../shared/Fields.ts"
import * as FormPage from "../shared/FormPage.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import { PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { Visitors } from "../shared/Visitors.ts"
import { missingPassword, Secret, wrongPassword } from "./PasswordPage.ts"

export const closePath = `${sections.account}/close` as const

const Form = Schema.Struct({ current: Secret })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const closing = yield* AccountClosing
    const { page } = yield* Layout

    const form = FormPage.ofAccount(Form, {
      action: closePath,
      page: (visitor, parts) =>
        page({ heading: visitor.locale.text("closing.heading"), account: visitor, section: "account", ...parts }),
      body: (form, { locale: { text }, session }) => html`
        <p>${text("closing.about", { email: session.email })}</p>
        <ul>
          <li>${text("closing.ends")}</li>
          <li>${text("closing.removed")}</li>
          <li>${text("closing.kept")}</li>
        </ul>
        <p>${text("closing.final")}</p>
        ${form}
        <p><a href="${sections.account}">${text("closing.keep")}</a></p>
      `,
      fields: ({ locale: { text }, session }, { refused }) =>
        ownPassword({ name: "current", label: text("emailChange.password"), email: session.email, refused }),
      button: ({ text }) => text("closing.submit"),
      look: "danger",
      problems: ({ current }, { locale }) => missingPassword(current, locale),
      submit: ({ current }, { session }) =>
        Effect.as(
          closing.close({ session, password: current }),
          visitors.forget(seeOther(withDone(ReturnTo.signInPath(undefined), "closed")))
        ),
      errors: {
        SignInRejected: wrongPassword,
        TooManyAttempts: (error, locale) => tooMany(error, "password.tooMany", locale)
      }
    })

    yield* routes.signedInPage(closePath, (visitor) => Effect.succeed(form.show(visitor, undefined)))

    yield* routes.signedInForm(
      closePath,
      closePath,
      Form,
      (sent, visitor, request) => form.submit(sent, visitor, request, Effect.undefined),
      "ended-closing"
    )
  })
)
