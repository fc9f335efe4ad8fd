/** The OAuth services over a test database, a registered app, and its first tokens. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Redacted, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { AppConfig } from "../../src/Config.ts"
import { AccountId } from "../../src/domain/access/Account.ts"
import type { OAuthClient } from "../../src/domain/oauth/Client.ts"
import { Clients } from "../../src/services/oauth/Clients.ts"
import { ConnectedApps } from "../../src/services/oauth/ConnectedApps.ts"
import { EndpointRate } from "../../src/services/limits/EndpointRate.ts"
import * as GrantRetention from "../../src/services/retention/GrantRetention.ts"
import { Grants } from "../../src/services/oauth/Grants.ts"
import type { CodeExchange, Refresh, Tokens } from "../../src/services/oauth/GrantTokens.ts"
import { ServerKey } from "../../src/services/oauth/ServerKey.ts"
import * as FakeOAuth from "./FakeOAuth.ts"

export const baseUrl = "https://discovery.test"
export const mcpUrl = `${baseUrl}/mcp`
export const redirectUri = "http://localhost:8787/callback"

const config = AppConfig.layerOf({ baseUrl, mcpUrl })

/** Needs only a database. Apps at app.example have a document. */
export const layer = Layer.mergeAll(
  Clients.layer.pipe(Layer.provide(FakeOAuth.documents)),
  Grants.layer,
  ConnectedApps.layer,
  EndpointRate.layer,
  GrantRetention.layer
).pipe(Layer.provideMerge(ServerKey.layer), Layer.provide([config, NodeCrypto.layer]))

export const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url")

/** A verifier and its challenge. */
export const proof = () => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: sha256(verifier) }
}

export const accountId = Schema.decodeSync(AccountId)

/** A public client whose redirect URI is {@link redirectUri}. */
export const registered = Effect.fnUntraced(function* (name = "A test's app") {
  const clients = yield* Clients
  const { client } = yield* clients.register({ name, redirectUris: [redirectUri], authMethod: "none" }, "203.0.113.1")
  return client
})

/** A client that authenticates with a secret. */
export const registeredWithSecret = Effect.gen(function* () {
  const clients = yield* Clients
  const { client, secret } = yield* clients.register(
    { name: "A test's service", redirectUris: [redirectUri], authMethod: "client_secret_basic" },
    "203.0.113.1"
  )
  return { client, secret: secret === undefined ? "none" : Redacted.value(secret) }
})

/** Consent of the user: a code with everything that {@link exchangeOf} needs. */
export const approved = Effect.fnUntraced(function* (account: number, client: OAuthClient) {
  const grants = yield* Grants
  const { challenge, verifier } = proof()
  const { code } = yield* grants.approve({
    accountId: accountId(account),
    client,
    redirectUri,
    challenge,
    resource: mcpUrl
  })
  return { client, code: Redacted.value(code), verifier }
})

export type Approved = Effect.Success<ReturnType<typeof approved>>

export const exchangeOf = (
  { client, code, verifier }: Approved,
  options: Partial<CodeExchange> = {}
): CodeExchange => ({
  clientId: client.id,
  code: Redacted.make(code),
  verifier: Redacted.make(verifier),
  redirectUri,
  resources: [],
  ...options
})

export const refreshOf = (client: OAuthClient, token: Redacted.Redacted, options: Partial<Refresh> = {}): Refresh => ({
  clientId: client.id,
  refreshToken: token,
  resources: [],
  ...options
})

/** A connected app with its first tokens. */
export const connected = Effect.fnUntraced(function* (account: number, of?: OAuthClient) {
  const client = of ?? (yield* registered())
  const approval = yield* approved(account, client)
  const grants = yield* Grants
  const tokens: Tokens = yield* grants.exchangeCode(exchangeOf(approval))
  return { client, approval, tokens }
})
