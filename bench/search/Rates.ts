/** More and more calls a second, of all classes mixed, until the server no longer keeps up. */
import { Console, Effect } from "effect"
import type { EmbeddedConnection } from "../../src/services/database/EmbeddedPostgres.ts"
import { Prng } from "../../demo/Prng.ts"
import * as Cases from "./Cases.ts"
import type { CaseOptions } from "./Cases.ts"
import { failuresOf, prepare } from "./Latency.ts"
import * as OpenLoop from "./OpenLoop.ts"
import type { RateStep } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import type { SearchCase } from "./SearchCase.ts"
import * as StealTime from "./StealTime.ts"
import { summarize } from "./Summary.ts"
import * as Tables from "./Tables.ts"
import * as Target from "./Target.ts"

export const rates = [40, 80, 120, 160, 200, 250, 300, 400, 500]
/** So many that functions are compiled when the step begins. */
export const warmUpPerClass = 10
/** Of the calls that come in a second, so many are answered in it, or they pile up. */
const keptUpShare = 0.95

/** As many calls of each class, in random order. */
export const mixture = (
  sample: Sample,
  options: Omit<CaseOptions, "perClass">,
  calls: number
): ReadonlyArray<SearchCase> => {
  const groups = Cases.groups(Cases.generate(sample, { ...options, perClass: 1 })).length
  const cases = Cases.generate(sample, { ...options, perClass: Math.ceil(calls / groups) })
  return Cases.shuffled(cases, new Prng(options.seed, "mixture")).slice(0, calls)
}

export const line = (step: RateStep): string =>
  `${String(step.perSecond).padStart(4)} calls/s: answered ${step.answeredPerSecond.toFixed(1)}/s, ` +
  `p50 ${Tables.millis(step.p50)}, p95 ${Tables.millis(step.p95)}, p99 ${Tables.millis(step.p99)}, ` +
  `max ${Tables.millis(step.max)} ms, event loop p99 ${Tables.millis(step.loop99)} ms, steal ${Tables.percent(step.steal)} ${Tables.failures(step.failures)}`

/** A call that is lost or refused breaks a step as well. */
export const isBroken = (step: RateStep): boolean =>
  step.answeredPerSecond < keptUpShare * step.perSecond || Object.keys(step.failures).length > 0

/** Calls come as independent callers send them, to a server that was just started and has answered some calls: it remembers nothing of earlier steps. */
export const run = Effect.fnUntraced(function* (
  connection: EmbeddedConnection,
  sample: Sample,
  options: Omit<CaseOptions, "perClass">,
  { seconds, workers }: { readonly seconds: number; readonly workers: number }
) {
  const steps: Array<RateStep> = []
  for (const perSecond of rates) {
    const seed = `${options.seed} at ${perSecond}`
    const cases = mixture(sample, { ...options, seed }, perSecond * seconds)
    const times = OpenLoop.poisson(cases.length, perSecond, new Prng(seed, "times"))
    const { delay, observations, steal } = yield* Effect.scoped(
      Effect.gen(function* () {
        const target = yield* Target.start(connection, { workers })
        yield* prepare(target, sample, { ...options, seed, perClass: warmUpPerClass })
        yield* target.loopDelay
        const start = StealTime.start()
        const observations = yield* Effect.promise(() => OpenLoop.run(target, cases, times))
        return { observations, steal: StealTime.share(start), delay: yield* target.loopDelay }
      })
    )
    const millis = observations.map((one) => one.millis)
    const lastAnswer = Math.max(...observations.map((one, index) => (times[index] ?? 0) + one.millis))
    const answered = observations.filter(({ outcome }) => outcome === "ok").length
    const step: RateStep = {
      perSecond,
      answeredPerSecond: (answered * 1000) / lastAnswer,
      ...summarize(millis),
      loop99: delay.p99,
      loopMax: delay.max,
      steal,
      failures: failuresOf(observations)
    }
    yield* Console.log(line(step))
    steps.push(step)
    if (isBroken(step)) break
  }
  return steps
})
