import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as AuthorizationRequest from "../../../src/domain/oauth/AuthorizationRequest.ts"
import * as Parameters from "../../../src/domain/oauth/RequestParameters.ts"

const mcpUrl = "https://discovery.test/mcp"
const redirectUri = "https://app.example/cb"
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
const client = { redirectUris: [redirectUri] }

type Query = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const plain: Query = {
  client_id: "doc_x",
  redirect_uri: redirectUri,
  response_type: "code",
  code_challenge: challenge,
  code_challenge_method: "S256",
  state: "s",
  scope: "discovery:read",
  resource: mcpUrl
}

const queryOf = (query: Query) => {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(query)) {
    for (const value of values === undefined ? [] : typeof values === "string" ? [values] : values) {
      search.append(name, value)
    }
  }
  return Parameters.read(search.toString())
}

/** The whole way, or the tag of what is wrong; `local` when nothing may be sent anywhere. */
const judge = (change: Query, of: { readonly redirectUris: ReadonlyArray<string> } = client) => {
  const parameters = queryOf({ ...plain, ...change })
  const address = AuthorizationRequest.returnAddress(parameters, of)
  if (address === undefined) return "local"
  return Result.match(AuthorizationRequest.read(parameters, address, mcpUrl), {
    onFailure: ({ _tag }) => _tag,
    onSuccess: (request) => request
  })
}

const accepted = {
  redirectUri,
  state: "s",
  challenge,
  resource: mcpUrl
}

