/** The apps that may ask for access: registered ones, and those that are known by a document (oauth.md 33, 34, 42 to 47). */
import { Context, Schema } from "effect"
import type { Effect, Redacted } from "effect"
import type { OAuthClient } from "../../domain/oauth/Client.ts"
import type { InvalidClient, InvalidRequest } from "../../domain/oauth/OAuthError.ts"
import type { Registration } from "../../domain/oauth/Registration.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import type { ClientMetadataUnavailable } from "./ClientMetadata.ts"

/** No client has this id, or no longer: a person removes the connection in the app and adds it again (oauth.md 46). */
export class UnknownClient extends Schema.TaggedError<UnknownClient>()("UnknownClient", { message: Schema.String }) {}

export interface RegisteredClient {
  readonly client: OAuthClient
  /** Shown this once; `undefined` for a client that cannot keep one. */
  readonly secret: Redacted.Redacted | undefined
  /** Milliseconds since 1970. */
  readonly registeredAt: number
}

/** How a client says who it is at `/token` and `/revoke`. Empty parameters are absent ones. */
export interface ClientCredentials {
  /** As sent in the header; a blank or missing secret is `undefined`. */
  readonly basic: { readonly id: string; readonly secret: Redacted.Redacted | undefined } | undefined
  readonly id: string | undefined
  readonly secret: Redacted.Redacted | undefined
}

export class Clients extends Context.Service<
  Clients,
  {
    register(registration: Registration): Effect.Effect<RegisteredClient, ServiceUnavailable>
    /** The client with this id. Ids that begin with `https://` are addresses of documents, which are fetched. */
    find(clientId: string): Effect.Effect<OAuthClient, UnknownClient | ClientMetadataUnavailable | ServiceUnavailable>
    /**
     * The id of the client that sent a request to `/token` or `/revoke`. A client with a secret has proved that it is this
     * client; of one without, nothing is proved but by its code and tokens, which are its own.
     */
    authenticate(
      credentials: ClientCredentials
    ): Effect.Effect<string, InvalidClient | InvalidRequest | ServiceUnavailable>
  }
>()("discovery/oauth/Clients") {}
