/** bench/results/searches.md, out of what has been measured on each size of data. */
import { Option } from "effect"
import * as Cases from "./Cases.ts"
import * as Planner from "./PlannerFigures.ts"
import * as Rates from "./Rates.ts"
import type { LatencyRow, PeerResult, Rates as RateSteps, Results } from "./Results.ts"
import { tools } from "./SearchCase.ts"
import type { Tool } from "./SearchCase.ts"
import * as Tables from "./Tables.ts"
import { maxConnections } from "./Target.ts"
import { limits } from "./WordTiers.ts"

/** Milliseconds of whole calls at 4 a second: the p95 of every class, and the p99 over all. Disturbed calls are no exception. */
const wantedClass = 20
const wantedAll = 35
/** Mixed calls a second without a loss, with a p95 below this. */
const wantedRates: ReadonlyMap<number, number> = new Map([
  [1, 200],
  [2, 300]
])
const wantedRateP95 = 50
const wantedLoop = 10
const wantedFacets = 40
/** Of a class, beside a peer. */
const wantedCases = 100
/** A class may be slower than a peer by this, and than the bare loop by so many times. */
const tolerated = 0.5
const wantedTimesLoop = 3
const gigabyte = 1e9

const count = (value: number): string => value.toLocaleString("en-US")
const gigabytes = (bytes: number): string => `${(bytes / gigabyte).toFixed(2)} GB`
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`
const verdict = (isMet: boolean): string => (isMet ? "met" : "**missed**")
const seconds = (value: number): string => `${value.toFixed(1)} s`

const rowsOf = <Row extends { readonly tool: string }>(rows: ReadonlyArray<Row>, tool: Tool): ReadonlyArray<Row> =>
  rows.filter((row) => row.tool === tool)

/** What the machine had to do beside a part, and how much of it was taken away. */
const under = ({ loads, steal }: Results, part: string): string =>
  [
    loads[part] === undefined ? "" : `Load of the machine: ${loads[part].toFixed(1)}.`,
    steal[part] === undefined ? "" : `Steal time: ${Tables.percent(steal[part])}.`
  ].join(" ")

const notMeasured = (title: string, command: string): ReadonlyArray<string> => [
  `## ${title}`,
  "",
  `Not measured at this size: \`npm run bench:search -- --only ${command} --save\`.`,
  ""
]

const introduction = ({ ads, machine, products, shops }: Results): ReadonlyArray<string> => [
  "# Benchmarks of the searches",
  "",
  "<!-- Written by `npm run bench:search`. -->",
  "",
  `Over ${count(shops)} stores, ${count(products)} products and ${count(ads)} ads (\`npm run bench:data\`), on ${machine.cores} cores that`,
  `the load, the server and PostgreSQL share, with Node ${machine.node} and PostgreSQL ${machine.postgres}. **Each section says which load the machine`,
  "had (the mean of a minute, before or after it, the higher one)**: on two cores a load of 20 means that each process has a tenth of a core. Such times are those of a crowded machine;",
  "only ratios that were taken side by side, in turns, carry over. **Steal time** is the share of the cores' time that the host of this virtual machine gave to",
  "others while this machine wanted it: a call during which that happens waits for the host. Calls without it are *undisturbed*, and are summarized apart.",
  "",
  "Calls take the whole way: the program in a process of its own, `POST /mcp` with an API key, arguments decoded, plan and",
  "balance looked at, the search, the records of the page, the answer cut to size, one credit charged. They leave at their times whatever",
  "became of earlier ones, and each counts from the time at which it was due.",
  `\`DATABASE_MAX_CONNECTIONS\` is ${maxConnections}. How the index works: [search-index.md](search-index.md).`,
  ""
]

