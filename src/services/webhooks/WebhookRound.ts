/**
 * Delivers to webhooks what has changed of the tracked stores of their accounts (D114): the pages of `list_changes`, oldest first, each
 * as a message that is signed as Standard Webhooks says. Runs on any number of servers at once, each with webhooks that no other has.
 *
 * A message is written before it is sent, and stays the same over its attempts, so that a receiver that has seen its id has seen all of
 * it. What was sent is settled in one transaction, unless the address has changed meanwhile. So none is lost; a server that ends between
 * both has it sent twice, with the same id.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { AppConfig } from "../../Config.ts"
import { AccountId } from "../../domain/access/Account.ts"
import { mayCallTools } from "../../domain/access/Plan.ts"
import { dashboardUrl } from "../../domain/catalog/DashboardUrl.ts"
import { dayMillis } from "../../domain/Days.ts"
import { languages } from "../../domain/Messages.ts"
import { cursorOf, sinceOf } from "../../domain/search/ChangeQuery.ts"
import type { ChangePage } from "../../domain/search/ChangeQuery.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import { ChangeFeed, present } from "../changes/ChangeFeed.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { firstOf } from "../database/Rows.ts"
import { FetchFailed, runsLocally, SafeFetch, userAgent } from "../fetch/SafeFetch.ts"
import type { Head } from "../fetch/PinnedRequest.ts"
import { CurrentAccount } from "../limits/CurrentAccount.ts"
import { MailLanguage } from "../mail/Letter.ts"
import * as Notices from "../mail/Notices.ts"
import * as Outbox from "../mail/Outbox.ts"
import * as Metrics from "../metrics/Metrics.ts"
import { endpointOf } from "./Webhooks.ts"

const every = "30 seconds"
/** At once, of one server. */
const concurrency = 8
/** Of each of those in one round; the next round goes on. */
const maxMessages = 50
const changesInMessage = 25
/** Longer than an attempt takes: then the server that made it has ended. */
const leaseSeconds = 120
const deadline = "10 seconds"
/** Before an account without access is looked at again. */
const withoutAccessMillis = 3_600_000

const minute = 60_000
const longestWait = 240 * minute
const gone = 410

/**
 * When a message is tried again that has failed so often: after a minute, then twice as long each time up to four hours, and a last time
 * when a day has passed. `undefined` after it.
 */
export const nextAttempt = (attempts: number, sinceMillis: number, nowMillis: number): number | undefined => {
  const end = sinceMillis + dayMillis
  const wait = Math.min(minute * 2 ** Math.min(attempts - 1, 20), longestWait)
  return nowMillis >= end ? undefined : Math.min(nowMillis + wait, end)
}

/** The header of a message, as Standard Webhooks says. `seconds` since 1970. */
export const signatureOf = (
  secret: Uint8Array,
  { body, id, seconds }: { readonly id: string; readonly seconds: number; readonly body: string }
): string => `v1,${createHmac("sha256", secret).update(`${id}.${seconds}.${body}`).digest("base64")}`

const Taken = Schema.Struct({
  accountId: AccountId,
  url: Schema.String,
  secret: Schema.Uint8Array,
  change: Schema.FiniteFromString,
  lease: Schema.Int,
  attempts: Schema.Int,
  failingSince: Schema.NullOr(Schema.Date),
  messageId: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  messageChange: Schema.NullOr(Schema.FiniteFromString)
})
type Taken = typeof Taken.Type
const decodeTaken = firstOf(Taken)
const decodeLanguage = firstOf(Schema.Struct({ language: Schema.Literals(languages) }))

interface Message {
  readonly id: string
  readonly body: string
  /** The last one of it. */
  readonly change: number
}

/** The mail that says it could not be written, and so nothing was. */
class OutboxFull extends Schema.TaggedError<OutboxFull>()("OutboxFull", { message: Schema.String }) {}

