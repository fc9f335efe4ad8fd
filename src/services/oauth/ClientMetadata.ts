/**
 * Clients that are known by a document at the address that is their id (R47 to R51; Client ID Metadata Documents).
 *
 * Fetched documents are kept in memory, as long as their server says within a minute and a day, and of each server process
 * on its own. Failures are not kept.
 */
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import type { OAuthClient } from "../../domain/oauth/Client.ts"
import * as ClientIdUrl from "../../domain/oauth/ClientIdUrl.ts"
import * as Freshness from "../../domain/oauth/Freshness.ts"
import * as MetadataDocument from "../../domain/oauth/MetadataDocument.ts"
import { FetchBudget } from "../limits/FetchBudget.ts"
import { runsLocally, SafeFetch } from "./SafeFetch.ts"
import type { FetchFailed } from "./SafeFetch.ts"

/** Of at most 16 kB each. */
export const maxKept = 1000

/** Documents are turned off (Config, `CLIENT_METADATA_DOCUMENTS`). */
export class ClientMetadataOff extends Schema.TaggedError<ClientMetadataOff>()("ClientMetadataOff", {}) {}

/**
 * Trying again does not help: the id is no allowed address, or what a server on the public internet answered is no document
 * for this client. That is for everyone to see, so that the makers of the app may be told.
 */
export class ClientMetadataRejected extends Schema.TaggedError<ClientMetadataRejected>()("ClientMetadataRejected", {
  /** Of what lies at the address; `undefined` when it is no address that is asked. */
  reason: Schema.UndefinedOr(Schema.String)
}) {}

/**
 * The document could not be fetched now. An app must not be told that it is unknown for that, or it throws its tokens
 * away. Why, is for the log alone: told to whoever chose the address, it would let them look around in our network.
 */
export class ClientMetadataUnavailable extends Schema.TaggedError<ClientMetadataUnavailable>()(
  "ClientMetadataUnavailable",
  { retryAfterSeconds: Schema.Int }
) {}

export type ClientMetadataFailure = ClientMetadataOff | ClientMetadataRejected | ClientMetadataUnavailable

export interface Asking {
  /** The address that it is fetched for: so many a minute of each (R56). */
  readonly caller: string
  /** Whether an account has approved this client before. */
  readonly wasApproved: boolean
}

/** Who asks, whom the fetch is counted for; others that ask for the same document meanwhile cost nothing. */
const CurrentAsking = Context.Reference<Asking>("discovery/oauth/ClientMetadata/Asking", {
  defaultValue: () => ({ caller: "", wasApproved: false })
})

/** For so long after a failed fetch, its server is not asked again for a document that it once had. */
export const failureMillis = 10_000

/** Why there is no client, for the log. */
class NoClient extends Schema.TaggedError<NoClient>()("NoClient", {
  reason: Schema.String,
  detail: Schema.String,
  isAnswer: Schema.Boolean
}) {}

interface Known {
  readonly client: OAuthClient
  readonly usableUntilMillis: number
  readonly failedUntilMillis: number
}

interface Kept {
  readonly client: OAuthClient
  /** From now on. */
  readonly freshSeconds: number
}

export class ClientMetadata extends Context.Service<
  ClientMetadata,
  {
    /**
     * The client whose id is this address. What fails is logged, under the annotations of the caller: the request's id
     * should be among them.
     */
    fetch(clientId: string, asking: Asking): Effect.Effect<OAuthClient, ClientMetadataFailure>
  }
