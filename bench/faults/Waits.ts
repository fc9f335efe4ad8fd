/**
 * How long this program, its servers and its databases were ready to run and had no core: what the machine adds to every time that is
 * measured. Linux counts it for each thread, in the second number of schedstat; the host of a virtual machine adds its steal time.
 * Elsewhere it reads as 0.
 */
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import * as fs from "node:fs"
import { familyOf } from "../../test/support/processes.ts"
import * as StealTime from "../search/StealTime.ts"

/** The longest wait of a thread that has been noticed at a time, in milliseconds of `performance.now`. */
export interface Wait {
  readonly until: number
  readonly millis: number
}

/** The milliseconds from one time to another in which a thread may have waited for a core. */
export type Waited = (from: number, to: number) => number

const lookEvery = "250 millis"

/** Waits are in the order of their ends. Where two overlap, the time counts once. */
export const waitedIn =
  (waits: ReadonlyArray<Wait>): Waited =>
  (from, to) => {
    let counted = from
    return waits.reduce((sum, { millis, until }) => {
      const start = Math.max(counted, until - millis)
      const end = Math.min(to, until)
      counted = Math.max(counted, end)
      return sum + Math.max(0, end - start)
    }, 0)
  }

/** Nothing of a process or thread that has ended meanwhile. */
const orNothing = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Milliseconds of each thread of this process and its descendants, but for some. */
const ofThreads = (without: ReadonlyArray<number>): ReadonlyArray<readonly [thread: string, millis: number]> =>
  (process.platform === "linux" ? familyOf(process.pid) : [])
    .filter((id) => !without.includes(id))
    .flatMap((id) =>
      (orNothing(() => fs.readdirSync(`/proc/${id}/task`)) ?? []).map((thread) => {
        const text = orNothing(() => fs.readFileSync(`/proc/${id}/task/${thread}/schedstat`, "latin1"))
        return [thread, Number(text?.split(" ")[1] ?? 0) / 1e6] as const
      })
    )

/** Looks from now on, as long as the scope is open. `without` are processes whose work is not waited for. */
export const watch = (without: () => ReadonlyArray<number>): Effect.Effect<Waited, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waits: Array<Wait> = []
    let at = performance.now()
    const before = new Map(ofThreads(without()))
    let stolen = StealTime.millis()
    const look = Effect.sync(() => {
      const until = performance.now()
      const stolenNow = StealTime.millis()
      let longest = 0
      for (const [thread, millis] of ofThreads(without())) {
        longest = Math.max(longest, millis - (before.get(thread) ?? 0))
        before.set(thread, millis)
      }
      // The host counts each of its cores.
      waits.push({ until, millis: longest + Math.min(stolenNow - stolen, until - at) })
      at = until
      stolen = stolenNow
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
    return waitedIn(waits)
  })
