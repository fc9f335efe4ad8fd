/** Lists the columns or names that each format reads, for `import --explain`. */
import { byField } from "../../../domain/catalog/Figures.ts"
import { adsIn } from "./AdRecords.ts"
import * as BulkProducts from "./BulkProducts.ts"
import * as CatalogFeed from "./CatalogFeed.ts"
import { foreign, snakeCase, unflatten } from "./Foreign.ts"
import type { Detected } from "./Format.ts"
import { fieldsOf } from "./MapFields.ts"
import type { Mapping } from "./Mapping.ts"
import * as ProductCsv from "./ProductCsv.ts"
import * as Sample from "./Sample.ts"
import * as ShopCsv from "./ShopCsv.ts"
import * as Traffic from "./Traffic.ts"
import * as WooCommerce from "./WooCommerce.ts"

export interface UsedColumn {
  /** The field of the record. */
  readonly field: string
  /** A column of the file; "" if the value is a constant. */
  readonly column: string
  readonly how: string
}

export interface Account {
  readonly taken: ReadonlyArray<UsedColumn>
  readonly dropped: ReadonlyArray<string>
}

type Row = readonly [column: string, field: string, how: string]

const storefront: ReadonlyArray<Row> = [
  ["handle", "key", "text; without one the id"],
  ["handle", "url", "the store's page of it"],
  ["id", "alias", "text"],
  ["title", "title", "text"],
  ["variants.price", "price", "the lowest"],
  ["images.src", "image_url", "the first"],
  ["created_at", "created_at", "time"],
  ["body_html", "details.description_html", "text"],
  ["vendor", "details.vendor", "text"],
  ["product_type", "details.product_type", "text; the niche of the store may follow from it"],
  ["tags", "details.tags", "list"],
  ["options.name", "details.options", "text"],
  ["options.values", "details.options", "list"],
  ...["id", "title", "sku", "price", "compare_at_price", "available", "option1", "option2", "option3"].map(
    (name): Row => [`variants.${name}`, "details.variants", "as it is"]
  ),
  ["images.width", "details.images", "number"],
  ["images.height", "details.images", "number"],
  ["status", "(none)", "drafts, archived and unlisted products are left out"],
  ["published_at", "(none)", "without a time, the product is left out"]
]

const bulk: ReadonlyArray<Row> = [
  ["id", "alias", "its number"],
  ["__parentId", "(none)", "joins variants and images to their product"],
  ["handle", "key", "text; without one the id"],
  ["title", "title", "text"],
  ["price", "price", "the lowest"],
  ["priceRangeV2.minVariantPrice.amount", "price", "where there are no variants"],
  ["priceRangeV2.minVariantPrice.currencyCode", "currency", "of the store, where no option and no meta.json states it"],
  ["createdAt", "created_at", "time"],
  ["descriptionHtml", "details.description_html", "text"],
  ["bodyHtml", "details.description_html", "text"],
  ["vendor", "details.vendor", "text"],
  ["productType", "details.product_type", "text; the niche of the store may follow from it"],
  ["tags", "details.tags", "list"],
  ["options", "details.options", "as it is"],
  ["sku", "details.variants", "text"],
  ["compareAtPrice", "details.variants", "money"],
  ["availableForSale", "details.variants", "yes or no"],
  ["selectedOptions", "details.variants", "list"],
  ["image", "details.images", "address"],
  ["preview", "details.images", "address"],
  ["featuredImage", "image_url", "address"],
  ["featuredMedia", "image_url", "address"],
  ["status", "(none)", "drafts, archived and unlisted products are left out"],
  ["publishedAt", "(none)", "without a time, the product is left out"],
  ["onlineStoreUrl", "(none)", "without an address, the product is left out"]
]

/** Of a product in an answer in GraphQL, its variants and images are within it. */
const answer: ReadonlyArray<Row> = [
  ...bulk.filter(([name]) => name !== "__parentId"),
  ["variants.price", "price", "the lowest"],
  ...["id", "title", "sku", "price", "compareAtPrice", "availableForSale", "selectedOptions"].map((name): Row => [
    `variants.${name}`,
    "details.variants",
    "as it is"
  ]),
  ["priceRange", "price", "where there are no variants"],
  ["images", "details.images", "address"],
  ["media", "details.images", "address"]
]

const meta: ReadonlyArray<Row> = [
  ["domain", "domain", "domain"],
  ["url", "domain", "where there is no domain"],
  ["myshopify_domain", "domain", "where there is neither"],
  ["name", "name", "text"],
  ["country", "country", "text"],
  ["currency", "currency", "text"],
  ["published_products_count", "products_count", "number"]
]

