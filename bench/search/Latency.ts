/** How long each class of search takes while little else is asked. */
import { Effect } from "effect"
import { Prng } from "../../demo/Prng.ts"
import * as Cases from "./Cases.ts"
import type { CaseOptions } from "./Cases.ts"
import * as OpenLoop from "./OpenLoop.ts"
import type { Observation } from "./OpenLoop.ts"
import type { LatencyRow } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import { quantile, summarize } from "./Summary.ts"
import type { Target } from "./Target.ts"

/** Answers that were errors, and calls without an answer. */
export const failuresOf = (observations: ReadonlyArray<Observation>): Record<string, number> => {
  const failures: Record<string, number> = {}
  for (const { outcome } of observations) if (outcome !== "ok") failures[outcome] = (failures[outcome] ?? 0) + 1
  return failures
}

const warmUpPerSecond = 20

/** Opens connections and lets the program be compiled; of another seed, so that no answer is known afterwards. */
export const prepare = (target: Target, sample: Sample, options: CaseOptions) =>
  Effect.promise(() => {
    const random = new Prng(options.seed, "warm-up order")
    const cases = Cases.generate(sample, { ...options, seed: `${options.seed} warm-up` })
    return OpenLoop.run(target, Cases.shuffled(cases, random), OpenLoop.evenly(cases.length, warmUpPerSecond))
  })

/**
 * Mixed in random order and evenly spaced: one class alone at this rate could keep a core busy, and would measure how it
 * waits for itself.
 */
export const observe = (target: Target, sample: Sample, options: CaseOptions, perSecond: number) =>
  Effect.promise(() => {
    const cases = Cases.shuffled(Cases.generate(sample, options), new Prng(options.seed, "order"))
    return OpenLoop.run(target, cases, OpenLoop.evenly(cases.length, perSecond))
  })

/** Milliseconds of the calls that were not disturbed. */
export const undisturbedOf = (observations: ReadonlyArray<Observation>): ReadonlyArray<number> =>
  observations.filter(({ isDisturbed }) => !isDisturbed).map(({ millis }) => millis)

/** The p99 over all classes. */
export const over = (observations: ReadonlyArray<Observation>) => {
  const undisturbed = undisturbedOf(observations)
  const all = observations.map(({ millis }) => millis)
  return { p99: quantile(all, 0.99), undisturbed: { calls: undisturbed.length, p99: quantile(undisturbed, 0.99) } }
}

export const tabulate = (observations: ReadonlyArray<Observation>): ReadonlyArray<LatencyRow> =>
  Cases.groups(observations.map((one) => one.case)).map((group) => {
    const own = observations.filter((one) => one.case.tool === group.tool && one.case.class === group.class)
    const undisturbed = undisturbedOf(own)
    return {
      ...group,
      ...summarize(own.map(({ millis }) => millis)),
      undisturbed: { calls: undisturbed.length, p95: quantile(undisturbed, 0.95) },
      failures: failuresOf(own)
    }
  })
