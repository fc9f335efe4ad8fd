/** From the secret in the `Authorization` header to the caller: one batched, indexed read, never cached. */
import { Context, Schema } from "effect"
import type { Effect, Redacted } from "effect"
import type { Caller } from "../../domain/access/Account.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"

/** Unknown, revoked, expired and malformed alike: the answer does not tell which (protocol.md 30). */
export class CredentialRejected extends Schema.TaggedError<CredentialRejected>()("CredentialRejected", {}) {}

export class CredentialResolver extends Context.Service<
  CredentialResolver,
  {
    /** `secret` is the bearer credential as it was sent, of any length and content. */
    resolve(secret: Redacted.Redacted): Effect.Effect<Caller, CredentialRejected | ServiceUnavailable>
  }
>()("discovery/access/CredentialResolver") {}
