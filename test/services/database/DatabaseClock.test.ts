/** What is deleted by its age goes by the database's time, and nothing goes while a server's own clock is wrong. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Latch, Layer, Logger, Option, Schedule, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AppConfig } from "../../../src/Config.ts"
import { AccountLinks } from "../../../src/services/accounts/AccountLinks.ts"
import { Accounts } from "../../../src/services/accounts/Accounts.ts"
import { CredentialResolver } from "../../../src/services/credentials/CredentialResolver.ts"
import { CreditLedger } from "../../../src/services/credits/CreditLedger.ts"
import { Usage } from "../../../src/services/credits/Usage.ts"
import * as ActivityRetention from "../../../src/services/retention/ActivityRetention.ts"
import { Sessions } from "../../../src/services/sessions/Sessions.ts"
import { Billing } from "../../../src/services/billing/Billing.ts"
import * as BillingUpkeep from "../../../src/services/billing/BillingUpkeep.ts"
import { SignInAttempts } from "../../../src/services/limits/SignInAttempts.ts"
import * as Database from "../../../src/services/database/Database.ts"
import { GivenTime, watch } from "../../../src/services/database/DatabaseClock.ts"
import { ConsentRequests } from "../../../src/services/oauth/ConsentRequests.ts"
import * as ClosedAccounts from "../../../src/services/retention/ClosedAccounts.ts"
import * as GrantRetention from "../../../src/services/retention/GrantRetention.ts"
import * as Access from "../../support/Access.ts"
import * as OAuth from "../../support/OAuth.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const minutes = 60_000
const days = 86_400_000
const passwordHash = "$argon2id$none"

/** With Stripe, of which nothing is asked: no account is a customer. */
const NoCustomers = Layer.succeed(Billing, {
  stripe: Option.some({
    prices: Effect.succeed({}),
    overview: () => Effect.die("overview"),
    checkout: () => Effect.die("checkout"),
    portal: () => Effect.die("portal"),
    returned: () => Effect.die("returned"),
    receive: () => Effect.die("receive"),
    refresh: () => Effect.die("refresh"),
    reconcile: Stream.die("reconcile")
  })
})

const Jobs = Layer.mergeAll(
  GrantRetention.layer,
  ActivityRetention.layer,
  ClosedAccounts.layer,
  BillingUpkeep.layer,
  CreditLedger.layer,
  AccountLinks.layer,
  Sessions.layer,
  SignInAttempts.layer,
  ConsentRequests.layer
).pipe(Layer.provideMerge(AppConfig.layerOf({ activityDays: 30 })), Layer.provide([NodeCrypto.layer, NoCustomers]))

/** The jobs that delete in the background: each warns once a round while the clocks disagree. */
const jobCount = 5

/**
 * A server whose clock is wrong by so much, and what it logs. `leap` lets it come to the next run of every job that it does in
 * the background; there is no run after that one. `databaseMillis` stands for the database's clock.
 */
const serverAhead = Effect.fnUntraced(function* (aheadMillis: number, databaseMillis?: number) {
  const { connection } = yield* TestDatabase
  const live = yield* Clock.Clock
  const setForwardMillis = databaseMillis === undefined ? 0 : databaseMillis - live.currentTimeMillisUnsafe()
  const differenceMillis = setForwardMillis + aheadMillis
  const leap = Latch.makeUnsafe(false)
  let hasLeapt = false
  const toMillis = () => live.currentTimeMillisUnsafe() + differenceMillis
  const toNanos = () => live.currentTimeNanosUnsafe() + BigInt(differenceMillis) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: toMillis,
    currentTimeMillis: Effect.sync(toMillis),
    currentTimeNanosUnsafe: toNanos,
    currentTimeNanos: Effect.sync(toNanos),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: (duration) =>
      Effect.suspend(() => {
        if (Duration.toMillis(duration) < 5 * minutes) return live.sleep(duration)
        return hasLeapt ? Effect.never : leap.await
      })
  }
  const logs: Array<string> = []
  const services = yield* Layer.build(
    Layer.fresh(
      Jobs.pipe(
        Layer.provideMerge(Database.layer({ source: connection, maxConnections: 5 })),
        Layer.provideMerge(Layer.succeed(Clock.Clock, clock)),
        Layer.provideMerge(
          databaseMillis === undefined
            ? Layer.empty
            : Layer.succeed(GivenTime, Effect.succeed(new Date(databaseMillis)))
        ),
        Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
      )
    )
  )
  return {
    warnings: () => logs.filter((line) => line.includes("Nothing is deleted by its age")).length,
    run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, services),
    leap: Effect.sync(() => {
      leap.openUnsafe()
      hasLeapt = true
    })
  }
})

