import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Schema, Stream } from "effect"
import type { PlatformError } from "effect"
import * as nodeFs from "node:fs"
import * as zlib from "node:zlib"
import { ctas } from "../../../src/domain/catalog/Enumerations.ts"
import type { AdRecord, PartialShop, ProductRecord } from "../../../src/domain/catalog/Records.ts"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import type { FormatName } from "../../../src/services/import/formats/Format.ts"
import type { ImportRow } from "../../../src/services/import/ImportSource.ts"
import { defaults, oakline, temporaryNames } from "../../support/FileImports.ts"

const ofOneStore: FileReader.ReadOptions = { ...defaults, store: oakline }

const read = Effect.fnUntraced(function* (
  content: string | Buffer | object,
  options: Partial<FileReader.ReadOptions> = {},
  onChunk: Effect.Effect<void, PlatformError.PlatformError> = Effect.void
) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.makeTempFileScoped()
  const isWritten = typeof content === "string" || Buffer.isBuffer(content)
  yield* fs.writeFile(file, Buffer.from(isWritten ? content : JSON.stringify(content)))
  const set = yield* FileReader.read([file], { ...ofOneStore, ...options })
  const chunks = yield* Stream.runCollect(Stream.tap(set.chunks, () => onChunk))
  const rows = chunks.flatMap(({ rows }) => rows)
  return {
    format: set.outcome().files[0]?.format,
    wholeStores: set.outcome().wholeStores,
    kept: set.outcome().kept,
    rows,
    skipped: chunks.reduce((sum, { leftOut = [] }) => sum + leftOut.length, 0),
    rejects: chunks.flatMap(({ rejects }) => rejects.map(({ field, line, reason }) => `${line} ${field}: ${reason}`))
  }
}, Effect.scoped)

const products = (rows: ReadonlyArray<ImportRow>): ReadonlyArray<ProductRecord> =>
  rows.flatMap(({ record }) => (record.type === "product" ? [record] : []))
const ads = (rows: ReadonlyArray<ImportRow>): ReadonlyArray<AdRecord> =>
  rows.flatMap(({ record }) => (record.type === "library_ad" ? [record.ad] : []))
const shops = (rows: ReadonlyArray<ImportRow>): ReadonlyArray<PartialShop> =>
  rows.flatMap(({ record }) => (record.type === "partial_shop" ? [record] : []))

const csv = (...rows: ReadonlyArray<string>) => `${rows.join("\r\n")}\r\n`

/** The rows of two products, in turns. */
const apartRows = [
  "mug,Mug,Size,S,4,https://x.example/1.jpg",
  "shirt,Shirt,Size,S,3,",
  "mug,Mug,Size,T,3,",
  "shirt,Shirt,,T,5,"
]

