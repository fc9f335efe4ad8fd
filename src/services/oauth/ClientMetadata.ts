/** Clients that are known by a document at the address that is their id (oauth.md 47 to 51). */
import { Context, Effect, Layer, Schema } from "effect"
import type { OAuthClient } from "../../domain/oauth/Client.ts"

/** Trying again does not help: the id is no allowed address, or what its server answers is no document for this client. */
export class ClientMetadataRejected extends Schema.TaggedError<ClientMetadataRejected>()("ClientMetadataRejected", {
  message: Schema.String
}) {}

/** The document could not be fetched now. An app must not be told that it is unknown for that. */
export class ClientMetadataUnavailable extends Schema.TaggedError<ClientMetadataUnavailable>()(
  "ClientMetadataUnavailable",
  { message: Schema.String, retryAfterSeconds: Schema.Int }
) {}

export class ClientMetadata extends Context.Service<
  ClientMetadata,
  {
    /** The client whose id is this address. */
    fetch(clientId: string): Effect.Effect<OAuthClient, ClientMetadataRejected | ClientMetadataUnavailable>
  }
>()("discovery/oauth/ClientMetadata") {
  static readonly layer = Layer.succeed(ClientMetadata, {
    fetch: () => Effect.fail(new ClientMetadataRejected({ message: "Documents are not read yet." }))
  })
}
