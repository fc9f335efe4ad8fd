/** Small files that unpack to much, or whose structure takes much memory. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Stdio, Stream } from "effect"
import * as zlib from "node:zlib"
import * as BoundedJson from "../../../src/domain/BoundedJson.ts"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import { JsonItems } from "../../../src/services/import/JsonItems.ts"
import { Unpacking } from "../../../src/services/import/Unpacking.ts"
import { defaults, oakline } from "../../support/FileImports.ts"
import { zipOf } from "../../support/Zip.ts"

const mebibyte = 2 ** 20

const read = (content: Uint8Array, options: Partial<FileReader.ReadOptions> = {}) =>
  Effect.gen(function* () {
    const set = yield* FileReader.read(["-"], { ...defaults, store: oakline, ...options })
    const chunks = yield* Stream.runCollect(set.chunks)
    return {
      records: chunks.flatMap(({ rows }) => rows),
      rejects: chunks.flatMap(({ rejects }) => rejects.map(({ reason }) => reason))
    }
  }).pipe(Effect.scoped, Effect.provide(Stdio.layerTest({ stdin: Stream.make(content) })))

const niche = `{"type":"niche","id":1000,"name":"Home"}\n`
const product = JSON.stringify({ id: "gid://shopify/Product/1", title: "Tray", handle: "tray" })
/** Blank lines are the cheapest text that is read on. */
const blanks = (mebibytes: number) => Buffer.alloc(mebibytes * mebibyte, "\n")
const withBlanks = (mebibytes: number) => Buffer.concat([Buffer.from(niche), blanks(mebibytes)])

/** The archive of one file, whose directory names it so often. */
const overlapping = (content: Uint8Array, times: number): Buffer => {
  const archive = zipOf({ "a.ndjson": content })
  const end = Buffer.from(archive.subarray(-22))
  const start = end.readUInt32LE(16)
  const entry = archive.subarray(start, -22)
  end.writeUInt16LE(times, 8)
  end.writeUInt16LE(times, 10)
  end.writeUInt32LE(entry.length * times, 12)
  return Buffer.concat([archive.subarray(0, start), ...Array.from({ length: times }, () => entry), end])
}

const tooMuch: ReadonlyArray<readonly [what: string, content: () => Uint8Array]> = [
  ["gzip", () => zlib.gzipSync(withBlanks(90))],
  ["zstd", () => zlib.zstdCompressSync(withBlanks(66))],
  ["gzip within zstd", () => zlib.zstdCompressSync(zlib.gzipSync(withBlanks(66)))],
  ["a zip archive", () => zipOf({ "a.ndjson": withBlanks(90) })],
  ["gzip within a zip archive", () => zipOf({ "a.ndjson.gz": zlib.gzipSync(withBlanks(66)) })],
  ["files of a zip archive that are the same bytes", () => overlapping(withBlanks(4), 30)]
]

layer(NodeServices.layer)("an import", (it) => {
  it.effect.each(tooMuch)("unpacks a limited multiple of what it reads: %s", ([, content]) =>
    Effect.gen(function* () {
      const bytes = content()
      const { message } = yield* Effect.flip(read(bytes))
      assert.match(message, /more than \d+ MiB; if you trust it, allow more MiB with --max-unpacked\.$/u)
    })
  )

  it.effect("unpacks more if it is told so, and less", () =>
    Effect.gen(function* () {
      const content = zlib.gzipSync(withBlanks(90))
      assert.lengthOf((yield* read(content, { maxUnpackedMebibytes: 91 })).records, 1)
      const { message } = yield* Effect.flip(read(content, { maxUnpackedMebibytes: 90 }))
      assert.include(message, "more than 90 MiB")
    })
  )

  it.effect("copies no more from a pipe than it is told", () =>
    Effect.gen(function* () {
      const bulk = Buffer.concat([Buffer.from(`${product}\n`), blanks(3)])
      const { message } = yield* Effect.flip(read(bulk, { maxUnpackedMebibytes: 2 }))
      assert.include(message, "has to be copied to the temporary folder, and has more than 2 MiB")
    })
  )
})