layer(NodeServices.layer)("the formats of files", (it) => {
  describe("a merchant's export of products", () => {
    it.effect("rejects a row that is apart from those of its product, if these are no longer remembered", () =>
      Effect.gen(function* () {
        // More than 33,554,432 characters.
        const long = "x".repeat(4_000_000)
        const many = Array.from({ length: 9 }, (_, at) => `p-${at},P,${long},5`)
        const { rejects, rows } = yield* read(
          csv("Handle,Title,Body (HTML),Variant Price", ...many, "p-1,,,3", "p-8,,,2", "p-1,P,,4", "p-8,P,,2")
        )
        const why =
          "Title: is of a product whose other rows are too far above: sort the rows by handle, those with a title first"
        assert.deepStrictEqual(rejects, [`12 ${why}`, `14 ${why}`])
        const prices = new Map(products(rows).map(({ key, price }) => [key, price]))
        assert.deepStrictEqual([prices.get("p-1"), prices.get("p-8")], [3, 5])
      })
    )

    it.effect("reads rows of a product that are apart as if they followed each other", () =>
      Effect.gen(function* () {
        const [header, ...rest] = ["Handle,Title,Option1 Name,Option1 Value,Variant Price,Image Src", ...apartRows]
        const together = yield* read(
          csv(
            header ?? "",
            ...rest.filter((row) => row.startsWith("mug")),
            ...rest.filter((row) => row.startsWith("shirt"))
          )
        )
        const apart = yield* read(csv(header ?? "", ...rest))
        const last = new Map(products(apart.rows).map((product) => [product.key, product]))
        assert.deepStrictEqual(apart.rejects, [])
        assert.sameDeepMembers(Array.from(last.values()), [...products(together.rows)])
        assert.deepStrictEqual(apart.wholeStores, together.wholeStores)
      })
    )

    it.effect("reads the complete products of a truncated file, and removes none", () =>
      Effect.gen(function* () {
        const whole = "Handle,Title,Variant Price\na,A,5\na,,6\nb,B,7\nb,,8\n"
        for (const cut of ['b,,"9', "b,"]) {
          const { kept, rejects, rows, wholeStores } = yield* read(whole + cut)
          assert.deepStrictEqual(
            products(rows).map(({ details, key }) => [key, details?.variants.length]),
            [["a", 2]]
          )
          // The last product may lack rows.
          assert.match(rejects[0] ?? "", /^4 : is the last product of a file that was cut off/)
          assert.match(rejects[1] ?? "", /^6 : the input ends in the middle of this row/)
          assert.deepStrictEqual(kept, [{ shop: "oakline.com", key: "b" }])
          assert.deepStrictEqual(wholeStores, [])
        }
      })
    )

    it.effect("reads the last product of a complete file, with or without an end of line", () =>
      Effect.gen(function* () {
        for (const end of ["", "\n"]) {
          const { rejects, rows } = yield* read(`Handle,Title,Variant Price\na,A,5\na,,6${end}`)
          assert.deepStrictEqual(rejects, [])
          assert.lengthOf(products(rows)[0]?.details?.variants ?? [], 2)
        }
      })
    )
  })

  it.effect("of an export with 111 columns in any order, the unknown ones are ignored", () =>
    Effect.gen(function* () {
      const known = { Handle: "größe", Title: "Größe – 日本", "Variant Price": "0.00", Status: "active" }
      const others = Array.from({ length: 107 }, (_, at) => `Color (product.metafields.custom.c${at})`)
      const header = [...others.slice(0, 60), ...Object.keys(known).toReversed(), ...others.slice(60)]
      const values = new Map<string, string>(Object.entries(known))
      const { rejects, rows } = yield* read(
        csv(header.join(","), header.map((name) => values.get(name) ?? "x").join(","))
      )
      assert.deepStrictEqual(rejects, [])
      assert.deepStrictEqual(
        products(rows).map(({ key, price, title }) => [key, title, price]),
        [["größe", "Größe – 日本", 0]]
      )
    })
  )

  it.effect("of a list of stores, languages with the names of an object's members are unknown", () =>
    Effect.gen(function* () {
      const names = Object.getOwnPropertyNames(Object.prototype).flatMap((name) => [name, `${name}-US`])
      const stores = names.map((name, at) => `s-${at}.com,US,${name}`)
      const { rejects, rows } = yield* read(csv("domain,country,language", ...stores))
      assert.deepStrictEqual(rejects, [])
      assert.deepStrictEqual(
        shops(rows).map(({ languages }) => languages),
        names.map(() => [])
      )
    })
  )

  it.effect("of a list of stores, countries are found by their codes and names in either case", () =>
    Effect.gen(function* () {
      const names = ["gb", "Großbritannien", "Österreich", "ÖSTERREICH"]
      const { rejects, rows } = yield* read(
        csv("domain,country,name", ...names.map((name, at) => `s-${at}.com,${name},A`))
      )
      assert.deepStrictEqual(rejects, [])
      assert.deepStrictEqual(
        shops(rows).map(({ country }) => country),
        ["GB", "GB", "AT", "AT"]
      )
    })
  )

  describe("the result of a bulk operation", () => {
    const gid = (kind: string, id: number) => `gid://shopify/${kind}/${id}`
    const lines = [
      {
        id: gid("Product", 1),
        title: "Tray",
        handle: "tray",
        status: "ACTIVE",
        createdAt: "2025-03-02T08:11:40Z",
        tags: ["a"]
      },
      { id: gid("ProductVariant", 11), price: "39.00", compareAtPrice: null, __parentId: gid("Product", 1) },
      { id: gid("Product", 2), title: "Draft", handle: "draft", status: "DRAFT" },
      { id: gid("ProductVariant", 21), price: "1.00", __parentId: gid("Product", 2) },
      { id: gid("ProductVariant", 12), price: "29.50", __parentId: gid("Product", 1) },
      { id: gid("MediaImage", 5), image: { url: "https://x.example/p.jpg" }, __parentId: gid("Product", 1) },
      {
        id: gid("Product", 3),
        title: "Ranged",
        priceRangeV2: { minVariantPrice: { amount: "7.5", currencyCode: "EUR" } }
      },
      { id: gid("ProductVariant", 91), price: "1.00", __parentId: gid("Product", 9) }
    ]

    it.effect.each([
      ["as they come", lines],
      ["the other way round", lines.toReversed()]
    ] as const)("brings the parts of a product together: %s", ([, order]) =>
      Effect.gen(function* () {
        const { format, rejects, rows, skipped } = yield* read(order.map((line) => JSON.stringify(line)).join("\n"))
        assert.strictEqual(format, "bulk")
        assert.strictEqual(skipped, 2)
        assert.lengthOf(rejects, 1)
        assert.match(rejects[0] ?? "", /__parentId: names an object that is not in the file/)
        const found = products(rows).toSorted((a, b) => a.key.localeCompare(b.key))
        assert.deepStrictEqual(
          found.map(({ alias, image_url, key, price }) => [key, alias ?? null, price, image_url]),
          [
            ["3", null, 7.5, null],
            ["tray", "1", 29.5, "https://x.example/p.jpg"]
          ]
        )
        assert.strictEqual(found[1]?.created_at, "2025-03-02T08:11:40.000Z")
      })
    )

    const orders = ["products first", "variants first", "each product with its variants", "in turns"] as const
    it.effect.each(
      orders.flatMap((order) => [[order, "in memory", 0] as const, [order, "in the temporary file", 4_000] as const])
    )("brings the parts of many products together, written %s, sorted %s", ([order, , padding]) =>
      Effect.gen(function* () {
        // Characters of two bytes, of which some are cut by any boundary between reads.
        const note = "ü".repeat(padding)
        // More than there are parts of the file, so that some products share one.
        const ids = Array.from({ length: 600 }, (_, at) => at + 1)
        const product = (id: number) => ({ id: gid("Product", id), title: `P${id}`, handle: `p-${id}`, note })
        const variant = (number: number) => (id: number) => ({
          id: gid("ProductVariant", id * 10 + number),
          note,
          price: `${id}.0${number}`,
          __parentId: gid("Product", id)
        })
        const [first, second] = [ids.map(variant(1)), ids.map(variant(2))]
        const written = {
          "products first": [...ids.map(product), ...first, ...second],
          "variants first": [...second, ...first, ...ids.map(product)],
          "each product with its variants": ids.flatMap((id) => [product(id), variant(1)(id), variant(2)(id)]),
          "in turns": [...first, ...ids.map(product), ...second]
        }[order]
        const text = written.map((line) => JSON.stringify(line)).join("\n")
        // A plain file is read twice. The others are copied.
        for (const content of [text, zlib.gzipSync(text), Buffer.from(`\uFEFF${text}`, "utf16le")]) {
          const { rejects, rows } = yield* read(content)
          assert.deepStrictEqual(rejects, [])
          assert.deepStrictEqual(
            products(rows)
              .map(({ alias, details, key, price }) => [Number(alias), key, price, details?.variants.length])
              .toSorted(([a], [b]) => Number(a) - Number(b)),
            ids.map((id) => [id, `p-${id}`, Number(`${id}.01`), 2])
          )
        }
      })
    )

    const changes: ReadonlyArray<readonly [how: string, change: (file: string) => void]> = [
      [
        "grows",
        (file) => {
          nodeFs.appendFileSync(file, "\n")
          nodeFs.utimesSync(file, 1, 1)
        }
      ],
      ["is written again", (file) => nodeFs.utimesSync(file, 2, 2)],
      [
        "is replaced",
        (file) => {
          nodeFs.cpSync(file, `${file}.new`, { preserveTimestamps: true })
          nodeFs.renameSync(`${file}.new`, file)
        }
      ]
    ]
    it.effect.each(changes)("is refused if the file %s while it is read the second time", ([, change]) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const file = yield* fs.makeTempFileScoped()
        const line = (id: number) =>
          JSON.stringify({ id: gid("Product", id), title: "P", priceRange: { minVariantPrice: { amount: "1" } } })
        yield* fs.writeFileString(file, Array.from({ length: 5_000 }, (_, at) => line(at + 1)).join("\n"))
        // A time that a copy can have, too.
        nodeFs.utimesSync(file, 1, 1)
        const { chunks } = yield* FileReader.read([file], ofOneStore)
        let known = 0
        const failure = yield* Effect.flip(
          Stream.runForEach(chunks, ({ rows }) =>
            Effect.sync(() => {
              if (known === 0 && products(rows).length > 0) change(file)
              known += products(rows).length
            })
          )
        )
        assert.include(failure.message, `${file} has changed while it was read`)
        assert.isAbove(known, 1_000)
      }).pipe(Effect.scoped)
    )

    const Shuffle = Schema.Struct({
      products: Schema.Array(
        Schema.Struct({
          id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 120 })),
          variants: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })),
          hasImage: Schema.Boolean
        })
      ).check(Schema.isMinLength(1), Schema.isMaxLength(6)),
      places: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))).check(
        Schema.isMaxLength(4)
      ),
      newline: Schema.Literals(["\n", "\r\n", "\n\n"])
    })
    it.effect.prop(
      "gives the same products, however its lines are mixed",
      [Shuffle],
      ([{ newline, places, products: drawn }]) =>
        Effect.gen(function* () {
          const numbers = Array.from(new Map(drawn.map((product) => [product.id, product])).values())
          const written = numbers.flatMap(({ hasImage, id, variants }): ReadonlyArray<object> => {
            const __parentId = gid("Product", id)
            const one = (at: number) => ({ id: gid("ProductVariant", id * 10 + at), price: `${id}.0${at}`, __parentId })
            const metafield = { id: gid("Metafield", id), value: "x", __parentId: gid("ProductVariant", id * 10) }
            const image = { id: gid("MediaImage", id), image: { url: `https://x.example/${id}.jpg` }, __parentId }
            return [
              { id: __parentId, title: `P${id}`, handle: `p-${id}` },
              one(0),
              metafield,
              ...Array.from({ length: variants - 1 }, (_, at) => one(at + 1)),
              ...(hasImage ? [image] : [])
            ]
          })
          // Each place names a line that comes first or last instead.
          const mixed = places.reduce((lines: ReadonlyArray<object>, place, at) => {
            const moved = place % lines.length
            const others = lines.toSpliced(moved, 1)
            const line = lines.slice(moved, moved + 1)
            return at % 2 === 0 ? [...others, ...line] : [...line, ...others]
          }, written)
          const { rejects, rows, skipped } = yield* read(mixed.map((line) => JSON.stringify(line)).join(newline), {
            format: "bulk"
          })
          assert.deepStrictEqual({ rejects, skipped }, { rejects: [], skipped: numbers.length })
          assert.sameDeepMembers(
            products(rows).map(({ details, image_url, key, price }) => [
              key,
              price,
              image_url,
              (details?.variants ?? []).map(({ id }) => Number(id)).toSorted((a, b) => a - b)
            ]),
            numbers.map(({ hasImage, id, variants }) => [
              `p-${id}`,
              id,
              hasImage ? `https://x.example/${id}.jpg` : null,
              Array.from({ length: variants }, (_, at) => id * 10 + at)
            ])
          )
        })
    )

    it.effect("has no name in the temporary folder while it is read", () =>
      Effect.gen(function* () {
        const names = yield* temporaryNames
        const there: Array<string> = []
        const price = { minVariantPrice: { amount: "7.5", currencyCode: "EUR" } }
        const line = (id: number) =>
          JSON.stringify({ id: gid("Product", id), title: "P", priceRangeV2: price, note: "x".repeat(4_000) })
        const content = Array.from({ length: 1_000 }, (_, at) => line(at + 1)).join("\n")
        const onChunk = Effect.map(names, (names) => void there.push(...names))
        const { rows } = yield* read(content, {}, onChunk)
        assert.lengthOf(products(rows), 1_000)
        // The file that is read, which the test has written.
        assert.lengthOf(new Set(there), 1)
      })
    )

    it.effect.skipIf(process.platform !== "linux")(
      "closes the temporary file of each input before the next is read",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const folder = yield* fs.makeTempDirectoryScoped()
          const names = Array.from({ length: 5 }, (_, at) => `${folder}/${at}.jsonl`)
          for (const [at, name] of names.entries()) {
            const price = { minVariantPrice: { amount: "7.5", currencyCode: "EUR" } }
            yield* fs.writeFileString(
              name,
              JSON.stringify({ id: gid("Product", at + 1), title: "P", priceRangeV2: price })
            )
          }
          const set = yield* FileReader.read(names, { ...ofOneStore, format: "bulk" })
          const unnamed = Effect.gen(function* () {
            const open = yield* fs.readDirectory("/proc/self/fd")
            const targets = yield* Effect.forEach(open, (one) =>
              Effect.orElseSucceed(fs.readLink(`/proc/self/fd/${one}`), () => "")
            )
            return targets.filter((target) => target.includes("/discovery-import-")).length
          })
          const counts = yield* Stream.runCollect(Stream.mapEffect(set.chunks, () => unnamed))
          assert.deepStrictEqual(Array.from(new Set(counts)), [1])
          assert.strictEqual(yield* unnamed, 0)
        }).pipe(Effect.scoped)
    )

    const nested = [
      { id: gid("Product", 1), title: "Tray", handle: "tray" },
      { id: gid("ProductVariant", 11), price: "39.00", __parentId: gid("Product", 1) },
      { id: gid("Metafield", 111), key: "wood", value: "oak", __parentId: gid("ProductVariant", 11) },
      { id: gid("MediaImage", 112), image: { url: "https://x.example/v.jpg" }, __parentId: gid("ProductVariant", 11) },
      { namespace: "custom", value: "x", __parentId: gid("ProductVariant", 11) },
      { id: gid("Metafield", 12), value: "x", __parentId: gid("Product", 1) },
      { id: gid("Metaobject", 121), __parentId: gid("Metafield", 12) }
    ]
    it.effect.each([
      ["as they come", nested],
      ["the other way round", nested.toReversed()]
    ] as const)("leaves out what belongs to a part of a product: %s", ([, order]) =>
      Effect.gen(function* () {
        const content = order.map((line) => JSON.stringify(line)).join("\n")
        const { rejects, rows, skipped, wholeStores } = yield* read(content, { isComplete: true })
        assert.deepStrictEqual(
          { rejects, skipped, wholeStores },
          { rejects: [], skipped: 4, wholeStores: ["oakline.com"] }
        )
        assert.deepStrictEqual(
          products(rows).map(({ details, key, price }) => [key, price, details?.variants.length, details?.images]),
          [["tray", 39, 1, []]]
        )
      })
    )

    it.effect("states the currency of its prices", () =>
      Effect.gen(function* () {
        // More than there are parts of the file.
        const ids = Array.from({ length: 300 }, (_, at) => at + 1)
        const line = (currencyCode: string | null) => (id: number) =>
          JSON.stringify({
            id: gid("Product", id),
            title: `P${id}`,
            priceRangeV2: { minVariantPrice: { amount: "7.5", currencyCode } }
          })
        const stated = Effect.fnUntraced(function* (currencyCode: string | null, currency?: string) {
          const content = ids.map(line(currencyCode)).join("\n")
          const { rejects, rows } = yield* read(content, { store: { ...oakline, currency } })
          assert.lengthOf(rejects, 0)
          assert.lengthOf(products(rows), ids.length)
          assert.deepStrictEqual(
            shops(rows).map((shop) => [shop.domain, shop.country, shop.currency]),
            [["oakline.com", "DE", currency]]
          )
          return Array.from(new Set(rows.flatMap(({ currencies = [] }) => currencies)))
        })
        assert.deepStrictEqual(yield* stated("SEK"), ["SEK"])
        assert.deepStrictEqual(yield* stated("SEK", "EUR"), ["SEK"])
        assert.deepStrictEqual(yield* stated("crowns"), [])
        assert.deepStrictEqual(yield* stated(null), [])
      })
    )

    it.effect("reports what cannot be a price", () =>
      Effect.gen(function* () {
        const id = gid("Product", 1)
        const { kept, rejects, rows } = yield* read(
          [
            { id, title: "Tray", handle: "tray" },
            { id: gid("ProductVariant", 1), price: { amount: "1" }, __parentId: id }
          ]
            .map((line) => JSON.stringify(line))
            .join("\n")
        )
        assert.lengthOf(products(rows), 0)
        assert.match(rejects[0] ?? "", /^1 variants\.0\.price: /)
        assert.deepStrictEqual(
          kept.map(({ key }) => key),
          ["tray", "1"]
        )
      })
    )

    it.effect("finds the product of a line however it is written, and reports invalid lines", () =>
      Effect.gen(function* () {
        const id = gid("Product", 1)
        // A parent within a text does not count.
        const title = `,"__parentId":"${gid("Product", 9)}"}`
        const { rejects, rows } = yield* read(
          [
            JSON.stringify({ id, handle: "tray", title }),
            `{ "__parentId" : "${id}", "price": "3.00", "id": "${gid("ProductVariant", 1)}" }`,
            JSON.stringify({ price: "2.00", __parentId: id }),
            `{"id":"${gid("ProductVariant", 3)}","price":"1.00","__parent\\u0049d":"${id}"}`,
            `{"id":"${gid("ProductVariant", 4)}","price":,"__parentId":"${id}"}`,
            `["__parentId"]`,
            `{"title":"No id"}`,
            `{"id":"${gid("ProductVariant", 5)}","price":"0.50","__parentId":"${id}"`
          ].join("\n")
        )
        assert.deepStrictEqual(
          products(rows).map((product) => [
            product.key,
            product.title,
            product.price,
            product.details?.variants.length
          ]),
          [["tray", title, 1, 3]]
        )
        assert.deepStrictEqual(rejects.toSorted(), [
          "5 : is not JSON",
          "6 : must be a JSON object",
          "7 id: is required",
          "8 : the input ends in the middle of this record"
        ])
      })
    )
  })

  describe("ads of the Ad Library", () => {
    const ad = (changes: object = {}, snapshot: object = {}) => ({
      ad_archive_id: "123",
      page_id: "9",
      page_name: "Oakline ",
      is_active: true,
      start_date: 1_772_323_200,
      end_date: 1_782_000_000,
      ...changes,
      snapshot: {
        body: { text: "Buy now" },
        title: "A desk",
        cta_type: "SHOP_NOW",
        cta_text: "Shop now",
        display_format: "IMAGE",
        link_url: "https://oakline.com/desk",
        images: [{ original_image_url: "https://x.example/a.jpg" }],
        videos: [],
        cards: [],
        branded_content: null,
        ...snapshot
      }
    })
    const one = Effect.fnUntraced(function* (content: string | object) {
      const { rejects, rows } = yield* read(content)
      assert.deepStrictEqual(rejects, [])
      const [found] = ads(rows)
      assert.isDefined(found)
      return found
    })

    const inPage = (...edges: ReadonlyArray<object>) => ({
      data: { ad_library_main: { search_results_connection: { count: 0, edges, page_info: {} } } }
    })
    it.effect.each<readonly [what: string, content: string | object, format: string]>([
      ["a page of the library", inPage(), "ads"],
      ["a page of the library on several lines", JSON.stringify(inPage(), null, 2), "ads"],
      ["a page with an empty group", inPage({ node: { collated_results: [] } }), "ads"],
      ["pages, one a line", `${JSON.stringify(inPage())}\n${JSON.stringify(inPage())}\n`, "ads"],
      ["a list of pages", [inPage(), { results: [[]] }], "ads"],
      ["a page of the official API", { paging: { next: "x" }, data: [] }, "ads"],
      ["a collection of a storefront", { collection: { id: 1 }, products: [] }, "storefront"],
      ["a list", [], "empty"],
      ["a list with blanks", "\uFEFF \n[ ]\n", "empty"]
    ])("that are none: %s is a file without records", ([, content, expected]) =>
      Effect.gen(function* () {
        const { format, rejects, rows, wholeStores } = yield* read(content)
        assert.deepStrictEqual([format, rejects], [expected, []])
        assert.lengthOf(rows, expected === "storefront" ? 1 : 0)
        assert.lengthOf(wholeStores, expected === "storefront" ? 1 : 0)
      })
    )

    it.effect.each<readonly [what: string, content: object]>([
      ["an error", { errors: [{ message: "Rate limit exceeded" }], data: null }],
      ["an error within a page", { data: { ad_library_main: null } }],
      ["an empty object", {}],
      ["a list of something else", [[{ edges: 1 }]]]
    ])("that are none: %s is no page", ([, content]) =>
      Effect.gen(function* () {
        assert.match((yield* Effect.flip(read(content))).message, /is of no format that is known/)
      })
    )

    it.effect("have the format that the library names, in any casing", () =>
      Effect.gen(function* () {
        for (const type of ["video", "image", "carousel", "dco", "dpa"] as const) {
          for (const display_format of [type, type.toUpperCase()]) {
            assert.strictEqual((yield* one([ad({}, { display_format })])).media_type, type)
          }
        }
      })
    )

    it.effect("have the label of their call to action, by its type, whatever its text", () =>
      Effect.gen(function* () {
        const labels = {
          "Shop Now": ["SHOP_NOW", "BROWSE_SHOP", "SEE_SHOP"],
          "Learn More": ["LEARN_MORE", "FIND_OUT_MORE", "SEE_MORE"],
          "Buy Now": ["BUY_NOW", "BUY"],
          "Order Now": ["ORDER_NOW", "START_ORDER"],
          "Get Offer": ["GET_OFFER", "GET_OFFER_VIEW"],
          "Call Now": ["CALL_NOW", "CALL", "CALL_ME"],
          "View product": ["VIEW_PRODUCT", "SWIPE_UP_PRODUCT"],
          "Sign Up": ["SIGN_UP"],
          Download: ["DOWNLOAD", "MOBILE_DOWNLOAD"],
          "Watch More": ["WATCH_MORE", "WATCH_VIDEO"],
          "Contact Us": ["CONTACT_US", "CONTACT", "GET_IN_TOUCH"],
          "Book Now": ["BOOK_NOW", "BOOK_TRAVEL"],
          "Get Quote": ["GET_QUOTE", "GET_A_QUOTE"],
          Subscribe: ["SUBSCRIBE"]
        }
        assert.sameMembers(Object.keys(labels), Array.from(ctas))
        const types = [
          ...Object.entries(labels).flatMap(([label, types]) => types.map((type) => [type, label] as const)),
          ..."MESSAGE_PAGE WHATSAPP_MESSAGE INSTAGRAM_MESSAGE VIEW_INSTAGRAM_PROFILE INSTALL_MOBILE_APP APPLY_NOW PLAY_GAME BUY_TICKETS LIKE_PAGE NO_BUTTON"
            .split(" ")
            .map((type) => [type, null] as const)
        ]
        const { rows } = yield* read(
          types.map(([cta_type], at) => ad({ ad_archive_id: `${at}` }, { cta_type, cta_text: "Shop Now" }))
        )
        assert.deepStrictEqual(
          ads(rows).map(({ cta }, at) => [types[at]?.[0], cta]),
          types.map(([type, label]) => [type, label])
        )
      })
    )

    it.effect(
      "are not read from a table without their texts: whole snapshots in a cell, or those of the official API",
      () =>
        Effect.gen(function* () {
          for (const header of [
            "ad_archive_id,page_name,is_active,start_date,snapshot",
            "id,page_name,ad_snapshot_url"
          ]) {
            const table = csv(header, header.split(",").fill("1").join(","))
            assert.match((yield* Effect.flip(read(table))).message, /no format that is known/)
            assert.match((yield* Effect.flip(read(table, { format: "ads" }))).message, /no file of the format ads/)
          }
        })
    )

    it.effect("of a damaged document are read up to the damage, which is reported without the text around it", () =>
      Effect.gen(function* () {
        const token = "https://www.facebook.com/ads/archive/render_ad/?id=126&access_token=SECRET"
        const damaged = (end: string) => `{"data":[${JSON.stringify(ad())},{"id":"126"${end}`
        const ends = [
          [
            ` "ad_snapshot_url":"${token}"}]}`,
            "2 : is not JSON from here on: a comma or a closing bracket is expected"
          ],
          [`,"ad_snapshot_url" "${token}"}]}`, "2 : is not JSON from here on: a colon is expected"],
          [`,"ad_snapshot_url":"${token}","b":\n"${token}\n\\x"}]}`, "2 : is not JSON from here on: see byte "]
        ] as const
        for (const [end, reject] of ends) {
          const { rejects, rows } = yield* read(damaged(end))
          assert.lengthOf(ads(rows), 1)
          assert.lengthOf(rejects, 1)
          assert.include(rejects[0], reject)
          assert.notInclude(JSON.stringify([rows, rejects]), "SECRET")
        }
      })
    )
  })

  describe("named by --format", () => {
    const product = { id: 1, title: "Tray", variants: [{ price: "5.00" }] }
    const page = { products: [product] }
    const refused: ReadonlyArray<
      readonly [format: FormatName, what: string, content: string | object, message: RegExp]
    > = [
      ["products", "a storefront", page, /is JSON, and no file of the format products is: it looks like products of a/],
      ["shops", "lines", `${JSON.stringify(product)}\n${JSON.stringify(product)}`, /no file of the format shops is/],
      [
        "traffic",
        "an error",
        { errors: "Not found" },
        /no file of the format traffic is: it has `errors`\. Get the file/
      ],
      ["taxonomy", "a list", [{ name: "Desks" }], /is JSON, and no file of the format taxonomy is/],
      [
        "native",
        "a table",
        csv("domain,month,visits", "a.com,2026-06,1"),
        /is a table, and no .* native is one\. Leave/
      ],
      [
        "storefront",
        "an error",
        { errors: "Not found" },
        /no list and no record of the format storefront: it has `errors`/
      ],
      ["storefront", "an error in a page", { products: null, errors: [{ x: 1 }] }, /of the format storefront: it has/],
      [
        "storefront",
        "ads",
        { data: [{ id: "1", ad_snapshot_url: "x" }] },
        /: it looks like ads of .* Leave out --format/
      ],
      [
        "storefront",
        "a long document",
        { errors: [{ x: "-".repeat(300_000) }] },
        /no record of the format storefront: it has `errors`/
      ],
      ["ads", "a storefront", page, /of the format ads: it looks like products of a storefront/],
      ["ads", "an empty storefront", { products: [] }, /of the format ads: it looks like products of a storefront/],
      ["ads", "an error", { data: null, errors: [] }, /of the format ads: it has `data`, `errors`/],
      ["meta", "an error", { errors: "Not found" }, /of the format meta: it has `errors`/],
      ["bulk", "an error", { errors: "Not found" }, /of the format bulk: it has `errors`/],
      ["native", "an error", { errors: "Not found" }, /of the format native: it has `errors`/]
    ]
    it.effect.each(refused)("%s is refused for %s", ([format, , content, message]) =>
      Effect.gen(function* () {
        assert.match((yield* Effect.flip(read(content, { format }))).message, message)
      })
    )

    const noPrice = "1 variants: there are none, so that the product has no price"
    const taken: ReadonlyArray<
      readonly [format: FormatName, what: string, content: string | object, rejects: ReadonlyArray<string>]
    > = [
      ["storefront", "a page", page, []],
      ["storefront", "an empty page", { products: [] }, []],
      ["storefront", "an empty list", [], []],
      ["storefront", "a list under another name", { items: [{ type: "product", ...product }] }, []],
      ["storefront", "items that are not known", { products: [{ id: 1, title: "Tray" }] }, [noPrice]],
      [
        "storefront",
        "a long item",
        { products: [{ title: "Tray", body_html: "-".repeat(300_000), id: 1 }] },
        [noPrice]
      ],
      ["meta", "few facts", { name: "Oakline", domain: "oakline.com" }, []],
      ["ads", "ads without ids", { results: [[{ page_name: "A" }]] }, ["1 ad_archive_id: is required"]],
      ["ads", "an empty page", { data: { ad_library_main: { search_results_connection: { edges: [] } } } }, []],
      [
        "bulk",
        "a product with a bare number",
        { id: "1", title: "Tray", priceRangeV2: { minVariantPrice: { amount: "5" } } },
        []
      ]
    ]
    it.effect.each(taken)("%s is what a file with %s is read as", ([format, , content, rejects]) =>
      Effect.gen(function* () {
        const found = yield* read(content, { format })
        assert.deepStrictEqual({ format: found.format, rejects: found.rejects }, { format, rejects })
      })
    )
  })
})
