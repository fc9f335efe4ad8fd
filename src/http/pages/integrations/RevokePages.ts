/** `/dashboard/integrations/keys/:id/revoke` and `.../apps/:id/revoke`: a confirmation, then the revocation. */
import { Effect, Layer, Schema } from "effect"
import { ApiKeys } from "../../../services/access/ApiKeys.ts"
import { ConnectedApps } from "../../../services/oauth/ConnectedApps.ts"
import { maskOf, publisherOf } from "./Credentials.ts"
import * as Csrf from "../shared/Csrf.ts"
import { withDone } from "../shared/FlashNotice.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Done } from "./IntegrationsPage.ts"
import { appPath, integrationsPath, keyPath } from "./IntegrationsPaths.ts"
import { Layout } from "../shared/Layout.ts"
import type { Page } from "../shared/Layout.ts"
import { gone } from "./KeyError.ts"
import { PageRoutes, seeOther } from "../shared/PageRoutes.ts"
import { pathId } from "../shared/PathId.ts"
import type { SignedIn } from "../shared/Visitors.ts"

const donePath = (done: Done) => withDone(integrationsPath, done)

const question = (options: {
  readonly visitor: SignedIn
  readonly heading: string
  readonly effect: string
  readonly facts: Html
  readonly action: string
}): Page => {
  const { action, effect, facts, heading, visitor } = options
  const { locale } = visitor
  return {
    account: visitor,
    section: "integrations",
    heading,
    body: html`
      <dl>${facts}</dl>
      <p>${effect}</p>
      <form method="post" action="${action}">
        ${Csrf.hidden(visitor)}
        <div class="actions">
          <button type="submit">${locale.text("integrations.revoke")}</button>
          <a href="${integrationsPath}" role="button" class="secondary">${locale.text("key.keep")}</a>
        </div>
      </form>
    `
  }
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const routes = yield* PageRoutes
    const keys = yield* ApiKeys
    const apps = yield* ConnectedApps
    const { page } = yield* Layout

    const askForKey = Effect.fnUntraced(function* (visitor: SignedIn) {
      const id = yield* pathId
      const { text } = visitor.locale
      const key = (yield* keys.list(visitor.session.accountId)).find((key) => key.id === id)
      if (key === undefined) return page(gone(visitor))
      return page(
        question({
          visitor,
          heading: text("key.revokeKey"),
          effect: text("key.revokeKeyEffect"),
          facts: html`<dt>${text("key.name")}</dt>
            <dd><bdi>${key.name}</bdi></dd>
            <dt>${text("key.key")}</dt>
            <dd>${maskOf(key)}</dd>`,
          action: keyPath(id, "revoke")
        })
      )
    })

    const askForApp = Effect.fnUntraced(function* (visitor: SignedIn) {
      const id = yield* pathId
      const { text } = visitor.locale
      const app = (yield* apps.list(visitor.session.accountId)).find((app) => app.id === id)
      if (app === undefined) return page(gone(visitor))
      return page(
        question({
          visitor,
          heading: text("key.revokeApp"),
          effect: text("key.revokeAppEffect"),
          facts: html`<dt>${text("key.app")}</dt>
            <dd><bdi>${app.name}</bdi></dd>
            <dd>${publisherOf(app, visitor.locale)}</dd>`,
          action: appPath(id, "revoke")
        })
      )
    })

    const revokeKey = Effect.fnUntraced(function* (visitor: SignedIn) {
      const id = yield* pathId
      return yield* keys.revoke(visitor.session.accountId, id).pipe(
        Effect.as(seeOther(donePath("key_revoked"))),
        Effect.catchTag("KeyNotFound", () => Effect.succeed(page(gone(visitor))))
      )
    })

    const revokeApp = Effect.fnUntraced(function* (visitor: SignedIn) {
      const id = yield* pathId
      return yield* apps.revoke(visitor.session.accountId, id).pipe(
        Effect.as(seeOther(donePath("app_revoked"))),
        Effect.catchTag("AppNotFound", () => Effect.succeed(page(gone(visitor))))
      )
    })

    const form = (path: `/${string}`, submit: typeof revokeKey | typeof revokeApp) =>
      routes.signedInForm(path, integrationsPath, Schema.Struct({}), (_, visitor) => submit(visitor))

    yield* routes.signedInPage(keyPath(":id", "revoke"), askForKey)
    yield* form(keyPath(":id", "revoke"), revokeKey)
    yield* routes.signedInPage(appPath(":id", "revoke"), askForApp)
    yield* form(appPath(":id", "revoke"), revokeApp)
  })
)
