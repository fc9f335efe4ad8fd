/** P30 to P32, over real HTTP. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Messages from "../../support/Messages.ts"
import { type Answer, TestServer } from "../../support/TestServer.ts"

const way =
  'Bearer resource_metadata="https://discovery.test/.well-known/oauth-protected-resource/mcp", scope="discovery:read"'

const invalid = `${way}, error="invalid_token", error_description="the credential is not valid: it may be mistyped, revoked or expired; create a new API key, or sign in again"`

const challenge = ({ headers, status }: Answer) => [status, headers.get("www-authenticate")]

const withCredential = (authorization: string | undefined, options: { method?: string; path?: string } = {}) =>
  Effect.flatMap(TestServer, (server) =>
    server.send({
      headers: { authorization },
      ...(options.method === "GET" || options.method === "DELETE" ? {} : { body: JSON.stringify(Messages.plain) }),
      ...options
    })
  )

layer(TestServer.layer(), { excludeTestServices: true })("authentication", (it) => {
  // R1, R2, S95, S103
  describe("P30 401", () => {
    it.effect.each<[string, string | undefined]>([
      ["no header", undefined],
      ["an empty header", ""],
      ["another scheme", "Basic Z29vZDpnb29k"],
      ["a scheme alone", "Bearer"],
      ["a scheme and white space", "Bearer   "],
      ["a credential without scheme", "good"],
      ["a scheme that only begins so", "Bearergood"]
    ])("%s: shown the way, without an error", ([, authorization]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(challenge(yield* withCredential(authorization)), [401, way])
      })
    )

    it.effect.each<[string, string]>([
      ["an unknown one", "Bearer nobody"],
      ["two words", "Bearer good good"],
      ["another case", "Bearer GOOD"],
      ["a quoted one", 'Bearer "good"'],
      ["a name of the prototype", "Bearer __proto__"],
      ["junk", `Bearer ${"x".repeat(14_000)}`],
      ["bytes beyond ASCII", "Bearer ÿþý"]
    ])("%s: invalid_token, all alike", ([, authorization]) =>
      Effect.gen(function* () {
        const answer = yield* withCredential(authorization)
        assert.deepStrictEqual(challenge(answer), [401, invalid])
        const reference = yield* withCredential("Bearer unknown")
        const [text, expected] = [answer, reference].map(({ headers, text }) =>
          text.replace(headers.get("x-request-id") ?? "", "")
        )
        assert.strictEqual(text, expected)
      })
    )

    it.effect.each(["dsk_", "dat_"])(
      "%s… without a scheme: the header and the body name the missing Bearer",
      (prefix) =>
        Effect.gen(function* () {
          const answer = yield* withCredential(`${prefix}${"x".repeat(43)}`)
          const message =
            "the word Bearer is missing before the credential: send the header Authorization: Bearer <credential>"
          assert.deepStrictEqual(challenge(answer), [
            401,
            `${way}, error="invalid_token", error_description="${message}"`
          ])
          assert.nestedPropertyVal(answer.json, "error.message", message)
        })
    )

    it.effect.each(["dsk_x", "Bearer x"])("%s: error_description has only the characters of RFC 6750, 3", (sent) =>
      Effect.gen(function* () {
        const [, header = ""] = challenge(yield* withCredential(sent))
        const [, description = ""] = /error_description="([^"]*)"/.exec(String(header)) ?? []
        assert.match(description, /^[\u0020-\u0021\u0023-\u005B\u005D-\u007E]+$/)
      })
    )

    it.effect.each(["Bearer good", "bearer good", "BEARER good", "Bearer   good", "Bearer\tgood", "  Bearer good  "])(
      "%j is a credential",
      (authorization) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* withCredential(authorization)).status, 200)
        })
    )

    it.effect.each(["GET", "DELETE", "PUT", "POST", "PATCH"])("for %s as well", (method) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(challenge(yield* withCredential(undefined, { method })), [401, way])
        assert.deepStrictEqual(challenge(yield* withCredential("Bearer x", { method })), [401, invalid])
      })
    )

    it.effect.each(["initialize", "ping", "tools/list", "server/discover", "notifications/initialized"])(
      "for %s as well",
      (method) =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const answer = yield* server.post(Messages.request(method), { authorization: undefined })
          assert.strictEqual(answer.status, 401)
        })
    )
  })

  // S36, D6
  describe("P31 a plan problem", () => {
    it.effect("is a tool error; the credential stays valid for everything else", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const headers = { authorization: "Bearer unpaid" }
        assert.strictEqual((yield* server.post(Messages.request("tools/list"), headers)).status, 200)
        const answer = yield* server.post(Messages.plain, headers)
        assert.deepStrictEqual(challenge(answer), [200, null])
        assert.nestedPropertyVal(answer.json, "result.isError", true)
      })
    )
  })

  // R3, S41, S82
  describe("P32 metadata, and credentials in the address", () => {
    it.effect("both addresses return the same metadata", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const get = (path: string) => server.send({ method: "GET", path, headers: { authorization: undefined } })
        const [long, short] = [
          yield* get("/.well-known/oauth-protected-resource/mcp"),
          yield* get("/.well-known/oauth-protected-resource")
        ]
        assert.strictEqual(long.status, 200)
        assert.strictEqual(long.headers.get("content-type"), "application/json")
        assert.strictEqual(long.headers.get("cache-control"), "public, max-age=300")
        assert.deepStrictEqual(long.json, {
          resource: "https://discovery.test/mcp",
          authorization_servers: ["https://discovery.test"],
          scopes_supported: ["discovery:read"],
          bearer_methods_supported: ["header"],
          resource_name: "Discovery",
          resource_documentation: "https://discovery.test/docs"
        })
        assert.deepStrictEqual(short.json, long.json)
      })
    )

    it.effect.each(["access_token", "token", "api_key", "ACCESS_TOKEN"])(
      "?%s= is refused, and the answer says so",
      (name) =>
        Effect.gen(function* () {
          const answer = yield* withCredential(undefined, { path: `/mcp?a=1&${name}=good` })
          assert.deepStrictEqual(challenge(answer), [401, way])
          assert.include(answer.text, "query string")
          assert.include(answer.text, "Authorization: Bearer")
        })
    )

    it.effect("without a credential, the answer says what to send", () =>
      Effect.gen(function* () {
        const answer = yield* withCredential(undefined, { path: "/mcp?a=1" })
        assert.notInclude(answer.text, "query string")
        assert.include(answer.text, "Authorization: Bearer")
      })
    )
  })

  describe("when credentials cannot be looked up", () => {
    it.effect("503 with Retry-After, and no challenge: the credential may be valid", () =>
      Effect.gen(function* () {
        const answer = yield* withCredential("Bearer down")
        assert.deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "1"])
        assert.isNull(answer.headers.get("www-authenticate"))
        assert.notInclude(answer.text, "secret")
      })
    )

    it.effect("the cause is only in the log, under the request's id", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* withCredential("Bearer down")
        const id = answer.headers.get("x-request-id") ?? "no id"
        assert.notInclude(answer.text, "secret")
        assert.isTrue(server.logs.some((line) => line.includes(id) && line.includes("secret of the database")))
      }).pipe(Effect.provide(TestServer.layer(), { local: true }))
    )

    it.effect("a defect is 500, its cause only in the log, under the request's id", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const answer = yield* withCredential("Bearer defect")
        const id = answer.headers.get("x-request-id") ?? "no id"
        assert.strictEqual(answer.status, 500)
        assert.nestedPropertyVal(answer.json, "error.request_id", id)
        assert.notInclude(answer.text, "secret")
        assert.isTrue(server.logs.some((line) => line.includes(id) && line.includes("secret of the resolver")))
      })
    )
  })

  it.effect("no credential is ever logged", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const secret = "dsk_aVeryOwnSecretThatNobodyElseHas0000000000000"
      yield* withCredential(`Bearer ${secret}`)
      yield* withCredential(undefined, { path: `/mcp?access_token=${secret}` })
      assert.isFalse(server.logs.some((line) => line.includes(secret)))
    })
  )
})
