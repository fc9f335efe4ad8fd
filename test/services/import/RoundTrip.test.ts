import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Schema, Stream } from "effect"
import * as zlib from "node:zlib"
import type { AdRecord, ProductRecord } from "../../../src/domain/catalog/Records.ts"
import * as FileReader from "../../../src/services/import/FileReader.ts"
import type * as Mapping from "../../../src/services/import/formats/Mapping.ts"
import type { ImportRow } from "../../../src/services/import/ImportSource.ts"
import { defaults, oakline } from "../../support/FileImports.ts"
import { zipOf } from "../../support/Zip.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const upTo = <S extends Schema.Top>(schema: S, least: number, most: number) =>
  Schema.Array(schema).check(Schema.isMinLength(least), Schema.isMaxLength(most))

/** How files are compressed and written, and where records are split into several files: each cut is a share of the records. */
const Style = Schema.Struct({
  encoding: Schema.Literals(["UTF-8", "with a mark", "UTF-16LE", "UTF-16BE"]),
  packing: Schema.Literals(["none", "gzip", "zstd", "zip"]),
  delimiter: Schema.Literals([",", ";", "\t", "|"]),
  newline: Schema.Literals(["\n", "\r\n"]),
  endsLine: Schema.Boolean,
  isQuoted: Schema.Boolean,
  isNew: Schema.Boolean,
  isReversed: Schema.Boolean,
  cuts: upTo(int(0, 100), 0, 2)
})
type Style = typeof Style.Type

const encode = (text: string, { encoding }: Style): Buffer => {
  if (encoding === "UTF-8") return Buffer.from(text)
  if (encoding === "with a mark") return Buffer.from(`\uFEFF${text}`)
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le")
  return encoding === "UTF-16BE" ? bytes.swap16() : bytes
}

const pack = (bytes: Buffer, { packing }: Style): Uint8Array => {
  switch (packing) {
    case "none":
      return bytes
    case "gzip":
      return zlib.gzipSync(bytes)
    case "zstd":
      return zlib.zstdCompressSync(bytes)
    case "zip":
      return zipOf({ "inner.txt": bytes })
  }
}

/** The records split into files at the cuts, each written by `write`. */
const filesOf = <A>(records: ReadonlyArray<A>, style: Style, write: (records: ReadonlyArray<A>) => string) => {
  const places = style.cuts.map((cut) => Math.round((cut / 100) * records.length)).toSorted((a, b) => a - b)
  return [0, ...places]
    .map((from, at) => records.slice(from, places[at] ?? records.length))
    .filter((part) => part.length > 0)
    .map((part) => pack(encode(write(part), style), style))
}

const read = Effect.fnUntraced(function* (contents: ReadonlyArray<Uint8Array>, mapping?: Mapping.Mapping) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const names: Array<string> = []
  for (const [at, content] of contents.entries()) {
    names.push(`${folder}/${at}`)
    yield* fs.writeFile(`${folder}/${at}`, content)
  }
  const set = yield* FileReader.read(names, { ...defaults, mapping, store: oakline })
  const chunks = yield* Stream.runCollect(set.chunks)
  assert.deepStrictEqual(
    chunks.flatMap(({ rejects }) => rejects),
    []
  )
  return chunks.flatMap(({ rows }) => rows)
}, Effect.scoped)

const recordsOf = (rows: ReadonlyArray<ImportRow>, type: ImportRow["record"]["type"]) =>
  rows.flatMap(({ record }) => (record.type === type ? [record] : []))

const cell = (value: string, { delimiter, isQuoted }: Style) =>
  isQuoted || value.includes(delimiter) || /["\r\n]/u.test(value) ? `"${value.replaceAll('"', '""')}"` : value

/** A table of records with the same columns, and an unused one. */
const table = (rows: ReadonlyArray<Readonly<Record<string, string>>>, style: Style): string => {
  const own = [...new Set(rows.flatMap((row) => Object.keys(row))), "Note"]
  const columns = style.isReversed ? own.toReversed() : own
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name] ?? (name === "Note" ? "x" : "")))]
  const text = lines.map((cells) => cells.map((value) => cell(value, style)).join(style.delimiter)).join(style.newline)
  return style.endsLine ? text + style.newline : text
}

