/** The errors of a refused charge. */
import { Schema } from "effect"
import { issueAt } from "../ArgumentIssue.ts"
import { InsufficientCredits, InvalidArguments } from "../ToolError.ts"
import { secondsUntil } from "./CreditPeriod.ts"

/** `periodEnd` is the UTC day on which the credits renew; `nowMillis` is since 1970. */
export const insufficientCredits = (
  charge: { readonly cost: number; readonly remaining: number },
  periodEnd: string,
  nowMillis: number,
  billingUrl: string
): InsufficientCredits =>
  new InsufficientCredits({
    message: `The call costs ${counted(charge.cost)}, but the account has ${charge.remaining === 0 ? "no credits" : `only ${counted(charge.remaining)}`} left in this period.`,
    hint: `The credits renew on ${periodEnd} at 00:00 UTC; for more before then, change the plan at ${billingUrl}. Nothing was charged.`,
    retryAfterSeconds: secondsUntil(periodEnd, nowMillis),
    upgradeUrl: billingUrl
  })

const counted = (credits: number): string => `${credits} ${credits === 1 ? "credit" : "credits"}`

const keyPath = "_meta.discovery/idempotency-key"

/** The key was used for a different call of the account within 24 hours. */
export const keyConflict = (): InvalidArguments =>
  InvalidArguments.fromIssues(
    [issueAt(keyPath, "used_idempotency_key")],
    "Send a new idempotency key with every new call; send the same one only to repeat a call unchanged. Nothing was charged."
  )

/** The format of an idempotency key (D16). */
export const isIdempotencyKey = Schema.is(
  Schema.String.check(Schema.isBetweenCodePoints(1, 128), Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u))
)

/** Charges are written in batches: one invalid key would fail the whole batch. */
export const unfitKey = (key: string): InvalidArguments | undefined =>
  isIdempotencyKey(key) ? undefined : InvalidArguments.fromIssues([issueAt(keyPath, "bad_idempotency_key")])
