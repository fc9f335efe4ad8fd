/** R31 to R41 over real HTTP: the forms, the codes on the wire, and the calls that tokens let through. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ConnectedApps } from "../../../src/services/oauth/ConnectedApps.ts"
import * as Access from "../../support/Access.ts"
import * as FakeOAuth from "../../support/FakeOAuth.ts"
import * as OAuth from "../../support/OAuth.ts"
import { call, formOf, post, start } from "../../support/OAuthServer.ts"
import * as OAuthServer from "../../support/OAuthServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import { type Answer, TestServer } from "../../support/TestServer.ts"

const minutes = 60_000

const field = ({ json }: Answer, name: string): unknown =>
  typeof json === "object" && json !== null ? Object.getOwnPropertyDescriptor(json, name)?.value : undefined
const text = (answer: Answer, name: string) => String(field(answer, name))
const errorOf = (answer: Answer) => [answer.status, field(answer, "error")]

layer(OAuthServer.layer(), { excludeTestServices: true })("/token", (it) => {
  const fresh = Effect.gen(function* () {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const { caller, email } = yield* Access.subscriber()
    return { account: caller.accountId, email }
  })
  const exchangeForm = ({ client, code, verifier }: OAuth.Approved) => ({
    grant_type: "authorization_code",
    client_id: client.id,
    code,
    code_verifier: verifier,
    redirect_uri: OAuth.redirectUri,
    resource: OAuth.mcpUrl
  })
  const approved = Effect.fnUntraced(function* () {
    const { account } = yield* fresh
    const approval = yield* OAuth.approved(account, yield* OAuth.registered())
    return { account, approval, form: exchangeForm(approval) }
  })
  const connected = Effect.fnUntraced(function* () {
    const { account, approval, form } = yield* approved()
    const answer = yield* post("/token", form)
    assert.strictEqual(answer.status, 200, answer.text)
    const tokens = { access: text(answer, "access_token"), refresh: text(answer, "refresh_token") }
    const refresh = { grant_type: "refresh_token", client_id: approval.client.id, refresh_token: tokens.refresh }
    return { account, approval, form, tokens, refresh }
  })

  // S92, S93
  describe("R32, R36 success", () => {
    it.effect("is an access token for an hour, a refresh token and the scope; never cached", () =>
      Effect.gen(function* () {
        const { form } = yield* approved()
        const answer = yield* post(
          "/token",
          { ...form, scope: "discovery:read offline_access" },
          { accept: "text/html" }
        )
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers.get("content-type"), "application/json")
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
        assert.deepStrictEqual(answer.json, {
          access_token: text(answer, "access_token"),
          token_type: "Bearer",
          expires_in: 3600,
          refresh_token: text(answer, "refresh_token"),
          scope: "discovery:read"
        })
      })
    )

    it.effect("gives access to calls, and so does every token refreshed from it", () =>
      Effect.gen(function* () {
        const { refresh, tokens } = yield* connected()
        assert.strictEqual((yield* call(tokens.access)).status, 200)
        const next = yield* post("/token", refresh)
        assert.strictEqual(next.status, 200)
        assert.strictEqual((yield* call(text(next, "access_token"))).status, 200)
      })
    )

    it.effect("R13 of a client with a secret needs its proof as well", () =>
      Effect.gen(function* () {
        const { account } = yield* fresh
        const registration = yield* OAuth.registeredWithSecret
        const approval = yield* OAuth.approved(account, registration.client)
        const form = { ...exchangeForm(approval), client_secret: registration.secret }
        assert.deepStrictEqual(errorOf(yield* post("/token", { ...form, code_verifier: undefined })), [
          400,
          "invalid_request"
        ])
        assert.deepStrictEqual(errorOf(yield* post("/token", { ...form, client_secret: undefined })), [
          401,
          "invalid_client"
        ])
        assert.strictEqual((yield* post("/token", form)).status, 200)
      })
    )
  })

  describe("R32, R16 what is no request", () => {
    it.effect.each<[string, Readonly<Record<string, string | ReadonlyArray<string> | undefined>>, string]>([
      ["no grant_type", { grant_type: undefined }, "invalid_request"],
      ["an empty grant_type", { grant_type: "" }, "invalid_request"],
      ["no code", { code: undefined }, "invalid_request"],
      ["no verifier", { code_verifier: undefined }, "invalid_request"],
      ["an empty verifier", { code_verifier: "" }, "invalid_request"],
      ["a refresh without a token", { grant_type: "refresh_token" }, "invalid_request"],
      ["two codes", { code: ["a", "b"] }, "invalid_request"],
      ["two client ids", { client_id: ["a", "b"] }, "invalid_request"],
      ["a repeated parameter that nobody knows", { x: ["a", "b"] }, "invalid_request"],
      ["client_credentials", { grant_type: "client_credentials" }, "unsupported_grant_type"],
      ["password", { grant_type: "password" }, "unsupported_grant_type"],
      ["a device code", { grant_type: "urn:ietf:params:oauth:grant-type:device_code" }, "unsupported_grant_type"],
      ["__proto__", { grant_type: "__proto__" }, "unsupported_grant_type"]
    ])("%s is refused, and the code still works", ([, change, code]) =>
      Effect.gen(function* () {
        const { form } = yield* approved()
        assert.deepStrictEqual(errorOf(yield* post("/token", { ...form, ...change })), [400, code])
        assert.strictEqual(
          (yield* post("/token", { ...form, resource: [OAuth.mcpUrl, `${OAuth.mcpUrl}/`] })).status,
          200
        )
      })
    )

    it.effect("parameters in the address are not read", () =>
      Effect.gen(function* () {
        const { form } = yield* approved()
        const { code, ...rest } = form
        assert.deepStrictEqual(errorOf(yield* post(`/token?${formOf(form)}`, {})), [401, "invalid_client"])
        assert.deepStrictEqual(errorOf(yield* post(`/token?${formOf({ code })}`, rest)), [400, "invalid_request"])
        assert.strictEqual((yield* post("/token?grant_type=password&code=x", form)).status, 200)
      })
    )

    it.effect.each(["application/json", "text/plain", "multipart/form-data; boundary=x", undefined])(
      "a body of type %s is refused",
      (type) =>
        Effect.gen(function* () {
          const { form } = yield* approved()
          const answer = yield* post("/token", form, { "content-type": type })
          assert.deepStrictEqual(errorOf(answer), [400, "invalid_request"])
        })
    )

    it.effect("a form with a charset is a form", () =>
      Effect.gen(function* () {
        const { form } = yield* approved()
        const type = "Application/X-WWW-Form-URLEncoded; charset=utf-8"
        assert.strictEqual((yield* post("/token", form, { "content-type": type })).status, 200)
      })
    )

    it.effect("a body of more than 64 kB is refused", () =>
      Effect.gen(function* () {
        const { form } = yield* approved()
        assert.deepStrictEqual(errorOf(yield* post("/token", { ...form, x: "x".repeat(65_536) })), [
          400,
          "invalid_request"
        ])
      })
    )

    it.effect.each(["GET", "PUT", "PATCH", "DELETE", "HEAD"])("%s is 405 with Allow: POST", (method) =>
      Effect.gen(function* () {
        for (const path of ["/token", "/revoke", "/register"]) {
          const answer = yield* OAuthServer.get(path, {}, method)
          assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, "POST"])
        }
      })
    )

    it.effect("junk of any kind is an error of the list, never a failure of ours", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const bodies = [
          "",
          "&&&",
          "=",
          "%",
          "%ff%fe=%00",
          "a=b;c=d",
          "client_id=%00&grant_type=%00",
          "\u0000",
          "{}",
          "ü=ü"
        ]
        for (const path of ["/token", "/revoke"]) {
          for (const body of bodies) {
            for (const authorization of [
              undefined,
              "Basic",
              "Basic %%%",
              "Basic OjpAOg==",
              "Bearer x",
              `Basic ${"A".repeat(9000)}`
            ]) {
              const headers = { authorization, "content-type": "application/x-www-form-urlencoded" }
              const answer = yield* server.send({ path, body, headers })
              assert.isTrue([400, 401].includes(answer.status), `${answer.status} ${body}`)
              assert.match(text(answer, "error"), /^invalid_(?:request|client)$/)
              assert.match(text(answer, "error_description"), /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
            }
          }
        }
      })
    )
  })

  describe("R33, R34 who the client is", () => {
    const basic = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
    })

    it.effect("an unknown one is 401 invalid_client, also a moment after it was deleted", () =>
      Effect.gen(function* () {
        const { approval, form, refresh } = yield* connected()
        for (const client_id of ["doc_nobody", "https://evil.example/client.json", "x".repeat(10_000)]) {
          const answer = yield* post("/token", { ...form, client_id })
          assert.deepStrictEqual(errorOf(answer), [401, "invalid_client"])
          assert.isNull(answer.headers.get("www-authenticate"))
        }
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM oauth_client WHERE id = ${approval.client.id}`
        assert.deepStrictEqual(errorOf(yield* post("/token", refresh)), [401, "invalid_client"])
      })
    )

    it.effect("with a secret: in the form or in the header, whichever it registered", () =>
      Effect.gen(function* () {
        const { account } = yield* fresh
        const { client, secret } = yield* OAuth.registeredWithSecret
        const first = exchangeForm(yield* OAuth.approved(account, client))
        assert.strictEqual((yield* post("/token", { ...first, client_secret: secret })).status, 200)
        const second = exchangeForm(yield* OAuth.approved(account, client))
        const answer = yield* post("/token", { ...second, client_id: undefined }, basic(client.id, secret))
        assert.strictEqual(answer.status, 200)
        const encoded = basic(encodeURIComponent(client.id), encodeURIComponent(secret))
        const third = exchangeForm(yield* OAuth.approved(account, client))
        assert.strictEqual((yield* post("/token", third, encoded)).status, 200)
      })
    )

    it.effect("a wrong secret is 401, with the scheme that was tried", () =>
      Effect.gen(function* () {
        const { account } = yield* fresh
        const { client, secret } = yield* OAuth.registeredWithSecret
        const form = exchangeForm(yield* OAuth.approved(account, client))
        const inForm = yield* post("/token", { ...form, client_secret: "wrong" })
        assert.deepStrictEqual(errorOf(inForm), [401, "invalid_client"])
        assert.isNull(inForm.headers.get("www-authenticate"))
        const inHeader = yield* post("/token", form, basic(client.id, "wrong"))
        assert.deepStrictEqual(errorOf(inHeader), [401, "invalid_client"])
        assert.match(inHeader.headers.get("www-authenticate") ?? "", /^Basic realm="/)
        const twice = yield* post("/token", { ...form, client_secret: secret }, basic(client.id, secret))
        assert.deepStrictEqual(errorOf(twice), [400, "invalid_request"])
        const colon = yield* post("/token", form, basic(client.id, `${secret}:`))
        assert.deepStrictEqual(errorOf(colon), [401, "invalid_client"])
        assert.strictEqual((yield* post("/token", form, basic(client.id, secret))).status, 200)
      })
    )

    it.effect.each<[string, string]>([
      ["cannot be fetched", FakeOAuth.unreachableId],
      ["is refused", "https://broken.example/oauth/client.json"]
    ])("R51 one that is known by a document goes on while the document %s", ([, id]) =>
      Effect.gen(function* () {
        const { account } = yield* fresh
        const client = FakeOAuth.documentClient(id)
        const form = exchangeForm(yield* OAuth.approved(account, client))
        const answer = yield* post("/token", form)
        assert.strictEqual(answer.status, 200)
        const refresh = {
          grant_type: "refresh_token",
          client_id: client.id,
          refresh_token: text(answer, "refresh_token")
        }
        assert.strictEqual((yield* post("/token", refresh)).status, 200)
        // The code again ends the grant. The app hears just that, and is still known.
        assert.deepStrictEqual(errorOf(yield* post("/token", form)), [400, "invalid_grant"])
        assert.deepStrictEqual(errorOf(yield* post("/token", refresh)), [400, "invalid_grant"])
      })
    )
  })

  describe("R35 what a code is bound to", () => {
    it.effect.each<[string, Readonly<Record<string, string>>, string]>([
      ["verifier", { code_verifier: OAuth.proof().verifier }, "invalid_grant"],
      ["redirect_uri", { redirect_uri: "http://localhost:8788/callback" }, "invalid_grant"],
      ["client", { client_id: FakeOAuth.documentId }, "invalid_grant"],
      ["code", { code: "dac_nonsense" }, "invalid_grant"],
      ["resource", { resource: "https://evil.example/mcp" }, "invalid_target"]
    ])("another %s is refused, and does not use it up", ([, change, code]) =>
      Effect.gen(function* () {
        const { account, form } = yield* approved()
        yield* OAuth.approved(account, FakeOAuth.documentClient(FakeOAuth.documentId))
        assert.deepStrictEqual(errorOf(yield* post("/token", { ...form, ...change })), [400, code])
        assert.strictEqual((yield* post("/token", { ...form, redirect_uri: "" })).status, 200)
      })
    )

    it.effect("R21 a code that is used again ends the tokens that it gave", () =>
      Effect.gen(function* () {
        const { form, refresh, tokens } = yield* connected()
        assert.strictEqual((yield* call(tokens.access)).status, 200)
        assert.deepStrictEqual(errorOf(yield* post("/token", form)), [400, "invalid_grant"])
        assert.strictEqual((yield* call(tokens.access)).status, 401)
        assert.deepStrictEqual(errorOf(yield* post("/token", refresh)), [400, "invalid_grant"])
      })
    )

    it.effect("R21 a code that is used by many at once gives tokens to one at most", () =>
      Effect.gen(function* () {
        const { form } = yield* approved()
        const answers = yield* Effect.forEach(Array.from({ length: 10 }), () => post("/token", form), {
          concurrency: "unbounded"
        })
        const given = answers.filter(({ status }) => status === 200)
        assert.lengthOf(given, 1)
        for (const answer of answers)
          if (answer.status !== 200) assert.deepStrictEqual(errorOf(answer), [400, "invalid_grant"])
        for (const answer of given) assert.strictEqual((yield* call(text(answer, "access_token"))).status, 401)
      })
    )

    it.effect("R21 a code is over after a minute", () =>
      Effect.gen(function* () {
        const { form } = yield* approved()
        yield* Effect.flatMap(SetClock, (clock) => clock.advance(minutes))
        assert.deepStrictEqual(errorOf(yield* post("/token", form)), [400, "invalid_grant"])
      })
    )
  })

  describe("R37 to R39 refreshing", () => {
    it.effect.each<[string, Readonly<Record<string, string>>, string]>([
      ["client", { client_id: FakeOAuth.documentId }, "invalid_grant"],
      ["resource", { resource: "https://evil.example/mcp" }, "invalid_target"],
      ["kind of token", { refresh_token: "dat_nonsense" }, "invalid_grant"]
    ])("with another %s is refused, and burns nothing", ([, change, code]) =>
      Effect.gen(function* () {
        const { account, refresh, tokens } = yield* connected()
        yield* OAuth.approved(account, FakeOAuth.documentClient(FakeOAuth.documentId))
        assert.deepStrictEqual(errorOf(yield* post("/token", { ...refresh, ...change })), [400, code])
        assert.strictEqual((yield* call(tokens.access)).status, 200)
        assert.strictEqual((yield* post("/token", { ...refresh, resource: OAuth.mcpUrl })).status, 200)
      })
    )

    it.effect.each([
      "",
      "discovery:read",
      "discovery:read offline_access",
      "offline_access",
      "openid profile",
      '"',
      "é"
    ])("R15 with the scope %j gives the only one, and says so", (scope) =>
      Effect.gen(function* () {
        const { approval, form } = yield* approved()
        const first = yield* post("/token", { ...form, scope })
        const refresh = {
          grant_type: "refresh_token",
          client_id: approval.client.id,
          refresh_token: text(first, "refresh_token")
        }
        for (const answer of [first, yield* post("/token", { ...refresh, scope })]) {
          assert.deepInclude(Object(answer.json), { token_type: "Bearer", scope: "discovery:read" })
        }
      })
    )

    it.effect("with an access token, or the other way round, is nothing", () =>
      Effect.gen(function* () {
        const { refresh, tokens } = yield* connected()
        const swapped = yield* post("/token", { ...refresh, refresh_token: tokens.access })
        assert.deepStrictEqual(errorOf(swapped), [400, "invalid_grant"])
        assert.strictEqual((yield* call(tokens.refresh)).status, 401)
      })
    )

    it.effect("twenty at the same moment get one and the same answer", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected()
        const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => post("/token", refresh), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(answers.map((answer) => answer.text)).size, 1)
        assert.strictEqual((yield* call(text(answers[0] ?? assert.fail(), "access_token"))).status, 200)
      })
    )

    it.effect("again after a minute ends the connection: the revocation stays although the answer is an error", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected()
        const next = yield* post("/token", refresh)
        yield* Effect.flatMap(SetClock, (clock) => clock.advance(minutes + 1))
        assert.deepStrictEqual(errorOf(yield* post("/token", refresh)), [400, "invalid_grant"])
        assert.strictEqual((yield* call(text(next, "access_token"))).status, 401)
        const after = { ...refresh, refresh_token: text(next, "refresh_token") }
        assert.deepStrictEqual(errorOf(yield* post("/token", after)), [400, "invalid_grant"])
      })
    )
  })

  describe("R41, R54 revocation in the dashboard", () => {
    it.effect("is 401 at the next call, and invalid_grant at the next refresh", () =>
      Effect.gen(function* () {
        const { account, refresh, tokens } = yield* connected()
        const apps = yield* ConnectedApps
        for (const { id } of yield* apps.list(account)) yield* apps.revoke(account, id)
        const refused = yield* call(tokens.access)
        assert.strictEqual(refused.status, 401)
        assert.include(refused.headers.get("www-authenticate") ?? "", 'error="invalid_token"')
        assert.deepStrictEqual(errorOf(yield* post("/token", refresh)), [400, "invalid_grant"])
      })
    )
  })

  // S36
  describe("R9 a plan that is lost", () => {
    it.effect("keeps the tokens; calls say plan_upgrade_required until it comes back, with no new sign-in", () =>
      Effect.gen(function* () {
        const { account: _, email } = yield* fresh
        const accounts = yield* Accounts
        const { id } = yield* accounts.find(email)
        const { client, tokens } = yield* OAuth.connected(id)
        yield* accounts.setStatus(email, "unpaid")
        const token = Redacted.value(tokens.accessToken)
        const refused = yield* call(token)
        assert.strictEqual(refused.status, 200)
        assert.isNull(refused.headers.get("www-authenticate"))
        assert.include(refused.text, "plan_upgrade_required")
        const next = yield* post("/token", {
          grant_type: "refresh_token",
          client_id: client.id,
          refresh_token: Redacted.value(tokens.refreshToken)
        })
        assert.strictEqual(next.status, 200)
        assert.include((yield* call(text(next, "access_token"))).text, "plan_upgrade_required")
        yield* accounts.setStatus(email, "active")
        assert.notInclude((yield* call(text(next, "access_token"))).text, "plan_upgrade_required")
        assert.notInclude((yield* call(token)).text, "plan_upgrade_required")
      })
    )

    it.effect("S7 one quota for all: the call of an app is charged to the account, under the app's number", () =>
      Effect.gen(function* () {
        const { account, tokens } = yield* connected()
        const server = yield* TestServer
        const search = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "search_ads", arguments: {} } }
        const answer = yield* server.post(search, { authorization: `Bearer ${tokens.access}` })
        assert.strictEqual(answer.headers.get("x-credits-remaining"), String(Access.allowances.growth - 1))
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          SELECT e.credential_kind AS kind, g.client_name AS app FROM credit_entry e
          JOIN oauth_grant g ON g.id = e.credential_id WHERE e.account_id = ${account} AND e.kind = 'charge'`
        assert.deepStrictEqual(rows, [{ kind: "access_token", app: "A test's app" }])
      })
    )
  })

  describe("R40 the log", () => {
    it.effect("has no code, token, secret or verifier after any failure", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { approval, form, refresh, tokens } = yield* connected()
        yield* post("/token", refresh)
        yield* post("/token", form)
        yield* OAuthServer.get(`/token?${formOf(form)}`)
        yield* OAuthServer.get(`/mcp?access_token=${tokens.access}`)
        assert.isTrue(server.logs.some((line) => line.includes("used again")))
        for (const secret of [approval.code, approval.verifier, tokens.access, tokens.refresh]) {
          assert.isFalse(server.logs.some((line) => line.includes(secret)))
        }
      })
    )
  })

  it.effect(
    "R56 more than 600 requests a minute from one address are 429 with Retry-After, and another's are not",
    () => OAuthServer.isLimitedByAddress("/token", 600)
  )
})
