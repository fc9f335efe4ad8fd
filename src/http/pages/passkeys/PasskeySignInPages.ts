/**
 * `/sign-in/passkey`: the sign-in page's passkey. `/sign-in/second-step`: the second step after a right password, by a passkey or a
 * recovery code.
 */
import { Effect, Layer, Schema } from "effect"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { PasskeySignIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import type { CodeRejected, SignedIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import type { VerificationError } from "../../../services/sessions/passkeys/Passkeys.ts"
import { maxCharacters as maxCodeCharacters } from "../../../services/sessions/passkeys/RecoveryCodes.ts"
import { WebAuthn } from "../../../services/sessions/passkeys/WebAuthn.ts"
import * as Csrf from "../shared/Csrf.ts"
import { field, problemOf, problemSummary, refusal, tooMany } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, overviewPath } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { NoFields, orGoOn, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { isSignedIn, Visitors } from "../shared/Visitors.ts"
import type { Visitor } from "../shared/Visitors.ts"
import { Answer, challengePath, passkeyForm, tools } from "./PasskeyForm.ts"

const passkeyPath = "/sign-in/passkey"
const secondPath = "/sign-in/second-step"
const secondPasskeyPath = "/sign-in/second-step/passkey"

const Code = Schema.Struct({
  code: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(maxCodeCharacters))),
  return_to: Schema.optionalKey(Schema.String)
})

/** Below the password of the sign-in page. Nothing without scripts. */
export const section = (visitor: Visitor, returnTo: string | undefined): Html =>
  passkeyForm({
    visitor,
    action: passkeyPath,
    kind: "get",
    label: visitor.locale.text("signIn.passkey"),
    look: "secondary outline",
    returnTo
  })

/** An attempt that failed, which the page says beside its form. */
export type Failed = Exclude<VerificationError, ServiceUnavailable> | CodeRejected

export const refusalOf = (error: Failed, locale: Locale): Refusal => {
  switch (error._tag) {
    case "PasskeyRejected":
      return refusal(403, { message: locale.text("passkeyForm.rejected") })
    case "ChallengeExpired":
      return refusal(403, { message: locale.text("passkeyForm.expired") })
    case "CodeRejected":
      return refusal(403, { field: "code", message: locale.text("secondStep.wrongCode") })
    case "TooManyAttempts":
      return tooMany(error, "signIn.tooMany", locale)
  }
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const signIns = yield* PasskeySignIn
    const { isAvailable } = yield* WebAuthn
    const { guestPage, page } = yield* Layout
    const { browserCookie, challenge, visitOf } = yield* tools

    const entered = ({ browser, secret }: SignedIn, returnTo: string | undefined) =>
      seeOther(returnTo ?? overviewPath).pipe(visitors.remember(secret), browserCookie.set(browser))

    const again = (returnTo: string | undefined) => () =>
      Effect.succeed(seeOther(withDone(ReturnTo.signInPath(returnTo), "step-over")))

    /** These forms name no account. */
    const rejected = orGoOn(() => true)

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

    yield* routes.form(challengePath(passkeyPath), NoFields, (_, visitor, request) =>
      challenge(request, signIns.options(visitor.secret))
    )

    yield* routes.form(
      passkeyPath,
      Answer,
      (form, visitor, request) => {
        const returnTo = ReturnTo.parse(form.return_to)
        const refused = (error: Failed) => Effect.succeed(failed(error, visitor, returnTo))
        return signIns.signIn(visitOf(visitor, request), form.credential).pipe(
          Effect.map((signedIn) => entered(signedIn, returnTo)),
          Effect.catchTags({ PasskeyRejected: refused, ChallengeExpired: refused, TooManyAttempts: refused })
        )
      },
      rejected
    )

    const show = (visitor: Visitor, returnTo: string | undefined, refused?: Refusal) => {
      const { text } = visitor.locale
      return page({
        heading: text("secondStep.heading"),
        locale: visitor.locale,
        passkeys: true,
        policy: { formsLeave: returnTo !== undefined },
        refused,
        body: html`
          ${problemSummary(refused?.problems)}
          <p>${text("secondStep.about")}</p>
          ${
            isAvailable &&
            passkeyForm({
              visitor,
              action: secondPasskeyPath,
              kind: "get",
              label: text("secondStep.usePasskey"),
              returnTo
            })
          }
          <p data-no-passkeys>${text("secondStep.noPasskeys")}</p>
          <h2>${text("secondStep.codeHeading")}</h2>
          <form method="post" action="${secondPath}">
            ${Csrf.hidden(visitor, { return_to: returnTo })}
            ${field({
              name: "code",
              label: text("secondStep.code"),
              type: "text",
              autocomplete: "off",
              hint: text("secondStep.codeHint"),
              error: problemOf(refused, "code")
            })}
            <button type="submit" class="secondary">${text("secondStep.useCode")}</button>
          </form>
          <p class="aside"><a href="${ReturnTo.signInPath(returnTo)}">${text("secondStep.startAgain")}</a></p>
        `
      })
    }

    yield* routes.page(
      secondPath,
      reads(Schema.Struct(ReturnTo.field), (visitor, { return_to }) => {
        const returnTo = ReturnTo.parse(return_to)
        if (isSignedIn(visitor)) return Effect.succeed(seeOther(returnTo ?? overviewPath))
        return Effect.map(signIns.isPending(visitor.secret), (isPending) =>
          isPending ? show(visitor, returnTo) : seeOther(ReturnTo.signInPath(returnTo))
        )
      })
    )

    yield* routes.form(challengePath(secondPasskeyPath), NoFields, (_, visitor, request) =>
      challenge(request, signIns.secondOptions(visitor.secret)).pipe(
        Effect.catchTag("NoPendingSignIn", again(undefined))
      )
    )

    yield* routes.form(
      secondPasskeyPath,
      Answer,
      (form, visitor, request) => {
        const returnTo = ReturnTo.parse(form.return_to)
        const refused = (error: Failed) => Effect.succeed(show(visitor, returnTo, refusalOf(error, visitor.locale)))
        return signIns.second(visitOf(visitor, request), form.credential).pipe(
          Effect.map((signedIn) => entered(signedIn, returnTo)),
          Effect.catchTags({
            NoPendingSignIn: again(returnTo),
            PasskeyRejected: refused,
            ChallengeExpired: refused,
            TooManyAttempts: refused
          })
        )
      },
      rejected
    )

    yield* routes.form(
      secondPath,
      Code,
      (form, visitor, request) => {
        const returnTo = ReturnTo.parse(form.return_to)
        const refused = (error: Failed) => Effect.succeed(show(visitor, returnTo, refusalOf(error, visitor.locale)))
        return signIns.secondByCode(visitOf(visitor, request), form.code).pipe(
          Effect.map((signedIn) => entered(signedIn, returnTo)),
          Effect.catchTags({ NoPendingSignIn: again(returnTo), CodeRejected: refused, TooManyAttempts: refused })
        )
      },
      rejected
    )
  })
)
