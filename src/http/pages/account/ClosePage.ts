/** `/dashboard/account/close`: closes the account, by its password. */
import { Effect, Layer, Redacted, Schema } from "effect"
import { AccountClosing } from "../../../services/accounts/AccountClosing.ts"
import * as Csrf from "../shared/Csrf.ts"
import { ownPassword, problemSummary, refusal, tooMany } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import { PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { Visitors } from "../shared/Visitors.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { Secret } from "./PasswordPage.ts"

export const closePath = `${sections.account}/close` as const

const Form = Schema.Struct({ current: Secret })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const closing = yield* AccountClosing
    const { page } = yield* Layout

    const show = (visitor: SignedIn, refused?: Refusal) => {
      const { locale, session } = visitor
      const { text } = locale
      return page({
        heading: text("closing.heading"),
        account: visitor,
        section: "account",
        refused,
        body: html`
          ${problemSummary(refused?.problems)}
          <p>${text("closing.about", { email: session.email })}</p>
          <ul>
            <li>${text("closing.ends")}</li>
            <li>${text("closing.removed")}</li>
            <li>${text("closing.kept")}</li>
          </ul>
          <p>${text("closing.final")}</p>
          <form method="post" action="${closePath}">
            ${Csrf.hidden(visitor)}
            ${ownPassword({ name: "current", label: text("emailChange.password"), email: session.email, refused })}
            <button type="submit">${text("closing.submit")}</button>
          </form>
          <p><a href="${sections.account}">${text("closing.keep")}</a></p>
        `
      })
    }

    yield* routes.signedInPage(closePath, (visitor) => Effect.succeed(show(visitor)))

    const submit = ({ current }: typeof Form.Type, visitor: SignedIn) => {
      const { locale, session } = visitor
      const { text } = locale
      const refused = (answer: Refusal) => Effect.succeed(show(visitor, answer))
      if (Redacted.value(current) === "") {
        return refused(refusal(400, { field: "current", message: text("password.noCurrent") }))
      }
      return closing.close({ session, password: current }).pipe(
        Effect.as(visitors.forget(seeOther(withDone(ReturnTo.signInPath(undefined), "closed")))),
        Effect.catchTags({
          SignInRejected: () => refused(refusal(403, { field: "current", message: text("password.wrong") })),
          TooManyAttempts: (error) => refused(tooMany(error, "password.tooMany", locale))
        })
      )
    }

    yield* routes.signedInForm(closePath, closePath, Form, submit, "ended-closing")
  })
)
