/** Where clients find out what protects the endpoint (RFC 9728; protocol.md 32). */
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { protectedResourcePath, scope } from "./ProtectedResource.ts"

/** Clients look at either address; what they find must be the same. */
const paths = [protectedResourcePath, "/.well-known/oauth-protected-resource"] as const

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { baseUrl, mcpUrl } = yield* AppConfig
    const document = HttpServerResponse.jsonUnsafe(
      {
        resource: mcpUrl,
        authorization_servers: [baseUrl],
        scopes_supported: [scope],
        bearer_methods_supported: ["header"],
        resource_name: "Discovery"
      },
      { headers: { "cache-control": "public, max-age=300" } }
    )
    for (const path of paths) yield* router.add("GET", path, document)
  })
)
