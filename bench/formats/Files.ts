/** A file of each format, as long as is wanted, with what real files have: as many columns, as long texts, as many variants. */
import { Prng } from "../../demo/Prng.ts"

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

const words =
  "oak desk lamp linen walnut tray soft shoulder bag recycled bottle steel kettle wool scarf merino socks ceramic mug large small".split(
    " "
  )
const text = (random: Prng, characters: number): string => {
  let written = random.pick(words)
  while (written.length < characters) written += ` ${random.pick(words)}`
  return written
}
const titled = (random: Prng) => text(random, random.int(15, 60)).replace(/^./u, (letter) => letter.toUpperCase())
const html = (random: Prng) => `<p>${text(random, random.int(100, 900))}</p>\n<ul><li>${text(random, 60)}</li></ul>`
const price = (random: Prng) => `${random.int(5, 300)}.${random.pick(["00", "99", "95"])}`
const image = (random: Prng) => `https://cdn.shopify.com/s/files/1/0001/products/${random.int(1, 1e9)}.jpg?v=16`
const day = (random: Prng) => `20${random.int(15, 25)}-${random.int(10, 12)}-${random.int(10, 28)}`
const domain = (at: number) => `store-${at}.example.com`

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

function* storefront(count: number): Generator<string> {
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

const quoted = (cell: string) => (/[",\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
const row = (cells: ReadonlyArray<string>) => `${cells.map(quoted).join(",")}\r\n`

/** By the columns of a header: those without a value are empty, as most of real files are. */
const rowOf = (header: ReadonlyArray<string>) => (values: Readonly<Record<string, string>>) =>
  row(header.map((name) => values[name] ?? ""))

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

function* merchantExport(count: number): Generator<string> {
  yield row(exportHeader)
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

function* bulk(count: number): Generator<string> {
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

function* ads(count: number): Generator<string> {
  yield `{"results":[`
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "ad", at)
    const card = () => ({
      title: titled(random),
      body: text(random, 150),
      caption: "oakline.example.com",
      ctaText: "Shop now",
      ctaType: "SHOP_NOW",
      linkUrl: `https://${domain(at % 500)}/products/${at}`,
      originalImageUrl: image(random),
      resizedImageUrl: image(random)
    })
    const { body, ...own } = card()
    const ad = {
      adArchiveID: String(1_000_000_000 + at),
      pageID: String(100_000 + (at % 500)),
      pageName: `Page ${at % 500}`,
      isActive: random.chance(0.7),
      startDate: 1_767_225_600 + random.int(0, 10_000_000),
      endDate: 1_780_000_000,
      collationCount: 1,
      collationID: null,
      currency: "",
      spend: null,
      reachEstimate: null,
      impressionsWithIndex: { impressionsText: null, impressionsIndex: -1 },
      categories: ["UNKNOWN"],
      gatedType: "ELIGIBLE",
      publisherPlatform: ["facebook", "instagram"],
      pageIsDeleted: false,
      snapshot: {
        ...own,
        body: { text: body + text(random, random.int(50, 500)) },
        displayFormat: random.pick(["VIDEO", "IMAGE", "CAROUSEL", "DCO", "DPA"]),
        linkDescription: null,
        brandedContent: null,
        pageCategories: ["Shopping & Retail"],
        pageLikeCount: random.int(0, 1e6),
        pageProfileUri: `https://www.facebook.com/page${at % 500}/`,
        pageProfilePictureUrl: image(random),
        countryIsoCode: null,
        byline: null,
        images: [{ originalImageUrl: image(random), resizedImageUrl: image(random) }],
        videos: [],
        cards: random.chance(0.25) ? [card(), card(), card()] : []
      }
    }
    yield `${at === 1 ? "" : ","}[${JSON.stringify(ad)}]`
  }
  yield "]}"
}

const storeHeader = [
  ..."domain,merchant_name,title,country_code,currency,language_code,categories,platform,platform_rank,rank,created".split(
    ","
  ),
  ..."estimated_monthly_visits,estimated_monthly_pageviews,estimated_monthly_sales,estimated_yearly_sales,products_sold".split(
    ","
  ),
  ..."average_product_price,theme,theme_vendor,installed_apps_names,technologies,features,tags,trustpilot_avgrating".split(
    ","
  ),
  ..."trustpilot_reviews,facebook_url,instagram_url,tiktok_url,status,plan,emails,phones,street_address,zip".split(","),
  ...Array.from({ length: 30 }, (_, at) => `followers_${at}d`)
]

function* stores(count: number): Generator<string> {
  yield row(storeHeader)
  const rowFrom = rowOf(storeHeader)
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "store", at)
    const sales = random.int(1_000, 5_000_000).toLocaleString("en-US")
    yield rowFrom({
      domain: domain(at),
      merchant_name: titled(random),
      title: titled(random),
      country_code: random.pick(["US", "GB", "DE", "FR"]),
      currency: "USD",
      language_code: random.pick(["en", "de", "fr"]),
      categories: "/Home & Garden/Furniture:/Apparel",
      platform: "shopify",
      rank: String(at),
      created: day(random).replaceAll("-", "/"),
      estimated_monthly_visits: String(random.int(0, 1e6)),
      estimated_monthly_sales: `USD $${sales}.53`,
      estimated_yearly_sales: `USD $${sales}.53`,
      products_sold: String(random.int(1, 900)),
      theme: "Dawn",
      installed_apps_names: "Klaviyo:Judge.me:Privy",
      technologies: "Facebook Pixel:Google Analytics:Cloudflare",
      trustpilot_avgrating: "4.3",
      trustpilot_reviews: "120",
      instagram_url: "https://instagram.com/oakline",
      emails: "someone@example.com",
      status: "Active"
    })
  }
}

const months = ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06"]

function* traffic(count: number): Generator<string> {
  yield row(["domain", ...months])
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "traffic", at)
    yield row([domain(at), ...months.map(() => String(random.int(0, 1e6)))])
  }
}

