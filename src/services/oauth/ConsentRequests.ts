/**
 * Consent requests, from the page that asks until 15 minutes later (R28). Only the session that was asked can answer, and only the
 * first decision counts. It is kept, so that an answer that was sent twice is told the same twice.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { AuthorizationRequest } from "../../domain/oauth/AuthorizationRequest.ts"
import { OAuthClient } from "../../domain/oauth/Client.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Secrets from "../Secrets.ts"
import { deleteUnlocked, firstOf, hasRow } from "../database/Rows.ts"
import { availableOnce } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"

const lifetimeMillis = 15 * 60_000
/** Requests of one session; the oldest is deleted for a new one. */
const maxPerSession = 20
/** Expired requests that each new one deletes. */
const maxSwept = 100

/** The app as displayed, and the validated request. */
export const ConsentRequest = Schema.Struct({
  client: OAuthClient,
  request: AuthorizationRequest,
  /** The path and query of the authorization request, to continue as another account. */
  url: Schema.String
})
export type ConsentRequest = typeof ConsentRequest.Type

export const Decision = Schema.Literals(["allow", "deny"])
export type Decision = typeof Decision.Type

/** A request, and the decision if there is one. */
export interface Found {
  readonly asked: ConsentRequest
  readonly decision: Decision | undefined
}

/** Names a request: the session that was asked, and the secret of its form, which is untrusted, of any length and content. */
export interface Answer {
  readonly sessionId: number
  readonly secret: Redacted.Redacted
}

const Json = Schema.fromJsonString(ConsentRequest)
const encode = Schema.encodeSync(Json)
const decodeRow = firstOf(Schema.Struct({ asked: Json, decision: Schema.NullOr(Decision) }))

const isAnswered = ({ secret, sessionId }: Answer, now: Date) =>
  Effect.map(
    SqlClient.SqlClient,
    (sql) => sql`hash = ${Secrets.hashOf(secret)} AND session_id = ${sessionId} AND expires_at > ${now}`
  )

/** Records that access is allowed, within the transaction that gives it. False if the request is decided or over. */
export const allow = Effect.fnUntraced(function* (answer: Answer) {
  if (!Secrets.isFormed(answer.secret)) return false
  const sql = yield* SqlClient.SqlClient
  const which = yield* isAnswered(answer, new Date(yield* Clock.currentTimeMillis))
  return yield* hasRow(sql`
    UPDATE consent_request SET decision = 'allow' WHERE ${which} AND decision IS NULL RETURNING 1`)
})

export class ConsentRequests extends Context.Service<
  ConsentRequests,
  {
    /** Stores a request and returns the secret for the form. */
    open(sessionId: number, request: ConsentRequest): Effect.Effect<Redacted.Redacted, ServiceUnavailable>
    /** None if the request has expired or belongs to another session. */
    find(answer: Answer): Effect.Effect<Option.Option<Found>, ServiceUnavailable>
    /** As `find`, and records that access is denied, unless the request is decided already. */
    deny(answer: Answer): Effect.Effect<Option.Option<Found>, ServiceUnavailable>
  }
>()("discovery/oauth/ConsentRequests") {
  static readonly layer = Layer.effect(
    ConsentRequests,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const newSecret = yield* Secrets.generator
      const sweep = deleteUnlocked(sql, "consent_request", "hash")

      const open = Effect.fn("ConsentRequests.open")(function* (sessionId: number, request: ConsentRequest) {
        const millis = yield* Clock.currentTimeMillis
        const now = new Date(millis)
        const secret = yield* newSecret
        yield* Effect.gen(function* () {
          const deleteBy = yield* DatabaseClock.timeToDeleteBy
          if (Option.isSome(deleteBy)) {
            yield* sweep(sql`expires_at <= ${new Date(deleteBy.value)} LIMIT ${maxSwept}`)
          }
          yield* sweep(sql`session_id = ${sessionId} ORDER BY created_at DESC OFFSET ${maxPerSession - 1}`)
          // If the session has just ended, the form leads to the sign-in.
          yield* sql`
            INSERT INTO consent_request (hash, session_id, request, created_at, expires_at)
            SELECT ${Secrets.hashOf(secret)}, id, ${encode(request)}, ${now}, ${new Date(millis + lifetimeMillis)}
            FROM session WHERE id = ${sessionId} FOR KEY SHARE`
        }).pipe(sql.withTransaction, Effect.provideService(SqlClient.SqlClient, sql), availableOnce)
        return secret
      })

      const found = (answer: Answer, statement: (which: Statement.Fragment) => Statement.Statement<unknown>) =>
        Effect.gen(function* () {
          if (!Secrets.isFormed(answer.secret)) return Option.none()
          const which = yield* isAnswered(answer, new Date(yield* Clock.currentTimeMillis))
          const row = yield* decodeRow(statement(which))
          return Option.fromUndefinedOr(row && { asked: row.asked, decision: row.decision ?? undefined })
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), availableOnce)

      const find = Effect.fn("ConsentRequests.find")((answer: Answer) =>
        found(answer, (which) => sql`SELECT request AS asked, decision FROM consent_request WHERE ${which}`)
      )

      const deny = Effect.fn("ConsentRequests.deny")((answer: Answer) =>
        found(
          answer,
          (which) => sql`
            UPDATE consent_request SET decision = coalesce(decision, 'deny') WHERE ${which}
            RETURNING request AS asked, decision`
        )
      )

      return { open, find, deny }
    })
  )
}
