/** The access services over a test database, and test accounts. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { AppConfig } from "../../src/Config.ts"
import type { Caller, Plan, SubscriptionStatus } from "../../src/domain/access/Account.ts"
import type { Balance } from "../oracle/CreditFold.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../../src/services/credentials/CredentialResolver.ts"
import { CredentialUse } from "../../src/services/credentials/CredentialUse.ts"
import { CreditLedger } from "../../src/services/credits/CreditLedger.ts"
import type { Charge } from "../../src/domain/access/Charge.ts"
import * as LedgerCheck from "../../src/services/credits/LedgerCheck.ts"
import * as LedgerStatements from "../../src/services/credits/LedgerStatements.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import { UnansweredCharges } from "../../src/services/credits/UnansweredCharges.ts"
import * as Database from "../../src/services/database/Database.ts"
import { fold } from "../oracle/CreditFold.ts"
import type { CreditEntry } from "../oracle/CreditFold.ts"
import { TestDatabase } from "./TestDatabase.ts"

/** Small, so that tests can use them up. */
export const allowances = { starter: 0, growth: 20, pro: 100 } as const

const config = AppConfig.layerOf({
  mcpUrl: "https://discovery.test/mcp",
  planCreditsGrowth: allowances.growth,
  planCreditsPro: allowances.pro,
  billingUrl: "https://discovery.test/billing"
})

const withPasswords = <E, R>(passwords: Layer.Layer<Passwords, E, R>) =>
  Layer.mergeAll(Accounts.layer, ApiKeys.layer, CredentialResolver.layer, CreditLedger.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(CredentialUse.layer, UnansweredCharges.layer, passwords)),
    Layer.provide([config, NodeCrypto.layer])
  )

/** Needs only a database. */
export const layer = withPasswords(Passwords.layer)

/** As {@link layer}, without hashing (30 ms per password), for tests with many accounts. */
export const layerUnhashed = withPasswords(
  Layer.succeed(Passwords, {
    hash: () => Effect.succeed("$argon2id$none"),
    verify: () => Effect.succeed(false),
    generate: Effect.succeed(Redacted.make("nine green whales"))
  })
)

let accountNumber = 0

/** An account with an API key and its resolved caller. */
export const subscriber = Effect.fnUntraced(function* (
  options: { readonly plan?: Plan; readonly status?: SubscriptionStatus; readonly beganOn?: string } = {}
) {
  const accounts = yield* Accounts
  const email = `account${++accountNumber}@discovery.test`
  const plan = options.plan ?? "growth"
  const account = yield* accounts.create({
    email,
    plan,
    status: "active",
    password: Redacted.make("nine green whales"),
    ...(options.beganOn === undefined ? {} : { beganOn: options.beganOn })
  })
  const { secret } = yield* Effect.flatMap(ApiKeys, (keys) => keys.create(account.id, "test"))
  if (options.status !== undefined) yield* accounts.setStatus(email, options.status)
  const caller = yield* Effect.flatMap(CredentialResolver, (resolver) => resolver.resolve(secret))
  return { email, secret, caller }
})

let requestNumber = 0

export const chargeOf = (caller: Caller, options: Partial<Charge> = {}): Charge => ({
  caller,
  tool: "search_ads",
  cost: 1,
  requestId: `request-${++requestNumber}`,
  ...options
})

/** The balance of the newest period of the account, and the fold of its entries. */
export const books = Effect.fnUntraced(function* (accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const [balance] = yield* sql<Balance & { readonly start: string }>`
    SELECT allowance, used, period_start::text AS start FROM credit_period
    WHERE account_id = ${accountId} ORDER BY period_start DESC LIMIT 1`
  if (balance === undefined) return yield* Effect.die(new Error("the account has no period"))
  const entries = yield* sql<CreditEntry & { readonly requestId: string | null }>`
    SELECT kind, amount, request_id AS "requestId" FROM credit_entry
    WHERE account_id = ${accountId} AND period_start = ${balance.start}::date ORDER BY id`
  return { balance: { allowance: balance.allowance, used: balance.used }, fold: fold(entries), entries }
})