const ads: ReadonlyArray<Row> = [
  ["ad_archive_id", "key", "text"],
  ["id", "key", "text"],
  ["page_id", "shop", "the store of the page's other ads, where it does not lead to one"],
  ["page_name", "page_name", "text"],
  ["snapshot.page_name", "page_name", "where the ad has none"],
  ["is_active", "status", "yes or no"],
  ["start_date", "started_on", "date"],
  ["end_date", "last_seen_on", "date; of running ads the day of --as-of without one"],
  ["snapshot.title", "headline", "text; of a template that of the first card"],
  ["snapshot.body", "ad_text", "text; of a template that of the first card"],
  ["snapshot.cards", "headline", "where the ad is a template"],
  ["snapshot.link_url", "landing_url", "address; the store follows from it"],
  ["snapshot.cta_type", "cta", "the label of the type"],
  ["snapshot.cta_text", "cta", "where there is no type"],
  ["snapshot.display_format", "media_type", "word"],
  ["snapshot.videos", "image_url", "the preview of the first"],
  ["snapshot.images", "image_url", "the first"],
  ["snapshot.branded_content", "is_partnership", "whether there is any"],
  ["ad_delivery_start_time", "started_on", "date"],
  ["ad_creation_time", "started_on", "where there is no start"],
  ["ad_delivery_stop_time", "status", "active before it"],
  ["ad_creative_link_titles", "headline", "the first"],
  ["ad_creative_bodies", "ad_text", "the first"],
  ["ad_creative_link_captions", "shop", "the store of the address that it shows"],
  ["ad_creative_link_title", "headline", "where there are no titles"],
  ["ad_creative_body", "ad_text", "where there are no bodies"],
  ["ad_creative_link_caption", "shop", "where there are no captions"]
]

const namesIn = (rows: ReadonlyArray<Row>) => rows.map(([name]) => name)

/** The names that each JSON format reads. */
export const names = {
  storefront: namesIn(storefront),
  bulk: namesIn(bulk),
  meta: namesIn(meta),
  ads: namesIn(ads)
} as const

const products: Readonly<Record<ProductCsv.Column, readonly [field: string, how: string]>> = {
  handle: ["key", "text; without one it is made of the title"],
  title: ["title", "text"],
  body: ["details.description_html", "text"],
  vendor: ["details.vendor", "text"],
  category: ["details.product_type", "where there is no type; the niche of the store may follow from it"],
  type: ["details.product_type", "text; the niche of the store may follow from it"],
  tags: ["details.tags", "list"],
  status: ["(none)", "drafts, archived and unlisted products are left out"],
  published: ["(none)", "products that the store does not show are left out"],
  option1Name: ["details.options", "text"],
  option1: ["details.variants", "text"],
  option2Name: ["details.options", "text"],
  option2: ["details.variants", "text"],
  option3Name: ["details.options", "text"],
  option3: ["details.variants", "text"],
  sku: ["details.variants", "text"],
  price: ["price", "money; the lowest of the rows of a product"],
  compareAtPrice: ["details.variants", "money"],
  image: ["image_url", "the first"]
}

const woocommerce: Readonly<Record<WooCommerce.Column, readonly [field: string, how: string]>> = {
  id: ["key", "text; without one the SKU"],
  type: ["(none)", "a variation is one of its parent"],
  parent: ["key", "of a variation: `id:` and the id, or the SKU"],
  title: ["title", "text"],
  published: ["(none)", "drafts and private products are left out"],
  visibility: ["(none)", "hidden products are left out"],
  body: ["details.description_html", "text"],
  shortBody: ["details.description_html", "where there is no other"],
  sku: ["details.variants", "text"],
  price: ["price", "money; the lowest of the product"],
  salePrice: ["price", "money; instead of the regular price, which becomes the one to compare with"],
  saleStarts: ["price", "the first day of the sale"],
  saleEnds: ["price", "the last day of the sale"],
  stock: ["details.variants", "yes or no"],
  categories: ["details.product_type", "the deepest one; the niche of the store may follow from it"],
  tags: ["details.tags", "list"],
  images: ["image_url", "the first; all are details.images"],
  brands: ["details.vendor", "the first"],
  option1Name: ["details.options", "text"],
  option1: ["details.variants", "of variations"],
  option2Name: ["details.options", "text"],
  option2: ["details.variants", "of variations"],
  option3Name: ["details.options", "text"],
  option3: ["details.variants", "of variations"]
}

const catalog: Readonly<Record<CatalogFeed.Column, readonly [field: string, how: string]>> = {
  id: ["key", "where neither a group nor the link gives one"],
  group: ["alias", "the rows of one group are one product"],
  link: ["key", "the handle in it; the address is the url"],
  title: ["title", "text; of the first row of a group"],
  body: ["details.description_html", "text"],
  image: ["image_url", "the first"],
  moreImages: ["details.images", "list"],
  price: ["price", "money; the lowest of the group"],
  salePrice: ["price", "money; instead of the price, which becomes the one to compare with"],
  saleDates: ["price", "the days of the sale"],
  availability: ["details.variants", "in stock or not; discontinued products are left out"],
  status: ["(none)", "archived products are left out"],
  visibility: ["(none)", "hidden products are left out"],
  vendor: ["details.vendor", "text"],
  category: ["details.product_type", "where there is no type; the niche of the store may follow from it"],
  type: ["details.product_type", "text; the niche of the store may follow from it"],
  color: ["details.variants", "text"],
  size: ["details.variants", "text"],
  material: ["details.variants", "text"],
  sku: ["details.variants", "text"]
}

