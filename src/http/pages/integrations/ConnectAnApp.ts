/** How apps are connected: the one address that all of them need, and where each takes it (docs/clients.md). */
import * as ClientSetup from "./ClientSetup.ts"
import { copyText } from "../shared/CopyText.ts"
import { clientsPath } from "../shared/DocumentationPaths.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"

/** To the steps of every client, for keys as well. */
export const toAllApps = ({ text }: Locale): Html =>
  html`<p><a href="${clientsPath}" hreflang="en">${text("integrations.allApps")}</a></p>`

interface Way {
  readonly client: string
  readonly how: string
  /** To be copied. */
  readonly text?: string
}

const waysOf = (mcpUrl: string, locale: Locale): ReadonlyArray<Way> => [
  { client: "Claude", how: locale.text("integrations.ways.claude") },
  { client: "ChatGPT", how: locale.text("integrations.ways.chatGpt") },
  ...ClientSetup.signingIn(mcpUrl).map(({ client, file, text }) => ({
    client,
    how:
      file === undefined
        ? locale.text("integrations.ways.claudeCode")
        : locale.text("integrations.ways.file", { file }),
    text
  }))
]

export const connectAnApp = (options: {
  readonly mcpUrl: string
  /** For an account that has no app yet: all of it is shown at once. */
  readonly open: boolean
  readonly locale: Locale
}): Html => {
  const { locale, mcpUrl, open } = options
  return html`<details ${open && html`open`}>
    <summary id="connect">${locale.text("integrations.connect")}</summary>
    <p id="connect-address">${locale.text("integrations.connectHow")}</p>
    ${copyText({ id: "mcp-url", named: "connect-address", text: mcpUrl, locale })}
    <dl class="ways">
      ${waysOf(mcpUrl, locale).map(
        ({ client, how, text }, index) =>
          html`<div>
            <dt id="way-${index}">${client}</dt>
            <dd>
              <p>${how}</p>
              ${text !== undefined && copyText({ id: `way-text-${index}`, named: `way-${index}`, text, locale })}
            </dd>
          </div>`
      )}
    </dl>
    ${toAllApps(locale)}
  </details>`
}
