/** The log entry of a tool call. It holds no arguments and no results. */
import { Schema } from "effect"
import { codes } from "../ToolError.ts"
import type { AccountId, Caller } from "./Account.ts"

/** `ok`, or the code of the error. */
export const outcomes = ["ok", ...Object.values(codes)] as const
export const Outcome = Schema.Literals(outcomes)
export type Outcome = typeof Outcome.Type

export interface Activity {
  readonly accountId: AccountId
  readonly credential: Caller["credential"]
  readonly tool: string
  readonly outcome: Outcome
  /** Credits charged. */
  readonly credits: number
  /** Start of the call, in milliseconds since 1970. */
  readonly atMillis: number
  readonly durationMillis: number
  readonly requestId: string
}
