/** R53 over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Access from "../../support/Access.ts"
import * as OAuth from "../../support/OAuth.ts"
import { call, post } from "../../support/OAuthServer.ts"
import * as OAuthServer from "../../support/OAuthServer.ts"

layer(OAuthServer.layer(), { excludeTestServices: true })("/revoke", (it) => {
  const connected = Effect.gen(function* () {
    const { caller } = yield* Access.subscriber()
    const { client, tokens } = yield* OAuth.connected(caller.accountId)
    return {
      client_id: client.id,
      access: Redacted.value(tokens.accessToken),
      refresh: Redacted.value(tokens.refreshToken)
    }
  })
  const refreshed = (client_id: string, refresh_token: string) =>
    post("/token", { grant_type: "refresh_token", client_id, refresh_token })

  it.effect.each<["access" | "refresh", string | undefined]>([
    ["access", undefined],
    ["access", "access_token"],
    ["access", "refresh_token"],
    ["access", "nonsense"],
    ["refresh", undefined],
    ["refresh", "access_token"]
  ])("R53 the %s token, with the hint %s, ends the connection at once", ([kind, token_type_hint]) =>
    Effect.gen(function* () {
      const { client_id, ...tokens } = yield* connected
      const answer = yield* post("/revoke", { client_id, token: tokens[kind], token_type_hint })
      assert.deepStrictEqual([answer.status, answer.text], [200, ""])
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
      assert.strictEqual((yield* call(tokens.access)).status, 401)
      assert.nestedPropertyVal((yield* refreshed(client_id, tokens.refresh)).json, "error", "invalid_grant")
      // It has what it wanted: so it is told the second time.
      assert.strictEqual((yield* post("/revoke", { client_id, token: tokens[kind] })).status, 200)
    })
  )

  it.effect("R53 what is no token, or another client's, is 200 and changes nothing", () =>
    Effect.gen(function* () {
      const one = yield* connected
      const other = yield* connected
      for (const token of ["x", "dat_x", other.access, other.refresh, other.client_id]) {
        assert.strictEqual((yield* post("/revoke", { client_id: one.client_id, token })).status, 200)
      }
      for (const { access, client_id, refresh } of [one, other]) {
        assert.strictEqual((yield* call(access)).status, 200)
        assert.strictEqual((yield* refreshed(client_id, refresh)).status, 200)
      }
    })
  )

  it.effect("R53 the client authenticates as at /token", () =>
    Effect.gen(function* () {
      const { caller } = yield* Access.subscriber()
      const { client, secret } = yield* OAuth.registeredWithSecret
      const { tokens } = yield* OAuth.connected(caller.accountId, client)
      const token = Redacted.value(tokens.accessToken)
      for (const fields of [{ token }, { token, client_id: "nobody" }, { token, client_id: client.id }]) {
        const answer = yield* post("/revoke", fields)
        assert.strictEqual(answer.status, 401)
        assert.nestedPropertyVal(answer.json, "error", "invalid_client")
      }
      assert.strictEqual((yield* call(token)).status, 200)
      const missing = yield* post("/revoke", { client_id: client.id, client_secret: secret })
      assert.strictEqual(missing.status, 400)
      assert.nestedPropertyVal(missing.json, "error", "invalid_request")
      assert.strictEqual((yield* post("/revoke", { token, client_id: client.id, client_secret: secret })).status, 200)
      assert.strictEqual((yield* call(token)).status, 401)
    })
  )

  it.effect("R53 a token in the address is not read", () =>
    Effect.gen(function* () {
      const { access, client_id } = yield* connected
      assert.strictEqual((yield* post(`/revoke?token=${access}`, { client_id })).status, 400)
      assert.strictEqual((yield* call(access)).status, 200)
    })
  )

  it.effect(
    "R56 more than 300 requests a minute from one address are 429 with Retry-After, and another's are not",
    () => OAuthServer.isLimitedByAddress("/revoke", 300)
  )
})
