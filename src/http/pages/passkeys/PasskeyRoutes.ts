/** The forms of the section of passkeys on the account page, and the page with new recovery codes. */
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { Passkeys } from "../../../services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../../services/sessions/passkeys/PasskeySignIn.ts"
import { maxCharacters as maxCodeCharacters } from "../../../services/sessions/passkeys/RecoveryCodes.ts"
import { SecondStep } from "../../../services/sessions/passkeys/SecondStep.ts"
import type { Codes } from "../../../services/sessions/passkeys/SecondStep.ts"
import { copyText } from "../shared/CopyText.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { problemSummary } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import { NoFields, PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { Answer, challengePath, refusalOf, tools } from "./PasskeyForm.ts"
import type { Failed } from "./PasskeyForm.ts"
import {
  addPath,
  codesPath,
  offPath,
  onPath,
  passkeysAnchor,
  removePath,
  toConfirm,
  wrongCode
} from "./PasskeySection.ts"
import type { flashNotices } from "./PasskeySection.ts"

/** Of an operator's first passkey. */
const Coded = Schema.Struct({
  code: Schema.optionalKey(Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(maxCodeCharacters))))
})

/** Longer names are cut. */
const Named = Schema.Struct({ ...Answer.fields, ...Coded.fields, name: Schema.String })

const done = (word: (typeof flashNotices)[number]) => seeOther(withDone(sections.account, word))

const refuseCode = () => Effect.succeed(seeOther(withDone(sections.account, wrongCode)))

const confirmFirst = () => Effect.succeed(seeOther(toConfirm))

const back = () => Effect.succeed(seeOther(passkeysAnchor))

/** The script asked for a challenge that would be of no use; it says that it failed. */
const noChallenge = () => Effect.succeed(HttpServerResponse.empty({ status: 409 }))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const passkeys = yield* Passkeys
    const signIns = yield* PasskeySignIn
    const secondStep = yield* SecondStep
    const { page } = yield* Layout
    const { challenge } = yield* tools

    const failed = (visitor: SignedIn) => (error: Failed) => {
      const { locale } = visitor
      const refused = refusalOf(error, locale)
      return Effect.succeed(
        page({
          heading: locale.text("passkeys.failed"),
          account: visitor,
          section: "account",
          refused,
          body: html`
            ${problemSummary(refused.problems)}
            <p><a href="${passkeysAnchor}">${locale.text("password.toAccount")}</a></p>
          `
        })
      )
    }

    /** Shown once: the database has only their hashes. */
    const showCodes = (visitor: SignedIn) => (codes: Codes) => {
      const { locale } = visitor
      const { text } = locale
      return page({
        heading: text("codes.heading"),
        account: visitor,
        section: "account",
        body: html`
          <p role="status">${text("codes.on")}</p>
          <div class="warning" role="note">
            <p><strong id="once">${text("codes.once")}</strong> ${text("codes.about")}</p>
          </div>
          ${copyText({ id: "codes", named: "once", text: codes.map((code) => Redacted.value(code)).join("\n"), locale })}
          <p><a href="${passkeysAnchor}">${text("codes.kept")}</a></p>
        `
      })
    }

    yield* routes.signedInForm(
      challengePath(addPath),
      sections.account,
      Coded,
      ({ code }, { secret, session }, request) =>
        challenge(request, passkeys.optionsToAdd(session, secret, code)).pipe(
          Effect.catchTags({
            ConfirmationNeeded: confirmFirst,
            EnrollmentNeeded: refuseCode,
            TooManyPasskeys: noChallenge
          })
        )
    )

    yield* routes.signedInForm(addPath, sections.account, Named, ({ code, credential, name }, visitor) =>
      passkeys.add({ session: visitor.session, owner: visitor.secret, name, credential, code }).pipe(
        Effect.as(done("passkey-added")),
        Effect.catchTags({
          ConfirmationNeeded: confirmFirst,
          EnrollmentNeeded: refuseCode,
          TooManyPasskeys: back,
          PasskeyRejected: failed(visitor),
          ChallengeExpired: failed(visitor)
        })
      )
    )

    // A passkey that is gone, or belongs to another account, gets the same answer as one that is removed now.
    yield* routes.signedInForm(removePath(":id"), sections.account, NoFields, (_, { session }) =>
      Effect.flatMap(pathId, (id) => passkeys.remove(session, id)).pipe(
        Effect.as(done("passkey-removed")),
        Effect.catchTags({ ConfirmationNeeded: confirmFirst, LastPasskey: back })
      )
    )

    yield* routes.signedInForm(challengePath(onPath), sections.account, NoFields, (_, { secret, session }, request) =>
      challenge(request, signIns.confirmOptions(session, secret))
    )

    yield* routes.signedInForm(onPath, sections.account, Answer, ({ credential }, visitor) =>
      secondStep.turnOn({ session: visitor.session, owner: visitor.secret, credential }).pipe(
        Effect.map(showCodes(visitor)),
        Effect.catchTags({
          ConfirmationNeeded: confirmFirst,
          PasskeyRejected: failed(visitor),
          ChallengeExpired: failed(visitor),
          TooManyAttempts: failed(visitor)
        })
      )
    )

    yield* routes.signedInForm(offPath, sections.account, NoFields, (_, { session }) =>
      secondStep
        .turnOff(session)
        .pipe(Effect.as(done("step-off")), Effect.catchTags({ ConfirmationNeeded: confirmFirst }))
    )

    yield* routes.signedInForm(codesPath, sections.account, NoFields, (_, visitor) =>
      secondStep
        .replaceCodes(visitor.session)
        .pipe(
          Effect.map(showCodes(visitor)),
          Effect.catchTags({ ConfirmationNeeded: confirmFirst, SecondStepOff: back })
        )
    )
  })
)
