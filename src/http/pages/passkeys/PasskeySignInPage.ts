/** `/sign-in/passkey`: the passkey of the sign-in page, instead of its password. */
import { Effect, Layer } from "effect"
import { PasskeySignIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import { problemSummary } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import { NoFields, orGoOn, PageRoutes } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import type { Visitor } from "../shared/Visitors.ts"
import { Answer, challengePath, passkeyForm, refusalOf, tools } from "./PasskeyForm.ts"
import type { Failed } from "./PasskeyForm.ts"

const path = "/sign-in/passkey"

/** Below the password of the sign-in page. Nothing without scripts. */
export const section = (visitor: Visitor, returnTo: string | undefined): Html =>
  passkeyForm({
    visitor,
    action: path,
    kind: "get",
    label: visitor.locale.text("signIn.passkey"),
    look: "secondary outline",
    returnTo
  })

/** For forms that name no account, which any account goes on from. */
export const ofAnyAccount = orGoOn(() => true)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const signIns = yield* PasskeySignIn
    const { guestPage } = yield* Layout
    const { challenge, entered, visitOf } = yield* tools

    /** After a passkey failed on the sign-in page: try again, or use the password. */
    const failed = (error: Failed, visitor: Visitor, returnTo: string | undefined) => {
      const { locale } = visitor
      const refused = refusalOf(error, locale)
      return guestPage(visitor, {
        heading: locale.text("signIn.heading"),
        refused,
        passkeys: true,
        policy: { formsLeave: returnTo !== undefined },
        body: html`
          ${problemSummary(refused.problems)} ${section(visitor, returnTo)}
          <p><a href="${ReturnTo.signInPath(returnTo)}">${locale.text("signIn.withPassword")}</a></p>
        `
      })
    }

    yield* routes.form(challengePath(path), NoFields, (_, visitor, request) =>
      challenge(request, signIns.options(visitor.secret))
    )

    yield* routes.form(
      path,
      Answer,
      (form, visitor, request) => {
        const returnTo = ReturnTo.parse(form.return_to)
        const refused = (error: Failed) => Effect.succeed(failed(error, visitor, returnTo))
        return signIns.signIn(visitOf(visitor, request), form.credential).pipe(
          Effect.map((signedIn) => entered(signedIn, returnTo)),
          Effect.catchTags({ PasskeyRejected: refused, ChallengeExpired: refused, TooManyAttempts: refused })
        )
      },
      ofAnyAccount
    )
  })
)
