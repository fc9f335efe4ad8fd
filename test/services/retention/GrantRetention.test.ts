import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import { Clients } from "../../../src/services/oauth/Clients.ts"
import * as GrantRetention from "../../../src/services/retention/GrantRetention.ts"
import { Grants } from "../../../src/services/oauth/Grants.ts"
import { ServerKey } from "../../../src/services/oauth/ServerKey.ts"
import * as Access from "../../support/Access.ts"
import * as OAuth from "../../support/OAuth.ts"
import { SetClock } from "../../support/SetClock.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const hours = 3_600_000
const days = 24 * hours

const Services = Layer.mergeAll(Access.layerUnhashed, OAuth.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provideMerge(SetClock.layer("2026-03-10T12:00:00Z"))
)

layer(Services, { excludeTestServices: true })("GrantRetention", (it) => {
  const advance = (millis: number) => Effect.flatMap(SetClock, (clock) => clock.advance(millis))
  const { sweep } = GrantRetention
  const empty = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM oauth_grant`
    yield* sql`DELETE FROM oauth_ended_grant`
    yield* sql`DELETE FROM oauth_client`
    yield* sql`DELETE FROM server_key`
    return (yield* Access.subscriber()).caller.accountId
  })
  const count = Effect.fnUntraced(function* (table: string) {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly n: number }>`SELECT count(*)::integer AS n FROM ${sql(table)}`
    return rows[0]?.n
  })
  const nothing = { tokens: 0, codes: 0, grants: 0, remembered: 0, clients: 0, keys: 0 }

  it.effect("deletes nothing that may still be of use", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const grants = yield* Grants
      const { approval, client, tokens } = yield* OAuth.connected(account)
      const next = yield* grants.refresh(OAuth.refreshOf(client, tokens.refreshToken))
      yield* OAuth.registered("never approved")
      assert.deepStrictEqual(yield* sweep, nothing)
      yield* advance(23 * hours)
      assert.deepStrictEqual(yield* sweep, nothing)
      // The used code is still known as one, a day after it was given.
      yield* Effect.flip(grants.exchangeCode(OAuth.exchangeOf(approval)))
      yield* Effect.flip(grants.refresh(OAuth.refreshOf(client, next.refreshToken)))
      assert.strictEqual(yield* count("oauth_grant"), 0)
    })
  )

  it.effect("deletes tokens and codes that are over, and keeps the connection", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const grants = yield* Grants
      const { client, tokens } = yield* OAuth.connected(account)
      yield* advance(2 * days)
      assert.deepStrictEqual(yield* sweep, { ...nothing, tokens: 1, codes: 1 })
      const next = yield* grants.refresh(OAuth.refreshOf(client, tokens.refreshToken))
      yield* Effect.flatMap(CredentialResolver, (resolver) => resolver.resolve(next.accessToken))
      // The token that was left behind is known as long as it could have been used.
      yield* advance(29 * days)
      yield* sweep
      yield* Effect.flip(grants.refresh(OAuth.refreshOf(client, tokens.refreshToken)))
    })
  )

  it.effect("ends unused connections and codes that were not exchanged", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const { client } = yield* OAuth.connected(account)
      yield* OAuth.approved(account, client)
      yield* advance(2 * days)
      assert.strictEqual((yield* sweep).grants, 1)
      yield* advance(29 * days)
      assert.strictEqual((yield* sweep).grants, 1)
      for (const table of ["oauth_grant", "oauth_code", "oauth_access_token", "oauth_refresh_token"]) {
        assert.strictEqual(yield* count(table), 0, table)
      }
      const sql = yield* SqlClient.SqlClient
      const ended = yield* sql`SELECT reason FROM oauth_ended_grant WHERE account_id = ${account}`
      assert.deepStrictEqual(ended, [{ reason: "expired" }])
    })
  )

  it.effect("leaves a connection that another server refreshes while it is being ended", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const grants = yield* Grants
      const { client, tokens } = yield* OAuth.connected(account)
      yield* advance(31 * days)
      // A refresh by a server whose clock is behind: it has the connection, and has not committed.
      const { release, waiting } = yield* Access.hold(
        (sql) => sql`UPDATE oauth_grant SET usable_until = ends_at WHERE client_id = ${client.id}`,
        "DELETE FROM oauth_grant"
      )
      const sweeping = yield* Effect.forkChild(sweep, { startImmediately: true })
      yield* waiting(1)
      yield* release
      assert.strictEqual((yield* Fiber.join(sweeping)).grants, 0)
      assert.strictEqual(yield* count("oauth_grant"), 1)
      // With its tokens gone it is of no use to the test any more.
      yield* grants.revokeToken(client.id, tokens.refreshToken)
    })
  )

  it.effect("leaves what another server has locked, and does not wait for it", () =>
    Effect.gen(function* () {
      yield* empty
      const [held, free] = [yield* OAuth.registered("held"), yield* OAuth.registered("free")]
      yield* advance(90 * days)
      const { release } = yield* Access.hold((sql) => sql`SELECT FROM oauth_client WHERE id = ${held.id} FOR KEY SHARE`)
      assert.strictEqual((yield* sweep).clients, 1)
      const clients = yield* Clients
      yield* clients.find(held.id, "203.0.113.1")
      assert.strictEqual((yield* Effect.flip(clients.find(free.id, "203.0.113.1")))._tag, "UnknownClient")
      yield* release
      assert.strictEqual((yield* sweep).clients, 1)
    })
  )

  it.effect("R46 deletes a registration after 90 days if it was never approved", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const clients = yield* Clients
      const unused = yield* OAuth.registered("never approved")
      const approvedOnly = yield* OAuth.registered("approved once")
      yield* OAuth.approved(account, approvedOnly)
      yield* advance(90 * days - 1)
      yield* sweep
      yield* clients.find(unused.id, "203.0.113.1")
      yield* advance(1)
      assert.strictEqual((yield* sweep).clients, 1)
      assert.strictEqual((yield* Effect.flip(clients.find(unused.id, "203.0.113.1")))._tag, "UnknownClient")
      yield* clients.find(approvedOnly.id, "203.0.113.1")
      const late = yield* Effect.flip(OAuth.approved(account, unused))
      assert.strictEqual(late._tag, "UnknownClient")
    })
  )

  it.effect(
    "R46 deletes a registration 400 days after its last connection ended, with what is remembered of that",
    () =>
      Effect.gen(function* () {
        const account = yield* empty
        const clients = yield* Clients
        const grants = yield* Grants
        const { client, tokens } = yield* OAuth.connected(account)
        const lasting = yield* OAuth.connected(account)
        yield* advance(20 * days)
        yield* grants.revokeToken(client.id, tokens.accessToken)
        yield* advance(400 * days - 1)
        // What is in use stays, however long ago its app was approved.
        yield* OAuth.approved(account, lasting.client)
        yield* sweep
        yield* clients.find(client.id, "203.0.113.1")
        yield* advance(1)
        assert.deepInclude(yield* sweep, { remembered: 1, clients: 1 })
        assert.strictEqual((yield* Effect.flip(clients.find(client.id, "203.0.113.1")))._tag, "UnknownClient")
        yield* clients.find(lasting.client.id, "203.0.113.1")
      })
  )

  it.effect("remembers the newest 2,000 of the connections that one account has ended", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const grants = yield* Grants
      const sql = yield* SqlClient.SqlClient
      const anotherAccount = (yield* Access.subscriber()).caller.accountId
      for (const [owner, firstId] of [
        [account, 1_000_000],
        [anotherAccount, 2_000_000]
      ] as const) {
        yield* sql`
          INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
          SELECT ${firstId}::integer + n, ${owner}, 'x', 'x', '2020-01-01', '2020-01-01',
            timestamptz '2020-01-01' + n * interval '1 minute', 'client' FROM generate_series(1, 2100) n`
      }
      const { client, tokens } = yield* OAuth.connected(account)
      yield* grants.revokeToken(client.id, tokens.accessToken)
      const rows = yield* sql`
        SELECT account_id AS owner, count(*)::integer AS n, min(id) AS oldest FROM oauth_ended_grant
        WHERE id > 1000000 GROUP BY 1 ORDER BY 3`
      assert.deepStrictEqual(rows, [
        { owner: account, n: 1999, oldest: 1_000_102 },
        { owner: anotherAccount, n: 2100, oldest: 2_000_001 }
      ])
    })
  )

  it.effect("deletes old keys that no token was made with", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const grants = yield* Grants
      const { rotate } = yield* ServerKey
      yield* rotate
      const { client, tokens } = yield* OAuth.connected(account)
      yield* grants.refresh(OAuth.refreshOf(client, tokens.refreshToken))
      yield* rotate
      yield* rotate
      yield* advance(2 * days)
      assert.strictEqual((yield* sweep).keys, 1)
      assert.strictEqual(yield* count("server_key"), 2)
      yield* advance(40 * days)
      assert.strictEqual((yield* sweep).keys, 1)
      assert.strictEqual(yield* count("server_key"), 1)
    })
  )

  it.effect("keeps a key that another server may still be using: until a day after the next one was made", () =>
    Effect.gen(function* () {
      yield* empty
      const { rotate } = yield* ServerKey
      yield* rotate
      yield* advance(40 * days)
      yield* rotate
      assert.strictEqual((yield* sweep).keys, 0)
      yield* advance(days - 1)
      assert.strictEqual((yield* sweep).keys, 0)
      yield* advance(1)
      assert.strictEqual((yield* sweep).keys, 1)
      assert.strictEqual(yield* count("server_key"), 1)
    })
  )

  it.effect("R46 deletes no registration that is being approved again at the same time", () =>
    Effect.gen(function* () {
      const account = yield* empty
      const sql = yield* SqlClient.SqlClient
      const clock = yield* SetClock
      yield* clock.set("2026-03-10T12:00:00Z")
      for (let round = 0; round < 200; round++) {
        const client = yield* OAuth.registered("approved years ago")
        yield* sql`UPDATE oauth_client SET granted_at = '2020-01-01' WHERE id = ${client.id}`
        const [approval] = yield* Effect.all([Effect.result(OAuth.approved(account, client)), sweep], {
          concurrency: "unbounded"
        })
        // It is gone before the answer, or stays with what was given.
        const kept = yield* sql`SELECT FROM oauth_grant WHERE client_id = ${client.id}`
        assert.lengthOf(kept, approval._tag === "Success" ? 1 : 0, `round ${round}`)
        yield* sql`DELETE FROM oauth_grant`
      }
    })
  )

  describe("a great many", () => {
    it.effect("are deleted batch by batch, by two servers at once", () =>
      Effect.gen(function* () {
        yield* empty
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          INSERT INTO oauth_client (id, name, redirect_uris, auth_method, created_at)
          SELECT 'doc_' || lpad(n::text, 43, '0'), 'x', '[]', 'none', '2020-01-01' FROM generate_series(1, 2500) n`
        const [one, two] = yield* Effect.all([sweep, sweep], { concurrency: 2 })
        assert.strictEqual(one.clients + two.clients, 2500)
      })
    )
  })
})
