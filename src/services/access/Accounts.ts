/** Accounts as the operator keeps them: made, put on a plan, paused, granted credits (decisions.md, "Accounts and plans"). */
import { Clock, Context, Effect, Layer, Option, Redacted, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import { AccountId, Plan, SubscriptionStatus } from "../../domain/access/Account.ts"
import { allowanceOnPlan } from "../../domain/access/Credit.ts"
import { dayOf } from "../../domain/access/CreditPeriod.ts"
import * as Password from "../../domain/access/Password.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as CreditPeriods from "./CreditPeriods.ts"
import { Passwords } from "./Passwords.ts"
import type { PasswordsBusy } from "./Passwords.ts"
import { rowOf, rowsOf } from "./Rows.ts"

export const AccountRecord = Schema.Struct({
  id: AccountId,
  email: Schema.String,
  plan: Plan,
  status: SubscriptionStatus,
  /** The UTC day that the first paid plan began; periods are counted from it. */
  beganOn: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtcFromDate,
  /** Of the newest period that has been opened; the current one is opened by its first use. */
  credits: Schema.NullOr(
    Schema.Struct({
      allowance: Schema.Int,
      used: Schema.Int,
      periodStart: Schema.String,
      periodEnd: Schema.String
    })
  )
})
export type AccountRecord = typeof AccountRecord.Type

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  message: Schema.String
}) {}

/** The e-mail address has an account already, whatever its case. */
export class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", { message: Schema.String }) {}

/** An e-mail address, password, day or number that cannot be accepted; the message says what would be. */
export class InvalidAccountDetail extends Schema.TaggedError<InvalidAccountDetail>()("InvalidAccountDetail", {
  message: Schema.String
}) {}

export interface NewAccount {
  readonly email: string
  readonly plan: Plan
  readonly status: SubscriptionStatus
  readonly password: Redacted.Redacted
  /** A UTC day, today or before; today without it. Only with a paid plan. */
  readonly beganOn?: string
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
    /** By e-mail address, whatever its case. */
    find(email: string): Effect.Effect<AccountRecord, AccountNotFound | ServiceUnavailable>
    /** In the order of their creation. */
    readonly list: Stream.Stream<AccountRecord, ServiceUnavailable>
    /**
     * Takes effect at once. The allowance of the current period becomes that of the new plan, with what was granted
     * besides, but never less than what is used already; the first paid plan begins the subscription today.
     */
    setPlan(email: string, plan: Plan): Effect.Effect<AccountRecord, AccountNotFound | ServiceUnavailable>
    setStatus(
      email: string,
      status: SubscriptionStatus
    ): Effect.Effect<AccountRecord, AccountNotFound | ServiceUnavailable>
    /** Adds to the allowance of the current period. */
    grant(
      email: string,
      credits: number,
      note?: string
    ): Effect.Effect<AccountRecord, AccountNotFound | InvalidAccountDetail | ServiceUnavailable>
    /** Ends all sessions of the account. */
    resetPassword(
      email: string,
      password: Redacted.Redacted
    ): Effect.Effect<AccountRecord, AccountNotFound | InvalidAccountDetail | PasswordsBusy | ServiceUnavailable>
  }
