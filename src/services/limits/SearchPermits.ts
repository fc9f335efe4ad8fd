/**
 * A bulkhead for searches at the database. Some connections of the pool are reserved for what every call needs, so that slow
 * searches do not block authentication, charges or health checks. One account has at most half of the rest.
 */
import { Context, Duration, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { RateLimited, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import { CurrentAccount } from "./CurrentAccount.ts"
import * as Availability from "../database/Availability.ts"
import { PoolSize, StatementTimeoutMillis } from "../database/Database.ts"
import * as Metrics from "../metrics/Metrics.ts"
import * as BoundedQueue from "./BoundedQueue.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** For credentials, charges and readiness: each is one short statement, and many calls share one. */
const reservedConnections = 4

/** Searches of one account that wait; more would time out anyway. */
const maxWaiting = 50
const waitDeadline = Duration.seconds(5)
/** For the other statements of a search whose first took nearly as long as one statement may. */
const spareTime = Duration.seconds(2)

export type SearchFailure = RateLimited | SearchTimeout | ServiceUnavailable

export class SearchPermits extends Context.Service<
  SearchPermits,
  {
    /**
     * Runs an effect that uses one connection at a time, and handles its SQL failures as {@link Availability.query} does.
     * Waits for its turn without a connection, five seconds at most. Do not nest.
     */
    query<A, E, R>(
      effect: Effect.Effect<A, E | SqlError.SqlError, R>,
      hint?: () => string
    ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | SearchFailure, R>
    /**
     * Runs an effect when it is the account's turn, with the same wait: one that is a part of what a `query` asks for several
     * accounts.
     */
    share<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | RateLimited | ServiceUnavailable, R>
  }
>()("discovery/limits/SearchPermits") {
  static readonly layer = Layer.effect(
    SearchPermits,
    Effect.gen(function* () {
      const permits = Math.max(1, (yield* PoolSize) - reservedConnections)
      const sharePermits = Math.max(1, Math.floor(permits / 2))
      const statement = Duration.millis(yield* StatementTimeoutMillis)
      const limits = { statement, deadline: Duration.sum(statement, spareTime) }
      const all = yield* Semaphore.make(permits)
      const turnOf = BoundedQueue.makeShares(sharePermits, maxWaiting)

      const admitted = Effect.fnUntraced(function* (needsConnection: boolean) {
        const account = yield* CurrentAccount
        let hasShare = account === undefined
        yield* Effect.gen(function* () {
          if (account !== undefined) yield* turnOf(account, ToolErrorMessages.tooManySearches)
          hasShare = true
          if (needsConnection) yield* all.takeScoped(1)
        }).pipe(
          Effect.timeoutOrElse({
            duration: waitDeadline,
            orElse: (): Effect.Effect<never, RateLimited | ServiceUnavailable> =>
              Effect.fail(hasShare ? ToolErrorMessages.unavailable("database") : ToolErrorMessages.tooManySearches())
          }),
          Effect.tapError(() => Metrics.refused.add({ limit: hasShare ? "searches" : "searches_of_account" })),
          Metrics.queueLength.during({ queue: "reads" })
        )
      })

      return SearchPermits.of({
        query: (effect, hint) =>
          Effect.scoped(Effect.andThen(admitted(true), Availability.query(effect, limits, hint))),
        share: (effect) => Effect.scoped(Effect.andThen(admitted(false), effect))
      })
    })
  )
}