const classes: ReadonlyArray<string> = [
  "## Classes",
  "",
  "Cases are drawn from the data by a seed: a filter has the value of a store that was taken at random, often with those of",
  "others, a range has its figure as one end and another store's as the other. How many match is counted on 20,000 stores",
  "and documents taken at random; words as searches find them, by how many documents have a word that begins so.",
  "Half of the cases leave the sort as it is, the others take any; some ask for a later page, or for more on it.",
  "",
  Tables.markdown(
    ["class", "meaning"],
    Object.entries(Cases.meanings).map(([name, meaning]) => [name, meaning])
  ),
  "",
  `What is rare is looked up in the whole index: at most ${limits.rare * 100} % is ${count(limits.rare * 5_000_000)} of five million.`,
  ""
]

const before = (row: LatencyRow): string => {
  const found = Planner.latency.find(([tool, name]) => tool === row.tool && name === row.class)
  return found === undefined ? "-" : `${found[2]} / ${found[3]}`
}

const above = (rows: ReadonlyArray<LatencyRow>, p95: (row: LatencyRow) => number): string =>
  `${rows.filter((row) => p95(row) > wantedClass).length} of ${rows.length}`

const latencySection = (results: Results): ReadonlyArray<string> => {
  const { latency, shops } = results
  if (latency === undefined) return notMeasured("Each class", "latency")
  const hasBefore = shops === Planner.shops
  return [
    "## Each class",
    "",
    `${count(latency.rows.reduce((sum, { calls }) => sum + calls, 0))} calls, ${latency.perSecond} a second evenly spaced, all classes mixed, one search thread; seed \`${latency.seed}\`.`,
    `Milliseconds. Wanted is a p95 of ${wantedClass} in each class. The tables judge the undisturbed calls; a long call is likelier to be disturbed than a short one. ${under(results, "latency")}`,
    hasBefore ? '"Before" is the planner on PostgreSQL, p50 / p95, as it was measured last on a machine at rest.' : "",
    "",
    ...tools.flatMap((tool) => {
      const rows = rowsOf(latency.rows, tool)
      return rows.length === 0
        ? []
        : [
            `### ${tool}`,
            "",
            Tables.markdown(
              [
                "class",
                "calls",
                "mean",
                "p50",
                "p95",
                "p99",
                "max",
                "undisturbed",
                "their p95",
                "wanted",
                ...(hasBefore ? ["before"] : []),
                "failures"
              ],
              rows.map((row) => [
                row.class,
                String(row.calls),
                ...[row.mean, row.p50, row.p95, row.p99, row.max].map(Tables.millis),
                String(row.undisturbed.calls),
                Tables.millis(row.undisturbed.p95),
                verdict(row.undisturbed.p95 <= wantedClass),
                ...(hasBefore ? [before(row)] : []),
                Tables.failures(row.failures) || "none"
              ])
            ),
            ""
          ]
    }),
    `A p95 above ${wantedClass} ms: ${above(latency.rows, ({ p95 }) => p95)} classes by all calls, ${above(latency.rows, ({ undisturbed }) => undisturbed.p95)} by the undisturbed ones.`,
    `p99 over all: ${Tables.millis(latency.p99)} ms (wanted ${wantedAll}: ${verdict(latency.p99 <= wantedAll)}); over the ${count(latency.undisturbed.calls)} undisturbed: ` +
      `${Tables.millis(latency.undisturbed.p99)} ms (${verdict(latency.undisturbed.p99 <= wantedAll)}). Event loop delay of the server's main thread meanwhile: p99 ` +
      `${Tables.millis(latency.loop99)} ms (wanted ${wantedLoop}: ${verdict(latency.loop99 <= wantedLoop)}), max ${Tables.millis(latency.loopMax)} ms.`,
    ""
  ]
}

/** Calls a second of the highest step that was not broken and was answered in time. */
const mostSustained = ({ steps }: Pick<RateSteps, "steps">): number =>
  Math.max(
    0,
    ...steps.filter((step) => !Rates.isBroken(step) && step.p95 < wantedRateP95).map(({ perSecond }) => perSecond)
  )

