import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Path, Stdio, Stream } from "effect"
import { execFileSync, spawn } from "node:child_process"
import * as zlib from "node:zlib"
import type { ImportChunk } from "../../../src/services/import/ImportSource.ts"
import * as InputFile from "../../../src/services/import/InputFile.ts"
import * as NativeReader from "../../../src/services/import/NativeReader.ts"
import * as StorefrontReader from "../../../src/services/import/StorefrontReader.ts"

const shop = (index: number) =>
  JSON.stringify({ type: "shop", domain: `shop${index}.example.com`, name: "A", country: "US" })
const file = `${[1, 2, 3].map(shop).join("\n")}\n`
const utf8 = (text: string) => new TextEncoder().encode(text)

const gather = (chunks: ReadonlyArray<ImportChunk>) => ({
  lines: chunks.flatMap(({ rows }) => rows.map(({ line }) => line)),
  rejects: chunks.flatMap(({ rejects }) => rejects.map(({ field, line, reason }) => `${line} ${field}: ${reason}`)),
  skipped: chunks.reduce((sum, { skipped }) => sum + skipped, 0),
  records: chunks.flatMap(({ rows }) => rows.map(({ record }) => record))
})

/** Writes the bytes to a file and opens it. */
const open = Effect.fnUntraced(function* (content: Uint8Array | string, name = "input") {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  const written = path.join(folder, name)
  yield* fs.writeFile(written, typeof content === "string" ? utf8(content) : content)
  return yield* InputFile.open(written)
})

const readNative = (content: Uint8Array | string) =>
  Effect.scoped(
    open(content).pipe(
      Effect.flatMap((input) => Stream.runCollect(NativeReader.read(input))),
      Effect.map(gather)
    )
  )

const utf16 = (text: string, isBigEndian: boolean) => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
  return isBigEndian ? bytes.swap16() : bytes
}

