/** `/dashboard/integrations/keys/:id/revoke` and `.../apps/:id/revoke`: a confirmation, then the revocation. */
import { Effect, Layer } from "effect"
import type { AccountId } from "../../../domain/access/Account.ts"
import type { MessageKey } from "../../../domain/Messages.ts"
import type { ServiceUnavailable } from "../../../domain/ToolError.ts"
import { ApiKeys } from "../../../services/credentials/ApiKeys.ts"
import type { ApiKey, KeyNotFound } from "../../../services/credentials/ApiKeys.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import type { AppNotFound, ConnectedApp } from "../../../services/oauth/ConnectedApps.ts"
import { maskOf, publisherOf } from "./Credentials.ts"
import { confirmForm } from "../shared/ButtonForm.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Done } from "./IntegrationsPage.ts"
import { appPath, integrationsPath, keyPath } from "./IntegrationsPaths.ts"
import { Layout } from "../shared/Layout.ts"
import type { Locale } from "../shared/Locale.ts"
import { gone } from "./KeyError.ts"
import { NoFields, PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"

/** What an account may revoke. */
interface Revocable<A> {
  readonly path: (id: number | ":id", action: "revoke") => `/${string}`
  readonly heading: MessageKey
  readonly effect: MessageKey
  readonly done: Done
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<A>, ServiceUnavailable>
  readonly facts: (credential: A, locale: Locale) => Html
  readonly revoke: (
    accountId: AccountId,
    id: number
  ) => Effect.Effect<void, KeyNotFound | AppNotFound | ServiceUnavailable>
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const keys = yield* ApiKeys
    const apps = yield* ConnectedApps
    const { page } = yield* Layout

    const add = Effect.fnUntraced(function* <A extends { readonly id: number }>(kind: Revocable<A>) {
      const { done, effect, facts, heading, list, path, revoke } = kind

      yield* routes.signedInPage(path(":id", "revoke"), (visitor) =>
        Effect.gen(function* () {
          const { locale, session } = visitor
          const { text } = locale
          const id = yield* pathId
          const credential = (yield* list(session.accountId)).find((each) => each.id === id)
          if (credential === undefined) return page(gone(visitor))
          return page({
            account: visitor,
            section: "integrations",
            heading: text(heading),
            body: html`
              <dl>${facts(credential, locale)}</dl>
              <p>${text(effect)}</p>
              ${confirmForm(visitor, {
                action: path(id, "revoke"),
                label: text("integrations.revoke"),
                look: "danger",
                back: { href: integrationsPath, label: text("key.keep") }
              })}
            `
          })
        })
      )

      yield* routes.signedInForm(path(":id", "revoke"), integrationsPath, NoFields, (_, visitor) =>
        Effect.flatMap(pathId, (id) => revoke(visitor.session.accountId, id)).pipe(
          Effect.as(seeOther(withDone(integrationsPath, done))),
          Effect.catchTag(["KeyNotFound", "AppNotFound"], () => Effect.succeed(page(gone(visitor))))
        )
      )
    })

    yield* add<ApiKey>({
      path: keyPath,
      heading: "key.revokeKey",
      effect: "key.revokeKeyEffect",
      done: "key_revoked",
      list: (accountId) => keys.list(accountId),
      facts: (key, { text }) =>
        html`<dt>${text("key.name")}</dt>
          <dd><bdi>${key.name}</bdi></dd>
          <dt>${text("key.key")}</dt>
          <dd>${maskOf(key)}</dd>`,
      revoke: (accountId, id) => keys.revoke(accountId, id)
    })
    yield* add<ConnectedApp>({
      path: appPath,
      heading: "key.revokeApp",
      effect: "key.revokeAppEffect",
      done: "app_revoked",
      list: (accountId) => apps.list(accountId),
      facts: (app, locale) =>
        html`<dt>${locale.text("key.app")}</dt>
          <dd><bdi>${app.name}</bdi></dd>
          <dd>${publisherOf(app, locale)}</dd>`,
      revoke: (accountId, id) => apps.revoke(accountId, id)
    })
  })
)
