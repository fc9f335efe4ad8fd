/** Random values of records, and rows of tables, such as real files have. */
import type { Prng } from "../../demo/Prng.ts"

export const words =
  "oak desk lamp linen walnut tray soft shoulder bag recycled bottle steel kettle wool scarf merino socks ceramic mug large small".split(
    " "
  )
export const text = (random: Prng, characters: number): string => {
  let written = random.pick(words)
  while (written.length < characters) written += ` ${random.pick(words)}`
  return written
}
export const titled = (random: Prng) =>
  text(random, random.int(15, 60)).replace(/^./u, (letter) => letter.toUpperCase())
export const html = (random: Prng) =>
  `<p>${text(random, random.int(100, 900))}</p>\n<ul><li>${text(random, 60)}</li></ul>`
export const price = (random: Prng) => `${random.int(5, 300)}.${random.pick(["00", "99", "95"])}`
export const image = (random: Prng) => `https://cdn.shopify.com/s/files/1/0001/products/${random.int(1, 1e9)}.jpg?v=16`
export const day = (random: Prng) => `20${random.int(15, 25)}-${random.int(10, 12)}-${random.int(10, 28)}`
export const domain = (at: number) => `store-${at}.example.com`

export const quoted = (cell: string) => (/[",\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
export const row = (cells: ReadonlyArray<string>) => `${cells.map(quoted).join(",")}\r\n`

/** By the columns of a header: those without a value are empty, as most of real files are. */
export const rowOf = (header: ReadonlyArray<string>) => (values: Readonly<Record<string, string>>) =>
  row(header.map((name) => values[name] ?? ""))
