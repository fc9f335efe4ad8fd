/**
 * `npm run bench:formats`: what an import does with a file before the database, beside a bare parse of the same bytes, for each format, and
 * the memory that a file of 2 GB takes. Writes docs/import-benchmarks.md. Some minutes, and 4 GB in the temporary folder for a while.
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

const rounds = 3

/** Milliseconds of CPU of the whole process, with its compiler and its collector. */
const cpuOf = async <A>(run: () => Promise<A>): Promise<readonly [value: A, millis: number]> => {
  const before = process.cpuUsage()
  const value = await run()
  const { system, user } = process.cpuUsage(before)
  return [value, (system + user) / 1000]
}

const compare = async (format: Format, folder: string): Promise<ReadonlyArray<string>> => {
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
  const row = [
    format.label,
    `${(size / 1e6).toFixed(1)} MB`,
    records.toLocaleString("en-US"),
    Math.round((records / read) * 1000).toLocaleString("en-US"),
    `${Math.round(read)} ms`,
    `${Math.round(median(pairs.map(({ bare }) => bare)))} ms`,
    `${median(ratios).toFixed(1)} (${ratios[0]?.toFixed(1)} to ${ratios.at(-1)?.toFixed(1)})`
  ]
  console.log(row.join("  "))
  return row
}

const folder = await fs.mkdtemp(path.join(os.tmpdir(), "bench-formats-"))
try {
  const rows: Array<ReadonlyArray<string>> = []
  for (const format of formats) rows.push(await compare(format, folder))
  const memory = await LargeFile.measure(folder)
  const page = [
    "# What reading files costs",
    "",
    "<!-- Written by `npm run bench:formats`. -->",
    "",
    "## Beside a bare parse",
    "",
    "CPU of what an import does with a file before the database (find out its format, cut it into records, read and check each), beside a parse of",
    "the same bytes by the same library whose result is thrown away: csv-parse for CSV, @streamparser/json for JSON documents, `JSON.parse` for lines",
    `of JSON, and no more than a split into lines for text. One process, alternating, ${rounds} rounds after one that does not count; medians, and the lowest and`,
    "highest ratio. CPU is that of the whole process. Records a second are of CPU, on one core.",
    "",
    Tables.markdown(["file", "size", "records", "records/s", "read", "bare parse", "ratio"], rows),
    "",
    "Wanted is 2.5 at most for CSV and JSON. Lines of JSON are beside `JSON.parse`, which is native code and ten times as fast as the parsers of the others;",
    "lines of a bulk operation come in any order and wait, many of them in files. A row of visits is a record for each of six months, so that its",
    "ratio is of a row and six records.",
    "",
    "## Memory",
    "",
    `Files of the catalog's own records, written on the fly. The highest resident memory of the process that reads one, with Node itself.`,
    "",
    Tables.markdown(["file", "unpacked", "records", "time", "memory, highest"], memory),
    ""
  ].join("\n")
  await fs.writeFile(new URL("../docs/import-benchmarks.md", import.meta.url), page)
  process.stdout.write(page)
} finally {
  await fs.rm(folder, { recursive: true })
}