function* taxonomy(count: number): Generator<string> {
  for (let at = 1; at <= count; at++) {
    const path = ["Furniture", `Group ${at % 900}`, `Part ${at}`].join(" > ")
    yield `gid://shopify/TaxonomyCategory/fr-${at} : ${path}\n`
  }
}

function* native(count: number): Generator<string> {
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

const mappedHeader = ["Website", "Company", "Land", "Umsatz", "Seit", "Apps", "Mail", "Telefon", "Notiz", "Rang"]

function* mapped(count: number): Generator<string> {
  yield row(mappedHeader)
  const rowFrom = rowOf(mappedHeader)
  for (let at = 1; at <= count; at++) {
    const random = new Prng("formats", "mapped", at)
    yield rowFrom({
      Website: `https://www.${domain(at)}/`,
      Company: titled(random),
      Land: "DE",
      Umsatz: `${random.int(1_000, 900_000).toLocaleString("de-DE")},50 €`,
      Seit: day(random).split("-").toReversed().join("."),
      Apps: "Klaviyo|Judge.me",
      Mail: "someone@example.com",
      Notiz: text(random, 60),
      Rang: String(at)
    })
  }
}

export const formats: ReadonlyArray<Format> = [
  { label: "records of this catalog", file: "native.ndjson", bare: { _tag: "Lines" }, count: 25_000, text: native },
  {
    label: "products.json of a storefront",
    file: "oakline.com.json",
    bare: { _tag: "Json", path: "$.products.*" },
    count: 5_000,
    text: storefront
  },
  { label: "a merchant's export", file: "oakline.com.csv", bare: { _tag: "Csv" }, count: 10_000, text: merchantExport },
  { label: "a bulk operation", file: "oakline.com.jsonl", bare: { _tag: "Lines" }, count: 10_000, text: bulk },
  {
    label: "ads of the Ad Library's pages",
    file: "ads.json",
    bare: { _tag: "Json", path: "$.results.*" },
    count: 12_000,
    text: ads
  },
  { label: "a list of stores", file: "stores.csv", bare: { _tag: "Csv" }, count: 30_000, text: stores },
  { label: "visits, a column a month", file: "visits.csv", bare: { _tag: "Csv" }, count: 40_000, text: traffic },
  { label: "the taxonomy", file: "categories.txt", bare: { _tag: "Text" }, count: 100_000, text: taxonomy },
  {
    label: "a table of stores with a map",
    file: "mapped.csv",
    bare: { _tag: "Csv" },
    count: 40_000,
    text: mapped,
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
