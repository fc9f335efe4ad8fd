/** Effects that run a few at a time. Others wait in the order in which they came, and no more than so many. */
import { Effect, Semaphore } from "effect"
import type { Scope } from "effect"

export interface BoundedQueue {
  /** Waits for a turn, which ends with the scope. Fails at once with `full` when as many wait as may. */
  readonly turn: <E>(full: () => E) => Effect.Effect<void, E, Scope.Scope>
  /** How many have a turn or wait for one. */
  readonly size: () => number
}

export const make = (atOnce: number, maxWaiting: number): BoundedQueue => {
  const semaphore = Semaphore.makeUnsafe(atOnce)
  let size = 0
  return {
    turn: (full) =>
      Effect.suspend(() => {
        if (size >= atOnce + maxWaiting) return Effect.fail(full())
        const enter = Effect.sync(() => void size++)
        const leave = Effect.sync(() => void size--)
        return Effect.andThen(
          Effect.acquireRelease(enter, () => leave),
          semaphore.takeScoped(1)
        )
      }),
    size: () => size
  }
}
