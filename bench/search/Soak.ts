/** Whether the server's memory stays what it is while it is asked for minutes on end. */
import { Effect, Fiber, Schedule } from "effect"
import { Prng } from "../../demo/Prng.ts"
import type { CaseOptions } from "./Cases.ts"
import { failuresOf } from "./Latency.ts"
import * as OpenLoop from "./OpenLoop.ts"
import * as Rates from "./Rates.ts"
import type { Soak } from "./Results.ts"
import type { Sample } from "./Sample.ts"
import { summarize } from "./Summary.ts"
import type { Target } from "./Target.ts"

/**
 * So many different searches; then they come again. Of products and ads the server has forgotten each by then; searches
 * for stores have fewer different counts than it remembers.
 */
const differentCases = 4_000
const sampleSeconds = 5

interface Point {
  readonly minute: number
  readonly bytes: number
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Least squares. */
const slope = (points: ReadonlyArray<Point>): number => {
  const minute = mean(points.map((point) => point.minute))
  const bytes = mean(points.map((point) => point.bytes))
  const covariance = mean(points.map((point) => (point.minute - minute) * (point.bytes - bytes)))
  return covariance / mean(points.map((point) => (point.minute - minute) ** 2))
}

export const run = Effect.fnUntraced(function* (
  target: Target,
  sample: Sample,
  options: Omit<CaseOptions, "perClass">,
  minutes: number,
  perSecond: number
) {
  const calls = Math.round(minutes * 60 * perSecond)
  const different = Rates.mixture(sample, { ...options, seed: `${options.seed} soak` }, Math.min(calls, differentCases))
  const cases = Array.from({ length: calls }, (_, index) => different[index % different.length]).filter(
    (one) => one !== undefined
  )
  const times = OpenLoop.poisson(calls, perSecond, new Prng(options.seed, "soak times"))
  const points: Array<Point> = []
  const start = performance.now()
  const look = Effect.map(target.residentBytes, (bytes) => {
    points.push({ minute: (performance.now() - start) / 60_000, bytes })
  })
  const watching = yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced(`${sampleSeconds} seconds`)))
  const observations = yield* Effect.promise(() => OpenLoop.run(target, cases, times))
  yield* Fiber.interrupt(watching)
  const bytesWhile = (isThen: (point: Point) => boolean) => points.filter(isThen).map(({ bytes }) => bytes)
  const all = bytesWhile(() => true)
  const soak: Soak = {
    minutes,
    perSecond,
    ...summarize(observations.map(({ millis }) => millis)),
    failures: failuresOf(observations),
    firstMinute: mean(bytesWhile(({ minute }) => minute < 1)),
    lastMinute: mean(bytesWhile(({ minute }) => minute >= minutes - 1)),
    lowest: Math.min(...all),
    highest: Math.max(...all),
    slopePerMinute: slope(points.filter(({ minute }) => minute >= minutes / 2))
  }
  return soak
})
