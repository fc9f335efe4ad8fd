/** `/dashboard/integrations`: the API keys and connected apps of an account, and the form that makes a key (S94 to S105, D50). */
import { Effect, Layer, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import { mayCallTools } from "../../../domain/access/Plan.ts"
import { ApiKeys, KeyAttempt, maxActive, maxAnHour, maxNameCharacters } from "../../../services/credentials/ApiKeys.ts"
import type { ApiKey, InvalidKeyName, TooManyKeys } from "../../../services/credentials/ApiKeys.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import { wayOut } from "../account/Subscription.ts"
import { connectAnApp } from "./ConnectAnApp.ts"
import { appList, keyList } from "./Credentials.ts"
import * as Csrf from "../shared/Csrf.ts"
import { doneField, doneNotice } from "../shared/FlashNotice.ts"
import { field, problemOf, problemSummary, refusal } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { integrationsPath, webhookPath } from "./IntegrationsPaths.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { newKey } from "./NewKeyPage.ts"
import { madeAlready } from "./KeyError.ts"
import { PageRoutes, reads } from "../shared/PageRoutes.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** Results of the pages that revoke a key or an app. */
const flashNotices = ["key_revoked", "app_revoked"] as const
export type Done = (typeof flashNotices)[number]

const Query = Schema.Struct(doneField(flashNotices))

/** Names that are too long are accepted here, to be shown again with what is wrong. */
export const KeyName = Schema.String.check(Schema.isMaxLength(10_000))

const Form = Schema.Struct({ name: KeyName, attempt: KeyAttempt })

/** Why no key was created, and what to do. */
export const refusalOf = (error: InvalidKeyName | TooManyKeys, { text }: Locale): Refusal => {
  if (error._tag === "InvalidKeyName") {
    return refusal(400, { field: "name", message: text("integrations.badName", { most: maxNameCharacters }) })
  }
  if (error.limit === "active") return refusal(409, { message: text("integrations.allInUse", { most: maxActive }) })
  const { retryAfterSeconds = 0 } = error
  const message = text("integrations.tooFast", { most: maxAnHour, minutes: Math.ceil(retryAfterSeconds / 60) })
  return { ...refusal(429, { message }), headers: { "retry-after": String(retryAfterSeconds) } }
}

/** Replaces the form that creates keys, for an account that may have none. */
export const upgradePrompt = (links: OutwardLinks.Links, locale: Locale): Html =>
  html`<div class="notice" role="note">
    <p>${locale.text("integrations.upgrade")} ${wayOut(links, locale)}</p>
  </div>`

/** What the page shows, also again after an error in the form. */
interface IntegrationsView {
  readonly done?: Done
  readonly status?: number
  readonly refused?: Refusal
  readonly name?: string
  readonly attempt?: KeyAttempt
  readonly mayCreate?: boolean
  /** The address, which may contain the result of an action. */
  readonly url?: string
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const keys = yield* ApiKeys
    const apps = yield* ConnectedApps
    const { page } = yield* Layout
    const config = yield* AppConfig
    const { mcpUrl } = config
    const links = OutwardLinks.of(config)

    const createForm = (visitor: SignedIn, attempt: KeyAttempt, { name = "", refused }: IntegrationsView) => {
      const { text } = visitor.locale
      return html`
        <form method="post" action="${integrationsPath}" class="one-line">
          ${Csrf.hidden(visitor, { attempt })}
          ${field({
            name: "name",
            label: text("integrations.name"),
            hint: text("integrations.nameHint", { most: maxNameCharacters }),
            type: "text",
            autocomplete: "off",
            value: name,
            error: problemOf(refused, "name")
          })}
          <button type="submit">${text("integrations.create")}</button>
        </form>
      `
    }

    /** The form that creates a key, or why there is none. */
    const creation = (
      visitor: SignedIn,
      listed: ReadonlyArray<ApiKey>,
      attempt: KeyAttempt,
      shown: IntegrationsView
    ) => {
      const { text } = visitor.locale
      const { mayCreate = mayCallTools(visitor.session), refused } = shown
      if (!mayCreate) return upgradePrompt(links, visitor.locale)
      const isFull = listed.length >= maxActive
      return html`
        ${problemSummary(refused?.problems)}
        ${isFull && refused === undefined && html`<p class="notice" role="note">${text("integrations.allInUse", { most: maxActive })}</p>`}
        ${!isFull && createForm(visitor, attempt, shown)}
      `
    }

    const show = Effect.fnUntraced(function* (visitor: SignedIn, shown: IntegrationsView) {
      const { locale, session } = visitor
      const { text } = locale
      const { done, refused, status } = shown
      const [listed, connected, newAttempt] = yield* Effect.all(
        [keys.list(session.accountId), apps.list(session.accountId), keys.newAttempt],
        { concurrency: 2 }
      )
      return page({
        account: visitor,
        section: "integrations",
        width: "wide",
        heading: text("integrations.heading"),
        status,
        refused,
        body: html`
          ${doneNotice(done, flashNotices, (word) => text(`integrations.done.${word}`))}
          <section class="panel" aria-labelledby="keys">
            <div class="titled">
              <h2 id="keys">${text("integrations.keys")}</h2>
              <p class="aside">${text("integrations.inUse", { count: listed.length, most: maxActive })}</p>
            </div>
            <p>${text("integrations.keysPurpose")}</p>
            ${creation(visitor, listed, shown.attempt ?? newAttempt, shown)}
            ${listed.length === 0 ? html`<p class="empty">${text("integrations.noKeys")}</p>` : keyList(listed, locale)}
          </section>
          <section class="panel" aria-labelledby="apps">
            <h2 id="apps">${text("integrations.apps")}</h2>
            <p>${text("integrations.appsPurpose")}</p>
            ${connected.length === 0 ? html`<p class="empty">${text("integrations.noApps")}</p>` : appList(connected, locale)}
            ${
              mayCallTools(session)
                ? connectAnApp({ mcpUrl, open: connected.length === 0, locale })
                : html`<p>${text("integrations.connectUpgrade")} ${wayOut(links, locale)}</p>`
            }
          </section>
          <section class="panel" aria-labelledby="webhook">
            <h2 id="webhook">${text("webhook.heading")}</h2>
            <p>${text("webhook.about")}</p>
            <p><a href="${webhookPath}">${text("webhook.manage")}</a></p>
          </section>
        `
      })
    })

    const submit = Effect.fnUntraced(function* (form: typeof Form.Type, visitor: SignedIn) {
      const { attempt, name } = form
      const refused = (error: InvalidKeyName | TooManyKeys) =>
        show(visitor, { refused: refusalOf(error, visitor.locale), name, attempt })
      return yield* keys.create(visitor.session.accountId, name, attempt).pipe(
        Effect.map((made) => page(newKey({ visitor, made, mcpUrl }))),
        Effect.catchTags({
          InvalidKeyName: refused,
          TooManyKeys: refused,
          KeyMadeAlready: (error) => Effect.succeed(page(madeAlready(visitor, error.name))),
          PlanUpgradeRequired: () => show(visitor, { status: 403, mayCreate: false })
        })
      )
    })

    yield* routes.signedInPage(integrationsPath, reads(Query, show))

    yield* routes.signedInForm(integrationsPath, integrationsPath, Form, submit)
  })
)
