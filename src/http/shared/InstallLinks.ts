/**
 * `/install/<client>`: addresses that add this server to a client (D95). A document or a mail can link to them, where the scheme of
 * an editor would be dropped.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"

/** The name of this server in the configuration of a client, by these links and by hand. */
export const configuredName = "discovery"

/** Where each address leads, as the clients document their links. Claude takes no address in its link: people paste it there. */
export const targets = (mcpUrl: string) =>
  ({
    claude: "https://claude.ai/settings/connectors",
    cursor: `cursor://anysphere.cursor-deeplink/mcp/install?${new URLSearchParams({
      name: configuredName,
      config: Buffer.from(JSON.stringify({ url: mcpUrl })).toString("base64")
    }).toString()}`,
    vscode: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: configuredName, type: "http", url: mcpUrl }))}`
  }) as const

export type InstallClient = keyof ReturnType<typeof targets>

export const installPath = (client: InstallClient): `/${string}` => `/install/${client}`

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { mcpUrl } = yield* AppConfig
    const all = targets(mcpUrl)
    for (const client of ["claude", "cursor", "vscode"] as const satisfies ReadonlyArray<InstallClient>) {
      const headers = { location: all[client], "cache-control": "public, max-age=300" }
      yield* router.add("GET", installPath(client), HttpServerResponse.empty({ status: 302, headers }))
    }
  })
)
