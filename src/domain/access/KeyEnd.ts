/** When a replaced API key stops working. Its owner chooses, so that clients can be switched one by one. */
import { Schema } from "effect"
import { dayMillis } from "../Days.ts"

export const keyEnds = ["now", "in_1_hour", "in_24_hours"] as const
export const KeyEnd = Schema.Literals(keyEnds)
export type KeyEnd = typeof KeyEnd.Type

/** How long the old key works beside the new one, in milliseconds. */
export const overlapMillis: Readonly<Record<KeyEnd, number>> = {
  now: 0,
  in_1_hour: 3_600_000,
  in_24_hours: dayMillis
}
