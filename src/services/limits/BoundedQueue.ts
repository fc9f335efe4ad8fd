/** A bounded first-in, first-out queue for effects of which a few run at once. */
import { Effect, Semaphore } from "effect"
import type { Scope } from "effect"

export interface BoundedQueue {
  /** Waits for a turn, which ends with the scope. Fails immediately with `full` if the queue is full. */
  readonly turn: <E>(full: () => E) => Effect.Effect<void, E, Scope.Scope>
  /** The number of turns that are taken or waited for. */
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
