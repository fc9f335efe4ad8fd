/** Composes the live services, for the command line and the server. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Effect, Layer, Option } from "effect"
import { Dns } from "effect/net"
import * as path from "node:path"
import { AppConfig } from "../Config.ts"
import type { AppSettings } from "../Config.ts"
import { AccountClosing } from "../services/accounts/AccountClosing.ts"
import { AccountLinks } from "../services/accounts/AccountLinks.ts"
import { AccountDirectory } from "../services/accounts/AccountDirectory.ts"
import { Accounts } from "../services/accounts/Accounts.ts"
import { ActivityLog } from "../services/credits/ActivityLog.ts"
import { ChangeFeed } from "../services/changes/ChangeFeed.ts"
import * as AlertRound from "../services/alerts/AlertRound.ts"
import { Alerts } from "../services/alerts/Alerts.ts"
import { ApiKeys } from "../services/credentials/ApiKeys.ts"
import { CallHistory } from "../services/credits/CallHistory.ts"
import { CredentialResolver } from "../services/credentials/CredentialResolver.ts"
import { CreditLedger } from "../services/credits/CreditLedger.ts"
import { CsrfTokens } from "../services/sessions/CsrfTokens.ts"
import { EmailChange } from "../services/accounts/EmailChange.ts"
import { DailyPageViews } from "../services/limits/DailyPageViews.ts"
import { PageRateLimit } from "../services/limits/PageRateLimit.ts"
import { SignInAttempts } from "../services/limits/SignInAttempts.ts"
import { Mailer } from "../services/mail/Mailer.ts"
import { Notices } from "../services/mail/Notices.ts"
import * as ActivityRetention from "../services/retention/ActivityRetention.ts"
import { History } from "../services/changes/History.ts"
import * as Movers from "../services/import/Movers.ts"
import { TrackedNews } from "../services/changes/TrackedNews.ts"
import * as ChangeRetention from "../services/retention/ChangeRetention.ts"
import { Passkeys } from "../services/sessions/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../services/sessions/passkeys/PasskeySignIn.ts"
import { SecondStep } from "../services/sessions/passkeys/SecondStep.ts"
import * as ClosedAccounts from "../services/retention/ClosedAccounts.ts"
import { Passwords } from "../services/sessions/Passwords.ts"
import { PasswordChange } from "../services/accounts/PasswordChange.ts"
import { PasswordReset } from "../services/accounts/PasswordReset.ts"
import { RequestRate } from "../services/limits/RequestRate.ts"
import { Boards } from "../services/accounts/Boards.ts"
import { SavedSearches } from "../services/accounts/SavedSearches.ts"
import { Sessions } from "../services/sessions/Sessions.ts"
import { SignIn } from "../services/sessions/SignIn.ts"
import { SignUp } from "../services/accounts/SignUp.ts"
import { TrackedShops } from "../services/accounts/TrackedShops.ts"
import { Usage } from "../services/credits/Usage.ts"
import { Billing } from "../services/billing/Billing.ts"
import * as BillingUpkeep from "../services/billing/BillingUpkeep.ts"
import * as Database from "../services/database/Database.ts"
import { EmbeddedPostgres, findRunning } from "../services/database/EmbeddedPostgres.ts"
import * as Migrations from "../services/database/Migrations.ts"
import { Readiness } from "../services/database/Readiness.ts"
import * as DatabaseClock from "../services/database/DatabaseClock.ts"
import * as DatabaseMetrics from "../services/metrics/DatabaseMetrics.ts"
import * as ProcessMetrics from "../services/metrics/ProcessMetrics.ts"
import { ClientMetadata } from "../services/oauth/ClientMetadata.ts"
import { Clients } from "../services/oauth/Clients.ts"
import { ConnectedApps } from "../services/oauth/ConnectedApps.ts"
import { ConsentRequests } from "../services/oauth/ConsentRequests.ts"
import { EndpointRate } from "../services/limits/EndpointRate.ts"
import * as GrantRetention from "../services/retention/GrantRetention.ts"
import { Grants } from "../services/oauth/Grants.ts"
import * as WebhookRound from "../services/webhooks/WebhookRound.ts"
import { Webhooks } from "../services/webhooks/Webhooks.ts"
import { SafeFetch } from "../services/fetch/SafeFetch.ts"
import { ServerKey } from "../services/oauth/ServerKey.ts"
import { Importer } from "../services/import/Importer.ts"
import { dataAsOfLayer } from "../services/import/Sources.ts"
import { imageOriginsLayer } from "../services/search/ImageOrigins.ts"
import { AdSearch, ProductSearch, ShopSearch } from "../services/search/Searches.ts"
import { FilterCounts } from "../services/search/FilterCounts.ts"
import { MarketSearch } from "../services/search/MarketSearch.ts"
import * as DemoPictures from "../services/search/DemoPictures.ts"
import { NewResults } from "../services/search/NewResults.ts"
import { ProductReader } from "../services/search/ProductReader.ts"
import { SearchRunner } from "../services/search/SearchRunner.ts"
import { ItemReader } from "../services/search/ItemReader.ts"
import { ShopReader } from "../services/search/ShopReader.ts"
import { BoardReader } from "../services/search/BoardReader.ts"
import { TrackedShopReader } from "../services/search/TrackedShopReader.ts"
import { Vocabulary } from "../services/search/Vocabulary.ts"
import { ToolRunner } from "../services/tools/ToolRunner.ts"
import { Prompts } from "../services/tools/Prompts.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import * as SearchEngine from "./SearchEngine.ts"

const embeddedFolder = (dataDir: string) => path.join(dataDir, "postgres")

const pool = (source: Database.DatabaseOptions["source"], maxConnections: number) =>
  Migrations.layer.pipe(Layer.provideMerge(Database.layer({ source, maxConnections })))

const databaseOf = ({ dataDir, databaseUrl }: AppSettings, maxConnections: number) =>
  Option.match(databaseUrl, {
    onSome: (url) => pool(url, maxConnections),
    onNone: () =>
      Layer.unwrap(Effect.map(EmbeddedPostgres, ({ connection }) => pool(connection, maxConnections))).pipe(
        Layer.provide(EmbeddedPostgres.layer({ dataFolder: embeddedFolder(dataDir) }))
      )
  })

/** The migrated database of a command: `DATABASE_URL`, or an embedded PostgreSQL that ends with this process. */
export const ownDatabase = Layer.unwrap(
  Effect.map(AppConfig, (config) => databaseOf(config, config.databaseMaxConnections))
)

