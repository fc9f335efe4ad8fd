import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomBytes } from "node:crypto"
import * as Credential from "../../../src/domain/access/Credential.ts"
import * as ClientNetwork from "../../../src/domain/access/ClientNetwork.ts"
import type { AuthMethod } from "../../../src/domain/oauth/Client.ts"
import { ClientMetadata } from "../../../src/services/oauth/ClientMetadata.ts"
import { Clients } from "../../../src/services/oauth/Clients.ts"
import type { ClientCredentials } from "../../../src/services/oauth/Clients.ts"
import { ServerKey } from "../../../src/services/oauth/ServerKey.ts"
import * as Access from "../../support/Access.ts"
import * as FakeOAuth from "../../support/FakeOAuth.ts"
import * as OAuth from "../../support/OAuth.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = Layer.mergeAll(OAuth.layer, Access.layerUnhashed).pipe(Layer.provideMerge(TestDatabase.layer))

layer(Services, { excludeTestServices: true })("Clients", (it) => {
  const register = (authMethod: AuthMethod, name = "A test's app", caller = "203.0.113.1") =>
    Effect.flatMap(Clients, (clients) =>
      clients.register({ name, redirectUris: [OAuth.redirectUri], authMethod }, caller)
    )
  const authenticate = (credentials: Partial<ClientCredentials>) =>
    Effect.flatMap(Clients, (clients) =>
      clients.authenticate({ basic: undefined, id: undefined, secret: undefined, ...credentials })
    ).pipe(Effect.map(({ id }) => id))
  const refusal = (credentials: Partial<ClientCredentials>) =>
    Effect.map(Effect.flip(authenticate(credentials)), ({ _tag }) => _tag)
  const find = (id: string) => Effect.flatMap(Clients, (clients) => clients.find(id, "203.0.113.1"))
  const secretOf = (text: string) => Redacted.make(text)

  describe("a registered client", () => {
    it.effect("is found as it was registered; its id begins with doc_, never with https", () =>
      Effect.gen(function* () {
        const { client, secret } = yield* register("none", '名前 "quoted" <b>')
        assert.match(client.id, /^doc_[0-9A-Za-z]{43}$/)
        assert.isUndefined(secret)
        assert.deepStrictEqual(yield* find(client.id), {
          id: client.id,
          name: '名前 "quoted" <b>',
          source: "registered",
          publisher: undefined,
          redirectUris: [OAuth.redirectUri],
          authMethod: "none"
        })
      })
    )

    it.effect("is not found under any other id", () =>
      Effect.gen(function* () {
        const { client } = yield* register("none")
        const made = Credential.make("client", new Uint8Array(48).fill(3))
        for (const id of [made, "", "\u0000", `${client.id}0`, client.id.toLowerCase(), "x".repeat(100_000), "https"]) {
          assert.strictEqual((yield* Effect.flip(find(id)))._tag, "UnknownClient")
        }
      })
    )
  })

  describe("R45 registrations without consent", () => {
    const count = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly n: number }>`
        SELECT count(*)::integer AS n FROM oauth_client WHERE granted_at IS NULL`
      return rows[0]?.n ?? Infinity
    })
    /** 20,000 that are a moment old, the first of them the newest, by as many addresses; and an older one that was approved. */
    const fill = Effect.fnUntraced(function* (addresses: number, addressOf: (n: number) => string) {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM oauth_client`
      const callers = Array.from({ length: addresses }, (_, n) => ClientNetwork.countedOf(addressOf(n)))
      yield* sql`
        INSERT INTO oauth_client (id, name, redirect_uris, auth_method, created_at, granted_at, address_hash, site_hash)
        SELECT 'doc_' || lpad(made.n::text, 43, '0'), 'x', '[]', 'none', now() - made.n * interval '1 millisecond',
          CASE WHEN made.n > 20000 THEN now() END, sha256(address::bytea), sha256(site::bytea)
        FROM generate_series(1, 20001) AS made (n)
        JOIN jsonb_to_recordset(${JSON.stringify(
          callers.map(([own, site], n) => ({ n, address: own?.key, site: site?.key }))
        )}::jsonb) AS caller (n integer, address text, site text) ON caller.n = made.n % ${addresses}`
      // As autovacuum does while so many come: plans follow the statistics.
      yield* sql`ANALYZE oauth_client`
    })
    const id = (n: number) => `doc_${String(n).padStart(43, "0")}`
    const isKept = Effect.fnUntraced(function* (id: string) {
      const sql = yield* SqlClient.SqlClient
      return (yield* sql`SELECT FROM oauth_client WHERE id = ${id}`).length === 1
    })
    const ipv4 = (n: number) => `198.51.${Math.floor(n / 250)}.${n % 250}`
    const registerFrom = (caller: string) => Effect.map(register("none", "x", caller), ({ client }) => client.id)
    const times = (count: number) => Array.from({ length: count })

    it.effect("are 20,000 at most: the oldest go, and none that was approved", () =>
      Effect.gen(function* () {
        yield* fill(20_000, ipv4)
        const { client } = yield* register("none")
        yield* find(client.id)
        assert.deepStrictEqual(yield* Effect.forEach([1, 20_000, 20_001], (n) => isKept(id(n))), [true, false, true])
        yield* Effect.forEach(times(300), () => register("none"), { concurrency: 10 })
        assert.isAtMost(yield* count, 20_000 + 10)
      })
    )

    it.effect.each<readonly [string, number, (n: number) => string]>([
      ["334 addresses, 60 each", 334, ipv4],
      ["one IPv6 /64", 1, () => "2001:db8:1:1"],
      ["seven IPv6 /48, each registration by another /64", 20_000, (n) => `2001:db8:${n % 7}:${n.toString(16)}`],
      ["300 IPv6 /48, 66 each by as many /64", 20_000, (n) => `2001:db8:${(n % 300).toString(16)}:${n.toString(16)}`]
    ])("displace only their own: %s", ([, addresses, addressOf]) =>
      Effect.gen(function* () {
        yield* fill(addresses, addressOf)
        const sql = yield* SqlClient.SqlClient
        // Others: older than all of the flood, and as many as the network that has fewest of it may keep for itself.
        const others = ["192.0.2.1", "192.0.2.2", "2001:db8:ffff:1"]
        const kept = yield* Effect.forEach(
          others.flatMap((caller) => times(7).map(() => caller)),
          registerFrom
        )
        yield* sql`UPDATE oauth_client SET created_at = now() - interval '89 days' WHERE id = ANY(${kept}::text[])`
        for (let n = 0; n < 150; n++) yield* registerFrom(addressOf(n))
        const later = yield* Effect.forEach(others, registerFrom)
        for (const each of [...kept, ...later, id(20_001)]) assert.isTrue(yield* isKept(each), each)
        assert.isAtMost(yield* count, 20_000)
      })
    )

    it.effect("make room while the oldest is being approved: it stays, and no request waits for it", () =>
      Effect.gen(function* () {
        yield* fill(1, ipv4)
        const { release } = yield* Access.hold(
          (sql) => sql`SELECT FROM oauth_client WHERE id = ${id(20_000)} FOR UPDATE`
        )
        yield* register("none")
        yield* release
        assert.deepStrictEqual(yield* Effect.forEach([19_998, 19_999, 20_000], (n) => isKept(id(n))), [
          false,
          false,
          true
        ])
      })
    )

    it.effect("store no readable address, and none at all once they are approved", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM oauth_client`
        const { client } = yield* register("none", "x", "2001:db8:7:7")
        const row = sql`SELECT address_hash AS address, site_hash AS site FROM oauth_client`
        const hashOf = (text: string) => createHash("sha256").update(text).digest()
        assert.deepStrictEqual(yield* row, [{ address: hashOf("2001:db8:7:7"), site: hashOf("2001:db8:7::/48") }])
        const { caller } = yield* Access.subscriber()
        yield* OAuth.approved(caller.accountId, client)
        assert.deepStrictEqual(yield* row, [{ address: null, site: null }])
      })
    )
  })

  describe("a client that is known by a document", () => {
    const approve = Effect.fnUntraced(function* (id: string) {
      const { caller } = yield* Access.subscriber()
      yield* OAuth.approved(caller.accountId, FakeOAuth.documentClient(id))
    })

    it.effect("R51 is who its document says", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* find(FakeOAuth.documentId)).publisher, "app.example")
        assert.strictEqual(
          (yield* Effect.flip(find("https://evil.example/client.json")))._tag,
          "ClientMetadataRejected"
        )
        assert.strictEqual((yield* Effect.flip(find(FakeOAuth.unreachableId)))._tag, "ClientMetadataUnavailable")
      })
    )

    it.effect.each([FakeOAuth.documentId, FakeOAuth.unreachableId, "https://broken.example/client.json"])(
      "R34, R51 authenticates once it was approved, whatever becomes of its document: %s",
      (id) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* refusal({ id }), "InvalidClient")
          yield* approve(id)
          assert.strictEqual(yield* authenticate({ id }), id)
          assert.strictEqual(yield* authenticate({ basic: { id, secret: undefined } }), id)
          assert.strictEqual(yield* refusal({ id, secret: secretOf("x") }), "InvalidClient")
          assert.strictEqual(yield* refusal({ id: `${id}x` }), "InvalidClient")
        })
    )

    it.effect("R47 authenticates by the longest id that there can be, also when it has ended", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // Random, so that an index cannot make it shorter.
        const prefix = "https://app.example/"
        const long =
          prefix +
          randomBytes(2048)
            .toString("base64url")
            .slice(0, 2048 - prefix.length)
        yield* approve(long)
        assert.strictEqual(yield* authenticate({ id: long }), long)
        yield* sql`
          WITH over AS (DELETE FROM oauth_grant WHERE client_id = ${long} RETURNING *)
          INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
          SELECT id, account_id, client_id, client_name, approved_at, approved_at, approved_at, 'client' FROM over`
        assert.strictEqual(yield* authenticate({ id: long }), long)
        assert.strictEqual(yield* refusal({ id: `${long}x` }), "InvalidClient")
      })
    )

    it.effect("R34, R56 that no account approved is unknown, and is not fetched", () =>
      Effect.gen(function* () {
        const fetched: Array<string> = []
        const documents = Layer.mock(ClientMetadata, {
          fetch: (id) => Effect.sync(() => (fetched.push(id), FakeOAuth.documentClient(id)))
        })
        const tried = yield* Effect.gen(function* () {
          const ids = [
            "https://x1.example/a",
            "https://x2.example/a",
            "https://",
            "http://x",
            "https://x.example/\u0000"
          ]
          return yield* Effect.forEach(ids, (id) => refusal({ id }))
        }).pipe(Effect.provide(Clients.layer.pipe(Layer.provide([documents, NodeCrypto.layer]), Layer.fresh)))
        assert.deepStrictEqual(
          tried,
          Array.from({ length: 5 }, () => "InvalidClient")
        )
        assert.deepStrictEqual(fetched, [])
      })
    )
  })

  describe("R33 authentication", () => {
    it.effect("of a public client is its id, in the form or in the header", () =>
      Effect.gen(function* () {
        const { client } = yield* register("none")
        assert.strictEqual(yield* authenticate({ id: client.id }), client.id)
        assert.strictEqual(yield* authenticate({ basic: { id: client.id, secret: undefined } }), client.id)
        assert.strictEqual(yield* refusal({ id: client.id, secret: secretOf("x") }), "InvalidClient")
      })
    )

    it.effect.each(["client_secret_basic", "client_secret_post"] as const)(
      "of a %s client is its secret, in the form or in the header",
      (method) =>
        Effect.gen(function* () {
          const { client, secret } = yield* register(method)
          if (secret === undefined) return assert.fail("no secret")
          assert.match(Redacted.value(secret), /^dcs_[0-9A-Za-z]{43}$/)
          const { id } = client
          assert.strictEqual(yield* authenticate({ id, secret }), id)
          assert.strictEqual(yield* authenticate({ basic: { id, secret } }), id)
          assert.strictEqual(yield* authenticate({ basic: { id, secret }, id }), id)
        })
    )

    it.effect("of a client with a secret is never less", () =>
      Effect.gen(function* () {
        const { client, secret } = yield* register("client_secret_basic")
        const other = yield* register("client_secret_basic")
        if (secret === undefined || other.secret === undefined) return assert.fail("no secret")
        const { id } = client
        const wrong = [
          "x",
          "",
          `${Redacted.value(secret)}0`,
          Redacted.value(other.secret),
          "\u0000",
          "x".repeat(100_000)
        ]
        assert.strictEqual(yield* refusal({ id }), "InvalidClient")
        assert.strictEqual(yield* refusal({ basic: { id, secret: undefined } }), "InvalidClient")
        for (const text of wrong) {
          assert.strictEqual(yield* refusal({ id, secret: secretOf(text) }), "InvalidClient")
          assert.strictEqual(yield* refusal({ basic: { id, secret: secretOf(text) } }), "InvalidClient")
        }
      })
    )

    it.effect("in two ways at once is invalid_request; in none, or of an unknown client, invalid_client", () =>
      Effect.gen(function* () {
        const { client, secret } = yield* register("client_secret_basic")
        if (secret === undefined) return assert.fail("no secret")
        const { id } = client
        assert.strictEqual(yield* refusal({ basic: { id, secret }, secret }), "InvalidRequest")
        assert.strictEqual(yield* refusal({ basic: { id, secret }, id: FakeOAuth.documentId }), "InvalidRequest")
        assert.strictEqual(yield* refusal({}), "InvalidClient")
        assert.strictEqual(yield* refusal({ secret }), "InvalidClient")
        assert.strictEqual(yield* refusal({ id: "nobody", secret }), "InvalidClient")
      })
    )

    it.effect("R34 says whether the header was tried", () =>
      Effect.gen(function* () {
        const inForm = yield* Effect.flip(authenticate({ id: "nobody" }))
        const inHeader = yield* Effect.flip(authenticate({ basic: { id: "nobody", secret: undefined } }))
        assert.deepInclude(inForm, { _tag: "InvalidClient", triedBasic: false })
        assert.deepInclude(inHeader, { _tag: "InvalidClient", triedBasic: true })
      })
    )
  })

  describe("the server's key", () => {
    it.effect("is made once, however many servers need it first", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM server_key`
        const ids = yield* Effect.forEach(
          Array.from({ length: 6 }),
          () =>
            Effect.flatMap(ServerKey, ({ current }) => Effect.map(current, ({ id }) => id)).pipe(
              Effect.provide(Layer.fresh(OAuth.layer))
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(ids).size, 1)
        assert.lengthOf(yield* sql`SELECT FROM server_key`, 1)
      })
    )

    it.effect("is that of another server, which is just making it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM server_key`
        const making = yield* Access.hold(
          (other) =>
            other`INSERT INTO server_key (secret, created_at) VALUES (decode(repeat('07', 64), 'hex'), '2026-01-01')`
        )
        const current = Effect.flatMap(ServerKey, (key) => key.current)
        yield* Access.afterWaiting(making, Effect.provide(current, Layer.fresh(OAuth.layer)))
        assert.lengthOf(yield* sql`SELECT FROM server_key`, 1)
      })
    )
  })
})
