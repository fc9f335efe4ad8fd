/** A file of products as an operator would import it: the demo's own stores and products, in the catalog's own format. */
import { Effect } from "effect"
import * as fs from "node:fs"
import { finished } from "node:stream/promises"
import { demoProducts } from "../../demo/DemoProducts.ts"
import { demoShop, shareOut } from "../../demo/DemoShops.ts"
import { niches } from "../../demo/Niches.ts"
import { Prng } from "../../demo/Prng.ts"

export interface FileOptions {
  readonly products: number
  /** Today is day `today` since 1970-01-01. */
  readonly today: number
  /** A tenth of the prices differs from one to the next. */
  readonly edition: number
  /** What domains begin with: files with another prefix have other stores. */
  readonly prefix?: string
}

const seed = "import"
const productsPerShop = 25
/** Of titles end in a word that no other has. */
const codeShare = 0.2
/** One price in as many moves with each edition. */
const movingPrices = 10

function* lines({ edition, prefix = "new", products, today }: FileOptions): Generator<string> {
  const taken = new Set<string>()
  const shops = Array.from({ length: Math.ceil(products / productsPerShop) }, (_, index) =>
    demoShop(seed, index, today, taken)
  )
  const counts = shareOut(
    shops.map(({ catalog }) => catalog),
    products
  )
  const own = niches.flatMap((parent) => [
    { type: "niche", id: parent.id, name: parent.name },
    ...parent.children.map(({ id, name }) => ({ type: "niche", id, parent_id: parent.id, name }))
  ])
  yield own.map((record) => JSON.stringify(record)).join("\n")
  let number = 0
  for (const [index, shop] of shops.entries()) {
    // Names of the data that is there already come from the same generator.
    const domain = `${prefix}-${shop.record.domain}`
    const prng = new Prng(seed, "codes", index)
    yield JSON.stringify({ ...shop.record, domain })
    for (const month of shop.traffic) yield JSON.stringify({ ...month, shop: domain })
    for (const { details: _, ...product } of demoProducts(seed, shop, counts[index] ?? 0, today, false)) {
      const code = prng.chance(codeShare) ? ` ${prng.int(36 ** 5, 36 ** 6).toString(36)}` : ""
      const moves = number++ % movingPrices === edition % movingPrices
      yield JSON.stringify({
        ...product,
        shop: domain,
        title: product.title + code,
        price: moves ? product.price + edition : product.price
      })
    }
  }
}

/** Gives its number of records. */
export const write = (path: string, options: FileOptions): Effect.Effect<number> =>
  Effect.promise(async () => {
    const file = fs.createWriteStream(path, { highWaterMark: 1 << 20 })
    let records = niches.reduce((sum, { children }) => sum + children.length, -1 + niches.length)
    for (const line of lines(options)) {
      records++
      if (!file.write(`${line}\n`)) await new Promise((resolve) => file.once("drain", resolve))
    }
    file.end()
    await finished(file)
    return records
  })
