/**
 * Pending consent requests, between the page that asks and the answer (R28). Each can be answered once, within 15 minutes,
 * by the session that was asked.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorizationRequest } from "../../domain/oauth/AuthorizationRequest.ts"
import { OAuthClient } from "../../domain/oauth/Client.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import * as Secrets from "../access/Secrets.ts"
import { deleteUnlocked, firstOf } from "../database/Rows.ts"
import { availableOnce } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"

const lifetimeMillis = 15 * 60_000
/** Pending requests of one session; the oldest is deleted for a new one. */
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

const Json = Schema.fromJsonString(ConsentRequest)
const encode = Schema.encodeSync(Json)
const decodeRow = firstOf(Schema.Struct({ request: Json }))

export class ConsentRequests extends Context.Service<
  ConsentRequests,
  {
    /** Stores a request and returns the secret for the form. */
    open(sessionId: number, request: ConsentRequest): Effect.Effect<Redacted.Redacted, ServiceUnavailable>
    /**
     * Deletes and returns a request, regardless of the answer. None if it was answered, has expired, or belongs to another
     * session. `secret` is untrusted, of any length and content.
     */
    take(sessionId: number, secret: Redacted.Redacted): Effect.Effect<Option.Option<ConsentRequest>, ServiceUnavailable>
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

      const take = Effect.fn("ConsentRequests.take")(function* (sessionId: number, secret: Redacted.Redacted) {
        if (!Secrets.isFormed(secret)) return Option.none()
        const now = new Date(yield* Clock.currentTimeMillis)
        const row = yield* sql`
          DELETE FROM consent_request WHERE hash = ${Secrets.hashOf(secret)} AND session_id = ${sessionId} AND expires_at > ${now}
          RETURNING request`.pipe(decodeRow, availableOnce)
        return Option.fromUndefinedOr(row?.request)
      })

      return { open, take }
    })
  )
}
