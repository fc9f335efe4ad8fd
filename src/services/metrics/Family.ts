/**
 * Metrics with closed labels. A family has one series for each combination of the values of its labels, and makes them all at
 * once: no caller can add a value, and the series exist before their first event, so that a rate over them misses none.
 *
 * Names, types and labels are those of Prometheus (docs/metrics.md). OTLP sends the same series.
 */
import type { Context, Scope } from "effect"
import { Effect, Metric } from "effect"

/** The values of each label. */
type Labels = Readonly<Record<string, ReadonlyArray<string>>>

/** One value of each label. */
type Of<L extends Labels> = { readonly [Name in keyof L]: L[Name][number] }

export interface Definition {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly meaning: string
  readonly labels: Labels
  /** For a gauge. */
  readonly ofProcess?: OfProcess
}

/** How the value of the process follows from those of its threads that answer requests: see ThreadMetrics. */
export type OfProcess = "sum" | "largest" | "smallest"

export interface Options<L extends Labels> {
  readonly meaning: string
  readonly labels?: L
  /** Series are made by their first event. For families whose combinations are many and mostly unused. */
  readonly lazy?: boolean
}

type AnyContext = Context.Context<never>

export interface Counter<L extends Labels> {
  readonly add: (labels: Of<L>, amount?: number) => Effect.Effect<void>
  /** For several updates in one step. */
  readonly addUnsafe: (context: AnyContext, labels: Of<L>, amount?: number) => void
  /** Reads the value whenever it is asked for, until the scope ends. */
  readonly follow: (labels: Of<L>, read: () => number) => Effect.Effect<void, never, Scope.Scope>
  /** The present value. */
  readonly value: (labels: Of<L>) => Effect.Effect<number>
}

export interface Gauge<L extends Labels> {
  readonly set: (labels: Of<L>, value: number) => Effect.Effect<void>
  /** Counts one while the effect runs. */
  readonly during: (labels: Of<L>) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** As {@link Counter.follow}. */
  readonly follow: (labels: Of<L>, read: () => number) => Effect.Effect<void, never, Scope.Scope>
  readonly value: (labels: Of<L>) => Effect.Effect<number>
}

export interface Histogram<L extends Labels> {
  readonly observe: (labels: Of<L>, value: number) => Effect.Effect<void>
  readonly observeUnsafe: (context: AnyContext, labels: Of<L>, value: number) => void
}

interface Family {
  readonly definition: Definition
  readonly register: (context: AnyContext) => void
}

const families: Array<Family> = []

/** Of the families that were made so far, in their order. */
export const definitions = (): ReadonlyArray<Definition> => families.map(({ definition }) => definition)

/** Makes every series that is not lazy, with the value 0. Series that exist are left as they are. */
export const registered: Effect.Effect<void> = Effect.withFiber((fiber) => {
  for (const { register } of families) register(fiber.context)
  return Effect.void
})

type Values = Readonly<Record<string, string>>

/** A step to one series: the labels in their order, and for each the value. Faster than a joined key, which is hashed each time. */
interface Branch<M> {
  readonly next: ReadonlyMap<string, Branch<M>>
  readonly series: M | undefined
}

/** The series of a family by the values of its labels. */
const make = <L extends Labels, Input, State>(
  { name, ofProcess, type }: Pick<Definition, "name" | "type" | "ofProcess">,
  { labels, lazy = false, meaning }: Options<L>,
  seriesOf: (attributes: Values) => Metric.Metric<Input, State>
) => {
  const lists: ReadonlyArray<readonly [label: string, values: ReadonlyArray<string>]> = Object.entries(labels ?? {})
  const all: Array<Metric.Metric<Input, State>> = []
  const grow = (chosen: Values, depth: number): Branch<Metric.Metric<Input, State>> => {
    const list = lists[depth]
    if (list !== undefined) {
      const [label, values] = list
      const next = new Map(values.map((value) => [value, grow({ ...chosen, [label]: value }, depth + 1)]))
      return { next, series: undefined }
    }
    const series = seriesOf(chosen)
    all.push(series)
    return { next: new Map(), series }
  }
  const root = grow({}, 0)
  families.push({
    definition: { name, type, meaning, labels: labels ?? {}, ...(ofProcess === undefined ? {} : { ofProcess }) },
    register: (context) => {
      // Reading a value makes the series.
      if (!lazy) for (const each of all) each.valueUnsafe(context)
    }
  })
  const find = (values: Values) => {
    let branch: Branch<Metric.Metric<Input, State>> | undefined = root
    for (const [label] of lists) branch = branch?.next.get(values[label] ?? "")
    if (branch?.series === undefined) throw new Error(`${name} has no series ${JSON.stringify(values)}`)
    return branch.series
  }
  return (values: Of<L>) => find(values)
}

const ignore = () => {}

const followed = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State) =>
  Effect.acquireRelease(
    Effect.withFiber((fiber) =>
      Effect.sync(() => Metric.registerUnsafe(metric, fiber.context, { get, update: ignore, modify: ignore }))
    ),
    ({ remove }) => Effect.sync(remove)
  ).pipe(Effect.asVoid)

export const counter = <const L extends Labels = Record<string, never>>(
  name: string,
  options: Options<L>
): Counter<L> => {
  const of = make({ name, type: "counter" }, options, (attributes) =>
    Metric.counter(name, { description: options.meaning, attributes, incremental: true })
  )
  return {
    add: (labels, amount = 1) => Metric.update(of(labels), amount),
    addUnsafe: (context, labels, amount = 1) => of(labels).updateUnsafe(amount, context),
    follow: (labels, read) => followed(of(labels), () => ({ count: read(), incremental: true })),
    value: (labels) => Effect.map(Metric.value(of(labels)), ({ count }) => count)
  }
}

export const gauge = <const L extends Labels = Record<string, never>>(
  name: string,
  options: Options<L> & { readonly ofProcess: OfProcess }
): Gauge<L> => {
  const of = make({ name, type: "gauge", ofProcess: options.ofProcess }, options, (attributes) =>
    Metric.gauge(name, { description: options.meaning, attributes })
  )
  return {
    set: (labels, value) => Metric.update(of(labels), value),
    during: (labels) => (effect) =>
      // Nothing may interrupt between the count and the finalizer that takes it back.
      Effect.uninterruptibleMask((restore) =>
        Effect.withFiber(({ context }) => {
          const metric = of(labels)
          metric.modifyUnsafe(1, context)
          return Effect.ensuring(
            restore(effect),
            Effect.sync(() => metric.modifyUnsafe(-1, context))
          )
        })
      ),
    follow: (labels, read) => followed(of(labels), () => ({ value: read() })),
    value: (labels) => Effect.map(Metric.value(of(labels)), ({ value }) => value)
  }
}

export const histogram = <const L extends Labels = Record<string, never>>(
  name: string,
  options: Options<L> & { readonly boundaries: ReadonlyArray<number> }
): Histogram<L> => {
  const { boundaries, meaning } = options
  const of = make({ name, type: "histogram" }, options, (attributes) =>
    Metric.histogram(name, { description: meaning, attributes, boundaries })
  )
  return {
    observe: (labels, value) => Metric.update(of(labels), value),
    observeUnsafe: (context, labels, value) => of(labels).updateUnsafe(value, context)
  }
}