const ratesSection = (results: Results): ReadonlyArray<string> => {
  const { rates = [], shops } = results
  if (rates.length === 0) return notMeasured("More and more calls a second", "rates")
  return [
    "## More and more calls a second",
    "",
    `All classes and tools mixed, as independent callers send them (a Poisson process), each step on a server that was just started and has answered ${Rates.warmUpPerClass} calls of each class.`,
    `It ends with the first step that is broken: a call fails, or answers fall behind by more than 5 %. ${under(results, "rates")}`,
    "",
    ...rates
      .toSorted((a, b) => a.workers - b.workers)
      .flatMap((one) => {
        const most = mostSustained(one)
        const wanted = wantedRates.get(one.workers)
        return [
          `### ${one.workers} search ${one.workers === 1 ? "thread" : "threads"}, ${one.seconds} seconds a step`,
          "",
          Tables.markdown(
            [
              "calls a second",
              "answered a second",
              "calls",
              "p50",
              "p95",
              "p99",
              "max",
              "event loop p99",
              "steal",
              "failures"
            ],
            one.steps.map((step) => [
              String(step.perSecond),
              step.answeredPerSecond.toFixed(1),
              count(step.calls),
              ...[step.p50, step.p95, step.p99, step.max, step.loop99].map(Tables.millis),
              Tables.percent(step.steal),
              Tables.failures(step.failures) || "none"
            ])
          ),
          "",
          `None lost and a p95 below ${wantedRateP95} ms: ${most} a second${wanted === undefined ? "." : `; wanted are ${wanted}: ${verdict(most >= wanted)}.`}`,
          ""
        ]
      }),
    ...(shops === Planner.shops
      ? [
          "### Before: the planner on PostgreSQL, at rest",
          "",
          Tables.markdown(
            ["calls a second", "p50", "p95", "p99", "lost"],
            Planner.rates.map((row) => row.map(String))
          ),
          ""
        ]
      : [])
  ]
}

const facetsSection = (results: Results): ReadonlyArray<string> => {
  const { facets } = results
  if (facets === undefined) return notMeasured("Facets", "facets")
  return [
    "## Facets and overviews",
    "",
    "How many results each value of each filter would leave, all filters at once, its own left out; and `compare_markets` and `compare_ads`,",
    "which group the stores of the same cases by country, theme, pixel and app, and the ads by call to action and country. By the index",
    "alone, on one thread, over the cases of all classes.",
    `Milliseconds; wanted is a p95 of ${wantedFacets}. ${under(results, "facets")}`,
    "",
    Tables.markdown(
      ["tool", "words", "calls", "mean", "p50", "p95", "p99", "max", "wanted"],
      facets.map((row) => [
        row.tool,
        row.words ? "with" : "without",
        String(row.calls),
        ...[row.mean, row.p50, row.p95, row.p99, row.max].map(Tables.millis),
        verdict(row.p95 <= wantedFacets)
      ])
    ),
    ""
  ]
}

const changesSection = (results: Results): ReadonlyArray<string> => {
  const { changes } = results
  if (changes === undefined) return notMeasured("Start, changes and memory", "changes")
  const { atRest, merge, startFromNothing, startWithSnapshot, stores, traffic } = changes
  return [
    "## Start, changes and memory",
    "",
    `One server with one search thread and the index thread, on a copy of the data. ${under(results, "changes")} Memory is that of the process,`,
    "resident, with all threads and shared arrays.",
    "",
    Tables.markdown(
      ["", "measured", "wanted", ""],
      [
        ["start with a snapshot", seconds(startWithSnapshot), "3 s", verdict(startWithSnapshot <= 3)],
        ["start from nothing", seconds(startFromNothing), "120 s", verdict(startFromNothing <= 120)],
        ["memory at rest", gigabytes(atRest), "0.9 GB", verdict(atRest <= 0.9 * gigabyte)],
        ["memory while merging", gigabytes(merge.highest), "2.2 GB", verdict(merge.highest <= 2.2 * gigabyte)],
        [
          `a commit that touches ${count(stores.touched)} stores is visible after`,
          seconds(stores.seconds),
          "2 s",
          verdict(stores.seconds <= 2)
        ],
        [
          `a month of traffic for all ${count(traffic.touched)} stores`,
          seconds(traffic.seconds),
          "20 s",
          verdict(traffic.seconds <= 20)
        ],
        [`the items of ${count(merge.touched)} stores, visible after`, seconds(merge.visibleSeconds), "", ""],
        ["the same, merged and saved after", seconds(merge.mergedSeconds), "", ""],
        [
          "event loop of the main thread meanwhile, p99",
          `${Tables.millis(merge.loop99)} ms`,
          "10 ms",
          verdict(merge.loop99 <= wantedLoop)
        ]
      ]
    ),
    "",
    `Before: ${Planner.resident} MiB for the server process, and PostgreSQL with 6 GB of cache to search in.`,
    ""
  ]
}

