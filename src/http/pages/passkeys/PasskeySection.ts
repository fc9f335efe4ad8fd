/** The section of the account page about passkeys, the second step and recovery codes. Its forms are those of PasskeyRoutes. */
import { Clock, Effect } from "effect"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { needsCode, needsPasskey } from "../../../services/sessions/passkeys/Confirmation.ts"
import { maxNameCharacters, maxPerAccount, Passkeys } from "../../../services/sessions/passkeys/Passkeys.ts"
import type { Passkey } from "../../../services/sessions/passkeys/Passkeys.ts"
import { SecondStep } from "../../../services/sessions/passkeys/SecondStep.ts"
import type { Standing } from "../../../services/sessions/passkeys/SecondStep.ts"
import type { SignInChange } from "../../../services/sessions/passkeys/SignInChanges.ts"
import { WebAuthn } from "../../../services/sessions/passkeys/WebAuthn.ts"
import { isConfirmed } from "../../../services/sessions/Sessions.ts"
import { buttonForm, quietForm } from "../shared/ButtonForm.ts"
import { deviceName } from "../shared/DeviceName.ts"
import { field, problemSummary } from "../shared/Fields.ts"
import { doneNotice } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { sections } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { quoted } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { passkeyForm } from "./PasskeyForm.ts"

export const addPath = `${sections.account}/passkeys` as const
export const removePath = (id: number | ":id") => `${addPath}/${id}/remove` as const
const stepPath = `${sections.account}/second-step` as const
export const onPath = `${stepPath}/on` as const
export const offPath = `${stepPath}/off` as const
export const codesPath = `${stepPath}/codes` as const

/** After a change; the words are those of the notices. */
export const flashNotices = ["passkey-added", "passkey-removed", "step-off"] as const
/** The code of an operator's first passkey was refused: a problem, and no notice of something that was done. */
export const wrongCode = "passkey-code"

export const passkeysAnchor = `${sections.account}#passkeys`
/** Where a change continues whose confirmation was too long ago. */
export const toConfirm = ReturnTo.confirmPath(passkeysAnchor)

const passkeyItem = ({ createdAt, id, lastUsedAt, name }: Passkey, visitor: SignedIn, mayRemove: boolean): Html => {
  const { locale } = visitor
  const { dateTime, text } = locale
  return html`<li>
    <div>
      <strong><bdi>${name}</bdi></strong>
      <p class="hint">
        <span>${locale.html("layout.labeled", { label: text("passkeys.added"), value: dateTime(createdAt) })}</span>
        <span
          >${locale.html("layout.labeled", { label: text("account.lastUsed"), value: lastUsedAt === null ? text("passkeys.never") : dateTime(lastUsedAt) })}</span
        >
      </p>
    </div>
    ${mayRemove && quietForm(visitor, removePath(id), text("passkeys.remove"), text("passkeys.removeOf", { name }), undefined, "danger")}
  </li>`
}

const byCommandLine: ReadonlySet<SignInChange["what"]> = new Set(["reset", "password_reset"])

const changeItem = ({ at, device, name, what }: SignInChange, locale: Locale): Html =>
  html`<li>
    <div>
      ${locale.text(`passkeys.changes.${what}`)} ${name !== null && quoted(name, locale)}
      <p class="hint">
        <span>${locale.dateTime(at)}</span>
        <span>${byCommandLine.has(what) ? locale.text("operator.commandLine") : deviceName(device, locale)}</span>
      </p>
    </div>
  </li>`

const addForm = (visitor: SignedIn, isCoded: boolean, codeError: string | undefined): Html => {
  const { text } = visitor.locale
  return passkeyForm({
    visitor,
    action: addPath,
    kind: "create",
    label: text("passkeys.add"),
    fields: html`<div class="field">
        <label for="passkey-name">${text("passkeys.name")}</label>
        <p class="hint" id="passkey-name-hint">${text("passkeys.nameHint")}</p>
        <input
          id="passkey-name"
          name="name"
          type="text"
          autocomplete="off"
          maxlength="${maxNameCharacters}"
          aria-describedby="passkey-name-hint"
          required
        />
      </div>
      ${
        isCoded &&
        field({
          name: "code",
          label: text("passkeys.code"),
          type: "text",
          autocomplete: "off",
          hint: text("passkeys.codeHint"),
          error: codeError
        })
      }`
  })
}