>()("discovery/access/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passwords = yield* Passwords
      const allowances = CreditPeriods.allowances(yield* AppConfig)
      const onDatabase = Effect.provideService(SqlClient.SqlClient, sql)

      const select = (where: Statement.Fragment) => sql`
        SELECT a.id, a.email, a.plan, a.status, a.subscription_began_on::text AS "beganOn", a.created_at AS "createdAt",
          (SELECT jsonb_build_object('allowance', allowance, 'used', used, 'periodStart', period_start,
             'periodEnd', period_end) FROM credit_period WHERE account_id = a.id ORDER BY period_start DESC LIMIT 1
          ) AS credits
        FROM account a WHERE ${where}`

      const byEmail = (email: string) => sql`lower(a.email) = lower(${printable(email)})`

      const find = Effect.fn("Accounts.find")(function* (email: string) {
        const [account] = yield* Effect.flatMap(availableToRead(select(byEmail(email))), decodeAccounts)
        return account ?? (yield* notFound(email))
      })

      /** Opens the current period and locks it: what follows in the transaction is alone with it. */
      const currentPeriod = Effect.fnUntraced(function* (accountId: AccountId, beganOn: string, nowMillis: number) {
        yield* CreditPeriods.open(allowances, [{ accountId, beganOn }], nowMillis).pipe(onDatabase)
        const today = dayOf(nowMillis)
        yield* sql`
          SELECT FROM credit_period
          WHERE account_id = ${accountId} AND period_start <= ${today}::date AND period_end > ${today}::date FOR UPDATE`
        return yield* decodePeriod(
          yield* sql`
            SELECT p.period_start::text AS "periodStart", p.allowance, p.used, coalesce((
              SELECT sum(amount) FROM credit_entry e
              WHERE e.account_id = p.account_id AND e.period_start = p.period_start AND e.reason = 'operator'
            ), 0)::integer AS granted
            FROM credit_period p
            WHERE account_id = ${accountId} AND period_start <= ${today}::date AND period_end > ${today}::date`
        )
      })

      /** The balance and its entry, in one statement. */
      const move = Effect.fnUntraced(function* (entry: {
        readonly accountId: AccountId
        readonly periodStart: string
        readonly kind: "grant" | "adjustment"
        readonly reason: "operator" | "plan"
        readonly amount: number
        readonly note?: string | undefined
        readonly nowMillis: number
      }) {
        yield* sql`
          WITH moved AS (
            UPDATE credit_period SET allowance = allowance + ${entry.amount}
            WHERE account_id = ${entry.accountId} AND period_start = ${entry.periodStart}::date
            RETURNING account_id, period_start
          )
          INSERT INTO credit_entry (account_id, period_start, kind, reason, amount, note, created_at)
          SELECT account_id, period_start, ${entry.kind}::text, ${entry.reason}::text, ${entry.amount},
            ${entry.note ?? null}::text, ${new Date(entry.nowMillis)}
          FROM moved`
      })

      const lock = Effect.fnUntraced(function* (email: string) {
        const [account] = yield* decodeAccounts(yield* sql`${select(byEmail(email))} FOR NO KEY UPDATE OF a`)
        return account ?? (yield* notFound(email))
      })

      const readAgain = (accountId: AccountId) => Effect.flatMap(select(sql`a.id = ${accountId}`), decodeAccount)

      const create = Effect.fn("Accounts.create")(function* (account: NewAccount) {
        const email = account.email.trim()
        if (!isEmail(email)) return yield* invalid(`"${email.slice(0, 100)}" is not an e-mail address.`)
        yield* checkPassword(account.password, email)
        const nowMillis = yield* Clock.currentTimeMillis
        const beganOn = yield* firstDay(account, dayOf(nowMillis))
        const hash = yield* passwords.hash(account.password)
        return yield* Effect.gen(function* () {
          const rows = yield* sql`
            INSERT INTO account (email, password_hash, plan, status, subscription_began_on, created_at)
            VALUES (${email}, ${hash}, ${account.plan}, ${account.status}, ${beganOn ?? null}::date, ${new Date(nowMillis)})
            ON CONFLICT DO NOTHING RETURNING id`
          const [row] = yield* decodeIds(rows)
          if (row === undefined) {
            return yield* new EmailTaken({
              message: `${email} has an account already. Change it, or use another address.`
            })
          }
          if (beganOn !== undefined) yield* currentPeriod(row.id, beganOn, nowMillis)
          return yield* readAgain(row.id)
        }).pipe(sql.withTransaction, availableOnce)
      })

      const setPlan = Effect.fn("Accounts.setPlan")(function* (email: string, plan: Plan) {
        const nowMillis = yield* Clock.currentTimeMillis
        return yield* Effect.gen(function* () {
          const account = yield* lock(email)
          const beganOn = account.beganOn ?? (plan === "starter" ? undefined : dayOf(nowMillis))
          yield* sql`
            UPDATE account SET plan = ${plan}, subscription_began_on = ${beganOn ?? null}::date WHERE id = ${account.id}`
          if (beganOn !== undefined) {
            const period = yield* currentPeriod(account.id, beganOn, nowMillis)
            const allowance = allowanceOnPlan(allowances[plan], period.granted, period.used)
            const amount = allowance - period.allowance
            const entry = { accountId: account.id, periodStart: period.periodStart, amount, nowMillis }
            if (amount !== 0) yield* move({ ...entry, kind: "adjustment", reason: "plan" })
          }
          return yield* readAgain(account.id)
        }).pipe(sql.withTransaction, availableOnce)
      })

      const setStatus = Effect.fn("Accounts.setStatus")(function* (email: string, status: SubscriptionStatus) {
        return yield* Effect.gen(function* () {
          const account = yield* lock(email)
          yield* sql`UPDATE account SET status = ${status} WHERE id = ${account.id}`
          return yield* readAgain(account.id)
        }).pipe(sql.withTransaction, availableOnce)
      })

      const grant = Effect.fn("Accounts.grant")(function* (email: string, credits: number, note?: string) {
        if (!Number.isInteger(credits) || credits < 1 || credits > maxGrant) {
          return yield* invalid(`A grant is a whole number from 1 to ${maxGrant} credits.`)
        }
        const text = note === undefined || note.trim() === "" ? undefined : note.trim()
        if (text !== undefined && (printable(text) !== text || Array.from(text).length > maxNoteCharacters)) {
          return yield* invalid(`A note has at most ${maxNoteCharacters} characters, none of them a control character.`)
        }
        const nowMillis = yield* Clock.currentTimeMillis
        return yield* Effect.gen(function* () {
          const account = yield* lock(email)
          if (account.beganOn === null) {
            return yield* invalid(
              `${account.email} never had a subscription to grant credits to. Set a paid plan first.`
            )
          }
          const { periodStart } = yield* currentPeriod(account.id, account.beganOn, nowMillis)
          const entry = { accountId: account.id, periodStart, amount: credits, note: text, nowMillis }
          yield* move({ ...entry, kind: "grant", reason: "operator" })
          return yield* readAgain(account.id)
        }).pipe(sql.withTransaction, availableOnce)
      })

      const resetPassword = Effect.fn("Accounts.resetPassword")(function* (email: string, password: Redacted.Redacted) {
        const account = yield* find(email)
        yield* checkPassword(password, account.email)
        const hash = yield* passwords.hash(password)
        yield* sql`UPDATE account SET password_hash = ${hash} WHERE id = ${account.id}`.pipe(
          Effect.andThen(sql`DELETE FROM session WHERE account_id = ${account.id}`),
          sql.withTransaction,
          availableOnce
        )
        return account
      })

      const list = Stream.paginate(0, (after: number) =>
        Effect.map(
          Effect.flatMap(
            availableToRead(sql`${select(sql`a.id > ${after}`)} ORDER BY a.id LIMIT ${pageSize}`),
            decodeAccounts
          ),
          (page) =>
            [
              page,
              page.length < pageSize ? Option.none() : Option.map(Option.fromNullishOr(page.at(-1)), (last) => last.id)
            ] as const
        )
      )

      return { create, find, list, setPlan, setStatus, grant, resetPassword }
    })
  )
}

