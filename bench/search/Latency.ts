/** How long each class of search takes while little else is asked. */
import { Effect } from "effect"
import { Prng } from "../../src/services/import/demo/Prng.ts"
import * as Cases from "./Cases.ts"
import type { CaseOptions } from "./Cases.ts"
import * as OpenLoop from "./OpenLoop.ts"
import type { Sample } from "./Sample.ts"
import { summarise } from "./Summary.ts"
import type { Summary } from "./Summary.ts"
import type { Target } from "./Target.ts"

export interface LatencyRow extends Summary {
  readonly tool: string
  readonly class: string
  /** Answers that were errors, and calls without an answer. */
  readonly failures: Readonly<Record<string, number>>
}

export interface LatencyResult {
  readonly perSecond: number
  readonly rows: ReadonlyArray<LatencyRow>
}

export const failuresOf = (observations: ReadonlyArray<OpenLoop.Observation>): Record<string, number> => {
  const failures: Record<string, number> = {}
  for (const { outcome } of observations) if (outcome !== "ok") failures[outcome] = (failures[outcome] ?? 0) + 1
  return failures
}

const warmUp = 5
const warmUpPerSecond = 20

/** Opens connections and lets the program be compiled; of another seed, so that no answer is known afterwards. */
export const prepare = (target: Target, sample: Sample, options: CaseOptions) =>
  Effect.promise(() => {
    const random = new Prng(options.seed, "warm-up order")
    const cases = Cases.generate(sample, { ...options, seed: `${options.seed} warm-up`, perClass: warmUp })
    return OpenLoop.run(target, Cases.shuffled(cases, random), OpenLoop.evenly(cases.length, warmUpPerSecond))
  })

/** Mixed in random order and evenly spaced, so that a slow search stands in the way of any class alike. */
export const observe = (target: Target, sample: Sample, options: CaseOptions, perSecond: number) =>
  Effect.promise(() => {
    const cases = Cases.shuffled(Cases.generate(sample, options), new Prng(options.seed, "order"))
    return OpenLoop.run(target, cases, OpenLoop.evenly(cases.length, perSecond))
  })

export const tabulate = (
  observations: ReadonlyArray<OpenLoop.Observation>,
  { classes, tools }: CaseOptions
): ReadonlyArray<LatencyRow> =>
  tools.flatMap((tool) =>
    Cases.classesOf(tool)
      .filter((name) => classes?.includes(name) !== false)
      .map((name) => {
        const own = observations.filter((one) => one.case.tool === tool && one.case.class === name)
        return {
          tool,
          class: name,
          ...summarise(own.map(({ millis }) => millis)),
          failures: failuresOf(own)
        }
      })
  )
