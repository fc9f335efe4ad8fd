/** Files of products, with as many columns, as long texts and as many variants as real files have. */
import { Prng } from "../../demo/Prng.ts"
import { day, domain, html, image, price, row, rowOf, titled, words } from "./Values.ts"

/** Most products have one variant, some have many: 1, 1, 10 and 42 at 5, 50, 95 and 99 of 100. */
const variantsOf = (random: Prng) =>
  random.chance(0.6) ? 1 : random.chance(0.9) ? random.int(2, 8) : random.int(9, 42)

function* products(count: number) {
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "product", at)
    yield {
      id: 8_000_000_000_000 + at,
      title: titled(random),
      handle: `product-${at}`,
      body_html: html(random),
      created_at: `${day(random)}T09:11:40+01:00`,
      vendor: "Oakline",
      product_type: random.pick(words),
      tags: random.some(words, 6),
      variants: Array.from({ length: variantsOf(random) }, (_, variant) => ({
        id: 40_000_000_000_000 + at * 100 + variant,
        title: `Size ${variant}`,
        sku: `S-${at}-${variant}`,
        price: price(random)
      })),
      images: Array.from({ length: random.int(1, 6) }, () => image(random))
    }
  }
}

export function* storefront(count: number): Generator<string> {
  yield `{"products":[`
  let isFirst = true
  for (const { images, variants, ...product } of products(count)) {
    const times = { created_at: product.created_at, updated_at: product.created_at }
    const written = {
      ...product,
      ...times,
      published_at: product.created_at,
      variants: variants.map((variant, at) => ({
        ...variant,
        ...times,
        option1: variant.title,
        option2: null,
        option3: null,
        requires_shipping: true,
        taxable: true,
        featured_image: null,
        available: true,
        grams: 340,
        compare_at_price: null,
        position: at + 1,
        product_id: product.id
      })),
      images: images.map((src, at) => ({
        ...times,
        id: product.id + at,
        position: at + 1,
        product_id: product.id,
        variant_ids: [],
        src,
        width: 1200,
        height: 1600
      })),
      options: [{ name: "Size", position: 1, values: variants.map(({ title }) => title) }]
    }
    yield (isFirst ? "" : ",") + JSON.stringify(written)
    isFirst = false
  }
  yield "]}"
}

/** The form of the admin interface: a list, with tags in one text, a status, and stock of each variant. */
export function* admin(count: number): Generator<string> {
  let separator = "["
  for (const { images, variants, ...product } of products(count)) {
    const written = {
      ...product,
      tags: product.tags.join(", "),
      updated_at: product.created_at,
      published_at: product.created_at,
      template_suffix: "",
      status: "active",
      published_scope: "global",
      admin_graphql_api_id: `gid://shopify/Product/${product.id}`,
      variants: variants.map((variant, at) => ({
        ...variant,
        product_id: product.id,
        position: at + 1,
        inventory_policy: "deny",
        compare_at_price: null,
        fulfillment_service: "manual",
        inventory_management: "shopify",
        option1: variant.title,
        option2: null,
        option3: null,
        created_at: product.created_at,
        updated_at: product.created_at,
        taxable: true,
        barcode: "",
        grams: 340,
        image_id: null,
        weight: 0.34,
        weight_unit: "kg",
        inventory_item_id: variant.id,
        inventory_quantity: 12,
        old_inventory_quantity: 12,
        requires_shipping: true,
        admin_graphql_api_id: `gid://shopify/ProductVariant/${variant.id}`
      })),
      options: [
        {
          id: product.id,
          product_id: product.id,
          name: "Size",
          position: 1,
          values: variants.map(({ title }) => title)
        }
      ],
      images: images.map((src, at) => ({
        id: product.id + at,
        product_id: product.id,
        position: at + 1,
        created_at: product.created_at,
        updated_at: product.created_at,
        alt: null,
        width: 1200,
        height: 1600,
        src,
        variant_ids: []
      })),
      image: { src: images[0] }
    }
    yield separator + JSON.stringify(written)
    separator = ","
  }
  yield "]"
}

const exportHeader = [
  ..."Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option1 Linked To".split(
    ","
  ),
  ..."Option2 Name,Option2 Value,Option2 Linked To,Option3 Name,Option3 Value,Option3 Linked To,Variant SKU".split(","),
  ..."Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy".split(","),
  ..."Variant Fulfillment Service,Variant Price,Variant Compare At Price,Variant Requires Shipping,Variant Taxable".split(
    ","
  ),
  ..."Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,SEO Description".split(","),
  ...Array.from({ length: 12 }, (_, at) => `Google Shopping / Custom Label ${at}`),
  ..."Variant Image,Variant Weight Unit,Variant Tax Code,Cost per item,Included / United States".split(","),
  ..."Price / United States,Compare At Price / United States,Status".split(",")
]

