/**
 * Looks at the accounts whose time has come, and mails what is new in their saved searches (D113): one mail for all searches that
 * are due, and none if nothing is new. Runs on any number of servers at once, each with accounts that no other has.
 *
 * A look counts first, which takes no lock and may take seconds. Then one transaction writes the mail and what was in it, unless
 * another server, or the account itself, has changed the alert meanwhile. So a server that ends at any moment neither loses a mail nor
 * has it sent twice.
 */
import { Effect, Layer, Option, Result, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../domain/access/Account.ts"
import { mayCallTools } from "../../domain/access/Plan.ts"
import { dayMillis } from "../../domain/Days.ts"
import { languages } from "../../domain/Messages.ts"
import { AlertFrequency, daysOf, hasNews, nextLook } from "../../domain/search/SearchAlert.ts"
import type { SearchNews } from "../../domain/search/SearchAlert.ts"
import { cursorOf, sinceOf } from "../../domain/search/ChangeQuery.ts"
import { maxSavedSearches, searchKinds, SearchSubject } from "../../domain/search/SavedSearch.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { countOf, firstOf, rowsOf } from "../database/Rows.ts"
import { CurrentAccount } from "../limits/CurrentAccount.ts"
import * as Notices from "../mail/Notices.ts"
import * as Outbox from "../mail/Outbox.ts"
import * as Metrics from "../metrics/Metrics.ts"
import { ChangeFeed } from "../changes/ChangeFeed.ts"
import { NewResults } from "../search/NewResults.ts"

const every = "30 seconds"
/** In one round; the next one takes the next. */
const maxAccounts = 50
/** Longer than a look takes: then the server that began it has ended. */
const leaseSeconds = 10 * 60
/** For one search. */
const longestCount = "10 seconds"

const decodeTaken = firstOf(Schema.Struct({ accountId: AccountId, dueAt: Schema.Date }))

const Due = Schema.Struct({
  id: Schema.Int,
  subject: SearchSubject,
  query: Schema.String,
  alert: AlertFrequency,
  /** Results up to it were viewed or mailed. */
  mark: Schema.Int,
  change: Schema.FiniteFromString
})
type Due = typeof Due.Type
const decodeDue = rowsOf(Due)

const decodeLanguage = firstOf(Schema.Struct({ language: Schema.Literals(languages) }))
const decodeKept = rowsOf(Schema.Struct({ id: Schema.Int, name: Schema.String }))

/** What a look has found, and up to where. */
interface Counted extends Pick<Due, "id" | "subject" | "alert">, Pick<SearchNews, "results" | "changes"> {
  readonly mark: number
  readonly change: number
}

interface Taken {
  readonly accountId: AccountId
  readonly dueAt: Date
}

/** The next account whose time has come, which no other server takes meanwhile. */
const take = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DatabaseClock.timeIn(sql)
  return yield* sql`
    WITH due AS (
      SELECT account_id FROM alert WHERE due_at <= ${now} AND (taken_until IS NULL OR taken_until <= ${now})
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE alert a SET taken_until = ${now} + interval '1 second' * ${leaseSeconds}
    FROM due WHERE a.account_id = due.account_id
    RETURNING a.account_id AS "accountId", a.due_at AS "dueAt"`.pipe(decodeTaken)
})

/** The searches of an account that are due. None for one without access, whose searches wait until it has access again. */
const dueOf = Effect.fnUntraced(function* (accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  const account = yield* Notices.decodeRecipient(Notices.selectRecipient(sql, accountId))
  if (account === undefined || !mayCallTools(account)) return []
  const now = yield* DatabaseClock.timeIn(sql)
  return yield* sql`
    SELECT id, subject, query, alert, greatest(mark, alert_mark) AS mark, alert_change::text AS change FROM saved_search
    WHERE account_id = ${accountId} AND alert_due_at <= ${now} ORDER BY id LIMIT ${maxSavedSearches}`.pipe(decodeDue)
})

/** What has changed of the stores that a search finds, and up to which change. Nothing of a search that finds too many of them. */
const countChanges = Effect.fnUntraced(function* (accountId: AccountId, { change, query }: Due) {
  const feed = yield* ChangeFeed
  const asked = Option.getOrUndefined(Result.getSuccess(searchKinds.stores.decode(query)))
  const filters =
    asked === undefined ? undefined : Struct.omit(asked, ["page", "per_page", "sort_by", "sort_order", "change_over"])
  const since = cursorOf({ _tag: "After", id: change })
  const { counts, next } = yield* feed
    .counts({ since, ...(filters === undefined ? {} : { filters }) }, accountId)
    .pipe(Effect.catchTag("InvalidArguments", () => Effect.succeed({ counts: [], next: since })))
  const last = sinceOf(next)
  return { counts, change: last?._tag === "After" ? last.id : change }
})

/** Nothing of the look was written. */
class OutboxFull extends Schema.TaggedError<OutboxFull>()("OutboxFull", { message: Schema.String }) {}

