/**
 * The daily comparison of every customer with its subscriptions, because events may be missed, and the retention of processed
 * events. Runs on any number of servers at once: each takes customers that no other has.
 */
import { Clock, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import * as DatabaseClock from "../database/DatabaseClock.ts"
import { Billing, differs, told } from "./Billing.ts"
import type { StripeBilling } from "./Billing.ts"
import * as BillingRows from "./BillingRows.ts"

const every = "1 hour"
const batch = 20
/** After as many failures Stripe or the database is down, and the next round goes on. */
const maxFailures = 3

/** Compares the customers that were not for a day. */
export const checkUnchecked = Effect.fn("BillingUpkeep.checkUnchecked")(function* (
  stripe: Pick<StripeBilling, "refresh">
) {
  const failed: Array<AccountId> = []
  const now = yield* Clock.currentTimeMillis
  const check = Effect.fnUntraced(function* (accountId: AccountId) {
    const change = yield* stripe.refresh(accountId)
    if (change === undefined || !differs(change)) return
    yield* Effect.logWarning({
      message: "An account was not what its subscription says, and was corrected: was an event missed?",
      account_id: accountId,
      ...told(change)
    })
  })
  const leave = (accountId: AccountId) => Effect.sync(() => void failed.push(accountId))
  while (failed.length < maxFailures) {
    const taken = yield* BillingRows.takeUnchecked(now, batch)
    if (taken.length === 0) break
    for (const accountId of taken) {
      yield* failed.length >= maxFailures
        ? leave(accountId)
        : check(accountId).pipe(
            Effect.catch((error) =>
              Effect.andThen(Effect.logWarning("A subscription could not be compared", error.message), leave(accountId))
            )
          )
    }
  }
  yield* BillingRows.leaveUnchecked(failed, now)
})

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { stripe } = yield* Billing
    if (Option.isNone(stripe)) return
    yield* Effect.andThen(checkUnchecked(stripe.value), DatabaseClock.deleting(BillingRows.forgetOldEvents)).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.catch((error) => Effect.logWarning("Subscriptions could not be compared", error)),
      Effect.schedule(Schedule.jittered(Schedule.spaced(every))),
      Effect.forkScoped
    )
  })
)
