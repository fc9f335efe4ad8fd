/** The products of one store of the demo data. */
import * as DemoPages from "../src/domain/catalog/DemoPages.ts"
import * as DemoPictures from "../src/domain/catalog/PictureNames.ts"
import type { ProductDetails } from "../src/domain/catalog/ProductDetails.ts"
import type { ProductRecord } from "../src/domain/catalog/Records.ts"
import { timeOf } from "./Days.ts"
import type { DemoShop } from "./DemoShops.ts"
import { Prng } from "./Prng.ts"
import { slugOf } from "./Names.ts"
import * as PictureName from "./pictures/PictureName.ts"
import type { Pictured } from "./pictures/PictureName.ts"
import { description, title } from "./Texts.ts"

/** `place`: the position among the pictures of the product. */
export const productImage = (pictured: Pictured, title: string, place = 0): string =>
  DemoPictures.addressOf("products", PictureName.write(PictureName.lookOf(pictured, title, place)))

const sizes = ["XS", "S", "M", "L", "XL", "XXL", "3XL"]

export const demoProducts = (
  seed: string,
  shop: DemoShop,
  count: number,
  today: number,
  hasDetails: boolean
): ReadonlyArray<ProductRecord> => {
  const prng = new Prng(seed, "products", shop.index)
  // Stores publish products in batches: those of one batch have the same creation time.
  let launch = newLaunch(prng, today)
  return Array.from({ length: count }, (_, index) => {
    if (prng.chance(0.3)) launch = newLaunch(prng, today)
    const name = title(prng, shop.subject)
    const key = String(7_000_000_000 + shop.index * 50_000 + index)
    const price = demoPrice(prng, shop)
    const slug = slugOf(name).slice(0, 60)
    const imageCount = prng.chance(0.06) ? 0 : Math.min(18, Math.max(1, Math.round(prng.logNormal(3, 0.79))))
    const url = (image: number) => productImage(shop.subject, name, image)
    return {
      type: "product",
      shop: shop.record.domain,
      key,
      title: name,
      url: prng.chance(0.01) ? null : `${DemoPages.addressOf(shop.record.domain)}/products/${slug === "" ? key : slug}`,
      image_url: imageCount === 0 ? null : url(0),
      price,
      created_at: prng.chance(0.02) ? null : launch,
      details: hasDetails
        ? {
            description_html: description(prng, shop.subject, name),
            vendor: shop.record.name,
            product_type: null,
            tags: prng.chance(0.5) ? [] : prng.some(shop.subject.nouns, 2).map((noun) => noun.toLowerCase()),
            ...variants(prng, shop, price),
            images: Array.from({ length: imageCount }, (_, image) => ({
              url: url(image),
              width: 1_200,
              height: 1_200
            }))
          }
        : null
    }
  })
}

const newLaunch = (prng: Prng, today: number): string =>
  timeOf(today - 1 - Math.floor(prng.unit() ** 2.2 * 1_700), prng.int(0, 86_399))

/** Log-normal around the median of the store, with the usual endings: .00, then .99, then .95. */
export const demoPrice = (prng: Prng, shop: DemoShop): number => {
  const price = prng.logNormal(shop.medianPrice, 0.93)
  if (shop.isWholeCurrency) {
    const step = 10 ** Math.max(0, Math.floor(Math.log10(price)) - 1)
    return Math.max(step, Math.round(price / step) * step)
  }
  const whole = Math.max(1, Math.round(price))
  const ending = prng.weighted([
    [0, 46],
    [0.99, 26],
    [0.95, 14],
    [0.9, 6],
    [0.5, 4],
    [prng.int(1, 98) / 100, 4]
  ])
  return ending === 0 ? whole : Math.round((whole - 1 + ending) * 100) / 100
}

/** 1, 1, 10 and 42 at the percentiles 5, 50, 95 and 99: clothes come in sizes, and some in sizes and colors. */
const variants = (prng: Prng, shop: DemoShop, price: number): Pick<ProductDetails, "options" | "variants"> => {
  const colors = (most: number) => ({
    name: "Color",
    values: prng.some(shop.subject.lexicon.colors, prng.int(2, most))
  })
  const isSized = shop.subject.kind === "wear" && prng.chance(0.7)
  const options = isSized
    ? [
        { name: "Size", values: sizes.slice(prng.int(0, 2), prng.int(4, 7)) },
        ...(prng.chance(0.34) ? [colors(12)] : [])
      ]
    : [prng.chance(0.6) ? { name: "Title", values: ["Default Title"] } : colors(6)]
  const combined = options.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (before, { values }) => before.flatMap((chosen) => values.map((value) => [...chosen, value])),
    [[]]
  )
  return {
    options,
    variants: combined.map((values, index) => ({
      id: null,
      title: values.join(" / "),
      sku: null,
      price: index === 0 || prng.chance(0.8) ? price : Math.round(price * 1.2 * 100) / 100,
      compare_at_price: null,
      is_available: prng.chance(0.88),
      options: values
    }))
  }
}
