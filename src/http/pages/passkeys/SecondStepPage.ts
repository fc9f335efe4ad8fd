/** `/sign-in/second-step`: the second step after a right password, by a passkey or a recovery code. */
import { Effect, Layer, Schema } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { PasskeySignIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import type { NoPendingSignIn, SignedIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import { maxCharacters as maxCodeCharacters } from "../../../services/sessions/passkeys/RecoveryCodes.ts"
import { WebAuthn } from "../../../services/sessions/passkeys/WebAuthn.ts"
import { field, problemOf } from "../shared/Fields.ts"
import { withDone } from "../shared/FlashNotice.ts"
import * as FormPage from "../shared/FormPage.ts"
import { html } from "../shared/Html.ts"
import { Layout, overviewPath } from "../shared/Layout.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { isSignedIn } from "../shared/Visitors.ts"
import type { Visitor } from "../shared/Visitors.ts"
import { Answer, challengePath, passkeyForm, refusalOf, tools } from "./PasskeyForm.ts"
import type { Failed } from "./PasskeyForm.ts"
import { ofAnyAccount } from "./PasskeySignInPage.ts"

const path = "/sign-in/second-step"
const passkeyPath = "/sign-in/second-step/passkey"

const Code = Schema.Struct({
  code: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(maxCodeCharacters))),
  return_to: Schema.optionalKey(Schema.String)
})

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const signIns = yield* PasskeySignIn
    const { isAvailable } = yield* WebAuthn
    const { page } = yield* Layout
    const { challenge, entered, visitOf } = yield* tools

    const again = (returnTo: string | undefined) => () =>
      Effect.succeed(seeOther(withDone(ReturnTo.signInPath(returnTo), "step-over")))

    /** Ends a second step that succeeds. */
    const complete = <E extends { readonly _tag: string }>(
      second: Effect.Effect<SignedIn, E | NoPendingSignIn>,
      returnTo: string | undefined
    ) =>
      second.pipe(
        Effect.map((signedIn) => entered(signedIn, returnTo)),
        Effect.catchTag("NoPendingSignIn", again(returnTo))
      )

    /** With the errors of both forms of the page, which shows them all. */
    const byCode = (
      { code, return_to }: typeof Code.Type,
      visitor: Visitor,
      request: HttpServerRequest.HttpServerRequest
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, Failed | ServiceUnavailable> =>
      complete(signIns.secondByCode(visitOf(visitor, request), code), ReturnTo.parse(return_to))

    const form = FormPage.ofGuest(Code, {
      action: path,
      page: ({ locale }, parts, returnTo: string | undefined) =>
        page({
          heading: locale.text("secondStep.heading"),
          locale,
          passkeys: true,
          policy: { formsLeave: returnTo !== undefined },
          ...parts
        }),
      body: (form, visitor, returnTo) => {
        const { text } = visitor.locale
        return html`
          <p>${text("secondStep.about")}</p>
          ${
            isAvailable &&
            passkeyForm({
              visitor,
              action: passkeyPath,
              kind: "get",
              label: text("secondStep.usePasskey"),
              returnTo
            })
          }
          <p data-no-passkeys>${text("secondStep.noPasskeys")}</p>
          <h2>${text("secondStep.codeHeading")}</h2>
          ${form}
          <p class="aside"><a href="${ReturnTo.signInPath(returnTo)}">${text("secondStep.startAgain")}</a></p>
        `
      },
      hidden: (returnTo) => ({ return_to: returnTo }),
      fields: ({ locale: { text } }, { refused }) =>
        field({
          name: "code",
          label: text("secondStep.code"),
          type: "text",
          autocomplete: "off",
          hint: text("secondStep.codeHint"),
          error: problemOf(refused, "code")
        }),
      button: ({ text }) => text("secondStep.useCode"),
      look: "secondary",
      submit: byCode,
      errors: {
        PasskeyRejected: refusalOf,
        ChallengeExpired: refusalOf,
        CodeRejected: refusalOf,
        TooManyAttempts: refusalOf
      }
    })

    yield* routes.page(
      path,
      reads(Schema.Struct(ReturnTo.field), (visitor, { return_to }) => {
        const returnTo = ReturnTo.parse(return_to)
        if (isSignedIn(visitor)) return Effect.succeed(seeOther(returnTo ?? overviewPath))
        return Effect.map(signIns.isPending(visitor.secret), (isPending) =>
          isPending ? form.show(visitor, returnTo) : seeOther(ReturnTo.signInPath(returnTo))
        )
      })
    )

    yield* routes.form(challengePath(passkeyPath), NoFields, (_, visitor, request) =>
      challenge(request, signIns.secondOptions(visitor.secret)).pipe(
        Effect.catchTag("NoPendingSignIn", again(undefined))
      )
    )

    yield* routes.form(
      passkeyPath,
      Answer,
      ({ credential, return_to }, visitor, request) => {
        const returnTo = ReturnTo.parse(return_to)
        const answer = complete(signIns.second(visitOf(visitor, request), credential), returnTo)
        return form.orShow(answer, visitor, Effect.succeed(returnTo))
      },
      ofAnyAccount
    )

    yield* routes.form(
      path,
      Code,
      (sent, visitor, request) => form.submit(sent, visitor, request, Effect.succeed(ReturnTo.parse(sent.return_to))),
      ofAnyAccount
    )
  })
)
