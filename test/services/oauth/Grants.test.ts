import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Credential from "../../../src/domain/access/Credential.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import { CredentialUse } from "../../../src/services/credentials/CredentialUse.ts"
import { Clients } from "../../../src/services/oauth/Clients.ts"
import { ConnectedApps } from "../../../src/services/oauth/ConnectedApps.ts"
import { Grants } from "../../../src/services/oauth/Grants.ts"
import type { Tokens } from "../../../src/services/oauth/GrantTokens.ts"
import { ServerKey } from "../../../src/services/oauth/ServerKey.ts"
import * as Database from "../../../src/services/database/Database.ts"
import * as Access from "../../support/Access.ts"
import * as FakeOAuth from "../../support/FakeOAuth.ts"
import * as LossyConnection from "../../support/LossyConnection.ts"
import * as OAuth from "../../support/OAuth.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const start = "2026-03-10T12:00:00Z"
const unbounded = { concurrency: "unbounded" } as const
const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes
const days = 24 * hours

const Services = Layer.mergeAll(Access.layerUnhashed, OAuth.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer(start))
)

layer(Services, { excludeTestServices: true })("Grants", (it) => {
  const advance = (millis: number) => Effect.flatMap(SetClock, (clock) => clock.advance(millis))
  const resolve = (token: Redacted.Redacted) => Effect.flatMap(CredentialResolver, (each) => each.resolve(token))
  const exchange = (...args: Parameters<typeof OAuth.exchangeOf>) =>
    Effect.flatMap(Grants, (grants) => grants.exchangeCode(OAuth.exchangeOf(...args)))
  const refresh = (...args: Parameters<typeof OAuth.refreshOf>) =>
    Effect.flatMap(Grants, (grants) => grants.refresh(OAuth.refreshOf(...args)))

  const fresh = Effect.fnUntraced(function* () {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const { caller } = yield* Access.subscriber()
    return caller.accountId
  })
  const freshApp = Effect.fnUntraced(function* () {
    const account = yield* fresh()
    return { account, ...(yield* OAuth.connected(account)) }
  })

  const works = Effect.fnUntraced(function* (tokens: Tokens) {
    assert.strictEqual((yield* resolve(tokens.accessToken)).credential.kind, "access_token")
  })
  const isOver = Effect.fnUntraced(function* (tokens: Tokens, client: Parameters<typeof OAuth.refreshOf>[0]) {
    assert.strictEqual((yield* Effect.flip(resolve(tokens.accessToken)))._tag, "CredentialRejected")
    assert.strictEqual((yield* Effect.flip(refresh(client, tokens.refreshToken)))._tag, "InvalidGrant")
  })
  const values = ({ accessToken, refreshToken }: Tokens) => [Redacted.value(accessToken), Redacted.value(refreshToken)]

  describe("R21 a code", () => {
    it.effect("gives tokens of the account that said yes", () =>
      Effect.gen(function* () {
        const { account, tokens } = yield* freshApp()
        assert.strictEqual((yield* resolve(tokens.accessToken)).accountId, account)
        assert.strictEqual(tokens.expiresInSeconds, 3600)
        assert.strictEqual(tokens.scope, "discovery:read")
        assert.match(Redacted.value(tokens.accessToken), /^dat_[0-9A-Za-z]{43}$/)
        assert.match(Redacted.value(tokens.refreshToken), /^drt_[0-9A-Za-z]{43}$/)
      })
    )

    it.effect("works once, also under concurrency", () =>
      Effect.gen(function* () {
        const account = yield* fresh()
        for (let round = 0; round < 5; round++) {
          const client = yield* OAuth.registered()
          const approval = yield* OAuth.approved(account, client)
          const results = yield* Effect.forEach(
            Array.from({ length: 8 }),
            () => Effect.result(exchange(approval)),
            unbounded
          )
          const given = results.flatMap((result) => (result._tag === "Success" ? [result.success] : []))
          assert.lengthOf(given, 1)
          // The others were a second use.
          for (const tokens of given) yield* isOver(tokens, client)
        }
      })
    )

    it.effect("used a second time ends all that the first use gave, refreshed or not, and nothing else", () =>
      Effect.gen(function* () {
        const { account, approval, client, tokens } = yield* freshApp()
        const other = yield* OAuth.connected(account, client)
        const next = yield* refresh(client, tokens.refreshToken)
        yield* advance(20 * minutes)
        const error = yield* Effect.flip(exchange(approval))
        assert.strictEqual(error._tag, "InvalidGrant")
        yield* isOver(tokens, client)
        yield* isOver(next, client)
        yield* works(other.tokens)
      })
    )

    it.effect("used a second time by who has seen it, without its verifier, address or client, ends nothing", () =>
      Effect.gen(function* () {
        const { approval, client, tokens } = yield* freshApp()
        const anotherApp = yield* OAuth.registered()
        for (const change of [
          { clientId: anotherApp.id },
          { verifier: Redacted.make(OAuth.proof().verifier) },
          { redirectUri: "http://localhost:8788/callback" }
        ]) {
          assert.strictEqual((yield* Effect.flip(exchange(approval, change)))._tag, "InvalidGrant")
          yield* works(tokens)
        }
        yield* Effect.flip(exchange(approval))
        yield* isOver(tokens, client)
      })
    )

    it.effect("is over after 60 seconds", () =>
      Effect.gen(function* () {
        const account = yield* fresh()
        const client = yield* OAuth.registered()
        const inTime = yield* OAuth.approved(account, client)
        const late = yield* OAuth.approved(account, client)
        yield* advance(60 * seconds - 1)
        yield* works(yield* exchange(inTime))
        yield* advance(1)
        assert.strictEqual((yield* Effect.flip(exchange(late)))._tag, "InvalidGrant")
      })
    )

    const other = OAuth.proof()
    it.effect.each<[string, Parameters<typeof OAuth.exchangeOf>[1], string]>([
      ["another verifier", { verifier: Redacted.make(other.verifier) }, "InvalidGrant"],
      ["its challenge as the verifier", { verifier: Redacted.make(other.challenge) }, "InvalidGrant"],
      ["a verifier that is too short", { verifier: Redacted.make("short") }, "InvalidGrant"],
      ["a verifier with other characters", { verifier: Redacted.make("ü".repeat(50)) }, "InvalidGrant"],
      ["a very long verifier", { verifier: Redacted.make("a".repeat(100_000)) }, "InvalidGrant"],
      ["another client", { clientId: FakeOAuth.documentId }, "InvalidGrant"],
      ["another address", { redirectUri: "http://localhost:8788/callback" }, "InvalidGrant"],
      ["an address that only begins the same", { redirectUri: `${OAuth.redirectUri}/` }, "InvalidGrant"],
      ["another resource", { resources: ["https://evil.example/mcp"] }, "InvalidTarget"],
      ["a second resource", { resources: [OAuth.mcpUrl, "https://evil.example/mcp"] }, "InvalidTarget"]
    ])("R35 with %s is refused, and is not used up by it", ([, change, tag]) =>
      Effect.gen(function* () {
        const account = yield* fresh()
        const approval = yield* OAuth.approved(account, yield* OAuth.registered())
        const error = yield* Effect.flip(exchange(approval, change))
        assert.strictEqual(error._tag, tag)
        yield* works(yield* exchange(approval, { redirectUri: undefined, resources: [`${OAuth.mcpUrl}/`] }))
      })
    )

    it.effect("that was never issued is refused, for any text", () =>
      Effect.gen(function* () {
        const { approval, tokens } = yield* freshApp()
        const made = Credential.make("authorization_code", new Uint8Array(48).fill(3))
        for (const code of [made, "", "\u0000", "x".repeat(100_000), `${approval.code}0`, ...values(tokens)]) {
          assert.strictEqual((yield* Effect.flip(exchange({ ...approval, code })))._tag, "InvalidGrant")
        }
      })
    )
  })

  describe("R37 a refresh", () => {
    it.effect("gives new tokens every time; those before it are left behind", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        let current = tokens
        const seen = new Set(values(tokens))
        for (let round = 0; round < 5; round++) {
          yield* advance(50 * minutes)
          current = yield* refresh(client, current.refreshToken)
          yield* works(current)
          for (const value of values(current)) seen.add(value)
        }
        assert.strictEqual(seen.size, 12)
      })
    )

    it.effect("S93 keeps a connection for 30 days from its last use, and a year in all", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const idle = yield* OAuth.connected((yield* freshApp()).account)
        let current = tokens
        for (let day = 0; day < 360; day += 30) {
          yield* advance(30 * days - 1)
          current = yield* refresh(client, current.refreshToken)
        }
        yield* advance(1)
        assert.strictEqual((yield* Effect.flip(refresh(idle.client, idle.tokens.refreshToken)))._tag, "InvalidGrant")
        // 360 days less a few milliseconds have gone by; the last token ends with the year.
        yield* advance(5 * days - 10 * minutes)
        current = yield* refresh(client, current.refreshToken)
        assert.isBelow(current.expiresInSeconds, 11 * 60)
        yield* works(current)
        yield* advance(10 * minutes + seconds)
        yield* isOver(current, client)
      })
    )

    it.effect("S37 without use for 30 days is refused", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        yield* advance(30 * days)
        assert.strictEqual((yield* Effect.flip(refresh(client, tokens.refreshToken)))._tag, "InvalidGrant")
      })
    )

    it.effect.each<[string, Parameters<typeof OAuth.refreshOf>[2], string]>([
      ["another client", { clientId: FakeOAuth.documentId }, "InvalidGrant"],
      ["another resource", { resources: ["https://evil.example/mcp"] }, "InvalidTarget"]
    ])("by %s is refused, and burns neither the token nor the family", ([, change, tag]) =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        assert.strictEqual((yield* Effect.flip(refresh(client, tokens.refreshToken, change)))._tag, tag)
        yield* works(tokens)
        const next = yield* refresh(client, tokens.refreshToken, { resources: [OAuth.mcpUrl] })
        yield* advance(10 * minutes)
        // Not even with a token that was left behind.
        assert.strictEqual((yield* Effect.flip(refresh(client, tokens.refreshToken, change)))._tag, tag)
        yield* works(next)
      })
    )

    it.effect("of a token that was never issued is refused, for any text", () =>
      Effect.gen(function* () {
        const { approval, client, tokens } = yield* freshApp()
        const made = Credential.make("refresh_token", new Uint8Array(48).fill(3))
        for (const token of [made, "", "\u0000", "x".repeat(100_000), approval.code, values(tokens)[0] ?? ""]) {
          assert.strictEqual((yield* Effect.flip(refresh(client, Redacted.make(token))))._tag, "InvalidGrant")
        }
        yield* works(tokens)
      })
    )

    it.effect("R45 more often than 120 times an hour has to wait, and loses nothing by it", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        let current = tokens
        for (let count = 1; count < 120; count++) current = yield* refresh(client, current.refreshToken)
        const error = yield* Effect.flip(refresh(client, current.refreshToken))
        assert.deepInclude(error, { _tag: "TooManyRequests", retryAfterSeconds: 3600 })
        yield* works(current)
        yield* advance(hours)
        yield* works(yield* refresh(client, current.refreshToken))
      })
    )
  })

  describe("R39 the same refresh again", () => {
    it.effect("within 60 seconds gets the same answer, however often", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const first = yield* refresh(client, tokens.refreshToken)
        yield* advance(30 * seconds)
        const second = yield* refresh(client, tokens.refreshToken)
        assert.deepStrictEqual(values(second), values(first))
        assert.strictEqual(second.expiresInSeconds, 3570)
        yield* advance(30 * seconds)
        assert.deepStrictEqual(values(yield* refresh(client, tokens.refreshToken)), values(first))
        yield* works(first)
        yield* works(yield* refresh(client, first.refreshToken))
      })
    )

    it.effect("at the same moment gets one answer for all: there is no second branch", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const answers = yield* Effect.forEach(
          Array.from({ length: 8 }),
          () => refresh(client, tokens.refreshToken),
          unbounded
        )
        assert.strictEqual(new Set(answers.map((answer) => values(answer).join())).size, 1)
      })
    )

    it.effect("after the key was rotated gets the same answer", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const first = yield* refresh(client, tokens.refreshToken)
        const { rotate } = yield* ServerKey
        yield* rotate
        assert.deepStrictEqual(values(yield* refresh(client, tokens.refreshToken)), values(first))
        const other = yield* OAuth.connected((yield* freshApp()).account)
        yield* works(yield* refresh(other.client, other.tokens.refreshToken))
      })
    )

    it.effect("needs the server's key: the successor cannot be derived from the token alone", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const token = Redacted.value(tokens.refreshToken)
        const serverKey = yield* ServerKey
        const made = Effect.flatMap(serverKey.current, (key) => serverKey.derive(key, "refresh_token", token))
        const first = Credential.make("refresh_token", (yield* made).subarray(0, 48))
        yield* serverKey.rotate
        const second = Credential.make("refresh_token", (yield* made).subarray(0, 48))
        const next = yield* refresh(client, tokens.refreshToken)
        assert.notStrictEqual(first, second)
        assert.strictEqual(Redacted.value(next.refreshToken), second)
      })
    )
  })

  describe("R39 a client that leaves before its answer comes", () => {
    it.effect("finds the same tokens when it asks again", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const relay = yield* LossyConnection.make((yield* TestDatabase).connection)
        const pool = Database.layer({ source: relay.connection, maxConnections: 1 })
        yield* relay.hold("COMMIT")
        const left = yield* refresh(client, tokens.refreshToken).pipe(
          Effect.provide(Layer.fresh(OAuth.layer.pipe(Layer.provide(pool)))),
          Effect.forkScoped
        )
        // The server has committed, and nobody knows.
        yield* relay.held
        const again = yield* refresh(client, tokens.refreshToken)
        yield* works(again)
        yield* relay.release
        yield* Fiber.interrupt(left)
        assert.deepStrictEqual(values(yield* refresh(client, tokens.refreshToken)), values(again))
        yield* works(yield* refresh(client, again.refreshToken))
      })
    )
  })

  describe("R38 a token that was left behind", () => {
    it.effect("used after 60 seconds ends the grant and its access tokens, and that stays so", () =>
      Effect.gen(function* () {
        const { account, client, tokens } = yield* freshApp()
        const other = yield* OAuth.connected(account, client)
        const next = yield* refresh(client, tokens.refreshToken)
        yield* advance(60 * seconds + 1)
        assert.strictEqual((yield* Effect.flip(refresh(client, tokens.refreshToken)))._tag, "InvalidGrant")
        yield* isOver(tokens, client)
        yield* isOver(next, client)
        yield* works(other.tokens)
        const sql = yield* SqlClient.SqlClient
        const ended = yield* sql`
          SELECT reason, client_name FROM oauth_ended_grant WHERE account_id = ${account}`
        assert.deepStrictEqual(ended, [{ reason: "token_reused", client_name: "A test's app" }])
      })
    )

    it.effect("used within 60 seconds, when what followed was refreshed as well, ends the grant", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const next = yield* refresh(client, tokens.refreshToken)
        const third = yield* refresh(client, next.refreshToken)
        yield* advance(10 * seconds)
        assert.strictEqual((yield* Effect.flip(refresh(client, tokens.refreshToken)))._tag, "InvalidGrant")
        yield* isOver(third, client)
      })
    )
  })

  describe("R40 at rest", () => {
    it.effect("there is no code, token or secret, only their hashes", () =>
      Effect.gen(function* () {
        const { approval, client, tokens } = yield* freshApp()
        yield* refresh(client, tokens.refreshToken)
        const confidential = yield* Effect.flatMap(Clients, (clients) =>
          clients.register(
            { name: "x", redirectUris: [OAuth.redirectUri], authMethod: "client_secret_post" },
            "203.0.113.1"
          )
        )
        const secret = confidential.secret === undefined ? "none" : Redacted.value(confidential.secret)
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql`
          SELECT (SELECT json_agg(t)::text FROM oauth_code t) AS a, (SELECT json_agg(t)::text FROM oauth_access_token t) AS b,
            (SELECT json_agg(t)::text FROM oauth_refresh_token t) AS c, (SELECT json_agg(t)::text FROM oauth_client t) AS d,
            (SELECT json_agg(t)::text FROM oauth_grant t) AS e`
        const text = JSON.stringify(rows)
        for (const each of [approval.code, approval.verifier, secret, ...values(tokens)]) {
          assert.notInclude(text, each)
          assert.notInclude(text, Buffer.from(each).toString("hex"))
        }
      })
    )
  })

  describe("R41 revocation", () => {
    it.effect("by the client, with either token, current or not, ends the grant at once", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        for (const which of ["accessToken", "refreshToken", "first"] as const) {
          const { client, tokens } = yield* freshApp()
          const next = yield* refresh(client, tokens.refreshToken)
          yield* grants.revokeToken(client.id, which === "first" ? tokens.refreshToken : next[which])
          yield* isOver(tokens, client)
          yield* isOver(next, client)
        }
      })
    )

    it.effect("R53 of another client's token, or of anything else, does nothing", () =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const { account, approval, client, tokens } = yield* freshApp()
        const other = yield* OAuth.registered()
        const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(account, "kept"))
        yield* grants.revokeToken(other.id, tokens.accessToken)
        yield* grants.revokeToken(other.id, tokens.refreshToken)
        for (const text of ["", "x".repeat(100_000), "\u0000", approval.code, client.id, Redacted.value(secret)]) {
          yield* grants.revokeToken(client.id, Redacted.make(text))
        }
        yield* works(tokens)
        yield* resolve(secret)
      })
    )

    it.effect("of a client that is deleted takes all its grants", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM oauth_client WHERE id = ${client.id}`
        yield* isOver(tokens, client)
      })
    )
  })

  describe("R54 the apps of an account", () => {
    const list = (account: number) =>
      Effect.flatMap(ConnectedApps, (apps) => apps.list(OAuth.accountId(account))).pipe(
        Effect.map((apps) =>
          apps.map(({ connectedAt, id, lastUsedAt, name, publisher }) => ({
            id,
            name,
            publisher,
            connectedAt: new Date(connectedAt.epochMilliseconds).toISOString(),
            lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt.epochMilliseconds).toISOString()
          }))
        )
      )

    it.effect("are listed with name, publisher, since when, and last use, written in the background", () =>
      Effect.gen(function* () {
        const { account, tokens } = yield* freshApp()
        const document = yield* Effect.flatMap(Clients, (clients) => clients.find(FakeOAuth.documentId, "203.0.113.1"))
        yield* advance(minutes)
        const other = yield* OAuth.connected(account, document)
        // One that nobody has exchanged the code of is not connected yet.
        yield* OAuth.approved(account, document)
        const id = (yield* resolve(tokens.accessToken)).credential.id
        const use = yield* CredentialUse
        yield* use.write
        const otherId = (yield* resolve(other.tokens.accessToken)).credential.id
        assert.deepStrictEqual(yield* list(account), [
          {
            id,
            name: "A test's app",
            publisher: null,
            connectedAt: "2026-03-10T12:00:00.000Z",
            lastUsedAt: "2026-03-10T12:01:00.000Z"
          },
          {
            id: otherId,
            name: "An app with a document",
            publisher: "app.example",
            connectedAt: "2026-03-10T12:01:00.000Z",
            lastUsedAt: null
          }
        ])
        yield* advance(59_999)
        yield* resolve(tokens.accessToken)
        yield* use.write
        assert.deepNestedPropertyVal(yield* list(account), "[0].lastUsedAt", "2026-03-10T12:01:00.000Z")
        yield* advance(1)
        yield* resolve(tokens.accessToken)
        yield* use.write
        assert.deepNestedPropertyVal(yield* list(account), "[0].lastUsedAt", "2026-03-10T12:02:00.000Z")
      })
    )

    it.effect("are listed no longer when they are over for want of use", () =>
      Effect.gen(function* () {
        const { account } = yield* freshApp()
        yield* advance(30 * days)
        assert.deepStrictEqual(yield* list(account), [])
      })
    )

    it.effect("are revoked at once, with every token, and only by their owner", () =>
      Effect.gen(function* () {
        const { account, client, tokens } = yield* freshApp()
        const another = yield* freshApp()
        const apps = yield* ConnectedApps
        const { id } = (yield* resolve(tokens.accessToken)).credential
        assert.strictEqual((yield* Effect.flip(apps.revoke(another.account, id)))._tag, "AppNotFound")
        yield* works(tokens)
        yield* apps.revoke(account, id)
        yield* isOver(tokens, client)
        assert.deepStrictEqual(yield* list(account), [])
        assert.strictEqual((yield* Effect.flip(apps.revoke(account, id)))._tag, "AppNotFound")
        yield* works(another.tokens)
      })
    )

    it.effect("are at most 200", () =>
      Effect.gen(function* () {
        const account = yield* fresh()
        const client = yield* OAuth.registered()
        yield* OAuth.connected(account, client)
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at)
          SELECT account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at
          FROM oauth_grant CROSS JOIN generate_series(1, 199) WHERE account_id = ${account}`
        assert.strictEqual((yield* Effect.flip(OAuth.approved(account, client)))._tag, "TooManyConnections")
        yield* sql`DELETE FROM oauth_grant WHERE id = (SELECT max(id) FROM oauth_grant WHERE account_id = ${account})`
        yield* OAuth.approved(account, client)
      })
    )
  })

  it.effect("R54 the apps of an account are at most 200, also when many are approved at once", () =>
    Effect.gen(function* () {
      const account = yield* fresh()
      const client = yield* OAuth.registered()
      yield* OAuth.connected(account, client)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at)
        SELECT account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at
        FROM oauth_grant CROSS JOIN generate_series(1, 194) WHERE account_id = ${account}`
      const held = yield* Access.hold((other) => other`SELECT FROM oauth_client WHERE id = ${client.id} FOR UPDATE`)
      const many = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 20 }), () => Effect.result(OAuth.approved(account, client)), unbounded)
      )
      // Whoever has counted waits for the app, so that all that the pool has connections for are under way.
      yield* held.waiting(10)
      yield* held.release
      const results = yield* Fiber.join(many)
      const tags = results.map((result) => (result._tag === "Success" ? "approved" : result.failure._tag))
      assert.lengthOf(
        tags.filter((tag) => tag === "approved"),
        5
      )
      assert.lengthOf(
        tags.filter((tag) => tag === "TooManyConnections"),
        15
      )
    })
  )

  describe("R8 what a token is for", () => {
    it.effect("another resource is rejected, and not refreshed either", () =>
      Effect.gen(function* () {
        const { client, tokens } = yield* freshApp()
        const sql = yield* SqlClient.SqlClient
        const { id } = (yield* resolve(tokens.accessToken)).credential
        yield* sql`UPDATE oauth_grant SET resource = 'https://old.example/mcp' WHERE id = ${id}`
        yield* sql`UPDATE oauth_access_token SET resource = 'https://old.example/mcp' WHERE grant_id = ${id}`
        yield* isOver(tokens, client)
      })
    )

    it.effect("the access token alone is a credential, for an hour", () =>
      Effect.gen(function* () {
        const { approval, client, tokens } = yield* freshApp()
        for (const text of [Redacted.value(tokens.refreshToken), approval.code, client.id]) {
          assert.strictEqual((yield* Effect.flip(resolve(Redacted.make(text))))._tag, "CredentialRejected")
        }
        yield* advance(hours - 1)
        yield* works(tokens)
        yield* advance(1)
        assert.strictEqual((yield* Effect.flip(resolve(tokens.accessToken)))._tag, "CredentialRejected")
        yield* works(yield* refresh(client, tokens.refreshToken))
      })
    )
  })
})