layer(NodeServices.layer)("reading files", (it) => {
  describe("of records", () => {
    const whole: ReadonlyArray<readonly [what: string, content: Uint8Array | string]> = [
      ["plain text", file],
      ["no end of line at the end", file.trimEnd()],
      ["CRLF", file.replaceAll("\n", "\r\n")],
      ["a byte order mark", `\uFEFF${file}`],
      ["a byte order mark and CRLF", `\uFEFF${file.replaceAll("\n", "\r\n")}`],
      ["gzip", zlib.gzipSync(file)],
      ["gzip of a byte order mark", zlib.gzipSync(`\uFEFF${file}`)],
      [
        "gzip in several members",
        Buffer.concat([zlib.gzipSync(`${shop(1)}\n${shop(2)}\n`), zlib.gzipSync(`${shop(3)}\n`)])
      ]
    ]
    it.effect("takes a pipe by its name, as <(...) gives one", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const pipe = path.join(yield* fs.makeTempDirectoryScoped(), "pipe")
        execFileSync("mkfifo", [pipe])
        const writer = spawn("sh", ["-c", 'printf %s "$1" > "$2"', "sh", file, pipe], { stdio: "ignore" })
        yield* Effect.addFinalizer(() => Effect.sync(() => writer.kill()))
        const input = yield* InputFile.open(pipe)
        const { lines, rejects } = gather(yield* Stream.runCollect(NativeReader.read(input)))
        assert.deepStrictEqual(lines, [1, 2, 3])
        assert.deepStrictEqual(rejects, [])
      }).pipe(Effect.scoped)
    )

    it.effect.each(whole)("takes %s", ([, content]) =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* readNative(content)
        assert.deepStrictEqual({ lines, rejects }, { lines: [1, 2, 3], rejects: [] })
      })
    )

    it.effect("counts empty lines but leaves them out", () =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* readNative(`\n${shop(1)}\n\n \t\n${shop(2)}\n\n`)
        assert.deepStrictEqual({ lines, rejects }, { lines: [2, 5], rejects: [] })
      })
    )

    it.effect("D58 rejects what is bad, with line, field and reason, and keeps the rest", () =>
      Effect.gen(function* () {
        const bad = [
          shop(1),
          `{"type":"shop","domain":"shop2.example.com","name":"A","country":"XX","color":1}`,
          `{"type":"shop"`,
          `[]`,
          shop(5)
        ]
        const { lines, rejects } = yield* readNative(bad.join("\n"))
        assert.deepStrictEqual(lines, [1, 5])
        assert.deepStrictEqual(rejects, [
          "2 color: is not a known field",
          "2 country: `XX` is not an ISO 3166-1 alpha-2 code",
          "3 : is not JSON: see character 15",
          "4 : must be a JSON object"
        ])
      })
    )

    it.effect("rejects the last line of a file that was cut in the middle", () =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* readNative(file.slice(0, -20))
        assert.deepStrictEqual(lines, [1, 2])
        assert.deepStrictEqual(rejects, ["3 : the input ends in the middle of this record"])
      })
    )

    it.effect("keeps what comes before the place where gzip was cut or is damaged, and says so", () =>
      Effect.gen(function* () {
        const many = Array.from({ length: 5_000 }, (_, index) => `${shop(index)}\n`).join("")
        const packed = zlib.gzipSync(many)
        const damaged = Uint8Array.from(packed)
        damaged.fill(0xa5, packed.length - 2_000, packed.length - 1_000)
        for (const content of [packed.subarray(0, -1_000), damaged, packed.subarray(0, -4)]) {
          const { lines, rejects } = yield* readNative(content)
          assert.lengthOf(rejects, 1)
          assert.match(rejects[0] ?? "", /the packed data ends early or is damaged/)
          assert.isAbove(lines.length, 100)
          // Everything before it is there, once.
          assert.deepStrictEqual(
            lines,
            lines.map((_, index) => index + 1)
          )
        }
      })
    )

    const unreadable: ReadonlyArray<readonly [what: string, content: Uint8Array | string, message: RegExp]> = [
      ["nothing", "", /is empty/],
      ["UTF-16, little end first", utf16(file, false), /UTF-16.*iconv/],
      ["UTF-16, big end first", utf16(file, true), /UTF-16.*iconv/],
      ["UTF-16 without a mark", utf16(file, false).subarray(2), /binary, or UTF-16/],
      ["bytes", Uint8Array.from({ length: 300 }, (_, index) => index % 251), /binary/],
      ["a zip archive", Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0]), /zip archive; unpack/],
      ["zstd", zlib.zstdCompressSync(file), /zstd/],
      ["gzip of gzip", zlib.gzipSync(zlib.gzipSync(file)), /packed twice/],
      ["gzip of UTF-16", zlib.gzipSync(utf16(file, false)), /UTF-16/],
      ["a table", "domain,name\nshop.example.com,A\n", /does not begin with \{/],
      ["an array", `[${shop(1)}]`, /begins an array/]
    ]
    it.effect.each(unreadable)("gives one clear error for %s", ([, content, message]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(readNative(content))
        assert.match(error.message, message)
      })
    )

    it.effect("points at --format for a storefront's file", () =>
      Effect.gen(function* () {
        const { rejects } = yield* readNative(`{"products":[]}`)
        assert.deepStrictEqual(rejects, ["1 : is a storefront's products.json; import it with --format storefront"])
      })
    )

    it.effect("reads standard input, whose pieces may be single bytes", () =>
      Effect.gen(function* () {
        for (const content of [utf8(file), zlib.gzipSync(file)]) {
          const stdin = Stream.fromIterable(Array.from(content, (byte) => Uint8Array.of(byte)))
          const chunks = yield* InputFile.open("-").pipe(
            Effect.flatMap((input) => Stream.runCollect(NativeReader.read(input))),
            Effect.provide(Stdio.layerTest({ stdin }))
          )
          assert.deepStrictEqual(gather(chunks).lines, [1, 2, 3])
        }
      })
    )

    it.effect("says so when there is no file, a folder, or a terminal", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        assert.match((yield* Effect.flip(InputFile.open(`${folder}/nothing`))).message, /does not exist/)
        assert.match((yield* Effect.flip(InputFile.open(folder))).message, /is a folder/)
        const terminal = Stdio.layerTest({ stdinIsTerminal: Effect.succeed(true) })
        assert.match((yield* Effect.flip(Effect.provide(InputFile.open("-"), terminal))).message, /is the terminal/)
      }).pipe(Effect.scoped)
    )
  })

  describe("of a storefront", () => {
    const product = (changes: object) => ({ id: 1, title: "Tray", variants: [{ price: "5.00" }], ...changes })
    const products = JSON.stringify({
      products: [product({}), product({ id: 2, variants: [] }), product({ id: 3, status: "draft" }), product({ id: 4 })]
    })
    const nobody = { metaPath: undefined, domain: undefined, name: undefined, country: undefined, currency: undefined }
    const oakline = { ...nobody, domain: "oakline.example.com", country: "DE" }

    const read = (content: Uint8Array | string, options: StorefrontReader.StorefrontOptions) =>
      Effect.scoped(
        open(content).pipe(
          Effect.flatMap((input) => StorefrontReader.read(input, options)),
          Effect.flatMap(Stream.runCollect),
          Effect.map(gather)
        )
      )

    it.effect("D60 takes products, counts drafts, rejects the rest by position", () =>
      Effect.gen(function* () {
        for (const content of [products, zlib.gzipSync(products), JSON.stringify(JSON.parse(products).products)]) {
          const { records, rejects, skipped } = yield* read(content, oakline)
          assert.deepStrictEqual(records[0], {
            type: "storefront_shop",
            domain: "oakline.example.com",
            name: "oakline.example.com",
            country: "DE",
            currency: null,
            products_count: null
          })
          assert.deepStrictEqual(
            records.slice(1).map((record) => (record.type === "product" ? record.key : undefined)),
            ["1", "4"]
          )
          assert.deepStrictEqual(rejects, ["2 variants: there are none, so that the product has no price"])
          assert.strictEqual(skipped, 1)
        }
      })
    )

    it.effect("learns from meta.json whose it is, unless it is told otherwise", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const metaPath = yield* fs.makeTempFileScoped()
        yield* fs.writeFileString(
          metaPath,
          JSON.stringify({
            id: 7,
            name: "Oakline",
            city: "Bremen",
            country: "DE",
            currency: "EUR",
            domain: "Oakline.example.com",
            published_products_count: 12,
            ships_to_countries: ["DE"]
          })
        )
        const meta = {
          type: "storefront_shop" as const,
          domain: "oakline.example.com",
          name: "Oakline",
          country: "DE",
          currency: "EUR",
          products_count: 12
        }
        assert.deepStrictEqual((yield* read(products, { ...nobody, metaPath })).records[0], meta)
        assert.deepStrictEqual(
          (yield* read(products, { ...nobody, metaPath, name: "Oak", currency: "chf" })).records[0],
          {
            ...meta,
            name: "Oak",
            currency: "CHF"
          }
        )
      }).pipe(Effect.scoped)
    )

    it.effect("takes a store with `www.` for the store without it, however it learns of it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const domainOf = Effect.fnUntraced(function* (meta: object, domain?: string) {
          const metaPath = yield* fs.makeTempFileScoped()
          yield* fs.writeFileString(metaPath, JSON.stringify({ country: "DE", ...meta }))
          const { records } = yield* read(products, { ...nobody, metaPath, domain })
          return records.map((record) =>
            record.type === "storefront_shop"
              ? `${record.domain} ${record.name}`
              : record.type === "product"
                ? record.shop
                : undefined
          )
        })
        const expected = ["oakline.example.com oakline.example.com", "oakline.example.com", "oakline.example.com"]
        assert.deepStrictEqual(yield* domainOf({ domain: "www.oakline.example.com" }), expected)
        assert.deepStrictEqual(yield* domainOf({ url: "https://WWW.oakline.example.com/" }), expected)
        assert.deepStrictEqual(yield* domainOf({}, "www.oakline.example.com"), expected)
      }).pipe(Effect.scoped)
    )

    const unreadable: ReadonlyArray<
      readonly [what: string, content: string, options: StorefrontReader.StorefrontOptions, message: RegExp]
    > = [
      ["without an owner", products, nobody, /--meta, or give --domain and --country/],
      ["without a country", products, { ...nobody, domain: "a.example.com" }, /give --country/],
      ["with a domain that is none", products, { ...oakline, domain: "oakline" }, /domain must be a domain/],
      ["with a country that is none", products, { ...oakline, country: "UK" }, /did you mean `GB`/],
      ["that was cut", products.slice(0, -9), oakline, /not a whole JSON document/],
      ["of another kind", `{"shops":[]}`, oakline, /"products": \[\.\.\.\]/]
    ]
    it.effect.each(unreadable)("gives one clear error for a file %s", ([, content, options, message]) =>
      Effect.gen(function* () {
        assert.match((yield* Effect.flip(read(content, options))).message, message)
      })
    )

    it.effect("refuses a file that is too large before it has read it all", () =>
      Effect.gen(function* () {
        const huge = zlib.gzipSync(Buffer.alloc(80_000_000, " "))
        assert.match((yield* Effect.flip(read(huge, oakline))).message, /larger than 64 MiB/)
      })
    )
  })
})
