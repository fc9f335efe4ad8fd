/** Apps that use published OAuth clients. Each gets only the URL of the endpoint. */
import * as V2 from "@modelcontextprotocol/client"
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js"
import type { OAuthClientProvider as ProviderV1 } from "@modelcontextprotocol/sdk/client/auth.js"
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as oauth from "oauth4webapi"
import * as Messages from "./Messages.ts"
import type { CallResult } from "./RealClients.ts"

export interface App {
  /** Discovers the server, registers, and returns the URL that the user has to open. */
  begin(mcpUrl: string): Promise<URL>
  /** Takes the URL that the browser was redirected to. */
  finish(callback: URL): Promise<void>
  /** Refreshes when necessary; `undefined` if the user has to sign in again. */
  call(name: string, args: Record<string, unknown>): Promise<CallResult | undefined>
  /** The token that the next call would send. */
  accessToken(): string | undefined
  clientId(): string | undefined
}

export interface Identity {
  readonly name: string
  readonly redirectUri: string
  /** The URL of the client metadata document; apps without one register. */
  readonly document?: string | undefined
}

type Make = (identity: Identity) => App

/** What both versions of the SDK need from an app: storage, and opening a page. */
class Provider implements ProviderV1, V2.OAuthClientProvider {
  readonly identity: Identity
  readonly clientMetadataUrl?: string
  page: URL | undefined
  kept: {
    client?: V2.StoredOAuthClientInformation
    tokens?: V2.StoredOAuthTokens
    verifier?: string
    discovery?: V2.OAuthDiscoveryState
  } = {}
  readonly sentState = crypto.randomUUID()

  constructor(identity: Identity) {
    this.identity = identity
    if (identity.document !== undefined) this.clientMetadataUrl = identity.document
  }

  get redirectUrl() {
    return this.identity.redirectUri
  }
  get clientMetadata() {
    return {
      client_name: this.identity.name,
      redirect_uris: [this.identity.redirectUri],
      token_endpoint_auth_method: "none"
    }
  }
  state() {
    return this.sentState
  }
  clientInformation() {
    return this.kept.client
  }
  saveClientInformation(client: V2.StoredOAuthClientInformation) {
    this.kept.client = client
  }
  tokens() {
    return this.kept.tokens
  }
  saveTokens(tokens: V2.StoredOAuthTokens) {
    this.kept.tokens = tokens
  }
  redirectToAuthorization(page: URL) {
    this.page = page
  }
  saveCodeVerifier(verifier: string) {
    this.kept.verifier = verifier
  }
  codeVerifier() {
    return this.kept.verifier ?? ""
  }
  saveDiscoveryState(discovery: V2.OAuthDiscoveryState) {
    this.kept.discovery = discovery
  }
  discoveryState() {
    return this.kept.discovery
  }
  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery") {
    if (scope === "all" || scope === "client") delete this.kept.client
    if (scope === "all" || scope === "tokens") delete this.kept.tokens
  }
  /** SDKs leave the comparison of `state` to the app. */
  checked(callback: URL): URLSearchParams {
    if (callback.searchParams.get("state") !== this.sentState) throw new Error("another state")
    return callback.searchParams
  }
}

/** How the two versions differ. */
interface Sdk {
  readonly connect: (url: URL, provider: Provider) => Promise<{ readonly call: Call }>
  readonly finish: (url: URL, provider: Provider, callback: URLSearchParams) => Promise<void>
  readonly isUnauthorized: (error: unknown) => boolean
}

type Call = (name: string, args: Record<string, unknown>) => Promise<unknown>

const onSdk =
  ({ connect, finish, isUnauthorized }: Sdk): Make =>
  (identity) => {
    const provider = new Provider(identity)
    let url = new URL("http://unset.test")
    return {
      begin: async (mcpUrl) => {
        url = new URL(mcpUrl)
        const error: unknown = await connect(url, provider).then(
          () => new Error("connected without a credential"),
          (error: unknown) => error
        )
        if (!isUnauthorized(error) || provider.page === undefined) throw error
        return provider.page
      },
      finish: (callback) => finish(url, provider, provider.checked(callback)),
      call: async (name, args) => {
        provider.page = undefined
        try {
          const { call } = await connect(url, provider)
          return (await call(name, args)) as CallResult
        } catch (error) {
          if (isUnauthorized(error) && provider.page !== undefined) return undefined
          throw error
        }
      },
      accessToken: () => provider.kept.tokens?.access_token,
      clientId: () => provider.kept.client?.client_id
    }
  }