const lines = (records: ReadonlyArray<object>, { endsLine, newline }: Style): string =>
  records.map((record) => JSON.stringify(record)).join(newline) + (endsLine ? newline : "")

const Words = upTo(
  Schema.Literals(["oak", "Größe", '"quoted"', "a,b", "c;d", "e|f", "<b>", "日本", "😀", "it's", "=1", "{}"]),
  1,
  4
).pipe(Schema.annotate({ description: "words of a text" }))
const Variant = Schema.Struct({ cents: int(0, 99_999_999), sku: Words, isReduced: Schema.Boolean })
const Product = Schema.Struct({
  title: Words,
  body: Words,
  vendor: Words,
  tags: upTo(Schema.Literals(["oak", "Holz", "日本", "two words"]), 0, 3),
  variants: upTo(Variant, 1, 3),
  images: int(0, 4)
})
const Products = upTo(Product, 1, 4)
type Product = typeof Product.Type

const text = (words: ReadonlyArray<string>) => words.join(" ")
const price = (cents: number) => (cents / 100).toFixed(2)
const handle = (at: number) => `p-${at}-é`
const image = (at: number, number: number) => `https://x.example/${at}/${number}.jpg`
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const body = (words: ReadonlyArray<string>) => `<p>\n${text(words)}</p>`
const createdAt = "2025-03-02T08:11:40.000Z"

/** A product in the form of each format. `ids`: the format has the platform's ids and the time of creation. */
const productRecord = (
  { images, tags, title, variants, ...product }: Product,
  at: number,
  ids: boolean
): ProductRecord => ({
  type: "product",
  shop: "oakline.com",
  key: handle(at),
  alias: ids ? `${at + 1}` : null,
  title: text(title),
  url: `https://oakline.com/products/${encodeURIComponent(handle(at))}`,
  image_url: images === 0 ? null : image(at, 0),
  price: Math.min(...variants.map(({ cents }) => cents)) / 100,
  created_at: ids ? createdAt : null,
  details: {
    description_html: body(product.body),
    vendor: text(product.vendor),
    product_type: "Desk",
    tags: Array.from(new Set(tags)),
    options: [{ name: "Size", values: variants.map((_, number) => `S ${number}`) }],
    variants: variants.map(({ cents, isReduced, sku }, number) => ({
      id: ids ? `${at * 10 + number}` : null,
      title: `S ${number}`,
      sku: text(sku),
      price: cents / 100,
      compare_at_price: isReduced ? (cents + 100) / 100 : null,
      is_available: ids ? true : null,
      options: [`S ${number}`]
    })),
    images: numbers(images).map((number) => ({ url: image(at, number), width: null, height: null }))
  }
})

const inStorefront = ({ images, tags, title, variants, ...product }: Product, at: number) => ({
  id: at + 1,
  title: text(title),
  handle: handle(at),
  body_html: body(product.body),
  created_at: "2025-03-02T09:11:40+01:00",
  vendor: text(product.vendor),
  product_type: "Desk",
  tags,
  variants: variants.map(({ cents, isReduced, sku }, number) => ({
    id: at * 10 + number,
    title: `S ${number}`,
    sku: text(sku),
    price: price(cents),
    compare_at_price: isReduced ? price(cents + 100) : null,
    available: true,
    option1: `S ${number}`,
    option2: null
  })),
  images: numbers(images).map((number) => ({ src: image(at, number) })),
  options: [{ name: "Size", values: variants.map((_, number) => `S ${number}`) }]
})

