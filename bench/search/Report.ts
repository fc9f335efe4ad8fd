/** docs/search-benchmarks.md, out of what has been measured on each size of data. */
import { maxConnections } from "./Target.ts"
import { Option } from "effect"
import * as Cases from "./Cases.ts"
import * as Rates from "./Rates.ts"
import type { LatencyRow, RateStep, Results } from "./Results.ts"
import { tools } from "./SearchCase.ts"
import type { Tool } from "./SearchCase.ts"
import * as Tables from "./Tables.ts"
import { limits } from "./WordTiers.ts"

/** Milliseconds (issue 3, point 2). */
const usual = { p95: 60, p99: 120 }
const hardest = { p95: 400 }
const mostAdded = 1.3
const sustained = 40

const count = (value: number): string => value.toLocaleString("en-US")
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`

const rowsOf = <Row extends { readonly tool: string }>(rows: ReadonlyArray<Row>, tool: Tool): ReadonlyArray<Row> =>
  rows.filter((row) => row.tool === tool)

const isMet = (tool: Tool, row: LatencyRow): boolean =>
  Cases.isHard(tool, row.class) ? row.p95 <= hardest.p95 : row.p95 <= usual.p95 && row.p99 <= usual.p99

const introduction = ({ ads, machine, products, shops }: Results): ReadonlyArray<string> => [
  "# Benchmarks of the searches",
  "",
  "<!-- Written by `npm run bench:search`. -->",
  "",
  `Over ${count(shops)} stores, ${count(products)} products and ${count(ads)} ads (\`npm run bench:data\`), on ${machine.cores} cores that`,
  `the load, the server and PostgreSQL share, with Node ${machine.node} and PostgreSQL ${machine.postgres}, whose tables and`,
  "indexes are read into its cache before anything is measured. Its settings, as far as they are not the defaults:",
  ...Object.entries(machine.settings).map(
    ([name, value], index, all) => `\`${name}=${value}\`${index === all.length - 1 ? "." : ","}`
  ),
  "",
  "Calls take the whole way: the program in a process of its own, `POST /mcp` with an API key, arguments decoded, plan and",
  "balance looked at, the search, the answer cut to size, one credit charged. They leave at their times whatever became of",
  "earlier ones, and each counts from the time at which it was due. All cases of a run differ, so no count is known already.",
  `\`DATABASE_MAX_CONNECTIONS\` is ${maxConnections}, as many searches at once as there are cores ([operations.md](operations.md#limits)).`,
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

const latencySection = ({ latency }: Results): ReadonlyArray<string> =>
  latency === undefined
    ? []
    : [
        "## Each class",
        "",
        `${count(latency.rows.reduce((sum, { calls }) => sum + calls, 0))} calls, ${latency.perSecond} a second evenly spaced, all classes mixed; seed \`${latency.seed}\`. Milliseconds. Wanted are a p95`,
        `of ${usual.p95} and a p99 of ${usual.p99}; of the hard classes (*) a p95 of ${hardest.p95}. \`search_shops\` is held to the same.`,
        "",
        ...tools.flatMap((tool) => {
          const rows = rowsOf(latency.rows, tool)
          return rows.length === 0
            ? []
            : [
                `### ${tool}`,
                "",
                Tables.markdown(
                  ["class", "calls", "mean", "p50", "p95", "p99", "max", "wanted", "failures"],
                  rows.map((row) => [
                    `${row.class}${Cases.isHard(tool, row.class) ? " *" : ""}`,
                    String(row.calls),
                    ...[row.mean, row.p50, row.p95, row.p99, row.max].map(Tables.millis),
                    isMet(tool, row) ? "met" : "**missed**",
                    Tables.failures(row.failures) || "none"
                  ])
                ),
                ""
              ]
        })
      ]

/** Calls a second of the highest step that was not broken. */
const mostSustained = (steps: ReadonlyArray<RateStep>): number =>
  Math.max(0, ...steps.filter((step) => !Rates.isBroken(step)).map(({ perSecond }) => perSecond))

const ratesSection = ({ rates }: Results): ReadonlyArray<string> => {
  if (rates === undefined) return []
  const most = mostSustained(rates.steps)
  return [
    "## More and more calls a second",
    "",
    `All classes and tools mixed, as independent callers send them (a Poisson process), ${rates.seconds} seconds a step, each on a server`,
    "that was just started. It ends with the first step that is broken: a p95 of more than a second, or any call that fails.",
    "",
    Tables.markdown(
      ["calls a second", "answered a second", "calls", "p50", "p95", "p99", "max", "failures"],
      rates.steps.map((step) => [
        String(step.perSecond),
        step.answeredPerSecond.toFixed(1),
        count(step.calls),
        ...[step.p50, step.p95, step.p99, step.max].map(Tables.millis),
        Tables.failures(step.failures) || "none"
      ])
    ),
    "",
    `Sustained: ${most} a second; wanted are ${sustained}, which is ${most >= sustained ? "met" : "**missed**"}.`,
    ""
  ]
}

const soakSection = ({ soak }: Results): ReadonlyArray<string> =>
  soak === undefined
    ? []
    : [
        "## Memory",
        "",
        `Resident memory of the server process over ${soak.minutes} minutes at ${soak.perSecond} mixed calls a second (${count(soak.calls)} calls, p95`,
        `${Tables.millis(soak.p95)} ms, failures: ${Tables.failures(soak.failures) || "none"}): ${megabytes(soak.firstMinute)} in the first minute, ${megabytes(soak.lastMinute)} in the`,
        `last, ${megabytes(soak.lowest)} at least, ${megabytes(soak.highest)} at most; over the second half it changes by`,
        `${(soak.slopePerMinute / 2 ** 20).toFixed(2)} MiB a minute.`,
        ""
      ]

const rawSection = ({ raw }: Results): ReadonlyArray<string> =>
  raw === undefined
    ? []
    : [
        "## Beside the same SQL sent by hand",
        "",
        "One call at a time, over HTTP, and in turns with it the statements that it sends, by the driver alone on one connection.",
        "Medians; milliseconds. The path itself authenticates, decodes, answers and charges, which takes two commits' round trips",
        "and about as long for any search: beside a statement of one millisecond it is long.",
        "",
        Tables.markdown(
          ["tool", "class", "cases", "tool call", "by hand", "ratio", "added"],
          raw.rows.map((row) => [
            row.tool,
            row.class,
            String(row.cases),
            Tables.millis(row.tool50),
            Tables.millis(row.raw50),
            Tables.times(row.ratio),
            Tables.millis(row.addedMillis)
          ])
        ),
        "",
        `Of all time together the path takes ${Tables.times(raw.overall)} the statements; for searches whose statements take 10 ms or more`,
        `the median is ${Tables.times(raw.ofLongOnes)}. Wanted is at most ${Tables.times(mostAdded)}: ${raw.overall <= mostAdded ? "met" : "**missed**"} over all.`,
        ""
      ]

const peersSection = ({ peers }: Results): ReadonlyArray<string> =>
  peers === undefined || peers.length === 0
    ? []
    : [
        "## Beside other ways to keep the data",
        "",
        "Each peer answers the same cases over the same data, one at a time and in turns with our statements sent by hand; it must",
        "give the same ids in the same order and the same totals, or the run fails. What takes longer than 20 seconds is given up and",
        "counts as 20; a class in which a peer has taken 20 is left after that case. Ours read the records of the page as well, a peer's only find ids.",
        "Milliseconds, p50 / p95; the ratio is the median of the cases'.",
        "",
        ...peers.flatMap((peer) => [
          `### ${peer.name}`,
          "",
          peer.description,
          "",
          Tables.markdown(
            ["tool", "class", "cases", peer.name, "ours", "ratio", "given up"],
            peer.rows.map((row) => [
              row.tool,
              row.class,
              String(row.cases),
              `${Tables.millis(row.p50)} / ${Tables.millis(row.p95)}`,
              `${Tables.millis(row.own50)} / ${Tables.millis(row.own95)}`,
              Tables.times(row.ratio),
              String(row.timeouts)
            ])
          ),
          ""
        ])
      ]

const growthSection = (large: Results, small: Results): ReadonlyArray<string> => {
  if (large.latency === undefined || small.latency === undefined) return []
  const smallRows = small.latency.rows
  const sizes = [small, large].map(({ shops }) => count(shops))
  return [
    "## How cost grows",
    "",
    `The same benchmark over ${sizes[0]} stores, ${count(small.products)} products and ${count(small.ads)} ads, beside that over ${sizes[1]}: p50 / p95 in`,
    `milliseconds, and what each becomes with ${(large.shops / small.shops).toFixed(0)} times the data.`,
    "",
    Tables.markdown(
      ["tool", "class", `${sizes[0]} stores`, `${sizes[1]} stores`, "p50", "p95"],
      large.latency.rows.flatMap((row) => {
        const other = smallRows.find((one) => one.tool === row.tool && one.class === row.class)
        if (other === undefined) return []
        return [
          [
            row.tool,
            row.class,
            `${Tables.millis(other.p50)} / ${Tables.millis(other.p95)}`,
            `${Tables.millis(row.p50)} / ${Tables.millis(row.p95)}`,
            Tables.times(row.p50 / other.p50),
            Tables.times(row.p95 / other.p95)
          ]
        ]
      })
    ),
    "",
    ...(large.rates === undefined || small.rates === undefined
      ? []
      : [
          `Mixed calls a second that are sustained: ${mostSustained(small.rates.steps)} over ${sizes[0]} stores, ${mostSustained(large.rates.steps)} over ${sizes[1]}.`,
          ""
        ])
  ]
}

export const page = (large: Results, small: Option.Option<Results>): string =>
  [
    ...introduction(large),
    ...classes,
    ...latencySection(large),
    ...ratesSection(large),
    ...soakSection(large),
    ...rawSection(large),
    ...peersSection(large),
    ...Option.match(small, { onNone: () => [], onSome: (results) => growthSection(large, results) })
  ].join("\n")