/**
 * Writes the mail, if there are news, and what was in it. The account is locked first, as everywhere. Returns what became of the look;
 * `raced` if the account was looked at by another server, or has closed or turned its alerts off.
 */
const settle = Effect.fnUntraced(function* ({ accountId, dueAt }: Taken, counted: ReadonlyArray<Counted>) {
  const sql = yield* SqlClient.SqlClient
  const nowMillis = yield* DatabaseClock.currentTimeMillis
  const account = yield* Notices.decodeRecipient(sql`${Notices.selectRecipient(sql, accountId)} FOR NO KEY UPDATE`)
  if (account === undefined) return "raced"
  const next = new Date(nextLook(dueAt.getTime(), nowMillis))
  const alert = yield* sql`
    UPDATE alert SET due_at = ${next}, taken_until = NULL WHERE account_id = ${accountId} AND due_at = ${dueAt}
    RETURNING language`.pipe(decodeLanguage)
  if (alert === undefined) return "raced"
  const isUsed = yield* countOf(
    sql`SELECT count(*)::int AS count FROM saved_search WHERE account_id = ${accountId} AND alert IS NOT NULL`
  )
  if (isUsed === 0) {
    yield* sql`DELETE FROM alert WHERE account_id = ${accountId}`
    return "nothing_new"
  }
  if (!mayCallTools(account)) return "no_access"
  const news: Array<SearchNews> = []
  for (const { alert, change, changes, id, mark, results, subject } of counted) {
    const due = new Date(dueAt.getTime() + daysOf[alert] * dayMillis)
    const [kept] = yield* decodeKept(sql`
      UPDATE saved_search SET alert_mark = ${mark}, alert_change = ${change}, alert_due_at = ${due}
      WHERE account_id = ${accountId} AND id = ${id} AND alert = ${alert} RETURNING id, name`)
    if (kept !== undefined) news.push({ ...kept, subject, results, changes })
  }
  const [first, ...others] = news.filter(hasNews)
  if (first === undefined) return "nothing_new"
  const post = {
    kind: "alerts",
    to: account.email,
    accountId,
    language: alert.language,
    news: { searches: [first, ...others] }
  } as const
  // Taken back: a later round tries again.
  if (!(yield* Outbox.tryPut(post))) return yield* new OutboxFull({ message: "too many mails wait" })
  return "mailed"
})

/** What is new in a search. Nothing if that cannot be told: it waits for the next look. */
const count = Effect.fnUntraced(
  function* (accountId: AccountId, due: Due) {
    const { alert, id, mark, query, subject } = due
    const { answer, mark: newest } = yield* Effect.flatMap(NewResults, (results) =>
      results.marked(subject, results.count({ subject, query, mark }))
    )
    // Its page says that it is no longer valid.
    if (Option.isNone(answer)) return Option.none<Counted>()
    const { change, counts } =
      subject === "stores" ? yield* countChanges(accountId, due) : { change: due.change, counts: [] }
    return Option.some<Counted>({
      id,
      subject,
      alert,
      results: answer.value,
      changes: counts.filter((each) => each.count > 0),
      mark: Math.max(mark, newest),
      change
    })
  },
  (counting, accountId, { id }) =>
    counting.pipe(
      Effect.timeoutOption(longestCount),
      Effect.catchTag("SearchTimeout", () => Effect.succeedNone),
      Effect.tap((counted) =>
        Option.isSome(counted)
          ? Effect.void
          : Effect.logWarning({
              message: "A saved search is too slow for its alert",
              account_id: accountId,
              search_id: id
            })
      ),
      Effect.map(Option.flatten)
    )
)

/** One that was taken. */
export const look = Effect.fn("AlertRound.look")(function* (taken: Taken) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = taken
  const due = yield* availableToRead(dueOf(accountId))
  const counted = yield* Effect.forEach(due, (search) => count(accountId, search)).pipe(
    Effect.provideService(CurrentAccount, accountId)
  )
  const outcome = yield* settle(taken, counted.flatMap(Option.toArray)).pipe(sql.withTransaction, availableOnce)
  yield* Metrics.alertLooks.add({ outcome })
})

/** One after the other. A look that fails is made again when its lease is over. */
export const round = Effect.fn("AlertRound.round")(function* () {
  for (let looked = 0; looked < maxAccounts; looked++) {
    if (yield* availableToRead(Outbox.isFullOfAlerts)) return
    const taken = yield* availableOnce(take)
    if (taken === undefined) return
    yield* look(taken).pipe(
      Effect.catch((error) =>
        Effect.andThen(
          Metrics.alertLooks.add({ outcome: "failed" }),
          Effect.logWarning({
            message: "An account could not be looked at for its alerts: it is tried again in ten minutes",
            account_id: taken.accountId,
            error: error.message
          })
        )
      )
    )
  }
})

export const layer = Layer.effectDiscard(round().pipe(BackgroundJob.repeat(every, "Alerts could not be looked for")))