const soakSection = (results: Results): ReadonlyArray<string> => {
  const { soak } = results
  if (soak === undefined) return notMeasured("Memory over time", "soak")
  return [
    "## Memory over time",
    "",
    `Resident memory of the server process over ${soak.minutes} minutes at ${soak.perSecond} mixed calls a second (${count(soak.calls)} calls,`,
    `failures: ${Tables.failures(soak.failures) || "none"}; p95 ${Tables.millis(soak.p95)} ms): ${megabytes(soak.firstMinute)} in the first minute, ${megabytes(soak.lastMinute)} in the`,
    `last, ${megabytes(soak.lowest)} at least, ${megabytes(soak.highest)} at most; over the second half it changes by`,
    `${(soak.slopePerMinute / 2 ** 20).toFixed(2)} MiB a minute. Not judged: the rule is for an hour or more ([hours of load](fault-benchmarks.md#hours-of-load)). ${under(results, "soak")}`,
    ""
  ]
}

const isLoop = ({ name }: PeerResult): boolean => name === "bare loop"

const isFastEnough = (peer: PeerResult, row: PeerResult["rows"][number]): boolean =>
  row.own50 <= row.p50 + tolerated || (isLoop(peer) && row.own50 <= wantedTimesLoop * row.p50)

const peersSection = (results: Results): ReadonlyArray<string> => {
  const { peers = [], shops } = results
  if (peers.length === 0) return notMeasured("Beside other ways to search", "peers")
  return [
    "## Beside other ways to search",
    "",
    "Each peer answers the same cases over the same data, one at a time and in turns with the index, which searches on the thread of the load;",
    "it must give the same ids in the same order and the same totals, or the run fails. What takes longer than 20 seconds is given up and",
    "counts as 20; a class in which a peer has taken 20 is left after that case. Neither side reads records: both find ids.",
    `Milliseconds, p50 / p95; the ratio is the median of the cases'. Wanted is to be ahead in every class or within ${tolerated} ms by the median; of the bare loop,`,
    `within ${wantedTimesLoop} times or ${tolerated} ms. ${under(results, "peers")}`,
    "",
    ...peers.flatMap((peer) => {
      const behind = peer.rows.filter((row) => !isFastEnough(peer, row)).length
      const cases = peer.rows.map((row) => row.cases)
      const short = cases.filter((each) => each < wantedCases).length
      return [
        `### ${peer.name}`,
        "",
        `${peer.description} Classes that miss: ${behind} of ${peer.rows.length}` +
          (short === 0
            ? "."
            : `, by the cases that were run: medians of ${wantedCases} were wanted, and ${short} of ${peer.rows.length} classes have fewer, the least ${Math.min(...cases)}.`),
        "",
        Tables.markdown(
          ["tool", "class", "cases", peer.name, "index", "ratio", "given up", "wanted"],
          peer.rows.map((row) => [
            row.tool,
            row.class,
            String(row.cases),
            `${Tables.millis(row.p50)} / ${Tables.millis(row.p95)}`,
            `${Tables.millis(row.own50)} / ${Tables.millis(row.own95)}`,
            Tables.times(row.ratio),
            String(row.timeouts),
            verdict(isFastEnough(peer, row))
          ])
        ),
        ""
      ]
    }),
    ...(shops === Planner.shops
      ? [
          `Before, the planner was slower than joins in ${Planner.slowerThanPeers["normalized, joins"]} and than DuckDB in ${Planner.slowerThanPeers["DuckDB, 1 thread"]} of ${Planner.slowerThanPeers.classes} classes.`,
          ""
        ]
      : [])
  ]
}

