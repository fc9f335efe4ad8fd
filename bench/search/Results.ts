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

export const LatencyRow = Schema.Struct({ ...group, ...spread, failures: Failures })
export type LatencyRow = typeof LatencyRow.Type

export const Latency = Schema.Struct({ seed: Schema.String, perSecond: Schema.Finite, rows: List(LatencyRow) })

export const RateStep = Schema.Struct({
  perSecond: Schema.Finite,
  answeredPerSecond: Schema.Finite,
  ...spread,
  failures: Failures
})
export type RateStep = typeof RateStep.Type

export const Rates = Schema.Struct({ seed: Schema.String, seconds: Schema.Finite, steps: List(RateStep) })

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

/** One call of the tool, and its statements sent by hand. */
export const RawRow = Schema.Struct({
  ...group,
  cases: Schema.Int,
  tool50: Schema.Finite,
  raw50: Schema.Finite,
  /** Medians over the cases. */
  ratio: Schema.Finite,
  addedMillis: Schema.Finite
})
export type RawRow = typeof RawRow.Type

export const Raw = Schema.Struct({
  seed: Schema.String,
  rows: List(RawRow),
  /** All time of the tool by all time of its statements. */
  overall: Schema.Finite,
  /** Median of all cases whose statements take 10 ms or more. */
  ofLongOnes: Schema.Finite
})

export type Raw = typeof Raw.Type

export const PeerRow = Schema.Struct({
  ...group,
  cases: Schema.Int,
  p50: Schema.Finite,
  p95: Schema.Finite,
  timeouts: Schema.Int,
  /** Of our statements for the same cases, in turns with the peer. */
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
  rates: Schema.optionalKey(Rates),
  soak: Schema.optionalKey(Soak),
  raw: Schema.optionalKey(Raw),
  peers: Schema.optionalKey(List(PeerResult))
})
export type Results = typeof Results.Type

/** What one run adds. */
export type Parts = Partial<Pick<Results, "latency" | "rates" | "soak" | "raw" | "peers">>

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

/** Puts the parts of a run in place of earlier ones. */
export const write = Effect.fnUntraced(function* (facts: Omit<Results, keyof Parts>, parts: Parts) {
  const earlier: Parts = Option.getOrElse(yield* read(facts.shops), () => ({}))
  const peers = mergePeers(earlier.peers, parts.peers)
  const text = yield* Schema.encodeEffect(Json)({ ...earlier, ...facts, ...parts, ...peers })
  yield* Effect.promise(async () => {
    await fs.mkdir(folder, { recursive: true })
    await fs.writeFile(fileOf(facts.shops), text)
  })
})