const sdkV1: Sdk = {
  connect: async (url, authProvider) => {
    const client = new ClientV1({ name: "test", version: "1.0.0" })
    await client.connect(new TransportV1(url, { authProvider }))
    return { call: (name, args) => client.callTool({ name, arguments: args }) }
  },
  finish: (url, authProvider, callback) =>
    new TransportV1(url, { authProvider }).finishAuth(callback.get("code") ?? ""),
  isUnauthorized: (error) => error instanceof Error && error.constructor.name === "UnauthorizedError"
}

const sdkV2: Sdk = {
  connect: async (url, authProvider) => {
    const client = new V2.Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(new V2.StreamableHTTPClientTransport(url, { authProvider }))
    return { call: (name, args) => client.callTool({ name, arguments: args }) }
  },
  // It compares `iss` with the issuer that it discovered.
  finish: (url, authProvider, callback) =>
    new V2.StreamableHTTPClientTransport(url, { authProvider }).finishAuth(callback),
  isUnauthorized: (error) => error instanceof V2.UnauthorizedError
}

const insecure = { [oauth.allowInsecureRequests]: true } as const

/** A library that enforces the standards. */
const strict: Make = (identity) => {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  let resource = new URL("http://unset.test")
  let server: oauth.AuthorizationServer = { issuer: "" }
  let client: oauth.Client = { client_id: "" }
  let tokens: oauth.TokenEndpointResponse | undefined

  const send = (accessToken: string, name: string, args: Record<string, unknown>) =>
    oauth.protectedResourceRequest(
      accessToken,
      "POST",
      resource,
      new Headers({ "content-type": "application/json", accept: "application/json, text/event-stream" }),
      JSON.stringify(Messages.call(name, args)),
      insecure
    )

  const refresh = async (refreshToken: string) =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, insecure)
    )

  return {
    begin: async (mcpUrl) => {
      resource = new URL(mcpUrl)
      const protectedResource = await oauth.processResourceDiscoveryResponse(
        resource,
        await oauth.resourceDiscoveryRequest(resource, insecure)
      )
      const issuer = new URL(protectedResource.authorization_servers?.[0] ?? "")
      server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure })
      )
      client =
        identity.document !== undefined
          ? { client_id: identity.document }
          : await oauth.processDynamicClientRegistrationResponse(
              await oauth.dynamicClientRegistrationRequest(
                server,
                {
                  client_name: identity.name,
                  redirect_uris: [identity.redirectUri],
                  token_endpoint_auth_method: "none"
                },
                insecure
              )
            )
      const page = new URL(server.authorization_endpoint ?? "")
      page.search = String(
        new URLSearchParams({
          client_id: client.client_id,
          redirect_uri: identity.redirectUri,
          response_type: "code",
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          scope: protectedResource.scopes_supported?.join(" ") ?? "",
          state
        })
      )
      return page
    },
    finish: async (callback) => {
      const parameters = oauth.validateAuthResponse(server, client, callback, state)
      tokens = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          parameters,
          identity.redirectUri,
          verifier,
          insecure
        )
      )
    },
    call: async (name, args) => {
      if (tokens === undefined) return undefined
      const answer = await send(tokens.access_token, name, args).catch(async (error: unknown) => {
        if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error
        return undefined
      })
      if (answer !== undefined) return ((await answer.json()) as { readonly result: CallResult }).result
      try {
        tokens = await refresh(tokens.refresh_token ?? "")
      } catch (error) {
        if (!(error instanceof oauth.ResponseBodyError) || error.error !== "invalid_grant") throw error
        tokens = undefined
        return undefined
      }
      const again = await send(tokens.access_token, name, args)
      return ((await again.json()) as { readonly result: CallResult }).result
    },
    accessToken: () => tokens?.access_token,
    clientId: () => client.client_id
  }
}

export const makers: Readonly<Record<string, Make>> = {
  "official SDK, version 1": onSdk(sdkV1),
  "official SDK, version 2": onSdk(sdkV2),
  oauth4webapi: strict
}
