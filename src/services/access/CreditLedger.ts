/** The append-only ledger of credits and the balance that follows from it (decisions.md, "Credits"). */
import { Context } from "effect"
import type { Effect } from "effect"
import type { Caller } from "../../domain/access/Account.ts"
import type { InsufficientCredits, InvalidArguments, ServiceUnavailable } from "../../domain/ToolError.ts"

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
  /** Unique per call: a charge that is sent twice, because its answer was lost, is taken once. */
  readonly requestId: string
  readonly idempotency?: IdempotencyKey
}

/** What was taken (0 for a repeat under an idempotency key) and what is left in the period. */
export interface Charged {
  readonly cost: number
  readonly remaining: number
}

export class CreditLedger extends Context.Service<
  CreditLedger,
  {
    /** The last step of a successful call. All or nothing; concurrent charges go to the database as one statement. */
    charge(charge: Charge): Effect.Effect<Charged, InsufficientCredits | InvalidArguments | ServiceUnavailable>
    /** Before the work is done: `repeat` is already paid for, `new` is not, and a key used otherwise is refused. */
    lookup(
      caller: Caller,
      idempotency: IdempotencyKey
    ): Effect.Effect<"new" | "repeat", InvalidArguments | ServiceUnavailable>
  }
>()("discovery/access/CreditLedger") {}
