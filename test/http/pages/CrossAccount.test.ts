/**
 * Another account's things are as if they were not there: for every address with an id in it, the answer is, byte for byte,
 * that of an id that nobody has, and nothing of the other account is changed.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/access/Account.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../../src/services/credentials/ApiKeys.ts"
import { Passkeys } from "../../../src/services/sessions/passkeys/Passkeys.ts"
import { Boards } from "../../../src/services/accounts/Boards.ts"
import { SavedSearches } from "../../../src/services/accounts/SavedSearches.ts"
import type { Sessions } from "../../../src/services/sessions/Sessions.ts"
import type { Clients } from "../../../src/services/oauth/Clients.ts"
import { ConnectedApps } from "../../../src/services/oauth/ConnectedApps.ts"
import type { Grants } from "../../../src/services/oauth/Grants.ts"
import * as Integrations from "../../support/Integrations.ts"
import { loopback } from "../../support/OAuthServer.ts"
import { seen } from "../../support/Sameness.ts"
import { Site } from "../../support/Site.ts"
import * as SiteVisitor from "../../support/SiteVisitor.ts"

interface Owner {
  readonly id: AccountId
  readonly email: string
  readonly visitor: SiteVisitor.SiteVisitor
}

type Services =
  | Site
  | Accounts
  | SavedSearches
  | Boards
  | Sessions
  | ApiKeys
  | Passkeys
  | ConnectedApps
  | Grants
  | Clients
  | SqlClient.SqlClient

interface Case {
  readonly method: "GET" | "POST"
  /** With `{id}` where the id stands, in the path or in the query. */
  readonly path: string
  /** Makes a thing of the owner's, and tells its id. */
  readonly thing: (owner: Owner) => Effect.Effect<number, never, Services>
  /** The fields of the form, without its token. */
  readonly form?: Readonly<Record<string, string>>
  /** Not for customers at all: nobody's id does anything. */
  readonly operatorsOnly?: true
}

/** The cases sign in more often than one network may (R56). Each sign-in comes from another address. */
const signedIn = (who: { readonly email: string; readonly password: string }) =>
  SiteVisitor.signedIn(who, SiteVisitor.ownAddress())

/** A session of the owner's in another browser. */
const session = ({ email }: Owner) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* signedIn({ email, password: "nine green whales" })
    const [row] = yield* sql`
      SELECT max(s.id) AS id FROM session s JOIN account a ON a.id = s.account_id WHERE a.email = ${email}`
    return yield* decodeId(row)
  }).pipe(Effect.orDie)

const account = ({ id }: Owner) => Effect.succeed(id)

const key = ({ id }: Owner) =>
  Effect.flatMap(ApiKeys, (keys) => keys.create(id, "a key")).pipe(
    Effect.map((made) => made.key.id),
    Effect.orDie
  )

const savedSearch = ({ id }: Owner) =>
  Effect.gen(function* () {
    const saved = yield* SavedSearches
    yield* saved.save(id, { subject: "ads", query: "query=lamp", name: "Lamps", mark: 0 })
    const { searches } = yield* saved.page(id, 1)
    return yield* decodeId(searches[0])
  }).pipe(Effect.orDie)

const board = ({ id }: Owner) => Effect.flatMap(Boards, (boards) => boards.create(id, "A board")).pipe(Effect.orDie)

/** An ad that the catalog no longer has, on a board. */
const keptItem = (owner: Owner) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const boardId = yield* board(owner)
    const [row] = yield* sql`
      INSERT INTO kept_item (board_id, kind, item_id, note, kept_at) VALUES (${boardId}, 'ad', 7, 'A note', now()) RETURNING id`
    return yield* decodeId(row)
  }).pipe(Effect.orDie)

/** A board with such an ad. */
const boardWithGone = (owner: Owner) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const item = yield* keptItem(owner)
    const [row] = yield* sql`SELECT board_id AS id FROM kept_item WHERE id = ${item}`
    return yield* decodeId(row)
  }).pipe(Effect.orDie)

const passkey = ({ id, visitor }: Owner) =>
  Effect.gen(function* () {
    yield* SiteVisitor.addPasskey(visitor)
    return yield* decodeId((yield* Effect.flatMap(Passkeys, (passkeys) => passkeys.list(id)))[0])
  }).pipe(Effect.orDie)

const app = ({ id }: Owner) =>
  Effect.gen(function* () {
    yield* Integrations.connect(id, { name: "An app" })
    const [connected] = yield* Effect.flatMap(ConnectedApps, (apps) => apps.list(id))
    return yield* decodeId(connected)
  }).pipe(Effect.orDie)

