/** Whether what is measured in the course of a run stays what it is: the straight line through its samples, by least squares. */

export interface Sample {
  /** Since any one time. */
  readonly hours: number
  readonly value: number
}

export interface Trend {
  /** The value of the line at the first sample that counts. */
  readonly start: number
  readonly perHour: number
  /** The most that it may rise per hour. */
  readonly atMost: number
  readonly isFlat: boolean
}

/** Of a run, at its beginning: caches fill, and code is compiled. */
const warmUpShare = 0.25

/** NaN for both without two samples of different times. */
const lineThrough = (samples: ReadonlyArray<Sample>) => {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [hours, value] = [mean((sample) => sample.hours), mean((sample) => sample.value)]
  const perHour =
    mean((sample) => (sample.hours - hours) * (sample.value - value)) / mean((sample) => (sample.hours - hours) ** 2)
  return { start: value + perHour * ((samples[0]?.hours ?? Number.NaN) - hours), perHour }
}

/**
 * Samples are in the order of their times. `allowed` is how much may be added to a value in an hour. In all the samples that count it is no
 * more than that either, however many hours they are. What cannot be judged is not flat.
 */
export const judge = (samples: ReadonlyArray<Sample>, allowed: (start: number) => number): Trend => {
  const [first, last] = [samples[0]?.hours ?? 0, samples.at(-1)?.hours ?? 0]
  const counting = samples.filter(({ hours }) => hours >= first + warmUpShare * (last - first))
  const { perHour, start } = lineThrough(counting)
  const atMost = allowed(start) / Math.max(1, (1 - warmUpShare) * (last - first))
  return { start, perHour, atMost, isFlat: perHour <= atMost }
}
