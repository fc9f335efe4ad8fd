/**
 * What is read, rejected and left out is all that is in a file: each row of a table, item of a document and line is counted once. The
 * test knows the number of rows, because it writes them.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Result, Schema, Stdio, Stream } from "effect"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import type { FormatName } from "../../../src/services/import/formats/Format.ts"
import * as Mapping from "../../../src/services/import/formats/Mapping.ts"
import { Report } from "../../../src/services/import/ImportReport.ts"
import { defaults, oakline } from "../../support/FileImports.ts"

interface Kind {
  /** Good, bad, hidden and repeated rows. The first one is good, so that the format is detected. */
  readonly rows: ReadonlyArray<string>
  readonly write: (rows: ReadonlyArray<string>) => string
  readonly mapping?: Mapping.Mapping
}

const table =
  (header: string) =>
  (rows: ReadonlyArray<string>): string =>
    [header, ...rows, ""].join("\n")
const lines = (rows: ReadonlyArray<string>): string => [...rows, ""].join("\n")
const listIn =
  (name: string) =>
  (rows: ReadonlyArray<string>): string =>
    `{"${name}": [${rows.join(",")}]}`
const json = (value: unknown): string => JSON.stringify(value)
const mapOf = (record: string, fields: object): Mapping.Mapping => Result.getOrThrow(Mapping.decode({ record, fields }))

const variants = [{ id: 1, price: "5.00" }]
const ad = { ad_archive_id: "1", page_name: "P", is_active: true, start_date: 1_767_225_600, snapshot: {} }
const gid = (kind: string, id: number) => `gid://shopify/${kind}/${id}`
const productMap = mapOf("product", {
  key: { column: "Id" },
  title: { column: "Name" },
  price: { column: "Cost", as: "money" }
})

const kinds: Readonly<Record<Exclude<FormatName, "empty" | "map">, Kind>> = {
  native: {
    rows: [
      json({ type: "niche", id: 1, name: "A" }),
      json({ type: "niche", id: 0, name: "B" }),
      "{",
      "5",
      json({ type: "x" })
    ],
    write: lines
  },
  storefront: {
    rows: [
      json({ id: 1, handle: "a", title: "A", variants }),
      json({ id: 2, handle: "b", title: "B", variants, status: "draft" }),
      json({ id: 3, handle: "c", title: "C", variants, published_at: null }),
      json({ id: 4, handle: "d", title: "D", variants: [] }),
      "7",
      "null"
    ],
    write: listIn("products")
  },
  meta: {
    rows: [
      json({ domain: "a.com", name: "A", country: "US", published_products_count: 1 }),
      json({ domain: "facebook.com", published_products_count: 1 }),
      json({ published_products_count: 1 }),
      "5"
    ],
    write: lines
  },
  products: {
    rows: ["a,A,1,", "a,,2,", "b,B,x,", "b,,3,", "c,C,4,draft", "c,,5,", ",,6,", "d,D,7,unlisted", "e,,8,", "f,F,,"],
    write: table("Handle,Title,Variant Price,Status")
  },
  woocommerce: {
    rows: [
      "1,simple,A,A,1,5,",
      "2,variable,B,B,1,,",
      "3,variation,,B - x,1,4,B",
      "4,variation,,C - x,1,4,id:9",
      "5,variation,,D,1,4,",
      "6,simple,,E,-1,4,",
      "7,simple,,F,1,?,",
      "8,simple,,,1,3,",
      ",simple,,G,1,3,"
    ],
    write: table("ID,Type,SKU,Name,Published,Regular price,Parent")
  },
  catalog: {
    rows: [
      "1,A,https://a.com/products/a,x,5 EUR,in stock,",
      "2,B,,x,5,in stock,9",
      "3,B,,x,4,discontinued,9",
      "4,,,x,5,in stock,",
      "5,C,,x,?,in stock,",
      ",D,,x,1,in stock,",
      "6,E,,,1,discontinued,"
    ],
    write: table("id,title,link,image_link,price,availability,item_group_id")
  },
  bulk: {
    rows: [
      json({ id: gid("Product", 1), title: "A", handle: "a" }),
      json({ id: gid("ProductVariant", 11), price: "5", __parentId: gid("Product", 1) }),
      json({ id: gid("ProductVariant", 12), price: "?", __parentId: gid("Product", 2) }),
      json({ id: gid("Product", 2), title: "B", handle: "b" }),
      json({ id: gid("Metafield", 1), __parentId: gid("ProductVariant", 11) }),
      json({ id: gid("MediaImage", 1), __parentId: gid("Product", 3) }),
      json({ id: gid("Collection", 1) }),
      "{"
    ],
    write: lines
  },
  ads: {
    rows: [json(ad), json({ ...ad, start_date: "?" }), json({ ...ad, start_date: 4_070_908_800 }), json({}), "3"],
    write: listIn("ads")
  },
  shops: {
    rows: [
      "a.com,A,DE,",
      "b.com,B,DE,Inactive",
      "none,C,DE,",
      "a.com,Other,DE,",
      "facebook.com,F,DE,",
      "https://a.com/products/x,X,DE,"
    ],
    write: table("domain,name,country_code,status")
  },
  traffic: {
    rows: ["a.com,1,2", "a.com,,", "none,1,", "b.com,x,1", "b.com,x,y"],
    write: table("domain,2026-01,2026-02")
  },
  taxonomy: {
    rows: [
      "gid://shopify/TaxonomyCategory/fr-1 : Furniture",
      "no category",
      "gid://shopify/TaxonomyCategory/fr-2 : A > B"
    ],
    write: lines
  }
}
const others: Readonly<Record<string, Kind>> = {
  "lines with an ad each, or none": {
    rows: [json(ad), json({ data: "x" }), json({ results: [{ node: null }] }), json({ ads: null, data: [ad] }), "{}"],
    write: lines
  },
  "an answer in GraphQL": {
    rows: [
      json({ id: gid("Product", 1), title: "A", handle: "a", variants: { nodes: [{ price: "5" }] } }),
      json({ id: gid("Product", 2), title: "B", handle: "b", status: "DRAFT", variants: { nodes: [{ price: "5" }] } }),
      json({ id: gid("Product", 3), title: "C", handle: "c", variants: { nodes: [] } }),
      json({ id: gid("Collection", 1) }),
      "7",
      "null"
    ],
    write: (rows) => `{"data":{"products":{"nodes":[${rows.join(",")}]}}}`
  },
  "a table with a map": {
    rows: ["a,A,1", "a,A,2", "b,B,x", ",C,1", "a,,3"],
    write: table("Id,Name,Cost"),
    mapping: productMap
  },
  "a document with a map": {
    rows: [json({ Id: "a", Name: "A", Cost: 1 }), json({ Id: "a", Name: "A", Cost: 2 }), json({ Id: "b" }), json({})],
    write: listIn("things"),
    mapping: productMap
  }
}