/** The names of the newer header for those of the older that have a value. */
const newerNames: Readonly<Record<string, string>> = {
  Handle: "URL handle",
  "Body (HTML)": "Description",
  "Product Category": "Product category",
  Published: "Published on online store",
  "Option1 Name": "Option1 name",
  "Gift Card": "Gift card",
  "Option1 Value": "Option1 value",
  "Variant SKU": "SKU",
  "Variant Grams": "Weight value (grams)",
  "Variant Inventory Tracker": "Inventory tracker",
  "Variant Inventory Policy": "Continue selling when out of stock",
  "Variant Fulfillment Service": "Fulfillment service",
  "Variant Price": "Price",
  "Variant Requires Shipping": "Requires shipping",
  "Variant Taxable": "Charge tax",
  "Variant Weight Unit": "Weight unit for display",
  "Image Src": "Product image URL",
  "Image Position": "Image position"
}

export const merchantExport = (count: number) => exported(count, exportHeader)

export const newerMerchantExport = (count: number) =>
  exported(
    count,
    exportHeader.map((name) => newerNames[name] ?? name)
  )

function* exported(count: number, header: ReadonlyArray<string>): Generator<string> {
  yield row(header)
  const rowFrom = rowOf(exportHeader)
  for (const { body_html, handle, images, tags, title, variants, vendor } of products(count)) {
    for (let at = 0; at < Math.max(variants.length, images.length); at++) {
      const variant = variants[at]
      const src = images[at]
      yield rowFrom({
        Handle: handle,
        ...(at > 0
          ? {}
          : {
              Title: title,
              "Body (HTML)": body_html,
              Vendor: vendor,
              "Product Category": "Furniture > Office Furniture > Desks",
              Type: "Desk",
              Tags: tags.join(", "),
              Published: "true",
              "Option1 Name": "Size",
              "Gift Card": "false",
              Status: "active"
            }),
        ...(variant === undefined
          ? {}
          : {
              "Option1 Value": variant.title,
              "Variant SKU": variant.sku,
              "Variant Grams": "340",
              "Variant Inventory Tracker": "shopify",
              "Variant Inventory Policy": "deny",
              "Variant Fulfillment Service": "manual",
              "Variant Price": variant.price,
              "Variant Requires Shipping": "true",
              "Variant Taxable": "true",
              "Variant Weight Unit": "kg"
            }),
        ...(src === undefined ? {} : { "Image Src": src, "Image Position": String(at + 1) })
      })
    }
  }
}

export function* bulk(count: number): Generator<string> {
  const line = (value: object) => `${JSON.stringify(value)}\n`
  for (const product of products(count)) {
    const id = `gid://shopify/Product/${product.id}`
    yield line({
      id,
      title: product.title,
      handle: product.handle,
      descriptionHtml: product.body_html,
      createdAt: `${product.created_at.slice(0, 19)}Z`,
      status: "ACTIVE",
      vendor: product.vendor,
      productType: product.product_type,
      tags: product.tags
    })
    for (const variant of product.variants) {
      yield line({
        id: `gid://shopify/ProductVariant/${variant.id}`,
        title: variant.title,
        sku: variant.sku,
        price: variant.price,
        compareAtPrice: null,
        availableForSale: true,
        selectedOptions: [{ name: "Size", value: variant.title }],
        __parentId: id
      })
    }
    for (const [at, url] of product.images.entries()) {
      yield line({ id: `gid://shopify/MediaImage/${product.id + at}`, image: { url }, __parentId: id })
    }
  }
}

export function* native(count: number): Generator<string> {
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "native", at)
    const shop = domain(at % 500)
    yield `${JSON.stringify({
      type: "product",
      shop,
      key: String(at),
      title: titled(random),
      url: `https://${shop}/products/${at}`,
      image_url: image(random),
      price: random.int(5, 300),
      created_at: `${day(random)}T08:11:40.000Z`,
      details: {
        description_html: html(random),
        vendor: "Oakline",
        product_type: random.pick(words),
        tags: random.some(words, 6),
        options: [{ name: "Size", values: ["S"] }],
        variants: [{ id: String(at), title: "S", sku: `S-${at}`, price: 5, options: ["S"] }],
        images: [{ url: image(random), width: 1200, height: 1600 }]
      }
    })}\n`
  }
}