/** The same, and a call was made with it. */
const called =
  (kind: "api_key" | "access_token", thing: Case["thing"]): Case["thing"] =>
  (owner) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* thing(owner)
      const at = new Date(yield* Clock.currentTimeMillis)
      yield* sql`
        INSERT INTO activity (account_id, at, tool, credential_kind, credential_id, outcome, credits, duration_ms, request_id)
        VALUES (${owner.id}, ${at}, 'search_ads', ${kind}, ${id}, 'ok', 1, 12, ${`request-of-${kind}-${id}`})`
      yield* sql`
        INSERT INTO activity_day (account_id, day, tool, outcome, credential_kind, credential_id, calls)
        VALUES (${owner.id}, ${at}::date, 'search_ads', 'ok', ${kind}, ${id}, 1)`
      return id
    }).pipe(Effect.orDie)

/** One row for each address with an id. */
const cases: ReadonlyArray<Case> = [
  { method: "POST", path: "/dashboard/account/sessions/{id}/end", thing: session },
  { method: "POST", path: "/dashboard/account/passkeys/{id}/remove", thing: passkey },
  { method: "GET", path: "/dashboard/integrations/keys/{id}/revoke", thing: key },
  { method: "POST", path: "/dashboard/integrations/keys/{id}/revoke", thing: key },
  { method: "GET", path: "/dashboard/integrations/keys/{id}/replace", thing: key },
  {
    method: "POST",
    path: "/dashboard/integrations/keys/{id}/replace",
    thing: key,
    form: { name: "Another", ends: "now", attempt: "A".repeat(22) }
  },
  { method: "GET", path: "/dashboard/integrations/apps/{id}/revoke", thing: app },
  { method: "POST", path: "/dashboard/integrations/apps/{id}/revoke", thing: app },
  { method: "GET", path: "/dashboard/searches/{id}/rename", thing: savedSearch },
  { method: "POST", path: "/dashboard/searches/{id}/rename", thing: savedSearch, form: { name: "Another" } },
  { method: "POST", path: "/dashboard/searches/{id}/rename", thing: savedSearch, form: { name: "" } },
  { method: "POST", path: "/dashboard/searches/{id}/remove", thing: savedSearch },
  { method: "GET", path: "/dashboard/boards/{id}", thing: board },
  { method: "GET", path: "/dashboard/boards/{id}/rename", thing: board },
  { method: "POST", path: "/dashboard/boards/{id}/rename", thing: board, form: { name: "Another" } },
  { method: "POST", path: "/dashboard/boards/{id}/rename", thing: board, form: { name: "" } },
  { method: "GET", path: "/dashboard/boards/{id}/delete", thing: board },
  { method: "POST", path: "/dashboard/boards/{id}/delete", thing: board },
  { method: "POST", path: "/dashboard/boards/{id}/remove-gone", thing: boardWithGone },
  { method: "GET", path: "/dashboard/boards/items/{id}/note", thing: keptItem },
  { method: "POST", path: "/dashboard/boards/items/{id}/note", thing: keptItem, form: { note: "Another" } },
  { method: "POST", path: "/dashboard/boards/items/{id}/note", thing: keptItem, form: { note: "x".repeat(501) } },
  { method: "POST", path: "/dashboard/boards/items/{id}/remove", thing: keptItem, form: { board: "1" } },
  { method: "GET", path: "/dashboard/searches/{id}", thing: savedSearch },
  { method: "POST", path: "/dashboard/searches/{id}/alert", thing: savedSearch, form: { alert: "daily" } },
  { method: "POST", path: "/dashboard/searches/{id}/alert", thing: savedSearch, form: { alert: "off" } },
  { method: "GET", path: "/dashboard/usage?who=key-{id}", thing: called("api_key", key) },
  { method: "GET", path: "/dashboard/usage?who=app-{id}", thing: called("access_token", app) },
  { method: "GET", path: "/dashboard/operator/accounts/{id}", thing: account, operatorsOnly: true },
  { method: "GET", path: "/dashboard/operator/accounts/{id}/plan?to=pro", thing: account, operatorsOnly: true },
  { method: "GET", path: "/dashboard/operator/accounts/{id}/status?to=unpaid", thing: account, operatorsOnly: true },
  {
    method: "POST",
    path: "/dashboard/operator/accounts/{id}/plan",
    thing: account,
    form: { from: "growth", to: "pro" },
    operatorsOnly: true
  },
  {
    method: "POST",
    path: "/dashboard/operator/accounts/{id}/status",
    thing: account,
    form: { from: "active", to: "unpaid" },
    operatorsOnly: true
  }
]

/** Addresses whose variable part is nothing that an account has, and why. */
const notOfAnAccount: Readonly<Record<string, string>> = {
  "GET /dashboard/:place/*": "whatever is no page",
  "POST /dashboard/:place/*": "whatever is no form",
  "GET /dashboard/shops/:id": "a store is everybody's",
  "GET /dashboard/ads/:id": "an ad is everybody's",
  "GET /dashboard/products/:id": "a product is everybody's; its details are for who tracks its store",
  "POST /dashboard/shops/:id/track": "a store is everybody's; who tracks it is the visitor",
  "POST /dashboard/shops/:id/untrack": "a store is everybody's; who tracks it is the visitor",
  "GET /docs/:place/*": "whatever is no document",
  "GET /demo/v1/products/:name": "a picture of the demo data, for anyone",
  "GET /demo/v1/ads/:name": "a picture of the demo data, for anyone",
  "GET /.well-known/*": "documents for clients",
  "GET /mcp/.well-known/*": "documents for clients"
}