/** The output of `credits verify`. */
export const disagreements = Effect.gen(function* () {
  const steps = yield* Stream.runCollect(LedgerCheck.run)
  return Array.from(steps).flatMap((step) => step.disagreements)
})

/**
 * Runs `statement` in a transaction that stays open until `release`, as another server might, and ends with `last`. Waiting
 * statements are recognized by a part of their text.
 */
export const hold = Effect.fnUntraced(function* (
  statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>,
  waiter = "",
  last: typeof statement = () => Effect.void
) {
  const { connection } = yield* TestDatabase
  const pool = yield* Layer.build(Layer.fresh(Database.layer({ source: connection, maxConnections: 2 })))
  const sql = Context.get(pool, SqlClient.SqlClient)
  const locked = Latch.makeUnsafe(false)
  const done = Latch.makeUnsafe(false)
  const holder = yield* statement(sql).pipe(
    Effect.andThen(locked.open),
    Effect.andThen(done.await),
    Effect.andThen(last(sql)),
    sql.withTransaction,
    Effect.forkScoped
  )
  yield* locked.await
  const waiters = sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
    AND datname = current_database() AND query LIKE ${`%${waiter}%`}`
  return {
    /** Waits until `count` statements wait for the transaction. */
    waiting: (count: number) => Effect.repeat(waiters, { until: (rows) => rows.length === count }),
    release: Effect.andThen(done.open, Fiber.join(holder))
  }
})

type Held = Effect.Success<ReturnType<typeof hold>>

/** Whether the effect waits for the transaction, or ends first. */
const firstOf = <A, E>({ waiting }: Held, fiber: Fiber.Fiber<A, E>) =>
  Effect.raceFirst(Effect.as(Fiber.await(fiber), "ended" as const), Effect.as(waiting(1), "waits" as const))

/** What the effect does once the transaction has ended, for which it must wait. */
export const afterWaiting = Effect.fnUntraced(function* <A, E, R>(held: Held, effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkScoped(effect)
  assert.strictEqual(yield* firstOf(held, fiber), "waits")
  yield* held.release
  return yield* Fiber.join(fiber)
}, Effect.scoped)

/** What the effect does while the transaction is open, for which it must not wait. */
export const withoutWaiting = Effect.fnUntraced(function* <A, E, R>(held: Held, effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkScoped(effect)
  const first = yield* firstOf(held, fiber)
  yield* held.release
  assert.strictEqual(first, "ended")
  return yield* Fiber.join(fiber)
}, Effect.scoped)

/** Locks the periods of an account, so that batches of charges wait. */
export const holdPeriods = (accountId: number) =>
  hold((sql) => sql`SELECT FROM credit_period WHERE account_id = ${accountId} FOR UPDATE`, "charge_credits")

/** Locks an account, so that changes of its password wait. */
export const holdAccount = (accountId: number) =>
  hold((sql) => sql`SELECT FROM account WHERE id = ${accountId} FOR UPDATE`, "UPDATE account SET password_hash")

/** Changes the password of an account without committing, so that new sessions wait. */
export const holdPassword = (accountId: number, passwordHash: string) =>
  hold((sql) => sql`UPDATE account SET password_hash = ${passwordHash} WHERE id = ${accountId}`, "INSERT INTO session")

/** Changes the plan of an account without committing, so that opening its period waits. */
export const holdPlan = (accountId: number, plan: Plan) =>
  hold((sql) => sql`UPDATE account SET plan = ${plan} WHERE id = ${accountId}`, "INSERT INTO credit_period")

/** Charges without committing, so that other statements on the periods of the account wait. */
export const holdCharge = (charge: Charge) =>
  hold(
    (sql) => LedgerStatements.charge([charge]).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
    "credit_period"
  )