/** Threads that answer requests share out the connections. */
const connectionsOfThread = ({ databaseMaxConnections, httpThreads }: AppSettings): number =>
  Math.floor(databaseMaxConnections / httpThreads)

/** As {@link ownDatabase}, for the main thread of a server. */
export const serverDatabase = Layer.unwrap(
  Effect.map(AppConfig, (config) => databaseOf(config, connectionsOfThread(config)))
)

/** The same database for another thread of the server. */
export const databaseOfThread = (source: Database.DatabaseOptions["source"]) =>
  Layer.unwrap(
    Effect.map(AppConfig, (config) => Database.layer({ source, maxConnections: connectionsOfThread(config) }))
  )

/** As {@link ownDatabase}, but a command next to a running embedded server uses the database of that server. */
export const sharedDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const { dataDir, databaseMaxConnections, databaseUrl } = yield* AppConfig
    if (Option.isSome(databaseUrl)) return ownDatabase
    const running = yield* findRunning(path.resolve(embeddedFolder(dataDir)))
    return Option.match(running, {
      onSome: (connection) => pool(connection, databaseMaxConnections),
      onNone: () => ownDatabase
    })
  })
)

/** For commands and the demo. */
export const operation = Layer.mergeAll(
  Accounts.layer,
  AccountLinks.layer,
  ApiKeys.layer,
  TrackedShops.layer,
  ConnectedApps.layer,
  ServerKey.layer,
  Importer.layer
).pipe(Layer.provideMerge(Passwords.layer), Layer.provide(NodeCrypto.layer))

/** Apart from the others, which need not load the library of Stripe. */
export const billing = Billing.layer.pipe(Layer.provideMerge(operation))

/** Searches and reads by id. */
const searches = Layer.mergeAll(
  AdSearch.layer,
  ProductSearch.layer,
  ShopSearch.layer,
  NewResults.layer,
  ShopReader.layer,
  ItemReader.layer,
  TrackedShopReader.layer,
  BoardReader.layer,
  Vocabulary.layer,
  MarketSearch.layer,
  ChangeFeed.layer,
  FilterCounts.layer
).pipe(Layer.provide(SearchRunner.layer))

const passkeys = Layer.mergeAll(PasskeySignIn.layer, SecondStep.layer).pipe(Layer.provideMerge(Passkeys.layer))