const decodeAccounts = rowsOf(AccountRecord)
const decodeAccount = rowOf(AccountRecord)
const decodeIds = rowsOf(Schema.Struct({ id: AccountId }))
const decodePeriod = rowOf(
  Schema.Struct({ periodStart: Schema.String, allowance: Schema.Int, used: Schema.Int, granted: Schema.Int })
)

/** One @, no blanks, a dot in the domain; whether it receives mail is not known. */
const isEmail: (text: string) => boolean = Schema.is(
  Schema.String.check(
    Schema.isMaxLength(254),
    Schema.isPattern(/^[^\s@\p{Cc}\p{Cf}\p{Cs}]+@[^\s@\p{Cc}\p{Cf}\p{Cs}.]+(\.[^\s@\p{Cc}\p{Cf}\p{Cs}.]+)+$/u)
  )
)

/** PostgreSQL refuses U+0000 and half a surrogate pair. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cs}]/gu, "")

const invalid = (message: string) => new InvalidAccountDetail({ message })

const notFound = (email: string) =>
  new AccountNotFound({ message: `There is no account with the e-mail address ${printable(email).slice(0, 254)}.` })

const checkPassword = (password: Redacted.Redacted, email: string) => {
  const problem = Password.problem(Redacted.value(password), email)
  return problem === undefined ? Effect.void : Effect.fail(invalid(problem))
}

/** The day that the periods are counted from; none without a subscription. */
const firstDay = (account: NewAccount, today: string) => {
  if (account.plan === "starter") {
    return account.beganOn === undefined
      ? Effect.void
      : Effect.fail(invalid("The plan Starter has no subscription that could have begun; set Growth or Pro."))
  }
  const day = account.beganOn ?? today
  return isDay(day) && day <= today
    ? Effect.succeed(day)
    : Effect.fail(invalid(`The subscription began on a day such as ${today}, not later than that.`))
}

const isDay = (text: string): boolean =>
  /^[12]\d{3}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text
