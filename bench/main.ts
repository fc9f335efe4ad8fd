/** `npm run bench`: measures everything in one run and writes bench/results/endpoint.md. About five minutes. */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as endpoint from "./endpoint.ts"
import * as ledger from "./ledger.ts"
import { median } from "./support/Median.ts"

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const times = (value: number): string => `${value.toFixed(2)}x`

const span = (lowest: number, highest: number): string => `${times(lowest)} to ${times(highest)}`

/** What the rate limit costs: CPU, with that of PostgreSQL, of calls with it against calls without, within each round. */
const limitCost = (rows: ReadonlyArray<endpoint.EndpointRow>): ReadonlyArray<string> => {
  const ratioOf = (limitedLabel: string, unlimitedLabel: string) => {
    const [limited = [], unlimited = []] = [limitedLabel, unlimitedLabel].map(
      (label) => rows.find((row) => row.label === label)?.perRound
    )
    const ratios = limited.map((cpu, round) => cpu / (unlimited[round] ?? Number.NaN))
    return `${times(median(ratios))} (${span(Math.min(...ratios), Math.max(...ratios))})`
  }
  return [
    `The rate limit, which all servers count together, costs the free call ${ratioOf(endpoint.limitedLabel, endpoint.unlimitedLabel)} of`,
    `what it costs without one, and the search ${ratioOf(endpoint.limitedSearchLabel, endpoint.searchLabel)}. Accounts call one after the other`,
    "as fast as the server answers, 400 free calls or 60 searches each."
  ]
}

const endpointSection = (rows: ReadonlyArray<endpoint.EndpointRow>): string => {
  const sdk = rows.filter(({ label }) => label.startsWith("official SDK"))
  const own = rows.find(({ label }) => label === endpoint.ownLabel)
  return [
    "## A call",
    "",
    "A plain `tools/call` request (`POST /mcp`), without a handshake, to one trivial tool, over connections that are kept alive, 16 at",
    `a time. Each server is a process of its own; what counts is its CPU time per call and that of its PostgreSQL (all processes of it),`,
    `in ${endpoint.rounds} rounds in which all take turns. A ratio is of both together and taken within a round; the median of them stands`,
    "first, the lowest and highest beside it.",
    "",
    table(
      [
        "server",
        "CPU per call",
        "of PostgreSQL besides",
        "against raw node:http",
        "lowest to highest",
        "calls a second"
      ],
      rows.map((row) => [
        row.label,
        `${row.cpuMicrosPerCall.toFixed(0)} us`,
        row.databaseMicrosPerCall === 0 ? "" : `${row.databaseMicrosPerCall.toFixed(0)} us`,
        times(row.timesRaw),
        span(row.lowest, row.highest),
        row.callsPerSecond.toFixed(0)
      ])
    ),
    "",
    ...(own === undefined
      ? []
      : [
          `Our endpoint, with its services in memory, costs ${times(own.timesRaw)} raw node:http; ` +
            sdk
              .map((row) => `${row.label} costs ${times(row.cpuMicrosPerCall / own.cpuMicrosPerCall)} ours`)
              .join(", ") +
            ".",
          "Raw node:http parses the body and answers; it checks nothing. The SDK's servers check no credential, plan, credit or rate limit,",
          "and none of the peers writes a line of log for a call; one row tells what ours costs with it.",
          ...limitCost(rows)
        ]),
    ""
  ].join("\n")
}

const ledgerSection = (rows: ReadonlyArray<ledger.LedgerRow>): string =>
  [
    "## Charges on one hot account",
    "",
    "64 calls at once charge one credit each, on a PostgreSQL with fsync and synchronous commit on: through `CreditLedger`, which sends",
    "what waits as one statement, and one statement for each charge.",
    "",
    table(
      ["way", "charges a second", "against unbatched", "lowest to highest"],
      rows.map((row) => [
        row.label,
        row.chargesPerSecond.toFixed(0),
        times(row.timesUnbatched),
        span(row.lowest, row.highest)
      ])
    ),
    ""
  ].join("\n")

const endpointRows = await endpoint.run()
const ledgerRows = await Effect.runPromise(ledger.run)

const page = [
  "# Benchmarks",
  "",
  "<!-- Written by `npm run bench`. -->",
  "",
  `Measured on ${os.availableParallelism()} cores that the load shares with the servers, with Node ${process.version}. Absolute times say`,
  "little on a machine like this; ratios, measured side by side in one run, carry over.",
  "",
  endpointSection(endpointRows),
  ledgerSection(ledgerRows)
].join("\n")

const file = new URL("./results/endpoint.md", import.meta.url)
// What answers and definitions cost in tokens is held by tests, not measured here.
const [, tokens = ""] = (await fs.readFile(file, "utf8")).split("## Tokens\n")
await fs.writeFile(file, `${page}## Tokens\n${tokens}`)
process.stdout.write(`${page}\n`)
