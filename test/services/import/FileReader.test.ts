import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Path, Stdio, Stream } from "effect"
import { execFileSync, spawn } from "node:child_process"
import * as zlib from "node:zlib"
import { CsvRows, layoutOf } from "../../../src/services/import/CsvRows.ts"
import type { CsvRow } from "../../../src/services/import/CsvRows.ts"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import type { ImportChunk } from "../../../src/services/import/ImportSource.ts"
import { defaults, nobody, temporaryNames } from "../../support/FileImports.ts"
import { zipOf } from "../../support/Zip.ts"

const shop = (index: number) =>
  JSON.stringify({ type: "shop", domain: `shop${index}.example.com`, name: "A", country: "US" })
const file = `${[1, 2, 3].map(shop).join("\n")}\n`
const utf8 = (text: string) => new TextEncoder().encode(text)

const gather = (chunks: ReadonlyArray<ImportChunk>) => ({
  lines: chunks.flatMap(({ rows }) => rows.map(({ line }) => line)),
  rejects: chunks.flatMap(({ rejects }) => rejects.map(({ field, line, reason }) => `${line} ${field}: ${reason}`)),
  skipped: chunks.reduce((sum, { leftOut = [] }) => sum + leftOut.length, 0),
  records: chunks.flatMap(({ rows }) => rows.map(({ record }) => record))
})

/** Writes files by name into a new folder. */
const folderOf = Effect.fnUntraced(function* (files: Readonly<Record<string, Uint8Array | string>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped()
  for (const [name, content] of Object.entries(files)) {
    yield* fs.makeDirectory(path.dirname(path.join(folder, name)), { recursive: true })
    yield* fs.writeFile(path.join(folder, name), typeof content === "string" ? utf8(content) : content)
  }
  return folder
})

const readAll = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  options: Partial<FileReader.ReadOptions> = {}
) {
  const set = yield* FileReader.read(names, { ...defaults, ...options })
  const found = gather(yield* Stream.runCollect(set.chunks))
  const { files, kept, wholeStores } = set.outcome()
  return { ...found, kept, wholeStores, formats: files.map(({ format }) => format), files }
})

