/** The layer `http` on a port, over services in memory, and a client that returns whole responses. */
import type { Config, Duration } from "effect"
import { Context, Effect, Layer, Logger, Option } from "effect"
import { HttpServer } from "effect/http"
import type { SqlError } from "effect/sql"
import type { AppSettings } from "../../src/Config.ts"
import { AppConfig } from "../../src/Config.ts"
import * as Router from "../../src/http/Router.ts"
import * as Server from "../../src/http/Server.ts"
import { PageRateLimit } from "../../src/services/limits/PageRateLimit.ts"
import { RequestRate } from "../../src/services/limits/RequestRate.ts"
import type { SharedRates } from "../../src/services/limits/SharedRates.ts"
import { Readiness } from "../../src/services/database/Readiness.ts"
import { Prompts } from "../../src/services/tools/Prompts.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import { ToolRunner } from "../../src/services/tools/ToolRunner.ts"
import type { CredentialResolver } from "../../src/services/credentials/CredentialResolver.ts"
import type { CreditLedger } from "../../src/services/credits/CreditLedger.ts"
import type { Clients } from "../../src/services/oauth/Clients.ts"
import type { EndpointRate } from "../../src/services/limits/EndpointRate.ts"
import type { Grants } from "../../src/services/oauth/Grants.ts"
import type { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import type { ConnectedApps } from "../../src/services/oauth/ConnectedApps.ts"
import type { ConsentRequests } from "../../src/services/oauth/ConsentRequests.ts"
import * as FakeAccess from "./FakeAccess.ts"
import * as FakeOAuth from "./FakeOAuth.ts"
import * as FakeRates from "./FakeRates.ts"
import * as FakeSearch from "./FakeSearch.ts"

export const baseUrl = "https://discovery.test"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; `undefined` if it is empty. */
  readonly json: unknown
}

/** By credential. */
export const callers = {
  good: FakeAccess.caller(1),
  other: FakeAccess.caller(2),
  unpaid: FakeAccess.caller(3, { status: "unpaid" }),
  starter: FakeAccess.caller(4, { plan: "starter" }),
  empty: FakeAccess.caller(5, {
    credits: { allowance: 2000, used: 2000, periodStart: "2026-01-01", periodEnd: "2999-02-01" }
  }),
  last: FakeAccess.caller(6, {
    credits: { allowance: 2000, used: 1999, periodStart: "2026-01-01", periodEnd: "2999-02-01" }
  })
}

type Access =
  | CredentialResolver
  | CreditLedger
  | Clients
  | Grants
  | EndpointRate
  | ConsentRequests
  | Layer.Success<typeof FakeAccess.nobodySignedIn>
  | ApiKeys
  | ConnectedApps
  | Layer.Success<typeof FakeAccess.unvisited>

export class TestServer extends Context.Service<
  TestServer,
  {
    /** Such as `http://127.0.0.1:34567`. */
    readonly url: string
    readonly port: number
    readonly books: FakeAccess.Books
    /** Log lines. */
    readonly logs: ReadonlyArray<string>
    /**
     * Sends a plain call (docs/spec/protocol.md) with the credential `good`. A header that is `undefined` is left out.
     */
    send(options: {
      readonly method?: string
      readonly path?: string
      /** The URL of another server. */
      readonly url?: string
      readonly headers?: Readonly<Record<string, string | undefined>>
      readonly body?: BodyInit | undefined
    }): Effect.Effect<Answer>
    /** Posts a JSON value to `/mcp`. */
    post(body: unknown, headers?: Readonly<Record<string, string | undefined>>): Effect.Effect<Answer>
  }
>()("test/support/TestServer") {
  static readonly layer = (
    options: {
      readonly config?: Partial<AppSettings>
      readonly search?: Parameters<typeof FakeSearch.ads>[1]
      readonly ads?: Parameters<typeof FakeSearch.ads>[0]
      readonly ready?: Readiness["Service"]["check"]
      readonly index?: Parameters<typeof FakeSearch.index>[0]
      /** Replaces the in-memory credentials and credits; there is no OAuth then. */
      readonly access?: Layer.Layer<Access, Config.ConfigError | SqlError.SqlError>
      readonly rates?: Layer.Layer<SharedRates>
      readonly drainTimeout?: Duration.Input
      readonly stalledTimeoutMillis?: number
    } = {}
  ) => {
    const books: FakeAccess.Books = { charges: [] }
    const logs: Array<string> = []
    const items = options.ads ?? Array.from({ length: 30 }, (_, index) => FakeSearch.ad(index + 1))
    const rates = Layer.merge(RequestRate.layerNoDeps, PageRateLimit.layerNoDeps).pipe(
      Layer.provide(options.rates ?? FakeRates.layer)
    )
    const services = Layer.mergeAll(ToolRegistry.layer, ToolRunner.layer, Prompts.layer, rates).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          options.access ??
            Layer.mergeAll(
              FakeAccess.credentials(callers),
              FakeAccess.ledger(books),
              FakeOAuth.unused,
              FakeAccess.nobodySignedIn,
              FakeAccess.unvisited
            ),
          FakeAccess.usage(),
          FakeSearch.ads(items, options.search),
          FakeSearch.products([FakeSearch.product(1), FakeSearch.product(2)]),
          FakeSearch.shops,
          FakeSearch.vocabulary,
          FakeSearch.index(options.index),
          Layer.succeed(Readiness, { check: options.ready ?? Effect.void }),
          AppConfig.layerOf({
            port: 0,
            baseUrl,
            mcpUrl: `${baseUrl}/mcp`,
            billingUrl: `${baseUrl}/billing`,
            allowedOrigins: new Set([baseUrl, "https://friend.test"]),
            ...options.config
          })
        )
      )
    )
    return Layer.effect(TestServer, make(books, logs)).pipe(
      Layer.provide(Router.layer),
      Layer.provideMerge(
        Server.layerWith({
          drainTimeout: options.drainTimeout ?? "20 seconds",
          ...(options.stalledTimeoutMillis === undefined ? {} : { stalledTimeoutMillis: options.stalledTimeoutMillis })
        })
      ),
      Layer.provideMerge(services),
      Layer.provideMerge(Logger.layer([Logger.map(Logger.formatJson, (line) => void logs.push(line))]))
    )
  }
}

const make = (books: FakeAccess.Books, logs: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const address = (yield* HttpServer.HttpServer).address
    if (address._tag === "UnixPathAddress") return yield* Effect.die(new Error("not on TCP"))
    const own = `http://127.0.0.1:${address.port}`

    const send: TestServer["Service"]["send"] = ({ body, headers, method = "POST", path = "/mcp", url = own }) =>
      Effect.promise(async (signal) => {
        const response = await fetch(url + path, {
          method,
          signal,
          redirect: "manual",
          headers: defined({
            authorization: "Bearer good",
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...headers
          }),
          // Half: needed for a body of unknown length.
          ...(body === undefined ? {} : { body, duplex: "half" as const })
        })
        const text = await response.text()
        return { status: response.status, headers: response.headers, text, json: parsed(text) }
      })

    return TestServer.of({
      url: own,
      port: address.port,
      books,
      logs,
      send,
      post: (body, headers = {}) => send({ headers, body: JSON.stringify(body) })
    })
  })

const defined = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const parsed = (text: string): unknown =>
  Option.getOrUndefined(Option.liftThrowable((json: string): unknown => JSON.parse(json))(text))