const Picks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))).check(
  Schema.isMaxLength(30)
)
const Percent = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

/** What is read of a text that comes through a pipe, in pieces of so many bytes. */
const read = Effect.fnUntraced(function* (text: string, mapping?: Mapping.Mapping, piece = 100_000) {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, at) =>
    bytes.subarray(at * piece, (at + 1) * piece)
  )
  const report = new Report({ maxRejects: 1_000, onRejects: () => Effect.void, onProgress: () => Effect.void })
  const found: { rows: Array<object>; rejects: Array<object> } = { rows: [], rejects: [] }
  yield* Effect.gen(function* () {
    const set = yield* FileReader.read(["-"], { ...defaults, mapping, store: oakline })
    yield* Stream.runForEach(set.chunks, (chunk) => {
      found.rows.push(...chunk.rows)
      found.rejects.push(...chunk.rejects)
      return report.read(chunk)
    })
  }).pipe(Effect.scoped, Effect.provide(Stdio.layerTest({ stdin: Stream.fromIterable(pieces) })))
  const { leftOut, parts, read, rejected } = report.withLast({ changedShops: 0, removedProducts: 0 })
  const all = read + rejected + leftOut
  const ofParts = Array.from(parts.values()).reduce((sum, part) => sum + part.read + part.rejected + part.leftOut, 0)
  assert.strictEqual(ofParts, all)
  return { all, found }
})

const drawn = (rows: ReadonlyArray<string>, picks: ReadonlyArray<number>): ReadonlyArray<string> => [
  rows[0] ?? "",
  ...picks.map((pick) => rows[pick % rows.length] ?? "")
]

layer(NodeServices.layer, { excludeTestServices: true })(
  "what is read, rejected and left out is all that is in",
  (it) => {
    for (const [name, { mapping, rows, write }] of Object.entries({ ...kinds, ...others })) {
      it.effect.prop(name, [Picks], ([picks]) =>
        Effect.gen(function* () {
          const written = drawn(rows, picks)
          assert.strictEqual((yield* read(write(written), mapping)).all, written.length)
        })
      )

      it.effect.prop(`${name}, cut off anywhere behind its first row`, [Picks, Percent], ([picks, percent]) =>
        Effect.gen(function* () {
          const written = drawn(rows, picks)
          // A whole first row, and the delimiter behind it, show the format.
          const first = write([written[0] ?? ""]).indexOf(written[0] ?? "") + (written[0] ?? "").length + 1
          const text = write(written)
          const cut = text.slice(0, first + Math.floor(((text.length - first) * percent) / 100))
          // Delimiters alone are no row.
          const begun = written.filter((row, at) => {
            const start = startOf(written, at, write)
            return /[^,]/u.test(cut.slice(start, start + row.length))
          })
          const { all } = yield* read(cut, mapping)
          assert.include([begun.length, begun.length + 1], all, cut)
        })
      )

      it.effect.prop(
        `${name}, wherever its bytes are divided`,
        [Picks, Schema.Literals([1, 2, 7, 64])],
        ([picks, piece]) =>
          Effect.gen(function* () {
            const text = write(drawn(rows, picks))
            const whole = yield* read(text, mapping)
            assert.deepStrictEqual(yield* read(`\uFEFF${text}`, mapping, piece), whole)
          })
      )
    }
  }
)

/** Where the text has a row. */
const startOf = (rows: ReadonlyArray<string>, at: number, write: Kind["write"]): number => {
  const behind = write(["1"]).length - write(["1"]).lastIndexOf("1") - 1
  return write(rows.slice(0, at + 1)).length - behind - (rows[at] ?? "").length
}