/** The tables of which rows go by their age, and what tells their rows apart. */
const tables = {
  activity: "id",
  idempotency_key: "key",
  oauth_access_token: "hash",
  oauth_refresh_token: "hash",
  oauth_code: "hash",
  oauth_grant: "id",
  oauth_ended_grant: "id",
  oauth_client: "id",
  server_key: "id",
  session: "id",
  consent_request: "hash",
  account_link: "hash",
  billing_event: "id",
  page_view: "account_id",
  /** Of a closed account. */
  saved_search: "id"
} as const

/** Of all these tables. */
const rowsNow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = new Set<string>()
  for (const [table, key] of Object.entries(tables)) {
    const rows = yield* sql<{ readonly key: string }>`SELECT ${sql(key)}::text AS key FROM ${sql(table)}`
    for (const row of rows) found.add(`${table} ${row.key}`)
  }
  return found
})

/** Those of the first that are not in the second. */
const without = (some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...some].filter((row) => !others.has(row)))

/** One row of each table, at `fromNow` of the moment at which it may go, which it has not reached when that is positive. */
const rowOfEach = Effect.fnUntraced(function* (fromNowMillis: number) {
  const sql = yield* SqlClient.SqlClient
  const at = (age: string) =>
    sql`clock_timestamp() - ${age}::interval + interval '1 millisecond' * ${fromNowMillis}::integer`
  const [account] = yield* sql<{ readonly id: number }>`
    INSERT INTO account (email, password_hash, plan, status, subscription_began_on, created_at)
    VALUES (gen_random_uuid() || '@discovery.test', ${passwordHash}, 'growth', 'active', '2020-01-01', '2020-01-01')
    RETURNING id`
  const accountId = OAuth.accountId(account?.id ?? 0)
  const random = sql`sha256(gen_random_uuid()::text::bytea)`
  const grant = (usableUntil: Statement.Fragment) => sql<{ readonly id: number }>`
    INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at)
    VALUES (${accountId}, 'https://app.example/', 'x', 'x', '2020-01-01', '2020-01-01', ${usableUntil}, '2999-01-01')
    RETURNING id`
  const session = (usedAt: Statement.Fragment) => sql<{ readonly id: number }>`
    INSERT INTO session (account_id, hash, created_at, last_used_at)
    VALUES (${accountId}, ${random}, ${usedAt}, ${usedAt}) RETURNING id`
  const [lasting] = yield* grant(sql`'2999-01-01'`)
  const [used] = yield* session(sql`clock_timestamp()`)
  const before = yield* rowsNow

  yield* sql`
    INSERT INTO activity (account_id, at, tool, credential_kind, credential_id, outcome, credits, duration_ms, request_id)
    VALUES (${accountId}, ${at("30 days")}, 'get_usage', 'api_key', 1, 'ok', 0, 1, 'x')`
  yield* sql`
    INSERT INTO idempotency_key (account_id, key, fingerprint, request_id, repeated, created_at)
    VALUES (${accountId}, gen_random_uuid(), repeat('0', 64), gen_random_uuid(), false, ${at("24 hours")})`
  yield* sql`
    INSERT INTO oauth_access_token (hash, grant_id, account_id, resource, expires_at)
    VALUES (${random}, ${lasting?.id}, ${accountId}, 'x', ${at("1 day")})`
  yield* sql`
    INSERT INTO oauth_refresh_token (hash, grant_id, issued_at, expires_at)
    VALUES (${random}, ${lasting?.id}, '2020-01-01', ${at("1 day")})`
  yield* sql`
    INSERT INTO oauth_code (hash, grant_id, redirect_uri, challenge, expires_at)
    VALUES (${random}, ${lasting?.id}, 'x', repeat('x', 43), ${at("1 day")})`
  yield* grant(at("1 day"))
  yield* sql`
    INSERT INTO oauth_ended_grant (id, account_id, client_id, client_name, approved_at, connected_at, ended_at, reason)
    VALUES (1000000 + ${accountId}::integer, ${accountId}, 'x', 'x', '2020-01-01', '2020-01-01', ${at("400 days")}, 'client')`
  yield* sql`
    INSERT INTO oauth_client (id, name, redirect_uris, auth_method, created_at)
    VALUES ('doc_' || lpad(${accountId}::text, 43, '0'), 'x', '[]', 'none', ${at("90 days")})`
  yield* sql`
    INSERT INTO server_key (secret, created_at) VALUES (decode(repeat('00', 64), 'hex'), '2020-01-01')`
  yield* session(at("12 hours"))
  yield* sql`
    INSERT INTO consent_request (hash, session_id, request, created_at, expires_at)
    VALUES (${random}, ${used?.id}, '{}', '2020-01-01', ${at("0")})`
  yield* sql`
    INSERT INTO account_link (hash, purpose, email, password_hash, browser, created_at, expires_at)
    VALUES (${random}, 'sign_up', gen_random_uuid() || '@discovery.test', ${passwordHash}, ${random}, '2020-01-01', ${at("0")})`
  yield* sql`INSERT INTO billing_event (id, received_at) VALUES (gen_random_uuid(), ${at("40 days")})`
  // These go by whole days: a test below is about their end.
  yield* sql`
    INSERT INTO page_view (account_id, day, views)
    VALUES (${accountId}, ((${at(fromNowMillis < 0 ? "3 days" : "0")}) AT TIME ZONE 'UTC')::date, 1)`
  yield* sql`
    WITH closed AS (
      INSERT INTO account (email, plan, status, created_at, closed_at)
      VALUES ('closed ' || gen_random_uuid(), 'starter', 'canceled', '2020-01-01', ${at("5 minutes")}) RETURNING id
    )
    INSERT INTO saved_search (account_id, subject, query, name, viewed_at, mark)
    SELECT id, 'ads', '', 'x', '2020-01-01', 0 FROM closed`
  const made = yield* rowsNow
  // A key may go by the age of its successor.
  yield* sql`
    INSERT INTO server_key (secret, created_at) VALUES (decode(repeat('00', 64), 'hex'), ${at("1 day")})`
  return { accountId, sessionId: used?.id ?? 0, rows: without(made, before) }
})

