/** `/dashboard/account/password`: a new password, which ends all other sessions. */
import { Effect, Layer, Redacted, Schema } from "effect"
import * as Password from "../../../domain/access/Password.ts"
import { PasswordChange } from "../../../services/accounts/PasswordChange.ts"
import type { PasswordRefused } from "../../../services/accounts/PasswordChange.ts"
import { field, ownPassword, problemOf, refusal, tooMany } from "../shared/Fields.ts"
import type { Problem, Refusal } from "../shared/Fields.ts"
import * as FormPage from "../shared/FormPage.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { Visitors } from "../shared/Visitors.ts"

export const passwordPath = `${sections.account}/password` as const

export const Secret = Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000)))

/** Of forms that set a password. */
export const NewPassword = Schema.Struct({ next: Secret, again: Secret })

export const newPasswordProblems = (
  { again, next }: typeof NewPassword.Type,
  locale: Locale
): ReadonlyArray<Problem> => [
  ...(Redacted.value(next) === "" ? [{ field: "next", message: locale.text("password.noNext") }] : []),
  ...(Redacted.value(next) === Redacted.value(again)
    ? []
    : [{ field: "again", message: locale.text("password.differ") }])
]

/** A password that is chosen here, with what it must have. */
export const chosenPasswordField = (
  name: string,
  label: string,
  refused: Refusal | undefined,
  { text }: Locale
): Html =>
  field({
    name,
    label,
    type: "password",
    autocomplete: "new-password",
    hint: text("password.hint", { min: Password.minCharacters }),
    minLength: Password.minCharacters,
    error: problemOf(refused, name)
  })

export const newPasswordFields = (refused: Refusal | undefined, locale: Locale): ReadonlyArray<Html> => [
  chosenPasswordField("next", locale.text("password.next"), refused, locale),
  field({
    name: "again",
    label: locale.text("password.again"),
    type: "password",
    autocomplete: "new-password",
    error: problemOf(refused, "again")
  })
]

const Form = Schema.Struct({ current: Secret, ...NewPassword.fields })

/** Of the field `current`. */
export const missingPassword = (current: Redacted.Redacted, { text }: Locale): ReadonlyArray<Problem> =>
  Redacted.value(current) === "" ? [{ field: "current", message: text("password.noCurrent") }] : []

export const wrongPassword = (_: unknown, { text }: Locale): Refusal =>
  refusal(403, { field: "current", message: text("password.wrong") })

export const weaknessText = (weakness: Password.Weakness, { text }: Locale): string => {
  const { maxCharacters: max, minCharacters: min } = Password
  return text(`password.weaknesses.${weakness}`, { max, min })
}

/** Of the field `next`. */
export const weakPassword = ({ weakness }: PasswordRefused, locale: Locale): Refusal =>
  refusal(400, { field: "next", message: weaknessText(weakness, locale) })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const passwords = yield* PasswordChange
    const { page } = yield* Layout

    const changed = (visitor: SignedIn) => {
      const { text } = visitor.locale
      return page({
        heading: text("password.changed"),
        account: visitor,
        section: "account",
        body: html`
          <p role="status">${text("password.others")}</p>
          <p><a href="${sections.account}">${text("password.toAccount")}</a></p>
        `
      })
    }

    const change = Effect.fnUntraced(function* ({ current, next }: typeof Form.Type, { locale, session }: SignedIn) {
      const renewed = yield* visitors.as(yield* passwords.change({ session, current, next }), locale)
      return visitors.remember(renewed.secret)(changed(renewed))
    })

    const form = FormPage.ofAccount(Form, {
      action: passwordPath,
      page: (visitor, parts) =>
        page({ heading: visitor.locale.text("password.heading"), account: visitor, section: "account", ...parts }),
      body: (form, { locale: { text } }) => html`
        <p>${text("password.effect")}</p>
        ${form}
        <p><a href="${sections.account}">${text("password.toAccount")}</a></p>
      `,
      fields: ({ locale, session }, { refused }) => [
        ownPassword({ name: "current", label: locale.text("password.current"), email: session.email, refused }),
        ...newPasswordFields(refused, locale)
      ],
      button: ({ text }) => text("password.submit"),
      problems: (sent, { locale }) => [...missingPassword(sent.current, locale), ...newPasswordProblems(sent, locale)],
      submit: change,
      errors: {
        PasswordRefused: weakPassword,
        SignInRejected: wrongPassword,
        TooManyAttempts: (error, locale) => tooMany(error, "password.tooMany", locale)
      }
    })

    yield* routes.signedInPage(passwordPath, (visitor) => Effect.succeed(form.show(visitor, undefined)))

    yield* routes.signedInForm(
      passwordPath,
      passwordPath,
      Form,
      (sent, visitor, request) => form.submit(sent, visitor, request, Effect.undefined),
      "ended-password"
    )
  })
)
