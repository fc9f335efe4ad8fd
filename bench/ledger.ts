/**
 * Charges a second on one hot account, through CreditLedger as a server uses it, beside one statement for each charge: in
 * turns, on one PostgreSQL that keeps its promises (fsync and synchronous_commit on).
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect, Layer, Redacted } from "effect"
import { AppConfig } from "../src/Config.ts"
import { Accounts } from "../src/services/accounts/Accounts.ts"
import { ApiKeys } from "../src/services/credentials/ApiKeys.ts"
import { CredentialResolver } from "../src/services/credentials/CredentialResolver.ts"
import { CreditLedger } from "../src/services/credits/CreditLedger.ts"
import type { Charge } from "../src/domain/access/Charge.ts"
import * as LedgerStatements from "../src/services/credits/LedgerStatements.ts"
import { Passwords } from "../src/services/sessions/Passwords.ts"
import * as BenchDatabase from "./support/BenchDatabase.ts"
import { median } from "./support/Median.ts"

const rounds = 5
/** Calls that are at their last step at the same moment. */
const concurrency = 64
const batchedCharges = 10_000
const unbatchedCharges = 1_000

export interface LedgerRow {
  readonly label: string
  readonly chargesPerSecond: number
  /** Against one statement for each charge, in the same round; the median of the rounds, the lowest and the highest. */
  readonly timesUnbatched: number
  readonly lowest: number
  readonly highest: number
}

const services = Layer.mergeAll(Accounts.layer, ApiKeys.layer, CredentialResolver.layer, CreditLedger.layer).pipe(
  Layer.provide(Passwords.layer),
  Layer.provide(NodeCrypto.layer),
  Layer.provide(AppConfig.layerOf({ planCreditsPro: 1_000_000_000 })),
  Layer.provideMerge(BenchDatabase.layer)
)

const measure = Effect.gen(function* () {
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const ledger = yield* CreditLedger
  const resolver = yield* CredentialResolver
  const password = Redacted.make("nine green whales")
  const account = yield* accounts.create({ email: "hot@example.com", plan: "pro", status: "active", password })
  const { secret } = yield* keys.create(account.id, "bench")
  const caller = yield* resolver.resolve(secret)

  let number = 0
  const nextCharge = (): Charge => ({ caller, tool: "search_ads", cost: 1, requestId: `bench-${++number}` })
  const batched = Effect.suspend(() => ledger.charge(nextCharge()))
  const unbatched = Effect.suspend(() => LedgerStatements.charge([nextCharge()]))

  const perSecond = Effect.fnUntraced(function* <A, E, R>(count: number, charge: Effect.Effect<A, E, R>) {
    const before = yield* Clock.monotonicTimeNanos
    yield* Effect.forEach(Array.from({ length: count }), () => charge, { concurrency, discard: true })
    const nanos = (yield* Clock.monotonicTimeNanos) - before
    return count / (Number(nanos) / 1e9)
  })

  yield* perSecond(unbatchedCharges, unbatched)
  yield* perSecond(batchedCharges, batched)
  const samples: Array<{ readonly unbatched: number; readonly batched: number }> = []
  for (let round = 0; round < rounds; round++) {
    samples.push({
      unbatched: yield* perSecond(unbatchedCharges, unbatched),
      batched: yield* perSecond(batchedCharges, batched)
    })
  }
  const ratios = samples.map((sample) => sample.batched / sample.unbatched)
  const rows: ReadonlyArray<LedgerRow> = [
    {
      label: "one statement for each charge",
      chargesPerSecond: median(samples.map((sample) => sample.unbatched)),
      timesUnbatched: 1,
      lowest: 1,
      highest: 1
    },
    {
      label: "CreditLedger, batched",
      chargesPerSecond: median(samples.map((sample) => sample.batched)),
      timesUnbatched: median(ratios),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios)
    }
  ]
  return rows
})

/** Charges a second with 64 calls at once, batched and not. */
export const run = measure.pipe(Effect.provide(services), Effect.scoped)

export const format = (row: LedgerRow): string =>
  `${row.label.padEnd(32)} ${Math.round(row.chargesPerSecond)} charges/s, ${row.timesUnbatched.toFixed(1)}x ` +
  `(${row.lowest.toFixed(1)} to ${row.highest.toFixed(1)})`

if (import.meta.main) {
  run.pipe(
    Effect.flatMap((rows) => Effect.forEach(rows, (row) => Console.log(format(row)), { discard: true })),
    NodeRuntime.runMain
  )
}
