/** Idempotency keys (D15): their form (D16), and why one is refused. */
import { Schema } from "effect"
import { issueAt } from "../ArgumentIssue.ts"
import { InvalidArguments } from "../ToolError.ts"

/** Its name in `_meta` of a call. */
export const metaKey = "discovery/idempotency-key"

export const keyPath = `_meta.${metaKey}`

/** The key was used for a different call of the account within 24 hours. */
export const keyConflict = (): InvalidArguments =>
  InvalidArguments.fromIssues(
    [issueAt(keyPath, "used_idempotency_key")],
    "Send a new idempotency key with every new call; send the same one only to repeat a call unchanged. Nothing was charged."
  )

export const isIdempotencyKey = Schema.is(
  Schema.String.check(Schema.isBetweenCodePoints(1, 128), Schema.isPattern(/^[^\p{Cc}\p{Cs}]*$/u))
)

/** Charges are written in batches: one invalid key would fail the whole batch. */
export const refusedKey = (key: string): InvalidArguments | undefined =>
  isIdempotencyKey(key) ? undefined : InvalidArguments.fromIssues([issueAt(keyPath, "bad_idempotency_key")])
