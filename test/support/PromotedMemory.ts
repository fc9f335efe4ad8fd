/**
 * What outlives young collections of garbage. V8 copies objects that are reachable, also from old objects that are garbage themselves,
 * and moves them to the old generation, where they stay until the whole heap is collected.
 */
import { Effect } from "effect"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const gc = runInNewContext("gc") as NonNullable<typeof globalThis.gc>

const oldBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: used }) =>
      name === "old_space" || name === "large_object_space" ? sum + used : sum,
    0
  )

/**
 * Bytes by which the old generation grows in so many rounds, with a young collection after each. A round is a fiber of its own: one that
 * lives on would have the fibers of all rounds in the set of its children.
 */
export const promotedBytes = <R>(
  round: Effect.Effect<unknown, never, R>,
  rounds: number
): Effect.Effect<number, never, R> =>
  Effect.gen(function* () {
    const run = Effect.runPromiseWith(yield* Effect.context<R>())
    return yield* Effect.promise(async () => {
      // The first rounds compile code, and make what is kept for good.
      for (let warmUp = 0; warmUp < 20; warmUp++) await run(round)
      gc()
      const before = oldBytes()
      for (let number = 0; number < rounds; number++) {
        await run(round)
        gc({ type: "minor", execution: "sync" })
      }
      return oldBytes() - before
    })
  })
