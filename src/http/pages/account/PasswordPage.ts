/** `/dashboard/account/password`: a new password, which ends all other sessions. */
import { Effect, Layer, Redacted, Schema } from "effect"
import * as Password from "../../../domain/access/Password.ts"
import { PasswordChange } from "../../../services/accounts/PasswordChange.ts"
import * as Csrf from "../shared/Csrf.ts"
import { field, ownPassword, problemOf, problemSummary, refusal, tooMany } from "../shared/Fields.ts"
import type { Problem, Refusal } from "../shared/Fields.ts"
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

const problemsOf = (form: typeof Form.Type, locale: Locale): ReadonlyArray<Problem> => [
  ...(Redacted.value(form.current) === "" ? [{ field: "current", message: locale.text("password.noCurrent") }] : []),
  ...newPasswordProblems(form, locale)
]

export const weaknessText = (weakness: Password.Weakness, { text }: Locale): string => {
  const { maxCharacters: max, minCharacters: min } = Password
  return text(`password.weaknesses.${weakness}`, { max, min })
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const passwords = yield* PasswordChange
    const { page } = yield* Layout

    const show = (visitor: SignedIn, refused?: Refusal) => {
      const { text } = visitor.locale
      return page({
        heading: text("password.heading"),
        account: visitor,
        section: "account",
        refused,
        body: html`
          ${problemSummary(refused?.problems)}
          <p>${text("password.effect")}</p>
          <form method="post" action="${passwordPath}">
            ${Csrf.hidden(visitor)}
            ${ownPassword({ name: "current", label: text("password.current"), email: visitor.session.email, refused })}
            ${newPasswordFields(refused, visitor.locale)}
            <button type="submit">${text("password.submit")}</button>
          </form>
          <p><a href="${sections.account}">${text("password.toAccount")}</a></p>
        `
      })
    }

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

    yield* routes.signedInPage(passwordPath, (visitor) => Effect.succeed(show(visitor)))

    const submit = (form: typeof Form.Type, visitor: SignedIn) => {
      const { locale, session } = visitor
      const refused = (answer: Refusal) => Effect.succeed(show(visitor, answer))
      const problems = problemsOf(form, locale)
      if (problems.length > 0) return refused(refusal(400, ...problems))
      return passwords.change({ session, current: form.current, next: form.next }).pipe(
        Effect.flatMap((renewed) => visitors.as(renewed, locale)),
        Effect.map((renewed) => visitors.remember(renewed.secret)(changed(renewed))),
        Effect.catchTags({
          PasswordRefused: ({ weakness }) =>
            refused(refusal(400, { field: "next", message: weaknessText(weakness, locale) })),
          SignInRejected: () => refused(refusal(403, { field: "current", message: locale.text("password.wrong") })),
          TooManyAttempts: (error) => refused(tooMany(error, "password.tooMany", locale))
        })
      )
    }

    yield* routes.signedInForm(passwordPath, passwordPath, Form, submit, "ended-password")
  })
)
