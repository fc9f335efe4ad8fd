/** Files of every format with values that no honest source writes, in any of their places. */
import type { RecordedField, RecordedFigure, storeFigures } from "../../src/domain/catalog/Figures.ts"
import type * as FileReader from "../../src/services/import/FileReader.ts"
import type { FormatName } from "../../src/services/import/formats/Format.ts"
import type { Mapping } from "../../src/services/import/formats/Mapping.ts"
import { defaults, oakline } from "./FileImports.ts"

/** A value as JSON and as a cell of a table have it. */
export interface Value {
  readonly what: string
  readonly json: string
  readonly cell: string
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
const ofText = (what: string, text: string): Value => ({ what, json: JSON.stringify(text), cell: quoted(text) })
const ofJson = (what: string, json: string): Value => ({ what, json, cell: quoted(json) })

export const values: ReadonlyArray<Value> = [
  ofText("the first half of a surrogate pair", "\uD800"),
  ofText("the second half of a surrogate pair", "\uDC00"),
  ofText("a surrogate pair in the wrong order", "a\uDE00\uD83Da"),
  ofText("half of an emoji within text", "Lamp \uD83D of oak"),
  ofText("U+0000", "\u0000"),
  ofText("U+0000 within text", "a\u0000b"),
  ofText("control characters", "a\u0001\u001B[31m\u007F\u0085b"),
  ofText("line breaks", "a\r\n\n\u2028b\u2029"),
  ofText("overrides of the direction", "\u202Egpj.exe\u2066"),
  ofText("nothing but invisible characters", "\u200B\u00AD\uFEFF"),
  ofText("characters that are none", "\uFFFE\uFFFF\u{10FFFF}"),
  ofText("a row of marks", `a${"\u0344".repeat(300)}`),
  ofText("text longer than an address", "x".repeat(2_049)),
  ofText("a row of digits", "9".repeat(400)),
  ofJson("an infinite number", "1e999"),
  ofJson("a huge number", "-1.7976931348623157e308"),
  ofJson("a number next to nothing", "5e-324"),
  ofJson("a number that is no safe integer", "9007199254740993"),
  ofJson("a number above 32 bits", "2147483648"),
  ofJson("less than nothing", "-0.5"),
  ofText("what is not a number", "NaN"),
  ofText("a number with an exponent", "1e5"),
  ofText("separators and signs", "$-1.2.3,4,5.6-,€.'"),
  ofText("a time after all times", "275760-09-13T00:00:01Z"),
  ofText("a time before all times", "-271821-04-19T23:59:59Z"),
  ofText("a day before the first", "0000-00-00"),
  ofText("a time whose offset leaves its year", "9999-12-31T23:59:59-23:59"),
  ofText("milliseconds of a far year", "9999999999999"),
  ofJson("a time that no date has", "8640000000000001"),
  ofText("an address without a host", "http://"),
  ofText("an address with a broken host", "http://[::1"),
  ofText("an address with half of a surrogate pair", "https://oakline.com/\uD800"),
  ofText("an address that is a script", "javascript:alert(1)"),
  ofText("an address with a user", "https://user:password@oakline.com/"),
  ofText("broken percent signs", "https://l.facebook.com/l.php?u=%E0%A4%A&u=%"),
  ofText("punycode of nothing", "xn--a.xn--0.com"),
  ofText("a template", "{{product.name}}{{"),
  ofText("markup with references to halves and U+0000", "<p title='>&#55296;&#xDC00;&#0;&#9999999;</p><script>"),
  ofText("the name of a prototype", "__proto__"),
  ofText("the name of a constructor", "constructor"),
  ofJson("an object with a prototype", `{"__proto__":{"text":"a"},"text":{}}`),
  ofJson("an object that is no text", `{"toString":1,"valueOf":{},"length":-1}`),
  ofJson("a list of everything", `[null,"\\ud800",[],{},1e999,"\\u0000",true]`),
  ofJson("an empty list", "[]"),
  ofJson("nothing", "null"),
  ofJson("true", "true"),
  ofText("empty text", ""),
  { what: "quotation marks within text", json: JSON.stringify(`'a"b`), cell: `a"b"c` },
  { what: "more cells", json: JSON.stringify("a,b;c\td|e"), cell: "a,b;c\td|e" }
]

/** More calls within calls than a stack has. */
const depth = 7_000

/** Values after which a file cannot always be read on, or that take long to read. */
export const worseValues: ReadonlyArray<Value> = [
  ofJson("lists within lists", `${"[".repeat(depth)}1${"]".repeat(depth)}`),
  ofJson("objects within objects", `${`{"data":`.repeat(depth)}1${"}".repeat(depth)}`),
  ofText("a path of many names", `a${".a".repeat(depth)}`),
  ofText("text longer than a description", "x".repeat(200_001)),
  ofText("a row of beginnings of a template", "{{".repeat(200_000)),
  ofText("a row of names of networks", "tiktok ".repeat(60_000)),
  ofText("a row of blanks within an address", `https://${"a".repeat(200_000)}${" ".repeat(200_000)}b`),
  { what: "a quotation mark without a second one", json: JSON.stringify(`"`), cell: `"a` }
]

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** Where a value may be in a record: the names and places that lead to it. */
export type Path = ReadonlyArray<string>

export interface Sample {
  readonly format: FormatName
  readonly name: string
  readonly paths: ReadonlyArray<Path>
  /** The text of the record with this number, with the values in their places. */
  readonly recordWith: (number: number, values: ReadonlyArray<readonly [Path, Value]>) => string
  readonly fileOf: (records: ReadonlyArray<string>) => string
  /** Whether a file may have many such records. */
  readonly hasRecords: boolean
  readonly options: FileReader.ReadOptions
}

/** Leads to a new name of an object. */
const newName = "(name)"

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)
const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !isList(value)

const pathsIn = (value: Json): ReadonlyArray<Path> => [
  [],
  ...Object.entries(isList(value) || isObject(value) ? value : {}).flatMap(([name, inner]) =>
    pathsIn(inner).map((path) => [name, ...path])
  ),
  ...(isObject(value) ? [[newName]] : [])
]

/** The value with the text in the place. A place within one that was replaced before is none any more. */
const put = (value: Json, [name, ...rest]: Path, text: string): Json => {
  if (name === undefined) return text
  if (isList(value)) return value.map((item, at) => (String(at) === name ? put(item, rest, text) : item))
  if (!isObject(value)) return value
  if (name === newName) return { ...value, [text]: 1 }
  return { ...value, [name]: put(value[name] ?? null, rest, text) }
}

/** `#` is the number of the record, so that each has its own key. */
const sampleOf =
  (textOf: (record: Json) => string, insert: (text: string, marker: string, value: Value) => string) =>
  (
    format: FormatName,
    name: string,
    record: Json,
    fileOf: Sample["fileOf"],
    options: Partial<FileReader.ReadOptions> & { readonly hasRecords?: boolean } = {}
  ): Sample => {
    const { hasRecords = true, ...reading } = options
    return {
      format,
      name,
      paths: pathsIn(record),
      recordWith: (number, values) => {
        const marked = values.reduce((whole, [path], at) => put(whole, path, `@${at}`), record)
        const text = textOf(marked).replaceAll("#", String(number))
        return values.reduce((whole, [, value], at) => insert(whole, `@${at}`, value), text)
      },
      fileOf,
      hasRecords,
      options: { ...defaults, store: oakline, ...reading }
    }
  }

/** A value that is no text cannot be a name: it gets one. */
const insertJson = (text: string, marker: string, { json }: Value): string =>
  text
    .replace(`"${marker}":1`, () => (json.startsWith(`"`) ? `${json}:1` : `"more":${json}`))
    .replace(`"${marker}"`, () => json)

const ofDocument = sampleOf((record) => JSON.stringify(record), insertJson)
/** As a cell of a table: a list with bars between its members. */
const cellOf = (value: Json): string => {
  if (isList(value)) return value.map(cellOf).join("|")
  if (typeof value === "string") return value
  return value === null ? "" : JSON.stringify(value)
}

const joinedBy = (separator: string) =>
  sampleOf(
    (record) => (isObject(record) ? Object.values(record).map(cellOf).join(separator) : cellOf(record)),
    (text, marker, { cell }) => text.replace(marker, () => cell)
  )
const ofRow = joinedBy(",")
const ofLine = joinedBy(" : ")

const lines = (records: ReadonlyArray<string>): string => records.map((record) => `${record}\n`).join("")
const listIn =
  (before: string, after: string): Sample["fileOf"] =>
  (records) =>
    `${before}${records.join(",")}${after}`

const details = {
  description_html: "<p>Holds pens.</p>",
  vendor: "Oakline",
  product_type: "Desk",
  tags: ["wood"],
  options: [{ name: "Size", values: ["S"] }],
  variants: [{ id: "1", title: "S", sku: "S1", price: 1, compare_at_price: 2, is_available: true, options: ["S"] }],
  images: [{ url: "https://cdn.example.com/1.jpg", width: 800, height: 600 }]
}
const shop = {
  domain: "oakline-#.com",
  name: "Oakline",
  country: "DE",
  currency: "EUR",
  languages: ["German"],
  pixels: ["TikTok"],
  social_networks: ["Instagram"],
  apps: ["Klaviyo"],
  theme: "Dawn",
  created_on: "2019-05-04",
  monthly_revenue: 1.5,
  monthly_orders: 2,
  products_count: 3,
  trustpilot_rating: 4.5,
  trustpilot_reviews: 5
} satisfies Readonly<Record<string, Json>> & Readonly<Record<RecordedField, number>>
const native: ReadonlyArray<{ readonly type: string; readonly [name: string]: Json }> = [
  { type: "niche", id: 1000, parent_id: null, name: "Home #" },
  { type: "category", name: "Lamps #", niche: 1000 },
  { type: "shop", ...shop, niche: 1000 },
  { type: "partial_shop", ...shop, categories: ["Lamps"] },
  { type: "traffic_month", shop: "oakline-#.com", month: "2026-05", visits: 5 },
  {
    type: "product",
    shop: "oakline.com",
    key: "tray-#",
    alias: "8101#",
    title: "Tray",
    url: "https://oakline.com/products/tray",
    image_url: "https://cdn.example.com/1.jpg",
    price: 1,
    created_at: "2025-03-02T09:11:40+01:00",
    details
  },
  {
    type: "ad",
    key: "9#",
    shop: "oakline.com",
    ad_archive_id: "9",
    page_name: "Oakline",
    status: "active",
    media_type: "image",
    headline: "Trays",
    ad_text: "Buy trays",
    cta: "Shop Now",
    landing_url: "https://oakline.com/",
    image_url: "https://cdn.example.com/2.jpg",
    ad_library_url: "https://www.facebook.com/ads/library/?id=9",
    started_on: "2026-05-01",
    last_seen_on: "2026-06-01",
    is_partnership: false
  },
  { type: "removed", record: "product", shop: "oakline.com", key: "old-#" }
]

const product = {
  id: "8101#",
  title: "Tray",
  handle: "tray-#",
  body_html: "<p>Holds pens.</p>",
  vendor: "Oakline",
  product_type: "Desk",
  tags: ["wood"],
  status: "active",
  created_at: "2025-03-02T09:11:40+01:00",
  variants: [
    {
      id: 91,
      title: "S",
      sku: "S1",
      price: "39.00",
      compare_at_price: "45.00",
      available: true,
      option1: "S",
      option2: "Oak",
      option3: null
    }
  ],
  images: [{ src: "//cdn.example.com/tray.jpg", width: 800, height: 600 }],
  options: [{ name: "Size", values: ["S"] }]
}
const meta = {
  id: 1,
  name: "Oakline",
  country: "DE",
  currency: "EUR",
  domain: "oakline-#.com",
  url: "https://oakline.com/",
  myshopify_domain: "oakline.myshopify.com",
  published_products_count: 2
}

const gid = (kind: string, id: string) => `gid://shopify/${kind}/${id}`
const bulkProduct = {
  id: gid("Product", "8101#"),
  handle: "tray-#",
  title: "Tray",
  descriptionHtml: "<p>Holds pens.</p>",
  createdAt: "2025-03-02T08:11:40Z",
  vendor: "Oakline",
  productType: "Desk",
  tags: ["wood"],
  status: "ACTIVE",
  options: [{ name: "Size", values: ["S"] }],
  priceRangeV2: { minVariantPrice: { amount: "39.0", currencyCode: "EUR" } },
  featuredImage: { url: "https://cdn.example.com/tray.jpg" }
}
const bulkVariant = {
  id: gid("ProductVariant", "91#"),
  title: "S",
  sku: "S1",
  price: "39.00",
  compareAtPrice: "45.00",
  availableForSale: true,
  selectedOptions: [{ name: "Size", value: "S" }],
  __parentId: gid("Product", "8101#")
}
const bulkImage = { image: { url: "https://cdn.example.com/b.jpg" }, __parentId: gid("Product", "8101#") }

const card = {
  title: "Tray",
  body: { markup: { __html: "Buy <b>trays</b>" } },
  link_url: "https://oakline.com/",
  original_image_url: "https://cdn.example.com/c.jpg"
}
const pageAd = {
  ad_archive_id: "9#",
  page_id: "77",
  page_name: "Oakline",
  is_active: true,
  start_date: 1_772_323_200,
  end_date: 1_782_000_000,
  snapshot: {
    page_id: "77",
    page_name: "Oakline",
    title: "{{product.name}}",
    body: { text: "Buy trays" },
    cta_type: "SHOP_NOW",
    cta_text: "Shop Now",
    display_format: "DCO",
    link_url: "https://l.facebook.com/l.php?u=https%3A%2F%2Foakline.com%2F",
    images: [{ original_image_url: "https://cdn.example.com/a.jpg" }],
    videos: [{ video_preview_image_url: "https://cdn.example.com/v.jpg" }],
    cards: [card],
    branded_content: null
  }
}
const archiveAd = {
  id: "9#",
  page_id: "77",
  page_name: "Oakline",
  ad_creation_time: "2026-05-01",
  ad_delivery_start_time: "2026-05-02",
  ad_delivery_stop_time: "2026-06-02",
  ad_creative_bodies: ["Buy trays"],
  ad_creative_link_titles: ["Trays"],
  ad_creative_link_captions: ["oakline.com"]
}

const wooTable = {
  ID: "#",
  Type: "simple",
  SKU: "A-#",
  Name: "Lamp",
  Published: "1",
  "Visibility in catalog": "visible",
  Description: "A lamp",
  "Date sale price starts": "2026-06-01",
  "In stock?": "1",
  "Sale price": "4.00",
  "Regular price": "5.00",
  Categories: "Home > Lamps, Sale",
  Tags: "oak, desk",
  Images: "https://cdn.example.com/a.jpg, https://cdn.example.com/b.jpg",
  Parent: "",
  "Attribute 1 name": "Size",
  "Attribute 1 value(s)": "S, M"
}

const feedTable = {
  id: "#",
  item_group_id: "g-#",
  title: "Lamp",
  description: "A lamp",
  link: "https://oakline.com/products/lamp-#?variant=1",
  image_link: "https://cdn.example.com/a.jpg",
  additional_image_link: "https://cdn.example.com/b.jpg",
  price: "5.00 EUR",
  sale_price: "4.00 EUR",
  sale_price_effective_date: "2026-06-01/2026-07-01",
  availability: "in stock",
  brand: "Oakline",
  google_product_category: "Home > Lamps",
  color: "Oak"
}

const productTable = {
  Handle: "tray-#",
  Title: "Tray",
  "Body (HTML)": "<p>Pens.</p>",
  Vendor: "Oakline",
  "Product Category": "Furniture > Desks",
  Type: "Desk",
  Tags: "wood",
  Status: "active",
  "Option1 Name": "Size",
  "Option1 Value": "S",
  "Variant SKU": "S1",
  "Variant Price": "39.00",
  "Variant Compare At Price": "45.00",
  "Image Src": "https://cdn.example.com/1.jpg"
}
const shopTable = {
  domain: "oakline-#.com",
  merchant_name: "Oakline",
  country_code: "DE",
  currency: "EUR",
  language_code: "de",
  categories: "/Home/Lamps",
  created: "2019-05-04",
  estimated_monthly_visits: "7",
  estimated_monthly_sales: "EUR 1.50",
  estimated_monthly_orders: "2",
  products_sold: "3",
  theme: "Dawn",
  installed_apps_names: "Klaviyo:Judge.me",
  technologies: "TikTok Pixel",
  trustpilot_avgrating: "4.5",
  trustpilot_reviews: "5",
  instagram_url: "https://instagram.com/oakline"
} satisfies Readonly<Record<string, string>> &
  Readonly<Record<(typeof storeFigures)[RecordedFigure]["recorded"]["columns"][0], string>>
const adTable = {
  ad_archive_id: "9#",
  page_id: "77",
  page_name: "Oakline",
  is_active: "true",
  start_date: "1772323200",
  "snapshot.title": "Trays",
  "snapshot/body/text": "Buy trays",
  "snapshot.cta_type": "SHOP_NOW",
  "snapshot.link_url": "https://oakline.com/",
  "snapshot.images.0.original_image_url": "https://cdn.example.com/a.jpg"
}

/** The rows of a table, and its header. */
const ofTable = (
  format: FormatName,
  name: string,
  table: Readonly<Record<string, string>>,
  options: Partial<FileReader.ReadOptions> = {}
): ReadonlyArray<Sample> => {
  const header = Object.keys(table)
  const rows = (records: ReadonlyArray<string>) => lines([header.join(","), ...records])
  const row = ofRow(format, name, table, rows, options)
  const names = Object.fromEntries(header.map((column) => [column, column]))
  const whole = ([first = ""]: ReadonlyArray<string>) => lines([first, row.recordWith(1, []), row.recordWith(2, [])])
  return [row, ofRow(format, `the header of ${name}`, names, whole, { ...options, hasRecords: false })]
}

/** A map that reads every field from the column or the value of its name. */
const mapped = (record: Mapping["record"], type: string): ReadonlyArray<Sample> => {
  const { type: _, details: __, ...fields } = native.find((one) => one.type === type) ?? { type }
  const mapping: Mapping = {
    record,
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, { column: name, optional: true }]))
  }
  const cells = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cellOf(value)]))
  return [
    ofDocument("map", `objects with a map of ${type}`, fields, lines, { mapping }),
    ...ofTable("map", `a table with a map of ${type}`, cells, { mapping })
  ]
}