/** The rows of a product: one per variant, of which the first describes the product, and one per further image. */
const inExport = (
  { images, tags, title, variants, ...product }: Product,
  at: number,
  isNew: boolean,
  repeatsTitle: boolean
) =>
  numbers(Math.max(variants.length, images)).map((number) => {
    const variant = variants[number]
    const name = (old: string, other: string) => (isNew ? other : old)
    return {
      [name("Handle", "URL handle")]: handle(at),
      Title: number === 0 || repeatsTitle ? text(title) : "",
      [name("Body (HTML)", "Description")]: number === 0 ? body(product.body) : "",
      Vendor: number === 0 ? text(product.vendor) : "",
      Type: number === 0 ? "Desk" : "",
      Tags: number === 0 ? tags.join(", ") : "",
      [name("Option1 Name", "Option1 name")]: number === 0 ? "Size" : "",
      [name("Option1 Value", "Option1 value")]: variant === undefined ? "" : `S ${number}`,
      [name("Variant SKU", "SKU")]: variant === undefined ? "" : text(variant.sku),
      [name("Variant Price", "Price")]: variant === undefined ? "" : price(variant.cents),
      [name("Variant Compare At Price", "Compare-at price")]:
        variant === undefined || !variant.isReduced ? "" : price(variant.cents + 100),
      [name("Image Src", "Product image URL")]: number < images ? image(at, number) : "",
      Status: number === 0 ? "active" : ""
    }
  })

const inBulk = ({ images, tags, title, variants, ...product }: Product, at: number, isReversed: boolean) => {
  const id = `gid://shopify/Product/${at + 1}`
  const own = {
    id,
    title: text(title),
    handle: handle(at),
    descriptionHtml: body(product.body),
    createdAt: "2025-03-02T08:11:40Z",
    status: "ACTIVE",
    vendor: text(product.vendor),
    productType: "Desk",
    tags,
    options: [{ name: "Size", values: variants.map((_, number) => `S ${number}`) }]
  }
  const children = [
    ...variants.map(({ cents, isReduced, sku }, number) => ({
      id: `gid://shopify/ProductVariant/${at * 10 + number}`,
      title: `S ${number}`,
      sku: text(sku),
      price: price(cents),
      compareAtPrice: isReduced ? price(cents + 100) : null,
      availableForSale: true,
      selectedOptions: [{ name: "Size", value: `S ${number}` }],
      __parentId: id
    })),
    ...numbers(images).map((number) => ({
      id: `gid://shopify/MediaImage/${at}${number}`,
      image: { url: image(at, number) },
      __parentId: id
    }))
  ]
  return isReversed ? [...children, own] : [own, ...children]
}

const Ad = Schema.Struct({
  page: Words,
  title: Words,
  body: Words,
  isActive: Schema.Boolean,
  day: int(10, 28),
  media: Schema.Literals(["video", "image", "carousel"]),
  cta: Schema.Literals(["Shop Now", "Learn More", "View product"]),
  hasImage: Schema.Boolean,
  isPartnership: Schema.Boolean
})
type Ad = typeof Ad.Type

const adRecord = (
  { cta, day, hasImage, isActive, isPartnership, media, page, title, ...ad }: Ad,
  at: number
): AdRecord => ({
  type: "ad",
  key: `${at + 1}`,
  shop: null,
  ad_archive_id: `${at + 1}`,
  page_name: text(page),
  status: isActive ? "active" : "inactive",
  media_type: media,
  headline: text(title),
  ad_text: text(ad.body),
  cta,
  landing_url: `https://oakline.com/${at}`,
  image_url: hasImage ? image(at, 0) : null,
  ad_library_url: `https://www.facebook.com/ads/library/?id=${at + 1}`,
  started_on: `2026-05-${day}`,
  last_seen_on: "2026-06-28",
  is_partnership: isPartnership
})

const seconds = (day: string) => Date.parse(day) / 1000

