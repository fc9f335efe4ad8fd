/**
 * How many searches may be at the database at once: some connections of the pool are left to what every call needs, so
 * that slow searches keep nobody from being authenticated, charged, or told how the server is.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { PoolSize } from "../database/Database.ts"

/** For credentials, charges and readiness: each is one short statement, and many calls share one. */
const reserved = 4

export class SearchPermits extends Context.Service<
  SearchPermits,
  {
    /**
     * Runs what uses one connection at a time. Others wait their turn without a connection, so this belongs inside the
     * deadline of `Database.query`. Not to be nested.
     */
    withPermit<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
  }
>()("discovery/search/SearchPermits") {
  static readonly layer: Layer.Layer<SearchPermits> = Layer.effect(
    SearchPermits,
    Effect.gen(function* () {
      const semaphore = yield* Semaphore.make(Math.max(1, (yield* PoolSize) - reserved))
      return SearchPermits.of({ withPermit: (effect) => semaphore.withPermit(effect) })
    })
  )
}
