/** Counts of a test of its own, as `{ <value of a label>: <count> }`. */
import { Effect, Metric } from "effect"

/** With metrics of its own. */
export const apart = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Metric.MetricRegistry, new Map())

/** The series of a counter by the values of its only label. Those without an event are not in it, unless all were registered. */
export const countsOf = (
  name: string,
  label: string
): Effect.Effect<Readonly<Record<string, number | bigint | undefined>>> =>
  Effect.map(Metric.snapshot, (all) =>
    Object.fromEntries(
      all.flatMap(({ attributes, id, state }) =>
        id === name && "count" in state ? [[attributes?.[label] ?? "", state.count]] : []
      )
    )
  )
