/**
 * Mails that wait to be sent (transactional outbox, D86). The transaction of a change also writes the row of its mail,
 * so that neither exists without the other, whatever happens to the process or the browser; only if many of its kind
 * wait for the recipient is it left out. Servers send the mails (Mailer); the command line only writes rows.
 *
 * A row has no secret: that of a link is made when its mail is sent, and the row refers to the hash of the one before. One with
 * news has what it says, and its account, with which it ends (D113).
 */
import { Effect, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { AccountId } from "../../domain/access/Account.ts"
import { AlertNews } from "../../domain/search/SearchAlert.ts"
import { languages } from "../../domain/Messages.ts"
import type { Language } from "../../domain/Messages.ts"
import { unavailable } from "../../domain/ToolErrorMessages.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Secrets from "../Secrets.ts"
import { timeIn } from "../database/DatabaseClock.ts"
import { countOf, firstOf, hasRow, rowOf } from "../database/Rows.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as Letter from "./Letter.ts"

/** Mails that wait, of all servers. */
export const maxWaiting = 1_000
/** Above this, requests for mails are refused. The rest is for mails about changes. */
export const maxAskedFor = 500

/**
 * Mails of one kind that wait for one address. A further one would say the same, and fill what all accounts share. More than those
 * that may be asked for within their time, whose links differ.
 */
export const maxSame = 10

/**
 * Alerts that wait, of all accounts. The others wait for their turn elsewhere (services/alerts), so that a mail that somebody asked
 * for does not wait behind thousands.
 */
export const maxAlerts = 50

/** Whoever waits for a mail asks again; nobody asks for one about a change. */
const askedForMinutes = 30
const toldMinutes = 24 * 60
/** Longer than an attempt takes: then the server that made it has ended. */
const leaseSeconds = 120

/** What is to be sent. */
export type Post = { readonly to: string } & (
  | {
      readonly kind: "confirm" | "newAddress"
      /** The secret of the link. The mail gets another one in its place. */
      readonly link: Redacted.Redacted
    }
  /** The link is made when the mail is sent, if the address has an account by then. */
  | { readonly kind: "reset" | Letter.Unlinked }
  /** The link is made when the mail is sent. In the language of the account, whoever writes it. */
  | {
      readonly kind: Letter.Alert
      readonly accountId: AccountId
      readonly language: Language
      readonly news: AlertNews
    }
)

const Waiting = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(Letter.kinds),
  to: Schema.String,
  language: Schema.Literals(languages),
  /** The hash of the link's secret. */
  link: Schema.NullOr(Schema.Uint8Array),
  accountId: Schema.NullOr(AccountId),
  news: Schema.NullOr(AlertNews),
  /** How often it was tried, including the attempt that it is taken for. */
  attempts: Schema.Int,
  createdAt: Schema.Date,
  /** It has waited for too long. */
  isOver: Schema.Boolean
})
export type Waiting = typeof Waiting.Type

const decodeWaiting = firstOf(Waiting)
const decodeRoom = rowOf(Schema.Struct({ isFull: Schema.Boolean, isRepeated: Schema.Boolean }))

type OnDatabase<A, E = never> = Effect.Effect<A, SqlError.SqlError | E, SqlClient.SqlClient>

const countUpTo = (most: number): OnDatabase<number> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    countOf(sql`SELECT count(*)::integer AS count FROM (SELECT FROM mail LIMIT ${most}) w`)
  )

/** How many mails wait. */
export const count = countUpTo(maxWaiting)

/** Whether no more alerts may wait. */
export const isFullOfAlerts: OnDatabase<boolean> = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    countOf(
      sql`SELECT count(*)::integer AS count FROM (SELECT FROM mail WHERE account_id IS NOT NULL LIMIT ${maxAlerts}) w`
    ),
    (waiting) => waiting >= maxAlerts
  )
)

/** Fails while too many mails wait. Asked before it is known whether there is anything to send. */
export const ready: OnDatabase<void, ServiceUnavailable> = Effect.flatMap(countUpTo(maxAskedFor), (waiting) =>
  waiting < maxAskedFor ? Effect.void : Effect.fail(unavailable("mail"))
)

