/** Latencies in a few numbers. */

export interface Summary {
  readonly calls: number
  /** What a call costs on average is what decides how many can be answered. */
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** The smallest value that is not below a share of all: nearest rank, so always one that was measured. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const summarize = (millis: ReadonlyArray<number>): Summary => ({
  calls: millis.length,
  mean: millis.reduce((sum, value) => sum + value, 0) / millis.length,
  p50: quantile(millis, 0.5),
  p95: quantile(millis, 0.95),
  p99: quantile(millis, 0.99),
  max: quantile(millis, 1)
})
