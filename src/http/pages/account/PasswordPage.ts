/** `/dashboard/account/password`: a new password, which ends all other sessions. */
import { Effect, Redacted, Schema } from "effect"
import { HttpRouter } from "effect/http"
import * as Password from "../../../domain/access/Password.ts"
import { PasswordChange } from "../../../services/access/PasswordChange.ts"
import * as Csrf from "../shared/Csrf.ts"
import { field, problemOf, problemSummary } from "../shared/Fields.ts"
import type { Problem } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { Visitors } from "../shared/Visitors.ts"

export const passwordPath = `${sections.account}/password` as const

export const Secret = Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000)))

const Form = Schema.Struct({ current: Secret, next: Secret, again: Secret })
type Form = typeof Form.Type

const problemsOf = ({ again, current, next }: Form, locale: Locale): ReadonlyArray<Problem> => [
  ...(Redacted.value(current) === "" ? [{ field: "current", message: locale.text("password.noCurrent") }] : []),
  ...(Redacted.value(next) === "" ? [{ field: "next", message: locale.text("password.noNext") }] : []),
  ...(Redacted.value(next) === Redacted.value(again)
    ? []
    : [{ field: "again", message: locale.text("password.differ") }])
]

export const weaknessText = (weakness: Password.Weakness, { text }: Locale): string => {
  const { maxCharacters: max, minCharacters: min } = Password
  return text(`password.weaknesses.${weakness}`, { max, min })
}

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const passwords = yield* PasswordChange
    const { page } = yield* Layout

    // The hidden e-mail address lets password managers recognize the account.
    const show = (
      visitor: SignedIn,
      problems: ReadonlyArray<Problem> = [],
      answer: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}
    ) => {
      const { text } = visitor.locale
      return page({
        title: problems.length > 0 ? text("password.headingOfError") : text("password.heading"),
        heading: text("password.heading"),
        account: visitor,
        locale: visitor.locale,
        section: "account",
        ...answer,
        body: html`
          ${problemSummary(problems)}
          <p>${text("password.effect")}</p>
          <form method="post" action="${passwordPath}">
            ${Csrf.hidden(visitor)}
            <input type="text" name="username" autocomplete="username" value="${visitor.session.email}" hidden />
            ${field({
              name: "current",
              label: text("password.current"),
              type: "password",
              autocomplete: "current-password",
              error: problemOf(problems, "current")
            })}
            ${field({
              name: "next",
              label: text("password.next"),
              type: "password",
              autocomplete: "new-password",
              hint: text("password.hint", { min: Password.minCharacters }),
              minLength: Password.minCharacters,
              error: problemOf(problems, "next")
            })}
            ${field({
              name: "again",
              label: text("password.again"),
              type: "password",
              autocomplete: "new-password",
              error: problemOf(problems, "again")
            })}
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
        locale: visitor.locale,
        section: "account",
        body: html`
          <p role="status">${text("password.others")}</p>
          <p><a href="${sections.account}">${text("password.toAccount")}</a></p>
        `
      })
    }

    yield* router.add(
      "GET",
      passwordPath,
      routes.signedInPage((visitor) => Effect.succeed(show(visitor)))
    )

    yield* router.add(
      "POST",
      passwordPath,
      routes.signedInForm(passwordPath, Form, (form, visitor) => {
        const problems = problemsOf(form, visitor.locale)
        if (problems.length > 0) return Effect.succeed(show(visitor, problems, { status: 400 }))
        const { session } = visitor
        return passwords.change({ session, current: form.current, next: form.next }).pipe(
          Effect.flatMap((renewed) => visitors.as(renewed, visitor.locale)),
          Effect.map((renewed) => visitors.remember(renewed.secret)(changed(renewed))),
          Effect.catchTags({
            PasswordRefused: ({ weakness }) =>
              Effect.succeed(
                show(visitor, [{ field: "next", message: weaknessText(weakness, visitor.locale) }], { status: 400 })
              ),
            SignInRejected: () =>
              Effect.succeed(
                show(visitor, [{ field: "current", message: visitor.locale.text("password.wrong") }], { status: 403 })
              ),
            TooManyAttempts: ({ retryAfterSeconds }) =>
              Effect.succeed(
                show(
                  visitor,
                  [
                    { message: visitor.locale.text("password.tooMany", { minutes: Math.ceil(retryAfterSeconds / 60) }) }
                  ],
                  {
                    status: 429,
                    headers: { "retry-after": String(retryAfterSeconds) }
                  }
                )
              )
          })
        )
      })
    )
  })
)
