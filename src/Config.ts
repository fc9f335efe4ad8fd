/** All environment variables: names, defaults and meanings. A test compares the README's table with them. */
import { Config, ConfigProvider, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as os from "node:os"
import * as path from "node:path"
import { PriceId, StripeVariables } from "./domain/access/StripeSettings.ts"
import type { StripeSettings } from "./domain/access/StripeSettings.ts"
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
  whole
} from "./domain/SettingValues.ts"

/** The page that leads to Stripe, with Stripe. */
export const billingPath = "/dashboard/billing"

const maxCredits = 1_000_000_000

/** Documentation of a variable. An empty variable counts as absent. */
export interface Variable {
  readonly default: string
  readonly meaning: string
}

/** In the order of the README. */
export const variables = {
  BASE_URL: {
    default: "http://localhost:PORT",
    meaning:
      "The public origin of the server, with which every URL that it sends begins; https, except on this machine."
  },
  PORT: { default: "3000", meaning: "TCP port to listen on." },
  HOST: {
    default: "127.0.0.1",
    meaning: "Address to listen on; 0.0.0.0 for all. One that other machines reach needs an https BASE_URL."
  },
  DATABASE_URL: { default: "embedded PostgreSQL", meaning: "postgres:// URL of a PostgreSQL 15 or newer." },
  DATABASE_MAX_CONNECTIONS: {
    default: "20",
    meaning:
      "Database connections of a process, at most; with SEARCH_WORKERS above 0 a server has three more for the index."
  },
  DATA_DIR: { default: ".data", meaning: "Folder of the embedded PostgreSQL and, by default, of the search index." },
  INDEX_DIR: {
    default: "DATA_DIR/index",
    meaning: "Folder of the snapshots of the search index, which make a start fast; in a container, on a volume."
  },
  SEARCH_WORKERS: {
    default: "cores - 1, at least 1",
    meaning: "Threads that search; one more maintains the index. 0 runs both on the main thread."
  },
  DEMO_SIZE: {
    default: "demo",
    meaning: "Size of the demo data that a new embedded PostgreSQL gets: tiny, demo (2,000 stores) or large (20,000)."
  },
  PLAN_CREDITS_GROWTH: { default: "2000", meaning: "Credits of the plan Growth per account and month." },
  PLAN_CREDITS_PRO: { default: "10000", meaning: "Credits of the plan Pro per account and month." },
  RATE_LIMIT_PER_MINUTE: {
    default: "1200",
    meaning: "Messages to /mcp per account and minute, counted by all servers together; 0 for no limit."
  },
  PAGE_LOOKS_PER_DAY: {
    default: "1000",
    meaning: "Views of catalog pages per account and day (UTC), counted by all servers; 0 for no limit."
  },
  BILLING_URL: {
    default: "BASE_URL/dashboard",
    meaning: "Where a customer changes plan or pays. With Stripe, always the dashboard's page Billing."
  },
  STRIPE_SECRET_KEY: {
    default: "",
    meaning: "Secret or restricted key of Stripe. Set this and the next three variables for billing by Stripe, or none."
  },
  STRIPE_WEBHOOK_SECRET: {
    default: "",
    meaning: "Signing secret of the webhook at BASE_URL/billing/stripe/webhook."
  },
  STRIPE_PRICE_GROWTH: {
    default: "",
    meaning:
      "Ids of the prices of the plan Growth in Stripe, separated by commas: the first is sold, all of them count."
  },
  STRIPE_PRICE_PRO: { default: "", meaning: "Ids of the prices of the plan Pro, likewise." },
  STRIPE_API_URL: {
    default: "https://api.stripe.com",
    meaning: "Origin of Stripe's API. Change it only for tests against a fake Stripe server."
  },
  SUPPORT_URL: { default: "BASE_URL/dashboard", meaning: "Where a customer gets help." },
  SIGN_UP: {
    default: "open",
    meaning: "Whether people may make accounts themselves (open), or only the command line does (closed)."
  },
  SMTP_URL: {
    default: "",
    meaning:
      "Mail server: smtps://user:password@host:465, or smtp:// for STARTTLS. Without it mails are written to DATA_DIR/mail."
  },
  MAIL_FROM: { default: "Discovery <no-reply@HOST of BASE_URL>", meaning: "Sender of the mails." },
  ALLOWED_ORIGINS: {
    default: "",
    meaning: "Accepted values of the header Origin besides BASE_URL, separated by commas; others get 403."
  },
  TRUSTED_PROXIES: {
    default: "",
    meaning:
      "Addresses and networks of the proxies in front of the server, separated by commas. X-Forwarded-For is read from these only."
  },
  CONNECTION_MAX_DAYS: {
    default: "365",
    meaning: "Days after which a connected app needs consent again, however much it is used."
  },
  CLIENT_METADATA_DOCUMENTS: {
    default: "on",
    meaning:
      "Whether apps may identify themselves by a client metadata document (on or off); off for a server without access to the internet."
  },
  COLLECT_CONTACT: {
    default: "",
    meaning:
      "E-mail or web address of whoever runs the command collect, which needs it; stores get it with every request."
  },
  ACTIVITY_DAYS: {
    default: "90",
    meaning: "Days that the activity log keeps each call."
  },
  ADS_EXPIRE_DAYS: {
    default: "7",
    meaning:
      "Days after which an ad that the newest data of its source does not show any more is inactive; for imports."
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "",
    meaning: "OpenTelemetry collector (OTLP over HTTP) for traces, metrics and logs."
  },
  METRICS_PORT: {
    default: "",
    meaning: "TCP port of GET /metrics, for Prometheus; without it there is none. It is never served on PORT."
  },
  METRICS_HOST: {
    default: "127.0.0.1",
    meaning: "Address that METRICS_PORT listens on. The metrics need no credential: keep it private."
  },
  LOG_FORMAT: { default: "pretty on a terminal, else json", meaning: "pretty, logfmt or json." },
  LOG_LEVEL: { default: "Info", meaning: "Trace, Debug, Info, Warn, Error, Fatal or None." }
} as const satisfies Record<string, Variable>

