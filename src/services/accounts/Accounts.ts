/**
 * Changes to accounts: creation, plan, status, role, credits (D5 to D8).
 *
 * This folder guarantees that changes of one account take turns (AccountRecord), that a change and the mail about it are one
 * transaction, and that the link in a mail works once (AccountLinks). It neither verifies a password nor knows a session
 * (services/sessions), and takes no credits (services/credits).
 *
 * Read next: SignUp, which asks by mail and confirms by link, as PasswordReset and EmailChange do; LostSignIn for lost
 * passwords and passkeys; AccountClosing for the end.
 */
import { Clock, Context, Effect, Layer, Option, Schema, Stream } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { AccountId } from "../../domain/access/Account.ts"
import type { Plan, Role, SubscriptionStatus } from "../../domain/access/Account.ts"
import { allowanceOnPlan } from "../../domain/access/Credit.ts"
import { dayOf } from "../../domain/Days.ts"
import * as EmailAddress from "../../domain/access/EmailAddress.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { checkPassword, firstDay, invalid, printable } from "./AccountDetails.ts"
import type { InvalidAccountDetail, NewAccount } from "./AccountDetails.ts"
import * as AccountChanges from "./AccountChanges.ts"
import { decodeAccount, decodeAccounts, findAccount, lockAccount, selectAccounts } from "./AccountRecord.ts"
import type { AccountNotFound, AccountRecord, Which } from "./AccountRecord.ts"
import * as CreditPeriods from "../credits/CreditPeriods.ts"
import * as LostSignIn from "./LostSignIn.ts"
import { Passwords } from "../sessions/Passwords.ts"
import type { PasswordsBusy } from "../sessions/Passwords.ts"
import { firstOf } from "../database/Rows.ts"

/** An account has this e-mail address, ignoring case. */
export class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", { message: Schema.String }) {}

/** The account was changed after the operator's page was shown. */
export class ChangedMeanwhile extends Schema.TaggedError<ChangedMeanwhile>()("ChangedMeanwhile", {
  message: Schema.String
}) {}

/** An operator's decision: who made it, and the value it was based on. The command line has none. */
export interface Decision<A> {
  readonly by: AccountId
  readonly from: A
}

/** What Stripe says of a customer. */
export interface Subscription {
  /** `undefined` leaves the plan as it is. */
  readonly plan: Plan | undefined
  readonly status: SubscriptionStatus
  /** Since 1970. */
  readonly startedAtMillis: number
}

const maxGrant = 1_000_000
const maxNoteCharacters = 200
const pageSize = 500

export class Accounts extends Context.Service<
  Accounts,
  {
    create(
      account: NewAccount
    ): Effect.Effect<AccountRecord, EmailTaken | InvalidAccountDetail | PasswordsBusy | ServiceUnavailable>
    /** Ignores the case of the e-mail address. */
    find(email: string): Effect.Effect<AccountRecord, AccountNotFound | ServiceUnavailable>
    /** In the order of their creation, without closed ones. */
    readonly list: Stream.Stream<AccountRecord, ServiceUnavailable>
    /**
     * Takes effect at once. The allowance of the current period becomes that of the new plan plus grants, but not less
     * than the used credits. The first paid plan begins the subscription today.
     */
    setPlan(
      which: Which,
      plan: Plan,
      decision?: Decision<Plan>
    ): Effect.Effect<AccountRecord, AccountNotFound | ChangedMeanwhile | ServiceUnavailable>
    /** Takes effect at once. */
    setStatus(
      which: Which,
      status: SubscriptionStatus,
      decision?: Decision<SubscriptionStatus>
    ): Effect.Effect<AccountRecord, AccountNotFound | ChangedMeanwhile | ServiceUnavailable>
    /**
     * Sets plan and status of the customer's subscription at once. A first paid plan begins on the day that the
     * subscription started.
     */
    setSubscription(
      accountId: AccountId,
      subscription: Subscription
    ): Effect.Effect<
      { readonly before: AccountRecord; readonly after: AccountRecord },
      AccountNotFound | ServiceUnavailable
    >
    /** Takes effect at the next request. For the command line only. */
    setRole(email: string, role: Role): Effect.Effect<AccountRecord, AccountNotFound | ServiceUnavailable>
    /** Adds to the allowance of the current period. */
    grant(
      email: string,
      credits: number,
      note?: string
    ): Effect.Effect<AccountRecord, AccountNotFound | InvalidAccountDetail | ServiceUnavailable>
  } & LostSignIn.LostSignIn
