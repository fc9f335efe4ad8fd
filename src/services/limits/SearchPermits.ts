/**
 * How many searches may be at the database at once: some connections of the pool are left to what every call needs, so
 * that slow searches keep nobody from being authenticated, charged, or told how the server is. One account has at most half
 * of the rest, so that its slow searches do not keep others waiting.
 */
import { Context, Duration, Effect, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { AccountId } from "../../domain/access/Account.ts"
import type { RateLimited, SearchTimeout, ServiceUnavailable } from "../../domain/ToolError.ts"
import { CurrentAccount } from "../access/CurrentAccount.ts"
import * as Availability from "../database/Availability.ts"
import { PoolSize, StatementTimeoutMillis } from "../database/Database.ts"
import * as BoundedQueue from "./BoundedQueue.ts"
import * as ToolErrorMessages from "../../domain/ToolErrorMessages.ts"

/** For credentials, charges and readiness: each is one short statement, and many calls share one. */
const reservedConnections = 4

/** Of one account, beside those that run: more would only be refused later. */
const maxWaiting = 50
const waitDeadline = Duration.seconds(5)
/** Between the statements of a search, of which the first has taken nearly all the time that one may. */
const spareTime = Duration.seconds(2)

export type SearchFailure = RateLimited | SearchTimeout | ServiceUnavailable

export class SearchPermits extends Context.Service<
  SearchPermits,
  {
    /**
     * Runs what uses one connection at a time, and turns its SQL failures into answers as {@link Availability.query} does.
     * Others wait their turn without a connection, five seconds at most. Not to be nested.
     */
    query<A, E, R>(
      effect: Effect.Effect<A, E | SqlError.SqlError, R>,
      hint?: () => string
    ): Effect.Effect<A, Exclude<E, SqlError.SqlError> | SearchFailure, R>
  }
>()("discovery/limits/SearchPermits") {
  static readonly layer: Layer.Layer<SearchPermits> = Layer.effect(
    SearchPermits,
    Effect.gen(function* () {
      const permits = Math.max(1, (yield* PoolSize) - reservedConnections)
      const sharePermits = Math.max(1, Math.floor(permits / 2))
      const statement = Duration.millis(yield* StatementTimeoutMillis)
      const limits = { statement, deadline: Duration.sum(statement, spareTime) }
      const all = yield* Semaphore.make(permits)
      /** Of the accounts that search right now. */
      const shares = new Map<AccountId, BoundedQueue.BoundedQueue>()

      const shareOf = (account: AccountId) => {
        const share = shares.get(account) ?? BoundedQueue.make(sharePermits, maxWaiting)
        shares.set(account, share)
        const forget = Effect.sync(() => void (share.size() === 0 && shares.delete(account)))
        // First, so that it runs after the turn has ended.
        return Effect.andThen(
          Effect.addFinalizer(() => forget),
          share.turn(ToolErrorMessages.tooManySearches)
        )
      }

      const admitted = Effect.gen(function* () {
        const account = yield* CurrentAccount
        let hasShare = account === undefined
        yield* Effect.gen(function* () {
          if (account !== undefined) yield* shareOf(account)
          hasShare = true
          yield* all.takeScoped(1)
        }).pipe(
          Effect.timeoutOrElse({
            duration: waitDeadline,
            orElse: (): Effect.Effect<never, RateLimited | ServiceUnavailable> =>
              Effect.fail(hasShare ? ToolErrorMessages.unavailable("database") : ToolErrorMessages.tooManySearches())
          })
        )
      })

      return SearchPermits.of({
        query: (effect, hint) => Effect.scoped(Effect.andThen(admitted, Availability.query(effect, limits, hint)))
      })
    })
  )
}
