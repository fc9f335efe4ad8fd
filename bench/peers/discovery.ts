/**
 * Our server as it is run: PostgreSQL with its usual durability, the demo catalog, accounts that call one after the other.
 * With `--limited`, with the default rate limit, which no account reaches in all rounds together.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted } from "effect"
import * as Live from "../../src/cli/Live.ts"
import { AppConfig } from "../../src/Config.ts"
import { Accounts } from "../../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../../src/services/credentials/ApiKeys.ts"
import { Passwords } from "../../src/services/sessions/Passwords.ts"
import { demoSource } from "../../demo/DemoData.ts"
import { Importer } from "../../src/services/import/Importer.ts"
import { temporaryFolder } from "../support/BenchDatabase.ts"
import * as DiscoveryPeer from "../support/DiscoveryPeer.ts"

const isLimited = process.argv.includes("--limited")
/** 50 call in a round: 400 free calls and 60 searches each. No account calls in more than two rounds. */
const accountCount = 200

const config = Layer.unwrap(
  Effect.map(temporaryFolder, (dataDir) =>
    AppConfig.layerOf({
      port: 0,
      dataDir,
      planCreditsPro: 100_000_000,
      ...(isLimited ? {} : { rateLimitPerMinute: 0 })
    })
  )
)

/** Day and seed are fixed, so that every run searches the same. */
const catalog = Effect.flatMap(Importer, (importer) =>
  importer.run(demoSource({ size: "demo", seed: "discovery", asOf: "2026-01-01" }), {
    provenance: { source: "demo", license: null, asOf: "2026-01-01" },
    maxRejects: 0,
    onRejects: () => Effect.void,
    onProgress: () => Effect.void
  })
)

const server = Effect.gen(function* () {
  yield* catalog
  const password = yield* Effect.flatMap(Passwords, ({ generate }) => generate)
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const authorizations = yield* Effect.forEach(Array.from({ length: accountCount }), (_, number) =>
    Effect.gen(function* () {
      const email = `bench${number}@example.com`
      const account = yield* accounts.create({ email, plan: "pro", status: "active", password })
      const { secret } = yield* keys.create(account.id, "bench")
      return `Bearer ${Redacted.value(secret)}`
    })
  )
  return DiscoveryPeer.layer(authorizations).pipe(Layer.provide(Live.service))
})

Layer.unwrap(server).pipe(
  Layer.provide(Live.operation),
  Layer.provide(Live.ownDatabase),
  Layer.provide(config),
  Layer.launch,
  NodeRuntime.runMain
)