/** The second step: its state and, in a confirmed session, its switch. */
const step = (visitor: SignedIn, { codesLeft, isOn }: Standing, mayChange: boolean): Html => {
  const { text } = visitor.locale
  return html`
    <h3>${text("passkeys.step")}</h3>
    <p>${isOn ? text("passkeys.stepOn", { left: codesLeft }) : text("passkeys.stepOff")}</p>
    ${
      mayChange &&
      (isOn
        ? html`<div class="beside">
            ${buttonForm(visitor, codesPath, text("passkeys.newCodes"))}
            ${buttonForm(visitor, offPath, text("passkeys.turnOff"), { look: "danger" })}
          </div>`
        : passkeyForm({
            visitor,
            action: onPath,
            kind: "get",
            label: text("passkeys.turnOn"),
            look: "secondary outline"
          }))
    }
  `
}

/** The last changes of passkeys, the second step, the password and the e-mail address. */
const log = ({ changes }: Standing, locale: Locale): Html | false =>
  changes.length > 0 &&
  html`<h3>${locale.text("passkeys.log")}</h3>
    <p>${locale.text("passkeys.logAbout")}</p>
    <ul class="rows">
      ${changes.map((each) => changeItem(each, locale))}
    </ul>`

export const make = Effect.gen(function* () {
  const passkeys = yield* Passkeys
  const secondStep = yield* SecondStep
  const { isAvailable } = yield* WebAuthn

  const body = (
    visitor: SignedIn,
    registered: ReadonlyArray<Passkey>,
    standing: Standing,
    mayChange: boolean,
    codeError: string | undefined
  ): Html => {
    const { text } = visitor.locale
    const { isOn } = standing
    return html`
      ${
        registered.length > 0 &&
        html`<ul class="rows">
          ${registered.map((each) => passkeyItem(each, visitor, mayChange && !(isOn && registered.length === 1)))}
        </ul>`
      }
      ${isOn && registered.length === 1 && html`<p class="hint">${text("passkeys.lastStays")}</p>`}
      ${mayChange && registered.length < maxPerAccount && addForm(visitor, needsCode(visitor.session, registered.length), codeError)}
      ${registered.length >= maxPerAccount && html`<p class="hint">${text("passkeys.full", { max: maxPerAccount })}</p>`}
      ${mayChange && html`<p class="hint" data-no-passkeys>${text("passkeys.unsupported")}</p>`}
      ${registered.length > 0 && step(visitor, standing, mayChange)}
      ${!mayChange && html`<p><a href="${toConfirm}">${text("passkeys.confirm")}</a></p>`}
    `
  }

  return (visitor: SignedIn, done: string | undefined): Effect.Effect<Html, ServiceUnavailable> =>
    Effect.gen(function* () {
      const { locale, session } = visitor
      const { text } = locale
      const [registered, standing, now] = yield* Effect.all(
        [passkeys.list(session.accountId), secondStep.standing(session.accountId), Clock.currentTimeMillis],
        { concurrency: "unbounded" }
      )
      const account = { secondStep: standing.isOn, passkeys: registered.length }
      const mayChange = isConfirmed(session, now) && !needsPasskey(session, account)
      const codeError = done === wrongCode ? text(`passkeys.done.${wrongCode}`) : undefined
      return html`
        ${codeError !== undefined && problemSummary([{ field: "code", message: codeError }])}
        ${doneNotice(done, flashNotices, (word) => text(`passkeys.done.${word}`))}
        <section class="panel" aria-labelledby="passkeys">
          <h2 id="passkeys">${text("passkeys.heading")}</h2>
          <p>${text("passkeys.about")}</p>
          ${isAvailable ? body(visitor, registered, standing, mayChange, codeError) : html`<p>${text("passkeys.unavailable")}</p>`}
          ${log(standing, locale)}
        </section>
      `
    })
})
