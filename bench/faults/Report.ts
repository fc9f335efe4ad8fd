/** bench/results/faults.md, out of what has been measured. */
import * as os from "node:os"
import { refreshPatienceMillis } from "./Customers.ts"
import { failoverSeconds, faults } from "./Faults.ts"
import { patienceMillis } from "./Http.ts"
import type { Effects } from "./Record.ts"
import type { Outcome, Struck } from "./Run.ts"
import { growing, tableBytes, tolerated, toleratedCount } from "./Soak.ts"
import type { Soak } from "./Soak.ts"

/** Of each fault that has another part to take over. */
const goals = {
  server: "no call with a key fails",
  failover: `no call with a key fails, and calls succeed again within ${failoverSeconds} seconds`
}

const soakHeading = "## Hours of load"

const count = (value: number): string => value.toLocaleString("en-US")
const seconds = (value: number): string => `${value.toFixed(1)} s`
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** The page has a row for every fault, with dashes for those that have not come. */
const rows = (
  struck: ReadonlyArray<Struck>,
  columns: number,
  cellsOf: (struck: ReadonlyArray<Struck>) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  faults.map(({ name }) => {
    const own = struck.filter(({ fault }) => fault.name === name)
    const cells = own.length === 0 ? Array.from({ length: columns }, () => "-") : cellsOf(own)
    return `| ${[name, ...cells].join(" | ")} |`
  })

const isMet = (struck: ReadonlyArray<Struck>): string => {
  const [first] = struck
  if (first?.fault.goal === undefined) return ""
  const noneFailed = struck.every(({ effects }) => effects.failed === 0)
  const inTime =
    first.fault.goal === "server" || struck.every(({ effects }) => effects.silentSeconds <= failoverSeconds)
  return noneFailed && inTime ? "met" : "**missed**"
}

const sumOf = (struck: ReadonlyArray<Struck>, of: (one: Struck) => number) =>
  struck.reduce((total, one) => total + of(one), 0)

const ofFault = (struck: ReadonlyArray<Struck>): ReadonlyArray<string> => {
  const worst = (of: (one: Struck) => number) => Math.max(...struck.map(of))
  const sum = (of: (one: Struck) => number) => sumOf(struck, of)
  return [
    String(struck.length),
    seconds(worst(({ effects }) => effects.silentSeconds)),
    seconds(worst(({ effects }) => effects.slowestSeconds)),
    count(sum(({ effects }) => effects.calls)),
    count(sum(({ effects }) => effects.repeated)),
    count(sum(({ effects }) => effects.failed)),
    isMet(struck)
  ]
}

const withoutKey: ReadonlyArray<readonly [kind: keyof Effects["withoutKey"], header: string]> = [
  ["call", "calls of tools"],
  ["sign-in", "sign-ins"],
  ["refresh", "refreshes"],
  ["page", "pages"]
]

const ofUnkeyed = (struck: ReadonlyArray<Struck>): ReadonlyArray<string> =>
  withoutKey.flatMap(([kind]) => [
    count(sumOf(struck, ({ effects }) => effects.withoutKey[kind].ended)),
    count(sumOf(struck, ({ effects }) => effects.withoutKey[kind].failed))
  ])

const counted = ({ counts }: Outcome, prefix: string): string =>
  Array.from(counts)
    .filter(([what]) => what.startsWith(prefix))
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, number]) => `${what.slice(prefix.length)} ${count(number)}`)
    .join(", ")

const unwanted = (incidents: ReadonlyArray<string>): string =>
  incidents.length === 0 ? "nothing" : incidents.join("; ").replaceAll(/[|\s]+/gu, " ")

const notSoaked = `${soakHeading}\n\nNot measured yet: \`npm run bench:faults -- --soak 60\`.\n`

const isExplained = ({ name }: Soak["grown"][number]) => growing.has(name)
const inMegabytes = (grown: Soak["grown"]) => grown.map(({ name, perHour }) => `${name} by ${megabytes(perHour)}`)

export const soakRule = [
  "Every 5 seconds memory, descriptors, connections and the sizes of tables are measured. Each is judged by its trend: the straight line through its values, by least",
  "squares, without those of the first quarter of the time, in which caches fill. It is flat when the line rises by at most",
  `${tolerated * 100} % of its first value per hour (or by ${toleratedCount}, if that is more; a table by ${tableBytes >> 20} MiB), and in a longer run by no more than that in all the time that counts. In a run that is`,
  "much shorter than an hour, garbage collection alone is a trend. The program fails when something is not flat, when a call with a key failed, and when a check at the end failed."
].join("\n")

