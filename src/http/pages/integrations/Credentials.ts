/** Lists of API keys and connected apps: what they are, since when, when last used, and their actions. */
import type { DateTime } from "effect"
import { mask } from "../../../domain/access/Credential.ts"
import type { ApiKey } from "../../../services/credentials/ApiKeys.ts"
import type { ConnectedApp } from "../../../services/oauth/ConnectedApps.ts"
import { fact } from "../shared/Fact.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import { appPath, keyPath } from "./IntegrationsPaths.ts"
import type { Locale } from "../shared/Locale.ts"
import { hostOf } from "../shared/ThirdParty.ts"

export const maskOf = ({ lastFour }: ApiKey): Html => html`<code>${mask("api_key", lastFour)}</code>`

/** Of a publisher, only the host of the document's address is verified. */
export const publisherOf = ({ publisher }: ConnectedApp, locale: Locale): Html =>
  publisher === null
    ? html`${locale.text("integrations.ownName")}`
    : html`${locale.text("integrations.publisher")} ${hostOf(publisher)}`

interface Entry {
  /** The id of the element. */
  readonly id: string
  readonly name: string
  readonly detail: Html
  readonly facts: ReadonlyArray<readonly [label: string, value: string | Html]>
  readonly ways: ReadonlyArray<{ readonly label: string; readonly to: string; readonly look?: "danger" }>
}

/** Links have the name of the entry in their labels, because their texts repeat. */
const entry = ({ detail, facts, id, name, ways }: Entry): Html =>
  html`<li>
    <div>
      <h3 id="${id}"><bdi>${name}</bdi></h3>
      <p id="${id}-detail">${detail}</p>
    </div>
    <dl>${facts.map(([label, value]) => fact(label, value))}</dl>
    <p class="row-actions">
      ${ways.map(({ label, look = "", to }, index) => html` <a id="${id}-${index}" href="${to}" class="${look}" aria-labelledby="${id}-${index} ${id}" aria-describedby="${id}-detail">${label}</a>`)}
    </p>
  </li>`

const lastUse = (at: DateTime.Utc | null, locale: Locale): string | Html =>
  at === null ? locale.text("integrations.never") : locale.dateTime(at)

export const keyList = (keys: ReadonlyArray<ApiKey>, locale: Locale): Html =>
  html`<ul class="credentials">
    ${keys.map((key) =>
      entry({
        id: `key-${key.id}`,
        name: key.name,
        detail: maskOf(key),
        facts: [
          [locale.text("integrations.created"), locale.date(key.createdAt)],
          [locale.text("integrations.lastUsed"), lastUse(key.lastUsedAt, locale)],
          ...(key.endsAt === null ? [] : [[locale.text("integrations.ends"), locale.dateTime(key.endsAt)] as const])
        ],
        ways: [
          ...(key.endsAt === null
            ? [{ label: locale.text("integrations.replace"), to: keyPath(key.id, "replace") }]
            : []),
          { label: locale.text("integrations.revoke"), to: keyPath(key.id, "revoke"), look: "danger" }
        ]
      })
    )}
  </ul>`

export const appList = (apps: ReadonlyArray<ConnectedApp>, locale: Locale): Html =>
  html`<ul class="credentials">
    ${apps.map((app) =>
      entry({
        id: `app-${app.id}`,
        name: app.name,
        detail: publisherOf(app, locale),
        facts: [
          [locale.text("integrations.connected"), locale.date(app.connectedAt)],
          [locale.text("integrations.lastUsed"), lastUse(app.lastUsedAt, locale)]
        ],
        ways: [{ label: locale.text("integrations.revoke"), to: appPath(app.id, "revoke"), look: "danger" }]
      })
    )}
  </ul>`