>()("discovery/oauth/ClientMetadata") {
  static readonly layerNoDeps = Layer.effect(
    ClientMetadata,
    Effect.gen(function* () {
      const config = yield* AppConfig
      const local = runsLocally(config)
      const safeFetch = yield* SafeFetch
      const budget = yield* FetchBudget

      /**
       * Clients that had a document when it was last fetched, the longest unused first; each until when it may stand in
       * while its server gives no answer.
       */
      const known = new Map<string, Known>()
      const remember = (entry: Known) => {
        known.delete(entry.client.id)
        known.set(entry.client.id, entry)
        const [oldest] = known.keys()
        if (known.size > maxKept && oldest !== undefined) known.delete(oldest)
      }

      /**
       * A flood of made-up ids must not lock out clients that are in use, here or, by what accounts have approved, on any server
       * and before it was started again. The cache bounds how often they are fetched; of the latter, documents that are gone
       * are in no cache, so who asks is counted.
       */
      const fetch = Effect.fnUntraced(function* (clientId: string, url: URL) {
        const last = known.get(clientId)
        if (last !== undefined && (yield* Clock.currentTimeMillis) < last.failedUntilMillis) {
          return yield* noClient("failed_before", url.hostname, false)
        }
        const { hostname } = url
        const { caller, wasApproved } = yield* CurrentAsking
        const get = safeFetch.get(url)
        const fetched = yield* last !== undefined
          ? budget.again({ hostname }, get)
          : wasApproved
            ? budget.again({ hostname, caller }, get)
            : budget.within({ hostname, caller }, get)
        return Option.isSome(fetched) ? fetched.value : yield* noClient("budget", hostname, false)
      })

      const load = Effect.fnUntraced(function* (clientId: string): Effect.fn.Return<Kept, NoClient | FetchFailed> {
        const url = ClientIdUrl.parse(clientId, { local })
        if (url === undefined) return yield* noClient("client_id", "not an allowed address", true)
        const fetched = yield* fetch(clientId, url)
        const client = MetadataDocument.read(fetched.text, clientId)
        if (Result.isFailure(client)) return yield* noClient("document", client.failure, true)
        const now = yield* Clock.currentTimeMillis
        const { mayBeStale, seconds } = Freshness.of(fetched.cacheFields, now)
        const usableUntilMillis = mayBeStale ? now + Freshness.maxSeconds * 1000 : now
        remember({ client: client.success, usableUntilMillis, failedUntilMillis: now })
        return { client: client.success, freshSeconds: seconds }
      })

      const loadOrStale = (clientId: string) =>
        Effect.catch(load(clientId), (error) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const last = known.get(clientId)
            if (error.isAnswer) known.delete(clientId)
            else if (last !== undefined && error._tag === "FetchFailed") {
              remember({ ...last, failedUntilMillis: now + failureMillis })
            }
            return !error.isAnswer && last !== undefined && now < last.usableUntilMillis
              ? Effect.as(log(clientId, error), { client: last.client, freshSeconds: Freshness.minSeconds })
              : Effect.fail(error)
          })
        )

      // Fetches of one id at the same time are one; it ends when nobody waits for it any more.
      const cache = yield* Cache.makeWith(loadOrStale, {
        capacity: maxKept,
        timeToLive: Exit.match({
          onFailure: () => Duration.zero,
          onSuccess: ({ freshSeconds }: Kept) => Duration.seconds(freshSeconds)
        })
      })

      return ClientMetadata.of({
        fetch: Effect.fn("ClientMetadata.fetch")(function* (clientId: string, asking: Asking) {
          if (config.clientMetadataDocuments === "off") return yield* new ClientMetadataOff()
          const { client } = yield* Cache.get(cache, clientId).pipe(
            Effect.provideService(CurrentAsking, asking),
            Effect.tapError((error) => log(clientId, error)),
            Effect.mapError((error) =>
              error.isAnswer
                ? new ClientMetadataRejected({ reason: reasonOf(error) })
                : new ClientMetadataUnavailable({ retryAfterSeconds: 5 })
            )
          )
          // In use: not the next that is forgotten.
          const last = known.get(clientId)
          if (last !== undefined) remember(last)
          return client
        })
      })
    })
  )

  /** Needs `Dns`, of which only `resolve` is used. */
  static readonly layer = ClientMetadata.layerNoDeps.pipe(Layer.provide([SafeFetch.layer, FetchBudget.layer]))
}

const noClient = (reason: string, detail: string, isAnswer: boolean) => new NoClient({ reason, detail, isAnswer })

/** What everyone can see who asks the same server. */
const reasonOf = (error: NoClient | FetchFailed): string | undefined => {
  if (error._tag === "FetchFailed") return error.seen
  return error.reason === "document" ? error.detail : undefined
}

/** Of the id, which is untrusted and whose query may be anything, only what identifies the server. */
const log = (clientId: string, { detail, reason }: NoClient | FetchFailed) => {
  const url = URL.parse(clientId)
  const address = url === null ? "" : `${url.host}${url.pathname}`
  return Effect.logInfo("A client metadata document could not be used").pipe(
    Effect.annotateLogs({ client_address: address.slice(0, 200), reason, detail })
  )
}
