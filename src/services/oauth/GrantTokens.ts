/** What the code of a grant, and its refresh tokens, are exchanged for (R35 to R41), within a transaction of Grants. */
import { Effect, Option, Redacted, Result, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient, SqlError } from "effect/sql"
import * as Credential from "../../domain/access/Credential.ts"
import * as Grant from "../../domain/oauth/Grant.ts"
import { TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import type { InvalidGrant, InvalidTarget } from "../../domain/oauth/OAuthError.ts"
import * as Pkce from "../../domain/oauth/Pkce.ts"
import { scope } from "../../domain/oauth/Scope.ts"
import { firstOf, rowOf } from "../database/Rows.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import * as GrantRows from "./GrantRows.ts"
import * as Secrets from "../Secrets.ts"
import type { Key, ServerKey } from "./ServerKey.ts"

/** Limit for one connection; further refreshes are refused. An app needs one or two an hour, and only one that loses its tokens more. */
export const maxRefreshesAnHour = 120
const hourMillis = 3_600_000

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

export interface CodeExchange extends Omit<Grant.CodeAttempt, "challenge"> {
  readonly code: Redacted.Redacted
  readonly verifier: Redacted.Redacted
}

export interface Refresh extends Grant.RefreshAttempt {
  readonly refreshToken: Redacted.Redacted
}

export type Needs = SecureRandom.SecureRandom | SqlClient.SqlClient

/**
 * Codes and refresh tokens live by the database's clock: a server whose own clock is wrong would take the repeat of a refresh
 * that another server answered for the use of a stolen token.
 */
const { currentTimeMillis } = DatabaseClock

const decodeRecent = rowOf(Schema.Struct({ count: Schema.Int, oldest: Schema.NullOr(Schema.Date) }))
const decodeExpiry = firstOf(Schema.Struct({ expiresAt: Schema.Date }))

export const make = (sql: SqlClient.SqlClient, serverKey: ServerKey["Service"], mcpUrl: string) => {
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

  const exchange = Effect.fnUntraced(function* (
    attempt: CodeExchange
  ): Effect.fn.Return<Result.Result<Tokens, InvalidGrant | InvalidTarget>, SqlError.SqlError, Needs> {
    const hash = Secrets.hashOf(attempt.code)
    const challenge = Pkce.challengeOf(Secrets.hashOf(attempt.verifier))
    const locked = yield* GrantRows.lockCode(hash)
    if (locked === undefined) return Result.fail(Grant.invalidCode("unknown_or_ended"))
    const { code, grant } = locked
    const now = yield* currentTimeMillis
    const verdict = Grant.judgeCode(code, { ...attempt, challenge }, now, mcpUrl)
    if (Result.isFailure(verdict)) return Result.fail(verdict.failure)
    switch (verdict.success) {
      case "replayed":
        yield* GrantRows.end(sql`g.id = ${grant.id}`, "code_replayed", new Date(now))
        yield* warnOfReplay("code", grant)
        return Result.fail(Grant.invalidCode("reused"))
      case "accepted": {
        yield* sql`UPDATE oauth_code SET used_at = ${new Date(now)} WHERE hash = ${hash}`
        const access = yield* Secrets.random("access_token")
        const refresh = yield* Secrets.random("refresh_token")
        return Result.succeed(yield* issue(grant, { access, refresh }, now))
      }
    }
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
    const row = yield* decodeExpiry(sql`SELECT expires_at AS "expiresAt" FROM oauth_access_token WHERE hash = ${hash}`)
    // The access token is missing only if the clock of a server is days ahead. The client then refreshes once more.
    return Result.succeed(toTokens(next, row?.expiresAt.getTime() ?? now, now, true))
  })

  const advance = Effect.fnUntraced(function* (
    attempt: Refresh,
    key: Key
  ): Effect.fn.Return<Result.Result<Tokens, InvalidGrant | InvalidTarget | TooManyRequests>, SqlError.SqlError, Needs> {
    const token = Redacted.value(attempt.refreshToken)
    const hash = Secrets.sha256(token)
    const locked = yield* GrantRows.lockRefreshToken(hash)
    if (locked === undefined) return Result.fail(Grant.invalidRefreshToken("unknown_or_ended"))
    const { grant, keyId } = locked
    const now = yield* currentTimeMillis
    const verdict = Grant.judgeRefresh(locked.token, attempt, now, mcpUrl)
    if (Result.isFailure(verdict)) return Result.fail(verdict.failure)
    switch (verdict.success) {
      case "reused":
        yield* GrantRows.end(sql`g.id = ${grant.id}`, "token_reused", new Date(now))
        yield* warnOfReplay("refresh token", grant)
        return Result.fail(Grant.invalidRefreshToken("reused"))
      case "repeated":
        return yield* repeat(token, keyId, now)
      case "rotated":
        return yield* rotate({ grant, hash, token }, key, now)
    }
  })

  return { exchange, advance }
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

const tooManyRefreshes = (oldest: number, now: number) =>
  new TooManyRequests({
    message: `This connection was refreshed ${maxRefreshesAnHour} times within an hour, which is the maximum. Use each access token until it expires.`,
    retryAfterSeconds: Math.max(1, Math.ceil((oldest + hourMillis - now) / 1000))
  })
