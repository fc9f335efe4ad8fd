/**
 * `/dashboard/account/confirm`: the password or a passkey again, in a session. Changes to how an account is signed in to need it when
 * the last time was more than ten minutes ago. Operators' pages need a passkey.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import { needsPasskey } from "../../../services/sessions/passkeys/Confirmation.ts"
import { Passkeys } from "../../../services/sessions/passkeys/Passkeys.ts"
import type { Passkey } from "../../../services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../../../services/sessions/passkeys/SecondStep.ts"
import { Sessions } from "../../../services/sessions/Sessions.ts"
import { SignIn } from "../../../services/sessions/SignIn.ts"
import * as Csrf from "../shared/Csrf.ts"
import { ownPassword, problemSummary, refusal } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { Answer, challengePath, passkeyForm, tools } from "./PasskeyForm.ts"
import { passkeysAnchor } from "./PasskeySection.ts"
import { refusalOf } from "./PasskeySignInPages.ts"
import type { Failed } from "./PasskeySignInPages.ts"

const path = "/dashboard/account/confirm"
const passkeyPath = "/dashboard/account/confirm/passkey"

const Password = Schema.Struct({
  password: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(1000))),
  return_to: Schema.optionalKey(Schema.String)
})

/** Where it continues: an address of this service, by default the section of passkeys. */
const placeOf = (returnTo: string | undefined) => returnTo ?? passkeysAnchor

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

    const show = (
      visitor: SignedIn,
      options: {
        readonly returnTo: string | undefined
        readonly known: ReadonlyArray<Passkey>
        /** The password is not enough. */
        readonly needsPasskey: boolean
        readonly refused?: Refusal
      }
    ) => {
      const { known, refused, returnTo } = options
      const { locale, session } = visitor
      const { text } = locale
      // Only operators learn that there are such pages.
      const forOperators = session.role === "operator" && placeOf(returnTo).startsWith(sections.operator)
      const about = forOperators
        ? text("confirm.operator")
        : text(options.needsPasskey ? "confirm.operatorChange" : "confirm.about")
      return page({
        heading: text("confirm.heading"),
        account: visitor,
        section: "account",
        passkeys: true,
        refused,
        body: html`
          ${problemSummary(refused?.problems)}
          <p>${about}</p>
          ${
            known.length > 0 &&
            passkeyForm({ visitor, action: passkeyPath, kind: "get", label: text("confirm.usePasskey"), returnTo })
          }
          ${known.length > 0 && html`<p data-no-passkeys>${text("secondStep.noPasskeys")}</p>`}
          ${
            forOperators && known.length === 0
              ? html`<p><a href="${passkeysAnchor}">${text("confirm.addFirst")}</a></p>`
              : undefined
          }
          ${
            !forOperators &&
            !options.needsPasskey &&
            html`<form method="post" action="${path}">
              ${Csrf.hidden(visitor, { return_to: returnTo })}
              ${ownPassword({ name: "password", label: text("signIn.password"), email: session.email, refused })}
              <button type="submit">${text("confirm.usePassword")}</button>
            </form>`
          }
        `
      })
    }

    /** What the page depends on. */
    const standing = Effect.fnUntraced(function* ({ session }: SignedIn) {
      const [known, { isOn }] = yield* Effect.all(
        [passkeys.list(session.accountId), secondStep.standing(session.accountId)],
        { concurrency: "unbounded" }
      )
      return { known, needsPasskey: needsPasskey(session, { secondStep: isOn, passkeys: known.length }) }
    })

    const failed = Effect.fnUntraced(function* (visitor: SignedIn, returnTo: string | undefined, refused: Refusal) {
      return show(visitor, { ...(yield* standing(visitor)), returnTo, refused })
    })

    yield* routes.signedInPage(
      path,
      reads(Schema.Struct(ReturnTo.field), (visitor, { return_to }) =>
        Effect.map(standing(visitor), (found) => show(visitor, { ...found, returnTo: ReturnTo.parse(return_to) }))
      )
    )

    yield* routes.signedInForm(path, path, Password, (form, visitor) => {
      const { locale, session } = visitor
      const returnTo = ReturnTo.parse(form.return_to)
      const wrong = (message: string, status: number) =>
        failed(visitor, returnTo, refusal(status, { field: "password", message }))
      if (Redacted.value(form.password) === "") return wrong(locale.text("signIn.noPassword"), 400)
      return signIn.verify({ session, password: form.password }).pipe(
        Effect.andThen(sessions.confirm(session)),
        Effect.as(seeOther(placeOf(returnTo))),
        Effect.catchTags({
          SignInRejected: () => wrong(locale.text("confirm.wrong"), 403),
          TooManyAttempts: (error) => failed(visitor, returnTo, refusalOf(error, locale))
        })
      )
    })

    yield* routes.signedInForm(challengePath(passkeyPath), path, NoFields, (_, { secret, session }, request) =>
      challenge(request, signIns.confirmOptions(session, secret))
    )

    yield* routes.signedInForm(passkeyPath, path, Answer, (form, visitor) => {
      const returnTo = ReturnTo.parse(form.return_to)
      const refused = (error: Failed) => failed(visitor, returnTo, refusalOf(error, visitor.locale))
      return signIns
        .confirm(visitor.session, visitor.secret, form.credential)
        .pipe(
          Effect.as(seeOther(placeOf(returnTo))),
          Effect.catchTags({ PasskeyRejected: refused, ChallengeExpired: refused, TooManyAttempts: refused })
        )
    })
  })
)
