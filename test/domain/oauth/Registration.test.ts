import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { AuthMethod } from "../../../src/domain/oauth/Client.ts"
import * as ClientText from "../../../src/domain/oauth/ClientText.ts"
import * as Registration from "../../../src/domain/oauth/Registration.ts"

const uri = "http://localhost:8787/callback"

const read = (body: unknown) =>
  Result.match(Registration.read(body), { onFailure: ({ _tag }) => _tag, onSuccess: (registration) => registration })

describe("a registration", () => {
  it("R42 is what was asked for, as far as there is such a thing", () => {
    assert.deepStrictEqual(
      read({
        client_name: "Claude Code",
        redirect_uris: [uri],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        response_types: ["code", "token"],
        scope: "openid everything",
        logo_uri: "javascript:alert(1)",
        software_statement: 7
      }),
      { name: "Claude Code", redirectUris: [uri], authMethod: "none" }
    )
  })

  it.each<[string | null | undefined, AuthMethod]>([
    [undefined, "client_secret_basic"],
    [null, "client_secret_basic"],
    ["", "client_secret_basic"],
    ["client_secret_basic", "client_secret_basic"],
    ["client_secret_post", "client_secret_post"],
    ["none", "none"],
    ["private_key_jwt", "none"],
    ["client_secret_jwt", "none"],
    ["tls_client_auth", "none"]
  ])("R42 token_endpoint_auth_method %j becomes %s", (method, authMethod) => {
    const body = { redirect_uris: [uri], ...(method === undefined ? {} : { token_endpoint_auth_method: method }) }
    assert.deepStrictEqual(read(body), {
      name: "Unnamed app",
      redirectUris: [uri],
      authMethod
    })
  })

  it.each(["web", "native", "", 5, null])("R44 application_type %j does not matter", (application_type) => {
    const uris = ["cursor://anysphere.cursor-mcp/oauth/callback", uri]
    assert.nestedPropertyVal(read({ redirect_uris: uris, application_type }), "redirectUris.length", 2)
  })

  it.each([
    [{}],
    [{ redirect_uris: uri }],
    [{ redirect_uris: [7] }],
    [{ redirect_uris: [uri, null] }],
    [{ redirect_uris: [uri], client_name: { en: "x" } }],
    [{ redirect_uris: [uri], token_endpoint_auth_method: ["none"] }],
    [[uri]],
    [null],
    ["x"],
    [7]
  ])("R43 %j is invalid_client_metadata", (body) => {
    assert.strictEqual(read(body), "InvalidClientMetadata")
  })

  it.each([
    [[]],
    [[uri, "http://app.example/cb"]],
    [["javascript:alert(1)", uri]],
    [Array.from({ length: 51 }, (_, index) => `${uri}/${index}`)],
    [[`https://app.example/${"x".repeat(2000)}`]]
  ])("R43, R45 one wrong address refuses the request", (redirect_uris) => {
    assert.strictEqual(read({ redirect_uris }), "InvalidRedirectUri")
  })

  it("R43 the error says which address is wrong, without repeating it, in characters that RFC 6749 allows", () => {
    const error = Result.match(Registration.read({ redirect_uris: [uri, 'http://evil.example/"\\\u202e'] }), {
      onFailure: ({ message }) => message,
      onSuccess: () => ""
    })
    assert.include(error, "redirect_uris[1]")
    assert.notInclude(error, "evil")
    assert.match(error, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  })
})

describe("R45 the addresses of an app", () => {
  it("are 8,000 characters in all", () => {
    const long = (length: number) => `https://app.example/${"x".repeat(length - 20)}`
    const most = [long(2000), long(2000), long(2000), long(1000), long(1000)]
    assert.nestedPropertyVal(read({ redirect_uris: most }), "redirectUris.length", 5)
    assert.strictEqual(read({ redirect_uris: [...most.slice(0, 4), long(1001)] }), "InvalidRedirectUri")
  })
})

describe("R31 the name of an app", () => {
  it.each([
    ["  Claude   Code\n", "Claude Code"],
    ["Good\u202eliveE", "GoodliveE"],
    ["a\u0000b\u0007c\u200bd\u2066e", "abcde"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["\u202e\u0000 \u200b", "Unnamed app"],
    ["\u2800Claude\u2800\u2800Code\u2800", "Claude Code"],
    ["\u2800\u2800", "Unnamed app"],
    ["... !", "Unnamed app"],
    ["🦈", "Unnamed app"],
    ["3", "3"],
    ["一個麵包", "一個麵包"],
    ["", "Unnamed app"]
  ])("%j is shown as %j", (client_name, name) => {
    assert.nestedPropertyVal(read({ redirect_uris: [uri], client_name }), "name", name)
  })

  it.prop("is one line of at most 100 characters, and cleaning it again changes nothing", [Schema.String], ([text]) => {
    for (const long of [text, text.repeat(50), `${"🙂".repeat(99)}é${text}`]) {
      const name = ClientText.clean(long)
      assert.isAtMost(Array.from(name).length, 100)
      assert.notMatch(name, /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
      assert.strictEqual(ClientText.clean(name), name)
    }
  })
})
