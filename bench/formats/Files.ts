/** A file of each format, as long as is wanted. */
import * as AdFiles from "./AdFiles.ts"
import * as ProductFiles from "./ProductFiles.ts"
import * as TableFiles from "./TableFiles.ts"

export type Bare =
  | { readonly _tag: "Csv" }
  | { readonly _tag: "Json"; readonly path: string }
  | { readonly _tag: "Lines" }
  | { readonly _tag: "Text" }

export interface Format {
  readonly label: string
  /** Its name says whose products it has. */
  readonly file: string
  readonly bare: Bare
  /** How many things are in a file that is read in about a second. */
  readonly count: number
  /** Pieces of the file: those that come before, for each thing, and behind. */
  readonly text: (count: number) => Generator<string>
  /** Of a table that no format is known of. */
  readonly map?: object
}

const csv = { _tag: "Csv" } as const
const json = (path: string) => ({ _tag: "Json", path }) as const
const lines = { _tag: "Lines" } as const

const products: ReadonlyArray<Format> = [
  {
    label: "products.json of a storefront",
    file: "oakline.com.json",
    bare: json("$.products.*"),
    count: 5_000,
    text: ProductFiles.storefront
  },
  {
    label: "products of the admin interface",
    file: "oakline.com.json",
    bare: json("$.*"),
    count: 4_000,
    text: ProductFiles.admin
  },
  {
    label: "a merchant's export",
    file: "oakline.com.csv",
    bare: csv,
    count: 10_000,
    text: ProductFiles.merchantExport
  },
  {
    label: "a merchant's export, newer header",
    file: "oakline.com.csv",
    bare: csv,
    count: 10_000,
    text: ProductFiles.newerMerchantExport
  },
  { label: "a bulk operation", file: "oakline.com.jsonl", bare: lines, count: 10_000, text: ProductFiles.bulk }
]

const ads: ReadonlyArray<Format> = [
  {
    label: "a page of the Ad Library",
    file: "ads.json",
    bare: json("$.data.ad_library_main.search_results_connection.edges.*"),
    count: 12_000,
    text: AdFiles.page
  },
  {
    label: "an older page of the Ad Library",
    file: "ads.json",
    bare: json("$.results.*"),
    count: 12_000,
    text: AdFiles.olderPage
  },
  { label: "a list of ads", file: "ads.json", bare: json("$.*"), count: 12_000, text: AdFiles.list },
  { label: "a table of ads", file: "ads.csv", bare: csv, count: 12_000, text: AdFiles.table },
  { label: "ads_archive", file: "ads.json", bare: json("$.data.*"), count: 20_000, text: AdFiles.archive }
]

const tables: ReadonlyArray<Format> = [
  { label: "a list of stores", file: "stores.csv", bare: csv, count: 30_000, text: TableFiles.stores },
  { label: "a list of ratings", file: "ratings.csv", bare: csv, count: 100_000, text: TableFiles.ratings },
  { label: "visits, a column a month", file: "visits.csv", bare: csv, count: 40_000, text: TableFiles.traffic },
  { label: "visits, a row a month", file: "visits.csv", bare: csv, count: 40_000, text: TableFiles.monthlyTraffic },
  { label: "the taxonomy", file: "categories.txt", bare: { _tag: "Text" }, count: 100_000, text: TableFiles.taxonomy },
  {
    label: "a table of stores with a map",
    file: "mapped.csv",
    bare: csv,
    count: 40_000,
    text: TableFiles.mapped,
    map: {
      record: "shop",
      fields: {
        domain: { column: "Website" },
        name: { column: "Company" },
        country: { column: "Land" },
        monthly_revenue: { column: "Umsatz", as: "money", form: "1.234,56" },
        created_on: { column: "Seit", as: "date", form: "DD.MM.YYYY" },
        apps: { column: "Apps", as: "list", separator: "|" }
      }
    }
  }
]

export const formats: ReadonlyArray<Format> = [
  { label: "records of this catalog", file: "native.ndjson", bare: lines, count: 25_000, text: ProductFiles.native },
  ...products,
  ...ads,
  ...tables
]
