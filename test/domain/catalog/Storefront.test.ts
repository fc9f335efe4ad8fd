import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { toRecord } from "../../../src/domain/catalog/Storefront.ts"

const variant = {
  id: 91,
  title: "Default Title",
  price: "39.00",
  compare_at_price: "",
  available: true,
  option1: "Default Title"
}
const product = {
  id: 8101,
  title: "Walnut Desk Tray",
  handle: "walnut-desk-tray",
  body_html: "<p>Holds pens.</p>",
  vendor: "Oakline",
  product_type: "Desk",
  tags: ["desk", "wood"],
  created_at: "2025-03-02T09:11:40+01:00",
  updated_at: "2025-04-02T09:11:40+02:00",
  variants: [variant],
  images: [{ id: 5, src: "//cdn.example/files/tray.jpg?v=1", width: 800, height: 600, position: 1 }],
  options: [{ name: "Title", position: 1, values: ["Default Title"] }]
}

const read = (changes: object = {}) => toRecord({ ...product, ...changes }, "oakline.example.com")
const sold = (changes: object) => {
  const found = Result.getOrThrowWith(read(changes), (issues) => new Error(JSON.stringify(issues)))
  return typeof found === "string" ? null : found
}
const record = (changes: object = {}) => sold(changes)?.record ?? null
const fields = (changes: object) =>
  Result.match(read(changes), { onSuccess: () => [], onFailure: (issues) => issues.map(({ path }) => path) })

describe("a product of products.json", () => {
  it.each<readonly [what: string, changes: object, invalidFields: ReadonlyArray<string>]>([
    ["a time without its zone", { created_at: "2025-03-02 09:11:40" }, ["created_at"]],
    ["a number for a title", { title: 5 }, []],
    ["an id that lost digits", { id: 2 ** 60 }, ["alias"]],
    ["an object for a tag", { tags: [{}] }, ["details.tags"]],
    ["text for images", { images: "none" }, ["details.images"]],
    [
      "a price before that is none",
      { variants: [{ ...variant, compare_at_price: "?" }] },
      ["details.variants.compare_at_price"]
    ]
  ])("is kept with %s, and says what does not fit", (_, changes, invalidFields) => {
    assert.deepStrictEqual(sold(changes)?.invalidFields, invalidFields)
  })

  it("D60 becomes a record with its details", () => {
    assert.deepStrictEqual(record(), {
      type: "product",
      shop: "oakline.example.com",
      key: "walnut-desk-tray",
      alias: "8101",
      title: "Walnut Desk Tray",
      url: "https://oakline.example.com/products/walnut-desk-tray",
      image_url: "https://cdn.example/files/tray.jpg?v=1",
      price: 39,
      created_at: "2025-03-02T08:11:40.000Z",
      details: {
        description_html: "<p>Holds pens.</p>",
        vendor: "Oakline",
        product_type: "Desk",
        tags: ["desk", "wood"],
        options: [{ name: "Title", values: ["Default Title"] }],
        variants: [
          {
            id: "91",
            title: "Default Title",
            sku: null,
            price: 39,
            compare_at_price: null,
            is_available: true,
            options: ["Default Title"]
          }
        ],
        images: [{ url: "https://cdn.example/files/tray.jpg?v=1", width: 800, height: 600 }]
      }
    })
  })

  it("D60 has any handle of the platform as its key, and no address where that would be longer than one may be", () => {
    const latin = "o".repeat(255)
    assert.deepInclude(record({ handle: latin }), {
      key: latin,
      url: `https://oakline.example.com/products/${latin}`
    })
    const japanese = "机".repeat(255)
    assert.deepInclude(record({ handle: japanese }), { key: japanese, url: null })
    assert.deepStrictEqual(fields({ handle: `${latin}o` }), ["key"])
  })

  it("D60 has one key, in whichever normalization form its handle is", () => {
    const handle = "gr\u00F6\u00DFe"
    assert.strictEqual(record({ handle: handle.normalize("NFD") })?.key, handle)
  })

  it("S18 has the price of its cheapest variant, also 0", () => {
    assert.deepInclude(record({ variants: [variant, { ...variant, price: "9.50" }, { ...variant, price: 12 }] }), {
      price: 9.5
    })
    assert.deepInclude(record({ variants: [{ ...variant, price: "0.00" }] }), { price: 0 })
  })

  it.each([[null], [""], [" "]])("leaves out a variant whose price is %j, beside others that have one", (price) => {
    const found = record({ variants: [{ ...variant, price }, variant, { ...variant, price: "45.00" }] })
    assert.deepInclude(found, { price: 39 })
    assert.deepStrictEqual(
      found?.type === "product" ? found.details?.variants.map((one) => one.price) : undefined,
      [39, 45]
    )
  })

  it.each([
    ["tags as one text", { tags: "desk, wood ,," }],
    ["no images", { images: [] }],
    ["null where there is nothing", { body_html: null, images: null, options: null, vendor: null, tags: null }],
    ["fields that are new", { template_suffix: "x", admin_graphql_api_id: "gid://shopify/Product/8101" }],
    ["an image that has no address", { images: [{ src: null }, { src: "ftp://x/y.jpg" }, { src: "//:a@x/y.jpg" }] }],
    ["an active status", { status: "active" }]
  ])("is taken with %s", (_, changes) => {
    assert.deepInclude(record(changes), { type: "product", key: "walnut-desk-tray" })
  })

  it("reads tags in both forms alike", () => {
    const tags = (changes: object) => {
      const found = record(changes)
      return found !== null && found.type === "product" ? found.details?.tags : undefined
    }
    assert.deepStrictEqual(tags({ tags: "desk, wood ,," }), ["desk", "wood"])
    assert.deepStrictEqual(tags({}), ["desk", "wood"])
  })

  it.each([["draft"], ["archived"], ["ARCHIVED"]])("is left out as %s", (status) => {
    assert.isNull(record({ status }))
  })

  it("escapes its handle in the address", () => {
    assert.deepInclude(record({ handle: "crème/brûlée" }), {
      url: "https://oakline.example.com/products/cr%C3%A8me%2Fbr%C3%BBl%C3%A9e"
    })
    assert.deepInclude(record({ handle: null }), { url: null })
  })

  it.each([
    ["no variants", { variants: [] }, "variants"],
    ["variants that are null", { variants: null }, "variants"],
    [
      "no variant that has a price",
      {
        variants: [
          { ...variant, price: null },
          { ...variant, price: "" }
        ]
      },
      "variants"
    ],
    ["a price in words beside a good one", { variants: [variant, { ...variant, price: "free" }] }, "variants.1.price"],
    ["a price in words", { variants: [{ ...variant, price: "1,234.50" }] }, "variants.0.price"],
    ["no title", { title: " " }, "title"],
    ["neither id nor handle", { id: null, handle: null }, "key"],
    ["a list for a title", { title: ["Tray"] }, "title"],
    ["an object for a price", { variants: [{ ...variant, price: {} }] }, "variants.0.price"],
    [
      "an object for a price, after more wrong values than are listed",
      { tags: Array.from({ length: 60 }, () => ({})), variants: [{ ...variant, price: {} }] },
      "variants.price"
    ],
    ["an object for its status", { status: {} }, "status"],
    ["an id that lost digits and no handle", { id: 2 ** 60, handle: null }, "id"]
  ])("is refused with %s", (_, changes, path) => {
    assert.deepStrictEqual(fields(changes), [path])
  })
})
