/**
 * Mails that wait to be sent (transactional outbox, D86). The transaction of a change also writes the row of its mail,
 * so that neither exists without the other, whatever happens to the process or the browser; only if many of its kind
 * wait for the recipient is it left out. Servers send the mails (Mailer); the command line only writes rows.
 *
 * A row has no secret: that of a link is made when its mail is sent, and the row refers to the hash of the one before.
 */
import { Effect, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { languages } from "../../domain/Messages.ts"
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
)

const Waiting = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(Letter.kinds),
  to: Schema.String,
  language: Schema.Literals(languages),
  /** The hash of the link's secret. */
  link: Schema.NullOr(Schema.Uint8Array),
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

/** Fails while too many mails wait. Asked before it is known whether there is anything to send. */
export const ready: OnDatabase<void, ServiceUnavailable> = Effect.flatMap(countUpTo(maxAskedFor), (waiting) =>
  waiting < maxAskedFor ? Effect.void : Effect.fail(unavailable("mail"))
)

/**
 * Called within the transaction of the change that the mail reports. Writes nothing if {@link maxSame} mails of its kind already
 * wait for the address, or {@link maxWaiting} mails in all.
 */
export const put = Effect.fnUntraced(function* (
  post: Post
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const now = yield* timeIn(sql)
  const language = yield* Letter.MailLanguage
  const { kind, to } = post
  const link = "link" in post ? Secrets.hashOf(post.link) : null
  const minutes = Letter.isAskedFor(kind) ? askedForMinutes : toldMinutes
  const { isFull, isRepeated } = yield* decodeRoom(sql`
    WITH room AS (
      SELECT count(*) >= ${maxWaiting} AS "isFull",
        count(*) FILTER (WHERE kind = ${kind}::text AND recipient = ${to}::text) >= ${maxSame} AS "isRepeated"
      FROM (SELECT kind, recipient FROM mail LIMIT ${maxWaiting}) w
    ), written AS (
      INSERT INTO mail (kind, recipient, language, link, created_at, due_at, expires_at)
      SELECT ${kind}::text, ${to}::text, ${language}::text, ${link}::bytea, now, now, now + interval '1 minute' * ${minutes}::integer
      FROM room, (SELECT ${now} AS now) t WHERE NOT "isFull" AND NOT "isRepeated"
    )
    SELECT "isFull", "isRepeated" FROM room`)
  if (isRepeated) return yield* Effect.logWarning("A mail was not sent: enough of the same wait", { kind })
  if (!isFull) return
  yield* Metrics.mails.add({ outcome: "too_many" })
  yield* Effect.logError("A mail was not sent: too many wait", { kind })
})

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
    RETURNING m.id::text AS id, kind, recipient AS to, language, link, attempts, created_at AS "createdAt",
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
