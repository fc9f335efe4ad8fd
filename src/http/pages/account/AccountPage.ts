/**
 * `/dashboard/account`: the signed-in account and its sessions. A session in another browser can be ended here,
 * immediately.
 */
import { Effect, Layer, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import { titles } from "../../../domain/access/Plan.ts"
import { needConfirmation } from "../../../services/sessions/passkeys/Confirmation.ts"
import { Sessions } from "../../../services/sessions/Sessions.ts"
import type { Session } from "../../../services/sessions/Sessions.ts"
import { closePath } from "./ClosePage.ts"
import { buttonForm, quietForm } from "../shared/ButtonForm.ts"
import { deviceName } from "../shared/DeviceName.ts"
import { doneField, doneNotice, withDone } from "../shared/FlashNotice.ts"
import { emailPath } from "./EmailPage.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout, sections } from "../shared/Layout.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { passwordPath } from "./PasswordPage.ts"
import * as PasskeySection from "../passkeys/PasskeySection.ts"
import { pathId } from "../shared/PathId.ts"
import * as ReturnTo from "../shared/ReturnTo.ts"
import { statusBadge, subscriptionNotice } from "./Subscription.ts"
import { Visitors } from "../shared/Visitors.ts"
import type { SignedIn } from "../shared/Visitors.ts"

export const accountPath = sections.account

const endPath = (id: number | ":id") => `${accountPath}/sessions/${id}/end` as const
const endOthersPath = `${accountPath}/sessions/end-others` as const

const flashNotices = ["session-ended", "others-ended", "email-asked", "email-changed"] as const

const Query = Schema.Struct(doneField([...flashNotices, ...PasskeySection.flashNotices, PasskeySection.wrongCode]))

/** Who has found a browser that is signed in must not end the owner's other sessions (ASVS 7.5.2). */
const confirmFirst = () => Effect.succeed(seeOther(ReturnTo.confirmPath(`${accountPath}#sessions`)))

const sessionItem = (session: Session, visitor: SignedIn): Html => {
  const { locale } = visitor
  const { dateTime, text } = locale
  const device = deviceName(session.device, locale)
  const isThis = session.id === visitor.session.id
  return html`<li>
    <div>
      <strong>${device}</strong>
      ${isThis && html`<span class="badge good">${text("account.thisOne")}</span>`}
      <p class="hint">
        <span
          >${locale.html("layout.labeled", { label: text("account.started"), value: dateTime(session.startedAt) })}</span
        >
        <span
          >${locale.html("layout.labeled", { label: text("account.lastUsed"), value: dateTime(session.lastUsedAt) })}</span
        >
      </p>
    </div>
    ${!isThis && quietForm(visitor, endPath(session.id), text("account.end"), text("account.endOf", { device }), undefined, "danger")}
  </li>`
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const visitors = yield* Visitors
    const sessions = yield* Sessions
    const passkeys = yield* PasskeySection.make
    const { page } = yield* Layout
    const links = OutwardLinks.of(yield* AppConfig)
    const { billing, support } = links

    const show = (visitor: SignedIn, list: ReadonlyArray<Session>, passkeySection: Html, done: string | undefined) => {
      const { locale, session } = visitor
      const { text } = locale
      const ways = [
        billing !== undefined && html`<li><a href="${billing}">${text("account.billing")}</a></li>`,
        support !== undefined && html`<li><a href="${support}">${text("account.support")}</a></li>`
      ].filter((way) => way !== false)
      return page({
        heading: text("account.heading"),
        account: visitor,
        section: "account",
        width: "wide",
        passkeys: true,
        body: html`
          ${doneNotice(done, flashNotices, (word) => text(`account.done.${word}`))}
          ${subscriptionNotice(session, { links, locale })}
          <section class="panel">
            <dl class="figures who-is">
              <div>
                <dt>${text("account.email")}</dt>
                <dd>${session.email}</dd>
                <dd><a href="${emailPath}">${text("account.changeEmail")}</a></dd>
              </div>
              ${fact(text("account.plan"), titles[session.plan])}
              ${fact(text("account.status"), statusBadge(session.status, locale))}
            </dl>
            ${
              ways.length > 0 &&
              html`<ul class="beside">
                ${ways}
              </ul>`
            }
          </section>
          <section class="panel" aria-labelledby="password">
            <h2 id="password">${text("account.password")}</h2>
            <p>${text("account.passwordAbout")}</p>
            <p><a href="${passwordPath}">${text("account.changePassword")}</a></p>
          </section>
          ${passkeySection}
          <section class="panel" aria-labelledby="sessions">
            <h2 id="sessions">${text("account.sessions")}</h2>
            <p>${list.length > 1 ? text("account.sessionsAbout") : text("account.alone")}</p>
            <ul class="rows">
              ${list.map((each) => sessionItem(each, visitor))}
            </ul>
            ${list.length > 1 && buttonForm(visitor, endOthersPath, text("account.endOthers"), { look: "danger" })}
          </section>
          <section class="panel" aria-labelledby="closing">
            <h2 id="closing">${text("account.closing")}</h2>
            <p>${text("account.closingAbout")}</p>
            <p><a href="${closePath}" class="danger">${text("account.close")}</a></p>
          </section>
        `
      })
    }

    yield* routes.signedInPage(
      accountPath,
      reads(Query, (visitor, { done }) =>
        Effect.zipWith(sessions.list(visitor.session.accountId), passkeys(visitor, done), (list, passkeySection) =>
          show(visitor, list, passkeySection, done)
        )
      )
    )

    // A session that has ended, or belongs to another account, gets the same answer as one that is ended now.
    yield* routes.signedInForm(endPath(":id"), accountPath, NoFields, (_, { session }) =>
      Effect.gen(function* () {
        const id = yield* pathId
        if (id === session.id) {
          yield* sessions.end(session.accountId, id)
          return visitors.forget(seeOther(ReturnTo.signInPath(undefined)))
        }
        yield* needConfirmation(session)
        yield* sessions.end(session.accountId, id)
        return seeOther(withDone(accountPath, "session-ended"))
      }).pipe(Effect.catchTag("ConfirmationNeeded", confirmFirst))
    )

    yield* routes.signedInForm(endOthersPath, accountPath, NoFields, (_, { session }) =>
      needConfirmation(session).pipe(
        Effect.andThen(sessions.endOthers(session.accountId, session.id)),
        Effect.as(seeOther(withDone(accountPath, "others-ended"))),
        Effect.catchTag("ConfirmationNeeded", confirmFirst)
      )
    )
  })
)
