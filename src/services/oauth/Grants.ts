/** OAuth grants of accounts to apps, with their codes and tokens (R21, R35 to R41; GrantTokens). */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import type { Result } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { dayMillis } from "../../domain/Days.ts"
import * as Credential from "../../domain/access/Credential.ts"
import type { AuthorizationRequest } from "../../domain/oauth/AuthorizationRequest.ts"
import type { OAuthClient } from "../../domain/oauth/Client.ts"
import * as Grant from "../../domain/oauth/Grant.ts"
import type { InvalidGrant, InvalidTarget, TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import * as Pkce from "../../domain/oauth/Pkce.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { countOf, firstOf } from "../database/Rows.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { UnknownClient } from "./Clients.ts"
import * as ConsentRequests from "./ConsentRequests.ts"
import * as GrantRows from "./GrantRows.ts"
import * as GrantTokens from "./GrantTokens.ts"
import type { CodeExchange, Refresh, Tokens } from "./GrantTokens.ts"
import * as Secrets from "../Secrets.ts"
import { ServerKey } from "./ServerKey.ts"

/** Limit of connected apps for one account. */
export const maxConnections = 200

/** The account has the maximum number of connected apps. The user must revoke one first. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  most: Schema.Int
}) {}

/** The request that an approval answers is decided or over (ConsentRequests). */
export class AlreadyDecided extends Schema.TaggedError<AlreadyDecided>()("AlreadyDecided", {}) {}

export interface Approval extends Pick<AuthorizationRequest, "redirectUri" | "challenge" | "resource"> {
  readonly accountId: AccountId
  readonly client: OAuthClient
  /** The request that is answered, in the same transaction. Its secret is what the code is derived from. */
  readonly answers?: ConsentRequests.Answer
}

/** What became of a code. It is `over` if it was not exchanged within its time, or its grant has ended. */
export type CodeState = "unused" | "used" | "over"

/** The code that the answer to a request gives, each time that it is sent. No code is stored for that. */
export const codeOf = ({ secret }: ConsentRequests.Answer) => Secrets.derive("authorization_code", secret)

const decodeState = firstOf(Schema.Struct({ state: Schema.Literals(["unused", "used", "over"]) }))

export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Stores the user's consent and returns a code that the client can exchange once, within 60 seconds. The caller checks
     * the account's plan.
     */
    approve(
      approval: Approval
    ): Effect.Effect<
      { readonly code: Redacted.Redacted },
      AlreadyDecided | UnknownClient | TooManyConnections | ServiceUnavailable
    >
    codeState(code: Redacted.Redacted): Effect.Effect<CodeState, ServiceUnavailable>
    /** A second use with the right verifier ends the grant. No other failure changes anything. */
    exchangeCode(exchange: CodeExchange): Effect.Effect<Tokens, InvalidGrant | InvalidTarget | ServiceUnavailable>
    /**
     * Issues the next pair of tokens. The same request gets the same pair again within 60 seconds, unless the new pair has
     * been refreshed. A later repeat ends the grant with all its tokens. No other failure changes anything.
     */
    refresh(
      refresh: Refresh
    ): Effect.Effect<Tokens, InvalidGrant | InvalidTarget | TooManyRequests | ServiceUnavailable>
    /** Ends the grant of an access or refresh token if it belongs to this client. Any other text is ignored. */
    revokeToken(clientId: string, token: Redacted.Redacted): Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/oauth/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const serverKey = yield* ServerKey
      const { connectionMaxDays, mcpUrl } = yield* AppConfig
      const services = yield* Effect.context<GrantTokens.Needs>()
      const tokens = GrantTokens.make(sql, serverKey, mcpUrl)

      /**
       * Runs a decision in one transaction that commits even if the decision is an error, because a revocation must
       * persist (R38).
       */
      const decide = <A, E>(decision: Effect.Effect<Result.Result<A, E>, SqlError.SqlError, GrantTokens.Needs>) =>
        Effect.flatMap(sql.withTransaction(decision), Effect.fromResult).pipe(Effect.provide(services), availableOnce)

      const approve = Effect.fn("Grants.approve")(function* (approval: Approval) {
        const { accountId, answers, client } = approval
        const code =
          answers === undefined
            ? Redacted.make(yield* Secrets.random("authorization_code").pipe(Effect.provide(services)))
            : codeOf(answers)
        const insert = Effect.gen(function* () {
          const millis = yield* DatabaseClock.currentTimeMillis
          const now = new Date(millis)
          // Locks the account first, so that only one transaction at a time counts its connections.
          const open = yield* sql`SELECT FROM account WHERE id = ${accountId} AND closed_at IS NULL FOR NO KEY UPDATE`
          if (open.length === 0) return yield* new UnknownClient({ message: "The account has been closed." })
          if (answers !== undefined && !(yield* ConsentRequests.allow(answers))) return yield* new AlreadyDecided()
          const count = yield* sql`
              SELECT count(*)::integer AS count FROM oauth_grant
              WHERE account_id = ${accountId} AND usable_until > ${now}`.pipe(countOf)
          if (count >= maxConnections) return yield* new TooManyConnections({ most: maxConnections })
          if (client.source === "registered") {
            // Always written, so that a concurrent deletion of unused clients sees that this client is in use.
            const known = yield* sql`
              UPDATE oauth_client
              SET granted_at = greatest(granted_at, ${now}), address_hash = NULL, site_hash = NULL
              WHERE id = ${client.id} RETURNING id`
            if (known.length === 0) return yield* new UnknownClient({ message: "The app is no longer registered." })
          }
          const expiresAt = new Date(millis + Grant.codeSeconds * 1000)
          yield* sql`
            WITH granted AS (
              INSERT INTO oauth_grant (account_id, client_id, client_name, publisher, resource, approved_at, usable_until,
                ends_at)
              VALUES (${accountId}, ${client.id}, ${client.name}, ${client.publisher ?? null}, ${approval.resource}, ${now},
                ${expiresAt}, ${new Date(millis + connectionMaxDays * dayMillis)})
              RETURNING id
            )
            INSERT INTO oauth_code (hash, grant_id, redirect_uri, challenge, expires_at)
            SELECT ${Secrets.hashOf(code)}::bytea, id, ${approval.redirectUri}, ${approval.challenge}, ${expiresAt}
            FROM granted`
        })
        yield* insert.pipe(sql.withTransaction, Effect.provide(services), availableOnce)
        return { code }
      })

      const codeState = Effect.fn("Grants.codeState")(function* (code: Redacted.Redacted) {
        const row = yield* Effect.gen(function* () {
          const now = new Date(yield* DatabaseClock.currentTimeMillis)
          return yield* sql`
            SELECT CASE WHEN used_at IS NOT NULL THEN 'used' WHEN expires_at > ${now} THEN 'unused' ELSE 'over' END AS state
            FROM oauth_code WHERE hash = ${Secrets.hashOf(code)}`.pipe(decodeState)
        }).pipe(Effect.provide(services), availableToRead)
        return row?.state ?? "over"
      })

      const exchangeCode = Effect.fn("Grants.exchangeCode")(function* (attempt: CodeExchange) {
        const isFormed = Credential.is("authorization_code", Redacted.value(attempt.code))
        if (!isFormed || !Pkce.isVerifier(Redacted.value(attempt.verifier))) {
          return yield* Grant.invalidCode("malformed")
        }
        return yield* decide(tokens.exchange(attempt))
      })

      const refresh = Effect.fn("Grants.refresh")(function* (attempt: Refresh) {
        if (!Credential.is("refresh_token", Redacted.value(attempt.refreshToken))) {
          return yield* Grant.invalidRefreshToken("malformed")
        }
        const key = yield* availableOnce(serverKey.current)
        return yield* decide(tokens.advance(attempt, key))
      })

      const revokeToken = Effect.fn("Grants.revokeToken")(function* (clientId: string, secret: Redacted.Redacted) {
        const token = Redacted.value(secret)
        const table = Credential.is("access_token", token)
          ? sql`oauth_access_token`
          : Credential.is("refresh_token", token)
            ? sql`oauth_refresh_token`
            : undefined
        if (table === undefined) return
        const end = Effect.gen(function* () {
          const hash = Secrets.sha256(token)
          const now = new Date(yield* Clock.currentTimeMillis)
          const isItsOwn = sql`
            g.id = (SELECT t.grant_id FROM ${table} t WHERE t.hash = ${hash}) AND g.client_id = ${clientId}`
          yield* GrantRows.end(isItsOwn, "client", now)
        })
        yield* end.pipe(Effect.provide(services), availableOnce)
      })

      return Grants.of({ approve, codeState, exchangeCode, refresh, revokeToken })
    })
  )
}