const decodeId = (row: unknown) =>
  Effect.map(Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.Int }))(row), ({ id }) => id)

/** The greatest that an address can name. */
const nobodys = 2_147_483_647

/** What is no id, and what only reads as one elsewhere. */
const malformed = ["0", "01", "1.0", "1e3", "+1", "-1", "%201", "x", "2147483648", "9".repeat(200), "%00", "1%2F1"]

const behindProxy = Site.layer({ config: { trustedProxies: loopback } })

layer(behindProxy, { excludeTestServices: true })("an id in an address", (it) => {
  const owner = Effect.gen(function* () {
    const site = yield* Site
    const who = yield* site.account()
    const { id } = yield* Effect.flatMap(Accounts, (accounts) => accounts.find(who.email))
    return { id, email: who.email, visitor: yield* signedIn(who) }
  }).pipe(Effect.orDie)

  /** Everything that the database has of an account. */
  const belongings = Effect.fnUntraced(function* (accountId: AccountId) {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`
    assert.isAbove(tables.length, 5)
    const found = yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        sql`SELECT to_jsonb(t)::text AS row FROM ${sql(name)} t WHERE account_id = ${accountId} ORDER BY 1`,
        (rows) => ({ name, rows })
      )
    )
    const kept = yield* sql`
      SELECT to_jsonb(k)::text AS row FROM kept_item k JOIN board b ON b.id = k.board_id
      WHERE b.account_id = ${accountId} ORDER BY 1`
    return { found, kept, account: yield* sql`SELECT to_jsonb(a)::text AS row FROM account a WHERE id = ${accountId}` }
  })

  const ask = ({ form, method, path }: Case, { visitor }: Owner, id: number | string) => {
    const address = path.replace("{id}", String(id))
    const answer = Effect.map(method === "GET" ? visitor.get(address) : visitor.submit(address, form ?? {}), seen)
    // A page of the calls of one key or app has the id that its address asks for.
    return Effect.map(answer, (all) => ({
      ...all,
      text: all.text.replaceAll(new RegExp(`\\b(key|app)[- ]${id}\\b`, "giu"), "$1")
    }))
  }

  describe.each(cases)("$method $path", (each) => {
    it.effect("of another account gets the same answer as an unknown one, and changes nothing", () =>
      Effect.gen(function* () {
        const [mine, theirs] = [yield* owner, yield* owner]
        yield* each.thing(mine)
        const foreign = yield* each.thing(theirs)
        const before = yield* belongings(theirs.id)
        const none = yield* ask(each, mine, nobodys)
        assert.deepStrictEqual(yield* ask(each, mine, foreign), none)
        assert.deepStrictEqual(yield* belongings(theirs.id), before)
      })
    )

    it.effect("of one's own does something, unless it is for operators", () =>
      Effect.gen(function* () {
        const mine = yield* owner
        const own = yield* each.thing(mine)
        const before = yield* belongings(mine.id)
        const none = yield* ask(each, mine, nobodys)
        const isAnswered = JSON.stringify(yield* ask(each, mine, own)) !== JSON.stringify(none)
        const isChanged = JSON.stringify(yield* belongings(mine.id)) !== JSON.stringify(before)
        assert.strictEqual(isAnswered || isChanged, each.operatorsOnly !== true)
      })
    )

    it.effect("that is none leads to no page", () =>
      Effect.gen(function* () {
        const mine = yield* owner
        // In a parameter, an id that is none is refused by its name (D48).
        const status = each.path.includes("?who=") ? 400 : 404
        for (const id of malformed) assert.strictEqual((yield* ask(each, mine, id)).status, status, id)
      })
    )
  })

  it.effect("is in the table above, whichever the page", () =>
    Effect.gen(function* () {
      const { routes } = yield* Site
      const variable = routes.filter((route) => /^(?:GET|POST) .*[:*]/u.test(route))
      const known = new Set([
        ...cases.map(({ method, path }) => `${method} ${path.split("?", 1)[0]?.replace("{id}", ":id")}`),
        ...Object.keys(notOfAnAccount)
      ])
      assert.deepStrictEqual(
        variable.filter((route) => !known.has(route)),
        []
      )
      assert.deepStrictEqual(
        Object.keys(notOfAnAccount).filter((route) => !routes.includes(route)),
        []
      )
      // One with the id in its query is a route without a variable part; none is a route that is gone.
      for (const route of known) assert.include(routes, route)
    })
  )
})
