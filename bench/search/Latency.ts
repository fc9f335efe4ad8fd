/** How long each class of search takes while little else is asked. */
import { Effect } from "effect"
import { Prng } from "../../src/services/import/demo/Prng.ts"
import * as Cases from "./Cases.ts"
import type { CaseOptions } from "./Cases.ts"
import * as OpenLoop from "./OpenLoop.ts"
import type { Observation } from "./OpenLoop.ts"
import type { LatencyRow } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import { summarise } from "./Summary.ts"
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
 * Class after class, each in random order and evenly spaced, so that what a class takes is its own and not that of slower
 * ones beside it.
 */
export const observe = (target: Target, sample: Sample, options: CaseOptions, perSecond: number) =>
  Effect.promise(async () => {
    const cases = Cases.shuffled(Cases.generate(sample, options), new Prng(options.seed, "order"))
    const observations: Array<Observation> = []
    for (const group of Cases.groups(cases)) {
      const own = cases.filter((one) => one.tool === group.tool && one.class === group.class)
      observations.push(...(await OpenLoop.run(target, own, OpenLoop.evenly(own.length, perSecond))))
    }
    return observations
  })

export const tabulate = (observations: ReadonlyArray<Observation>): ReadonlyArray<LatencyRow> =>
  Cases.groups(observations.map((one) => one.case)).map((group) => {
    const own = observations.filter((one) => one.case.tool === group.tool && one.case.class === group.class)
    return { ...group, ...summarise(own.map(({ millis }) => millis)), failures: failuresOf(own) }
  })