>()("discovery/accounts/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passwords = yield* Passwords
      const allowances = CreditPeriods.allowances(yield* AppConfig)
      const onDatabase = Effect.provideContext(yield* Effect.context<SqlClient.SqlClient | SecureRandom.SecureRandom>())

      const record = (change: Parameters<typeof AccountChanges.record>[0]) => onDatabase(AccountChanges.record(change))

      const find = Effect.fn("Accounts.find")((email: string) => availableToRead(findAccount(sql, email)))

      /** The database's clock decides the period. */
      const currentTime = availableOnce(onDatabase(DatabaseClock.currentTimeMillis))

      const currentPeriod = (accountId: AccountId, beganOn: string, nowMillis: number) =>
        onDatabase(CreditPeriods.lockCurrent(allowances, { accountId, beganOn }, nowMillis))

      const readAgain = (accountId: AccountId) => decodeAccount(selectAccounts(sql, sql`a.id = ${accountId}`))

      const create = Effect.fn("Accounts.create")(function* (account: NewAccount) {
        const email = EmailAddress.canonical(account.email)
        if (!EmailAddress.isEmail(email)) return yield* invalid(`"${email.slice(0, 100)}" is not an e-mail address.`)
        yield* checkPassword(account.password, email)
        const nowMillis = yield* currentTime
        const beganOn = yield* firstDay(account, dayOf(nowMillis))
        const hash = yield* passwords.hash(account.password)
        return yield* Effect.gen(function* () {
          const row = yield* sql`
            INSERT INTO account (email, password_hash, plan, status, subscription_began_on, created_at)
            VALUES (${email}, ${hash}, ${account.plan}, ${account.status}, ${beganOn ?? null}::date, ${new Date(nowMillis)})
            ON CONFLICT DO NOTHING RETURNING id`.pipe(decodeId)
          if (row === undefined) {
            return yield* new EmailTaken({
              message: `${email} already has an account. Change that account, or use another address.`
            })
          }
          if (beganOn !== undefined) yield* currentPeriod(row.id, beganOn, nowMillis)
          return yield* readAgain(row.id)
        }).pipe(sql.withTransaction, availableOnce)
      })

      /** Within a transaction that has locked the account. */
      const changePlan = Effect.fnUntraced(function* (
        account: AccountRecord,
        plan: Plan,
        by: AccountId | "billing" | undefined,
        { firstDay, nowMillis }: { readonly firstDay: string; readonly nowMillis: number }
      ) {
        const beganOn = account.beganOn ?? (plan === "starter" ? undefined : firstDay)
        yield* sql`
          UPDATE account SET plan = ${plan}, subscription_began_on = ${beganOn ?? null}::date WHERE id = ${account.id}`
        if (beganOn !== undefined) {
          const period = yield* currentPeriod(account.id, beganOn, nowMillis)
          const allowance = allowanceOnPlan(allowances[plan], period.granted, period.used)
          const amount = allowance - period.allowance
          const entry = { accountId: account.id, periodStart: period.periodStart, amount, nowMillis }
          if (amount !== 0) yield* onDatabase(CreditPeriods.move({ ...entry, kind: "adjustment", reason: "plan" }))
        }
        yield* record({ accountId: account.id, by, before: account.plan, after: plan, nowMillis, what: "plan" })
      })

      /** Likewise. */
      const changeStatus = Effect.fnUntraced(function* (
        account: AccountRecord,
        status: SubscriptionStatus,
        by: AccountId | "billing" | undefined,
        nowMillis: number
      ) {
        yield* sql`UPDATE account SET status = ${status} WHERE id = ${account.id}`
        yield* record({ accountId: account.id, by, before: account.status, after: status, nowMillis, what: "status" })
      })

      const setPlan = Effect.fn("Accounts.setPlan")(
        function* (which: Which, plan: Plan, decision?: Decision<Plan>) {
          const nowMillis = yield* currentTime
          const account = yield* lockAccount(sql, which)
          if (decision !== undefined && decision.from !== account.plan) return yield* changed(account)
          yield* changePlan(account, plan, decision?.by, { firstDay: dayOf(nowMillis), nowMillis })
          return yield* readAgain(account.id)
        },
        sql.withTransaction,
        availableOnce
      )

      const setStatus = Effect.fn("Accounts.setStatus")(
        function* (which: Which, status: SubscriptionStatus, decision?: Decision<SubscriptionStatus>) {
          const account = yield* lockAccount(sql, which)
          if (decision !== undefined && decision.from !== account.status) return yield* changed(account)
          yield* changeStatus(account, status, decision?.by, yield* Clock.currentTimeMillis)
          return yield* readAgain(account.id)
        },
        sql.withTransaction,
        availableOnce
      )

      const setSubscription = Effect.fn("Accounts.setSubscription")(
        function* (accountId: AccountId, { plan, startedAtMillis, status }: Subscription) {
          const nowMillis = yield* currentTime
          const before = yield* lockAccount(sql, accountId)
          if (plan !== undefined && plan !== before.plan) {
            const firstDay = dayOf(Math.min(startedAtMillis, nowMillis))
            yield* changePlan(before, plan, "billing", { firstDay, nowMillis })
          }
          if (status !== before.status) yield* changeStatus(before, status, "billing", nowMillis)
          return { before, after: yield* readAgain(accountId) }
        },
        sql.withTransaction,
        availableOnce
      )

      const setRole = Effect.fn("Accounts.setRole")(
        function* (email: string, role: Role) {
          const nowMillis = yield* Clock.currentTimeMillis
          const account = yield* lockAccount(sql, email)
          yield* sql`UPDATE account SET role = ${role} WHERE id = ${account.id}`
          const change = { accountId: account.id, by: undefined, before: account.role, after: role, nowMillis }
          yield* record({ ...change, what: "role" })
          return yield* readAgain(account.id)
        },
        sql.withTransaction,
        availableOnce
      )

      const grant = Effect.fn("Accounts.grant")(function* (email: string, credits: number, note?: string) {
        if (!Number.isInteger(credits) || credits < 1 || credits > maxGrant) {
          return yield* invalid(`A grant is a whole number from 1 to ${maxGrant} credits.`)
        }
        const text = note === undefined || note.trim() === "" ? undefined : note.trim()
        if (text !== undefined && (printable(text) !== text || Array.from(text).length > maxNoteCharacters)) {
          return yield* invalid(`A note has at most ${maxNoteCharacters} characters, none of them a control character.`)
        }
        const nowMillis = yield* currentTime
        return yield* Effect.gen(function* () {
          const account = yield* lockAccount(sql, email)
          if (account.beganOn === null) {
            return yield* invalid(
              `${account.email} never had a subscription to grant credits to. Set a paid plan first.`
            )
          }
          const { allowance, periodStart } = yield* currentPeriod(account.id, account.beganOn, nowMillis)
          const entry = { accountId: account.id, periodStart, amount: credits, note: text, nowMillis }
          yield* onDatabase(CreditPeriods.move({ ...entry, kind: "grant", reason: "operator" }))
          const change = { before: String(allowance), after: String(allowance + credits), nowMillis }
          yield* record({ ...change, accountId: account.id, by: undefined, what: "credits" })
          return yield* readAgain(account.id)
        }).pipe(sql.withTransaction, availableOnce)
      })

      const list = Stream.paginate(0, (after: number) =>
        Effect.map(
          decodeAccounts(
            availableToRead(
              sql`${selectAccounts(sql, sql`a.id > ${after} AND a.closed_at IS NULL`)} ORDER BY a.id LIMIT ${pageSize}`
            )
          ),
          (page) =>
            [
              page,
              page.length < pageSize ? Option.none() : Option.map(Option.fromNullishOr(page.at(-1)), (last) => last.id)
            ] as const
        )
      )

      const changes = { setPlan, setStatus, setSubscription, setRole, grant }
      return { create, find, list, ...changes, ...LostSignIn.make(sql, passwords, onDatabase) }
    })
  )
}

const decodeId = firstOf(Schema.Struct({ id: AccountId }))

const changed = ({ email, plan, status }: AccountRecord) =>
  new ChangedMeanwhile({
    message: `${email} was changed meanwhile: plan ${plan}, ${status}. Your change was not made.`
  })
