/** How to connect an app: the address that all apps need, and where each one takes it (docs/clients.md). */
import * as ClientSetup from "./ClientSetup.ts"
import { copyText } from "../shared/CopyText.ts"
import { clientsPath } from "../../shared/DocumentationPaths.ts"
import { html } from "../shared/Html.ts"
import type { Html } from "../shared/Html.ts"
import type { Locale } from "../shared/Locale.ts"
import * as InstallLinks from "../../shared/InstallLinks.ts"

/** A link to the steps for every client, also with keys. */
export const toAllApps = ({ text }: Locale): Html =>
  html`<p><a href="${clientsPath}" hreflang="en">${text("integrations.allApps")}</a></p>`

interface ConnectMethod {
  readonly client: string
  readonly how: string
  /** The text to copy. */
  readonly text?: string
  /** The client that a link opens, and its label. */
  readonly install?: readonly [InstallLinks.InstallClient, label: string]
}

/** `id` begins the ids of the elements. */
export const methodList = (id: string, ways: ReadonlyArray<ConnectMethod>, locale: Locale): Html =>
  html`<dl class="ways">
    ${ways.map(
      ({ client, how, install, text }, index) =>
        html`<div>
          <dt id="${id}-${index}">${client}</dt>
          <dd>
            ${install !== undefined && html`<p><a class="install" href="${InstallLinks.installPath(install[0])}">${install[1]}</a></p>`}
            <p>${how}</p>
            ${text !== undefined && copyText({ id: `${id}-text-${index}`, named: `${id}-${index}`, text, locale })}
          </dd>
        </div>`
    )}
  </dl>`

type Client = ClientSetup.ClientSetup["client"]

const editors: Partial<Record<Client, InstallLinks.InstallClient>> = { Cursor: "cursor", "VS Code": "vscode" }

const installOf = (client: Client, { text }: Locale): Pick<ConnectMethod, "install"> => {
  const editor = editors[client]
  return editor === undefined ? {} : { install: [editor, text("integrations.install", { client })] }
}

const methodsOf = (mcpUrl: string, locale: Locale): ReadonlyArray<ConnectMethod> => [
  {
    client: "Claude",
    how: locale.text("integrations.ways.claude"),
    install: ["claude", locale.text("integrations.openConnectors")]
  },
  { client: "ChatGPT", how: locale.text("integrations.ways.chatGpt") },
  ...ClientSetup.signingIn(mcpUrl).map(({ client, file, text }) => ({
    client,
    how:
      file === undefined
        ? locale.text("integrations.ways.claudeCode")
        : locale.text("integrations.ways.file", { file }),
    ...installOf(client, locale),
    text
  }))
]

export const connectAnApp = (options: {
  readonly mcpUrl: string
  /** Whether all of it is shown at once, as for an account without apps. */
  readonly open: boolean
  readonly locale: Locale
}): Html => {
  const { locale, mcpUrl, open } = options
  return html`<details ${open && html`open`}>
    <summary id="connect">${locale.text("integrations.connect")}</summary>
    <p id="connect-address">${locale.text("integrations.connectHow")}</p>
    ${copyText({ id: "mcp-url", named: "connect-address", text: mcpUrl, locale })}
    ${methodList("way", methodsOf(mcpUrl, locale), locale)} ${toAllApps(locale)}
  </details>`
}
