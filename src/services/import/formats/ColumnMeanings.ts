/** What each format reads from the columns of its tables, or from the names of its records, and into which field. */
import { byField } from "../../../domain/catalog/Figures.ts"
import type * as CatalogFeed from "./CatalogFeed.ts"
import type * as ProductCsv from "./ProductCsv.ts"
import type * as ShopCsv from "./ShopCsv.ts"
import type * as WooCommerce from "./WooCommerce.ts"

/** How a format reads a name of its records into a field. */
export type NameMeaning = readonly [name: string, field: string, how: string]
/** How a format reads a column. */
type Meaning = readonly [field: string, how: string]

export const storefront: ReadonlyArray<NameMeaning> = [
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
    (name): NameMeaning => [`variants.${name}`, "details.variants", "as it is"]
  ),
  ["images.width", "details.images", "number"],
  ["images.height", "details.images", "number"],
  ["status", "(none)", "drafts, archived and unlisted products are left out"],
  ["published_at", "(none)", "without a time, the product is left out"]
]

export const bulk: ReadonlyArray<NameMeaning> = [
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
export const answer: ReadonlyArray<NameMeaning> = [
  ...bulk.filter(([name]) => name !== "__parentId"),
  ["variants.price", "price", "the lowest"],
  ...["id", "title", "sku", "price", "compareAtPrice", "availableForSale", "selectedOptions"].map(
    (name): NameMeaning => [`variants.${name}`, "details.variants", "as it is"]
  ),
  ["priceRange", "price", "where there are no variants"],
  ["images", "details.images", "address"],
  ["media", "details.images", "address"]
]

export const meta: ReadonlyArray<NameMeaning> = [
  ["domain", "domain", "domain"],
  ["url", "domain", "where there is no domain"],
  ["myshopify_domain", "domain", "where there is neither"],
  ["name", "name", "text"],
  ["country", "country", "text"],
  ["currency", "currency", "text"],
  ["published_products_count", "products_count", "number"]
]

export const ads: ReadonlyArray<NameMeaning> = [
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

export const products: Readonly<Record<ProductCsv.Column, Meaning>> = {
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

export const woocommerce: Readonly<Record<WooCommerce.Column, Meaning>> = {
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

export const catalog: Readonly<Record<CatalogFeed.Column, Meaning>> = {
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

export const shops: Readonly<Partial<Record<ShopCsv.Column, Meaning>>> = {
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
