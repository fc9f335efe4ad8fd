/**
 * `npm run bench:formats`: the CPU time of an import before the database, compared with a bare parse of the same bytes, for each format, and
 * the memory for a file of 2 GB. Writes bench/results/formats.md. Some minutes, and 4 GB in the temporary folder for a while.
 */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { formats } from "./formats/Files.ts"
import type { Format } from "./formats/Files.ts"
import * as LargeFile from "./formats/LargeFile.ts"
import { parseBare, readFile } from "./formats/Readers.ts"
import * as Tables from "./search/Tables.ts"
import { median } from "./support/Median.ts"

const rounds = 5
/** The CPU time of an import as a multiple of that of a bare parse, for CSV and JSON. */
const wantedRatio = 2.5

/** Milliseconds of CPU of the whole process, with its compiler and its collector. */
const cpuOf = async <A>(run: () => Promise<A>): Promise<readonly [value: A, millis: number]> => {
  const before = process.cpuUsage()
  const value = await run()
  const { system, user } = process.cpuUsage(before)
  return [value, (system + user) / 1000]
}

interface Comparison {
  readonly row: ReadonlyArray<string>
  readonly isMissed: boolean
}

const compare = async (format: Format, folder: string): Promise<Comparison> => {
  const file = path.join(folder, format.file)
  await fs.writeFile(file, format.text(format.count))
  const pairs: Array<{ readonly read: number; readonly bare: number }> = []
  let records = 0
  for (let round = 0; round <= rounds; round++) {
    const [count, read] = await cpuOf(() => readFile(file, format))
    const [, bare] = await cpuOf(() => parseBare(file, format.bare))
    records = count
    if (round > 0) pairs.push({ read, bare })
  }
  const { size } = await fs.stat(file)
  await fs.rm(file)
  const ratios = pairs.map(({ bare, read }) => read / bare).toSorted((a, b) => a - b)
  const read = median(pairs.map((pair) => pair.read))
  const ratio = median(ratios).toFixed(1)
  const row = [
    format.label,
    `${(size / 1e6).toFixed(1)} MB`,
    records.toLocaleString("en-US"),
    Math.round((records / read) * 1000).toLocaleString("en-US"),
    `${Math.round(read)} ms`,
    `${Math.round(median(pairs.map(({ bare }) => bare)))} ms`,
    `${ratio} (${ratios[0]?.toFixed(1)} to ${ratios.at(-1)?.toFixed(1)})`
  ]
  console.log(row.join("  "))
  return { row, isMissed: format.bare._tag !== "Text" && Number(ratio) > wantedRatio }
}

const folder = await fs.mkdtemp(path.join(os.tmpdir(), "bench-formats-"))
try {
  const rows: Array<ReadonlyArray<string>> = []
  const missed: Array<string> = []
  for (const format of formats) {
    const { isMissed, row } = await compare(format, folder)
    rows.push(row)
    if (isMissed) missed.push(format.label)
  }
  const memory = await LargeFile.measure(folder)
  const page = [
    "# What reading files costs",
    "",
    "<!-- Written by `npm run bench:formats`. -->",
    "",
    "## Beside a bare parse",
    "",
    "The CPU time of what an import does with a file before the database (detect the format, split the file into records, read and check each record), and of a",
    "bare parse: the same library parses the same bytes and the result is dropped. The library is csv-parse for CSV, @streamparser/json for JSON documents and",
    "`JSON.parse` for lines of JSON; text is only split into lines. Both run in one process, in turns, first once to warm up and then in",
    `${rounds} rounds. The table has medians, and the lowest and highest ratio. CPU time is that of the whole process. Records per second are per second of CPU time.`,
    "",
    Tables.markdown(["file", "size", "records", "records/s", "import", "bare parse", "ratio"], rows),
    "",
    `The goal is a ratio of at most ${wantedRatio} for CSV and JSON. **Missed** by: ${missed.length === 0 ? "none" : missed.join(", ")}. \`JSON.parse\` is native code and about ten times as fast`,
    "as the other parsers. A row of visits contains the records of six months. A bulk operation is read twice, because no product is known to be complete before the end. This one is",
    "plain; one that is packed or comes from a pipe is copied to a temporary file, which costs about a fifth of a bare parse more. The file is in the order in which the platform writes it with",
    "`groupObjects`; one whose products are not in the order of their ids, or whose lines are mixed, is sorted and costs more.",
    "",
    "A short row costs more beside its parse, because each record has costs of its own: a rating takes some 4 microseconds, and its parse one.",
    "",
    "Not measured: `meta.json`, which is one record; and records per second of each format with PostgreSQL.",
    "",
    "## Memory",
    "",
    "The highest resident memory of a process that reads a file, Node included. It is to stay flat up to 2 GB. With another key in each record, records of",
    "this catalog take about 50 MB more for each GB. V8 can collect them, and does so later: with `--max-old-space-size=100` 2 GB take 193 MB.",
    "A bulk operation is in the order in which the platform writes it with `groupObjects`; with one variant apart from its product, at the end, all lines are sorted.",
    "",
    Tables.markdown(["file", "packing", "unpacked", "records", "time", "highest memory"], memory),
    ""
  ].join("\n")
  await fs.writeFile(new URL("./results/formats.md", import.meta.url), page)
  process.stdout.write(page)
} finally {
  await fs.rm(folder, { recursive: true })
}