const read = (content: Uint8Array | string, options: Partial<FileReader.ReadOptions> = {}, name = "input") =>
  Effect.scoped(Effect.flatMap(folderOf({ [name]: content }), (folder) => readAll([`${folder}/${name}`], options)))

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
      ["UTF-16, little end first", utf16(file, false)],
      ["UTF-16, big end first", utf16(file, true)],
      ["gzip", zlib.gzipSync(file)],
      ["gzip of a byte order mark", zlib.gzipSync(`\uFEFF${file}`)],
      ["gzip of UTF-16", zlib.gzipSync(utf16(file, false))],
      ["gzip of gzip", zlib.gzipSync(zlib.gzipSync(file))],
      ["zstd", zlib.zstdCompressSync(file)],
      ["a zip archive", zipOf({ "a.ndjson": file })],
      [
        "gzip in several members",
        Buffer.concat([zlib.gzipSync(`${shop(1)}\n${shop(2)}\n`), zlib.gzipSync(`${shop(3)}\n`)])
      ]
    ]
    it.effect("reads a pipe by its name, such as that of <(...)", () =>
      Effect.gen(function* () {
        const pipe = `${yield* folderOf({})}/pipe`
        execFileSync("mkfifo", [pipe])
        const writer = spawn("sh", ["-c", 'printf %s "$1" > "$2"', "sh", file, pipe], { stdio: "ignore" })
        yield* Effect.addFinalizer(() => Effect.sync(() => writer.kill()))
        const { lines, rejects } = yield* readAll([pipe])
        assert.deepStrictEqual({ lines, rejects }, { lines: [1, 2, 3], rejects: [] })
      }).pipe(Effect.scoped)
    )

    it.effect.each(whole)("reads %s", ([, content]) =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* read(content)
        assert.deepStrictEqual({ lines, rejects }, { lines: [1, 2, 3], rejects: [] })
      })
    )

    const variants = Array.from({ length: 350 }, (_, at) => ({ title: `${at} ${"x".repeat(900)}`, price: 1 }))
    const price = { column: "price" }
    const mapping = {
      record: "product",
      fields: { key: { column: "id" }, title: { column: "title" }, price }
    } as const
    const ofStore = { store: { ...nobody, domain: "a.com", country: "US" } }
    const product = { type: "product", shop: "a.com", key: "1", title: "A", price: 1, details: { variants } }
    const numbers = [1, 2]
    const large: ReadonlyArray<readonly [what: string, content: string, options: Partial<FileReader.ReadOptions>]> = [
      ["native", `${JSON.stringify(product)}\n${shop(2)}\n`, {}],
      ["products.json", JSON.stringify({ products: numbers.map((id) => ({ id, title: "A", variants })) }), ofStore],
      [
        "objects with a map",
        numbers.map((id) => `${JSON.stringify({ ...product, id })}\n`).join(""),
        { ...ofStore, mapping }
      ]
    ]
    it.effect.each(large)("reads a file whose first record is larger than its beginning: %s", ([, content, options]) =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* read(content, options)
        assert.deepStrictEqual([rejects, lines.filter((line) => line > 0)], [[], numbers])
      })
    )

    it.effect("counts empty lines but skips them", () =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* read(`\n${shop(1)}\n\n \t\n${shop(2)}\n\n`)
        assert.deepStrictEqual({ lines, rejects }, { lines: [2, 5], rejects: [] })
      })
    )

    it.effect("D58 rejects invalid records with line, field and reason, and keeps the rest", () =>
      Effect.gen(function* () {
        const bad = [
          shop(1),
          `{"type":"shop","domain":"shop2.example.com","name":"A","country":"XX","color":1}`,
          `{"type":"shop"`,
          `[]`,
          shop(5)
        ]
        const { lines, rejects } = yield* read(bad.join("\n"))
        assert.deepStrictEqual(lines, [1, 5])
        assert.deepStrictEqual(rejects, [
          "2 color: is not a known field",
          "2 country: `XX` is not an ISO 3166-1 alpha-2 code",
          "3 : is not JSON: see character 15",
          "4 : must be a JSON object"
        ])
      })
    )

    it.effect("rejects the last line of a truncated file", () =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* read(file.slice(0, -20))
        assert.deepStrictEqual(lines, [1, 2])
        assert.deepStrictEqual(rejects, ["3 : the input ends in the middle of this record"])
      })
    )

    it.effect("keeps the records before the place where gzip is truncated or damaged, and reports it", () =>
      Effect.gen(function* () {
        const many = Array.from({ length: 5_000 }, (_, index) => `${shop(index)}\n`).join("")
        const packed = zlib.gzipSync(many)
        const damaged = Uint8Array.from(packed)
        damaged.fill(0xa5, packed.length - 2_000, packed.length - 1_000)
        for (const content of [packed.subarray(0, -1_000), damaged, packed.subarray(0, -4)]) {
          const { lines, rejects } = yield* read(content)
          assert.lengthOf(rejects, 1)
          assert.match(rejects[0] ?? "", /the packed data ends early or is damaged/)
          assert.isAbove(lines.length, 100)
          // All records before it are read, once.
          assert.deepStrictEqual(
            lines,
            lines.map((_, index) => index + 1)
          )
        }
      })
    )

    const unreadable: ReadonlyArray<readonly [what: string, content: Uint8Array | string, message: RegExp]> = [
      ["nothing", "", /is empty/],
      ["blanks", zlib.gzipSync(Buffer.alloc(80_000_000, " ")), /nothing but blanks/],
      ["UTF-16 without a mark", utf16(file, false).subarray(2), /binary, or UTF-16/],
      ["bytes", Uint8Array.from({ length: 300 }, (_, index) => index % 251), /binary/],
      ["a zip archive that was cut", zipOf({ "a.ndjson": file }).subarray(0, 60), /zip archive that cannot be read/],
      ["an archive in gzip", zlib.gzipSync(zipOf({ "a.ndjson": file })), /zip archive within another file/],
      ["three times gzip", zlib.gzipSync(zlib.gzipSync(zlib.gzipSync(file))), /packed more than twice/],
      ["bzip2", Uint8Array.from([0x42, 0x5a, 0x68, 0x39, 0x31]), /bzip2; unpack it first/],
      ["a table of something else", "color;size\nred;1\n", /no format that is known: it has `color`, `size`.*--map/],
      ["an array of something else", `[{"color":1}]`, /no format that is known/],
      ["prose", "Dear reader,\nthis is no file of records.", /no format that is known/],
      ["an export of stock", "Handle,Title,SKU,On hand\na,A,1,5\n", /export of stock.*without prices/]
    ]
    it.effect.each(unreadable)("gives one clear error for %s", ([, content, message]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read(content))
        assert.match(error.message, message)
      })
    )

    const page = "<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head><body></body></html>\n"
    const workbook = zipOf({ "[Content_Types].xml": "<Types/>", "_rels/.rels": "", "xl/workbook.xml": "<workbook/>" })
    const others: ReadonlyArray<readonly [what: string, content: Uint8Array | string, message: RegExp]> = [
      ["an Excel workbook", workbook, /is an Excel workbook: save the sheet as CSV/],
      [
        "a document",
        zipOf({ "[Content_Types].xml": "", "word/document.xml": "" }),
        /is a document of an office program/
      ],
      [
        "a sheet",
        zipOf({ mimetype: "application/x", "content.xml": "" }),
        /is an OpenDocument file: save the sheet as/
      ],
      ["an older workbook", Buffer.from("d0cf11e0a1b11ae10000", "hex"), /is a workbook of an older Excel.*as CSV/],
      ["a PDF document", "%PDF-1.7\n%\u00E2\u00E3\n1 0 obj", /is a PDF document: get its data as CSV or JSON/],
      ["a web page", page, /is a web page \(HTML\).*check for robots.*save the data itself/],
      ["a packed web page", zlib.gzipSync(`\uFEFF \n${page.toUpperCase()}`), /is a web page/],
      ["a web page with comments", `<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<html lang="en">`, /is a web page/],
      ["a table on a page", "<table><tr><td>domain</td></tr></table>", /is a web page.*as CSV/],
      ["XML", `<?xml version="1.0"?>\n<products/>`, /is XML, which is not read: get the data as CSV or JSON/],
      ["XML without a declaration", `<rss version="2.0">\n<channel>`, /is XML/]
    ]
    it.effect.each(others)("says what %s is and what to do, also with a format or a map", ([, content, message]) =>
      Effect.gen(function* () {
        const mapping = { record: "shop", fields: { domain: { column: "domain" } } } as const
        for (const options of [{}, { format: "storefront" }, { format: "products" }, { mapping }] as const) {
          assert.match((yield* Effect.flip(read(content, options))).message, message)
        }
        assert.match((yield* Effect.flip(read(content, {}, "products.json"))).message, message)
        const stdin = Stream.make(typeof content === "string" ? utf8(content) : content)
        const ofPipe = Effect.scoped(readAll(["-"])).pipe(Effect.provide(Stdio.layerTest({ stdin })))
        assert.match(
          (yield* Effect.flip(ofPipe)).message,
          new RegExp(message.source.replace("input", "standard input"))
        )
      })
    )

    it.effect("reads a table whose first column is called like an element", () =>
      Effect.gen(function* () {
        const mapping = { record: "shop", fields: { domain: { column: "<domain>" } } } as const
        for (const delimiter of [",", "\t"]) {
          const { records } = yield* read(`<domain>${delimiter}<x>\na.com${delimiter}1\n`, { mapping })
          assert.deepStrictEqual(records, [{ type: "partial_shop", domain: "a.com" }])
        }
      })
    )

    it.effect("finds out in linear time that a file with many comments is no web page", () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(read(`${"<!---->".repeat(500)}<div>`))
        assert.include(message, "no format that is known")
      })
    )

    it.effect("reads standard input, also byte by byte, compressed or not", () =>
      Effect.gen(function* () {
        for (const content of [utf8(file), zlib.gzipSync(file), zipOf({ "a.ndjson": file })]) {
          const stdin = Stream.fromIterable(Array.from(content, (byte) => Uint8Array.of(byte)))
          const { lines } = yield* Effect.scoped(readAll(["-"])).pipe(Effect.provide(Stdio.layerTest({ stdin })))
          assert.deepStrictEqual(lines, [1, 2, 3])
        }
      })
    )

    it.effect("an archive from standard input has no name in the temporary folder", () =>
      Effect.gen(function* () {
        const names = yield* temporaryNames
        const stdin = Stream.make(new Uint8Array(zipOf({ "a.ndjson": file, "b.ndjson": file })))
        const set = yield* Effect.provide(FileReader.read(["-"], defaults), Stdio.layerTest({ stdin }))
        const there = yield* Stream.runCollect(Stream.mapEffect(set.chunks, () => names))
        assert.deepStrictEqual(there, [[], []])
      }).pipe(Effect.scoped)
    )

    it.effect("says so when there is no file, an empty folder, or a terminal", () =>
      Effect.gen(function* () {
        const folder = yield* folderOf({})
        assert.match((yield* Effect.flip(readAll([`${folder}/nothing`]))).message, /does not exist/)
        assert.match((yield* Effect.flip(readAll([`${folder}/*.csv`]))).message, /does not exist/)
        assert.match((yield* Effect.flip(readAll([folder]))).message, /folder without files/)
        const terminal = Stdio.layerTest({ stdinIsTerminal: Effect.succeed(true) })
        assert.match((yield* Effect.flip(Effect.provide(readAll(["-"]), terminal))).message, /is the terminal/)
      }).pipe(Effect.scoped)
    )

    it.effect.each(["shop[1]", "shop*", "{shop1,x}", "sho?1", "!(x)"])(
      "reads a folder whose name has characters of patterns, and no other: %s",
      (name) =>
        Effect.gen(function* () {
          const folder = yield* folderOf({ [`${name}/a/1.ndjson`]: shop(1), "shop1/2.ndjson": shop(2) })
          const { files } = yield* readAll([`${folder}/${name}`])
          assert.deepStrictEqual(
            files.map((file) => file.name),
            [`${folder}/${name}/a/1.ndjson`]
          )
        }).pipe(Effect.scoped)
    )

    it.effect("reads the files of a folder, a pattern and an archive, and reports the file of each record", () =>
      Effect.gen(function* () {
        const zip = zipOf({ "b/3.ndjson": shop(3), "__MACOSX/x": "x", "c.ndjson": shop(4) })
        const folder = yield* folderOf({ "1.ndjson": shop(1), "a/2.ndjson": shop(2), "a/z.zip": zip, "a/.hidden": "x" })
        const found = yield* readAll([folder])
        assert.deepStrictEqual(
          found.records.map((record) => (record.type === "shop" ? record.domain : "")),
          [1, 2, 3, 4].map((index) => `shop${index}.example.com`)
        )
        assert.deepStrictEqual(
          found.files.map(({ name }) => name.slice(folder.length + 1)),
          ["1.ndjson", "a/2.ndjson", "a/z.zip:b/3.ndjson", "a/z.zip:c.ndjson"]
        )
        assert.lengthOf((yield* readAll([`${folder}/a/*.ndjson`])).records, 1)
      }).pipe(Effect.scoped)
    )
  })

  describe("of tables", () => {
    const header = "domain;name;country\n"
    const row = (index: number, name: string) => `shop${index}.example.com;${name};DE\n`
    const rowsOf = (...names: ReadonlyArray<string>) => header + names.map((name, at) => row(at + 1, name)).join("")
    const notUtf8 = "is not UTF-8 text; save the table as UTF-8"

    it.effect("reports a row that is not UTF-8, and reads the others", () =>
      Effect.gen(function* () {
        const latin = Buffer.from(rowsOf("Oak", "Lamp", "M\u00F6bel", "Desk"), "latin1")
        const { lines, rejects } = yield* read(latin)
        assert.deepStrictEqual({ lines, rejects }, { lines: [2, 3, 5], rejects: [`4 : ${notUtf8}`] })
      })
    )

    it.effect("reads the rows of a header that is not UTF-8, and reports it", () =>
      Effect.gen(function* () {
        const latin = Buffer.from(`${header.trim()};Gr\u00F6\u00DFe\n${row(1, "Oak")}`, "latin1")
        const { lines, rejects } = yield* read(latin)
        assert.deepStrictEqual({ lines, rejects }, { lines: [2], rejects: [`1 : ${notUtf8}`] })
      })
    )

    it.effect("reads a last row with fewer values than the header if its line has an end, in every encoding", () =>
      Effect.gen(function* () {
        for (const end of ["\n", "\r\n", "\r"]) {
          const text = `${header}shop1.example.com;Oak;DE\nshop2.example.com;Lamp\n`.replaceAll("\n", end)
          for (const content of [text, utf16(text, false), utf16(text, true)]) {
            const { lines, rejects } = yield* read(content, { store: { ...nobody, country: "DE" } })
            assert.deepStrictEqual({ lines, rejects }, { lines: [2, 3], rejects: [] })
          }
        }
      })
    )

    it.effect("reports a row that ends in the middle of a character", () =>
      Effect.gen(function* () {
        const { lines, rejects } = yield* read(utf8(`${rowsOf("Oak", "Lamp").trimEnd()};\u20AC`).subarray(0, -1))
        assert.deepStrictEqual(
          { lines, rejects },
          { lines: [2], rejects: ["3 : is not UTF-8 text, or the input ends in the middle of this row"] }
        )
      })
    )

    it("reads characters of any length wherever a chunk ends, and no cell that has anything else", async () => {
      const text = `\uFEFFa,b\n1,${"\u00E9\u20AC\u{1F600}".repeat(3)}\n2,"x\n\u20AC"\n`
      const expected = [`1|${"\u00E9\u20AC\u{1F600}".repeat(3)}`, "2|x\n\u20AC", "3|", "4|y"]
      const broken = Buffer.concat([utf8(text), Buffer.from("3,M\u00F6bel\n4,y\n", "latin1")])
      for (let size = 1; size <= broken.length; size++) {
        const rows = new CsvRows(layoutOf(text))
        const found: Array<CsvRow> = []
        for (let at = 0; at < broken.length; at += size) found.push(...rows.push(broken.subarray(at, at + size)))
        found.push(...(await rows.end()))
        assert.deepStrictEqual(
          found.map(({ cells }) => cells.join("|")),
          expected
        )
        assert.deepStrictEqual(
          found.map(({ isUnreadable }) => isUnreadable),
          [false, false, true, false]
        )
        assert.isUndefined(rows.problem)
      }
    })
  })

  describe("of a storefront", () => {
    const product = (changes: object) => ({ id: 1, title: "Tray", variants: [{ price: "5.00" }], ...changes })
    const products = JSON.stringify({
      products: [product({}), product({ id: 2, variants: [] }), product({ id: 3, status: "draft" }), product({ id: 4 })]
    })
    const oakline = { store: { ...nobody, domain: "oakline.example.com", country: "DE" } }

    it.effect("D60 reads products, counts drafts, and rejects the rest by position", () =>
      Effect.gen(function* () {
        const bare = JSON.stringify(JSON.parse(products).products)
        const lines = JSON.parse(products)
          .products.map((one: unknown) => JSON.stringify(one))
          .join("\n")
        for (const content of [
          products,
          zlib.gzipSync(products),
          bare,
          lines,
          JSON.stringify(JSON.parse(products), null, 2)
        ]) {
          const { formats, records, rejects, skipped } = yield* read(content, oakline)
          assert.deepStrictEqual(formats, ["storefront"])
          assert.deepStrictEqual(records[0], { type: "partial_shop", domain: "oakline.example.com", country: "DE" })
          assert.deepStrictEqual(
            records.slice(1).map((record) => (record.type === "product" ? record.key : undefined)),
            ["1", "4"]
          )
          assert.deepStrictEqual(rejects, ["2 variants: there are none, so that the product has no price"])
          assert.strictEqual(skipped, 1)
        }
      })
    )

    const meta = {
      id: 7,
      name: "Oakline",
      city: "Bremen",
      country: "DE",
      currency: "EUR",
      domain: "Oakline.com",
      myshopify_domain: "oakline.myshopify.com",
      published_products_count: 12,
      ships_to_countries: ["DE"]
    }
    const described = {
      type: "partial_shop" as const,
      domain: "oakline.com",
      name: "Oakline",
      country: "DE",
      currency: "EUR",
      products_count: 12
    }

    it.effect("reads its store from the meta.json beside it, unless an option names one", () =>
      Effect.gen(function* () {
        const folder = yield* folderOf({
          "a/meta.json": JSON.stringify(meta),
          "a/p.json": products,
          "b/p.json": products
        })
        assert.deepStrictEqual((yield* readAll([`${folder}/a/p.json`])).records[0], described)
        const store = { ...nobody, metaPath: `${folder}/a/meta.json`, name: "Oak", currency: "chf" }
        assert.deepStrictEqual((yield* readAll([`${folder}/b/p.json`], { store })).records[0], {
          ...described,
          name: "Oak",
          currency: "CHF"
        })
        assert.deepStrictEqual((yield* readAll([`${folder}/a`])).formats, ["meta", "storefront"])
      }).pipe(Effect.scoped)
    )

    it.effect("treats a store with `www.` as the store without it, wherever its domain is from", () =>
      Effect.gen(function* () {
        const domainOf = Effect.fnUntraced(function* (meta: object, domain?: string) {
          const folder = yield* folderOf({
            "meta.json": JSON.stringify({ country: "DE", ...meta }),
            "p.json": products
          })
          const { records } = yield* readAll([`${folder}/p.json`], { store: { ...nobody, domain } })
          return records.map((record) =>
            record.type === "partial_shop" ? record.domain : record.type === "product" ? record.shop : undefined
          )
        })
        const expected = ["oakline.example.com", "oakline.example.com", "oakline.example.com"]
        assert.deepStrictEqual(yield* domainOf({ domain: "www.oakline.example.com" }), expected)
        assert.deepStrictEqual(yield* domainOf({ url: "https://WWW.oakline.example.com/" }), expected)
        assert.deepStrictEqual(yield* domainOf({}, "www.oakline.example.com"), expected)
      }).pipe(Effect.scoped)
    )

    it.effect("uses the name of the file or its folder as the store's domain, if it is one", () =>
      Effect.gen(function* () {
        for (const name of ["oakline.com.json", "oakline.com/products.json", "oakline.com/page-1.json.gz"]) {
          const content = name.endsWith(".gz") ? zlib.gzipSync(products) : products
          const [first] = (yield* read(content, {}, name)).records
          assert.strictEqual(first?.type === "partial_shop" ? first.domain : undefined, "oakline.com", name)
        }
      })
    )

    it.effect("in an archive takes its store from the meta.json beside it there, else as beside the archive", () =>
      Effect.gen(function* () {
        const own = JSON.stringify(meta)
        const folder = yield* folderOf({
          "meta.json": JSON.stringify({ ...meta, domain: "beside.com" }),
          "a.zip": zipOf({ "products.json": products, "meta.json": own }),
          "b.zip": zipOf({ "x/products.json": products, "x/meta.json": own }),
          "c.zip": zipOf({ "products.json": products }),
          "d/lamp.com.zip": zipOf({ "products.json": products, "x/meta.json": own }),
          "e/shops.zip": zipOf({ "lamp.com/products.json": products }),
          "f/lamp.com.zip": zipOf({ "export/all/products.json": products })
        })
        const shopsOf = Effect.fnUntraced(function* (name: string) {
          const store = { ...nobody, country: "DE" }
          const { records } = yield* readAll([`${folder}/${name}`], { store })
          return records.filter(({ type }) => type === "partial_shop")
        })
        assert.deepStrictEqual(yield* shopsOf("a.zip"), [described, described])
        assert.deepStrictEqual(yield* shopsOf("b.zip"), [described, described])
        assert.deepStrictEqual(yield* shopsOf("c.zip"), [{ ...described, domain: "beside.com" }])
        const lamp = { type: "partial_shop" as const, domain: "lamp.com", country: "DE" }
        assert.deepStrictEqual(yield* shopsOf("d/lamp.com.zip"), [lamp, described])
        assert.deepStrictEqual(yield* shopsOf("e/shops.zip"), [lamp])
        assert.deepStrictEqual(yield* shopsOf("f/lamp.com.zip"), [lamp])
      }).pipe(Effect.scoped)
    )

    it.effect("takes no domain from the ending of an archive", () =>
      Effect.gen(function* () {
        for (const name of ["oakline.zip", "oakline.csv.ZIP"]) {
          const error = yield* Effect.flip(read(zipOf({ "products.json": products }), {}, name))
          assert.match(error.message, /does not say whose products it has/)
        }
      })
    )

    const unreadable: ReadonlyArray<
      readonly [what: string, content: string, options: Partial<FileReader.ReadOptions>, message: RegExp]
    > = [
      ["without an owner", products, {}, /--domain.*--meta.*--country/],
      ["with a domain that is none", products, { store: { ...nobody, domain: "oakline" } }, /domain must be a domain/],
      [
        "with a country that is none",
        products,
        { store: { ...nobody, domain: "oakline.com", country: "UK" } },
        /did you mean `GB`/
      ]
    ]
    it.effect.each(unreadable)("gives one clear error for a file %s", ([, content, options, message]) =>
      Effect.gen(function* () {
        assert.match((yield* Effect.flip(read(content, options))).message, message)
      })
    )

    it.effect("reads the complete records of a truncated file, and reports it", () =>
      Effect.gen(function* () {
        const { records, rejects, wholeStores } = yield* read(products.slice(0, -9), oakline)
        assert.lengthOf(records, 2)
        assert.deepStrictEqual(rejects.at(-1), "4 : the input ends in the middle of the document")
        assert.deepStrictEqual(wholeStores, [])
      })
    )

    it.effect("detects by the size of pages whether all products are there", () =>
      Effect.gen(function* () {
        const page = (count: number, from: number) =>
          JSON.stringify({ products: Array.from({ length: count }, (_, at) => product({ id: from + at })) })
        const wholes = Effect.fnUntraced(function* (...sizes: ReadonlyArray<number>) {
          const pages = sizes.map((size, at) => [`page-${at + 1}.json`, page(size, 1 + at * 1_000)])
          const folder = yield* folderOf(Object.fromEntries(pages))
          const isWhole = (yield* readAll([folder], oakline)).wholeStores.length === 1
          // An archive may have its files in any order.
          const archive = yield* folderOf({ "pages.zip": zipOf(Object.fromEntries(pages.toReversed())) })
          const ofArchive = yield* readAll([`${archive}/pages.zip`], oakline)
          assert.strictEqual(ofArchive.wholeStores.length === 1, isWhole)
          return isWhole
        })
        assert.isTrue(yield* wholes(249))
        assert.isTrue(yield* wholes(250, 3))
        assert.isTrue(yield* wholes(250, 250, 0))
        assert.isTrue(yield* wholes(0))
        assert.isTrue(yield* wholes(1_000))
        assert.isFalse(yield* wholes(250))
        // Pages of requests without a limit have 30 products.
        assert.isFalse(yield* wholes(30))
        assert.isFalse(yield* wholes(250, 250))
        // A short page in the middle does not count as the last one.
        assert.isFalse(yield* wholes(250, 3, 250))
        assert.isTrue(yield* wholes(...Array.from({ length: 11 }, () => 250), 3))
      }).pipe(Effect.scoped)
    )

    const pages: ReadonlyArray<readonly [isWhole: boolean, names: ReadonlyArray<string>]> = [
      [true, ["page-1.json", "page-2.json"]],
      [true, ["page0.json", "page1.json"]],
      [true, ["products.json", "rest.json"]],
      [true, ["7.json", "8.json"]],
      [true, ["page-1.json", "rest.json"]],
      [true, ["products-2026-06-30.json", "products-2026-07-01.json"]],
      [false, ["page-1.json", "page-3.json"]],
      [false, ["page-2.json", "page-3.json"]],
      [false, ["page 2.json"]],
      [false, ["products.json?limit=250&page=2"]],
      [false, ["oakline_1.json", "oakline_3.json"]],
      [false, ["page-1.json", "rest.json", "page-3.json"]]
    ]
    it.effect.each(pages)("says that all products are there: %s, by pages called %j", ([isWhole, names]) =>
      Effect.gen(function* () {
        const page = (size: number, from: number) =>
          JSON.stringify({ products: Array.from({ length: size }, (_, at) => product({ id: from + at })) })
        const files = names.map((name, at) => [name, page(at === names.length - 1 ? 3 : 5, 1 + at * 1_000)])
        const folder = yield* folderOf(Object.fromEntries(files))
        const paths = names.map((name) => `${folder}/${name}`)
        const { rejects, wholeStores } = yield* readAll(paths, oakline)
        assert.deepStrictEqual([rejects, wholeStores], [[], isWhole ? ["oakline.example.com"] : []])
      }).pipe(Effect.scoped)
    )
  })

  describe("with --complete", () => {
    const ofStore = { store: { ...nobody, domain: "oakline.example.com", country: "DE" } }
    const json = (...records: ReadonlyArray<object>) => records.map((record) => `${JSON.stringify(record)}\n`).join("")
    const numbers = Array.from({ length: 5_000 }, (_, index) => index + 1)
    const native = (changes: object = {}) => ({
      type: "product",
      shop: "oakline.example.com",
      key: "a",
      title: "Tray",
      price: 5,
      ...changes
    })
    const mapping: NonNullable<FileReader.ReadOptions["mapping"]> = {
      record: "product",
      fields: {
        shop: { column: "store" },
        key: { column: "sku" },
        title: { column: "name" },
        price: { column: "cost" }
      }
    }
    const { shop: _, ...ofOneStore } = mapping.fields
    const item = (id: number) => ({ id, title: `P${id}`, handle: `p-${id}`, variants: [{ price: "5.00" }] })
    const bulk = (id: number): ReadonlyArray<object> => [
      { id: `gid://shopify/Product/${id}`, title: `P${id}`, handle: `p-${id}` },
      { id: `gid://shopify/ProductVariant/${id}`, price: "9.00", __parentId: `gid://shopify/Product/${id}` }
    ]
    const table = (header: string, row: (id: number) => string) => `${[header, ...numbers.map(row)].join("\n")}\n`
    const all = ["oakline.example.com"]

    const formats: ReadonlyArray<readonly [what: string, content: string, options: Partial<FileReader.ReadOptions>]> = [
      ["native records", json(...numbers.map((id) => native({ key: `p-${id}` }))), {}],
      ["a table read by a map", table("store,sku,name,cost", (id) => `${all[0]},${id},P${id},5`), { mapping }],
      [
        "a table of one store read by a map",
        table("sku,name,cost", (id) => `${id},P${id},5`),
        { ...ofStore, mapping: { ...mapping, fields: ofOneStore } }
      ],
      ["a bulk file", json(...numbers.flatMap(bulk)), ofStore],
      ["a storefront, one product per line", json(...numbers.map(item)), ofStore],
      ["a page of a storefront", JSON.stringify({ products: numbers.map(item) }), ofStore],
      ["a merchant's export", table("Handle,Title,Variant Price", (id) => `p-${id},P${id},5`), ofStore]
    ]
    it.effect.each(formats)("no store of %s is whole if the file was cut off or damaged", ([, content, options]) =>
      Effect.gen(function* () {
        const complete = { ...options, isComplete: true }
        assert.deepStrictEqual((yield* read(content, complete)).wholeStores, all)
        const packed = zlib.gzipSync(content)
        for (const cut of [packed.subarray(0, -1_000), packed.subarray(0, -4), content.slice(0, -3)]) {
          const { records, wholeStores } = yield* read(cut, complete)
          assert.isAbove(records.length, 100)
          assert.deepStrictEqual(wholeStores, [])
        }
      })
    )

    const exported = (...rows: ReadonlyArray<string>) => ["Handle,Title,Variant Price", ...rows, ""].join("\n")
    const readParts = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, pattern = "") {
      const folder = yield* folderOf(files)
      const set = yield* FileReader.read([`${folder}${pattern}`], { ...defaults, store: { ...nobody, country: "DE" } })
      const chunks = yield* Stream.runCollect(set.chunks)
      const inFolder = (file: string | undefined) => file?.slice(folder.length + 1)
      return {
        products: chunks.flatMap(({ rows }) =>
          rows.flatMap(({ file, line, record }) =>
            record.type === "product" ? [`${inFolder(file)} ${line}: ${record.shop} ${record.key} ${record.price}`] : []
          )
        ),
        rejects: chunks.flatMap(({ rejects }) =>
          rejects.map(({ field, file, line }) => `${inFolder(file)} ${line} ${field}`)
        ),
        wholeStores: set.outcome().wholeStores
      }
    }, Effect.scoped)

    it.effect("rows of an export go on with the product of the file before, in the order of the files' numbers", () =>
      Effect.gen(function* () {
        const files = {
          "oakline.com/products_export_1.csv": exported("lamp,Lamp,5", "tray,Tray,7"),
          "oakline.com/products_export_2.csv": exported("tray,,6", "desk,Desk,9"),
          "oakline.com/products_export_10.csv": exported("desk,,8", "desk,,free", "rug,,3")
        }
        for (const pattern of ["", "/oakline.com/*.csv"]) {
          assert.deepStrictEqual(yield* readParts(files, pattern), {
            products: [
              "oakline.com/products_export_1.csv 2: oakline.com lamp 5",
              "oakline.com/products_export_1.csv 3: oakline.com tray 6",
              "oakline.com/products_export_2.csv 3: oakline.com desk 8"
            ],
            rejects: [
              "oakline.com/products_export_10.csv 3 Variant Price",
              "oakline.com/products_export_10.csv 4 Title"
            ],
            wholeStores: ["oakline.com"]
          })
        }
      })
    )

    it.effect("an export that begins with a variant which the product has already is a newer one", () =>
      Effect.gen(function* () {
        const exported = (...rows: ReadonlyArray<string>) =>
          ["Handle,Title,Option1 Value,Variant Price", ...rows, ""].join("\n")
        const first = exported("desk,Desk,S,9", "lamp,Lamp,S,10", "lamp,,M,11")
        const newer = yield* readParts({
          "a.com/1.csv": first,
          "a.com/2.csv": exported("lamp,Lamp,S,15", "lamp,,M,16")
        })
        assert.deepStrictEqual(newer.products, [
          "a.com/1.csv 2: a.com desk 9",
          "a.com/1.csv 3: a.com lamp 10",
          "a.com/2.csv 2: a.com lamp 15"
        ])
        const more = yield* readParts({ "a.com/1.csv": first, "a.com/2.csv": exported("lamp,Lamp,L,8", "lamp,,XL,9") })
        assert.deepStrictEqual(more.products, ["a.com/1.csv 2: a.com desk 9", "a.com/1.csv 3: a.com lamp 8"])
      })
    )

    it.effect(
      "rows of an export do not go on with a file that was cut off, or has another store or other columns",
      () =>
        Effect.gen(function* () {
          const [product, more] = [exported("a,A,5", "b,B,6"), exported("b,,4")]
          const products = ["a.com/1.csv 2: a.com a 5", "a.com/1.csv 3: a.com b 6"]
          const left = (second: string, content: string) => readParts({ "a.com/1.csv": product, [second]: content })
          assert.deepStrictEqual(yield* left("b.com/2.csv", more), {
            products,
            rejects: ["b.com/2.csv 2 Title"],
            wholeStores: ["a.com", "b.com"]
          })
          assert.deepStrictEqual(yield* left("a.com/2.csv", more.replace("Handle", "URL handle")), {
            products,
            rejects: ["a.com/2.csv 2 Title"],
            wholeStores: ["a.com"]
          })
          assert.deepStrictEqual(yield* readParts({ "a.com/1.csv": `${product}c,`, "a.com/2.csv": more }), {
            products: products.slice(0, 1),
            rejects: ["a.com/1.csv 3 ", "a.com/1.csv 4 ", "a.com/2.csv 2 Title"],
            wholeStores: []
          })
        })
    )

    it.effect("a cut file of one store leaves other stores whole, and no other file of its store makes it whole", () =>
      Effect.gen(function* () {
        const page = JSON.stringify({ products: [item(1), item(2)] })
        const folder = yield* folderOf({
          "a.com/1.json": page,
          "a.com/2.csv": "Handle,Title,Variant Price\np-3,P3,5\np-4",
          "a.com/3.csv": "Handle,Title,Variant Price\np-5,P5,5\n",
          "b.com/1.json": page
        })
        const store = { ...nobody, country: "DE" }
        const { wholeStores } = yield* readAll([folder], { store, isComplete: true })
        assert.deepStrictEqual(wholeStores, ["b.com"])
      }).pipe(Effect.scoped)
    )

    const ofTable = (row: string) => `store,sku,name,cost\noakline.example.com,first,First,5\n${row}\n`
    const first = native({ key: "first" })
    const keptOf = (...keys: ReadonlyArray<string>) => keys.map((key) => ({ shop: "oakline.example.com", key }))
    const identified: ReadonlyArray<
      readonly [what: string, content: string, options: Partial<FileReader.ReadOptions>, keys: ReadonlyArray<string>]
    > = [
      [
        "a native record",
        json(first, native({ shop: "WWW.Oakline.example.com", alias: "8101", price: "free" })),
        {},
        ["a", "8101"]
      ],
      ["a row of a table", ofTable("Oakline.example.com,a,Tray,free"), { mapping }, ["a"]],
      ["a row of an export without a title", "Handle,Title,Variant Price\nfirst,First,5\na,,6\n", ofStore, ["a"]]
    ]
    it.effect.each(identified)("%s that is rejected is kept, and its store is whole", ([, content, options, keys]) =>
      Effect.gen(function* () {
        const { kept, rejects, wholeStores } = yield* read(content, { ...options, isComplete: true })
        assert.lengthOf(rejects, 1)
        assert.deepStrictEqual(kept, keptOf(...keys))
        assert.deepStrictEqual(wholeStores, all)
      })
    )

    const unidentified: ReadonlyArray<
      readonly [what: string, content: string, options: Partial<FileReader.ReadOptions>]
    > = [
      ["a native product without a key", json(first, native({ key: 8101 })), {}],
      ["a native product without a store", json(first, native({ shop: "oakline" })), {}],
      ["a record of an unknown type", json(first, { type: "prodct" }), {}],
      ["a value that is no record", json(first, []), {}],
      ["a line that is not JSON", `${json(first)}{"type":\n${json(first)}`, {}],
      ["a row of a table without a key", ofTable("oakline.example.com,,Tray,5"), { mapping }],
      ["an item of a storefront without an id", json(item(1), { title: "Tray", variants: [] }), ofStore],
      ["a row of an export without a handle", "Handle,Title,Variant Price\n,,6\nfirst,First,5\n", ofStore],
      ["a line of a bulk file that is not JSON", `${json(...bulk(1))}{"id":\n${json(...bulk(2))}`, ofStore],
      ["a variant without its product", json(...bulk(1), ...bulk(2).slice(1)), ofStore]
    ]
    it.effect.each(unidentified)(
      "no store is whole if %s is rejected, which may be any product",
      ([, content, options]) =>
        Effect.gen(function* () {
          const { rejects, wholeStores } = yield* read(content, { ...options, isComplete: true })
          assert.lengthOf(rejects, 1)
          assert.deepStrictEqual(wholeStores, [])
        })
    )

    it.effect("rejected records that are no products leave their stores whole", () =>
      Effect.gen(function* () {
        const folder = yield* folderOf({
          "1.ndjson": json({ type: "shop", domain: "b.com" }, first),
          "2.csv": "domain,month,visits\nb.com,2026-01,many\n",
          "3.json": `[{"ad_archive_id":"1"}`
        })
        const { rejects, wholeStores } = yield* readAll([folder], { isComplete: true })
        assert.isAbove(rejects.length, 3)
        assert.deepStrictEqual(wholeStores, all)
      }).pipe(Effect.scoped)
    )
  })
})
