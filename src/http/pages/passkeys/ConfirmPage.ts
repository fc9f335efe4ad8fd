/**
 * `/dashboard/account/confirm`: the password or a passkey again, in a session. Changes to how an account is signed in to need it when
 * the last time was more than ten minutes ago. Operators' pages need a passkey.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { needsPasskey } from "../../../services/sessions/passkeys/Confirmation.ts"
import { Passkeys } from "../../../services/sessions/passkeys/Passkeys.ts"
import type { VerificationError } from "../../../services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../../services/sessions/passkeys/SecondStep.ts"
import { Sessions } from "../../../services/sessions/Sessions.ts"
import { SignIn } from "../../../services/sessions/SignIn.ts"
import type { SignInRejected } from "../../../services/sessions/SignIn.ts"
import type { PageError } from "../shared/ErrorPage.ts"
import { ownPassword, refusal } from "../shared/Fields.ts"
import * as FormPage from "../shared/FormPage.ts"
import { html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { Answer, challengePath, passkeyForm, refusalOf, tools } from "./PasskeyForm.ts"
import { passkeysAnchor } from "./PasskeySection.ts"

type Response = HttpServerResponse.HttpServerResponse

const path = "/dashboard/account/confirm"
const passkeyPath = "/dashboard/account/confirm/passkey"

const Password = Schema.Struct({
  password: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000))),
  return_to: Schema.optionalKey(Schema.String)
})

/** Where it continues: an address of this service, by default the section of passkeys. */
const placeOf = (returnTo: string | undefined) => returnTo ?? passkeysAnchor

/** What the page shows. */
interface Asked {
  readonly returnTo: string | undefined
  readonly hasPasskeys: boolean
  /** The password is not enough. */
  readonly needsPasskey: boolean
}

/** The errors of both forms of the page, which shows them all. */
type Refused = SignInRejected | Exclude<VerificationError, ServiceUnavailable>

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const passkeys = yield* Passkeys
    const signIns = yield* PasskeySignIn
    const signIn = yield* SignIn
    const sessions = yield* Sessions
    const secondStep = yield* SecondStep
    const { page } = yield* Layout
    const { challenge } = yield* tools

    const byPassword = (
      { password, return_to }: typeof Password.Type,
      { session }: SignedIn
    ): Effect.Effect<Response, Refused | PageError> =>
      signIn
        .verify({ session, password })
        .pipe(Effect.andThen(sessions.confirm(session)), Effect.as(seeOther(placeOf(ReturnTo.parse(return_to)))))

    const form = FormPage.ofAccount(Password, {
      action: path,
      page: (visitor, parts) =>
        page({
          heading: visitor.locale.text("confirm.heading"),
          account: visitor,
          section: "account",
          passkeys: true,
          ...parts
        }),
      body: (form, visitor, { hasPasskeys, needsPasskey, returnTo }: Asked) => {
        const { locale, session } = visitor
        const { text } = locale
        // Only operators learn that there are such pages.
        const forOperators = session.role === "operator" && placeOf(returnTo).startsWith(sections.operator)
        const about = forOperators
          ? text("confirm.operator")
          : text(needsPasskey ? "confirm.operatorChange" : "confirm.about")
        return html`
          <p>${about}</p>
          ${
            hasPasskeys &&
            passkeyForm({ visitor, action: passkeyPath, kind: "get", label: text("confirm.usePasskey"), returnTo })
          }
          ${hasPasskeys && html`<p data-no-passkeys>${text("secondStep.noPasskeys")}</p>`}
          ${forOperators && !hasPasskeys && html`<p><a href="${passkeysAnchor}">${text("confirm.addFirst")}</a></p>`}
          ${!forOperators && !needsPasskey && form}
        `
      },
      hidden: ({ returnTo }) => ({ return_to: returnTo }),
      fields: ({ locale: { text }, session }, { refused }) =>
        ownPassword({ name: "password", label: text("signIn.password"), email: session.email, refused }),
      button: ({ text }) => text("confirm.usePassword"),
      problems: ({ password }, { locale: { text } }) =>
        Redacted.value(password) === "" ? [{ field: "password", message: text("signIn.noPassword") }] : [],
      submit: byPassword,
      errors: {
        SignInRejected: (_, { text }) => refusal(403, { field: "password", message: text("confirm.wrong") }),
        PasskeyRejected: refusalOf,
        ChallengeExpired: refusalOf,
        TooManyAttempts: refusalOf
      }
    })

    const asked = ({ session }: SignedIn, return_to: string | undefined): Effect.Effect<Asked, ServiceUnavailable> =>
      Effect.all([passkeys.list(session.accountId), secondStep.standing(session.accountId)], {
        concurrency: "unbounded"
      }).pipe(
        Effect.map(([{ length }, { isOn }]) => ({
          returnTo: ReturnTo.parse(return_to),
          hasPasskeys: length > 0,
          needsPasskey: needsPasskey(session, { secondStep: isOn, passkeys: length })
        }))
      )

    yield* routes.signedInPage(
      path,
      reads(Schema.Struct(ReturnTo.field), (visitor, { return_to }) =>
        Effect.map(asked(visitor, return_to), (context) => form.show(visitor, context))
      )
    )

    yield* routes.signedInForm(path, path, Password, (sent, visitor, request) =>
      form.submit(sent, visitor, request, asked(visitor, sent.return_to))
    )

    yield* routes.signedInForm(challengePath(passkeyPath), path, NoFields, (_, { secret, session }, request) =>
      challenge(request, signIns.confirmOptions(session, secret))
    )

    yield* routes.signedInForm(passkeyPath, path, Answer, ({ credential, return_to }, visitor) => {
      const confirmed = signIns.confirm(visitor.session, visitor.secret, credential)
      const answer = Effect.as(confirmed, seeOther(placeOf(ReturnTo.parse(return_to))))
      return form.orShow(answer, visitor, asked(visitor, return_to))
    })
  })
)
