/** R42 to R46 over real HTTP. What may be registered is in test/domain/oauth. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Clients } from "../../../src/services/oauth/Clients.ts"
import * as OAuthServer from "../../support/OAuthServer.ts"
import { start } from "../../support/OAuthServer.ts"
import { TestServer } from "../../support/TestServer.ts"

const uri = "http://localhost:8787/callback"

layer(OAuthServer.layer(), { excludeTestServices: true })("/register", (it) => {
  const register = (body: unknown, headers: Readonly<Record<string, string | undefined>> = {}) =>
    Effect.flatMap(TestServer, (server) =>
      server.send({
        path: "/register",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { authorization: undefined, ...headers }
      })
    )

  it.effect("R42 answers 201 with everything that holds for the client, and nothing to change it with", () =>
    Effect.gen(function* () {
      const answer = yield* register({
        client_name: "VS Code",
        redirect_uris: [uri, "cursor://anysphere.cursor-mcp/oauth/callback"],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["token"],
        scope: "openid",
        application_type: "web",
        code_challenge_method: "S256",
        jwks: { keys: [] }
      })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
      const id: unknown = Object(answer.json)["client_id"]
      assert.deepStrictEqual(answer.json, {
        client_id: id,
        client_id_issued_at: Date.parse(start) / 1000,
        client_name: "VS Code",
        redirect_uris: [uri, "cursor://anysphere.cursor-mcp/oauth/callback"],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        scope: "discovery:read"
      })
      const client = yield* Effect.flatMap(Clients, (clients) => clients.find(String(id), "203.0.113.1"))
      assert.strictEqual(client.name, "VS Code")
    })
  )

  it.effect("R42 gives a secret, once and for good, to who asks for one or says nothing", () =>
    Effect.gen(function* () {
      for (const token_endpoint_auth_method of ["client_secret_post", "client_secret_basic", undefined]) {
        const { json, status } = yield* register({ redirect_uris: [uri], token_endpoint_auth_method })
        assert.strictEqual(status, 201)
        assert.nestedPropertyVal(json, "client_secret_expires_at", 0)
        assert.match(String(Object(json)["client_secret"]), /^[A-Za-z0-9_-]{47}$/)
        assert.nestedPropertyVal(
          json,
          "token_endpoint_auth_method",
          token_endpoint_auth_method ?? "client_secret_basic"
        )
      }
    })
  )

  it.effect("R31 takes names that hide or break things, and keeps what can be shown", () =>
    Effect.gen(function* () {
      const name = `\u0000\u202eGood\u0007 <b>"x"</b> ${"🙂".repeat(200)}`
      const { json, status } = yield* register({ redirect_uris: [uri], client_name: name })
      assert.strictEqual(status, 201)
      assert.nestedPropertyVal(json, "client_name", `Good <b>"x"</b> ${"🙂".repeat(100 - 'Good <b>"x"</b> '.length)}`)
    })
  )

  it.effect.each<[unknown, string]>([
    [{ redirect_uris: ["http://app.example/cb"] }, "invalid_redirect_uri"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [{ redirect_uris: [] }, "invalid_redirect_uri"],
    [{ redirect_uris: Array.from({ length: 51 }, () => uri) }, "invalid_redirect_uri"],
    [{ redirect_uris: "x" }, "invalid_client_metadata"],
    [{}, "invalid_client_metadata"],
    [[], "invalid_client_metadata"],
    ["null", "invalid_client_metadata"],
    ["", "invalid_client_metadata"],
    ["{", "invalid_client_metadata"],
    [`{"redirect_uris":["${uri}"],"redirect_uris":["${uri}"]}`, "invalid_client_metadata"],
    [`{"redirect_uris":["${uri}"],"x":"${"x".repeat(65_536)}"}`, "invalid_client_metadata"],
    ["[".repeat(60_000), "invalid_client_metadata"]
  ])("R43, R45 refuses what it cannot take", ([body, code]) =>
    Effect.gen(function* () {
      const answer = yield* register(body)
      assert.strictEqual(answer.status, 400)
      assert.nestedPropertyVal(answer.json, "error", code)
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
    })
  )

  it.effect.each(["application/x-www-form-urlencoded", "text/plain", undefined])("refuses a body of type %s", (type) =>
    Effect.gen(function* () {
      const answer = yield* register({ redirect_uris: [uri] }, { "content-type": type })
      assert.strictEqual(answer.status, 400)
      assert.nestedPropertyVal(answer.json, "error", "invalid_client_metadata")
    })
  )

  describe("R45 a flood", () => {
    const flood = (headers: (index: number) => Readonly<Record<string, string>>) =>
      Effect.gen(function* () {
        const answers = yield* Effect.forEach(Array.from({ length: 65 }), (_, index) =>
          register({ redirect_uris: [uri] }, headers(index))
        )
        return answers
      })
    const config = { trustedProxies: [] }

    it.effect("from one address is 429 with Retry-After; X-Forwarded-For of an untrusted peer is ignored", () =>
      Effect.gen(function* () {
        const answers = yield* flood((index) => ({ "x-forwarded-for": `198.51.100.${index}` }))
        assert.strictEqual(answers.filter(({ status }) => status === 201).length, 60)
        const last = answers.at(-1) ?? assert.fail()
        assert.strictEqual(last.status, 429)
        assert.strictEqual(last.headers.get("retry-after"), "10")
        assert.strictEqual(last.headers.get("access-control-allow-origin"), "*")
        assert.nestedPropertyVal(last.json, "error", "too_many_requests")
      }).pipe(Effect.provide(OAuthServer.layer(config), { local: true }))
    )

    it.effect("is counted by the address that a trusted proxy forwards", () =>
      Effect.gen(function* () {
        const answers = yield* flood((index) => ({ "x-forwarded-for": `10.9.9.9, 198.51.100.${index}, 127.0.0.2` }))
        assert.isTrue(answers.every(({ status }) => status === 201))
      }).pipe(Effect.provide(OAuthServer.layer({ trustedProxies: OAuthServer.loopback }), { local: true }))
    )
  })
})
