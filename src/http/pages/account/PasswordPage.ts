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
import { PageRoutes } from "../shared/PageRoutes.ts"
import { texts } from "./PasswordText.ts"
import type { PasswordText } from "./PasswordText.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { Visitors } from "../shared/Visitors.ts"

export const passwordPath = `${sections.account}/password` as const

const Secret = Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000)))

const Form = Schema.Struct({ current: Secret, next: Secret, again: Secret })
type Form = typeof Form.Type

const problemsOf = ({ again, current, next }: Form, text: PasswordText): ReadonlyArray<Problem> => [
  ...(Redacted.value(current) === "" ? [{ field: "current", message: text.noCurrent }] : []),
  ...(Redacted.value(next) === "" ? [{ field: "next", message: text.noNext }] : []),
  ...(Redacted.value(next) === Redacted.value(again) ? [] : [{ field: "again", message: text.differ }])
]

const textOf = ({ locale }: SignedIn): PasswordText => texts[locale.language]

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const passwords = yield* PasswordChange
    const { page } = yield* Layout

    // The hidden address is for password managers: it tells whose password it is.
    const show = (
      visitor: SignedIn,
      problems: ReadonlyArray<Problem> = [],
      answer: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}
    ) => {
      const text = textOf(visitor)
      return page({
        title: problems.length > 0 ? text.headingOfError : text.heading,
        heading: text.heading,
        account: visitor,
        locale: visitor.locale,
        section: "account",
        ...answer,
        body: html`
          ${problemSummary(problems)}
          <p>${text.effect}</p>
          <form method="post" action="${passwordPath}">
            ${Csrf.hidden(visitor)}
            <input type="text" name="username" autocomplete="username" value="${visitor.session.email}" hidden />
            ${field({
              name: "current",
              label: text.current,
              type: "password",
              autocomplete: "current-password",
              error: problemOf(problems, "current")
            })}
            ${field({
              name: "next",
              label: text.next,
              type: "password",
              autocomplete: "new-password",
              hint: text.hint,
              minLength: Password.minCharacters,
              error: problemOf(problems, "next")
            })}
            ${field({
              name: "again",
              label: text.again,
              type: "password",
              autocomplete: "new-password",
              error: problemOf(problems, "again")
            })}
            <button type="submit">${text.submit}</button>
          </form>
          <p><a href="${sections.account}">${text.toAccount}</a></p>
        `
      })
    }

    const changed = (visitor: SignedIn) => {
      const text = textOf(visitor)
      return page({
        heading: text.changed,
        account: visitor,
        locale: visitor.locale,
        section: "account",
        body: html`
          <p role="status">${text.others}</p>
          <p><a href="${sections.account}">${text.toAccount}</a></p>
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
        const problems = problemsOf(form, textOf(visitor))
        if (problems.length > 0) return Effect.succeed(show(visitor, problems, { status: 400 }))
        const { session } = visitor
        return passwords.change({ session, current: form.current, next: form.next }).pipe(
          Effect.flatMap((renewed) => visitors.as(renewed, visitor.locale)),
          Effect.map((renewed) => visitors.remember(renewed.secret)(changed(renewed))),
          Effect.catchTags({
            PasswordRefused: ({ weakness }) =>
              Effect.succeed(
                show(visitor, [{ field: "next", message: textOf(visitor).weaknesses[weakness] }], { status: 400 })
              ),
            SignInRejected: () =>
              Effect.succeed(show(visitor, [{ field: "current", message: textOf(visitor).wrong }], { status: 403 })),
            TooManyAttempts: ({ retryAfterSeconds }) =>
              Effect.succeed(
                show(visitor, [{ message: textOf(visitor).tooMany(Math.ceil(retryAfterSeconds / 60)) }], {
                  status: 429,
                  headers: { "retry-after": String(retryAfterSeconds) }
                })
              )
          })
        )
      })
    )
  })
)
