/**
 * The metrics of a process whose requests are answered by several threads. Each thread counts for itself, in the registry of its own
 * module instance; a scrape shows the process, so that nobody who reads it has to know of threads.
 */
import { Context, Effect, Metric } from "effect"
import * as Family from "./Family.ts"

export type Snapshots = ReadonlyArray<Metric.Metric.Snapshot>

/** Of the other threads, at the time they are asked; none unless HttpThreads provides it. */
export const OtherThreads = Context.Reference<{ readonly snapshots: Effect.Effect<ReadonlyArray<Snapshots>> }>(
  "discovery/metrics/OtherThreads",
  { defaultValue: () => ({ snapshots: Effect.succeed([]) }) }
)

type HistogramState = Metric.HistogramState

const addHistograms = (one: HistogramState, other: HistogramState): HistogramState => ({
  buckets: one.buckets.map(([boundary, count], at): [number, number] => [
    boundary,
    count + (other.buckets[at]?.[1] ?? 0)
  ]),
  count: one.count + other.count,
  min: Math.min(one.min, other.min),
  max: Math.max(one.max, other.max),
  sum: one.sum + other.sum
})

const combine = {
  sum: (a: number, b: number) => a + b,
  largest: Math.max,
  smallest: Math.min
} as const satisfies Record<Family.OfProcess, (one: number, other: number) => number>

const ruleOf = (id: string): Family.OfProcess =>
  Family.definitions().find(({ name }) => name === id)?.ofProcess ?? "largest"

/** The state of one series for both threads. Families make counters, gauges and histograms alone. */
const add = (one: Metric.Metric.Snapshot, other: Metric.Metric.Snapshot): Metric.Metric.Snapshot => {
  if (one.type === "Counter" && other.type === "Counter") {
    const { count, incremental } = one.state
    return { ...one, state: { count: Number(count) + Number(other.state.count), incremental } }
  }
  if (one.type === "Gauge" && other.type === "Gauge") {
    const value = combine[ruleOf(one.id)](Number(one.state.value), Number(other.state.value))
    return { ...one, state: { value } }
  }
  if (one.type === "Histogram" && other.type === "Histogram") {
    return { ...one, state: addHistograms(one.state, other.state) }
  }
  return one
}

const keyOf = ({ attributes, id }: Metric.Metric.Snapshot): string => `${id} ${JSON.stringify(attributes ?? {})}`

/** The series of all these threads. */
export const merge = (threads: ReadonlyArray<Snapshots>): Snapshots => {
  const merged = new Map<string, Metric.Metric.Snapshot>()
  for (const snapshot of threads.flat()) {
    const key = keyOf(snapshot)
    const before = merged.get(key)
    merged.set(key, before === undefined ? snapshot : add(before, snapshot))
  }
  return [...merged.values()]
}

/** What the process has counted stays when a thread ends; a gauge of that thread says nothing any more. */
export const afterEnd = (snapshots: Snapshots): Snapshots => snapshots.filter(({ type }) => type !== "Gauge")

/** For what reads a registry. */
const registryOf = (snapshots: Snapshots): Metric.MetricRegistry => {
  const ignore = () => {}
  return new Map(
    snapshots.map((snapshot) => {
      const { state, ...meta } = snapshot
      return [keyOf(snapshot), { ...meta, hooks: { get: () => state, update: ignore, modify: ignore } }]
    })
  )
}

/** Runs an effect that reads all metrics, with those of the whole process. */
export const ofProcess = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const { snapshots } = yield* OtherThreads
    const others = yield* snapshots
    const own = yield* Metric.snapshot
    return yield* Effect.provideService(effect, Metric.MetricRegistry, registryOf(merge([own, ...others])))
  })
