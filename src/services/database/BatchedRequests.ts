/** Combines concurrent requests into few statements, without delay on an idle server. */
import { Array, Context, Effect, Latch, Option, RequestResolver } from "effect"
import type { Request } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * A resolver that runs at most `maxInFlight` batches at once. Requests that arrive meanwhile form the next batch, so batches
 * grow with the load. A batch belongs to no caller: a caller that is interrupted does not stop it, and it does not run in
 * a caller's transaction.
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
      // The context of a call has all services, so that it is copied only where it must be.
      Option.isNone(Context.getOption(context, options.sql.transactionService))
        ? context
        : Context.omit(options.sql.transactionService)(context)
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
