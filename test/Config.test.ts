import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted, Schema } from "effect"
import * as os from "node:os"
import { AppConfig, type variables } from "../src/Config.ts"
import { Threads } from "../src/domain/SettingValues.ts"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.flip(
    Effect.provide(AppConfig, AppConfig.layer).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    )
  )

/** A value that must be refused; the variables that are missing here take any text. */
const wrong: Partial<Record<keyof typeof variables, ReadonlyArray<string>>> = {
  BASE_URL: [
    "discovery.example.com",
    "https://discovery.example.com/",
    "https://EXAMPLE.com",
    "ftp://example.com",
    "http://discovery.example.com",
    "http://10.0.0.1:3000",
    "http://localhost.example.com",
    "http://127.0.0.2:3000"
  ],
  PORT: ["0", "65536", "http", "80.5", "0x10", "3e3", "-1"],
  DATABASE_MAX_CONNECTIONS: ["1", "many"],
  HTTP_THREADS: ["0", "65", "11", "all"],
  SEARCH_WORKERS: ["-1", "257", "all"],
  SEARCH_ENGINE: ["postgres"],
  CLICKHOUSE_URL: [
    "clickhouse.example.com",
    "clickhouse://example.com",
    "https://example.com/a/b",
    "https://example.com/a-b",
    "https://example.com/a?database=b",
    "https://example.com/#a",
    "https://100%:a@example.com"
  ],
  CLICKHOUSE_CLUSTER: ["a b", "a'", "1", "a-b"],
  DEMO_SIZE: ["huge"],
  PLAN_CREDITS_GROWTH: ["-1", "1e99"],
  PLAN_CREDITS_PRO: ["x"],
  RATE_LIMIT_PER_MINUTE: ["-5"],
  BILLING_URL: ["javascript:alert(1)", "example.com", "https://:secret@example.com/billing"],
  SUPPORT_URL: ["data:text/html,x"],
  STRIPE_PRICE_GROWTH: ["growth", "price_1, 2", "price_1;price_2"],
  STRIPE_PRICE_PRO: ["prod_1"],
  STRIPE_API_URL: ["stripe", "http://stripe.example.com", "https://api.stripe.com/v1"],
  SIGN_UP: ["on", "yes"],
  SMTP_URL: [
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp://mail.example.com/path",
    "smtps://mail.example.com?secure=false"
  ],
  MAIL_FROM: ["me", "a@example.com, b@example.com", "Discovery <me>", "Eve\r\nBcc: x <a@example.com>"],
  ALLOWED_ORIGINS: ["https://a.example, b.example", "https://a.example/path"],
  TRUSTED_PROXIES: ["proxy", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.1,::g"],
  CONNECTION_MAX_DAYS: ["0", "3651"],
  COLLECT_CONTACT: [
    "me",
    "a b@example.com",
    "ops@example.com\r\nX-Evil: 1",
    "https://:secret@example.com/about",
    "https://example.com/(about)"
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["localhost:4318"],
  METRICS_PORT: ["0", "65536", "http", "3000"],
  LOG_FORMAT: ["xml"],
  LOG_LEVEL: ["loud"]
}

describe("AppConfig", () => {
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      it.effect(`D4 refuses ${name}=${value} with a message that names it`, () =>
        Effect.gen(function* () {
          const error = yield* read({ [name]: value })
          assert.include(error.message, `["${name}"]`)
        })
      )
    }
  }

  const ranges: ReadonlyArray<readonly [name: keyof typeof variables, least: number, most: number]> = [
    ["PORT", 1, 65_535],
    ["DATABASE_MAX_CONNECTIONS", 2, 1_000],
    ["SEARCH_WORKERS", 0, 256],
    ["PLAN_CREDITS_GROWTH", 0, 1_000_000_000],
    ["PLAN_CREDITS_PRO", 0, 1_000_000_000],
    ["RATE_LIMIT_PER_MINUTE", 0, 1_000_000_000],
    ["PAGE_VIEWS_PER_DAY", 0, 1_000_000_000],
    ["CONNECTION_MAX_DAYS", 1, 3_650],
    ["ACTIVITY_DAYS", 1, 3_650],
    ["ADS_EXPIRE_DAYS", 1, 3_650],
    ["HISTORY_DAYS", 1, 3_650],
    ["METRICS_PORT", 1, 65_535]
  ]
  it.effect.each(ranges)("D4 accepts %s from %i to %i, and refuses one less and one more", ([name, least, most]) =>
    Effect.gen(function* () {
      for (const value of [least, most]) yield* Effect.flip(read({ [name]: String(value) }))
      for (const value of [least - 1, most + 1]) {
        const error = yield* read({ [name]: String(value) })
        assert.include(error.message, `["${name}"]`)
      }
    })
  )

  it.effect.each([
    { platform: "linux", httpThreads: 10, refusal: undefined },
    {
      platform: "linux",
      httpThreads: 11,
      refusal: "Set HTTP_THREADS to at most 10, or DATABASE_MAX_CONNECTIONS to at least 22"
    },
    { platform: "darwin", httpThreads: 1, refusal: undefined },
    { platform: "darwin", httpThreads: 2, refusal: "HTTP_THREADS=2 needs Linux" }
  ])("D107 $httpThreads threads on $platform with 20 connections", ({ refusal, ...settings }) =>
    Effect.gen(function* () {
      const decoded = Schema.decodeEffect(Threads)({ ...settings, databaseMaxConnections: 20 })
      const message = yield* Effect.match(decoded, { onFailure: String, onSuccess: () => undefined })
      if (refusal === undefined) assert.isUndefined(message)
      else assert.include(message, refusal)
    })
  )

  it.effect("D107 has one thread with the embedded PostgreSQL, and by default one for eight connections", () =>
    Effect.gen(function* () {
      const threads = (env: Readonly<Record<string, string>>) =>
        Effect.provide(AppConfig, AppConfig.layer).pipe(
          Effect.map(({ httpThreads }) => httpThreads),
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
        )
      assert.strictEqual(yield* threads({}), 1)
      const half = process.platform === "linux" ? Math.floor(os.availableParallelism() / 2) : 1
      for (const connections of [7, 20, 800]) {
        const byDefault = yield* threads({
          DATABASE_URL: "postgres://db.internal/discovery",
          DATABASE_MAX_CONNECTIONS: String(connections)
        })
        assert.strictEqual(byDefault, Math.max(1, Math.min(half, Math.floor(connections / 8))))
      }
    })
  )

  const settingsOf = (env: Readonly<Record<string, string>>) =>
    Effect.provide(AppConfig, AppConfig.layer).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
    )

  it.effect("D109 an engine needs an address, of which it takes user, password and database", () =>
    Effect.gen(function* () {
      assert.include((yield* read({ SEARCH_ENGINE: "clickhouse" })).message, `["CLICKHOUSE_URL"]`)
      const { clickhouse, searchEngine } = yield* settingsOf({
        SEARCH_ENGINE: "clickhouse",
        CLICKHOUSE_URL: "https://us%40er:p%3Aw%2F@db.example.com:8443/catalog"
      })
      assert.strictEqual(searchEngine, "clickhouse")
      assert.deepStrictEqual(Option.getOrThrow(clickhouse), {
        url: "https://db.example.com:8443",
        user: "us@er",
        password: Redacted.make("p:w/"),
        database: "catalog"
      })
      const bare = Option.getOrThrow((yield* settingsOf({ CLICKHOUSE_URL: "http://localhost:8123" })).clickhouse)
      assert.deepStrictEqual([bare.user, Redacted.value(bare.password), bare.database], ["default", "", "default"])
    })
  )

  it.effect("D109 an address that is refused is not repeated", () =>
    Effect.gen(function* () {
      const { message } = yield* read({ CLICKHOUSE_URL: "https://me:hunter2@db.example.com/a?b=c" })
      assert.notInclude(message, "hunter2")
    })
  )

  it.effect("R7 accepts an http BASE_URL for this machine only, and says so", () =>
    Effect.gen(function* () {
      const { message } = yield* read({ BASE_URL: "http://discovery.example.com" })
      assert.include(message, "https: unless the host is localhost, 127.0.0.1 or [::1]")
      for (const baseUrl of ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080", "https://10.0.0.1"]) {
        const config = yield* Effect.provide(AppConfig, AppConfig.layer).pipe(
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { BASE_URL: baseUrl } }))
        )
        assert.strictEqual(config.mcpUrl, `${baseUrl}/mcp`)
      }
    })
  )

  it.effect.each([
    { HOST: "0.0.0.0" },
    { HOST: "::" },
    { HOST: "10.0.0.5", BASE_URL: "http://localhost:3000" },
    { HOST: "discovery.internal" },
    { HOST: "0" }
  ])("R7 refuses to listen for other machines without https, and names both variables: %j", (env) =>
    Effect.gen(function* () {
      const { message } = yield* read(env)
      assert.include(message, `HOST=${env.HOST}`)
      assert.include(message, "BASE_URL")
      assert.include(message, `["HOST"]`)
    })
  )

  it.effect.each([
    { HOST: "0.0.0.0", BASE_URL: "https://discovery.example.com" },
    { HOST: "localhost" },
    { HOST: "127.0.0.2" },
    { HOST: "::1" },
    { HOST: "::ffff:127.0.0.1" }
  ])("R7 listens for other machines with https, and for this one with http: %j", (env) =>
    Effect.gen(function* () {
      const { host } = yield* Effect.provide(AppConfig, AppConfig.layer).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      )
      assert.strictEqual(host, env.HOST)
    })
  )

  describe("D70 the variables of Stripe", () => {
    const all = {
      STRIPE_SECRET_KEY: "sk_test_1secret",
      STRIPE_WEBHOOK_SECRET: "whsec_1secret",
      STRIPE_PRICE_GROWTH: "price_1, price_2",
      STRIPE_PRICE_PRO: "price_3"
    }
    const configured = (env: Readonly<Record<string, string>>) =>
      Effect.provide(AppConfig, AppConfig.layer).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      )

    it.effect("turn billing on together, and then billing is a page of the dashboard", () =>
      Effect.gen(function* () {
        const { billingUrl, stripe } = yield* configured({ ...all, BILLING_URL: "https://elsewhere.example.com" })
        assert.deepStrictEqual(Option.getOrUndefined(stripe)?.prices, {
          growth: ["price_1", "price_2"],
          pro: ["price_3"]
        })
        assert.strictEqual(billingUrl, "http://localhost:3000/dashboard/billing")
        const { stripe: none } = yield* configured({ STRIPE_SECRET_KEY: "", STRIPE_PRICE_PRO: "" })
        assert.isTrue(Option.isNone(none))
      })
    )

    it.effect.each(Object.keys(all))("stop the start when %s is missing, and name it", (name) =>
      Effect.gen(function* () {
        const { message } = yield* read({ ...all, [name]: "" })
        assert.include(message, `${name} is missing`)
        assert.include(message, `["${name}"]`)
        assert.notInclude(message, "1secret")
      })
    )

    it.effect.each([
      { STRIPE_SECRET_KEY: "whsec_1secret" },
      { STRIPE_SECRET_KEY: "pk_test_1secret" },
      { STRIPE_WEBHOOK_SECRET: "sk_test_1secret" },
      { STRIPE_PRICE_PRO: "price_3,price_2" }
    ])("stop the start when they are swapped, without a secret in the message: %j", (wrong) =>
      Effect.gen(function* () {
        const { message } = yield* read({ ...all, ...wrong })
        assert.include(message, `["${Object.keys(wrong)[0] ?? ""}"]`)
        assert.notInclude(message, "1secret")
      })
    )
  })

  it.effect("has a default for everything, and builds every address from BASE_URL", () =>
    Effect.gen(function* () {
      const config = yield* Effect.provide(AppConfig, AppConfig.layerOf({}))
      assert.strictEqual(config.mcpUrl, "http://localhost:3000/mcp")
      const hosted = yield* Effect.provide(AppConfig, AppConfig.layer).pipe(
        Effect.provideService(
          ConfigProvider.ConfigProvider,
          ConfigProvider.fromEnv({
            env: {
              BASE_URL: "https://discovery.example.com",
              PORT: "8080",
              ALLOWED_ORIGINS: "https://a.example, https://b.example"
            }
          })
        )
      )
      assert.strictEqual(hosted.mcpUrl, "https://discovery.example.com/mcp")
      assert.strictEqual(hosted.billingUrl, "https://discovery.example.com/dashboard")
      assert.sameMembers(
        [...hosted.allowedOrigins],
        ["https://discovery.example.com", "https://a.example", "https://b.example"]
      )
    })
  )
})
