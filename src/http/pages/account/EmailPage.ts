/**
 * `/dashboard/account/email`: a new e-mail address, by the password and by a link that goes to that address. The answer is
 * the same whether it has another account. `/dashboard/account/email/confirm`, where the mail leads: its form changes it.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import * as EmailAddress from "../../../domain/access/EmailAddress.ts"
import type { LinkOver } from "../../../services/accounts/AccountLinks.ts"
import { EmailChange } from "../../../services/accounts/EmailChange.ts"
import * as ClientAddress from "../../shared/ClientAddress.ts"
import * as Csrf from "../shared/Csrf.ts"
import { field, ownPassword, problemOf, tooMany } from "../shared/Fields.ts"
import type { Problem } from "../shared/Fields.ts"
import * as FormPage from "../shared/FormPage.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import { PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import * as MailLink from "./MailLink.ts"
import { badEmail } from "./MailLink.ts"
import { missingPassword, Secret, wrongPassword } from "./PasswordPage.ts"

export const emailPath = `${sections.account}/email` as const
const confirmPath = `${emailPath}/confirm` as const

const Form = Schema.Struct({ email: MailLink.Email, current: Secret })

const Confirmation = Schema.Struct({ token: MailLink.Token })

const problemsOf = ({ current, email }: typeof Form.Type, { locale, session }: SignedIn): ReadonlyArray<Problem> => [
  ...(EmailAddress.canonical(email).toLowerCase() === session.email.toLowerCase()
    ? [{ field: "email", message: locale.text("emailChange.same") }]
    : []),
  ...missingPassword(current, locale)
]

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const change = yield* EmailChange
    const { page } = yield* Layout
    const addressOf = ClientAddress.of(yield* AppConfig)

    const form = FormPage.ofAccount(Form, {
      action: emailPath,
      page: (visitor, parts) =>
        page({ heading: visitor.locale.text("emailChange.heading"), account: visitor, section: "account", ...parts }),
      body: (form, { locale: { text }, session }) => html`
        <p>${text("emailChange.about", { email: session.email })}</p>
        ${form}
        <p><a href="${sections.account}">${text("password.toAccount")}</a></p>
      `,
      fields: ({ locale: { text }, session }, { refused, sent }) => [
        field({
          name: "email",
          label: text("emailChange.next"),
          type: "email",
          autocomplete: "email",
          value: sent?.email.trim() ?? "",
          error: problemOf(refused, "email")
        }),
        ownPassword({ name: "current", label: text("emailChange.password"), email: session.email, refused })
      ],
      button: ({ text }) => text("emailChange.submit"),
      problems: problemsOf,
      submit: ({ current: password, email }, { session }, request) =>
        Effect.as(
          change.ask({ session, password, email: email.trim(), address: addressOf(request) }),
          seeOther(withDone(sections.account, "email-asked"))
        ),
      errors: {
        EmailRefused: badEmail,
        SignInRejected: wrongPassword,
        TooManyAttempts: (error, locale) => tooMany(error, "mailLink.tooMany", locale)
      }
    })

    const over = (error: LinkOver, visitor: SignedIn) => {
      const ways = { purpose: "email", again: emailPath, next: sections.account } as const
      return page({ ...MailLink.over(visitor.locale, error, ways), account: visitor, section: "account" })
    }

    yield* routes.signedInPage(emailPath, (visitor) => Effect.succeed(form.show(visitor, undefined)))

    yield* routes.signedInForm(emailPath, emailPath, Form, (sent, visitor, request) =>
      form.submit(sent, visitor, request, Effect.undefined)
    )

    yield* routes.signedInPage(
      confirmPath,
      reads(MailLink.Link, (visitor, query) => {
        const token = MailLink.tokenOf(query)
        const { text } = visitor.locale
        return change.read(visitor.session, token).pipe(
          Effect.map(({ email }) =>
            page({
              heading: text("emailChange.confirm"),
              account: visitor,
              section: "account",
              body: html`
                <p>${text("emailChange.confirmAbout", { email })}</p>
                <form method="post" action="${confirmPath}">
                  ${Csrf.hidden(visitor, { token: Redacted.value(token) })}
                  <button type="submit">${text("emailChange.confirmSubmit")}</button>
                </form>
              `
            })
          ),
          Effect.catchTag("LinkOver", (error) => Effect.succeed(over(error, visitor)))
        )
      })
    )

    yield* routes.signedInForm(confirmPath, emailPath, Confirmation, ({ token }, visitor) =>
      change.confirm({ session: visitor.session, secret: token }).pipe(
        Effect.as(seeOther(withDone(sections.account, "email-changed"))),
        Effect.catchTag("LinkOver", (error) => Effect.succeed(over(error, visitor)))
      )
    )
  })
)