const inLibrary = ({ cta, day, hasImage, isActive, isPartnership, media, page, title, ...ad }: Ad, at: number) => ({
  ad_archive_id: `${at + 1}`,
  page_id: "9",
  page_name: text(page),
  is_active: isActive,
  start_date: seconds(`2026-05-${day}`),
  end_date: seconds("2026-06-28"),
  snapshot: {
    title: text(title),
    body: { text: text(ad.body) },
    cta_type: cta.toUpperCase().replaceAll(" ", "_"),
    display_format: media.toUpperCase(),
    link_url: `https://oakline.com/${at}`,
    images: hasImage ? [{ original_image_url: image(at, 0) }] : [],
    branded_content: isPartnership ? { page_name: "Partner" } : null
  }
})

const camelCase = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(camelCase)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name === "ad_archive_id"
        ? "adArchiveID"
        : name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
      camelCase(inner)
    ])
  )
}

const flat = (value: unknown, path = ""): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
    ? Object.assign(
        {},
        ...Object.entries(value).map(([name, inner]) => flat(inner, path === "" ? name : `${path}.${name}`))
      )
    : { [path]: value }

const Store = Schema.Struct({
  name: Words,
  country: Schema.Literals(["DE", "US"]),
  cents: int(0, 999_999_999),
  day: int(10, 28),
  visits: int(0, 2_000_000_000),
  apps: upTo(Schema.Literals(["Klaviyo", "Judge.me", "Ünïcode App"]), 1, 3)
})
type Store = typeof Store.Type
const domain = (at: number) => `store-${at}.com`

const shopRecord = ({ apps, cents, country, day, name }: Store, at: number) => ({
  type: "partial_shop" as const,
  domain: domain(at),
  name: text(name),
  country,
  currency: "USD",
  created_on: `2020-05-${day}`,
  monthly_revenue: cents / 100,
  apps: Array.from(new Set(apps))
})
/** With thousands, such as `1,234.50`. */
const grouped = (cents: number) =>
  `${Math.floor(cents / 100).toLocaleString("en-US")}.${String(cents % 100).padStart(2, "0")}`

