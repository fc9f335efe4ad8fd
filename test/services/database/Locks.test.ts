/**
 * The order in which transactions lock rows, for those that lock several: two that lock them in other orders would wait for each
 * other. That a transaction waits at all is tested beside its service.
 */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { deleteUnlocked } from "../../../src/services/database/Rows.ts"
import * as Outbox from "../../../src/services/mail/Outbox.ts"
import { SignInAttempts } from "../../../src/services/limits/SignInAttempts.ts"
import type { AnyAttempt } from "../../../src/services/limits/SignInAttempts.ts"
import * as Access from "../../support/Access.ts"
import { missing } from "../../support/NamedTests.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Services = SignInAttempts.layer.pipe(Layer.provideMerge(TestDatabase.layer))

layer(Services, { excludeTestServices: true })("the order of locks", (it) => {
  /** The subjects of the counts that an effect locks, in order, in each of its transactions. */
  const lockedBy = Effect.fnUntraced(function* <E, R>(
    effect: Effect.Effect<unknown, E, R>,
    subjects: ReadonlyArray<string>
  ) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`TRUNCATE locked`
    yield* effect
    const rows = yield* sql<{ key: string; transaction: string }>`
      SELECT encode(key, 'hex') AS key, transaction::text FROM locked ORDER BY n`
    const known = yield* sql<{ key: string; subject: string }>`
      SELECT encode(sha256(convert_to(lower(s), 'UTF8')), 'hex') AS key, s AS subject FROM unnest(${subjects}::text[]) s`
    const subjectOf = new Map(known.map(({ key, subject }) => [key, subject]))
    return Array.from(Map.groupBy(rows, ({ transaction }) => transaction).values(), (own) =>
      own.map(({ key }) => subjectOf.get(key) ?? "another")
    )
  })

  it.effect(
    "R56 attempts lock their counts from the widest network to the account, and give them back in the same order",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const attempts = yield* SignInAttempts
        yield* sql`CREATE TABLE locked (n integer GENERATED ALWAYS AS IDENTITY, key bytea, transaction xid8 DEFAULT pg_current_xact_id())`
        yield* sql`
        CREATE FUNCTION note_lock() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO locked (key) VALUES (NEW.key); RETURN NEW; END'`
        yield* sql`
        CREATE TRIGGER noted BEFORE INSERT OR UPDATE ON sign_in_attempt FOR EACH ROW EXECUTE FUNCTION note_lock()`
        const [address, site, email] = ["2001:db8:1:2", "2001:db8:1::/48", "owner@discovery.test"]
        const networks = [`network ${site}`, `network ${address}`]
        const right = [`right network ${site}`, `right network ${address}`]
        const owner = `right owner ${email}`
        const cases: ReadonlyArray<readonly [attempt: AnyAttempt, subjects: ReadonlyArray<string>]> = [
          [{ address }, [...networks, ...right]],
          [
            { address, email },
            [
              ...networks,
              `network ${site} account ${email}`,
              `network ${address} account ${email}`,
              `account ${email}`,
              ...right,
              `right account ${email}`
            ]
          ],
          [{ address, email, knownBrowser: "browser 7" }, [`browser 7 account ${email}`, owner]],
          [{ email, sessionId: 7 }, [`session 7 account ${email}`, owner]],
          [{ email, link: "reset" }, [`reset link account ${email}`, owner]]
        ]
        for (const [attempt, subjects] of cases) {
          // INSERT and the UPDATE that it becomes both note the row.
          const taken = yield* lockedBy(attempts.take(attempt), subjects)
          assert.deepStrictEqual(
            taken.map((own) => Array.from(new Set(own))),
            [subjects]
          )
          assert.deepStrictEqual(yield* lockedBy(attempts.settle(attempt, "not_verified"), subjects), [subjects])
          yield* attempts.take(attempt)
          const wrong = subjects.filter((subject) => !subject.startsWith("right "))
          const other = subjects.filter((subject) => subject.startsWith("right "))
          assert.deepStrictEqual(yield* lockedBy(attempts.settle(attempt, "right"), subjects), [wrong])
          yield* attempts.take(attempt)
          assert.deepStrictEqual(yield* lockedBy(attempts.settle(attempt, "wrong"), subjects), [other])
        }
        const mail = { mailTo: email, purpose: "reset" as const, address }
        const subjects = [`mail from network ${site}`, `mail from network ${address}`, `reset mail to ${email}`]
        assert.deepStrictEqual(yield* lockedBy(attempts.takeMail(mail), subjects), [subjects])
        assert.deepStrictEqual(yield* lockedBy(attempts.giveBackMail(mail), subjects), [subjects])
      })
  )

  it.effect("D33 the counts of a batch are locked in the order of their keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const use = (key: string, n: number) => ({ n, key, used: 0, wanted: 1, burst: 10, window_ms: 60_000 })
      const count = (...keys: ReadonlyArray<string>) =>
        sql`SELECT n FROM count_rates(${JSON.stringify(keys.map(use))}::jsonb, NULL)`
      const keys = yield* sql<{ key: string }>`
        SELECT key FROM unnest('{one,two,three}'::text[]) key ORDER BY sha256(convert_to(key, 'UTF8'))`
      const [first = "", second = "", last = ""] = keys.map(({ key }) => key)
      yield* count(first, second, last)
      const isFree = (key: string) =>
        sql`SELECT FROM rate_bucket WHERE key = sha256(convert_to(${key}::text, 'UTF8')) FOR UPDATE SKIP LOCKED`.pipe(
          Effect.map((rows) => rows.length === 1)
        )
      const held = yield* Access.hold(
        (other) => other`SELECT FROM rate_bucket WHERE key = sha256(convert_to(${first}::text, 'UTF8')) FOR UPDATE`,
        "count_rates"
      )
      const counting = yield* Effect.forkChild(count(last, second, first))
      yield* held.waiting(1)
      assert.deepStrictEqual([yield* isFree(second), yield* isFree(last)], [true, true])
      yield* held.release
      yield* Fiber.join(counting)
    })
  )

  const insertMails = (sql: SqlClient.SqlClient) => sql`
    INSERT INTO mail (kind, recipient, language, created_at, due_at, expires_at)
    SELECT 'exists', name || '@discovery.test', 'en', now(), now() - after * interval '1 minute', now() + interval '1 hour'
    FROM (VALUES ('first', 2), ('second', 1)) m (name, after)`
  const take = Effect.map(Outbox.take, (taken) => Option.map(taken, ({ to }) => to))

  it.effect("a mail that another server takes is left to it, without waiting", () =>
    Effect.gen(function* () {
      yield* insertMails(yield* SqlClient.SqlClient)
      const taking = yield* Access.hold((other) => Effect.provideService(take, SqlClient.SqlClient, other))
      assert.deepStrictEqual(yield* Access.withoutWaiting(taking, take), Option.some("second@discovery.test"))
      assert.deepStrictEqual(yield* take, Option.none())
    })
  )

  it.effect("a deletion leaves what another transaction uses, and waits for none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO billing_event (id, received_at) VALUES ('one', now()), ('two', now())`
      const using = yield* Access.hold((other) => other`SELECT FROM billing_event WHERE id = 'one' FOR KEY SHARE`)
      const remove = deleteUnlocked(sql, "billing_event", "id")(sql`true`)
      assert.strictEqual(yield* Access.withoutWaiting(using, remove), 1)
      assert.strictEqual(yield* remove, 1)
    })
  )

  /** A call of an account, with its line and its count, a hundred days ago. */
  const oldCall = (sql: SqlClient.SqlClient, account: number) => sql`
    SELECT record_activity(gen_random_uuid(), 1, ${JSON.stringify([
      {
        account_id: account,
        at: "2026-01-01T00:00:00Z",
        tool: "get_shop",
        credential_kind: "api_key",
        credential_id: 1,
        outcome: "ok",
        credits: 1,
        duration_ms: 1,
        request_id: `of ${account}`
      }
    ])}::jsonb, now())`
  const left = (sql: SqlClient.SqlClient, table: "activity" | "activity_day") =>
    Effect.map(sql<{ account: number }>`SELECT account_id AS account FROM ${sql(table)} ORDER BY 1`, (rows) =>
      rows.map(({ account }) => account)
    )

  it.effect.each(["activity", "activity_day"] as const)(
    "old rows of %s that another transaction uses stay for the next removal, which waits for none",
    (table) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const account of [71, 72]) yield* oldCall(sql, account)
        const remove = sql`SELECT remove_old_activity('2026-02-01', '2026-02-01', now(), 10)`
        const using = yield* Access.hold((other) => other`SELECT FROM ${other(table)} WHERE account_id = 71 FOR UPDATE`)
        yield* Access.withoutWaiting(using, remove)
        assert.deepStrictEqual(yield* left(sql, table), [71])
        yield* remove
        assert.deepStrictEqual([yield* left(sql, "activity"), yield* left(sql, "activity_day")], [[], []])
      })
  )
})

