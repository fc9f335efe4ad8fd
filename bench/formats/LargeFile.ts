/** Resident memory while a file is read, by the size of the file. Each file is read in a separate process. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { createGzip } from "node:zlib"
import { formats } from "./Files.ts"
import { readFile } from "./Readers.ts"

interface Large {
  readonly label: string
  readonly name: string
  readonly packing: "plain" | "gzip"
  readonly megabytes: number
}

const records = { label: "records of this catalog", name: "records.ndjson" } as const
const bulk = { label: "a bulk operation", name: "oakline.com.jsonl" } as const
const files: ReadonlyArray<Large> = [
  { ...records, packing: "plain", megabytes: 20 },
  { ...records, packing: "plain", megabytes: 200 },
  { ...records, packing: "plain", megabytes: 2_000 },
  { ...records, packing: "gzip", megabytes: 2_000 },
  { ...bulk, packing: "plain", megabytes: 200 },
  { ...bulk, packing: "plain", megabytes: 2_000 }
]
const recordsOfPiece = 2_000

const formatOf = (label: string) => {
  const found = formats.find((format) => format.label === label)
  if (found === undefined) throw new Error("no such format")
  return found
}

/** The same records over and over. Lines of a bulk operation with the same id would be of one product, so that the ids differ. */
function* text({ label, megabytes }: Large): Generator<string> {
  const piece = Array.from(formatOf(label).text(recordsOfPiece)).join("")
  for (let copy = 1, written = 0; written < megabytes * 1e6; copy++) {
    const own = label === bulk.label ? piece.replaceAll("/Product/", `/Product/${copy}`) : piece
    written += own.length
    yield own
  }
}

const write = async (path: string, file: Large) => {
  const out = fs.createWriteStream(path, { highWaterMark: 1 << 20 })
  const source = Readable.from(text(file))
  await (file.packing === "gzip" ? pipeline(source, createGzip({ level: 1 }), out) : pipeline(source, out))
}

export const measure = async (folder: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const file of files) {
    const large = path.join(folder, file.packing === "gzip" ? `${file.name}.gz` : file.name)
    await write(large, file)
    const out = await new Promise<string>((resolve, reject) =>
      execFile(process.execPath, [fileURLToPath(import.meta.url), large, file.label], (error, out) =>
        error === null ? resolve(out) : reject(error)
      )
    )
    fs.rmSync(large)
    const row = [file.label, file.packing, `${file.megabytes} MB`, ...out.trim().split("\t")]
    console.log(row.join("  "))
    rows.push(row)
  }
  return rows
}

const [, program, large, label] = process.argv
if (program === fileURLToPath(import.meta.url) && large !== undefined && label !== undefined) {
  const before = performance.now()
  const records = await readFile(large, formatOf(label))
  const seconds = (performance.now() - before) / 1000
  const kilobytes = process.resourceUsage().maxRSS
  console.log(`${records.toLocaleString("en-US")}\t${Math.round(seconds)} s\t${Math.round(kilobytes / 1000)} MB`)
}
