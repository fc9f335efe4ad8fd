/** `/dashboard/account/password`: a new password, which ends all other sessions. */
import { Effect, Redacted, Schema } from "effect"
import { HttpRouter } from "effect/http"
import * as Password from "../../domain/access/Password.ts"
import { PasswordChange } from "../../services/access/PasswordChange.ts"
import * as Csrf from "./Csrf.ts"
import { field, problemOf, problemSummary } from "./Fields.ts"
import type { Problem } from "./Fields.ts"
import { html } from "./Html.ts"
import { Layout } from "./Layout.ts"
import { PageRoutes } from "./PageRoutes.ts"
import type { SignedIn } from "./Visitors.ts"
import { Visitors } from "./Visitors.ts"

export const passwordPath = "/dashboard/account/password"

const Secret = Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000)))

const Form = Schema.Struct({ current: Secret, next: Secret, again: Secret })
type Form = typeof Form.Type

const problemsOf = ({ again, current, next }: Form): ReadonlyArray<Problem> => [
  ...(Redacted.value(current) === "" ? [{ field: "current", message: "Enter your current password." }] : []),
  ...(Redacted.value(next) === "" ? [{ field: "next", message: "Enter a new password." }] : []),
  ...(Redacted.value(next) === Redacted.value(again)
    ? []
    : [{ field: "again", message: "The two new passwords differ. Enter the new one again." }])
]

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
    ) =>
      page({
        title: problems.length > 0 ? "Error: Change your password" : "Change your password",
        heading: "Change your password",
        account: visitor,
        ...answer,
        body: html`
          ${problemSummary(problems)}
          <p>A new password signs every other browser out of your account. Connected apps and API keys stay.</p>
          <form method="post" action="${passwordPath}">
            ${Csrf.hidden(visitor)}
            <input type="text" name="username" autocomplete="username" value="${visitor.session.email}" hidden />
            ${field({
              name: "current",
              label: "Current password",
              type: "password",
              autocomplete: "current-password",
              error: problemOf(problems, "current")
            })}
            ${field({
              name: "next",
              label: "New password",
              type: "password",
              autocomplete: "new-password",
              hint: `At least ${Password.minCharacters} characters; a few unrelated words do well.`,
              minLength: Password.minCharacters,
              error: problemOf(problems, "next")
            })}
            ${field({
              name: "again",
              label: "New password again",
              type: "password",
              autocomplete: "new-password",
              error: problemOf(problems, "again")
            })}
            <button type="submit">Change password</button>
          </form>
        `
      })

    const changed = (visitor: SignedIn) =>
      page({
        heading: "Your password is changed",
        account: visitor,
        body: html`
          <p role="status">Every other browser was signed out of your account.</p>
          <p><a href="/dashboard">To the dashboard</a></p>
        `
      })

    yield* router.add(
      "GET",
      passwordPath,
      routes.signedInPage((visitor) => Effect.succeed(show(visitor)))
    )

    yield* router.add(
      "POST",
      passwordPath,
      routes.signedInForm(passwordPath, Form, (form, visitor) => {
        const problems = problemsOf(form)
        if (problems.length > 0) return Effect.succeed(show(visitor, problems, { status: 400 }))
        const { session } = visitor
        return passwords.change({ session, current: form.current, next: form.next }).pipe(
          Effect.flatMap((renewed) => visitors.as(renewed, visitor.locale)),
          Effect.map((renewed) => visitors.remember(renewed.secret)(changed(renewed))),
          Effect.catchTags({
            PasswordRefused: ({ message }) =>
              Effect.succeed(show(visitor, [{ field: "next", message }], { status: 400 })),
            SignInRejected: () =>
              Effect.succeed(
                show(visitor, [{ field: "current", message: "The current password is wrong." }], { status: 403 })
              ),
            TooManyAttempts: ({ message, retryAfterSeconds }) =>
              Effect.succeed(
                show(visitor, [{ message }], { status: 429, headers: { "retry-after": String(retryAfterSeconds) } })
              )
          })
        )
      })
    )
  })
)