/** A line of a bulk operation that belongs to the product before it. */
const ofPart = sampleOf((part) => `${JSON.stringify(bulkProduct)}\n${JSON.stringify(part)}`, insertJson)

export const samples: ReadonlyArray<Sample> = [
  ...native.map((record) => ofDocument("native", `native ${record.type}`, record, lines)),
  ofDocument("storefront", "products.json", product, listIn(`{"products":[`, "]}")),
  ofDocument("storefront", "pages of products.json", { products: [product] }, lines),
  ofDocument("meta", "meta.json", meta, lines),
  ...ofTable("products", "a merchant's export", productTable),
  ...ofTable("woocommerce", "an export of WooCommerce", wooTable),
  ...ofTable("catalog", "a feed of a catalog", feedTable),
  ofDocument("bulk", "a product of a bulk operation", bulkProduct, lines),
  ofPart("bulk", "a variant of a bulk operation", bulkVariant, lines),
  ofPart("bulk", "a picture of a bulk operation", bulkImage, lines),
  ofDocument("ads", "ads of the library", pageAd, listIn("[", "]")),
  ofDocument("ads", "ads of ads_archive", archiveAd, listIn(`{"data":[`, "]}")),
  ...ofTable("ads", "a table of ads", adTable),
  ...ofTable("shops", "a list of stores", shopTable),
  ...ofTable("traffic", "visits", { domain: "oakline-#.com", month: "2026-05", visits: "5" }),
  ...ofTable("traffic", "visits in columns", { domain: "oakline-#.com", "2026-05": "5", "2026-06": "6" }),
  ofLine("taxonomy", "the taxonomy", { id: "gid://shopify/TaxonomyCategory/fr-#", path: "Furniture > Desks #" }, lines),
  ...mapped("shop", "partial_shop"),
  ...mapped("product", "product"),
  ...mapped("ad", "ad"),
  ...mapped("traffic_month", "traffic_month"),
  ofDocument("empty", "a page without products", { products: [], more: 1 }, lines, { hasRecords: false }),
  ofDocument("empty", "a list of pages without ads", { data: [{ edges: [] }] }, listIn("[", "]"), {
    hasRecords: false
  }),
  ofDocument("empty", "an empty list", [], ([text = ""]) => text, { hasRecords: false })
]