type Race = readonly [folder: string, test: string, title: string]

/** Of each statement that locks, in the order of its file: the test that fails without the lock. */
const races: Readonly<Record<string, ReadonlyArray<Race>>> = {
  "migrations/0003_credits.ts": [
    [
      "services/credits",
      "CreditLedger",
      "D13 and charges lock the periods of their accounts in one order, whatever theirs is"
    ],
    ["services/credits", "CreditLedger", "is refunded at once when it is taken while its refund is asked for"]
  ],
  "migrations/0006_activity.ts": [
    ["services/credits", "ActivityLog", "never shows a call before all with lower ids: servers take turns"],
    [
      "services/database",
      "Locks",
      "old rows of %s that another transaction uses stay for the next removal, which waits for none"
    ],
    [
      "services/database",
      "Locks",
      "old rows of %s that another transaction uses stay for the next removal, which waits for none"
    ]
  ],
  "migrations/0008_limits.ts": [["services/limits", "SharedRates", "admit exactly the limit where it is below 100"]],
  "src/services/accounts/AccountClosing.ts": [
    ["services/accounts", "SelfService", "waits for a change of the account, and records the status that this gives it"]
  ],
  "src/services/accounts/AccountLinks.ts": [
    ["services/accounts", "SelfService", "waits for the change and is over: neither waits for the other"]
  ],
  "src/services/accounts/AccountRecord.ts": [
    ["services/accounts", "AccountDirectory", "by many at once is kept as one chain"]
  ],
  "src/services/credentials/ApiKeys.ts": [
    ["services/credentials", "ApiKeys", "S100 of 10 active keys hold when several servers make keys at once"]
  ],
  "src/services/credentials/CredentialUse.ts": [
    [
      "services/credentials",
      "CredentialResolver",
      "is not written by a server while another one writes it, and delays no other"
    ]
  ],
  "src/services/credits/CreditPeriods.ts": [
    ["services/credentials", "CredentialResolver", "has the allowance of the new plan"],
    ["services/accounts", "Accounts", "keeps charges waiting from the reading of the period to its change"]
  ],
  "src/services/accounts/Boards.ts": [
    ["services/accounts", "Boards", "are at most 50 an account, also when they are made at once"]
  ],
  "src/services/alerts/AlertRound.ts": [
    ["services/alerts", "AlertRound", "an account that another server takes is left to it, without waiting"],
    ["services/alerts", "AlertRound", "the account is locked first, by a mail and by what turns alerts on"]
  ],
  "src/services/alerts/Alerts.ts": [
    ["services/alerts", "AlertRound", "the account is locked first, by a mail and by what turns alerts on"]
  ],
  "src/services/webhooks/WebhookRound.ts": [
    ["services/webhooks", "WebhookRound", "that another server takes is left to it, without waiting"],
    ["services/webhooks", "WebhookRound", "the account is locked first, by what was delivered and by a new address"]
  ],
  "src/services/webhooks/Webhooks.ts": [
    ["services/webhooks", "WebhookRound", "the account is locked first, by what was delivered and by a new address"]
  ],
  "src/services/accounts/SavedSearches.ts": [
    [
      "services/accounts",
      "SavedSearches",
      "are at most 50 an account, also when they come at once; one that is there is renamed"
    ]
  ],
  "src/services/sessions/Sessions.ts": [
    ["services/sessions", "Sessions", "while the password is being changed waits, and then gives none"]
  ],
  "src/services/accounts/TrackedShops.ts": [
    [
      "services/accounts",
      "TrackedShops",
      "by its %s takes at most 1,000 stores an account, also at once, and one that is there"
    ],
    [
      "services/accounts",
      "TrackedShops",
      "by its %s takes at most 1,000 stores an account, also at once, and one that is there"
    ]
  ],
  "src/services/sessions/passkeys/Confirmation.ts": [
    [
      "services/sessions/passkeys",
      "Passkeys",
      "D77 refuses a passkey that is registered, and more than 20, also at once"
    ]
  ],
  "src/services/billing/BillingRows.ts": [
    ["services/billing", "Billing", "that is being closed when it asks for a page to pay at becomes no customer"],
    ["services/billing", "Billing", "D76 are looked for by one server for each customer, and none waits for another"]
  ],
  "src/services/database/Migrations.ts": [
    ["services/database", "Migrations", "run each once when several processes start at once on an empty database"]
  ],
  "src/services/database/Rows.ts": [
    ["services/database", "Locks", "a deletion leaves what another transaction uses, and waits for none"]
  ],
  "src/services/import/CatalogVersion.ts": [
    [
      "services/import",
      "Imports",
      "a source is removed with the records that an import without its lock is just loading"
    ]
  ],
  "src/services/import/Importer.ts": [
    ["services/import", "Importer", "refuses to run beside another import, and runs when that has ended"]
  ],
  "src/services/import/Movers.ts": [
    [
      "services/changes",
      "History",
      "D120 is computed by one server, while imports go on, and not for stores that are gone by then"
    ]
  ],
  "src/services/import/Sources.ts": [
    ["services/import", "Imports", "a source is not removed while an import runs, of which no record is then refused"]
  ],
  "src/services/mail/Outbox.ts": [
    ["services/database", "Locks", "a mail that another server takes is left to it, without waiting"]
  ],
  "src/services/oauth/ConsentRequests.ts": [
    ["http/oauth", "Consent", "a request in a session that is just ending waits for its end, and leads to the sign-in"]
  ],
  "src/services/oauth/GrantRows.ts": [
    ["http/oauth", "Token", "R21 a code that is used by many at once gives tokens to one at most"]
  ],
  "src/services/oauth/Grants.ts": [
    ["services/oauth", "Grants", "R54 the apps of an account are at most 200, also when many are approved at once"]
  ],
  "src/services/oauth/ServerKey.ts": [
    ["services/oauth", "Clients", "is that of another server, which is just making it"]
  ],
  "src/services/retention/ClientRetention.ts": [
    ["services/oauth", "Clients", "make room while the oldest is being approved: it stays, and no request waits for it"]
  ],
  "src/services/search/clickhouse/ProjectorLock.ts": [
    ["services/search/clickhouse", "Projector", "runs once over all servers"]
  ]
}

const lock = /\bFOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)\b|\bpg_(?:try_)?advisory_(?:xact_)?lock\b|\bLOCK TABLE\b/gu
const comment = /^\s*(?:\/\/|\/?\*).*$/gmu

it("every statement that locks has a race that fails without it", () => {
  const files = ["src", "migrations"].flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name}`)
  )
  const locks = files.flatMap((file) => {
    const count = Array.from(fs.readFileSync(file, "utf8").replaceAll(comment, "").matchAll(lock)).length
    return count === 0 ? [] : [[file, count] as const]
  })
  assert.deepStrictEqual(
    Object.fromEntries(locks),
    Object.fromEntries(Object.entries(races).map(([file, { length }]) => [file, length]))
  )
  const named = Object.values(races).flat()
  assert.deepStrictEqual(
    missing(named.map(([folder, test, title]) => ({ file: `test/${folder}/${test}.test.ts`, title }))),
    []
  )
})
