/** Many concurrent requests as few statements, without a wait that an idle server would feel. */
import { Array, Context, Effect, Latch, RequestResolver } from "effect"
import type { Request } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A resolver with at most `maxInFlight` batches under way: what arrives meanwhile makes up the next batch, so that batches
 * grow with the load. A batch belongs to no caller: one that leaves while it is under way neither stops nor spoils it, and
 * the transaction of one does not take in the others.
 *
 * @param run completes every entry; at most `maxSize` at a time.
 */
export const batched = <A extends Request.Any>(options: {
  readonly sql: SqlClient.SqlClient
  readonly maxInFlight: number
  readonly maxSize: number
  readonly run: (entries: Array.NonEmptyReadonlyArray<Request.Entry<A>>) => Effect.Effect<void>
}): RequestResolver.RequestResolver<A> => {
  let inFlight = 0
  const gate = Latch.makeUnsafe(true)
  const enter = Effect.sync(() => {
    inFlight += 1
    if (inFlight >= options.maxInFlight) gate.closeUnsafe()
  })
  const leave = Effect.sync(() => {
    inFlight -= 1
    gate.openUnsafe()
  })
  const inNoTransaction = (effect: Effect.Effect<void>) =>
    Effect.updateContext(effect, (context: Context.Context<never>) =>
      Context.omit(options.sql.transactionService)(context)
    )
  return RequestResolver.makeWith<A>({
    batchKey: () => options.run,
    delay: Effect.andThen(Effect.yieldNow, gate.await),
    collectWhile: () => true,
    runAll: (entries) =>
      Effect.acquireUseRelease(
        enter,
        () => inNoTransaction(Effect.forEach(Array.chunksOf(entries, options.maxSize), options.run, { discard: true })),
        () => leave
      )
  })
}