type Made = Effect.Success<ReturnType<typeof rowOfEach>>

/** What deletes old rows by the way: a sign-in, a page that asks for consent, and a mail with a link. */
const requests = Effect.fnUntraced(function* ({ accountId, sessionId }: Made) {
  const sessions = yield* Sessions
  yield* sessions.start({ accountId, passwordHash })
  const consents = yield* ConsentRequests
  yield* consents.open(sessionId, {
    client: { id: "x", name: "x", source: "registered", publisher: undefined, redirectUris: [], authMethod: "none" },
    request: { redirectUri: "x", state: undefined, challenge: "x", resource: "x" },
    url: "/"
  })
  const links = yield* AccountLinks
  yield* links.make({ purpose: "reset", email: "nobody@discovery.test" })
})

const eventually = Effect.retry({ schedule: Schedule.spaced("10 millis") })

layer(TestDatabase.layer, { excludeTestServices: true })("what is deleted by its age", (it) => {
  describe("by a server whose clock is wrong", () => {
    it.effect.each([
      ["100 days ahead", 100 * days],
      ["100 days behind", -100 * days],
      ["6 minutes ahead", 6 * minutes],
      ["6 minutes behind", -6 * minutes]
    ] as const)("%s: is nothing, not even what is due, and each job warns", ([, aheadMillis]) =>
      Effect.gen(function* () {
        const server = yield* serverAhead(aheadMillis)
        const due = yield* rowOfEach(-2 * minutes)
        const young = yield* rowOfEach(2 * minutes)
        yield* server.leap
        yield* Effect.suspend(() =>
          server.warnings() === jobCount ? Effect.void : Effect.fail("too few warnings")
        ).pipe(eventually)
        yield* server.run(requests(due))
        yield* server.run(requests(young))
        const kept = yield* rowsNow
        assert.deepStrictEqual([...without(due.rows, kept), ...without(young.rows, kept)], [])
      }).pipe(Effect.scoped)
    )
  })

  it.effect.each([
    ["4 minutes ahead", 4 * minutes],
    ["4 minutes behind", -4 * minutes]
  ] as const)("by a server whose clock is %s: is what is due by the database's time, and nothing else", ([, ahead]) =>
    Effect.gen(function* () {
      const server = yield* serverAhead(ahead)
      const due = yield* rowOfEach(-2 * minutes)
      const young = yield* rowOfEach(2 * minutes)
      yield* server.leap
      yield* server.run(requests(due))
      yield* server.run(requests(young))
      yield* Effect.flatMap(rowsNow, (kept) =>
        without(due.rows, kept).size === due.rows.size ? Effect.void : Effect.fail("some are still there")
      ).pipe(eventually)
      // The job in the background removes one account after the other, and may be between two of them.
      yield* server.run(ClosedAccounts.remove)
      assert.deepStrictEqual([...without(young.rows, yield* rowsNow)], [])
      assert.strictEqual(server.warnings(), 0)
    }).pipe(Effect.scoped)
  )
})

