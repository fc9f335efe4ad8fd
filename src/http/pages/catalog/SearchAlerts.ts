/**
 * The alert of a saved search (D113): its form in the list, and where the links of the mails lead: `/dashboard/searches/:id`, which
 * opens the results, and `/alerts/unsubscribe`, for who is not signed in.
 *
 * Opening a link changes nothing, because programs that check mails open links, too. The button of the page sends what a mail program
 * sends by itself (RFC 8058): a POST to the same address. It has no token of a session, because the link's own secret is the proof.
 */
import { Effect, Layer, Schema } from "effect"
import { AlertFrequency } from "../../../domain/search/SearchAlert.ts"
import { SavedSearches } from "../../../services/accounts/SavedSearches.ts"
import type { SavedSearch } from "../../../services/accounts/SavedSearches.ts"
import { Alerts } from "../../../services/alerts/Alerts.ts"
import { unsubscribePath } from "../../../services/mail/Letter.ts"
import * as MailLink from "../account/MailLink.ts"
import * as Csrf from "../shared/Csrf.ts"
import { PageNotFound } from "../shared/ErrorPage.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import type { SignedIn, Visitor } from "../shared/Visitors.ts"
import { CatalogAccess } from "./CatalogAccess.ts"
import { searchesPath, searchPath } from "./SearchActions.ts"

const choices = ["off", ...AlertFrequency.literals] as const

const Form = Schema.Struct({ alert: Schema.Literals(choices) })

const openPath = (id: number | ":id") => `${searchesPath}/${id}` as const
const alertPath = (id: number | ":id") => `${openPath(id)}/alert` as const

export const alertForm = ({ alert, id, name }: SavedSearch, visitor: SignedIn): Html => {
  const { text } = visitor.locale
  return html`<form method="post" action="${alertPath(id)}" class="alert">
    ${Csrf.hidden(visitor)}
    <label>
      ${text("saved.alert")}
      <select name="alert" aria-label="${text("saved.alertOf", { name })}">
        ${choices.map((choice) => html`<option value="${choice}" ${choice === (alert ?? "off") && html`selected`}>${text(`saved.alerts.${choice}`)}</option>`)}
      </select>
    </label>
    <button type="submit" class="quiet" aria-label="${text("saved.setAlertOf", { name })}">
      ${text("saved.setAlert")}
    </button>
  </form>`
}

const toSearches = ({ text }: Locale) => html`<p><a href="${searchesPath}">${text("saved.heading")}</a></p>`

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const access = yield* CatalogAccess
    const alerts = yield* Alerts
    const saved = yield* SavedSearches
    const { page } = yield* Layout

    const open = Effect.fnUntraced(
      function* (visitor: SignedIn) {
        return seeOther(searchPath(yield* saved.get(visitor.session.accountId, yield* pathId)))
      },
      Effect.catchTag("SavedSearchNotFound", noPage)
    )

    const set = Effect.fnUntraced(
      function* ({ alert }: typeof Form.Type, visitor: SignedIn) {
        yield* alerts.set(visitor.session.accountId, yield* pathId, alert === "off" ? undefined : alert)
        return seeOther(withDone(searchesPath, "alert"))
      },
      Effect.catchTag("SavedSearchNotFound", noPage)
    )

    yield* routes.signedInPage(openPath(":id"), (visitor) => access.allowUncounted(visitor, "searches", open(visitor)))
    yield* routes.signedInForm(alertPath(":id"), searchesPath, Form, (form, visitor) =>
      access.allowUncounted(visitor, "searches", set(form, visitor))
    )

    const over =
      ({ locale }: Visitor) =>
      () =>
        Effect.succeed(
          page({
            heading: locale.text("mailLink.over"),
            locale,
            status: 410,
            body: html`<p>${locale.text("unsubscribe.overText")}</p>
              ${toSearches(locale)}`
          })
        )

    yield* routes.page(
      unsubscribePath,
      reads(MailLink.Link, (visitor, query) =>
        alerts.verify(MailLink.tokenOf(query)).pipe(
          Effect.map(() => {
            const { locale } = visitor
            return page({
              heading: locale.text("unsubscribe.heading"),
              locale,
              body: html`
                <p>${locale.text("unsubscribe.about")}</p>
                <form method="post" action="${unsubscribePath}?token=${query.token ?? ""}">
                  <input type="hidden" name="List-Unsubscribe" value="One-Click" />
                  <button type="submit">${locale.text("unsubscribe.button")}</button>
                </form>
                ${toSearches(locale)}
              `
            })
          }),
          Effect.catchTag("LinkOver", over(visitor))
        )
      )
    )

    yield* routes.page(
      unsubscribePath,
      reads(MailLink.Link, (visitor, query) =>
        alerts.unsubscribe(MailLink.tokenOf(query)).pipe(
          Effect.map(() => {
            const { locale } = visitor
            return page({
              heading: locale.text("unsubscribe.done"),
              locale,
              body: html`<p role="status">${locale.text("unsubscribe.doneText")}</p>
                ${toSearches(locale)}`
            })
          }),
          Effect.catchTag("LinkOver", over(visitor))
        )
      ),
      "POST"
    )
  })
)

const noPage = () => Effect.fail(new PageNotFound())
