/** The only page that shows an API key: the answer to the form that creates it. */
import type { DateTime } from "effect"
import { Redacted } from "effect"
import type { KeyEnd } from "../../../domain/access/KeyEnd.ts"
import type { ApiKey, NewKey } from "../../../services/credentials/ApiKeys.ts"
import * as ClientSetup from "./ClientSetup.ts"
import { toAllApps, methodList } from "./ConnectAnApp.ts"
import { copyText } from "../shared/CopyText.ts"
import { html } from "../shared/Html.ts"
import { integrationsPath } from "./IntegrationsPaths.ts"
import type { Page } from "../shared/Layout.ts"
import { quoted } from "../shared/ThirdParty.ts"
import type { SignedIn } from "../shared/Visitors.ts"

/** The secret is only on this page: it is not stored, and no address returns it. */
export const newKey = (options: {
  readonly visitor: SignedIn
  readonly made: NewKey
  readonly replaced?: { readonly key: ApiKey & { readonly endsAt: DateTime.Utc }; readonly ends: KeyEnd }
  readonly mcpUrl: string
}): Page => {
  const { made, mcpUrl, replaced, visitor } = options
  const { locale } = visitor
  const { text } = locale
  const secret = Redacted.value(made.secret)
  const ways = ClientSetup.withKey(mcpUrl, secret).map((setup) => ({
    ...setup,
    how: setup.file === undefined ? text("key.run") : text("key.into", { file: setup.file })
  }))
  const old =
    replaced !== undefined &&
    (replaced.ends === "now"
      ? locale.html("key.oldEnded", { name: quoted(replaced.key.name, locale) })
      : locale.html("key.oldWorksUntil", {
          name: quoted(replaced.key.name, locale),
          end: locale.dateTime(replaced.key.endsAt)
        }))
  return {
    account: visitor,
    section: "integrations",
    width: "wide",
    heading: text("key.newKey"),
    body: html`
      <section class="panel">
        <p role="status">${locale.html("key.created", { name: quoted(made.key.name, locale) })} ${old}</p>
        <div class="warning" role="note">
          <p><strong id="once">${text("key.once")}</strong> ${text("key.onceWhy")}</p>
        </div>
        ${copyText({ id: "secret", named: "once", text: secret, locale })}
        <p><a href="${integrationsPath}">${text("key.back")}</a></p>
      </section>
      <section class="panel" aria-labelledby="set-up">
        <h2 id="set-up">${text("key.setUp")}</h2>
        <p>${text("key.setUpHow")}</p>
        ${methodList("setup", ways, locale)} ${toAllApps(locale)}
      </section>
    `
  }
}
