/** OAuth grants of accounts to apps, with their codes and tokens (R21, R35 to R41). */
import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId } from "../../domain/access/Account.ts"
import { dayMillis } from "../../domain/Days.ts"
import * as Credential from "../../domain/access/Credential.ts"
import type { OAuthClient } from "../../domain/oauth/Client.ts"
import * as Grant from "../../domain/oauth/Grant.ts"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import type { InvalidGrant, InvalidScope, InvalidTarget } from "../../domain/oauth/OAuthError.ts"
import * as Pkce from "../../domain/oauth/Pkce.ts"
import { scope } from "../../domain/oauth/Scope.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { firstOf, rowOf } from "../database/Rows.ts"
import { availableOnce } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { UnknownClient } from "./Clients.ts"
import * as GrantRows from "./GrantRows.ts"
import * as Secrets from "../access/Secrets.ts"
import { ServerKey } from "./ServerKey.ts"
import type { Key } from "./ServerKey.ts"

/** Limit of connected apps for one account. */
export const maxConnections = 200
/** Limit for one connection; further refreshes are refused. An app needs one or two an hour, and only one that loses its tokens more. */
export const maxRefreshesAnHour = 120
const hourMillis = 3_600_000

/** The account has the maximum number of connected apps. The user must revoke one first. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  message: Schema.String
}) {}

export interface Approval {
  readonly accountId: AccountId
  readonly client: OAuthClient
  /** As requested, and already compared with the registered ones. */
  readonly redirectUri: string
  /** `S256`. */
  readonly challenge: string
  /** In canonical form. */
  readonly resource: string
}

/** The token response of `/token`. */
export interface Tokens {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted
  /** Lifetime of the access token. */
  readonly expiresInSeconds: number
  readonly scope: string
  /** Whether they were issued before, to the same request. */
  readonly isRepeat: boolean
}

export interface CodeExchange {
  /** Authenticated. */
  readonly clientId: string
  readonly code: Redacted.Redacted
  readonly verifier: Redacted.Redacted
  /** May be absent; otherwise it must equal that of the authorization request. */
  readonly redirectUri: string | undefined
  readonly resources: ReadonlyArray<string>
}

export interface Refresh {
  /** Authenticated. */
  readonly clientId: string
  readonly refreshToken: Redacted.Redacted
  readonly resources: ReadonlyArray<string>
  readonly scope: string | undefined
}

type Needs = SecureRandom.SecureRandom | SqlClient.SqlClient

/**
 * Codes and refresh tokens live by the database's clock: a server whose own clock is wrong would take the repeat of a refresh
 * that another server answered for the use of a stolen token.
 */
const { currentTimeMillis } = DatabaseClock

const decodeCount = rowOf(Schema.Struct({ count: Schema.Int }))
const decodeRecent = rowOf(Schema.Struct({ count: Schema.Int, oldest: Schema.NullOr(Schema.Date) }))
const decodeExpiry = firstOf(Schema.Struct({ expiresAt: Schema.Date }))

