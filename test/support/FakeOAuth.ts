/**
 * Fake OAuth services: {@link unused} for tests without sign-in, {@link documents} for apps with a client metadata
 * document.
 */
import { Effect, Layer } from "effect"
import type { OAuthClient } from "../../src/domain/oauth/Client.ts"
import {
  ClientMetadata,
  ClientMetadataRejected,
  ClientMetadataUnavailable
} from "../../src/services/oauth/ClientMetadata.ts"
import { Clients } from "../../src/services/oauth/Clients.ts"
import { ConnectedApps } from "../../src/services/oauth/ConnectedApps.ts"
import { ConsentRequests } from "../../src/services/oauth/ConsentRequests.ts"
import { EndpointRate } from "../../src/services/limits/EndpointRate.ts"
import { Grants } from "../../src/services/oauth/Grants.ts"
import * as FakeRates from "./FakeRates.ts"

/** Every use is a defect. */
export const unused = Layer.mergeAll(
  Layer.mock(Clients, {}),
  Layer.mock(Grants, {}),
  Layer.mock(ConnectedApps, {}),
  Layer.mock(ConsentRequests, {}),
  EndpointRate.layerNoDeps.pipe(Layer.provide(FakeRates.layer))
)

export const documentId = "https://app.example/oauth/client.json"
/** The id of an app whose document cannot be fetched. */
export const unreachableId = "https://down.example/oauth/client.json"

/** The content of the document of an app. */
export const documentClient = (id: string): OAuthClient => ({
  id,
  name: "An app with a document",
  source: "document",
  publisher: new URL(id).host,
  redirectUris: ["https://app.example/callback", "http://127.0.0.1/callback"],
  authMethod: "none"
})

/** Every URL at app.example has a document. */
export const documents = Layer.succeed(ClientMetadata, {
  fetch: (id) => {
    const host = URL.parse(id)?.host
    if (host === "down.example") {
      return Effect.fail(new ClientMetadataUnavailable({ retryAfterSeconds: 5 }))
    }
    return host === "app.example"
      ? Effect.succeed(documentClient(id))
      : Effect.fail(new ClientMetadataRejected({ reason: { code: "status", status: "404" } }))
  }
})
