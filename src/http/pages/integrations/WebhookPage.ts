/**
 * `/dashboard/integrations/webhook`: the webhook of an account (D114): its address and state, and the forms that set and remove it.
 * Its secret is only in the answer to the form that makes it.
 */
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { AppConfig } from "../../../Config.ts"
import { mayCallTools } from "../../../domain/access/Plan.ts"
import { maxUrlCharacters, Webhooks } from "../../../services/webhooks/Webhooks.ts"
import type { Webhook } from "../../../services/webhooks/Webhooks.ts"
import { wayOut } from "../account/Subscription.ts"
import { buttonForm, quietForm } from "../shared/ButtonForm.ts"
import { copyText } from "../shared/CopyText.ts"
import * as Csrf from "../shared/Csrf.ts"
import { fact } from "../shared/Fact.ts"
import { field, problemOf, problemSummary, refusal } from "../shared/Fields.ts"
import type { Refusal } from "../shared/Fields.ts"
import { doneField, doneNotice, withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { Layout } from "../shared/Layout.ts"
import type { Page } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import * as OutwardLinks from "../shared/OutwardLinks.ts"
import { NoFields, PageRoutes, reads, seeOther } from "../shared/PageRoutes.ts"
import type { SignedIn } from "../shared/Visitors.ts"
import { integrationsPath, webhookPath } from "./IntegrationsPaths.ts"

const secretPath = `${webhookPath}/secret` as const
const removePath = `${webhookPath}/remove` as const

const flashNotices = ["saved", "removed"] as const
const Query = Schema.Struct(doneField(flashNotices))

/** Addresses that are too long are accepted here, to be shown again with what is wrong. */
const Form = Schema.Struct({ url: Schema.String.check(Schema.isMaxLength(10_000)) })

interface WebhookView {
  readonly done?: (typeof flashNotices)[number]
  readonly status?: number
  readonly refused?: Refusal
  readonly url?: string
}

const stateOf = ({ disabledAt, failingSince, lastStatus }: Webhook, locale: Locale): string | Html => {
  if (disabledAt !== null) {
    return locale.html(lastStatus === 410 ? "webhook.gone" : "webhook.disabled", { at: locale.dateTime(disabledAt) })
  }
  return failingSince === null
    ? locale.text("webhook.on")
    : locale.html("webhook.failing", { at: locale.dateTime(failingSince) })
}

const lastOf = ({ lastAt, lastOutcome, lastStatus }: Webhook, locale: Locale): string | Html =>
  lastAt === null || lastOutcome === null
    ? locale.text("integrations.never")
    : html`${locale.dateTime(lastAt)}:
      ${locale.text(`webhook.outcome.${lastOutcome}`, { status: String(lastStatus ?? "") })}`

/** The secret is only on this page: no address returns it. */
const secretPage = (visitor: SignedIn, secret: Redacted.Redacted): Page => {
  const { locale } = visitor
  const { text } = locale
  return {
    account: visitor,
    section: "integrations",
    heading: text("webhook.secret"),
    body: html`
      <div class="warning" role="status">
        <p><strong id="once">${text("webhook.once")}</strong> ${text("webhook.onceWhy")}</p>
      </div>
      ${copyText({ id: "secret", named: "once", text: Redacted.value(secret), locale })}
      <p><a href="${webhookPath}">${text("webhook.back")}</a></p>
    `
  }
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const webhooks = yield* Webhooks
    const { page } = yield* Layout
    const links = OutwardLinks.of(yield* AppConfig)

    const addressForm = (visitor: SignedIn, url: string, refused: Refusal | undefined) => {
      const { text } = visitor.locale
      return html`
        <form method="post" action="${webhookPath}">
          ${Csrf.hidden(visitor)}
          ${field({
            name: "url",
            label: text("webhook.url"),
            hint: text("webhook.urlHint"),
            type: "url",
            autocomplete: "off",
            value: url,
            error: problemOf(refused, "url")
          })}
          <button type="submit">${text("webhook.save")}</button>
        </form>
      `
    }

    const show = Effect.fnUntraced(function* (visitor: SignedIn, { done, refused, status, url }: WebhookView) {
      const { locale, session } = visitor
      const { text } = locale
      const webhook = Option.getOrUndefined(yield* webhooks.get(session.accountId))
      return page({
        account: visitor,
        section: "integrations",
        heading: text("webhook.heading"),
        status,
        refused,
        body: html`
          ${doneNotice(done, flashNotices, (word) => text(`webhook.done.${word}`))} ${problemSummary(refused?.problems)}
          <p>${text("webhook.about")} ${text("webhook.retries")}</p>
          ${
            webhook !== undefined &&
            html`<dl>
              ${fact(text("webhook.state"), stateOf(webhook, locale))}${fact(text("webhook.last"), lastOf(webhook, locale))}
            </dl>`
          }
          ${
            mayCallTools(session)
              ? addressForm(visitor, url ?? webhook?.url ?? "", refused)
              : html`<p>${text("webhook.upgrade")} ${wayOut(links, locale)}</p>`
          }
          ${
            webhook !== undefined &&
            html`${buttonForm(visitor, secretPath, text("webhook.rotate"))}
            ${quietForm(visitor, removePath, text("webhook.remove"))}`
          }
          <p><a href="${integrationsPath}">${text("key.back")}</a></p>
        `
      })
    })

    const secretOr = (visitor: SignedIn, secret: Option.Option<Redacted.Redacted>, path: string) =>
      Option.match(secret, {
        onNone: () => seeOther(path),
        onSome: (made) => page(secretPage(visitor, made))
      })

    const set = Effect.fnUntraced(
      function* ({ url }: typeof Form.Type, visitor: SignedIn) {
        if (!mayCallTools(visitor.session)) return yield* show(visitor, { status: 403 })
        const secret = yield* webhooks.set(visitor.session.accountId, url)
        return secretOr(visitor, secret, withDone(webhookPath, "saved"))
      },
      (setting, { url }, visitor) =>
        Effect.catchTag(setting, "InvalidWebhookUrl", () => {
          const message = visitor.locale.text("webhook.badUrl", { most: maxUrlCharacters })
          return show(visitor, { refused: refusal(400, { field: "url", message }), url })
        })
    )

    yield* routes.signedInPage(webhookPath, reads(Query, show))

    yield* routes.signedInForm(webhookPath, webhookPath, Form, set)

    yield* routes.signedInForm(secretPath, webhookPath, NoFields, (_, visitor) =>
      Effect.map(webhooks.rotate(visitor.session.accountId), (secret) => secretOr(visitor, secret, webhookPath))
    )

    yield* routes.signedInForm(removePath, webhookPath, NoFields, (_, visitor) =>
      Effect.as(webhooks.remove(visitor.session.accountId), seeOther(withDone(webhookPath, "removed")))
    )
  })
)