export class Grants extends Context.Service<
  Grants,
  {
    /**
     * Stores the user's consent and returns a code that the client can exchange once, within 60 seconds. The caller checks
     * the account's plan.
     */
    approve(
      approval: Approval
    ): Effect.Effect<{ readonly code: Redacted.Redacted }, UnknownClient | TooManyConnections | ServiceUnavailable>
    /** A second use with the right verifier ends the grant. No other failure changes anything. */
    exchangeCode(exchange: CodeExchange): Effect.Effect<Tokens, InvalidGrant | InvalidTarget | ServiceUnavailable>
    /**
     * Issues the next pair of tokens. The same request gets the same pair again within 60 seconds, unless the new pair has
     * been refreshed. A later repeat ends the grant with all its tokens. No other failure changes anything.
     */
    refresh(
      refresh: Refresh
    ): Effect.Effect<Tokens, InvalidGrant | InvalidScope | InvalidTarget | TooManyRequests | ServiceUnavailable>
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
      const services = yield* Effect.context<Needs>()

      /**
       * Runs a decision in one transaction that commits even if the decision is an error, because a revocation must
       * persist (R38).
       */
      const decide = <A, E>(decision: Effect.Effect<Result.Result<A, E>, SqlError.SqlError, Needs>) =>
        Effect.flatMap(sql.withTransaction(decision), Effect.fromResult).pipe(Effect.provide(services), availableOnce)

      const issue = Effect.fnUntraced(function* (
        grant: GrantRows.LockedGrant,
        tokens: { readonly access: string; readonly refresh: string },
        now: number
      ) {
        const endsAt = grant.endsAt.getTime()
        const accessUntil = Math.min(now + Grant.accessTokenSeconds * 1000, endsAt)
        const refreshUntil = Math.min(now + Grant.refreshTokenSeconds * 1000, endsAt)
        yield* GrantRows.insertTokens(
          grant,
          { hash: Secrets.sha256(tokens.access), expiresAt: new Date(accessUntil) },
          {
            hash: Secrets.sha256(tokens.refresh),
            issuedAt: new Date(now),
            expiresAt: new Date(refreshUntil)
          }
        )
        return toTokens(tokens, accessUntil, now, false)
      })

      /** The successors of a refresh token, derived deterministically from the key. */
      const successors = Effect.fnUntraced(function* (key: Key, refreshToken: string) {
        const derive = (kind: "access_token" | "refresh_token") =>
          Effect.map(serverKey.derive(key, kind, refreshToken), (bytes) =>
            Credential.make(kind, bytes.subarray(0, Credential.entropyBytes))
          )
        return { access: yield* derive("access_token"), refresh: yield* derive("refresh_token") }
      })

      const approve = Effect.fn("Grants.approve")(function* (approval: Approval) {
        const code = yield* Secrets.random("authorization_code").pipe(Effect.provide(services))
        const insert = Effect.gen(function* () {
          const { accountId, client } = approval
          const millis = yield* currentTimeMillis
          const now = new Date(millis)
          // Locks the account first, so that only one transaction at a time counts its connections.
          const open = yield* sql`SELECT FROM account WHERE id = ${accountId} AND closed_at IS NULL FOR NO KEY UPDATE`
          if (open.length === 0) return yield* new UnknownClient({ message: "The account has been closed." })
          const { count } = yield* sql`
              SELECT count(*)::integer AS count FROM oauth_grant
              WHERE account_id = ${accountId} AND usable_until > ${now}`.pipe(decodeCount)
          if (count >= maxConnections) return yield* tooManyConnections()
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
            SELECT ${Secrets.sha256(code)}::bytea, id, ${approval.redirectUri}, ${approval.challenge}, ${expiresAt}
            FROM granted`
        })
        yield* insert.pipe(sql.withTransaction, Effect.provide(services), availableOnce)
        return { code: Redacted.make(code) }
      })

      const exchange = Effect.fnUntraced(function* (
        attempt: CodeExchange
      ): Effect.fn.Return<Result.Result<Tokens, InvalidGrant | InvalidTarget>, SqlError.SqlError, Needs> {
        const hash = Secrets.hashOf(attempt.code)
        const challenge = Pkce.challengeOf(Secrets.hashOf(attempt.verifier))
        const found = Option.getOrUndefined(yield* GrantRows.lockCode(hash))
        if (found === undefined) return Result.fail(Grant.invalidCode("unknown_or_ended"))
        const { code, grant } = found
        const now = yield* currentTimeMillis
        const verdict = Grant.judgeCode(code, { ...attempt, challenge }, now, mcpUrl)
        switch (verdict._tag) {
          case "Refused":
            return Result.fail(verdict.error)
          case "Replayed":
            yield* GrantRows.end(sql`g.id = ${grant.id}`, "code_replayed", new Date(now))
            yield* warnOfReplay("code", grant)
            return Result.fail(Grant.invalidCode("reused"))
          case "Accepted": {
            yield* sql`UPDATE oauth_code SET used_at = ${new Date(now)} WHERE hash = ${hash}`
            const access = yield* Secrets.random("access_token")
            const refresh = yield* Secrets.random("refresh_token")
            return Result.succeed(yield* issue(grant, { access, refresh }, now))
          }
        }
      })

      const exchangeCode = Effect.fn("Grants.exchangeCode")(function* (attempt: CodeExchange) {
        const isFormed = Credential.is("authorization_code", Redacted.value(attempt.code))
        if (!isFormed || !Pkce.isVerifier(Redacted.value(attempt.verifier))) {
          return yield* Grant.invalidCode("malformed")
        }
        return yield* decide(exchange(attempt))
      })

      const rotate = Effect.fnUntraced(function* (
        {
          grant,
          hash,
          token
        }: { readonly grant: GrantRows.LockedGrant; readonly hash: Uint8Array; readonly token: string },
        key: Key,
        now: number
      ): Effect.fn.Return<Result.Result<Tokens, TooManyRequests>, SqlError.SqlError, Needs> {
        const { count, oldest } = yield* sql`
            SELECT count(*)::integer AS count, min(issued_at) AS oldest FROM oauth_refresh_token
            WHERE grant_id = ${grant.id} AND issued_at > ${new Date(now - hourMillis)}`.pipe(decodeRecent)
        if (count >= maxRefreshesAnHour) return Result.fail(tooManyRefreshes(oldest?.getTime() ?? now, now))
        const next = yield* successors(key, token)
        const tokens = yield* issue(grant, next, now)
        yield* sql`
          UPDATE oauth_refresh_token
          SET superseded_at = ${new Date(now)}, successor = ${Secrets.sha256(next.refresh)}, key_id = ${key.id}
          WHERE hash = ${hash}`
        return Result.succeed(tokens)
      })

      const repeat = Effect.fnUntraced(function* (token: string, keyId: number | undefined, now: number) {
        const key = keyId === undefined ? Option.none<Key>() : yield* serverKey.byId(keyId)
        // Impossible: a foreign key refers from the successor to its key.
        if (Option.isNone(key)) return yield* Effect.die(new Error("A refresh token was superseded without a key"))
        const next = yield* successors(key.value, token)
        const hash = Secrets.sha256(next.access)
        const row = yield* decodeExpiry(
          sql`SELECT expires_at AS "expiresAt" FROM oauth_access_token WHERE hash = ${hash}`
        )
        // The access token is missing only if the clock of a server is days ahead. The client then refreshes once more.
        return Result.succeed(toTokens(next, row?.expiresAt.getTime() ?? now, now, true))
      })

      const advance = Effect.fnUntraced(function* (
        attempt: Refresh,
        key: Key
      ): Effect.fn.Return<
        Result.Result<Tokens, InvalidGrant | InvalidScope | InvalidTarget | TooManyRequests>,
        SqlError.SqlError,
        Needs
      > {
        const token = Redacted.value(attempt.refreshToken)
        const hash = Secrets.sha256(token)
        const found = Option.getOrUndefined(yield* GrantRows.lockRefreshToken(hash))
        if (found === undefined) return Result.fail(Grant.invalidRefreshToken("unknown_or_ended"))
        const { grant, keyId } = found
        const now = yield* currentTimeMillis
        const verdict = Grant.judgeRefresh(found.token, attempt, now, mcpUrl)
        switch (verdict._tag) {
          case "Refused":
            return Result.fail(verdict.error)
          case "Reused":
            yield* GrantRows.end(sql`g.id = ${grant.id}`, "token_reused", new Date(now))
            yield* warnOfReplay("refresh token", grant)
            return Result.fail(Grant.invalidRefreshToken("reused"))
          case "Repeated":
            return yield* repeat(token, keyId, now)
          case "Rotated":
            return yield* rotate({ grant, hash, token }, key, now)
        }
      })

      const refresh = Effect.fn("Grants.refresh")(function* (attempt: Refresh) {
        if (!Credential.is("refresh_token", Redacted.value(attempt.refreshToken))) {
          return yield* Grant.invalidRefreshToken("malformed")
        }
        const key = yield* availableOnce(serverKey.current)
        return yield* decide(advance(attempt, key))
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

      return Grants.of({ approve, exchangeCode, refresh, revokeToken })
    })
  )
}

const toTokens = (
  tokens: { readonly access: string; readonly refresh: string },
  accessUntil: number,
  now: number,
  isRepeat: boolean
): Tokens => ({
  accessToken: Redacted.make(tokens.access),
  refreshToken: Redacted.make(tokens.refresh),
  expiresInSeconds: Math.max(0, Math.floor((accessUntil - now) / 1000)),
  scope,
  isRepeat
})

/**
 * Logs a possible theft, or an app that stores its tokens badly. In both cases the user will ask why the app must connect
 * again.
 */
const warnOfReplay = (what: string, { accountId, clientId, id }: GrantRows.LockedGrant) =>
  Effect.logWarning(`A ${what} was used again; the app's connection was ended`).pipe(
    Effect.annotateLogs({ account_id: accountId, grant_id: id, client_id: clientId })
  )

const tooManyConnections = () =>
  new TooManyConnections({
    message: `The account has ${maxConnections} connected apps, which is the maximum. Revoke one of them first.`
  })

const tooManyRefreshes = (oldest: number, now: number) =>
  new TooManyRequests({
    message: `This connection was refreshed ${maxRefreshesAnHour} times within an hour, which is the maximum. Use each access token until it expires.`,
    retryAfterSeconds: Math.max(1, Math.ceil((oldest + hourMillis - now) / 1000))
  })
