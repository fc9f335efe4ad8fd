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

const sizes = [20, 200, 2_000].map((megabytes) => megabytes * 1e6)
const recordsOfPiece = 2_000

const file = "records.ndjson"
const found = formats.find(({ label }) => label === "records of this catalog")
if (found === undefined) throw new Error("no such format")
const format = found

/** The same records over and over. */
function* text(bytes: number): Generator<string> {
  const piece = Array.from(format.text(recordsOfPiece)).join("")
  for (let written = 0; written < bytes; written += piece.length) yield piece
}

const write = async (path: string, bytes: number) => {
  const out = fs.createWriteStream(path, { highWaterMark: 1 << 20 })
  const source = Readable.from(text(bytes))
  await (path.endsWith(".gz") ? pipeline(source, createGzip({ level: 1 }), out) : pipeline(source, out))
}

export const measure = async (folder: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const [name, bytes] of [...sizes.map((bytes) => [file, bytes] as const), [`${file}.gz`, 2_000 * 1e6] as const]) {
    const large = path.join(folder, name)
    await write(large, bytes)
    const out = await new Promise<string>((resolve, reject) =>
      execFile(process.execPath, [fileURLToPath(import.meta.url), large], (error, out) =>
        error === null ? resolve(out) : reject(error)
      )
    )
    fs.rmSync(large)
    const row = [name.endsWith(".gz") ? "gzip" : "plain", `${bytes / 1e6} MB`, ...out.trim().split("\t")]
    console.log(row.join("  "))
    rows.push(row)
  }
  return rows
}

const [, program, large] = process.argv
if (program === fileURLToPath(import.meta.url) && large !== undefined) {
  const before = performance.now()
  const records = await readFile(large, format)
  const seconds = (performance.now() - before) / 1000
  const kilobytes = process.resourceUsage().maxRSS
  console.log(`${records.toLocaleString("en-US")}\t${Math.round(seconds)} s\t${Math.round(kilobytes / 1000)} MB`)
}
