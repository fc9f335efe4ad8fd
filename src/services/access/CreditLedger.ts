/** The append-only ledger of credits and the balance that follows from it (D13 to D16). */
import { Array, Clock, Context, Effect, Exit, Layer, Request, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../Config.ts"
import type { Caller } from "../../domain/access/Account.ts"
import { keyConflict, unfitKey } from "../../domain/access/ChargeError.ts"
import type { InsufficientCredits, InvalidArguments, ServiceUnavailable } from "../../domain/ToolError.ts"
import { available, availableToRead } from "../database/Availability.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { batched } from "./Batches.ts"
import * as CreditPeriods from "./CreditPeriods.ts"
import type { Decision } from "./LedgerStatements.ts"
import * as LedgerStatements from "./LedgerStatements.ts"
import { UnansweredCharges } from "./UnansweredCharges.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** `fingerprint` is the SHA-256 of tool and arguments in hex: the same key with another one is an error. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

export interface Charge {
  readonly caller: Caller
  readonly tool: string
  /** Credits, a positive whole number. */
  readonly cost: number
  /** Unique per call and made by the server: a charge that is sent twice, because its answer was lost, is taken once. */
  readonly requestId: string
  readonly idempotency?: IdempotencyKey
}

/** What was taken (0 for a repeat under an idempotency key) and what is left in the period. */
export interface Charged {
  readonly cost: number
  readonly remaining: number
}

export type ChargeError = InsufficientCredits | InvalidArguments | ServiceUnavailable

/** Accounts are spread over as many lanes: a batch waits for the locks of its own accounts only. */
const lanes = 4
const maxBatch = 500
/** Seven attempts over three seconds; a restart of PostgreSQL takes one. */
const retries = 6
const deadline = "8 seconds"
const forgetEvery = "1 hour"

class ChargeRequest extends Request.Class<
  { readonly charge: Charge; readonly progress: { sent: boolean } },
  Charged,
  ChargeError
> {}

export class CreditLedger extends Context.Service<
  CreditLedger,
  {
    /**
     * The last step of a successful call, also when {@link lookup} said `repeat`. All or nothing; concurrent charges go to
     * the database as one statement. A caller that is interrupted meanwhile, or that gets an error, has not paid: what was
     * taken all the same is given back in the background.
     */
    charge(charge: Charge): Effect.Effect<Charged, ChargeError>
    /** Of calls that succeeded, but whose answer nobody can read any more: what was taken is given back in the background. */
    giveBack(charges: ReadonlyArray<Charge>): Effect.Effect<void>
    /** Before the work is done: `repeat` is already paid for, `new` is not, and a key used otherwise is refused. */
    lookup(
      caller: Caller,
      idempotency: IdempotencyKey
    ): Effect.Effect<"new" | "repeat", InvalidArguments | ServiceUnavailable>
  }
>()("discovery/access/CreditLedger") {
  static readonly layerNoDeps = Layer.effect(
    CreditLedger,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const config = yield* AppConfig
      const allowances = CreditPeriods.allowances(config)
      const unanswered = yield* UnansweredCharges
      const onDatabase = Effect.provideService(SqlClient.SqlClient, sql)

      /** The same request ids at every attempt: what an attempt of unknown outcome took, the next one finds. */
      const takeOnce = (charges: ReadonlyArray<Charge>, nowMillis: number) =>
        LedgerStatements.charge(charges, nowMillis).pipe(available({ retries, deadline }), onDatabase)

      /** Charges; then opens the periods that have begun since the callers were looked up, and charges those again. */
      const take = Effect.fnUntraced(function* (charges: ReadonlyArray<Charge>, nowMillis: number) {
        const decisions = yield* takeOnce(charges, nowMillis)
        const lacking = decisions.filter(({ outcome }) => outcome === "no_period").map(({ n }) => n)
        if (lacking.length === 0) return decisions
        const again = Array.getSomes(lacking.map((n) => Array.get(charges, n)))
        yield* CreditPeriods.openFor(
          allowances,
          Array.dedupe(again.map(({ caller }) => caller.accountId)),
          nowMillis
        ).pipe(available({ retries, deadline }), onDatabase)
        const decided = yield* takeOnce(again, nowMillis)
        const later = new Map(decided.map((decision) => [lacking[decision.n], decision]))
        return decisions.map((decision) => later.get(decision.n) ?? decision)
      })

      const run = Effect.fnUntraced(function* (entries: ReadonlyArray<Request.Entry<ChargeRequest>>) {
        const now = yield* Clock.currentTimeMillis
        const byRequestId = Array.groupBy(entries, (entry) => entry.request.charge.requestId)
        const groups = Object.values(byRequestId)
        const charges = groups.map(([first]) => first.request.charge)
        for (const entry of entries) entry.request.progress.sent = true
        const taken = yield* Effect.exit(take(charges, now))
        if (Exit.isFailure(taken)) {
          yield* unanswered.add(charges.map(toUnanswered))
          for (const entry of entries) entry.completeUnsafe(Exit.failCause(taken.cause))
          return
        }
        const decisions = new Map(taken.value.map((decision) => [charges[decision.n]?.requestId, decision]))
        for (const entry of entries) {
          const decision = decisions.get(entry.request.charge.requestId)
          entry.completeUnsafe(answer(entry.request.charge, decision, now, config.billingUrl))
        }
      })

      const resolvers = Array.makeBy(lanes, () =>
        batched<ChargeRequest>({ sql, maxInFlight: 1, maxSize: maxBatch, run })
      )

      const charge = Effect.fnUntraced(function* (charge: Charge): Effect.fn.Return<Charged, ChargeError> {
        if (charge.idempotency !== undefined) yield* checkKey(charge.idempotency.key)
        const resolver = resolvers[charge.caller.accountId % lanes] ?? resolvers[0]
        const request = new ChargeRequest({ charge, progress: { sent: false } })
        return yield* Effect.request(request, resolver).pipe(
          Effect.onInterrupt(() => (request.progress.sent ? unanswered.add([toUnanswered(charge)]) : Effect.void))
        )
      })

      const lookup = Effect.fnUntraced(function* (caller: Caller, idempotency: IdempotencyKey) {
        yield* checkKey(idempotency.key)
        const now = yield* Clock.currentTimeMillis
        const stored = yield* LedgerStatements.fingerprintOf(caller.accountId, idempotency.key, now).pipe(
          availableToRead,
          onDatabase
        )
        if (stored === undefined) return "new"
        return stored === idempotency.fingerprint ? "repeat" : yield* keyConflict()
      })

      yield* DatabaseClock.deleting(LedgerStatements.forgetOldKeys).pipe(
        onDatabase,
        Effect.catch((error) => Effect.logWarning("Old idempotency keys could not be removed", error)),
        Effect.schedule(Schedule.spaced(forgetEvery)),
        Effect.forkScoped
      )

      const giveBack = (charges: ReadonlyArray<Charge>) => unanswered.add(charges.map(toUnanswered))

      return { charge, giveBack, lookup }
    })
  )

  static readonly layer = CreditLedger.layerNoDeps.pipe(Layer.provide(UnansweredCharges.layer))
}

const checkKey = (key: string): Effect.Effect<void, InvalidArguments> => {
  const unfit = unfitKey(key)
  return unfit === undefined ? Effect.void : Effect.fail(unfit)
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
