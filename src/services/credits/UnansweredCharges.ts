/**
 * Refunds calls that ended without an answer although their charge may have been taken: the connection broke, the database
 * restarted, or the client left. Once the database can be reached, charges that were taken are refunded, and the others are
 * barred, so that a delayed statement takes nothing later.
 *
 * The list is in memory. When the process is killed, or the list is full, its charges stay: at most one batch of calls for
 * each account, within the allowance, and each in the ledger under its request id.
 */
import { Context, Effect, Latch, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { UnansweredCharge } from "./LedgerStatements.ts"
import { refundUnanswered } from "./LedgerStatements.ts"
import * as Metrics from "../metrics/Metrics.ts"

const maxWaiting = 10_000
const maxBatch = 500
/** Also for the last attempt, when the server stops. */
const attempt = "5 seconds"

export class UnansweredCharges extends Context.Service<
  UnansweredCharges,
  {
    readonly add: (charges: ReadonlyArray<UnansweredCharge>) => Effect.Effect<void>
    /** Waits until there is none left. */
    readonly settled: Effect.Effect<void>
  }
>()("discovery/credits/UnansweredCharges") {
  static readonly layer = Layer.effect(
    UnansweredCharges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const waiting = new Map<string, UnansweredCharge>()
      const some = Latch.makeUnsafe(false)
      const none = Latch.makeUnsafe(true)
      yield* Metrics.queueLength.follow({ queue: "refunds" }, () => waiting.size)

      const add = (charges: ReadonlyArray<UnansweredCharge>) =>
        Effect.suspend(() => {
          const fitting = charges.slice(0, Math.max(0, maxWaiting - waiting.size))
          for (const charge of fitting) waiting.set(charge.requestId, charge)
          if (waiting.size > 0) {
            none.closeUnsafe()
            some.openUnsafe()
          }
          return fitting.length === charges.length ? Effect.void : abandon(charges.slice(fitting.length))
        })

      const settleSome = Effect.gen(function* () {
        const batch = Array.from(waiting.values()).slice(0, maxBatch)
        const settled = yield* refundUnanswered(batch)
        for (const { requestId } of settled) waiting.delete(requestId)
        const refunds = settled.filter(({ refunded }) => refunded).length
        yield* Metrics.chargesRefunded.add({}, refunds)
        if (refunds > 0) yield* Effect.logInfo(`Refunded ${refunds} charges of calls that had no answer`)
        if (waiting.size > 0) return
        some.closeUnsafe()
        none.openUnsafe()
      }).pipe(Effect.timeout(attempt), Effect.provideService(SqlClient.SqlClient, sql))

      const settle = Effect.andThen(some.await, settleSome).pipe(
        Effect.retry(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])),
        // A charge that remains was changed concurrently and is clear in a moment.
        Effect.andThen(Effect.suspend(() => (waiting.size === 0 ? Effect.void : Effect.sleep("200 millis")))),
        Effect.forever
      )

      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => (waiting.size === 0 ? Effect.void : settleSome)).pipe(
          Effect.ignore,
          Effect.andThen(Effect.suspend(() => abandon(Array.from(waiting.values()))))
        )
      )
      yield* Effect.forkScoped(settle)
      return { add, settled: none.await }
    })
  )
}

/** The operator can find the entries by their request ids. */
const abandon = (charges: ReadonlyArray<UnansweredCharge>): Effect.Effect<void> =>
  charges.length === 0
    ? Effect.void
    : Effect.logError("Charges of calls without an answer could not be settled", {
        requestIds: charges.map(({ requestId }) => requestId)
      })
