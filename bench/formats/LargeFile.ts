/** Resident memory while a file is read, by the size of the file. Each file is read in a separate process. */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { createGzip, createZstdCompress } from "node:zlib"
import { zipOf } from "../../test/support/Zip.ts"
import { formats } from "./Files.ts"
import type { Format } from "./Files.ts"
import { readFile } from "./Readers.ts"

type Packing = "plain" | "gzip" | "zstd" | "zip" | "UTF-16"

/** How a file is made larger: the pieces that begin and end it, what separates its copies, and how a copy differs. */
interface Kind {
  readonly label: string
  readonly format: Format
  readonly begins: number
  readonly ends: number
  readonly separator: string
  /** Things with the same id or handle would be one. */
  readonly copied: (piece: string, copy: number) => string
  readonly last?: string
}

interface Large {
  readonly kind: Kind
  readonly packing: Packing
  readonly megabytes: number
}

const formatOf = (label: string): Format => {
  const found = formats.find((format) => format.label === label)
  if (found === undefined) throw new Error("no such format")
  return found
}
const named = (label: string) => ({ label, format: formatOf(label) })

const lines = { begins: 0, ends: 0, separator: "" } as const
const records: Kind = {
  ...lines,
  ...named("records of this catalog"),
  copied: (piece, copy) => piece.replaceAll(/"key":"/gu, `"key":"${copy}-`)
}
const bulk: Kind = {
  ...lines,
  ...named("a bulk operation"),
  copied: (piece, copy) => piece.replaceAll("/Product/", `/Product/${copy}`)
}
/** Its lines are sorted. */
const apart: Kind = {
  ...bulk,
  label: "the same, one variant apart",
  last: `${JSON.stringify({ id: "gid://shopify/ProductVariant/1", price: "1.00", __parentId: "gid://shopify/Product/18000000000001" })}\n`
}
const storefront: Kind = {
  ...named("products.json of a storefront"),
  begins: 1,
  ends: 1,
  separator: ",",
  copied: (piece, copy) => piece.replaceAll('"product-', `"product-${copy}-`).replaceAll(/"id":8/gu, `"id":${copy}8`)
}
const merchantExport: Kind = {
  ...lines,
  ...named("a merchant's export"),
  begins: 1,
  copied: (piece, copy) => piece.replaceAll(/^product-/gmu, `product-${copy}-`)
}
const stores: Kind = {
  ...lines,
  ...named("a list of stores"),
  begins: 1,
  copied: (piece, copy) => piece.replaceAll(/^store-/gmu, `store-${copy}-`)
}

const files: ReadonlyArray<Large> = [
  { kind: records, packing: "plain", megabytes: 20 },
  { kind: records, packing: "plain", megabytes: 200 },
  { kind: records, packing: "plain", megabytes: 2_000 },
  { kind: records, packing: "gzip", megabytes: 2_000 },
  { kind: records, packing: "zstd", megabytes: 2_000 },
  { kind: records, packing: "zip", megabytes: 200 },
  { kind: bulk, packing: "plain", megabytes: 200 },
  { kind: bulk, packing: "plain", megabytes: 2_000 },
  { kind: apart, packing: "plain", megabytes: 200 },
  { kind: apart, packing: "plain", megabytes: 2_000 },
  { kind: storefront, packing: "plain", megabytes: 200 },
  { kind: storefront, packing: "plain", megabytes: 2_000 },
  { kind: merchantExport, packing: "plain", megabytes: 200 },
  { kind: merchantExport, packing: "plain", megabytes: 2_000 },
  { kind: stores, packing: "UTF-16", megabytes: 200 },
  { kind: stores, packing: "UTF-16", megabytes: 2_000 }
]
const recordsOfPiece = 2_000

const endings: Readonly<Record<Packing, string>> = { plain: "", gzip: ".gz", zstd: ".zst", zip: ".zip", "UTF-16": "" }

/** Other copies of the same things. */
function* text({ kind, megabytes }: Large): Generator<string> {
  const parts = Array.from(kind.format.text(recordsOfPiece))
  yield* parts.slice(0, kind.begins)
  const piece = parts.slice(kind.begins, parts.length - kind.ends).join("")
  for (let copy = 1, written = 0; written < megabytes * 1e6; copy++) {
    const own = (copy === 1 ? "" : kind.separator) + kind.copied(piece, copy)
    written += own.length
    yield own
  }
  yield* parts.slice(parts.length - kind.ends)
  if (kind.last !== undefined) yield kind.last
}

const write = async (path: string, file: Large) => {
  const out = fs.createWriteStream(path, { highWaterMark: 1 << 20 })
  switch (file.packing) {
    case "plain":
      return pipeline(text(file), out)
    case "gzip":
      return pipeline(text(file), createGzip({ level: 1 }), out)
    case "zstd":
      return pipeline(text(file), createZstdCompress(), out)
    case "zip":
      return pipeline([zipOf({ [file.kind.format.file]: Array.from(text(file)).join("") })], out)
    case "UTF-16":
      return pipeline(text(file), inUtf16, out)
  }
}

async function* inUtf16(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  yield Buffer.from([0xff, 0xfe])
  for await (const piece of pieces) yield Buffer.from(String(piece), "utf16le")
}

export const measure = async (folder: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const file of files) {
    const { format, label } = file.kind
    const large = path.join(folder, format.file + endings[file.packing])
    await write(large, file)
    const out = await new Promise<string>((resolve, reject) =>
      execFile(process.execPath, [fileURLToPath(import.meta.url), large, format.label], (error, out) =>
        error === null ? resolve(out) : reject(error)
      )
    )
    fs.rmSync(large)
    const row = [label, file.packing, `${file.megabytes} MB`, ...out.trim().split("\t")]
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
