/**
 * Apps that may ask for access (S87, R52): registered ones, and those with a metadata document (R33, R34, R42 to R47).
 */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as Credential from "../../domain/access/Credential.ts"
import * as ClientNetwork from "../../domain/access/ClientNetwork.ts"
import { OAuthClient } from "../../domain/oauth/Client.ts"
import * as ClientIdUrl from "../../domain/oauth/ClientIdUrl.ts"
import { InvalidClient, InvalidRequest } from "../../domain/oauth/OAuthError.ts"
import type { Registration } from "../../domain/oauth/Registration.ts"
import type { ServiceUnavailable } from "../../domain/ToolError.ts"
import { firstOf, hasRow } from "../database/Rows.ts"
import { availableOnce, availableToRead } from "../database/Availability.ts"
import { ClientMetadata } from "./ClientMetadata.ts"
import type { ClientMetadataFailure } from "./ClientMetadata.ts"
import * as Secrets from "../Secrets.ts"
import * as ClientRetention from "../retention/ClientRetention.ts"

/** No client has this id, or it was deleted. The user removes the connection in the app and adds it again (R46). */
export class UnknownClient extends Schema.TaggedError<UnknownClient>()("UnknownClient", { message: Schema.String }) {}

export interface RegisteredClient {
  readonly client: OAuthClient
  /** Returned only once; `undefined` for a public client. */
  readonly secret: Redacted.Redacted | undefined
  /** Milliseconds since 1970. */
  readonly registeredAt: number
}

export interface AuthenticatedClient {
  readonly id: string
  /** Of a registered app. A document is not fetched for it. */
  readonly name?: string
}

/** The client authentication of `/token` and `/revoke`. Empty values count as absent. */
export interface ClientCredentials {
  /** From the header `Authorization: Basic`. */
  readonly basic: { readonly id: string; readonly secret: Redacted.Redacted | undefined } | undefined
  /** From the form. */
  readonly id: string | undefined
  readonly secret: Redacted.Redacted | undefined
}

const { authMethod, id, name, redirectUris } = OAuthClient.fields
const Row = Schema.Struct({ id, name, redirectUris, authMethod, secretHash: Schema.NullOr(Schema.Uint8Array) })
const decodeRow = firstOf(Row)

export class Clients extends Context.Service<
  Clients,
  {
    /** `caller` is the client's IP address: registrations without consent are limited by network. */
    register(registration: Registration, caller: string): Effect.Effect<RegisteredClient, ServiceUnavailable>
    /**
     * The client with this id. An id that begins with `https://` is the address of a document, which is fetched on behalf
     * of the IP address `caller`.
     */
    find(
      clientId: string,
      caller: string
    ): Effect.Effect<OAuthClient, UnknownClient | ClientMetadataFailure | ServiceUnavailable>
    /**
     * The client that sent a request to `/token` or `/revoke`. For a client with a secret the identity is proved. For a
     * public client it is not: its codes and tokens are bound to it instead.
     */
    authenticate(
      credentials: ClientCredentials
    ): Effect.Effect<AuthenticatedClient, InvalidClient | InvalidRequest | ServiceUnavailable>
  }