const growthSection = (large: Results, small: Results): ReadonlyArray<string> => {
  const loopOf = ({ peers }: Results) => peers?.find(isLoop)?.rows
  const [largeRows, smallRows] = [loopOf(large), loopOf(small)]
  if (largeRows === undefined || smallRows === undefined) return []
  const sizes = [small, large].map(({ shops }) => count(shops))
  return [
    "## How cost grows",
    "",
    `The index alone over ${sizes[0]} stores, ${count(small.products)} products and ${count(small.ads)} ads, beside that over ${sizes[1]}: p50 / p95 in`,
    `milliseconds, the shortest of five runs of each case, and what each becomes with ${(large.shops / small.shops).toFixed(0)} times the data.`,
    "",
    Tables.markdown(
      ["tool", "class", `${sizes[0]} stores`, `${sizes[1]} stores`, "p50", "p95"],
      largeRows.flatMap((row) => {
        const other = smallRows.find((one) => one.tool === row.tool && one.class === row.class)
        if (other === undefined) return []
        return [
          [
            row.tool,
            row.class,
            `${fine(other.own50)} / ${fine(other.own95)}`,
            `${fine(row.own50)} / ${fine(row.own95)}`,
            Tables.times(row.own50 / other.own50),
            Tables.times(row.own95 / other.own95)
          ]
        ]
      })
    ),
    ""
  ]
}

/** Some take hundredths of a millisecond. */
const fine = (millis: number): string => (millis < 1 ? millis.toFixed(2) : Tables.millis(millis))

/** Where the classes have no column of their own for it. */
const beforeSection = ({ latency, shops }: Results): ReadonlyArray<string> =>
  latency !== undefined && shops === Planner.shops
    ? []
    : [
        "## Before: the planner on PostgreSQL",
        "",
        `What was measured last of it, over ${count(Planner.shops)} stores on a machine at rest; milliseconds of whole calls, 4 a second. It sustained 40 mixed calls`,
        `a second with a p95 of 419 ms, and was slower than joins in ${Planner.slowerThanPeers["normalized, joins"]} and than DuckDB in ${Planner.slowerThanPeers["DuckDB, 1 thread"]} of ${Planner.slowerThanPeers.classes} classes.`,
        "",
        Tables.markdown(
          ["tool", "class", "p50", "p95", "p99"],
          Planner.latency.map((row) => row.map(String))
        ),
        ""
      ]

type Part = "latency" | "rates" | "changes" | "soak" | "facets" | "peers"

/** A part that was not measured at the larger size is told of the smaller one, and says so below its title. */
const section = (
  part: Part,
  tell: (results: Results) => ReadonlyArray<string>,
  large: Results,
  small: Option.Option<Results>
): ReadonlyArray<string> => {
  if (large[part] !== undefined || Option.isNone(small) || small.value[part] === undefined) return tell(large)
  const { ads, products, shops } = small.value
  const [title = "", ...others] = tell(small.value)
  const size = `**Measured over ${count(shops)} stores, ${count(products)} products and ${count(ads)} ads only.**`
  return [title, "", size, ...others]
}

export const page = (large: Results, small: Option.Option<Results>): string =>
  [
    ...introduction(large),
    ...classes,
    ...section("latency", latencySection, large, small),
    ...section("rates", ratesSection, large, small),
    ...section("changes", changesSection, large, small),
    ...section("soak", soakSection, large, small),
    ...section("facets", facetsSection, large, small),
    ...section("peers", peersSection, large, small),
    ...beforeSection(large),
    ...Option.match(small, { onNone: () => [], onSome: (results) => growthSection(large, results) })
  ].join("\n")
