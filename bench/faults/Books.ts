/** Whether the ledger and what the harness kept of every call agree, call by call. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Call } from "./Record.ts"

export interface Books {
  /** Calls that had a result. */
  readonly succeeded: number
  /** Credits that the ledger has taken and not refunded. */
  readonly charged: number
  readonly refunded: number
  /**
   * Calls with an idempotency key that have no result, although their credit is taken: the customer did not repeat them for
   * long enough.
   */
  readonly abandoned: number
  /** Calls without a key that are charged, and had no result. docs/operations.md names them. */
  readonly lost: number
  /** Calls without a key that had no result: so many may be lost at most. */
  readonly withoutResult: number
  /** What must not be. */
  readonly disagreements: ReadonlyArray<string>
}

interface Entry {
  readonly account: number
  readonly request: string
  readonly net: number
  readonly refunds: number
}

interface Key {
  readonly account: number
  readonly key: string
  readonly request: string
}

export const compare = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
  const sql = yield* SqlClient.SqlClient
  const entries = yield* sql<Entry>`
    SELECT account_id AS account, request_id AS request, -sum(amount)::integer AS net,
      count(*) FILTER (WHERE kind = 'refund')::integer AS refunds
    FROM credit_entry WHERE kind IN ('charge', 'refund') GROUP BY 1, 2`
  const keys = yield* sql<Key>`SELECT account_id AS account, key, request_id AS request FROM idempotency_key`
  return agreement(calls, entries, keys)
})

/** Every charge must belong to one call, and every result to one charge. */
export const agreement = (
  calls: ReadonlyArray<Call>,
  entries: ReadonlyArray<Entry>,
  keys: ReadonlyArray<Key>
): Books => {
  const disagreements: Array<string> = []
  const open = new Map(entries.filter(({ net }) => net !== 0).map(({ net, request }) => [request, net]))
  const requestOf = new Map(keys.map(({ account, key, request }) => [`${account} ${key}`, request]))
  const counts = { succeeded: 0, abandoned: 0, lost: 0, withoutResult: 0 }
  /** Takes the charge of a request; gives whether there was one. */
  const take = (request: string, what: string): boolean => {
    const net = open.get(request)
    open.delete(request)
    if (net !== undefined && net !== 1) disagreements.push(`${what}: ${net} credits are taken`)
    return net !== undefined
  }

  /** The accounts whose calls have no keys, with how many of them had no result. */
  const withoutKeys = new Map<number, number>()
  for (const { account, answers, key, outcome } of calls) {
    if (outcome === "ok") counts.succeeded += 1
    if (key !== undefined) {
      const request = requestOf.get(`${account} ${key}`)
      const isCharged = request !== undefined && take(request, `the call with the key ${key}`)
      if (outcome === "ok" && !isCharged)
        disagreements.push(`the call with the key ${key} had a result and is not charged`)
      if (outcome !== "ok" && isCharged) counts.abandoned += 1
      continue
    }
    const [answer] = answers
    if (outcome === "ok") {
      const isCharged = answer !== undefined && take(answer.requestId, `the request ${answer.requestId}`)
      if (!isCharged) disagreements.push(`the request ${answer?.requestId} had a result and is not charged`)
    }
    const before = withoutKeys.get(account) ?? 0
    withoutKeys.set(account, outcome === "ok" ? before : before + 1)
  }

  // What is left belongs to no result.
  const accountOf = new Map(entries.map(({ account, request }) => [request, account]))
  const left = Map.groupBy(open.keys(), (request) => accountOf.get(request) ?? 0)
  for (const [account, requests] of left) {
    const may = withoutKeys.get(account)
    if (may === undefined) disagreements.push(`charged, and of no call with a key: ${requests.join(", ")}`)
    else if (requests.length > may) {
      disagreements.push(
        `account ${account}: ${requests.length} credits without a result, but ${may} calls without one`
      )
    }
    counts.lost += requests.length
  }
  counts.withoutResult = Array.from(withoutKeys.values()).reduce((sum, count) => sum + count, 0)
  return {
    ...counts,
    charged: entries.reduce((sum, { net }) => sum + net, 0),
    refunded: entries.reduce((sum, { refunds }) => sum + refunds, 0),
    disagreements
  }
}