type Name = keyof typeof variables

const read = <T>(schema: Schema.ConstraintCodec<T, unknown>, name: Name) => Config.schema(schema, name)

/** Reads a variable that has its documented default when it is absent. */
const readOrDefault = <T>(schema: Schema.ConstraintCodec<T, unknown>, name: Name) =>
  read(schema, name).pipe(
    Config.withDefault(Schema.decodeUnknownSync(Schema.toCodecStringTree(schema))(variables[name].default))
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

const settings = Config.all({
  port: readOrDefault(whole(1, 65_535), "PORT"),
  host: readOrDefault(Schema.String, "HOST"),
  baseUrl: Config.option(read(PublicOrigin, "BASE_URL")),
  databaseUrl: Config.option(read(Schema.Redacted(Schema.String), "DATABASE_URL")),
  databaseMaxConnections: readOrDefault(whole(2, 1000), "DATABASE_MAX_CONNECTIONS"),
  dataDir: readOrDefault(Schema.String, "DATA_DIR"),
  indexDir: Config.option(read(Schema.String, "INDEX_DIR")),
  searchWorkers: Config.option(read(whole(0, 256), "SEARCH_WORKERS")),
  demoSize: readOrDefault(Schema.Literals(["tiny", "demo", "large"]), "DEMO_SIZE"),
  planCreditsGrowth: readOrDefault(whole(0, maxCredits), "PLAN_CREDITS_GROWTH"),
  planCreditsPro: readOrDefault(whole(0, maxCredits), "PLAN_CREDITS_PRO"),
  rateLimitPerMinute: readOrDefault(whole(0, maxCredits), "RATE_LIMIT_PER_MINUTE"),
  pageViewsPerDay: readOrDefault(whole(0, maxCredits), "PAGE_LOOKS_PER_DAY"),
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
  otlpEndpoint: Config.option(read(Endpoint, "OTEL_EXPORTER_OTLP_ENDPOINT")),
  metricsPort: Config.option(read(whole(1, 65_535), "METRICS_PORT")),
  metricsHost: readOrDefault(Schema.String, "METRICS_HOST"),
  logFormat: Config.option(read(Schema.Literals(["pretty", "logfmt", "json"]), "LOG_FORMAT")),
  logLevel: Config.LogLevel("LOG_LEVEL" satisfies Name).pipe(Config.withDefault(variables.LOG_LEVEL.default))
}).pipe(
  Config.map((values) => {
    const baseUrl = Option.getOrElse(values.baseUrl, () => `http://localhost:${values.port}`)
    const dashboard = () => `${baseUrl}/dashboard`
    return {
      ...values,
      baseUrl,
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
    Effect.andThen(Schema.decodeEffect(Listening)(values), Schema.decodeEffect(Ports)(values)).pipe(
      Effect.mapBoth({ onFailure: (error) => new Config.ConfigError(error), onSuccess: () => values })
    )
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