describe("the limit of what is unpacked", () => {
  it("is 64 MiB and 200 times what is packed, for all files together", () => {
    const unpacking = new Unpacking()
    assert.isUndefined(unpacking.addUnpacked(64 * mebibyte))
    unpacking.addPacked(mebibyte)
    assert.isUndefined(unpacking.addUnpacked(100 * mebibyte))
    assert.isUndefined(unpacking.addUnpacked(100 * mebibyte))
    assert.include(unpacking.addUnpacked(1), "more than 264 MiB")
  })

  it("is 64 GiB at most", () => {
    const unpacking = new Unpacking()
    unpacking.addPacked(2 ** 50)
    assert.isUndefined(unpacking.addUnpacked(2 ** 36))
    assert.include(unpacking.addUnpacked(1), "more than 65536 MiB")
    assert.isUndefined(unpacking.addCopied(2 ** 36))
    assert.include(unpacking.addCopied(1), "more than 65536 MiB")
  })
})

describe("the structure of a JSON document", () => {
  const items = (document: string, path = "$.products.*") => {
    const parser = new JsonItems(path)
    const found = parser.push(new TextEncoder().encode(document))
    return { found: found.length, problem: parser.problem }
  }
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
  const { maxDepth } = BoundedJson

  it.each([
    ["an item", (value: string) => `{"products":[{"a":1},{"b":${value}}]}`, maxDepth - 3],
    ["what is before the items", (value: string) => `{"b":${value},"products":[{"a":1}]}`, maxDepth - 1],
    ["what is behind them", (value: string) => `{"products":[{"a":1}],"b":${value}}`, maxDepth - 1]
  ])("has a limited depth: %s", (_, of, most) => {
    assert.isUndefined(items(of(nested(most))).problem)
    assert.strictEqual(items(of(nested(most + 1))).problem, `is nested more deeply than ${maxDepth} levels`)
    assert.strictEqual(items(of("[".repeat(100_000))).problem, `is nested more deeply than ${maxDepth} levels`)
  })

  it("has a limited number of names and values in an item, and any in all items", () => {
    const item = (values: number) => `{"a":[${"0,".repeat(values - 4)}0]}`
    // With the object around the list, its name and the list.
    const [first, most] = [999_997, 1_000_000]
    assert.deepStrictEqual(items(`{"products":[${item(first)},${item(most)}]}`), { found: 2, problem: undefined })
    const problem = "an item has more than 1000000 names and values"
    assert.deepStrictEqual(items(`{"products":[${item(first)},${item(most + 1)}]}`), { found: 1, problem })
  })
})

layer(NodeServices.layer)("a document of lists within lists", (it) => {
  const lists = "[".repeat(16 * mebibyte)

  it.effect.each([
    ["alone", lists],
    ["as the first item", `{"products":[${lists}`],
    ["in a line of the native format", `{"type":"niche","id":1,"name":${"[".repeat(500_000)}${"]".repeat(500_000)}}\n`],
    ["in meta.json", `{"myshopify_domain":"a.com","a":${lists}`]
  ] as const)("is refused or rejected, packed to some kilobytes: %s", ([, text]) =>
    Effect.gen(function* () {
      const found = yield* Effect.result(read(zlib.gzipSync(text)))
      if (found._tag === "Failure") assert.include(found.failure.message, "is of no format that is known")
      else {
        assert.lengthOf(found.success.records, 0)
        assert.match(found.success.rejects.join(), /nested more deeply than 64 levels|more than 64 levels/u)
      }
    })
  )

  it.effect("is rejected after the items before it, which are kept", () =>
    Effect.gen(function* () {
      const item = JSON.stringify({ id: 7, title: "A", handle: "a", variants: [{ price: "1.00" }] })
      const { records, rejects } = yield* read(zlib.gzipSync(`{"products":[${item},${lists}`))
      // The store and its product.
      assert.lengthOf(records, 2)
      assert.deepStrictEqual(rejects, ["is nested more deeply than 64 levels"])
    })
  )
})
