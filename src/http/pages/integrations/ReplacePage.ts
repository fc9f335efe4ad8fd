/** `/dashboard/integrations/keys/:id/replace`: creates a new key, and ends the old one now, in 1 hour or in 24 hours. */
import { Effect, Layer, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import { KeyEnd, keyEnds } from "../../../domain/access/KeyEnd.ts"
import { mayCallTools } from "../../../domain/access/Plan.ts"
import { ApiKeys, KeyAttempt, maxActive, maxNameCharacters } from "../../../services/credentials/ApiKeys.ts"
import type { ApiKey, InvalidKeyName, TooManyKeys } from "../../../services/credentials/ApiKeys.ts"
import { maskOf } from "./Credentials.ts"
import * as Csrf from "../shared/Csrf.ts"
import { field, problemOf, problemSummary } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { KeyName, refusalOf, upgradePrompt } from "./IntegrationsPage.ts"
import { integrationsPath, keyPath } from "./IntegrationsPaths.ts"
import { Layout } from "../shared/Layout.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { newKey } from "./NewKeyPage.ts"
import { gone, madeAlready } from "./KeyError.ts"
import { PageRoutes } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const Form = Schema.Struct({ name: KeyName, ends: KeyEnd, attempt: KeyAttempt })
type Form = typeof Form.Type

interface ReplaceView {
  readonly status?: number
  readonly refused?: Refusal
  readonly form?: Form
  readonly mayReplace?: boolean
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const keys = yield* ApiKeys
    const { page } = yield* Layout
    const config = yield* AppConfig
    const { mcpUrl } = config
    const links = OutwardLinks.of(config)

    const choices = (visitor: SignedIn, isFull: boolean, chosen: KeyEnd): Html => {
      const { text } = visitor.locale
      return html`<fieldset class="key-ends">
        <legend>${text("key.oldEnds")}</legend>
        ${isFull && html`<p class="hint" id="only-now">${text("key.onlyNow")}</p>`}
        ${keyEnds.map(
          (end) =>
            html`<div class="choice">
              <input
                type="radio"
                id="${end}"
                name="ends"
                value="${end}"
                aria-describedby="${end}-hint"
                ${end === chosen && html`checked`}
                ${isFull && end !== "now" && html`disabled`}
              />
              <label for="${end}">${text(`key.ends.${end}`)}</label>
              <small id="${end}-hint">${text(`key.endHints.${end}`)}</small>
            </div>`
        )}
      </fieldset>`
    }

    const replaceForm = (
      visitor: SignedIn,
      old: ApiKey,
      isFull: boolean,
      shown: ReplaceView & { attempt: KeyAttempt }
    ) => {
      const { text } = visitor.locale
      const { attempt, form, refused } = shown
      return html`
        <p>${text("key.replaceHow")}</p>
        <form method="post" action="${keyPath(old.id, "replace")}">
          ${Csrf.hidden(visitor, { attempt })}
          ${field({
            name: "name",
            label: text("key.newName"),
            hint: text("integrations.nameHint", { most: maxNameCharacters }),
            type: "text",
            autocomplete: "off",
            value: form?.name ?? old.name,
            error: problemOf(refused, "name")
          })}
          ${choices(visitor, isFull, isFull ? "now" : (form?.ends ?? "in_24_hours"))}
          <button type="submit">${text("key.replace")}</button>
        </form>
      `
    }

    const show = Effect.fnUntraced(function* (visitor: SignedIn, id: number, shown: ReplaceView) {
      const { locale, session } = visitor
      const { text } = locale
      const listed = yield* keys.list(session.accountId)
      const old = listed.find((key) => key.id === id)
      if (old === undefined) return page(gone(visitor))
      const attempt = shown.form?.attempt ?? (yield* keys.newAttempt)
      const { mayReplace = mayCallTools(session), refused, status } = shown
      const body = () => {
        if (old.endsAt !== null)
          return html`<p>${locale.html("key.replacedAlready", { end: locale.dateTime(old.endsAt) })}</p>`
        if (!mayReplace) return upgradePrompt(links, locale)
        return replaceForm(visitor, old, listed.length >= maxActive, { ...shown, attempt })
      }
      return page({
        account: visitor,
        section: "integrations",
        heading: text("key.replaceKey"),
        status,
        refused,
        body: html`
          ${problemSummary(refused?.problems)}
          <dl>
            <dt>${text("key.name")}</dt>
            <dd><bdi>${old.name}</bdi></dd>
            <dt>${text("key.key")}</dt>
            <dd>${maskOf(old)}</dd>
          </dl>
          ${body()}
          <p><a href="${integrationsPath}">${text("key.back")}</a></p>
        `
      })
    })

    const submit = Effect.fnUntraced(function* (form: Form, visitor: SignedIn) {
      const id = yield* pathId
      const refused = (error: InvalidKeyName | TooManyKeys) =>
        show(visitor, id, { refused: refusalOf(error, visitor.locale), form })
      return yield* keys.replace(visitor.session.accountId, id, form).pipe(
        Effect.map(({ key, replaced, secret }) =>
          page(newKey({ visitor, made: { key, secret }, replaced: { key: replaced, ends: form.ends }, mcpUrl }))
        ),
        Effect.catchTags({
          InvalidKeyName: refused,
          TooManyKeys: refused,
          KeyNotFound: () => Effect.succeed(page(gone(visitor))),
          // The key was replaced after the page was opened, perhaps in another window.
          KeyReplacedAlready: () => show(visitor, id, { status: 409 }),
          KeyMadeAlready: (error) => Effect.succeed(page(madeAlready(visitor, error.name))),
          PlanUpgradeRequired: () => show(visitor, id, { status: 403, mayReplace: false })
        })
      )
    })

    yield* routes.signedInPage(keyPath(":id", "replace"), (visitor) =>
      Effect.flatMap(pathId, (id) => show(visitor, id, {}))
    )

    yield* routes.signedInForm(keyPath(":id", "replace"), integrationsPath, Form, submit)
  })
)
