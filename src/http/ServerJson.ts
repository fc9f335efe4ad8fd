/** What registries and importers of MCP servers read: `server.json`, with the address of this server filled in. */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import template from "../../server.json" with { type: "json" }
import { AppConfig } from "../Config.ts"
import * as Cors from "./oauth/Cors.ts"

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { mcpUrl } = yield* AppConfig
    // The variable is what importers show literally, when they do not ask for it.
    const remotes = template.remotes.map(({ headers, type }) => ({ type, url: mcpUrl, headers }))
    const response = HttpServerResponse.jsonUnsafe(
      { ...template, remotes },
      { headers: { "cache-control": "public, max-age=300", ...Cors.headers } }
    )
    yield* router.add("GET", "/server.json", response)
  })
)
