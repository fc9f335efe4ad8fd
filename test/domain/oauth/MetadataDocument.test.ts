import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as DocumentProblem from "../../../src/domain/oauth/DocumentProblem.ts"
import * as MetadataDocument from "../../../src/domain/oauth/MetadataDocument.ts"
import { documentOf, realDocuments } from "../../support/ClientDocuments.ts"

const id = "https://client.example:8443/client.json"

const read = (changes: Readonly<Record<string, unknown>>, clientId = id) =>
  MetadataDocument.read(JSON.stringify(documentOf(id, changes)), clientId)

const problemOf = (text: string) =>
  DocumentProblem.englishOf(Result.getOrThrow(Result.flip(MetadataDocument.read(text, id))))

describe("R50 a client metadata document", () => {
  it.each(Object.entries(realDocuments))("of %s is a client's", (clientId, document) => {
    assert.deepStrictEqual(Result.getOrThrow(MetadataDocument.read(JSON.stringify(document), clientId)), {
      id: clientId,
      name: document.client_name,
      source: "document",
      publisher: new URL(clientId).host,
      redirectUris: document.redirect_uris,
      authMethod: "none"
    })
  })

  it("R25 has its publisher from the host of the id alone", () => {
    const claims = {
      client_name: "Claude by Anthropic",
      client_uri: "https://claude.ai",
      logo_uri: "https://claude.ai/logo.png",
      publisher: "claude.ai",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback"]
    }
    const client = Result.getOrThrow(read(claims))
    assert.strictEqual(client.publisher, "client.example:8443")
    assert.notProperty(client, "logo_uri")
  })

  const accepted: ReadonlyArray<readonly [what: string, changes: Readonly<Record<string, unknown>>]> = [
    ["no method", { token_endpoint_auth_method: undefined }],
    [
      "a preferred method beside none",
      {
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_methods_supported: ["private_key_jwt", "none"]
      }
    ],
    ["other grants and scopes", { grant_types: ["client_credentials"], scope: "everything", response_types: [] }],
    ["unknown members", { "x-vendor": { deep: [1, 2, 3] }, software_id: 5 }],
    ["keys of its own", { jwks: { keys: [{ kty: "RSA", n: "AQAB", e: "AQAB" }] } }],
    ["a wrong application type", { application_type: "web" }],
    ["50 redirect addresses", { redirect_uris: Array.from({ length: 50 }, (_, n) => `https://a.example/${n}`) }],
    ["a private-use scheme", { redirect_uris: ["cursor://anysphere.cursor-mcp/oauth/callback"] }]
  ]
  it.each(accepted)("may have %s", (_, changes) => {
    assert.deepInclude(Result.getOrThrow(read(changes)), { id, authMethod: "none" })
  })

  const refused: ReadonlyArray<readonly [what: string, changes: Readonly<Record<string, unknown>>]> = [
    ["no client_id", { client_id: undefined }],
    ["another client_id", { client_id: "https://client.example/other.json" }],
    ["a client_id without its port", { client_id: "https://client.example/client.json" }],
    ["a client_id in capitals", { client_id: id.toUpperCase() }],
    ["a client_id with a slash more", { client_id: `${id}/` }],
    ["a client_id with dots", { client_id: "https://client.example:8443/a/../client.json" }],
    ["a client_id that is encoded", { client_id: "https://client.example:8443/client%2Ejson" }],
    ["a client_id in a list", { client_id: [id] }],
    ["no name", { client_name: undefined }],
    ["an empty name", { client_name: "" }],
    ["a name that is not seen", { client_name: " \u202E\u200B\n" }],
    ["a name that is no text", { client_name: { en: "Test" } }],
    ["no redirect_uris", { redirect_uris: undefined }],
    ["empty redirect_uris", { redirect_uris: [] }],
    ["51 redirect addresses", { redirect_uris: Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`) }],
    ["a redirect address that is no list", { redirect_uris: "https://a.example/" }],
    ["one bad redirect address", { redirect_uris: ["https://a.example/", "http://a.example/"] }],
    ["a script to redirect to", { redirect_uris: ["javascript:alert(1)"] }],
    ["localhost.evil", { redirect_uris: ["http://localhost.evil.example/"] }],
    ["a fragment", { redirect_uris: ["https://a.example/#a"] }],
    ["a wildcard", { redirect_uris: ["https://*.a.example/"] }],
    ["user info", { redirect_uris: ["https://claude.ai@a.example/"] }],
    ["a secret", { client_secret: "s3cr3t" }],
    ["no secret", { client_secret: null }],
    ["the end of a secret", { client_secret_expires_at: 0 }],
    ["a shared secret as method", { token_endpoint_auth_method: "client_secret_basic" }],
    [
      "a shared secret beside none",
      {
        token_endpoint_auth_method: "client_secret_post",
        token_endpoint_auth_methods_supported: ["none"]
      }
    ],
    ["a shared key as method", { token_endpoint_auth_method: "client_secret_jwt" }],
    ["a signature as the only method", { token_endpoint_auth_method: "private_key_jwt" }],
    [
      "signatures alone",
      {
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_methods_supported: ["private_key_jwt"]
      }
    ],
    ["an unknown method", { token_endpoint_auth_method: "tls_client_auth" }],
    ["a method that is no text", { token_endpoint_auth_method: 0 }]
  ]
  it.each(refused)("must not have %s", (_, changes) => {
    assert.isTrue(Result.isFailure(read(changes)))
  })

  it.each([
    ["nothing", ""],
    ["a page", "<!doctype html><title>Client</title>"],
    ["half an object", '{"client_id":'],
    ["two objects", "{}{}"],
    ["a list", JSON.stringify([documentOf(id)])],
    ["null", "null"],
    ["a string", '"a"'],
    ["a comment", `/* a */${JSON.stringify(documentOf(id))}`],
    ["a deep pit", "[".repeat(16_000)]
  ])("is not %s", (_, text) => {
    assert.strictEqual(problemOf(text), "it is not a JSON object")
  })

  it("names each member once, so that every parser reads the same client_id and redirect URIs", () => {
    const text = JSON.stringify(documentOf(id))
    for (const twice of [
      `{"client_id":"https://claude.ai/oauth/x",${text.slice(1)}`,
      `${text.slice(0, -1)},"redirect_uris":["https://evil.example/"]}`,
      `${text.slice(0, -1)},"client\\u005fname":"Claude"}`
    ]) {
      assert.strictEqual(problemOf(twice), "it names a member twice")
    }
  })

  it("does not inherit what it does not say", () => {
    const text = `{"__proto__":${JSON.stringify(documentOf(id))}}`
    assert.match(problemOf(text), /^these members are missing or wrong: client_id, client_name, redirect_uris$/)
  })

  it.each([
    ["Cl\u202Eedua\u202C", "Cledua"],
    ["\u2066Claude\u2069\u200B", "Claude"],
    ["Claude\u0000\u0007", "Claude"],
    ["  Claude\n\n  Code\t", "Claude Code"],
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["👩‍💻 Código", "👩‍💻 Código"],
    ["\uD800Claude", "Claude"],
    ["a".repeat(101), "a".repeat(100)],
    [`${"a".repeat(99)}👍🏽`, "a".repeat(99)]
  ])("R31 is called what is left of %j", (clientName, name) => {
    assert.strictEqual(Result.getOrThrow(read({ client_name: clientName })).name, name)
  })

  it("R40 has nothing of itself in what is said about it", () => {
    const secret = "s3cr3t-value"
    const changes: ReadonlyArray<Readonly<Record<string, unknown>>> = [
      { client_secret: secret },
      { [`client_secret_${secret}`]: "" },
      { client_id: secret },
      { client_name: [secret] },
      { redirect_uris: [secret] },
      { redirect_uris: { [secret]: secret } },
      { token_endpoint_auth_method: secret }
    ]
    for (const change of changes) {
      assert.notInclude(problemOf(JSON.stringify(documentOf(id, change))), secret)
    }
    assert.notInclude(problemOf(`{"${secret}":1,"${secret}":2}`), secret)
    assert.notInclude(problemOf(secret), secret)
  })
})

describe("R50 names of members", () => {
  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"b":{"c":1,"c":1}}',
    '[{"a":1},{"b":[{"x":0,"y":0,"x":0}]}]',
    '{"a":1,"\\u0061":2}',
    '{ "a" : 1 , "a" : 1 }',
    '{"":1,"":2}',
    '{"a\\"b":1,"a\\"b":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{},"b":[],"a":0}'
  ])("%s names one twice", (json) => {
    assert.isFalse(MetadataDocument.hasUniqueKeys(json))
  })

  it.each([
    "{}",
    "[]",
    "1",
    '"a"',
    '{"a":1,"A":2}',
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a":"{\\"b\\":1}","b":"}"}',
    '{"a":["b","b","a"],"b":":"}'
  ])("%s does not", (json) => {
    assert.isTrue(MetadataDocument.hasUniqueKeys(json))
  })

  it.prop("what JSON.stringify writes never does, with a repeated member it does", [Schema.Json], ([value]) => {
    const json = JSON.stringify(value)
    assert.isTrue(MetadataDocument.hasUniqueKeys(json))
    assert.isTrue(MetadataDocument.hasUniqueKeys(`[${json},${json}]`))
    assert.isFalse(MetadataDocument.hasUniqueKeys(`{"b":${json},"a":${json},"b":${json}}`))
  })

  it("reads the deepest that fits into a document", () => {
    assert.isTrue(MetadataDocument.hasUniqueKeys("[".repeat(8192) + "]".repeat(8192)))
  })
})
