/** What accounts have granted to apps, and the codes and tokens that come of it (oauth.md 21, 35 to 41). */
import { Context, Schema } from "effect"
import type { Effect, Redacted } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"
import type { OAuthClient } from "../../domain/oauth/Client.ts"
import type { InvalidGrant, InvalidScope, InvalidTarget, TooManyRequests } from "../../domain/oauth/OAuthError.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { UnknownClient } from "./Clients.ts"

/** The account has as many connected apps as it may have; it revokes one first. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  message: Schema.String
}) {}

export interface Approval {
  readonly accountId: AccountId
  readonly client: OAuthClient
  /** As requested, already held against the client's registered ones. */
  readonly redirectUri: string
  /** `S256`. */
  readonly challenge: string
  /** In canonical form. */
  readonly resource: string
}

/** What `/token` answers. */
export interface Tokens {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted
  /** Of the access token. */
  readonly expiresInSeconds: number
  readonly scope: string
}

export interface CodeExchange {
  /** Authenticated. */
  readonly clientId: string
  readonly code: Redacted.Redacted
  readonly verifier: Redacted.Redacted
  /** May be absent; when it is there, it must be that of the authorization request. */
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

export class Grants extends Context.Service<
  Grants,
  {
    /**
     * The user has said yes: a code that its client can exchange once, within 60 seconds. Whether the account's plan allows
     * it is for the caller to look at.
     */
    approve(
      approval: Approval
    ): Effect.Effect<{ readonly code: Redacted.Redacted }, UnknownClient | TooManyConnections | ServiceUnavailable>
    /** A second use ends what the first gave. Nothing else that fails uses the code up. */
    exchangeCode(exchange: CodeExchange): Effect.Effect<Tokens, InvalidGrant | InvalidTarget | ServiceUnavailable>
    /**
     * The next pair of tokens. The same request within 60 seconds gets the same pair again, as long as that has not been
     * refreshed itself; later, it ends the grant with all its tokens. Nothing else that fails changes anything.
     */
    refresh(
      refresh: Refresh
    ): Effect.Effect<Tokens, InvalidGrant | InvalidScope | InvalidTarget | TooManyRequests | ServiceUnavailable>
    /** Ends the grant that an access or refresh token belongs to, if it is this client's; any other text is nothing. */
    revokeToken(clientId: string, token: Redacted.Redacted): Effect.Effect<void, ServiceUnavailable>
  }
>()("discovery/oauth/Grants") {}
