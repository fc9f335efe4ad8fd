/** What a call is charged (D13 to D16). */
import type { Caller } from "./Account.ts"

/** `fingerprint` is the SHA-256 of tool and arguments in hex: the same key with another fingerprint is an error. */
export interface IdempotencyKey {
  readonly key: string
  readonly fingerprint: string
}

export interface Charge {
  readonly caller: Caller
  readonly tool: string
  /** Credits, a positive whole number. */
  readonly cost: number
  /** Made by the server for each call: a charge that is sent again after a lost answer is taken once. */
  readonly requestId: string
  readonly idempotency?: IdempotencyKey
}

/** The credits taken (0 for a repeat under an idempotency key), and those left in the period. */
export interface Charged {
  readonly cost: number
  readonly remaining: number
}