describe("an authorization request", () => {
  it("that is right is read", () => {
    assert.deepStrictEqual(judge({}), accepted)
  })

  describe("R10, R11 where the answer goes comes first", () => {
    it.each<[string, Query]>([
      ["another address", { redirect_uri: "https://evil.example/cb" }],
      ["one that begins the same", { redirect_uri: `${redirectUri}/x` }],
      ["two addresses", { redirect_uri: [redirectUri, redirectUri] }],
      ["two addresses, one of them empty and one wrong", { redirect_uri: ["", "https://evil.example/cb"] }],
      ["another address and everything else wrong", { redirect_uri: "https://evil.example/cb", response_type: "token" }]
    ])("%s is told to nobody but the person", (_, change) => {
      assert.strictEqual(judge(change), "local")
    })

    it("none at all is the client's only one", () => {
      assert.deepStrictEqual(judge({ redirect_uri: undefined }), accepted)
      assert.deepStrictEqual(judge({ redirect_uri: "" }), accepted)
      assert.strictEqual(judge({ redirect_uri: undefined }, { redirectUris: [redirectUri, "cursor://a/b"] }), "local")
      assert.strictEqual(judge({ redirect_uri: undefined }, { redirectUris: [] }), "local")
    })

    it("none at all is nothing where the only one has no port that is reached", () => {
      const local = { redirectUris: ["http://127.0.0.1:0/cb"] }
      assert.strictEqual(judge({ redirect_uri: undefined }, local), "local")
      assert.strictEqual(judge({ redirect_uri: "http://127.0.0.1:0/cb" }, local), "local")
      assert.deepInclude(judge({ redirect_uri: "http://127.0.0.1:4711/cb" }, local), {
        redirectUri: "http://127.0.0.1:4711/cb"
      })
    })

    it("any port of a loopback address, kept as it was asked for", () => {
      const local = { redirectUris: ["http://127.0.0.1/cb"] }
      assert.deepStrictEqual(judge({ redirect_uri: "http://127.0.0.1:4711/cb" }, local), {
        ...accepted,
        redirectUri: "http://127.0.0.1:4711/cb"
      })
    })
  })

  describe("R12 response_type", () => {
    it.each(["token", "id_token", "code token", "code id_token", "CODE", "none"])(
      "%s is unsupported",
      (response_type) => {
        assert.strictEqual(judge({ response_type }), "UnsupportedResponseType")
      }
    )
    it.each([undefined, ""])("%j is missing", (response_type) => {
      assert.strictEqual(judge({ response_type }), "InvalidRequest")
    })
  })

  describe("R13 PKCE", () => {
    it.each<[string, Query]>([
      ["no challenge", { code_challenge: undefined }],
      ["an empty challenge", { code_challenge: "" }],
      ["neither challenge nor method", { code_challenge: undefined, code_challenge_method: undefined }],
      ["no method, which means plain", { code_challenge_method: undefined }],
      ["plain", { code_challenge_method: "plain" }],
      ["a method in lower case", { code_challenge_method: "s256" }],
      ["a challenge too short", { code_challenge: challenge.slice(1) }],
      ["a challenge too long", { code_challenge: `${challenge}A` }],
      ["a challenge with padding", { code_challenge: `${challenge}=` }],
      ["a challenge in base64", { code_challenge: `+/${challenge.slice(2)}` }],
      ["a challenge with a line break", { code_challenge: `${challenge}\n` }],
      ["two challenges", { code_challenge: [challenge, challenge] }]
    ])("%s is invalid_request", (_, change) => {
      assert.strictEqual(judge(change), "InvalidRequest")
    })
  })

  describe("R14 resource", () => {
    it.each<string | ReadonlyArray<string> | undefined>([
      undefined,
      "",
      mcpUrl,
      `${mcpUrl}/`,
      "HTTPS://discovery.test/mcp",
      "https://DISCOVERY.test:443/mcp",
      [mcpUrl, mcpUrl],
      [mcpUrl, ""],
      [mcpUrl, `${mcpUrl}/`],
      `${mcpUrl}?`,
      `${mcpUrl}?foo=1`,
      `${mcpUrl}/?foo=1`,
      `${mcpUrl}?foo`,
      `${mcpUrl}?utm_source=docs&x=%20&y=a+b&z=a/b?c`,
      `${mcpUrl}?tools=search_ads`,
      `${mcpUrl}?tools=search_ads,%20get_usage&format=compact&foo=1`,
      [`${mcpUrl}?foo=1`, mcpUrl]
    ])("%j is the only one, in its canonical form", (resource) => {
      assert.deepStrictEqual(judge({ resource }), accepted)
    })

    it.each<string | ReadonlyArray<string>>([
      "https://discovery.test",
      "https://discovery.test/",
      "https://discovery.test/MCP",
      "https://discovery.test/mcp//",
      "https://discovery.test/mcp/x",
      "https://discovery.test/./mcp",
      "https://discovery.test/x/../mcp",
      "https://discovery.test/%6dcp",
      // The endpoint refuses these.
      "https://discovery.test/mcp?tools=none",
      "https://discovery.test/mcp?format=xml&x=1",
      "https://discovery.test/mcp?tools=search_ads&tools=get_shop",
      "https://discovery.test/mcp?x=1#",
      "https://discovery.test/mcp?x=1#y",
      "https://discovery.test/mcp?a b",
      "https://discovery.test/mcp?\u0000",
      "https://discovery.test/?/mcp",
      "https://discovery.test/mcp#",
      "https://discovery.test/mcp#x",
      "https://discovery.test:8443/mcp",
      "https://discovery.test:80/mcp",
      "http://discovery.test/mcp",
      "https://user@discovery.test/mcp",
      "https://discovery.test.evil.example/mcp",
      "https://evil.example/mcp",
      "discovery.test/mcp",
      "/mcp",
      "mcp",
      [mcpUrl, "https://evil.example/mcp"],
      ["https://evil.example/mcp", mcpUrl]
    ])("%j is invalid_target", (resource) => {
      assert.strictEqual(judge({ resource }), "InvalidTarget")
    })
  })

  // Of a text that RFC 6749, 3.3, does not allow, too.
  describe("R15 scope", () => {
    it.each([
      undefined,
      "",
      " ",
      "discovery:read",
      "discovery:read offline_access",
      "openid  discovery:read profile",
      "discovery:read discovery:read",
      "offline_access",
      "openid profile",
      "discovery:write",
      "DISCOVERY:READ",
      "discovery:readx",
      '"',
      "é\u0000"
    ])("%j grants the only one", (scope) => {
      assert.deepStrictEqual(judge({ scope }), accepted)
    })
  })

  describe("R16 a repeated parameter", () => {
    it.each(["response_type", "code_challenge_method", "state", "scope", "client_id", "nonce"])(
      "%s is invalid_request",
      (name) => {
        assert.strictEqual(judge({ [name]: ["a", "b"] }), "InvalidRequest")
        assert.strictEqual(judge({ [name]: ["a", "a"] }), "InvalidRequest")
      }
    )
    it("is not one whose other value is empty", () => {
      assert.deepStrictEqual(judge({ scope: ["", "discovery:read"] }), accepted)
    })
    it("of state leaves nothing to send back", () => {
      const address = AuthorizationRequest.returnAddress(queryOf({ ...plain, state: ["a", "b"] }), client)
      assert.deepStrictEqual(address, { redirectUri, state: undefined })
    })
    it("called __proto__ or constructor is like any other", () => {
      assert.deepStrictEqual(judge(JSON.parse('{"__proto__":"x","constructor":"y"}')), accepted)
    })
  })

  it.prop("R17 state comes back as it was", [Schema.String.check(Schema.isMinLength(1))], ([text]) => {
    const state = text.toWellFormed()
    assert.deepStrictEqual(judge({ state }), { ...accepted, state })
  })

  it("R17 state may be long, and is never invented", () => {
    assert.deepStrictEqual(judge({ state: "x".repeat(4000) }), { ...accepted, state: "x".repeat(4000) })
    assert.deepStrictEqual(judge({ state: undefined }), { ...accepted, state: undefined })
  })

  it("R18 ignores all other parameters", () => {
    const ignored = {
      prompt: "consent",
      nonce: "n",
      login_hint: "a@b",
      claims: "{}",
      audience: "x",
      response_mode: "form_post"
    }
    assert.deepStrictEqual(judge(ignored), accepted)
  })
})
