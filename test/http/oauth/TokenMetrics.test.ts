/** What requests to `/token` count: the family and the registration of the app, and why it has to sign in again. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ClientFamily } from "../../../src/domain/oauth/ClientFamily.ts"
import { signInReasons } from "../../../src/domain/oauth/TokenOutcome.ts"
import type { RefreshOutcome, SignInReason } from "../../../src/domain/oauth/TokenOutcome.ts"
import { ConnectedApps } from "../../../src/services/oauth/ConnectedApps.ts"
import * as Metrics from "../../../src/services/metrics/Metrics.ts"
import * as Access from "../../support/Access.ts"
import * as FakeOAuth from "../../support/FakeOAuth.ts"
import * as OAuth from "../../support/OAuth.ts"
import { post, start } from "../../support/OAuthServer.ts"
import * as OAuthServer from "../../support/OAuthServer.ts"
import { SetClock } from "../../support/SetClock.ts"
import type { Answer } from "../../support/TestServer.ts"

const minutes = 60_000
const days = 86_400_000

const field = ({ json }: Answer, name: string): string =>
  typeof json === "object" && json !== null ? String(Object.getOwnPropertyDescriptor(json, name)?.value) : ""

layer(OAuthServer.layer(), { excludeTestServices: true })("what /token counts", (it) => {
  const advance = (millis: number) => Effect.flatMap(SetClock, (clock) => clock.advance(millis))

  const connected = Effect.fnUntraced(function* (name: string, document?: string) {
    yield* Effect.flatMap(SetClock, (clock) => clock.set(start))
    const { caller } = yield* Access.subscriber()
    const client = document === undefined ? yield* OAuth.registered(name) : FakeOAuth.documentClient(document)
    const { code, verifier } = yield* OAuth.approved(caller.accountId, client)
    const exchange = {
      grant_type: "authorization_code",
      client_id: client.id,
      code,
      code_verifier: verifier,
      redirect_uri: OAuth.redirectUri
    }
    const answer = yield* post("/token", exchange)
    assert.strictEqual(answer.status, 200, answer.text)
    const refresh = {
      grant_type: "refresh_token",
      client_id: client.id,
      refresh_token: field(answer, "refresh_token")
    }
    return { accountId: caller.accountId, client, exchange, refresh }
  })

  /** What one request adds to a counter. */
  const added = Effect.fnUntraced(function* <A, E, R, E2, R2>(
    value: Effect.Effect<number, E2, R2>,
    act: Effect.Effect<A, E, R>
  ) {
    const before = yield* value
    yield* act
    return (yield* value) - before
  })

  const refreshes = (outcome: RefreshOutcome, client_family: ClientFamily = "cursor") =>
    Metrics.refreshes.value({
      client_family,
      outcome,
      registration: client_family === "unknown" ? "unknown" : "dynamic"
    })

  const forced = (reason: SignInReason, client_family: ClientFamily = "cursor") =>
    Metrics.signInsForced.value({ client_family, reason })

  /** For any reason. */
  const allForced = (family: ClientFamily = "cursor") =>
    Effect.map(
      Effect.forEach(signInReasons, (reason) => forced(reason, family)),
      (counts) => counts.reduce((sum, count) => sum + count, 0)
    )

  /** That the request forces a sign-in for this reason alone. */
  const forces = Effect.fnUntraced(function* <A, E, R>(
    reason: SignInReason,
    act: Effect.Effect<A, E, R>,
    family: ClientFamily = "cursor"
  ) {
    const outcomes = yield* added(refreshes("sign_in_forced", family), Effect.asVoid(act))
    assert.strictEqual(outcomes, 1, reason)
    const others = yield* allForced(family)
    assert.strictEqual(yield* added(forced(reason, family), act), 1, reason)
    assert.strictEqual((yield* allForced(family)) - others, 1, reason)
  })

  /** That the request has this outcome, after which the app keeps its tokens. */
  const keepsTokens = Effect.fnUntraced(function* <A, E, R>(outcome: RefreshOutcome, act: Effect.Effect<A, E, R>) {
    const before = { forced: yield* allForced(), outcomes: yield* refreshes("sign_in_forced") }
    assert.strictEqual(yield* added(refreshes(outcome), act), 1, outcome)
    assert.deepStrictEqual({ forced: yield* allForced(), outcomes: yield* refreshes("sign_in_forced") }, before)
  })

  describe("a connection", () => {
    it.effect.each<[string, ClientFamily]>([
      ["Claude Code (discovery)", "claude_code"],
      ["Visual Studio Code", "vscode"],
      ["A test's app", "other"]
    ])("of a registered app is counted by its name: %s", ([name, client_family]) =>
      Effect.gen(function* () {
        const value = Metrics.connections.value({ client_family, registration: "dynamic" })
        assert.strictEqual(yield* added(value, connected(name)), 1)
      })
    )

    it.effect("of an app with a document is counted by its address, whatever its name", () =>
      Effect.gen(function* () {
        const value = Metrics.connections.value({ client_family: "claude", registration: "metadata_document" })
        assert.strictEqual(yield* added(value, connected("Cursor", "https://claude.ai/oauth/client.json")), 1)
      })
    )

    it.effect("that its owner ends is counted as ended by the account", () =>
      Effect.gen(function* () {
        const { accountId } = yield* connected("Cursor")
        const apps = yield* ConnectedApps
        const [app] = yield* apps.list(accountId)
        const value = Metrics.connectionsEnded.value({ reason: "account" })
        assert.strictEqual(yield* added(value, apps.revoke(accountId, app?.id ?? 0)), 1)
      })
    )
  })

  describe("a refresh", () => {
    it.effect("is rotated, and repeated when the same request comes again", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected("Cursor")
        assert.strictEqual(yield* added(refreshes("rotated"), post("/token", refresh)), 1)
        assert.strictEqual(yield* added(refreshes("repeated"), post("/token", refresh)), 1)
      })
    )

    it.effect("for another resource is a wrong request, and no sign-in is forced", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected("Cursor")
        yield* keepsTokens("invalid_request", post("/token", { ...refresh, resource: "https://evil.example/mcp" }))
      })
    )

    it.effect("more often than 120 times an hour is rate limited, and no sign-in is forced", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected("Cursor")
        let { refresh_token } = refresh
        for (let count = 0; count < 119; count++) {
          refresh_token = field(yield* post("/token", { ...refresh, refresh_token }), "refresh_token")
        }
        yield* keepsTokens("rate_limited", post("/token", { ...refresh, refresh_token }))
      })
    )

    it.effect("while the database fails is unavailable, and no sign-in is forced", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { refresh } = yield* connected("Cursor")
        yield* sql`ALTER TABLE oauth_refresh_token RENAME TO oauth_refresh_token_away`
        yield* keepsTokens("unavailable", post("/token", refresh)).pipe(
          Effect.ensuring(Effect.orDie(sql`ALTER TABLE oauth_refresh_token_away RENAME TO oauth_refresh_token`))
        )
        assert.strictEqual(yield* added(refreshes("rotated"), post("/token", refresh)), 1)
      })
    )
  })

  describe("a sign-in is forced", () => {
    it.effect("expired: unused for 30 days", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected("Cursor")
        yield* advance(30 * days)
        yield* forces("expired", post("/token", refresh))
      })
    )

    it.effect("consent_expired: used until the consent is a year old", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected("Cursor")
        let { refresh_token } = refresh
        for (let month = 0; month < 13; month++) {
          yield* advance(28 * days)
          refresh_token = field(yield* post("/token", { ...refresh, refresh_token }), "refresh_token")
        }
        yield* advance(days)
        yield* forces("consent_expired", post("/token", { ...refresh, refresh_token }))
      })
    )

    it.effect("reused: a token that was refreshed long ago ends the connection, and then its tokens are unknown", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected("Cursor")
        yield* post("/token", refresh)
        yield* advance(2 * minutes)
        const ended = Metrics.connectionsEnded.value({ reason: "token_reused" })
        const counted = added(forced("reused"), post("/token", refresh))
        assert.strictEqual(
          yield* added(
            ended,
            Effect.map(counted, (count) => assert.strictEqual(count, 1))
          ),
          1
        )
        yield* forces("unknown_or_ended", post("/token", refresh))
      })
    )

    it.effect("unknown_or_ended: its owner has revoked it", () =>
      Effect.gen(function* () {
        const { accountId, refresh } = yield* connected("Cursor")
        const apps = yield* ConnectedApps
        for (const { id } of yield* apps.list(accountId)) yield* apps.revoke(accountId, id)
        yield* forces("unknown_or_ended", post("/token", refresh))
      })
    )

    it.effect("other_resource: the server has got another address since then", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { accountId, refresh } = yield* connected("Cursor")
        yield* sql`UPDATE oauth_grant SET resource = 'https://old.example/mcp' WHERE account_id = ${accountId}`
        yield* forces("other_resource", post("/token", refresh))
      })
    )

    it.effect("other_client, client_unknown, client_unauthenticated, malformed: the app has mixed something up", () =>
      Effect.gen(function* () {
        const { refresh } = yield* connected("Claude")
        const { client } = yield* connected("Cursor")
        const { client: secretive } = yield* OAuth.registeredWithSecret
        yield* forces("other_client", post("/token", { ...refresh, client_id: client.id }))
        yield* forces("malformed", post("/token", { ...refresh, client_id: client.id, refresh_token: "x" }))
        const without = (client_id: string) => post("/token", { ...refresh, client_id })
        yield* forces("client_unknown", without("doc_nobody"), "unknown")
        yield* forces("client_unknown", without("https://nobody.example/client.json"), "unknown")
        yield* forces("client_unauthenticated", without(secretive.id), "unknown")
      })
    )
  })

  it.effect("a code that is refused is counted by its reason, and a second use as reused", () =>
    Effect.gen(function* () {
      const { exchange } = yield* connected("Cursor")
      const refused = (reason: SignInReason) => Metrics.codesRefused.value({ reason })
      const wrong = post("/token", { ...exchange, code_verifier: OAuth.proof().verifier })
      assert.strictEqual(yield* added(refused("wrong_verifier"), wrong), 1)
      assert.strictEqual(yield* added(refused("reused"), post("/token", exchange)), 1)
      assert.strictEqual(yield* added(refused("unknown_or_ended"), post("/token", exchange)), 1)
    })
  )
})
