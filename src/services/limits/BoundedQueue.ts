/** A bounded first-in, first-out queue for effects of which a few run at once. */
import { Effect, Scope, Semaphore } from "effect"
import type { AccountId } from "../../domain/access/Account.ts"

export interface BoundedQueue {
  /** Waits for a turn, which ends with the scope. Fails immediately with `full` if the queue is full. */
  readonly turn: <E>(full: () => E) => Effect.Effect<void, E, Scope.Scope>
  /** The number of turns that are taken or waited for. */
  readonly size: () => number
}

export const make = (atOnce: number, maxWaiting: number): BoundedQueue => {
  const semaphore = Semaphore.makeUnsafe(atOnce)
  let size = 0
  const leave = Effect.sync(() => void size--)
  return {
    turn: (full) => {
      // Not acquireRelease, which copies all services of the caller for its release: every search has a turn.
      const enter = Effect.flatMap(Effect.scope, (scope) => {
        if (size >= atOnce + maxWaiting) return Effect.fail(full())
        size++
        return Scope.addFinalizer(scope, leave)
      })
      return Effect.andThen(Effect.uninterruptible(enter), semaphore.takeScoped(1))
    },
    size: () => size
  }
}

/** A queue for each account, kept while it has turns: one that has all of its own leaves the others theirs. */
export const makeShares = (atOnce: number, maxWaiting: number) => {
  const shares = new Map<AccountId, BoundedQueue>()
  /** As of a {@link BoundedQueue}, of the account's own. */
  return <E>(account: AccountId, full: () => E): Effect.Effect<void, E, Scope.Scope> => {
    const share = shares.getOrInsertComputed(account, () => make(atOnce, maxWaiting))
    const forget = Effect.sync(() => void (share.size() === 0 && shares.delete(account)))
    // First, so that it runs after the turn has ended.
    return Effect.andThen(
      Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, forget)),
      share.turn(full)
    )
  }
}
