/**
 * Metadata of the protected resource and of the authorization server (R3 to R7, S41, S42, S85; RFC 9728, RFC 8414). It
 * depends only on the configuration, never on the `Host` of the request.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AppConfig } from "../../Config.ts"
import { authMethods } from "../../domain/oauth/Client.ts"
import * as View from "../../domain/mcp/View.ts"
import { scope } from "../../domain/oauth/Scope.ts"
import { clientsPath, documentationPath } from "../shared/DocumentationPaths.ts"
import { queryOf } from "../shared/QueryParameters.ts"
import { RequestId } from "../shared/RequestId.ts"
import * as Cors from "../shared/Cors.ts"

/** The address of the metadata of `/mcp` (RFC 9728, 3.1). */
export const protectedResourcePath = "/.well-known/oauth-protected-resource/mcp"

/** Clients use both. */
const protectedResourcePaths = [protectedResourcePath, "/.well-known/oauth-protected-resource"] as const

const authorizationServerPath = "/.well-known/oauth-authorization-server"

/**
 * Other addresses that clients try: metadata of another issuer, or of OpenID Connect, which this server does not
 * implement. They get a JSON error with CORS.
 */
const elsewhere = ["/.well-known/*", "/mcp/.well-known/*"] as const

const cached = { headers: { "cache-control": "public, max-age=300", ...Cors.headers } }

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { baseUrl, clientMetadataDocuments, mcpUrl } = yield* AppConfig
    const metadataOf = (resource: string) =>
      HttpServerResponse.jsonUnsafe(
        {
          resource,
          authorization_servers: [baseUrl],
          scopes_supported: [scope],
          bearer_methods_supported: ["header"],
          resource_name: "Discovery",
          resource_documentation: `${baseUrl}${documentationPath}`
        },
        cached
      )
    const whole = metadataOf(mcpUrl)
    /** `resource` is the address that the client asks about, with its query: some compare both (RFC 9728, 3.1 and 3.3). */
    const protectedResource = (request: HttpServerRequest.HttpServerRequest) => {
      const query = queryOf(request.url)
      return Effect.succeed(View.isNamed(query) ? metadataOf(`${mcpUrl}?${query}`) : whole)
    }
    const authorizationServer = HttpServerResponse.jsonUnsafe(
      {
        issuer: baseUrl,
        authorization_endpoint: `${baseUrl}/authorize`,
        token_endpoint: `${baseUrl}/token`,
        registration_endpoint: `${baseUrl}/register`,
        revocation_endpoint: `${baseUrl}/revoke`,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: authMethods,
        revocation_endpoint_auth_methods_supported: authMethods,
        scopes_supported: [scope],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${baseUrl}${clientsPath}`,
        ...(clientMetadataDocuments === "on" ? { client_id_metadata_document_supported: true } : {}),
        protected_resources: [mcpUrl]
      },
      cached
    )
    for (const path of protectedResourcePaths) yield* router.add("GET", path, protectedResource)
    yield* router.add("GET", authorizationServerPath, authorizationServer)
    const nothing = Effect.map(RequestId, (requestId) =>
      HttpServerResponse.jsonUnsafe(
        { error: { code: "not_found", message: "there is no such metadata", request_id: requestId } },
        { status: 404, headers: Cors.headers }
      )
    )
    for (const path of elsewhere) {
      yield* router.add("GET", path, nothing)
      yield* router.add("OPTIONS", path, Cors.preflight("GET, OPTIONS"))
    }
  })
)
