/**
 * What it costs to find the caller behind an access token, beside an API key: through CredentialResolver as a server uses it,
 * in turns, in one run, on one PostgreSQL with as many of both as a service of some size has.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { AppConfig } from "../src/Config.ts"
import * as Credential from "../src/domain/access/Credential.ts"
import { CredentialResolver } from "../src/services/credentials/CredentialResolver.ts"
import * as BenchDatabase from "./support/BenchDatabase.ts"
import { median } from "./support/Median.ts"

const rounds = 9
const accounts = 20_000
/** Of each kind, spread over the accounts. */
const credentials = 100_000
/** Different ones that are asked for in turn. */
const asked = 2_000
const lookups = 20_000

interface Setting {
  readonly label: string
  /** Lookups under way at the same moment. */
  readonly concurrency: number
}

const settings: ReadonlyArray<Setting> = [
  { label: "one at a time", concurrency: 1 },
  { label: "64 at once", concurrency: 64 }
]

export interface CredentialsRow {
  readonly label: string
  /** Time of an access token against an API key, in the same round: the median of the rounds, the lowest, the highest. */
  readonly timesApiKey: number
  readonly lowest: number
  readonly highest: number
}

const config = AppConfig.layerOf({})

const services = CredentialResolver.layer.pipe(
  Layer.provide([NodeCrypto.layer, config]),
  Layer.provideMerge(Layer.merge(BenchDatabase.layer, config))
)

/** The same secrets in every run. */
const secretOf = (kind: Credential.CredentialKind, number: number): string =>
  Credential.make(kind, createHash("sha384").update(`${kind} ${number}`).digest())

/** Rows as the services write them, without their limits; of the hashes, all but those that are asked for are made up. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { mcpUrl } = yield* AppConfig
  const hashes = (kind: Credential.CredentialKind) =>
    Array.from({ length: asked }, (_, number) => createHash("sha256").update(secretOf(kind, number)).digest("hex"))
  const hash = (kind: Credential.CredentialKind) => sql`
    coalesce(decode((${hashes(kind)}::text[])[n], 'hex'), sha256(${kind}::text::bytea || n::text::bytea))`
  const accountOf = sql`1 + n % ${accounts}::integer`
  yield* sql`
    INSERT INTO account (email, plan, status, subscription_began_on, created_at)
    SELECT 'account' || n || '@example.com', 'growth', 'active', CURRENT_DATE, now()
    FROM generate_series(1, ${accounts}::integer) n`
  yield* sql`
    INSERT INTO credit_period (account_id, period_start, period_end, allowance)
    SELECT id, CURRENT_DATE, CURRENT_DATE + 28, 2000 FROM account`
  yield* sql`
    INSERT INTO api_key (account_id, name, hash, last_four, created_at)
    SELECT ${accountOf}, 'bench', ${hash("api_key")}, 'last', now() FROM generate_series(1, ${credentials}::integer) n`
  yield* sql`
    INSERT INTO oauth_grant (account_id, client_id, client_name, resource, approved_at, connected_at, usable_until, ends_at)
    SELECT ${accountOf}, 'https://app.example/client.json', 'bench', ${mcpUrl}, now(), now(), now() + interval '30 days',
      now() + interval '1 year'
    FROM generate_series(1, ${credentials}::integer) n`
  yield* sql`
    INSERT INTO oauth_access_token (hash, grant_id, account_id, resource, expires_at)
    SELECT ${hash("access_token")}, g.id, g.account_id, g.resource, now() + interval '1 hour'
    FROM generate_series(1, ${credentials}::integer) n JOIN oauth_grant g ON g.id = n`
  yield* sql`VACUUM (ANALYZE) account, credit_period, api_key, oauth_grant, oauth_access_token`
})

const measure = Effect.gen(function* () {
  yield* fill
  const resolver = yield* CredentialResolver
  const secrets = (kind: Credential.CredentialKind) =>
    Array.from({ length: lookups }, (_, index) => Redacted.make(secretOf(kind, index % asked)))
  const kinds = { api_key: secrets("api_key"), access_token: secrets("access_token") }

  const nanosOf = Effect.fnUntraced(function* (kind: Credential.CredentialKind, concurrency: number) {
    const before = yield* Clock.monotonicTimeNanos
    yield* Effect.forEach(kinds[kind], (secret) => resolver.resolve(secret), { concurrency, discard: true })
    return Number((yield* Clock.monotonicTimeNanos) - before)
  })

  const rows: Array<CredentialsRow> = []
  for (const { concurrency, label } of settings) {
    yield* nanosOf("api_key", concurrency)
    yield* nanosOf("access_token", concurrency)
    const ratios: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      // Who goes first changes, so that neither always finds what the other has warmed.
      const keyFirst = round % 2 === 0
      const before = keyFirst ? yield* nanosOf("api_key", concurrency) : 0
      const token = yield* nanosOf("access_token", concurrency)
      const key = keyFirst ? before : yield* nanosOf("api_key", concurrency)
      ratios.push(token / key)
    }
    rows.push({ label, timesApiKey: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) })
  }
  return rows
})

const format = ({ highest, label, lowest, timesApiKey }: CredentialsRow): string =>
  `an access token, ${label.padEnd(16)} ${timesApiKey.toFixed(2)}x the time of an API key ` +
  `(${lowest.toFixed(2)} to ${highest.toFixed(2)})`

measure.pipe(
  Effect.provide(services),
  Effect.scoped,
  Effect.flatMap((rows) => Effect.forEach(rows, (row) => Console.log(format(row)), { discard: true })),
  NodeRuntime.runMain
)