layer(NodeServices.layer)("random catalogs, written and read again", (it) => {
  it.effect.prop("as products of storefronts", [Products, Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const written = filesOf(drawn.map(inStorefront), style, (products) => JSON.stringify({ products }))
      assert.deepStrictEqual(
        recordsOf(yield* read(written), "product"),
        drawn.map((product, at) => productRecord(product, at, true))
      )
    })
  )

  it.effect.prop("as merchants' exports", [Products, Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const rows = drawn.flatMap((product, at) => inExport(product, at, style.isNew, style.isReversed))
      const written = filesOf(rows, style, (rows) => table(rows, style))
      assert.deepStrictEqual(
        recordsOf(yield* read(written), "product"),
        drawn.map((product, at) => productRecord(product, at, false))
      )
    })
  )

  it.effect.prop("as results of bulk operations", [Products, Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const parts = drawn.map((product, at) => inBulk(product, at, style.isReversed))
      const written = filesOf(parts, style, (products) => lines(products.flat(), style))
      const found = recordsOf(yield* read(written), "product")
      // Their order differs.
      assert.sameDeepMembers(
        found,
        drawn.map((product, at) => productRecord(product, at, true))
      )
    })
  )

  it.effect.prop(
    "as ads of the library, in both casings, flattened or in lines",
    [upTo(Ad, 1, 4), Style],
    ([drawn, style]) =>
      Effect.gen(function* () {
        const ads = drawn.map(inLibrary).map((ad) => (style.isNew ? camelCase(ad) : ad))
        const written = filesOf(ads, style, (ads) =>
          style.isReversed
            ? JSON.stringify({ results: ads.map((ad) => [ad]) })
            : style.isQuoted
              ? lines(
                  ads.map((ad) => flat(ad)),
                  { ...style, endsLine: true }
                )
              : JSON.stringify(ads)
        )
        assert.deepStrictEqual(
          recordsOf(yield* read(written), "library_ad").map((record) =>
            record.type === "library_ad" ? record.ad : record
          ),
          drawn.map(adRecord)
        )
      })
  )

  it.effect.prop("as tables of ads of the library, in both casings", [upTo(Ad, 1, 4), Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const rows = drawn
        .map(inLibrary)
        .map((ad) => flat(style.isNew ? camelCase(ad) : ad))
        .map((ad) =>
          Object.fromEntries(
            Object.entries(ad).map(([name, value]) => [
              name,
              value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)
            ])
          )
        )
      const written = filesOf(rows, style, (part) => table(part, style))
      assert.deepStrictEqual(
        recordsOf(yield* read(written), "library_ad").map((record) =>
          record.type === "library_ad" ? record.ad : record
        ),
        drawn.map(adRecord)
      )
    })
  )

  it.effect.prop("as lists of stores and of visits", [upTo(Store, 1, 4), Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const stores = drawn.map(({ apps, cents, country, day, name, visits }, at) => ({
        domain: domain(at),
        merchant_name: text(name),
        country_code: country,
        currency: "USD",
        created: `2020/05/${day}`,
        estimated_monthly_sales: `USD $${grouped(cents)}`,
        estimated_monthly_visits: String(visits),
        installed_apps_names: apps.join(":")
      }))
      const months = drawn.map(({ visits }, at) => ({ domain: domain(at), "2026-01": String(visits), "2026-02": "" }))
      const found = yield* read([
        ...filesOf(stores, style, (part) => table(part, style)),
        ...filesOf(months, style, (part) => table(part, style))
      ])
      assert.deepStrictEqual(recordsOf(found, "partial_shop"), drawn.map(shopRecord))
      const month = (month: string) =>
        drawn.map(({ visits }, at) => ({ type: "traffic_month" as const, shop: domain(at), month, visits }))
      assert.deepStrictEqual(recordsOf(found, "traffic_month"), [...month("2026-06"), ...month("2026-01")])
    })
  )

  it.effect.prop("as tables that a map reads, and as rows of visits", [upTo(Store, 1, 4), Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const stores = drawn.map(({ apps, cents, country, day, name }, at) => ({
        Site: `https://www.${domain(at)}/about`,
        Name: text(name),
        Land: country,
        Since: `${day}.05.2020`,
        Sales: grouped(cents).replaceAll(/[,.]/gu, (sign) => (sign === "," ? "." : ",")),
        Apps: apps.join("|")
      }))
      const mapped = yield* read(
        filesOf(stores, style, (part) => table(part, style)),
        {
          record: "shop",
          fields: {
            domain: { column: "Site" },
            name: { column: "Name" },
            country: { column: "Land" },
            currency: { constant: "USD" },
            created_on: { column: "Since", form: "DD.MM.YYYY" },
            monthly_revenue: { column: "Sales", form: "1.234,56" },
            apps: { column: "Apps", separator: "|" }
          }
        }
      )
      assert.deepStrictEqual(recordsOf(mapped, "partial_shop"), drawn.map(shopRecord))
      const visits = drawn.map(({ visits }, at) => ({ domain: domain(at), month: "2026-01", visits: String(visits) }))
      assert.deepStrictEqual(
        recordsOf(yield* read(filesOf(visits, style, (part) => table(part, style))), "traffic_month"),
        drawn.map(({ visits }, at) => ({ type: "traffic_month" as const, shop: domain(at), month: "2026-01", visits }))
      )
    })
  )

  it.effect.prop("as records of this catalog and as a taxonomy", [Products, Style], ([drawn, style]) =>
    Effect.gen(function* () {
      const records = drawn.map((product, at) => productRecord(product, at, true))
      const niches = drawn.map((_, at) => ({
        type: "taxonomy_niche" as const,
        key: `gid://shopify/TaxonomyCategory/a-${at}`,
        path: ["A", `B ${at}`]
      }))
      const found = yield* read([
        ...filesOf(records, style, (part) => lines(part, style)),
        ...filesOf(niches, style, (part) =>
          part.map(({ key, path }) => `${key} : ${path.join(" > ")}${style.newline}`).join("")
        )
      ])
      assert.deepStrictEqual(
        found.map(({ record }) => record),
        [...records, ...niches]
      )
    })
  )
})