const signIn = Layer.mergeAll(PasswordChange.layer, CsrfTokens.layer, passkeys).pipe(
  Layer.provideMerge(SignIn.layer),
  Layer.provideMerge(Sessions.layer),
  Layer.provide(Passwords.layer)
)

/** What customers do by themselves, with links in mails. */
const selfService = Layer.mergeAll(
  SignUp.layer,
  PasswordReset.layer,
  EmailChange.layer,
  AccountClosing.layer,
  Alerts.layer,
  Webhooks.layer
).pipe(
  Layer.provideMerge(Mailer.layer),
  Layer.provide([AccountLinks.layer, SignInAttempts.layer, Passwords.layer]),
  Layer.provideMerge(signIn)
)

/** Hosts of metadata documents are untrusted: a name server that does not answer must not delay others. */
const dns = Layer.effect(Dns.Dns, Effect.orDie(NodeDns.make({ timeout: "1 second", tries: 2 })))

/** For the command that collects. */
export const fetching = SafeFetch.layer.pipe(Layer.provide(dns))

/** OAuth: clients, grants, consent. */
const oauth = Layer.mergeAll(
  Clients.layer.pipe(Layer.provide(ClientMetadata.layer.pipe(Layer.provide(dns)))),
  Grants.layer.pipe(Layer.provide(ServerKey.layer)),
  ConnectedApps.layer,
  ConsentRequests.layer,
  EndpointRate.layer
)

/** Accounts, for the pages of customers and operators. */
const people = Layer.mergeAll(AccountDirectory.layer, selfService).pipe(
  Layer.provideMerge(Billing.layer),
  Layer.provideMerge(Accounts.layer.pipe(Layer.provide(Passwords.layer)))
)

/** The activity of accounts. */
const usage = Layer.mergeAll(ActivityLog.layer, Usage.layer, CallHistory.layer, Notices.layer)

/** What one thread of a server does for all. */
const upkeep = Layer.mergeAll(
  ActivityRetention.layer,
  ChangeRetention.layer,
  Movers.layer,
  GrantRetention.layer,
  ClosedAccounts.layer,
  BillingUpkeep.layer,
  AlertRound.layer,
  WebhookRound.layer.pipe(Layer.provide(fetching)),
  Layer.effectDiscard(DatabaseClock.watch)
)

const drawings = Effect.option(Effect.tryPromise(() => import("../../demo/pictures/Pictures.ts")))

/** What is measured without a request, for a server whose metrics are collected. */
export const measured = Layer.unwrap(
  Effect.map(AppConfig, ({ metricsPort, otlpEndpoint }) =>
    Option.isSome(metricsPort) || Option.isSome(otlpEndpoint)
      ? Layer.merge(ProcessMetrics.layer, DatabaseMetrics.layer)
      : Layer.empty
  )
)

/** As {@link measured}, of another thread of the server. */
export const measuredOfThread = Layer.unwrap(
  Effect.map(AppConfig, ({ metricsPort, otlpEndpoint }) =>
    Option.isSome(metricsPort) || Option.isSome(otlpEndpoint) ? ProcessMetrics.layerOfThread : Layer.empty
  )
)

/** For answering requests, with an index that is provided. */
const answering = Layer.mergeAll(ToolRunner.layer, ToolRegistry.layer, Prompts.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      CredentialResolver.layer,
      CreditLedger.layer,
      RequestRate.layer,
      PageRateLimit.layer,
      DailyPageViews.layer,
      Readiness.layer,
      searches,
      dataAsOfLayer,
      imageOriginsLayer,
      DemoPictures.layer(drawings),
      TrackedShops.layer,
      SavedSearches.layer,
      Boards.layer,
      ProductReader.layer,
      TrackedNews.layer.pipe(Layer.provideMerge(History.layer)),
      ApiKeys.layer,
      oauth,
      usage,
      people
    )
  ),
  Layer.provide(NodeCrypto.layer)
)

/** For the main thread of the HTTP server. */
export const service = upkeep.pipe(Layer.provideMerge(answering), Layer.provideMerge(SearchEngine.layer))

/** For another thread of it. `follow` emits the events of the main thread's index. */
export const serviceOfThread = (follow: Parameters<typeof SearchEngine.layerOfThread>[0]) =>
  answering.pipe(Layer.provideMerge(SearchEngine.layerOfThread(follow)))