/** The next one with a message, or with changes that may be of its stores, which no other server takes meanwhile. */
const take = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DatabaseClock.timeIn(sql)
  return yield* sql`
    WITH due AS (
      SELECT account_id FROM webhook
      WHERE disabled_at IS NULL AND due_at <= ${now} AND (taken_until IS NULL OR taken_until <= ${now})
        AND (message_id IS NOT NULL OR change < (SELECT max(id) FROM change c WHERE NOT c.with_store))
      ORDER BY due_at, account_id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE webhook w SET taken_until = ${now} + interval '1 second' * ${leaseSeconds}, lease = lease + 1
    FROM due WHERE w.account_id = due.account_id
    RETURNING w.account_id AS "accountId", url, secret, change::text AS change, lease, attempts, failing_since AS "failingSince",
      message_id AS "messageId", message, message_change::text AS "messageChange"`.pipe(decodeTaken)
})

const ours = (sql: SqlClient.SqlClient, { accountId, lease }: Taken) =>
  sql`account_id = ${accountId} AND lease = ${lease}`

/** What is delivered next: what was not delivered yet, or else the next changes. `undefined` if none is of a tracked store. */
const messageOf = Effect.fnUntraced(function* (taken: Taken) {
  const { accountId, change, message, messageChange, messageId } = taken
  if (messageId !== null && message !== null && messageChange !== null) {
    return { id: messageId, body: message, change: messageChange }
  }
  const sql = yield* SqlClient.SqlClient
  const feed = yield* ChangeFeed
  const context = { dashboardUrl: dashboardUrl(yield* AppConfig) }
  const found = yield* feed.page(
    {
      since: cursorOf({ _tag: "After", id: change }),
      tracked_only: true,
      order: "oldest",
      per_page: changesInMessage
    },
    accountId
  )
  const next = sinceOf(found.pagination.next)
  const last = next?._tag === "After" ? next.id : change
  if (found.changes.length === 0) {
    yield* availableOnce(sql`UPDATE webhook SET change = ${last}, taken_until = NULL WHERE ${ours(sql, taken)}`)
    return undefined
  }
  const data: ChangePage = {
    results: found.changes.map((each) => present(each, context)),
    pagination: found.pagination,
    known_since: found.known_since
  }
  const now = yield* availableToRead(DatabaseClock.currentTimeMillis)
  const made: Message = {
    id: `msg_${accountId}_${last}`,
    body: JSON.stringify({ type: "changes", timestamp: new Date(now).toISOString(), data }),
    change: last
  }
  yield* availableOnce(sql`
    UPDATE webhook SET message_id = ${made.id}, message = ${made.body}, message_change = ${made.change}
    WHERE ${ours(sql, taken)}`)
  return made
})

/** Returns the status of the answer, of which nothing else is read. None if there was no answer, or nothing may be sent. */
const send = Effect.fnUntraced(function* ({ accountId, secret, url }: Taken, { body, id }: Message) {
  const config = yield* AppConfig
  const safe = yield* SafeFetch
  const isLocal = runsLocally(config)
  const endpoint = endpointOf(url, isLocal)
  if (endpoint === undefined) return undefined
  const seconds = Math.floor((yield* availableToRead(DatabaseClock.currentTimeMillis)) / 1_000)
  return yield* safe
    .request<Head>({
      url: endpoint,
      post: body,
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent(config),
        "webhook-id": id,
        "webhook-timestamp": String(seconds),
        "webhook-signature": signatureOf(secret, { id, seconds, body })
      },
      maxBodyBytes: 0,
      within: deadline,
      allowsLoopback: isLocal,
      refuse: (head) => head
    })
    .pipe(
      Effect.map((answer): Head => answer),
      Effect.catch((ended) => {
        if (!(ended instanceof FetchFailed)) return Effect.succeed(ended)
        const { detail, reason } = ended
        const message = "A webhook has not answered"
        return Effect.as(Effect.logInfo({ message, account_id: accountId, reason, detail }), undefined)
      }),
      Effect.map((head) => head?.status)
    )
})

const outcomeOf = (status: number | undefined) => {
  if (status === undefined) return "failed"
  return status >= 200 && status < 300 ? "sent" : "refused"
}