const shops: Readonly<Partial<Record<ShopCsv.Column, readonly [field: string, how: string]>>> = {
  domain: ["domain", "domain"],
  name: ["name", "text"],
  country: ["country", "text"],
  currency: ["currency", "text"],
  language: ["languages", "code of a language"],
  categories: ["categories", "list"],
  created: ["created_on", "date"],
  visits: ["visits (of the month of --as-of)", "number"],
  theme: ["theme", "text"],
  apps: ["apps", "list"],
  technologies: ["pixels", "those that are known"],
  ...byField(({ field, unit }) => [field, unit === "money" ? "money" : "number"] as const)
}

/** Describes the columns of a header that a format reads. */
const named = (
  header: ReadonlyArray<string>,
  places: Readonly<Record<string, number | undefined>>,
  meanings: Readonly<Record<string, readonly [field: string, how: string] | undefined>>
): ReadonlyArray<UsedColumn> =>
  Object.entries(places).flatMap(([name, at]) => {
    const [field, how] = meanings[name] ?? []
    return at === undefined || field === undefined || how === undefined
      ? []
      : [{ field, column: header[at] ?? "", how }]
  })

const account = (columns: ReadonlyArray<string>, taken: ReadonlyArray<UsedColumn>): Account => ({
  taken,
  dropped: columns.filter(
    (column) => !taken.some((one) => one.column === column || column.startsWith(`${one.column}.`))
  )
})

/** The rows whose name is a column of the file, or the beginning of a column's path. */
const there = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Row>): Account => {
  const taken = rows
    .filter(([name]) => columns.some((column) => column === name || column.startsWith(`${name}.`)))
    .map(([column, field, how]) => ({ field, column, how }))
  return account(columns, taken)
}

export const of = ({ container, format }: Detected, sample: Sample.Sample, mapping: Mapping | undefined): Account => {
  const { columns } = sample
  const header = container._tag === "Csv" ? container.header : []
  switch (format) {
    case "map":
      return account(columns, mapping === undefined ? [] : takenBy(mapping))
    case "native":
      return account(
        columns,
        columns.map((name) => ({ field: name, column: name, how: "as it is" }))
      )
    case "empty":
      return account([], [])
    case "taxonomy":
      return account([], [{ field: "niche", column: "each line", how: "its id and its path" }])
    case "storefront": {
      const inner = Sample.ofRecords(
        sample.records.flatMap((record) =>
          Array.isArray(record["products"]) ? record["products"].map(foreign) : [record]
        )
      )
      if (!inner.records.some(BulkProducts.isAnswer)) return there(inner.columns, storefront)
      const within = inner.columns.map((column) => column.replaceAll(/\.(?:edges\.node|nodes)(?=\.|$)/gu, ""))
      return there(Array.from(new Set(within)), answer)
    }
    case "meta":
      return there(columns, meta)
    case "bulk":
      return there(columns, bulk)
    case "ads": {
      const inner = sample.records.flatMap(adsIn).map((ad) => foreign(snakeCase(unflatten(ad))))
      return there(Sample.ofRecords(inner).columns, ads)
    }
    case "products":
      return account(columns, named(header, ProductCsv.columnsOf(header), products))
    case "woocommerce":
      return account(columns, named(header, WooCommerce.columnsOf(header), woocommerce))
    case "catalog":
      return account(columns, named(header, CatalogFeed.columnsOf(header), catalog))
    case "shops": {
      const networks = ShopCsv.networkColumns.flatMap(([network, name]) =>
        header
          .filter((column) => column.toLowerCase() === name)
          .map((column) => ({ field: "social_networks", column, how: `${network}, where it has one` }))
      )
      return account(columns, [...named(header, ShopCsv.positions(header), shops), ...networks])
    }
    case "traffic": {
      const { columns: months, domain, month, visits } = Traffic.places(header)
      const isLong = month >= 0 && visits >= 0
      const store = { field: "shop", column: header[domain] ?? "", how: "domain" }
      return account(columns, [
        store,
        ...(isLong
          ? [
              { field: "month", column: header[month] ?? "", how: "date" },
              { field: "visits", column: header[visits] ?? "", how: "number" }
            ]
          : months.map(({ at, month }) => ({ field: "visits", column: header[at] ?? "", how: `number, of ${month}` })))
      ])
    }
  }
}

const takenBy = ({ fields, record }: Mapping): ReadonlyArray<UsedColumn> =>
  Object.entries(fields).flatMap(([field, source]): ReadonlyArray<UsedColumn> => {
    const { as = fieldsOf[record][field]?.as ?? "text", column, constant, divide_by, form, separator, values } = source
    if (column === undefined) return [{ field, column: "", how: `always ${JSON.stringify(constant)}` }]
    const how = [
      as === "yes_no" ? "yes or no" : as,
      ...(form === undefined ? [] : [form]),
      ...(divide_by === undefined ? [] : [`divided by ${divide_by}`]),
      ...(separator === undefined ? [] : [`joined by ${JSON.stringify(separator)}`]),
      ...(values === undefined ? [] : [`${Object.keys(values).length} values replaced`])
    ]
    return [{ field, column, how: how.join(", ") }]
  })
