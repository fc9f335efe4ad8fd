/**
 * Clients with a metadata document, fetched from the address that is their id (R47 to R51; Client ID Metadata Documents).
 *
 * Each server process caches documents in memory, for as long as the response allows, between a minute and a day. Failures
 * are not cached.
 */
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import { AppConfig } from "../../Config.ts"
import type { OAuthClient } from "../../domain/oauth/Client.ts"
import * as ClientIdUrl from "../../domain/oauth/ClientIdUrl.ts"
import * as Freshness from "../../domain/Freshness.ts"
import * as DocumentProblem from "../../domain/oauth/DocumentProblem.ts"
import * as MetadataDocument from "../../domain/oauth/MetadataDocument.ts"
import { FetchBudget } from "../limits/FetchBudget.ts"
import { remember } from "../limits/RecentlyUsed.ts"
import { maxBodyBytes, runsLocally, SafeFetch } from "../fetch/SafeFetch.ts"
import type { FetchFailed } from "../fetch/SafeFetch.ts"

/** At most 16 kB each. */
export const maxKept = 1000

/** Metadata documents are turned off (Config, `CLIENT_METADATA_DOCUMENTS`). */
export class ClientMetadataOff extends Schema.TaggedError<ClientMetadataOff>()("ClientMetadataOff", {}) {}

/**
 * Permanent: the id is not an allowed address, or a public server answered with something that is not a document for this
 * client. `reason` may be shown to the developers of the app, because the answer is public.
 */
export class ClientMetadataRejected extends Schema.TaggedError<ClientMetadataRejected>()("ClientMetadataRejected", {
  /** What is wrong with the answer; `undefined` if the address was not asked. */
  reason: Schema.UndefinedOr(DocumentProblem.DocumentProblem)
}) {}

/**
 * Temporary: the document could not be fetched now. It must not become `invalid_client`, after which apps delete their
 * tokens. The reason is only logged, because the one who chose the address could use it to probe this server's network.
 */
export class ClientMetadataUnavailable extends Schema.TaggedError<ClientMetadataUnavailable>()(
  "ClientMetadataUnavailable",
  { retryAfterSeconds: Schema.Int }
) {}

export type ClientMetadataFailure = ClientMetadataOff | ClientMetadataRejected | ClientMetadataUnavailable

export interface Asking {
  /** The client's address, by which fetches are rate limited (R56). */
  readonly caller: string
  /** Whether any account has approved this client before. */
  readonly wasApproved: boolean
}

/** The request that a fetch is counted for. Concurrent requests for the same document share one fetch and cost nothing. */
const CurrentAsking = Context.Reference<Asking>("discovery/oauth/ClientMetadata/Asking", {
  defaultValue: () => ({ caller: "", wasApproved: false })
})

/** Delay after a failed fetch before a known document is requested again. */
export const failureMillis = 10_000

/** Why there is no client, for the log; `problem` is the part of it that is public. */
class NoClient extends Schema.TaggedError<NoClient>()("NoClient", {
  reason: Schema.String,
  detail: Schema.String,
  isAnswer: Schema.Boolean,
  problem: Schema.optionalKey(DocumentProblem.DocumentProblem)
}) {}

interface Known {
  readonly client: OAuthClient
  readonly usableUntilMillis: number
  readonly failedUntilMillis: number
}

interface Kept {
  readonly client: OAuthClient
  /** From now, in seconds. */
  readonly freshSeconds: number
}

export class ClientMetadata extends Context.Service<
  ClientMetadata,
  {
    /**
     * The client whose id is this address. Failures are logged with the caller's log annotations, which should include the
     * request id.
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
       * Clients whose document was fetched before, with the time until which a stale copy may be used while their server
       * does not answer.
       */
      const known = new Map<string, Known>()
      const keep = (entry: Known) => remember(known, maxKept, entry.client.id, entry)

      /**
       * A flood of invented ids must not block clients that are in use: those fetched by this process, and those that an
       * account has approved. These have budgets of their own. The cache bounds how often known documents are fetched.
       * Documents of approved clients may be gone and are then never cached, so their fetches are counted by caller.
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
        if (Result.isFailure(client)) return yield* noDocument(client.failure)
        const now = yield* Clock.currentTimeMillis
        const { mayBeStale, seconds } = Freshness.of(fetched.cacheFields, now)
        const usableUntilMillis = mayBeStale ? now + Freshness.maxSeconds * 1000 : now
        keep({ client: client.success, usableUntilMillis, failedUntilMillis: now })
        return { client: client.success, freshSeconds: seconds }
      })

      const loadOrStale = (clientId: string) =>
        Effect.catch(load(clientId), (error) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const last = known.get(clientId)
            if (error.isAnswer) known.delete(clientId)
            else if (last !== undefined && error._tag === "FetchFailed") {
              keep({ ...last, failedUntilMillis: now + failureMillis })
            }
            return !error.isAnswer && last !== undefined && now < last.usableUntilMillis
              ? Effect.as(log(clientId, error), { client: last.client, freshSeconds: Freshness.minSeconds })
              : Effect.fail(error)
          })
        )

      // Concurrent fetches of one id are one fetch. It is interrupted when no request waits for it.
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
                ? new ClientMetadataRejected({ reason: problemOf(error) })
                : new ClientMetadataUnavailable({ retryAfterSeconds: 5 })
            )
          )
          // Marks the client as recently used.
          const last = known.get(clientId)
          if (last !== undefined) keep(last)
          return client
        })
      })
    })
  )

  /** Requires `Dns`, and uses only `resolve`. */
  static readonly layer = ClientMetadata.layerNoDeps.pipe(Layer.provide([SafeFetch.layer, FetchBudget.layer]))
}

const noClient = (reason: string, detail: string, isAnswer: boolean) => new NoClient({ reason, detail, isAnswer })

const noDocument = (problem: DocumentProblem.DocumentProblem) =>
  new NoClient({ reason: "document", detail: DocumentProblem.englishOf(problem), isAnswer: true, problem })

/** The part of the failure that is public. */
const problemOf = (error: NoClient | FetchFailed): DocumentProblem.DocumentProblem | undefined => {
  if (error._tag === "NoClient") return error.problem
  const { detail, seen } = error
  if (seen === "status") return { code: seen, status: detail }
  if (seen === "too_large") return { code: seen, bytes: maxBodyBytes }
  return seen === undefined ? undefined : { code: seen }
}

/** Logs the host and path of the id. The query is untrusted and may contain anything. */
const log = (clientId: string, { detail, reason }: NoClient | FetchFailed) => {
  const url = URL.parse(clientId)
  const address = url === null ? "" : `${url.host}${url.pathname}`
  return Effect.logInfo("A client metadata document could not be used").pipe(
    Effect.annotateLogs({ client_address: address.slice(0, 200), reason, detail })
  )
}
