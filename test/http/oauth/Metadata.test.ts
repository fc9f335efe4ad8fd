/** R3 to R7, R22 and R55 over real HTTP. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Messages from "../../support/Messages.ts"
import { TestServer } from "../../support/TestServer.ts"

const base = "https://discovery.test"
const page = "https://inspector.example"
const wellKnown = "/.well-known/oauth-authorization-server"

layer(TestServer.layer({ config: { allowedOrigins: new Set([base, page]) } }), { excludeTestServices: true })(
  "metadata and CORS",
  (it) => {
    const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
      Effect.flatMap(TestServer, (server) =>
        server.send({ method, path, headers: { authorization: undefined, ...headers } })
      )

    // R6, S42, S85, S86, S87, S92
    it.effect("R4 the authorization server metadata has everything that real clients need", () =>
      Effect.gen(function* () {
        const answer = yield* get(wellKnown)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.deepStrictEqual(answer.json, {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          revocation_endpoint: `${base}/revoke`,
          response_types_supported: ["code"],
          response_modes_supported: ["query"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
          revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
          scopes_supported: ["discovery:read"],
          authorization_response_iss_parameter_supported: true,
          service_documentation: `${base}/docs/clients`,
          client_id_metadata_document_supported: true,
          protected_resources: [`${base}/mcp`]
        })
      })
    )

    it.effect("R3, R4 the resource names the issuer by the same text, and neither knows offline_access", () =>
      Effect.gen(function* () {
        const server = yield* get(wellKnown)
        const resource = yield* get("/.well-known/oauth-protected-resource")
        assert.deepStrictEqual(Object(resource.json)["authorization_servers"], [Object(server.json)["issuer"]])
        assert.notInclude(server.text + resource.text, "offline_access")
      })
    )

    it.effect("R7 nothing of it comes from the request", () =>
      Effect.gen(function* () {
        const plain = yield* get(wellKnown)
        const forged = yield* get(wellKnown, {
          "x-forwarded-host": "evil.example",
          "x-forwarded-proto": "http",
          forwarded: "host=evil.example"
        })
        assert.strictEqual(forged.text, plain.text)
      })
    )

    it.effect.each([
      "/.well-known/openid-configuration",
      "/.well-known/openid-configuration/mcp",
      "/mcp/.well-known/openid-configuration",
      "/.well-known/oauth-authorization-server/mcp",
      "/mcp/.well-known/oauth-authorization-server",
      "/mcp/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/other",
      "/.well-known/jwks.json",
      "/.well-known/"
    ])("R5 %s is a 404 in JSON that a page can read", (path) =>
      Effect.gen(function* () {
        const answer = yield* get(path, { origin: page, accept: "text/html" })
        assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
        assert.nestedPropertyVal(answer.json, "error.code", "not_found")
      })
    )

    describe("R55 a page of another origin", () => {
      const asked = {
        origin: "https://anybody.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,mcp-protocol-version,mcp-method,mcp-name"
      }

      it.effect.each([
        "/mcp",
        "/mcp/",
        "/token",
        "/register",
        "/revoke",
        wellKnown,
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/openid-configuration"
      ])("may ask whether it may call %s, without a token", (path) =>
        Effect.gen(function* () {
          const answer = yield* get(path, asked, "OPTIONS")
          assert.strictEqual(answer.status, 204)
          assert.strictEqual(answer.text, "")
          assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
          const allowed = (answer.headers.get("access-control-allow-headers") ?? "").split(", ")
          assert.includeMembers(allowed, [
            "authorization",
            "content-type",
            "mcp-protocol-version",
            "mcp-session-id",
            "mcp-method",
            "mcp-name",
            "last-event-id"
          ])
          const methods = answer.headers.get("access-control-allow-methods") ?? ""
          assert.include(methods, path.startsWith("/.well-known") ? "GET" : "POST")
          assert.isNull(answer.headers.get("access-control-allow-credentials"))
        })
      )

      it.effect("reads the 401 of /mcp, and the way that it shows", () =>
        Effect.gen(function* () {
          for (const headers of [{ origin: page }, { origin: page, authorization: "Bearer wrong" }]) {
            const answer = yield* get("/mcp", headers, "POST")
            assert.strictEqual(answer.status, 401)
            assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
            assert.include(answer.headers.get("access-control-expose-headers") ?? "", "WWW-Authenticate")
            assert.isNotNull(answer.headers.get("www-authenticate"))
          }
        })
      )

      it.effect("reads answers of /mcp; who is no page gets no such headers", () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const body = Messages.request("tools/list")
          const answer = yield* server.post(body, { origin: page })
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
          assert.isNull((yield* server.post(body)).headers.get("access-control-allow-origin"))
        })
      )

      it.effect("that may not call /mcp can read that it may not", () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const answer = yield* server.post(Messages.plain, { origin: "https://anybody.example" })
          assert.strictEqual(answer.status, 403)
          assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
        })
      )

      it.effect("R22 may not call anything else", () =>
        Effect.gen(function* () {
          for (const path of ["/authorize", "/sign-in", "/dashboard", "/health/ready", "/"]) {
            for (const method of ["GET", "OPTIONS"]) {
              const answer = yield* get(path, asked, method)
              assert.isNull(answer.headers.get("access-control-allow-origin"), `${method} ${path}`)
            }
          }
        })
      )
    })
  }
)
