/**
 * The daily comparison of every customer with its subscriptions, because events may be missed, and the retention of
 * processed events (D76). Runs on any number of servers at once: each takes customers that no other has.
 */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import * as BackgroundJob from "../BackgroundJob.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import * as Metrics from "../metrics/Metrics.ts"
import { Billing } from "./Billing.ts"
import type { StripeBilling } from "./Billing.ts"
import * as BillingRows from "./BillingRows.ts"
import * as SubscriptionSync from "./SubscriptionSync.ts"

const every = "1 hour"
const batch = 20
/** After as many failures Stripe or the database is down, and the next round goes on. */
const maxFailures = 3

/** Compares the customers that were not for a day. */
export const checkUnchecked = Effect.fn("BillingUpkeep.checkUnchecked")(function* (
  stripe: Pick<StripeBilling, "refresh">
) {
  const sql = yield* SqlClient.SqlClient
  const check = Effect.fnUntraced(function* (accountId: AccountId) {
    const change = yield* stripe.refresh(accountId)
    if (change === undefined || !SubscriptionSync.differs(change)) return "same"
    yield* Effect.logWarning({
      message: "An account was not what its subscription says, and was corrected: was an event missed?",
      account_id: accountId,
      ...SubscriptionSync.logFieldsOf(change)
    })
    return "corrected"
  })
  let failures = 0
  for (;;) {
    const taken = yield* BillingRows.takeUnchecked(sql, yield* Clock.currentTimeMillis, batch)
    if (taken.length === 0) return
    for (const accountId of taken) {
      const outcome = yield* check(accountId).pipe(
        Effect.catch((error) =>
          Effect.as(
            Effect.logWarning({
              message: "A subscription could not be compared",
              account_id: accountId,
              error: error.message
            }),
            "failed" as const
          )
        )
      )
      yield* Metrics.billingCompared.add({ outcome })
      if (outcome === "failed" && ++failures === maxFailures) return
    }
  }
})

/** As far as the database knows: another server may have processed it, or this one before its start. */
const lookForNewestEvent = (sql: SqlClient.SqlClient) =>
  Effect.flatMap(BillingRows.newestEvent(sql), (millis) =>
    millis === undefined ? Effect.void : Metrics.billingEventProcessed.set({}, millis / 1000)
  )

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { stripe } = yield* Billing
    if (Option.isNone(stripe)) return
    yield* lookForNewestEvent(sql).pipe(
      Effect.andThen(checkUnchecked(stripe.value)),
      Effect.andThen(DatabaseClock.deleting((nowMillis) => BillingRows.forgetOldEvents(sql, nowMillis), 0)),
      Effect.provideService(SqlClient.SqlClient, sql),
      BackgroundJob.repeat(every, "Subscriptions could not be compared")
    )
  })
)