/** The page with its part on the soak replaced. */
export const withSoak = (page: string, soak: Soak, command: string): string => {
  const { books, incidents } = soak
  const [faults = ""] = page.split(soakHeading)
  const unexplained = soak.grown.filter((table) => !isExplained(table))
  const text = [
    soakHeading,
    "",
    `\`${command}\`, ${soak.minutes} minutes: ${count(soak.calls)} calls, ${soak.failed} failed; ${count(soak.refused)} requests that were refused or hostile, a tenth`,
    "of them cut off by the client; imports, sign-ins and refreshes as above.",
    "",
    soakRule,
    "",
    "| | at first | more per hour | at most | flat |",
    "| --- | --- | --- | --- | --- |",
    ...soak.measures.map(
      ({ atMost, isFlat, name, perHour, start }) =>
        `| ${name} | ${start.toFixed(0)} | ${perHour.toFixed(1)} | ${atMost.toFixed(1)} | ${isFlat ? "yes" : "**no**"} |`
    ),
    `| tables that grew without a reason | | ${inMegabytes(unexplained).join(", ") || "none"} | ${tableBytes >> 20} MiB | ${unexplained.length === 0 ? "yes" : "**no**"} |`,
    "",
    `Tables that grow with the calls that succeed, until their retention removes the rows, in an hour: ${inMegabytes(soak.grown.filter(isExplained)).join(", ") || "none by more than that"}.`,
    "",
    `Ledger and calls, compared at the end: ${count(books.succeeded)} calls had a result, ${count(books.charged)} credits are taken, ${count(books.disagreements.length)} are charged twice or had a result without a charge.`,
    `\`credits verify\`, \`catalog verify\` and the logs of the servers are checked. What must not be: ${unwanted(incidents)}.`,
    ""
  ]
  return faults + text.join("\n")
}

/** The page with its part on faults replaced. */
export const withFaults = (page: string, outcome: Outcome, command: string): string => {
  const { books, hasOwnDisks, incidents, seed, struck } = outcome
  const soak = page.includes(soakHeading) ? page.slice(page.indexOf(soakHeading)) : notSoaked
  const text = [
    "# What faults do to calls",
    "",
    "<!-- Written by `npm run bench:faults`. -->",
    "",
    "Two servers behind a load balancer, on a primary of PostgreSQL with a synchronous standby behind a virtual address; scripts with API keys, connected",
    "apps that refresh their tokens, people who sign in, and imports, all at the same time. Faults come one after the other at random times;",
    "the random seed decides in which order, where and when. Load balancer, virtual address and manager of the cluster are the program's own",
    "([operations](../../docs/operations.md#when-a-part-fails) says what they do and how to set up others).",
    "",
    `\`${command}\`, random seed \`${seed}\`, ${Math.round(outcome.seconds / 60)} minutes, ${os.availableParallelism()} cores that clients, servers and both databases shared with other programs: the load of the machine was`,
    `${(os.loadavg()[0] ?? 0).toFixed(1)}. **Absolute times are those of a loaded machine.**`,
    "",
    "- **none for**: until calls succeeded again: the longest time without a call of anyone that succeeded. The manager of the cluster takes a second of it to notice.",
    "- **longest wait**: of one customer for one call, with its repeats.",
    "- **repeated**: calls that succeeded when the client sent them again, as [errors](../../docs/errors.md) says: with the same idempotency key.",
    `- **failed**: calls with a key that had no result within ${patienceMillis / 1000} seconds, repeats included.`,
    "",
    "| fault | times | none for, at most | longest wait | calls | repeated | failed | goal |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows(struck, 7, ofFault),
    "",
    "`-`: the fault has not come in this run.",
    `Goals: no call fails while a server dies; at most ${failoverSeconds} seconds, and no failed call, while the database fails over. Faults without a goal`,
    "have no other part that could take over.",
    "",
    ...faults.map(
      ({ goal, name, what }) => `- **${name}**: ${what}.${goal === undefined ? "" : ` Goal: ${goals[goal]}.`}`
    ),
    "",
    "Requests without an idempotency key at the same time: calls of scripts that send none and do not repeat a call, and what is no call of a tool. After each, how many",
    `of them had no result. A page is asked for again for ${patienceMillis / 1000} seconds, a refresh for ${refreshPatienceMillis / 1000}; a sign-in that had no answer is begun again by the person.`,
    "",
    `| fault | ${withoutKey.map(([, header]) => `${header} | no result`).join(" | ")} |`,
    `| --- |${" --- | --- |".repeat(withoutKey.length)}`,
    ...rows(struck, 2 * withoutKey.length, ofUnkeyed),
    "",
    ...(hasOwnDisks ? [] : ["The disk was not filled: mounting a small file system was not permitted.", ""]),
    "## At the end",
    "",
    "| | |",
    "| --- | --- |",
    `| calls that had a result | ${count(books.succeeded)} |`,
    `| credits taken by the ledger, refunds subtracted | ${count(books.charged)} |`,
    `| charges that were refunded | ${count(books.refunded)} |`,
    `| calls with a key that are charged and that the client gave up | ${count(books.abandoned)} |`,
    `| calls without a key that are charged and had no result | ${count(books.lost)} of ${count(books.withoutResult)} without a result |`,
    `| charged twice, or a result without a charge | ${count(books.disagreements.length)} |`,
    `| answers | ${counted(outcome, "answer: ")} |`,
    `| refreshes | ${counted(outcome, "refresh: ")} |`,
    `| sign-ins | ${counted(outcome, "sign-in: ")} |`,
    `| pages | ${counted(outcome, "page: ")} |`,
    `| imports | ${counted(outcome, "import: ")} |`,
    `| what must not be | ${unwanted(incidents)} |`,
    "",
    "`credits verify` and `catalog verify`, for the index of each server, are part of it. Each time that an import ends, all columns of all tables of the catalog that",
    "imports write, but for ids, versions and times that the database assigns, are compared with what the same file leaves in a database of its own, without faults.",
    ""
  ]
  return `${text.join("\n")}\n${soak}`
}