/** Writes what became of an attempt, and the mail if it was the last. The account is locked first, as everywhere. */
const settle = Effect.fnUntraced(function* (taken: Taken, message: Message, status: number | undefined) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = taken
  const nowMillis = yield* DatabaseClock.currentTimeMillis
  const now = new Date(nowMillis)
  const account = yield* Notices.decodeRecipient(sql`${Notices.selectRecipient(sql, accountId)} FOR NO KEY UPDATE`)
  if (account === undefined) return { outcome: "raced", isDisabled: false } as const
  const outcome = outcomeOf(status)
  const isSent = outcome === "sent"
  const attempts = isSent ? 0 : taken.attempts + 1
  const failingSince = isSent ? null : (taken.failingSince ?? now)
  const next =
    failingSince === null
      ? nowMillis
      : status === gone
        ? undefined
        : nextAttempt(attempts, failingSince.getTime(), nowMillis)
  const isDisabled = next === undefined
  const delivered = sql`change = ${message.change}, message_id = NULL, message = NULL, message_change = NULL`
  const written = yield* sql`
    UPDATE webhook SET taken_until = NULL, due_at = ${new Date(next ?? nowMillis)}, attempts = ${attempts},
      failing_since = ${failingSince}, last_outcome = ${outcome}, last_status = ${status ?? null}, last_at = ${now},
      disabled_at = ${isDisabled ? now : null}, ${isSent ? delivered : sql`change = change`}
    WHERE ${ours(sql, taken)} RETURNING language`.pipe(decodeLanguage)
  if (written === undefined) return { outcome: "raced", isDisabled: false } as const
  yield* Notices.add({ accountId, kind: "webhook", outcome })
  if (isDisabled) {
    const put = Outbox.tryPut({ kind: "webhookDisabled", to: account.email })
    // Taken back: a later round tries again.
    if (!(yield* Effect.provideService(put, MailLanguage, written.language))) {
      return yield* new OutboxFull({ message: "too many mails wait" })
    }
  }
  return { outcome, isDisabled } as const
})

const deliver = Effect.fn("WebhookRound.deliver")(function* (taken: Taken) {
  const sql = yield* SqlClient.SqlClient
  const account = yield* availableToRead(Notices.decodeRecipient(Notices.selectRecipient(sql, taken.accountId)))
  if (account === undefined || !mayCallTools(account)) {
    const due = new Date((yield* availableToRead(DatabaseClock.currentTimeMillis)) + withoutAccessMillis)
    yield* availableOnce(sql`UPDATE webhook SET due_at = ${due}, taken_until = NULL WHERE ${ours(sql, taken)}`)
    return
  }
  const message = yield* Effect.provideService(messageOf(taken), CurrentAccount, taken.accountId)
  if (message === undefined) return
  const status = yield* send(taken, message)
  const { isDisabled, outcome } = yield* settle(taken, message, status).pipe(sql.withTransaction, availableOnce)
  yield* Metrics.webhookDeliveries.add({ outcome })
  if (isDisabled) yield* Metrics.webhookDeliveries.add({ outcome: "disabled" })
})

/** One message after the other. What could not be tried is tried again when its lease is over. */
const worker = Effect.gen(function* () {
  for (let messages = 0; messages < maxMessages; messages++) {
    const taken = yield* availableOnce(take)
    if (taken === undefined) return
    yield* deliver(taken).pipe(
      Effect.catch((error) =>
        Effect.andThen(
          Metrics.webhookDeliveries.add({ outcome: "broken" }),
          Effect.logWarning({
            message: "A webhook could not be delivered to: it is tried again in two minutes",
            account_id: taken.accountId,
            error: error.message
          })
        )
      )
    )
  }
})

export const round = Effect.fn("WebhookRound.round")(function* () {
  yield* Effect.all(
    Array.from({ length: concurrency }, () => worker),
    { concurrency, discard: true }
  )
})

export const layer = Layer.effectDiscard(
  round().pipe(BackgroundJob.repeat(every, "Webhooks could not be delivered to"))
)
