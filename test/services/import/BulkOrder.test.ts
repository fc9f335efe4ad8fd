import { assert, describe, it } from "@effect/vitest"
import { BulkOrder } from "../../../src/services/import/BulkOrder.ts"

const gid = (kind: string, id: number) => `gid://shopify/${kind}/${id}`
const product = (id: number) => ({ id: gid("Product", id), title: `Größe ${id}` })
const variant = (id: number, parent: number) => ({
  id: gid("ProductVariant", id),
  price: "1.00",
  __parentId: gid("Product", parent)
})
const ofVariant = (parent: number) => ({
  id: gid("Metafield", 1),
  value: "x",
  __parentId: gid("ProductVariant", parent)
})

/** `part`: how many bytes are pushed at a time. */
const isKept = (lines: ReadonlyArray<object>, newline = "\n", part = 1_000): boolean => {
  const order = new BulkOrder()
  const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join(newline))
  for (let at = 0; at < bytes.length; at += part) order.push(bytes.subarray(at, at + part))
  order.end()
  return order.isKept
}

describe("the order of a bulk file", () => {
  const written = [8, 9, 10, 100].flatMap((id) => [
    product(id),
    variant(id * 10, id),
    ofVariant(id * 10),
    variant(id * 10 + 1, id)
  ])

  it("is kept where the lines of each product follow each other, in whatever pieces the bytes come", () => {
    for (const newline of ["\n", "\r\n", "\n\n"]) {
      for (const part of [1, 7, 100, 10_000]) assert.isTrue(isKept(written, newline, part))
    }
    assert.isTrue(isKept(written.toReversed()))
  })

  it.each([
    ["a variant after another product", [product(1), product(2), variant(1, 1)]],
    ["a variant before another product", [variant(1, 2), product(1), product(2)]],
    ["a variant at the end", [...written, variant(99, 9)]],
    ["a product that comes twice", [product(2), product(3), product(2)]]
  ] as const)("is not kept by %s", (_, lines) => {
    assert.isFalse(isKept(lines))
  })

  it("tells an id that has been written in another way", () => {
    const written = (id: string) => `{"id":"gid://shopify/Product/${id}","title":"A"}`
    const order = new BulkOrder()
    order.push(Buffer.from(["ü", "ý", "\\u00fc"].map(written).join("\n")))
    order.end()
    assert.isFalse(order.isKept)
  })

  it("counts the line of a file that begins with a byte order mark", () => {
    const order = new BulkOrder()
    order.push(
      Buffer.from(`\uFEFF${[product(1), product(2), variant(1, 1)].map((line) => JSON.stringify(line)).join("\n")}`)
    )
    order.end()
    assert.isFalse(order.isKept)
  })
})
