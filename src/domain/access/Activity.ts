/** What is remembered of a tool call: who, what, when and how it ended; nothing of its arguments or its answer. */
import { Schema } from "effect"
import { codes } from "../ToolError.ts"
import type { AccountId, Caller } from "./Account.ts"

/** How a call ended: `ok`, or the code of its error. */
export const outcomes = ["ok", ...Object.values(codes)] as const
export const Outcome = Schema.Literals(outcomes)
export type Outcome = typeof Outcome.Type

/** One call, as it is recorded. */
export interface Activity {
  readonly accountId: AccountId
  readonly credential: Caller["credential"]
  readonly tool: string
  readonly outcome: Outcome
  /** What was charged for it. */
  readonly credits: number
  /** When it began, in milliseconds since 1970. */
  readonly atMillis: number
  readonly durationMillis: number
  readonly requestId: string
}
