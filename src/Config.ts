/** All environment variables (D4). A test compares the table of the README with them. */
import { Config, ConfigProvider, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as os from "node:os"
import * as path from "node:path"
import { PriceId, StripeVariables } from "./domain/access/StripeSettings.ts"
import type { StripeSettings } from "./domain/access/StripeSettings.ts"
import { ClusterName, Engine, EngineAddress, engineSettingsOf } from "./domain/EngineSettings.ts"
import { MailSender, MailServer, senderOf } from "./domain/MailSettings.ts"
import {
  Contact,
  Endpoint,
  Link,
  Listening,
  Network,
  networkOf,
  Origin,
  Ports,
  PublicOrigin,
  Threads,
  whole
} from "./domain/SettingValues.ts"

/** The page that leads to Stripe, with Stripe. */
export const billingPath = "/dashboard/billing"

const maxCredits = 1_000_000_000

/** The variables and their defaults, in the order of the README, which has their meanings. An empty variable counts as absent. */
export const variables = {
  BASE_URL: "http://localhost:PORT",
  PORT: "3000",
  HOST: "127.0.0.1",
  DATABASE_URL: "embedded PostgreSQL",
  DATABASE_MAX_CONNECTIONS: "20",
  DATA_DIR: ".data",
  INDEX_DIR: "DATA_DIR/index",
  HTTP_THREADS: "cores / 2 on Linux with DATABASE_URL, at most one for 8 connections; else 1",
  SEARCH_WORKERS: "cores - 1, at least 1",
  SEARCH_ENGINE: "memory",
  CLICKHOUSE_URL: "",
  CLICKHOUSE_CLUSTER: "",
  DEMO_SIZE: "demo",
  PLAN_CREDITS_GROWTH: "2000",
  PLAN_CREDITS_PRO: "10000",
  RATE_LIMIT_PER_MINUTE: "1200",
  PAGE_VIEWS_PER_DAY: "1000",
  BILLING_URL: "BASE_URL/dashboard",
  STRIPE_SECRET_KEY: "",
  STRIPE_WEBHOOK_SECRET: "",
  STRIPE_PRICE_GROWTH: "",
  STRIPE_PRICE_PRO: "",
  STRIPE_API_URL: "https://api.stripe.com",
  SUPPORT_URL: "BASE_URL/dashboard",
  SIGN_UP: "open",
  SMTP_URL: "",
  MAIL_FROM: "Discovery <no-reply@HOST of BASE_URL>",
  ALLOWED_ORIGINS: "",
  TRUSTED_PROXIES: "",
  CONNECTION_MAX_DAYS: "365",
  CLIENT_METADATA_DOCUMENTS: "on",
  COLLECT_CONTACT: "",
  ACTIVITY_DAYS: "90",
  ADS_EXPIRE_DAYS: "7",
  HISTORY_DAYS: "400",
  OTEL_EXPORTER_OTLP_ENDPOINT: "",
  METRICS_PORT: "",
  METRICS_HOST: "127.0.0.1",
  LOG_FORMAT: "pretty on a terminal, else json",
  LOG_LEVEL: "Info"
} as const satisfies Record<string, string>

type Name = keyof typeof variables

const read = <T>(schema: Schema.ConstraintCodec<T, unknown>, name: Name) => Config.schema(schema, name)

/** Reads a variable that has its documented default when it is absent. */
const readOrDefault = <T>(schema: Schema.ConstraintCodec<T, unknown>, name: Name) =>
  read(schema, name).pipe(
    Config.withDefault(Schema.decodeUnknownSync(Schema.toCodecStringTree(schema))(variables[name]))
  )

const origins = Config.Array(Origin, "ALLOWED_ORIGINS" satisfies Name).pipe(Config.withDefault([]))

const trustedProxies = Config.Array(Network, "TRUSTED_PROXIES" satisfies Name).pipe(
  Config.withDefault([]),
  Config.map((texts) => texts.flatMap((text) => Option.toArray(networkOf(text))))
)

const priceIds = (name: Name) => Config.Array(PriceId, name).pipe(Config.withDefault([]))
const secret = (name: Name) => read(Schema.Redacted(Schema.String), name).pipe(Config.withDefault(Redacted.make("")))

/** None if no variable of Stripe is set. */
const stripe = Config.all({
  secretKey: secret("STRIPE_SECRET_KEY"),
  webhookSecret: secret("STRIPE_WEBHOOK_SECRET"),
  growth: priceIds("STRIPE_PRICE_GROWTH"),
  pro: priceIds("STRIPE_PRICE_PRO")
}).pipe(
  Config.mapEffect((values): Effect.Effect<Option.Option<StripeSettings>, Config.ConfigError> => {
    const { growth, pro, secretKey, webhookSecret } = values
    const given = [Redacted.value(secretKey), Redacted.value(webhookSecret), growth, pro]
    if (given.every(({ length }) => length === 0)) return Effect.succeedNone
    return Schema.decodeEffect(StripeVariables)(values).pipe(
      Effect.mapBoth({
        onFailure: (error) => new Config.ConfigError(error),
        onSuccess: () => Option.some({ secretKey, webhookSecret, prices: { growth, pro } })
      })
    )
  })
)

/**
 * Only Linux distributes the connections of one port. The other half of the cores is for searches, the index and PostgreSQL: where
 * they have none, a second thread makes calls dearer. The embedded PostgreSQL is for small servers, which stay small.
 */
const httpThreadsOf = (values: {
  readonly databaseUrl: Option.Option<unknown>
  readonly databaseMaxConnections: number
  readonly httpThreads: Option.Option<number>
}): number =>
  Option.getOrElse(values.httpThreads, () => {
    if (Option.isNone(values.databaseUrl) || process.platform !== "linux") return 1
    const most = Math.min(os.availableParallelism() / 2, values.databaseMaxConnections / connectionsOfThread)
    return Math.max(1, Math.floor(most))
  })

/** Searches leave four to what every call needs (SearchPermits), and one account may have half of the others. */
const connectionsOfThread = 8

const settings = Config.all({
  port: readOrDefault(whole(1, 65_535), "PORT"),
  host: readOrDefault(Schema.String, "HOST"),
  baseUrl: Config.option(read(PublicOrigin, "BASE_URL")),
  databaseUrl: Config.option(read(Schema.Redacted(Schema.String), "DATABASE_URL")),
  databaseMaxConnections: readOrDefault(whole(2, 1000), "DATABASE_MAX_CONNECTIONS"),
  dataDir: readOrDefault(Schema.String, "DATA_DIR"),
  indexDir: Config.option(read(Schema.String, "INDEX_DIR")),
  httpThreads: Config.option(read(whole(1, 64), "HTTP_THREADS")),
  searchWorkers: Config.option(read(whole(0, 256), "SEARCH_WORKERS")),
  searchEngine: readOrDefault(Schema.Literals(["memory", "clickhouse"]), "SEARCH_ENGINE"),
  clickhouseUrl: Config.option(read(Schema.Redacted(EngineAddress), "CLICKHOUSE_URL")),
  clickhouseCluster: Config.option(read(ClusterName, "CLICKHOUSE_CLUSTER")),
  demoSize: Config.option(read(Schema.Literals(["tiny", "demo", "large"]), "DEMO_SIZE")),
  planCreditsGrowth: readOrDefault(whole(0, maxCredits), "PLAN_CREDITS_GROWTH"),
  planCreditsPro: readOrDefault(whole(0, maxCredits), "PLAN_CREDITS_PRO"),
  rateLimitPerMinute: readOrDefault(whole(0, maxCredits), "RATE_LIMIT_PER_MINUTE"),
  pageViewsPerDay: readOrDefault(whole(0, maxCredits), "PAGE_VIEWS_PER_DAY"),
  billingUrl: Config.option(read(Link, "BILLING_URL")),
  supportUrl: Config.option(read(Link, "SUPPORT_URL")),
  stripe,
  stripeApiUrl: readOrDefault(PublicOrigin, "STRIPE_API_URL"),
  signUp: readOrDefault(Schema.Literals(["open", "closed"]), "SIGN_UP"),
  smtpUrl: Config.option(read(Schema.Redacted(MailServer), "SMTP_URL")),
  mailFrom: Config.option(read(MailSender, "MAIL_FROM")),
  allowedOrigins: origins,
  trustedProxies,
  connectionMaxDays: readOrDefault(whole(1, 3650), "CONNECTION_MAX_DAYS"),
  clientMetadataDocuments: readOrDefault(Schema.Literals(["on", "off"]), "CLIENT_METADATA_DOCUMENTS"),
  collectContact: Config.option(read(Contact, "COLLECT_CONTACT")),
  activityDays: readOrDefault(whole(1, 3650), "ACTIVITY_DAYS"),
  adsExpireDays: readOrDefault(whole(1, 3650), "ADS_EXPIRE_DAYS"),
  historyDays: readOrDefault(whole(1, 3650), "HISTORY_DAYS"),
  otlpEndpoint: Config.option(read(Endpoint, "OTEL_EXPORTER_OTLP_ENDPOINT")),
  metricsPort: Config.option(read(whole(1, 65_535), "METRICS_PORT")),
  metricsHost: readOrDefault(Schema.String, "METRICS_HOST"),
  logFormat: Config.option(read(Schema.Literals(["pretty", "logfmt", "json"]), "LOG_FORMAT")),
  logLevel: Config.LogLevel("LOG_LEVEL" satisfies Name).pipe(Config.withDefault(variables.LOG_LEVEL))
}).pipe(
  Config.map((values) => {
    const baseUrl = Option.getOrElse(values.baseUrl, () => `http://localhost:${values.port}`)
    const dashboard = () => `${baseUrl}/dashboard`
    return {
      ...values,
      baseUrl,
      clickhouse: Option.map(values.clickhouseUrl, engineSettingsOf),
      httpThreads: httpThreadsOf(values),
      hasBaseUrl: Option.isSome(values.baseUrl),
      indexDir: Option.getOrElse(values.indexDir, () => path.join(values.dataDir, "index")),
      searchWorkers: Option.getOrElse(values.searchWorkers, () => Math.max(1, os.availableParallelism() - 1)),
      /** The OAuth resource, and the address for MCP clients. */
      mcpUrl: `${baseUrl}/mcp`,
      billingUrl: Option.isSome(values.stripe)
        ? `${baseUrl}${billingPath}`
        : Option.getOrElse(values.billingUrl, dashboard),
      supportUrl: Option.getOrElse(values.supportUrl, dashboard),
      mailFrom: Option.getOrUndefined(Option.flatMapNullishOr(values.mailFrom, senderOf)) ?? {
        name: "Discovery",
        address: `no-reply@${URL.parse(baseUrl)?.hostname ?? "localhost"}`
      },
      allowedOrigins: new Set([baseUrl, ...values.allowedOrigins])
    }
  }),
  Config.mapEffect((values) =>
    Effect.all([
      Schema.decodeEffect(Listening)(values),
      Schema.decodeEffect(Ports)(values),
      Schema.decodeEffect(Schema.toType(Engine))(values),
      Schema.decodeEffect(Threads)({ ...values, platform: process.platform })
    ]).pipe(Effect.mapBoth({ onFailure: (error) => new Config.ConfigError(error), onSuccess: () => values }))
  )
)

export type AppSettings = Config.Success<typeof settings>

/** The configuration, decoded once. An invalid value fails with a message that names the variable. */
export class AppConfig extends Context.Service<AppConfig, AppSettings>()("discovery/Config") {
  static readonly layer = Layer.effect(AppConfig, settings)

  /** The defaults with overrides, for tests; the environment is not read. */
  static readonly layerOf = (overrides: Partial<AppSettings>) =>
    Layer.effect(
      AppConfig,
      Effect.map(settings.parse(ConfigProvider.fromEnv({ env: {} })), (defaults) => ({ ...defaults, ...overrides }))
    )
}