>()("discovery/oauth/Clients") {
  static readonly layer = Layer.effect(
    Clients,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const documents = yield* ClientMetadata
      const random = yield* SecureRandom.SecureRandom

      const register = Effect.fn("Clients.register")(
        function* (registration: Registration, caller: string) {
          const { authMethod, name, redirectUris } = registration
          const id = yield* Secrets.random("client")
          const secret = authMethod === "none" ? undefined : yield* Secrets.random("client_secret")
          const secretHash = secret === undefined ? null : Secrets.sha256(secret)
          const registeredAt = yield* Clock.currentTimeMillis
          const [address, site] = ClientNetwork.countedOf(caller).map(({ key }) => Secrets.sha256(key))
          yield* ClientRetention.makeRoom.pipe(Effect.provideService(SqlClient.SqlClient, sql), availableOnce)
          yield* sql`
          INSERT INTO oauth_client (id, name, redirect_uris, auth_method, secret_hash, created_at, address_hash, site_hash)
          VALUES (${id}, ${name}, ${JSON.stringify(redirectUris)}::jsonb, ${authMethod}, ${secretHash},
            ${new Date(registeredAt)}, ${address ?? null}, ${site ?? null})`.pipe(availableOnce)
          return {
            client: toClient({ id, name, redirectUris, authMethod, secretHash }),
            secret: secret === undefined ? undefined : Redacted.make(secret),
            registeredAt
          }
        },
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      const findRegistered = Effect.fnUntraced(function* (clientId: string) {
        if (!Credential.is("client", clientId)) return undefined
        return yield* sql`
          SELECT id, name, redirect_uris AS "redirectUris", auth_method AS "authMethod", secret_hash AS "secretHash"
          FROM oauth_client WHERE id = ${clientId}`.pipe(decodeRow, availableToRead)
      })

      /** Whether any account has approved the app with this document. */
      const wasApproved = Effect.fnUntraced(function* (clientId: string) {
        if (ClientIdUrl.parse(clientId, { local: true }) === undefined) return false
        return yield* sql`
          SELECT WHERE EXISTS (SELECT FROM oauth_grant WHERE client_id = ${clientId})
            OR EXISTS (SELECT FROM oauth_ended_grant WHERE client_id = ${clientId})`.pipe(hasRow, availableToRead)
      })

      const find = Effect.fn("Clients.find")(function* (clientId: string, caller: string) {
        if (ClientIdUrl.isAddress(clientId)) {
          const asking = { caller, wasApproved: yield* wasApproved(clientId) }
          return yield* documents.fetch(clientId, asking)
        }
        const row = yield* findRegistered(clientId)
        return row === undefined ? yield* unknownClient() : toClient(row)
      })

      /**
       * Documents are not fetched here: they describe public clients, so a fetch would prove nothing, and grants name
       * their client. This way callers cannot cause fetches or exhaust their budget, and a failure of a publisher never
       * becomes `invalid_client`, after which apps delete their connection.
       */
      const verify = Effect.fnUntraced(function* (
        id: string,
        secret: Redacted.Redacted | undefined
      ): Effect.fn.Return<AuthenticatedClient | InvalidClient["reason"], ServiceUnavailable> {
        if (ClientIdUrl.isAddress(id)) {
          if (secret !== undefined) return "client_unauthenticated"
          return (yield* wasApproved(id)) ? { id } : "client_unknown"
        }
        const row = yield* findRegistered(id)
        if (row === undefined) return "client_unknown"
        const isVerified =
          row.secretHash === null
            ? secret === undefined
            : secret !== undefined && Mac.timingSafeEqual(Secrets.hashOf(secret), row.secretHash)
        return isVerified ? { id, name: row.name } : "client_unauthenticated"
      })

      const authenticate = Effect.fn("Clients.authenticate")(function* (credentials: ClientCredentials) {
        const { basic, id: formId, secret: formSecret } = credentials
        if (basic !== undefined && (formSecret !== undefined || (formId !== undefined && formId !== basic.id))) {
          return yield* new InvalidRequest({
            message: "Authenticate the client in one way: in the header or in the form."
          })
        }
        const id = basic?.id ?? formId
        const verified = id === undefined ? "client_unauthenticated" : yield* verify(id, basic?.secret ?? formSecret)
        return typeof verified === "string" ? yield* invalidClient(verified, basic !== undefined) : verified
      })

      return Clients.of({ register, find, authenticate })
    })
  )
}

const toClient = ({ authMethod, id, name, redirectUris }: typeof Row.Type): OAuthClient => ({
  id,
  name,
  source: "registered",
  publisher: undefined,
  redirectUris,
  authMethod
})

const unknownClient = () =>
  new UnknownClient({
    message: "No app is registered with this client_id. Remove the connection in the app and add it again."
  })

const invalidClient = (reason: InvalidClient["reason"], triedBasic: boolean) =>
  new InvalidClient({
    reason,
    message: "The client is unknown, or did not authenticate as registered. Register again to connect.",
    triedBasic
  })
