/** The reply to a message or a batch, before it is an HTTP response. */
import type { Charged } from "../../domain/access/Charge.ts"
import { windowSeconds } from "../../services/limits/RequestRate.ts"
import type { Rate } from "../../services/limits/RequestRate.ts"

export interface Reply {
  readonly status: number
  /** JSON; `undefined` for an empty body. */
  readonly body: string | undefined
  /** Only for calls of tools. */
  readonly credits?: Charged | undefined
  readonly rate?: Rate | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly sessionId?: string | undefined
}

/** Adds the headers of P28; RateLimit as in draft-ietf-httpapi-ratelimit-headers. */
export const addHeaders = (fields: Record<string, string>, reply: Reply): Record<string, string> => {
  const { credits, rate, retryAfterSeconds, sessionId } = reply
  if (credits !== undefined) {
    fields["x-credits-cost"] = String(credits.cost)
    fields["x-credits-remaining"] = String(credits.remaining)
  }
  if (rate !== undefined) {
    fields["ratelimit-policy"] = `"default";q=${rate.limit};w=${windowSeconds}`
    fields["ratelimit"] = `"default";r=${rate.remaining};t=${rate.resetSeconds}`
  }
  if (retryAfterSeconds !== undefined) fields["retry-after"] = String(retryAfterSeconds)
  if (sessionId !== undefined) fields["mcp-session-id"] = sessionId
  return fields
}

/**
 * Sums the costs, and takes the fewest remaining credits, the last rate and the longest wait. Without responses, a batch is
 * refused if each of its messages is.
 */
export const batch = (replies: ReadonlyArray<Reply>): Reply => {
  const bodies = replies.flatMap(({ body }) => (body === undefined ? [] : [body]))
  const charges = replies.flatMap(({ credits }) => (credits === undefined ? [] : [credits]))
  const waits = replies.flatMap(({ retryAfterSeconds }) => (retryAfterSeconds === undefined ? [] : [retryAfterSeconds]))
  const unanswered = { status: replies.every(({ status }) => status === 429) ? 429 : 202, body: undefined }
  return {
    ...(bodies.length === 0 ? unanswered : { status: 200, body: `[${bodies.join(",")}]` }),
    credits:
      charges.length === 0
        ? undefined
        : {
            cost: charges.reduce((sum, { cost }) => sum + cost, 0),
            remaining: Math.min(...charges.map(({ remaining }) => remaining))
          },
    rate: replies.findLast(({ rate }) => rate !== undefined)?.rate,
    retryAfterSeconds: waits.length === 0 ? undefined : Math.max(...waits)
  }
}