/**
 * Called within the transaction of the change that the mail reports. Writes nothing if {@link maxSame} mails of its kind already
 * wait for the address, or {@link maxWaiting} mails in all. Returns whether it was written.
 */
export const tryPut = Effect.fnUntraced(function* (
  post: Post
): Effect.fn.Return<boolean, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const now = yield* timeIn(sql)
  const asked = yield* Letter.MailLanguage
  const { kind, to } = post
  const { accountId, language, news } = post.kind === "alerts" ? post : { accountId: null, language: asked, news: null }
  const link = "link" in post ? Secrets.hashOf(post.link) : null
  const minutes = Letter.isAskedFor(kind) ? askedForMinutes : toldMinutes
  const { isFull, isRepeated } = yield* decodeRoom(sql`
    WITH room AS (
      SELECT count(*) >= ${maxWaiting} AS "isFull",
        count(*) FILTER (WHERE kind = ${kind}::text AND recipient = ${to}::text) >= ${maxSame} AS "isRepeated"
      FROM (SELECT kind, recipient FROM mail LIMIT ${maxWaiting}) w
    ), written AS (
      INSERT INTO mail (kind, recipient, language, link, account_id, content, created_at, due_at, expires_at)
      SELECT ${kind}::text, ${to}::text, ${language}::text, ${link}::bytea, ${accountId}::integer,
        ${news === null ? null : JSON.stringify(news)}::jsonb, now, now, now + interval '1 minute' * ${minutes}::integer
      FROM room, (SELECT ${now} AS now) t WHERE NOT "isFull" AND NOT "isRepeated"
    )
    SELECT "isFull", "isRepeated" FROM room`)
  if (isRepeated) yield* Effect.logWarning("A mail was not sent: enough of the same wait", { kind })
  else if (isFull) {
    yield* Metrics.mails.add({ outcome: "too_many" })
    yield* Effect.logError("A mail was not sent: too many wait", { kind })
  }
  return !isRepeated && !isFull
})

/** As {@link tryPut}, for a change that happens whether or not its mail can be written. */
export const put = (post: Post): OnDatabase<void> => Effect.asVoid(tryPut(post))

/** The next mail that is due, which no other server takes meanwhile. What a newer version knows is left to its servers. */
export const take: OnDatabase<Option.Option<Waiting>> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* timeIn(sql)
  const taken = sql`
    WITH due AS (
      SELECT id FROM mail
      WHERE due_at <= ${now} AND ${sql.in("kind", Letter.kinds)} AND ${sql.in("language", languages)}
      ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE mail m SET attempts = attempts + 1, due_at = ${now} + interval '1 second' * ${leaseSeconds}
    FROM due WHERE m.id = due.id
    RETURNING m.id::text AS id, kind, recipient AS to, language, link, account_id AS "accountId", content AS news, attempts, created_at AS "createdAt",
      expires_at <= ${now} AS "isOver"`
  return Option.fromUndefinedOr(yield* decodeWaiting(taken))
})

/** The link has another secret now. */
export const setLink = Effect.fnUntraced(function* ({ id }: Pick<Waiting, "id">, secret: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE mail SET link = ${Secrets.hashOf(secret)} WHERE id = ${id}::bigint`
})

/** It was sent, or will not be. */
export const remove = Effect.fnUntraced(function* ({ id }: Pick<Waiting, "id">) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM mail WHERE id = ${id}::bigint`
})

/** Returns whether it is tried again: not if it has waited for too long by then. */
export const postpone = Effect.fnUntraced(function* ({ id }: Pick<Waiting, "id">, seconds: number) {
  const sql = yield* SqlClient.SqlClient
  const next = sql`${yield* timeIn(sql)} + interval '1 second' * ${seconds}::double precision`
  return yield* hasRow(sql`
    UPDATE mail SET due_at = ${next} WHERE id = ${id}::bigint AND ${next} < expires_at RETURNING id`)
})