layer(TestDatabase.layer, { excludeTestServices: true })("page views, which are counted by days", (it) => {
  it.effect.each([
    ["4 minutes ahead, at 23:58", 4 * minutes, "2030-03-09T23:58:00Z", ["2030-03-08", "2030-03-09"]],
    ["4 minutes behind, at 00:02", -4 * minutes, "2030-03-10T00:02:00Z", ["2030-03-09"]]
  ] as const)(
    "are deleted by a server whose clock is %s, when the day before the database's day is over",
    ([, aheadMillis, time, kept]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          WITH reader AS (
            INSERT INTO account (email, password_hash, plan, status, created_at)
            VALUES (gen_random_uuid() || '@discovery.test', ${passwordHash}, 'starter', 'active', '2020-01-01')
            RETURNING id
          )
          INSERT INTO page_view (account_id, day, views)
          SELECT id, day::date, 1 FROM reader, unnest(ARRAY['2030-03-07', '2030-03-08', '2030-03-09']) day`
        const server = yield* serverAhead(aheadMillis, Date.parse(time))
        yield* server.run(ActivityRetention.remove)
        const days = yield* sql<{ readonly day: string }>`SELECT DISTINCT day::text AS day FROM page_view ORDER BY day`
        assert.deepStrictEqual<ReadonlyArray<string>>(
          days.map(({ day }) => day),
          kept
        )
      }).pipe(Effect.scoped)
  )
})

layer(TestDatabase.layer, { excludeTestServices: true })("attempts to sign in", (it) => {
  it.effect.each([
    ["ahead", 100 * days],
    ["behind", -100 * days]
  ] as const)("are counted alike by a server whose clock is 100 days %s and by the others", ([which, aheadMillis]) =>
    Effect.gen(function* () {
      const right = yield* serverAhead(0)
      const wrong = yield* serverAhead(aheadMillis)
      const attempt = { email: `${which}@discovery.test`, address: which === "ahead" ? "203.0.113.1" : "198.51.100.1" }
      const take = Effect.flatMap(SignInAttempts, (attempts) => attempts.take(attempt))
      for (let count = 0; count < 5; count++) {
        yield* right.run(take)
        yield* wrong.run(take)
      }
      for (const server of [right, wrong]) {
        const error = yield* Effect.flip(server.run(take))
        assert.strictEqual(error._tag, "TooManyAttempts")
        if (error._tag === "TooManyAttempts") assert.isAtMost(error.retryAfterSeconds, 60)
      }
    }).pipe(Effect.scoped)
  )
})

layer(TestDatabase.layer, { excludeTestServices: true })("D7 the period of credits", (it) => {
  it.effect.each([40, -40])("is decided by the database, also on a server whose clock is %s days ahead", (ahead) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { connection } = yield* TestDatabase
      const live = yield* Clock.Clock
      const toMillis = () => live.currentTimeMillisUnsafe() + ahead * days
      const logs: Array<string> = []
      const services = (clock: Clock.Clock) =>
        Layer.build(
          Layer.fresh(
            Layer.mergeAll(
              Access.layerUnhashed,
              Usage.layer.pipe(Layer.provide(AppConfig.layerOf({}))),
              Layer.effectDiscard(watch)
            ).pipe(
              Layer.provideMerge(Database.layer({ source: connection, maxConnections: 5 })),
              Layer.provideMerge(Layer.succeed(Clock.Clock, clock)),
              Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
            )
          )
        )
      const right = yield* services(live)
      assert.deepStrictEqual(logs, [])
      const wrong = yield* services({
        currentTimeMillisUnsafe: toMillis,
        currentTimeMillis: Effect.sync(toMillis),
        currentTimeNanosUnsafe: () => BigInt(toMillis()) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(toMillis()) * 1_000_000n),
        monotonicTimeNanos: live.monotonicTimeNanos,
        monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
        sleep: (duration) => live.sleep(duration)
      })
      // At its start, not only with the first job that would delete something.
      assert.lengthOf(
        logs.filter((line) => line.includes("differ by more than 5 minutes") && line.includes(String(ahead * 86_400))),
        1
      )

      const beganOn = new Date(Date.now() - 100 * days).toISOString().slice(0, 10)
      const { email, secret, caller } = yield* Access.subscriber({ beganOn }).pipe(Effect.provide(right))
      yield* Effect.gen(function* () {
        const resolved = yield* (yield* CredentialResolver).resolve(secret)
        assert.deepStrictEqual(resolved, caller)
        const ledger = yield* CreditLedger
        const idempotency = { key: "once", fingerprint: "same" }
        yield* ledger.charge(Access.chargeOf(resolved, { idempotency }))
        assert.strictEqual(yield* ledger.lookup(resolved, idempotency), "repeat")
        const refused = yield* Effect.flip(ledger.charge(Access.chargeOf(resolved, { cost: 1_000 })))
        assert(refused._tag === "InsufficientCredits")
        const accounts = yield* Accounts
        yield* accounts.setPlan(email, "pro")
        yield* accounts.grant(email, 5)
        const credits = yield* (yield* Usage).credits(caller.accountId)
        assert.strictEqual(credits?.periodStart, caller.credits.periodStart)
        // A period that nobody has opened yet.
        yield* sql`DELETE FROM idempotency_key WHERE account_id = ${caller.accountId}`
        const next = yield* Access.subscriber({ beganOn })
        assert.strictEqual(next.caller.credits.periodStart, caller.credits.periodStart)
      }).pipe(Effect.provide(wrong))
      assert.deepStrictEqual(yield* sql`SELECT period_start::text AS start FROM credit_period GROUP BY 1`, [
        { start: caller.credits.periodStart }
      ])
      assert.deepStrictEqual(
        yield* sql`SELECT FROM credit_entry WHERE abs(extract(epoch FROM created_at - now())) > 600`,
        []
      )
    }).pipe(Effect.scoped)
  )
})
