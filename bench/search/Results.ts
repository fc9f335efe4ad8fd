/** What runs have measured, kept as JSON for each size of data, so that one page can tell of several runs and sizes. */
import { Effect, Option, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { benchFolder } from "./ScaleDatabase.ts"

const List = <S extends Schema.Constraint>(item: S) => Schema.Array(item)
const Failures = Schema.Record(Schema.String, Schema.Finite)

/** Milliseconds. */
const spread = {
  calls: Schema.Int,
  mean: Schema.Finite,
  p50: Schema.Finite,
  p95: Schema.Finite,
  p99: Schema.Finite,
  max: Schema.Finite
}
const group = { tool: Schema.String, class: Schema.String }

/** Of calls during which the host took no core away from this machine (StealTime.ts). */
const Undisturbed = Schema.Struct({ calls: Schema.Int, p95: Schema.Finite })

export const LatencyRow = Schema.Struct({ ...group, ...spread, undisturbed: Undisturbed, failures: Failures })
export type LatencyRow = typeof LatencyRow.Type

/** Of the event loop of the server's main thread. */
const loop = { loop99: Schema.Finite, loopMax: Schema.Finite }

export const Latency = Schema.Struct({
  seed: Schema.String,
  perSecond: Schema.Finite,
  /** p99 of all calls together. */
  p99: Schema.Finite,
  undisturbed: Schema.Struct({ calls: Schema.Int, p99: Schema.Finite }),
  ...loop,
  rows: List(LatencyRow)
})

export const RateStep = Schema.Struct({
  perSecond: Schema.Finite,
  answeredPerSecond: Schema.Finite,
  ...spread,
  ...loop,
  /** Share of both cores that the host took away meanwhile. */
  steal: Schema.Finite,
  failures: Failures
})
export type RateStep = typeof RateStep.Type

export const Rates = Schema.Struct({
  /** Threads that search. */
  workers: Schema.Int,
  seed: Schema.String,
  seconds: Schema.Finite,
  steps: List(RateStep)
})
export type Rates = typeof Rates.Type

export const FacetRow = Schema.Struct({ tool: Schema.String, words: Schema.Boolean, ...spread })
export type FacetRow = typeof FacetRow.Type

export const Changes = Schema.Struct({
  /** Without a snapshot, until searches are answered; seconds. */
  startFromNothing: Schema.Finite,
  startWithSnapshot: Schema.Finite,
  /** Resident memory of the server with all its threads, bytes: after the start with a snapshot, and some searches. */
  atRest: Schema.Finite,
  /** From the commit until searches see it; seconds. */
  stores: Schema.Struct({ touched: Schema.Int, seconds: Schema.Finite }),
  traffic: Schema.Struct({ touched: Schema.Int, seconds: Schema.Finite }),
  /** A change of so many stores that they are merged with all others. */
  merge: Schema.Struct({
    touched: Schema.Int,
    visibleSeconds: Schema.Finite,
    mergedSeconds: Schema.Finite,
    highest: Schema.Finite,
    ...loop
  })
})
export type Changes = typeof Changes.Type

export const Soak = Schema.Struct({
  minutes: Schema.Finite,
  perSecond: Schema.Finite,
  ...spread,
  failures: Failures,
  /** Resident memory of the server process, bytes. */
  firstMinute: Schema.Finite,
  lastMinute: Schema.Finite,
  lowest: Schema.Finite,
  highest: Schema.Finite,
  /** Least squares over the second half; bytes. */
  slopePerMinute: Schema.Finite
})
export type Soak = typeof Soak.Type

export const PeerRow = Schema.Struct({
  ...group,
  cases: Schema.Int,
  p50: Schema.Finite,
  p95: Schema.Finite,
  timeouts: Schema.Int,
  /** Of the index for the same cases, in turns with the peer. */
  own50: Schema.Finite,
  own95: Schema.Finite,
  ratio: Schema.Finite
})
export type PeerRow = typeof PeerRow.Type

export const PeerResult = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  seed: Schema.String,
  rows: List(PeerRow)
})
export type PeerResult = typeof PeerResult.Type

export const Machine = Schema.Struct({
  cores: Schema.Int,
  node: Schema.String,
  postgres: Schema.String,
  settings: Schema.Record(Schema.String, Schema.String)
})

export const Results = Schema.Struct({
  shops: Schema.Int,
  products: Schema.Int,
  ads: Schema.Int,
  machine: Machine,
  latency: Schema.optionalKey(Latency),
  rates: Schema.optionalKey(List(Rates)),
  soak: Schema.optionalKey(Soak),
  facets: Schema.optionalKey(List(FacetRow)),
  changes: Schema.optionalKey(Changes),
  peers: Schema.optionalKey(List(PeerResult)),
  /** Of each part, the machine's load over a minute, before or after it, whichever was higher. */
  loads: Schema.Record(Schema.String, Schema.Finite),
  /** Of each part, the share of all cores' time that the host took away meanwhile. */
  steal: Schema.Record(Schema.String, Schema.Finite)
})
export type Results = typeof Results.Type

/** What one run adds. */
export type Parts = Partial<Pick<Results, "latency" | "rates" | "soak" | "facets" | "changes" | "peers">>

const folder = path.join(benchFolder, "results")
const fileOf = (shops: number) => path.join(folder, `${shops}.json`)

const Json = Schema.fromJsonString(Results)

/** None: this size has not been measured. */
export const read = (shops: number) =>
  Effect.gen(function* () {
    const text = yield* Effect.promise(() => fs.readFile(fileOf(shops), "utf8").catch(() => undefined))
    return text === undefined ? Option.none<Results>() : Option.some(yield* Schema.decodeEffect(Json)(text))
  })

/** Peers that were not measured this time keep what they had. */
const mergePeers = (earlier: Results["peers"], now: Results["peers"]): Pick<Results, "peers"> => {
  if (now === undefined) return {}
  return { peers: [...(earlier ?? []).filter(({ name }) => !now.some((peer) => peer.name === name)), ...now] }
}

const mergeRates = (earlier: Results["rates"], now: Results["rates"]): Pick<Results, "rates"> => {
  if (now === undefined) return {}
  return { rates: [...(earlier ?? []).filter(({ workers }) => !now.some((one) => one.workers === workers)), ...now] }
}

/** Puts the parts of a run in place of earlier ones. */
export const write = Effect.fnUntraced(function* (
  facts: Omit<Results, keyof Parts | "loads" | "steal">,
  parts: Parts,
  machine: { readonly load: number; readonly steal: number }
) {
  const earlier: Parts & Pick<Results, "loads" | "steal"> = Option.getOrElse(yield* read(facts.shops), () => ({
    loads: {},
    steal: {}
  }))
  const ofEach = (value: number) => Object.fromEntries(Object.keys(parts).map((part) => [part, value]))
  const loads = { ...earlier.loads, ...ofEach(machine.load) }
  const steal = { ...earlier.steal, ...ofEach(machine.steal) }
  const text = yield* Schema.encodeEffect(Json)({
    ...earlier,
    ...facts,
    ...parts,
    ...mergePeers(earlier.peers, parts.peers),
    ...mergeRates(earlier.rates, parts.rates),
    loads,
    steal
  })
  yield* Effect.promise(async () => {
    await fs.mkdir(folder, { recursive: true })
    await fs.writeFile(fileOf(facts.shops), text)
  })
})
