/** Rate limits in memory, for tests of `http`. */
import { Clock, Effect, Layer } from "effect"
import * as LeakyBucket from "../../src/services/limits/LeakyBucket.ts"
import { SharedRates } from "../../src/services/limits/SharedRates.ts"

export const layer = Layer.sync(SharedRates, () => {
  const buckets = LeakyBucket.make(50_000)
  return SharedRates.of({
    take: (limits) => Effect.map(Clock.currentTimeMillis, (now) => buckets.take(limits, now)),
    report: Effect.void,
    forget: Effect.void
  })
})
