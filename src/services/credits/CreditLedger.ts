/** Charges and refunds in the append-only ledger of credits (D13 to D16). */
import { Array, Clock, Context, Effect, Exit, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { AccountId, Caller } from "../../domain/access/Account.ts"
import type { Charge, Charged, IdempotencyKey } from "../../domain/access/Charge.ts"
import { keyConflict, refusedKey } from "../../domain/access/IdempotencyKey.ts"
import type { InsufficientCredits, InvalidArguments, ServiceUnavailable } from "../../domain/ToolError.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import { available, availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import * as Metrics from "../metrics/Metrics.ts"
import { batched } from "../database/BatchedRequests.ts"
import type { Entry } from "../database/BatchedRequests.ts"
import * as CreditPeriods from "./CreditPeriods.ts"
import type { Decision } from "./LedgerStatements.ts"
import * as LedgerStatements from "./LedgerStatements.ts"
import { UnansweredCharges } from "./UnansweredCharges.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

export type ChargeError = InsufficientCredits | InvalidArguments | ServiceUnavailable

/**
 * A statement of many charges costs little more than one of a single charge, so that the first lane, with one statement at a time,
 * takes them all. The others are for accounts that would wait for a statement that is slow, for example because an account of it is
 * locked.
 */
const laneCount = 4
const slowMillis = 50
const maxBatch = 500
/** Seven attempts over three seconds; PostgreSQL restarts in one second. */
const retries = 6
const deadline = "8 seconds"

interface ChargeRequest {
  readonly charge: Charge
  isSent: boolean
}
type ChargeEntry = Entry<ChargeRequest, Charged, ChargeError>

interface Lane {
  readonly charge: (request: ChargeRequest) => Effect.Effect<Charged, ChargeError>
  /** The statement that is under way: when it began, and its accounts. */
  statement: { readonly beganMillis: number; readonly accounts: ReadonlySet<AccountId> } | undefined
}

export class CreditLedger extends Context.Service<
  CreditLedger,
  {
    /**
     * The last step of a successful call, also after {@link lookup} returned `repeat`. Concurrent charges are one statement.
     * A caller that is interrupted or gets an error has not paid: a charge that was taken anyway is refunded in the
     * background.
     */
    charge(charge: Charge): Effect.Effect<Charged, ChargeError>
    /** Refunds, in the background, successful calls whose answer could not be delivered. */
    giveBack(charges: ReadonlyArray<Charge>): Effect.Effect<void>
    /** Called before the tool runs: `repeat` is already paid for. A key that was used for other arguments is refused. */
    lookup(
      caller: Caller,
      idempotency: IdempotencyKey
    ): Effect.Effect<"new" | "repeat", InvalidArguments | ServiceUnavailable>
  }
>()("discovery/credits/CreditLedger") {
  static readonly layer = Layer.effect(
    CreditLedger,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const config = yield* AppConfig
      const allowances = CreditPeriods.allowances(config)
      const unanswered = yield* UnansweredCharges
      const onDatabase = Effect.provideService(SqlClient.SqlClient, sql)

      /** Every attempt has the same request ids, so that a retry finds what an attempt of unknown outcome has taken. */
      const takeOnce = (charges: ReadonlyArray<Charge>) =>
        LedgerStatements.charge(charges).pipe(available({ retries, deadline }), onDatabase)

      /** Opens periods that have begun since the callers were resolved, and charges those callers again. */
      const take = Effect.fnUntraced(function* (charges: ReadonlyArray<Charge>) {
        const decisions = yield* takeOnce(charges)
        const lacking = decisions.filter(({ outcome }) => outcome === "no_period").map(({ n }) => n)
        if (lacking.length === 0) return decisions
        const again = Array.getSomes(lacking.map((n) => Array.get(charges, n)))
        const accountIds = Array.dedupe(again.map(({ caller }) => caller.accountId))
        yield* Effect.flatMap(DatabaseClock.currentTimeMillis, (nowMillis) =>
          CreditPeriods.openFor(allowances, accountIds, nowMillis)
        ).pipe(available({ retries, deadline }), onDatabase)
        const decided = yield* takeOnce(again)
        // Their numbers are those in `again`.
        const later = new Map(decided.map((decision) => [lacking[decision.n], decision]))
        return decisions.map((decision) => ({ ...(later.get(decision.n) ?? decision), n: decision.n }))
      })

      /** The database's clock decides when the credits renew. If it cannot be read in time, the server's does. */
      const timeOfRefusal = DatabaseClock.currentTimeMillis.pipe(
        Effect.timeout("1 second"),
        Effect.catchCause(() => Clock.currentTimeMillis),
        onDatabase
      )

      const run = Effect.fnUntraced(function* (entries: ReadonlyArray<ChargeEntry>) {
        const byRequestId = Array.groupBy(entries, (entry) => entry.request.charge.requestId)
        const groups = Object.values(byRequestId)
        const charges = groups.map(([first]) => first.request.charge)
        for (const entry of entries) entry.request.isSent = true
        const taken = yield* Effect.exit(take(charges))
        if (Exit.isFailure(taken)) {
          yield* unanswered.add(charges.map(toUnanswered))
          yield* Metrics.charges.add({ outcome: "unavailable" }, charges.length)
          for (const entry of entries) entry.completeUnsafe(Exit.failCause(taken.cause))
          return
        }
        const decisions = new Map(taken.value.map((decision) => [charges[decision.n]?.requestId, decision]))
        yield* Effect.forEach(taken.value, ({ outcome }) => Metrics.charges.add({ outcome: measured[outcome] }), {
          discard: true
        })
        const complete = (entry: ChargeEntry, nowMillis: number) => {
          const decision = decisions.get(entry.request.charge.requestId)
          entry.completeUnsafe(answer(entry.request.charge, decision, nowMillis, config.billingUrl))
        }
        // Only a refusal names a time. The other calls do not wait until it is read.
        const [refused, others] = Array.partition(entries, (entry) =>
          namesTime(decisions.get(entry.request.charge.requestId)) ? Result.succeed(entry) : Result.fail(entry)
        )
        for (const entry of others) complete(entry, 0)
        if (refused.length === 0) return
        const now = yield* timeOfRefusal
        for (const entry of refused) complete(entry, now)
      })

      const runIn = (lane: Lane, entries: ReadonlyArray<ChargeEntry>) =>
        Effect.flatMap(Clock.currentTimeMillis, (beganMillis) => {
          const accounts = new Set(entries.map(({ request }) => request.charge.caller.accountId))
          lane.statement = { beganMillis, accounts }
          return Effect.ensuring(
            run(entries),
            Effect.sync(() => (lane.statement = undefined))
          )
        })

      const lanes = Array.makeBy(laneCount, () => {
        const lane: Lane = {
          charge: batched({ sql, maxInFlight: 1, maxSize: maxBatch, run: (entries) => runIn(lane, entries) }),
          statement: undefined
        }
        return lane
      })

      /** An account that a statement waits for has no other lane, so that it holds up one at most. */
      const laneOf = (accountId: AccountId, nowMillis: number): Lane =>
        lanes.find(({ statement }) => statement?.accounts.has(accountId)) ??
        lanes.find(({ statement }) => statement === undefined || nowMillis - statement.beganMillis <= slowMillis) ??
        lanes[accountId % laneCount] ??
        lanes[0]

      const charge = Effect.fnUntraced(function* (charge: Charge): Effect.fn.Return<Charged, ChargeError> {
        if (charge.idempotency !== undefined) yield* checkKey(charge.idempotency.key)
        const lane = laneOf(charge.caller.accountId, yield* Clock.currentTimeMillis)
        const request: ChargeRequest = { charge, isSent: false }
        return yield* lane.charge(request).pipe(
          Effect.onInterrupt(() => (request.isSent ? unanswered.add([toUnanswered(charge)]) : Effect.void)),
          Metrics.queueLength.during({ queue: "charges" })
        )
      })

      const lookup = Effect.fnUntraced(function* (caller: Caller, idempotency: IdempotencyKey) {
        yield* checkKey(idempotency.key)
        const stored = yield* LedgerStatements.fingerprintOf(caller.accountId, idempotency.key).pipe(
          availableToRead,
          onDatabase
        )
        if (stored === undefined) return "new"
        return stored === idempotency.fingerprint ? "repeat" : yield* keyConflict()
      })

      yield* DatabaseClock.deleting(LedgerStatements.forgetOldKeys, 0).pipe(
        onDatabase,
        BackgroundJob.repeat("1 hour", "Expired idempotency keys could not be deleted")
      )

      const giveBack = (charges: ReadonlyArray<Charge>) => unanswered.add(charges.map(toUnanswered))

      return { charge, giveBack, lookup }
    })
  ).pipe(Layer.provide(UnansweredCharges.layer))
}

