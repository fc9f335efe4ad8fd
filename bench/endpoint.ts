/** What a plain call costs beside raw node:http and the official SDK's servers: all peers in turns, in one run. */
import * as Load from "./support/Load.ts"
import { median } from "./support/Median.ts"
import * as Peer from "./support/Peer.ts"
import * as Trivial from "./support/Trivial.ts"

interface Contender {
  readonly label: string
  readonly module: string
  readonly args?: ReadonlyArray<string>
  readonly bodies: ReadonlyArray<string>
  readonly calls: number
}

/** Different searches in rotation, so that no cached total flatters. */
const searches = ["US", "GB", "DE", "FR", "CA", "AU", "NL", "IT"].flatMap((country) =>
  [1, 2, 3].map((page) => Trivial.toolCall("search_ads", { countries: [country], page, sort_by: "newest" }))
)

export const ownLabel = "Discovery, `get_usage`, services in memory"
export const unlimitedLabel = "Discovery, `get_usage`, PostgreSQL, log"
export const limitedLabel = "the same, with its rate limit"
export const searchLabel = "Discovery, `search_ads`, PostgreSQL, log, charged"
export const limitedSearchLabel = "that search, with its rate limit"

const contenders: ReadonlyArray<Contender> = [
  { label: "raw node:http", module: "rawHttp.ts", bodies: [Trivial.body], calls: 20_000 },
  { label: ownLabel, module: "discoveryInMemory.ts", args: ["--quiet"], bodies: [Trivial.body], calls: 20_000 },
  { label: "the same, with its line of log", module: "discoveryInMemory.ts", bodies: [Trivial.body], calls: 20_000 },
  { label: "official SDK v2", module: "sdkV2.ts", bodies: [Trivial.body], calls: 20_000 },
  { label: "official SDK v1", module: "sdkV1.ts", bodies: [Trivial.body], calls: 20_000 },
  { label: unlimitedLabel, module: "discovery.ts", bodies: [Trivial.body], calls: 20_000 },
  { label: limitedLabel, module: "discovery.ts", args: ["--limited"], bodies: [Trivial.body], calls: 20_000 },
  { label: searchLabel, module: "discovery.ts", bodies: searches, calls: 3000 },
  { label: limitedSearchLabel, module: "discovery.ts", args: ["--limited"], bodies: searches, calls: 3000 }
]

export const rounds = 7
const concurrency = 16

export interface EndpointRow {
  readonly label: string
  /** Of the server. */
  readonly cpuMicrosPerCall: number
  /** Of its PostgreSQL; 0 without one. */
  readonly databaseMicrosPerCall: number
  /** Of both together, as all ratios are. */
  readonly timesRaw: number
  /** The lowest and the highest ratio of the rounds: the losing runs are told too. */
  readonly lowest: number
  readonly highest: number
  readonly callsPerSecond: number
  /** CPU per call in each round, of both. */
  readonly perRound: ReadonlyArray<number>
}

export const run = async (): Promise<ReadonlyArray<EndpointRow>> => {
  const peers = new Map<string, Peer.Peer>()
  const keyOf = ({ args = [], module }: Contender) => [module, ...args].join(" ")
  const peerOf = (contender: Contender): Peer.Peer => {
    const peer = peers.get(keyOf(contender))
    if (peer === undefined) throw new Error(`no peer ${keyOf(contender)}`)
    return peer
  }
  try {
    for (const contender of contenders) {
      const key = keyOf(contender)
      if (!peers.has(key)) peers.set(key, await Peer.start(key, contender.module, contender.args))
    }
    const load = (contender: Contender, round: number) =>
      Load.run(peerOf(contender), { bodies: contender.bodies, calls: contender.calls, concurrency, round })
    for (const contender of contenders) await load(contender, 0)
    const samples = contenders.map((): Array<Load.Sample> => [])
    for (let round = 1; round <= rounds; round++) {
      for (const [index, contender] of contenders.entries()) samples[index]?.push(await load(contender, round))
    }
    return contenders.map(({ label }, index): EndpointRow => {
      const own = samples[index] ?? []
      const both = own.map((sample) => sample.cpuMicrosPerCall + sample.databaseMicrosPerCall)
      const ratios = both.map((micros, round) => micros / (samples[0]?.[round]?.cpuMicrosPerCall ?? Number.NaN))
      return {
        label,
        cpuMicrosPerCall: median(own.map((sample) => sample.cpuMicrosPerCall)),
        databaseMicrosPerCall: median(own.map((sample) => sample.databaseMicrosPerCall)),
        timesRaw: median(ratios),
        lowest: Math.min(...ratios),
        highest: Math.max(...ratios),
        callsPerSecond: median(own.map((sample) => sample.callsPerSecond)),
        perRound: both
      }
    })
  } finally {
    for (const peer of peers.values()) await peer.stop()
  }
}