/** A period that could not be opened has no credits. */
const measured = {
  charged: "charged",
  repeat: "repeat",
  conflict: "conflict",
  insufficient: "insufficient",
  no_period: "insufficient",
  barred: "barred"
} as const satisfies Record<Decision["outcome"], string>

const namesTime = (decision: Decision | undefined): boolean =>
  decision?.outcome === "insufficient" || decision?.outcome === "no_period"

const checkKey = (key: string): Effect.Effect<void, InvalidArguments> => {
  const refused = refusedKey(key)
  return refused === undefined ? Effect.void : Effect.fail(refused)
}

const toUnanswered = ({ caller, idempotency, requestId }: Charge): LedgerStatements.UnansweredCharge => ({
  accountId: caller.accountId,
  requestId,
  ...(idempotency === undefined ? {} : { key: idempotency.key })
})

const answer = (
  charge: Charge,
  decision: Decision | undefined,
  nowMillis: number,
  billingUrl: string
): Exit.Exit<Charged, ChargeError> => {
  const remaining = decision?.remaining ?? 0
  switch (decision?.outcome) {
    case "charged":
      return Exit.succeed({ cost: charge.cost, remaining })
    case "repeat":
      return Exit.succeed({ cost: 0, remaining })
    case "conflict":
      return Exit.fail(keyConflict())
    case "insufficient":
    case "no_period":
      return Exit.fail(
        ToolErrorMessages.insufficientCredits({
          cost: charge.cost,
          remaining,
          periodEnd: decision.periodEnd ?? charge.caller.credits.periodEnd,
          nowMillis,
          billingUrl
        })
      )
    case "barred":
    case undefined:
      return Exit.fail(ToolErrorMessages.unavailable("database"))
  }
}
